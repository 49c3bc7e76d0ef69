// What every generated kernel stands on: Ruby's integer and float arithmetic, random numbers, and the record of the
// first failure. Needs no header, so that NVRTC compiles it alone; the layouts are mirrored in layout.rs.

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;

// The element that a thread computes.
struct Element {
  int index;
  u32 draw;   // number of the next random draw in this tick
  i64 tick;
  i64 path;   // number of the calls that lead to the function that runs
  u64 stack;  // where the stack was when the thread began; recursive programs only
  u32 rounds; // of loops, and calls of recursive functions
  int lane;   // of the warp that shares the element (see sharing.rs); 0 where a thread has it
};

// The failure with the lowest (tick, element), which together are the key; all ones while there is none.
struct Failure {
  u64 key;
  i64 operands[2];
  i64 path;
  int site;
  int lock;
};

// The same for all launches of a run.
struct Run {
  const int* order;   // element of each job; null where job i is element i
  Failure* failure;
  i64* clock;         // tick that a replayed graph has come to
  u64 seed, call;
  u64 stack;          // bytes of stack that a thread may use
  const volatile unsigned char* stop;  // not 0 when the host wants the run to end
};

// Jobs of one entry, in blocks of their own, so that no warp mixes classes.
struct Segment { int first_block, first_job, jobs, entry; };

extern "C" { __constant__ Run run; }

// A word of the scratch memory of this thread: neighbouring threads find theirs beside it.
static __device__ __forceinline__ i64 own(i64 word) {
  return word * ((i64)gridDim.x * (i64)blockDim.x) + ((i64)blockIdx.x * (i64)blockDim.x + (i64)threadIdx.x);
}

// Failures. A failing thread records and leaves its kernel, the others go on; the host discards what they compute.

static __device__ __noinline__ void record_failure(int element, i64 tick, int site, i64 a, i64 b, i64 path) {
  Failure* f = run.failure;
  u64 key = (u64)tick << 32 | (u32)element;
  atomicMin(&f->key, key);
  // Of threads that come here together at most one goes on, so none of a warp waits for another of it.
  if (*(volatile u64*)&f->key != key) return;
  for (bool done = false; !done;) {
    if (atomicCAS(&f->lock, 0, 1) == 0) {
      __threadfence();
      // That the run ends says more than any failure.
      if (*(volatile u64*)&f->key == key && (*(volatile int*)&f->site > -2 || site <= -2)) {
        *(volatile int*)&f->site = site;
        *(volatile i64*)&f->operands[0] = a;
        *(volatile i64*)&f->operands[1] = b;
        *(volatile i64*)&f->path = path;
      }
      __threadfence();
      atomicExch(&f->lock, 0);
      done = true;
    }
  }
}

// Gives false, which failing functions return.
static __device__ __forceinline__ bool fail(const Element& e, int site, i64 a = 0, i64 b = 0) {
  if (e.lane == 0) record_failure(e.index, e.tick, site, a, b, e.path);
  return false;
}

// Does the host want the run to end, or do elements conflict? What may run for long asks, and then fails with no site of
// the program.
static __device__ __forceinline__ bool stopped(Element& e) {
  if (++e.rounds % 4096u != 0) return false;
  if (*(volatile int*)&run.failure->site == -3) return true;
  if (*run.stop == 0) return false;
  record_failure(0, 0, -2, 0, 0, 0);
  return true;
}

// Elements that warps share (see sharing.rs): all lanes run the same code, and the first one writes, when all have come
// there; nobody goes on before that. The emulator has one thread for a warp, which plays all lanes of a loop.
#ifndef WARP
#define WARP 32
#endif
static __device__ __forceinline__ int own_lane() { return (int)threadIdx.x & 31; }
static __device__ __forceinline__ int own_warp() { return (int)threadIdx.x & ~31; }
template <bool SHARED> static __device__ __forceinline__ bool writes(const Element& e) {
  if (SHARED) __syncwarp();
  return !SHARED || e.lane == 0;
}
template <bool SHARED> static __device__ __forceinline__ void written() {
  if (SHARED) __syncwarp();
}

// A loop in which each lane computes what an iteration can compute for itself, and then all do in order what iterations
// do one after the other. Ends before an iteration that stops: the loop goes on with that one as it would alone. False: the
// run ends.
template <class Parallel, class Serial, class Count>
static __device__ __forceinline__ bool share(Element& e, Parallel parallel, Serial serial, Count count) {
  for (int done = 32; done == 32;) {
    if (stopped(e)) return false;
    u32 ran = 0;
    for (int lane = own_lane(); lane < 32; lane += WARP)
      if (parallel(lane)) ran |= 1u << lane;
    if (WARP > 1) ran = __ballot_sync(~0u, ran != 0);
    int all = ran == ~0u ? 32 : __ffs((int)~ran) - 1;
    __syncwarp();
#pragma unroll 8
    for (done = 0; done < all; done++)
      if (!serial(done)) break;
    __syncwarp();
    count(done);
  }
  return true;
}
// The same where all that iterations do in order is to fold recorded numbers, of which `recorded` gives the first: a lane for
// each fold.
template <int FOLDS, class Parallel, class Recorded, class Fold, class Count>
static __device__ __forceinline__ bool share_folds(Element& e, Parallel parallel, Recorded recorded, double (&folded)[FOLDS],
                                                   Fold fold, Count count) {
  struct alignas(16) Two { u64 first, second; };
  double own = folded[0];
#if WARP > 1
  const int lane = own_lane(), mine = lane < FOLDS ? lane : 0;
  for (int i = 1; i < FOLDS; i++)
    if (mine == i) own = folded[i];
#endif
  for (int all = 32; all == 32;) {
    if (stopped(e)) return false;
    u32 ran = 0;
    for (int lane = own_lane(); lane < 32; lane += WARP)
      if (parallel(lane)) ran |= 1u << lane;
    if (WARP > 1) ran = __ballot_sync(~0u, ran != 0);
    all = ran == ~0u ? 32 : __ffs((int)~ran) - 1;
    __syncwarp();
#if WARP > 1
    if (lane < FOLDS) {
      const u64* numbers = recorded(mine);
      if (all == 32) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
          Two two = ((const Two*)numbers)[i];
          own = fold(fold(own, __longlong_as_double((i64)two.first)), __longlong_as_double((i64)two.second));
        }
      } else {
        for (int i = 0; i < all; i++) own = fold(own, __longlong_as_double((i64)numbers[i]));
      }
    }
#else
    for (int i = 0; i < FOLDS; i++)
      for (int j = 0; j < all; j++) folded[i] = fold(folded[i], __longlong_as_double((i64)recorded(i)[j]));
#endif
    __syncwarp();
    count(all);
  }
#if WARP > 1
  for (int i = 0; i < FOLDS; i++) folded[i] = __shfl_sync(~0u, own, i);
#endif
  return true;
}
// Can a warp's iterations count so, without leaving the type?
static __device__ __forceinline__ bool has_room(int x, int step) {
  return step > 0 ? x <= 2147483647 - 32 * step : x >= -2147483647 - 32 * step;
}
static __device__ __forceinline__ bool has_room(i64 x, int step) {
  return step > 0 ? x <= 9223372036854775807ll - 32ll * step : x >= -9223372036854775807ll - 32ll * step;
}

// Marks (see marks.rs): of each row a reader's and a writer's, which are the tick in the upper half, and in the lower the
// element, or all ones for several. Who finds another's has a conflict, and ends the run.

static __device__ __noinline__ bool conflict() {
  record_failure(0, 0, -3, 0, 0, 0);
  return false;
}
static __device__ __forceinline__ bool is_others(u64 mark, u64 me) { return mark != me && (mark ^ me) >> 32 == 0; }

// What is looked at next is not looked at before.
static __device__ __forceinline__ u64 seen_first(const u64* mark) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  u64 seen;
  asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(seen) : "l"(mark) : "memory");
#else
  u64 seen = *(volatile const u64*)mark;
  __threadfence();
#endif
  return seen;
}
static __device__ __noinline__ void mark_read(u64* reader, u64 seen, u64 me) {
  u64 many = me | 0xffffffffull, mark = is_others(seen, me) ? many : me;
  u64 before = atomicExch(reader, mark);
  if (mark != many && is_others(before, me)) atomicExch(reader, many);
  __threadfence();
}
static __device__ __forceinline__ i64 watch_read(i64* marks, i64 row, i64 me) {
  u64* reader = (u64*)marks + 2 * row;
  u64 seen = seen_first(reader);
  if (seen != (u64)me && seen != ((u64)me | 0xffffffffull)) mark_read(reader, seen, (u64)me);
  return is_others(*(volatile u64*)(reader + 1), (u64)me) ? 0 : -1;
}
static __device__ __forceinline__ i64 watch_write(i64* marks, i64 row, i64 me) {
  u64* reader = (u64*)marks + 2 * row;
  bool other = is_others(atomicExch(reader + 1, (u64)me), (u64)me);
  __threadfence();
  return other || is_others(*(volatile u64*)reader, (u64)me) ? 0 : -1;
}

// Room behind the arrays of a kind.
static __device__ __forceinline__ i64 claim(i64* ends, i64 count) { return (i64)atomicAdd((u64*)ends, (u64)count); }

// What elements defer (see deferred.rs). Integers are added in place, where the order does not matter unless a sum leaves
// 64 bits; false: this one did.
static __device__ __forceinline__ bool add_at(i64* place, i64 x) {
  i64 old = (i64)atomicAdd((u64*)place, (u64)x), sum = (i64)((u64)old + (u64)x);
  return ((old ^ sum) & (x ^ sum)) >= 0;
}
static __device__ __forceinline__ bool subtract_at(i64* place, i64 x) {
  i64 old = (i64)atomicAdd((u64*)place, 0 - (u64)x), difference = (i64)((u64)old - (u64)x);
  return ((old ^ x) & (old ^ difference)) >= 0;
}
// Anything else is written down for the host. Those of one thread come in its order. Null where there is no more room: the
// host sees how many there would have been.
static __device__ __forceinline__ u64* log_place(u64* log, u64 room, u64* count, int words) {
  u64 at = atomicAdd(count, 1ull);
  return at < room ? log + at * (u64)words : 0;
}

// Has this thread nearly used up its stack? `here` is a local variable of the caller.
static __device__ __forceinline__ bool out_of_stack(const Element& e, const int& here) {
  u64 now = (u64)&here;
  return (now > e.stack ? now - e.stack : e.stack - now) > run.stack;
}

// Integers. Overflow of the checked operations is said, not computed; the wrapping ones are for the others.

static __device__ __forceinline__ int wrap_add32(int a, int b) { return (int)((u32)a + (u32)b); }
static __device__ __forceinline__ int wrap_sub32(int a, int b) { return (int)((u32)a - (u32)b); }
static __device__ __forceinline__ int wrap_mul32(int a, int b) { return (int)((u32)a * (u32)b); }
static __device__ __forceinline__ i64 wrap_add(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
static __device__ __forceinline__ i64 wrap_sub(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
static __device__ __forceinline__ i64 wrap_mul(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }

static __device__ __forceinline__ bool add_overflows(i64 a, i64 b, i64& sum) {
  sum = wrap_add(a, b);
  return ((a ^ sum) & (b ^ sum)) < 0;
}
static __device__ __forceinline__ bool sub_overflows(i64 a, i64 b, i64& difference) {
  difference = wrap_sub(a, b);
  return ((a ^ b) & (a ^ difference)) < 0;
}
static __device__ __forceinline__ bool mul_overflows(i64 a, i64 b, i64& product) {
  product = wrap_mul(a, b);
  return __mul64hi(a, b) != product >> 63;
}

// Floor division; the divisor is not 0. A 64-bit division costs a GPU several 32-bit ones, so where the operands are
// not known to be narrow they are looked at. Quotients that overflow have been refused before.

static __device__ __forceinline__ int floor_div32(int a, int b) {
  int q = a / b;
  return q - ((a % b != 0) & ((a ^ b) < 0));
}
static __device__ __forceinline__ int floor_mod32(int a, int b) {
  int r = b == -1 ? 0 : a % b;
  return (r != 0) & ((r ^ b) < 0) ? r + b : r;
}
static __device__ __forceinline__ i64 floor_div(i64 a, i64 b) {
  if (((u64)a | (u64)b) >> 32 == 0) return (u32)a / (u32)b;
  i64 q = a / b;
  return q - ((a - q * b != 0) & ((a ^ b) < 0));
}
static __device__ __forceinline__ i64 floor_mod(i64 a, i64 b) {
  if (((u64)a | (u64)b) >> 32 == 0) return (u32)a % (u32)b;
  i64 r = b == -1 ? 0 : a % b;
  return (r != 0) & ((r ^ b) < 0) ? r + b : r;
}
// (a * b + c) mod m: what does not fit in 64 bits is divided bit by bit.
static __device__ __noinline__ i64 wide_rest(i64 a, i64 b, i64 c, i64 m) {
  u64 low = (u64)a * (u64)b, sum = low + (u64)c;
  i64 high = __mul64hi(a, b) + (c >> 63) + (sum < low);
  bool negative = high < 0;
  if (negative) {
    sum = 0 - sum;
    high = ~high + (sum == 0);
  }
  u64 divisor = m < 0 ? 0 - (u64)m : (u64)m, rest = (u64)high % divisor;
  for (int bit = 63; bit >= 0; bit--) {
    bool beyond = rest >> 63;
    rest = rest << 1 | (sum >> bit & 1);
    if (beyond || rest >= divisor) rest -= divisor;
  }
  if (rest == 0) return 0;
  if (negative != (m < 0)) rest = divisor - rest;
  return m < 0 ? (i64)(0 - rest) : (i64)rest;
}
static __device__ __forceinline__ i64 wide_mod(i64 a, i64 b, i64 c, i64 m) {
  i64 product, sum;
  if (mul_overflows(a, b, product) | add_overflows(product, c, sum)) return wide_rest(a, b, c, m);
  return floor_mod(sum, m);
}
// The divisor is known to be positive and narrow.
static __device__ __forceinline__ i64 floor_div_by(i64 a, u32 b) {
  if ((u64)a >> 32 == 0) return (u32)a / b;
  i64 q = a / (i64)b;
  return q - (a - q * (i64)b < 0);
}
static __device__ __forceinline__ int floor_mod_by(i64 a, u32 b) {
  if ((u64)a >> 32 == 0) return (int)((u32)a % b);
  i64 r = a % (i64)b;
  return (int)(r < 0 ? r + b : r);
}
// Both are known not to be negative.
static __device__ __forceinline__ i64 div_u(u64 a, u64 b) {
  return (a | b) >> 32 == 0 ? (u32)a / (u32)b : (i64)(a / b);
}
static __device__ __forceinline__ i64 mod_u(u64 a, u64 b) {
  return (a | b) >> 32 == 0 ? (u32)a % (u32)b : (i64)(a % b);
}
// The divisor is a constant, so that the compiler multiplies instead.
static __device__ __forceinline__ i64 floor_div_constant(i64 a, i64 b) {
  i64 q = a / b;
  return q - ((a - q * b != 0) & ((a ^ b) < 0));
}
static __device__ __forceinline__ i64 floor_mod_constant(i64 a, i64 b) {
  i64 r = a % b;
  return (r != 0) & ((r ^ b) < 0) ? r + b : r;
}
// The divisor stays the same over a loop: 2**64 / n, rounded up, is computed before it, and then gives quotients and
// remainders of 32-bit numbers by multiplication (Lemire, Kaser and Kurz, "Faster remainder by direct computation",
// Software: Practice and Experience 49(6), 2019). It is 0 for n = 1.
static __device__ __forceinline__ u64 reciprocal(u32 n) { return n ? ~0ull / n + 1 : 0; }
static __device__ __forceinline__ int mod_with(u32 a, u32 n, u64 r) { return (int)__umul64hi(r * a, n); }
static __device__ __forceinline__ int div_with(u32 a, u64 r) { return r ? (int)__umul64hi(r, a) : (int)a; }
static __device__ __forceinline__ int floor_mod_with(i64 a, u32 n, u64 r) {
  return (u64)a >> 32 == 0 ? mod_with((u32)a, n, r) : (int)floor_mod_by(a, n);
}
static __device__ __forceinline__ i64 floor_div_with(i64 a, u32 n, u64 r) {
  return (u64)a >> 32 == 0 ? (i64)(u32)div_with((u32)a, r) : floor_div_by(a, n);
}
static __device__ __forceinline__ int remainder32(int a, int b) { return b == -1 ? 0 : a % b; }
static __device__ __forceinline__ i64 remainder64(i64 a, i64 b) {
  if (((u64)a | (u64)b) >> 32 == 0) return (u32)a % (u32)b;
  return b == -1 ? 0 : a % b;
}
static __device__ __forceinline__ int bit_length(i64 a) { return 64 - __clzll(a ^ (a >> 63)); }

// Floats.

static __device__ __forceinline__ bool is_nan(double x) { return x != x; }

// Division by a constant c with 2**-60 < |c| < 2**60, r being 1 / c rounded: correctly rounded too, but without
// computing the reciprocal each time (Brisebarre, Muller and Raina, "Accelerating correctly rounded floating-point
// division when the divisor is known in advance", IEEE Transactions on Computers 53(8), 2004). Where a step could leave
// the normal numbers, the division itself decides.
static __device__ __forceinline__ double div_by(double x, double c, double r) {
  double q = x * r, quotient = fma(fma(-q, c, x), r, q);
  u32 high = (u32)(__double_as_longlong(x) >> 32) & 0x7fffffffu;
  bool zero = x == 0.0;
  if ((high - 0x0c000000u < 0x70000000u) | zero) return zero ? q : quotient;
  return x / c;
}

// Float#%: the sign of the divisor (flo_mod in Ruby's numeric.c).
static __device__ __forceinline__ double floor_mod_float(double x, double y) {
  if (y != y) return y;
  bool x_finite = x - x == 0.0, y_infinite = y == y && y - y != 0.0;
  double mod = y_infinite && x_finite ? x : fmod(x, y);
  return y * mod < 0.0 ? mod + y : mod;
}

// Random numbers: Philox4x32-10, as in rng.rs.

static __device__ __forceinline__ void start_tick(Element& e, i64 tick) {
  e.tick = tick;
  e.draw = 0;
}

static __device__ inline i64 random_bits(Element& e) {
  u32 c0 = (u32)e.index, c1 = (u32)e.tick, c2 = e.draw++, c3 = (u32)run.call;
  u32 k0 = (u32)run.seed, k1 = (u32)(run.seed >> 32);
  for (int round = 0; round < 10; round++) {
    u64 p0 = (u64)0xD2511F53u * c0, p1 = (u64)0xCD9E8D57u * c2;
    c0 = (u32)(p1 >> 32) ^ c1 ^ k0;
    c1 = (u32)p1;
    c2 = (u32)(p0 >> 32) ^ c3 ^ k1;
    c3 = (u32)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return (i64)((u64)c0 | (u64)c1 << 32);
}

// Moves a replayed graph on.
extern "C" __global__ void advance(i64 ticks) { *run.clock += ticks; }
