// What is done with whole columns that are on the GPU (see collectives.rs). Reductions leave a part for each block, which
// the host puts together. A scan, a selection, and each digit of a sort take one pass: blocks take tiles in their order,
// and look back at what the tiles before have told (D. Merrill and M. Garland, "Single-pass parallel prefix scan with
// decoupled look-back", 2016; A. Adinets and D. Merrill, "Onesweep", 2022).

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned char u8;

static const u32 THREADS = 256, WARPS = THREADS / 32, ALL = 0xffffffffu;

static __device__ __forceinline__ u32 lane() { return threadIdx.x % 32; }
static __device__ __forceinline__ u32 warp() { return threadIdx.x / 32; }

// Sums. With 128 bits, so that they are exact.

struct Wide { u64 low; i64 high; };

static __device__ __forceinline__ void add(Wide& sum, u64 low, i64 high) {
  sum.low += low;
  sum.high += high + (sum.low < low);
}
static __device__ __forceinline__ void add(Wide& sum, i64 number) { add(sum, (u64)number, number >> 63); }

template <class T, class Each>
static __device__ __forceinline__ void each_of(const T* all, u64 count, Each each) {
  // As much at once as a thread can load, four times.
  const u32 wide = 16 / sizeof(T);
  struct alignas(16) Pack { T items[wide]; };
  u64 packs = count / wide, step = (u64)gridDim.x * THREADS, at = (u64)blockIdx.x * THREADS + threadIdx.x;
  const Pack* from = (const Pack*)all;
  for (; at + 3 * step < packs; at += 4 * step) {
    Pack some[4];
    for (u32 i = 0; i < 4; i++) some[i] = from[at + i * step];
    for (u32 i = 0; i < 4; i++)
      for (u32 j = 0; j < wide; j++) each((at + i * step) * wide + j, some[i].items[j]);
  }
  for (; at < packs; at += step) {
    Pack one = from[at];
    for (u32 j = 0; j < wide; j++) each(at * wide + j, one.items[j]);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (u64 row = packs * wide; row < count; row++) each(row, all[row]);
}

template <class T>
static __device__ __forceinline__ void sum(const T* all, u64 count, Wide* parts) {
  Wide own = {0, 0};
  each_of(all, count, [&](u64, T number) { add(own, (i64)number); });
  for (u32 step = 16; step > 0; step /= 2)
    add(own, __shfl_down_sync(ALL, own.low, step), __shfl_down_sync(ALL, own.high, step));
  __shared__ Wide sums[WARPS];
  if (lane() == 0) sums[warp()] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (u32 i = 1; i < WARPS; i++) add(own, sums[i].low, sums[i].high);
  parts[blockIdx.x] = own;
}

// The first of the rows whose number no other one is better than; a row of -1 where numbers cannot be compared.

template <class T> struct Best { T number; i64 row; };

static __device__ __forceinline__ bool compares(double x) { return x == x; }
static __device__ __forceinline__ bool compares(i64) { return true; }
static __device__ __forceinline__ bool compares(int) { return true; }

template <class T>
static __device__ __forceinline__ void take_better(Best<T>& best, T number, i64 row, bool greatest) {
  bool better = greatest ? number > best.number : number < best.number;
  if (better | (number == best.number & row < best.row)) best.number = number, best.row = row;
}

template <class T>
static __device__ __forceinline__ void best(const T* all, u64 count, bool greatest, Best<T>* parts) {
  Best<T> own = {all[0], 0};
  bool clean = compares(own.number);
  each_of(all, count, [&](u64 row, T number) {
    clean &= compares(number);
    if (greatest ? number > own.number : number < own.number) own.number = number, own.row = (i64)row;
    else if (number == own.number & (i64)row < own.row) own.row = (i64)row;
  });
  for (u32 step = 16; step > 0; step /= 2) {
    T number = __shfl_down_sync(ALL, own.number, step);
    i64 row = __shfl_down_sync(ALL, own.row, step);
    take_better(own, number, row, greatest);
  }
  __shared__ Best<T> bests[WARPS];
  if (lane() == 0) bests[warp()] = own;
  clean = __syncthreads_and(clean);
  if (threadIdx.x != 0) return;
  for (u32 i = 1; i < WARPS; i++) take_better(own, bests[i].number, bests[i].row, greatest);
  if (!clean) own.row = -1;
  parts[blockIdx.x] = own;
}

// What a tile has told: nothing (0), its own sum (1), or the sum up to its end (2). Both words are read and written at once.

struct alignas(16) Told { u64 state, number; };

static __device__ __forceinline__ void tell(Told* told, u64 state, u64 number) {
  asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(told), "l"(state), "l"(number) : "memory");
}
static __device__ __forceinline__ Told told_by(const Told* told) {
  Told now;
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(now.state), "=l"(now.number) : "l"(told) : "memory");
  return now;
}

// The number of the next tile.
static __device__ __forceinline__ u32 next_tile(u32* ticket) {
  __shared__ u32 tile;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  return tile;
}

// The sum of the tiles before, for a tile whose own sum this is. By the first warp.
static __device__ __forceinline__ u64 sum_before(u32 tile, u64 own, Told* told) {
  if (lane() == 0) tell(&told[tile], tile == 0 ? 2 : 1, own);
  u64 sum = 0;
  for (i64 last = (i64)tile - 1; last >= 0; last -= 32) {
    i64 at = last - lane();
    Told now = {2, 0};
    if (at >= 0)
      while ((now = told_by(&told[at])).state == 0) {}
    u32 ends = __ballot_sync(ALL, now.state == 2);
    // Those behind the first that knows the sum up to its end do not count.
    u32 first = ends ? __ffs(ends) - 1 : 32;
    u64 number = lane() > first ? 0 : now.number;
    for (u32 step = 16; step > 0; step /= 2) number += __shfl_xor_sync(ALL, number, step);
    sum += number;
    if (ends) break;
  }
  if (tile > 0 && lane() == 0) tell(&told[tile], 2, sum + own);
  return sum;
}

// The sum of the threads before, in a block; and of all.
static __device__ __forceinline__ u64 sum_in_block(u64 own, u64& all) {
  __shared__ u64 sums[WARPS];
  u64 up_to = own;
  for (u32 step = 1; step < 32; step *= 2) {
    u64 other = __shfl_up_sync(ALL, up_to, step);
    if (lane() >= step) up_to += other;
  }
  if (lane() == 31) sums[warp()] = up_to;
  __syncthreads();
  u64 before = 0;
  all = 0;
  for (u32 i = 0; i < WARPS; i++) {
    if (i < warp()) before += sums[i];
    all += sums[i];
  }
  __syncthreads();
  return before + up_to - own;
}

// Sums of all numbers up to each. Where one leaves 64 bits `overflows` is set.

static const u32 SCAN_ITEMS = 8, SCAN_TILE = THREADS * SCAN_ITEMS;

template <class T>
static __device__ __forceinline__ void scan(const T* from, i64* to, u64 count, i64 first, u32* ticket, u32* overflows,
                                            Told* told) {
  // Rows of a thread stand together; the padding keeps threads out of each other's banks.
  __shared__ i64 numbers[SCAN_TILE + SCAN_TILE / SCAN_ITEMS];
  __shared__ u64 before;
  u32 tile = next_tile(ticket);
  u64 begin = (u64)tile * SCAN_TILE;
  for (u32 i = 0; i < SCAN_ITEMS; i++) {
    u32 at = i * THREADS + threadIdx.x;
    numbers[at + at / SCAN_ITEMS] = begin + at < count ? (i64)from[begin + at] : 0;
  }
  __syncthreads();
  i64* own = numbers + threadIdx.x * (SCAN_ITEMS + 1);
  u64 sum = 0, all;
  for (u32 i = 0; i < SCAN_ITEMS; i++) sum += (u64)own[i];
  u64 here = sum_in_block(sum, all);
  if (warp() == 0) {
    u64 sum = sum_before(tile, all, told);
    if (lane() == 0) before = sum + (u64)first;
  }
  __syncthreads();
  here += before;
  bool over = false;
  for (u32 i = 0; i < SCAN_ITEMS; i++) {
    u64 number = (u64)own[i], next = here + number;
    over |= (i64)((here ^ next) & (number ^ next)) < 0;
    own[i] = (i64)next;
    here = next;
  }
  if (over) *overflows = 1;
  __syncthreads();
  for (u32 i = 0; i < SCAN_ITEMS; i++) {
    u32 at = i * THREADS + threadIdx.x;
    if (begin + at < count) to[begin + at] = numbers[at + at / SCAN_ITEMS];
  }
}

// The items whose flag is set, in their order. How many there are the last tile has told.

static const u32 ITEMS = 16, TILE = THREADS * ITEMS;

template <class T>
static __device__ __forceinline__ void choose(const T* from, const u8* flags, T* to, u64 count, u32* ticket, Told* told) {
  __shared__ T chosen[TILE];
  __shared__ u64 before;
  u32 tile = next_tile(ticket);
  u64 begin = (u64)tile * TILE;
  // A thread has items that stand together: their flags are one load.
  u64 mine = begin + (u64)threadIdx.x * ITEMS;
  u32 set = 0;
  if (mine + ITEMS <= count) {
    uint4 some = *(const uint4*)(flags + mine);
    u32 words[4] = {some.x, some.y, some.z, some.w};
    for (u32 i = 0; i < ITEMS; i++) set |= (words[i / 4] >> (i % 4 * 8) & 1) << i;
  } else {
    for (u32 i = 0; i < ITEMS && mine + i < count; i++) set |= (u32)(flags[mine + i] & 1) << i;
  }
  // Items come in the order of memory, and go to whose flags they have.
  __shared__ u32 sets[THREADS];
  __shared__ u32 places[THREADS];
  u64 all;
  sets[threadIdx.x] = set;
  places[threadIdx.x] = (u32)sum_in_block(__popc(set), all);
  __syncthreads();
  T items[ITEMS];
  for (u32 i = 0; i < ITEMS; i++) {
    u64 at = begin + i * THREADS + threadIdx.x;
    if (at < count) items[i] = from[at];
  }
  if (warp() == 0) {
    u64 sum = sum_before(tile, all, told);
    if (lane() == 0) before = sum;
  }
  for (u32 i = 0; i < ITEMS; i++) {
    u32 at = i * THREADS + threadIdx.x, owner = at / ITEMS, bit = at % ITEMS;
    u32 bits = sets[owner];
    if (bits >> bit & 1) chosen[places[owner] + __popc(bits & ((1u << bit) - 1))] = items[i];
  }
  __syncthreads();
  for (u32 at = threadIdx.x; at < all; at += THREADS) to[before + at] = chosen[at];
}

// Sorting, digit by digit, of keys that are in the order of the numbers.

static const u32 DIGITS = 256;

static __device__ __forceinline__ u64 key_of(i64 number) { return (u64)number ^ 1ull << 63; }
static __device__ __forceinline__ u32 key_of(int number) { return (u32)number ^ 1u << 31; }
static __device__ __forceinline__ u64 key_of(double number) {
  u64 bits = (u64)__double_as_longlong(number);
  return bits ^ ((u64)((i64)bits >> 63) | 1ull << 63);
}
static __device__ __forceinline__ void set_number(i64& to, u64 key) { to = (i64)(key ^ 1ull << 63); }
static __device__ __forceinline__ void set_number(int& to, u32 key) { to = (int)(key ^ 1u << 31); }
static __device__ __forceinline__ void set_number(double& to, u64 key) {
  u64 negative = (u64)((i64)~key >> 63);
  to = __longlong_as_double((i64)(key ^ (negative | 1ull << 63)));
}
// Those of which a key does not say all, or that cannot be compared.
static __device__ __forceinline__ bool is_odd(double x) { return x != x || __double_as_longlong(x) == (i64)(1ull << 63); }
static __device__ __forceinline__ bool is_odd(i64) { return false; }
static __device__ __forceinline__ bool is_odd(int) { return false; }

// How often each digit is there, for all places of digits.
template <class T>
static __device__ __forceinline__ void count_digits(const T* all, u64 count, u32* counts, u32* odd) {
  const u32 places = sizeof(T);
  __shared__ u32 own[places * DIGITS];
  for (u32 i = threadIdx.x; i < places * DIGITS; i += THREADS) own[i] = 0;
  __syncthreads();
  bool found = false;
  each_of(all, count, [&](u64, T number) {
    auto key = key_of(number);
    found |= is_odd(number);
    for (u32 place = 0; place < places; place++) atomicAdd(&own[place * DIGITS + (u32)(key >> (8 * place) & 255)], 1u);
  });
  if (found) *odd = 1;
  __syncthreads();
  for (u32 i = threadIdx.x; i < places * DIGITS; i += THREADS)
    if (own[i]) atomicAdd(&counts[i], own[i]);
}

// Puts keys into the order of a digit, equal ones in the order that they have. `counts`: of this digit. A word that a tile
// tells has its state in the highest bits. `first`, `last`: numbers come in, or go out.
template <class T, class Key>
static __device__ __forceinline__ void sort_digit(const void* from, void* to, u64 count, u32 place, const u32* counts,
                                                  u32* ticket, volatile u32* told, bool first, bool last) {
  __shared__ Key keys[TILE];
  __shared__ u32 ranks[WARPS * DIGITS];
  __shared__ u32 places[DIGITS];
  const u32 own = 1u << 30, up_to = 2u << 30, number = own - 1;
  u32 tile = next_tile(ticket), shift = 8 * place, digit_of_thread = threadIdx.x;
  u64 begin = (u64)tile * TILE;
  u32 in_tile = (u32)(count - begin < TILE ? count - begin : TILE);
  for (u32 i = threadIdx.x; i < WARPS * DIGITS; i += THREADS) ranks[i] = 0;
  __syncthreads();
  Key key[ITEMS];
  u32 rank[ITEMS];
  u32 warp_begin = warp() * 32 * ITEMS;
  for (u32 i = 0; i < ITEMS; i++) {
    u32 at = warp_begin + i * 32 + lane();
    // What is behind the end comes last.
    key[i] = ~(Key)0;
    if (at < in_tile) key[i] = first ? key_of(((const T*)from)[begin + at]) : ((const Key*)from)[begin + at];
  }
  u32* of_warp = ranks + warp() * DIGITS;
  for (u32 i = 0; i < ITEMS; i++) {
    u32 digit = (u32)(key[i] >> shift) & 255;
    u32 same = ALL;
    for (u32 bit = 0; bit < 8; bit++) {
      u32 set = __ballot_sync(ALL, digit >> bit & 1);
      same &= digit >> bit & 1 ? set : ~set;
    }
    u32 before = __popc(same & ((1u << lane()) - 1)), sum = of_warp[digit];
    __syncwarp();
    if (before == 0) of_warp[digit] = sum + __popc(same);
    __syncwarp();
    rank[i] = sum + before;
  }
  __syncthreads();
  // A thread for each digit: where each warp's begin among those of the tile.
  u32 sum = 0;
  for (u32 w = 0; w < WARPS; w++) {
    u32 of = ranks[w * DIGITS + digit_of_thread];
    ranks[w * DIGITS + digit_of_thread] = sum;
    sum += of;
  }
  told[tile * DIGITS + digit_of_thread] = sum | (tile == 0 ? up_to : own);
  u64 all;
  u32 in_front = (u32)sum_in_block(sum, all), among_all = (u32)sum_in_block(counts[digit_of_thread], all);
  for (u32 w = 0; w < WARPS; w++) ranks[w * DIGITS + digit_of_thread] += in_front;
  __syncthreads();
  for (u32 i = 0; i < ITEMS; i++)
    keys[of_warp[(u32)(key[i] >> shift) & 255] + rank[i]] = key[i];
  u32 before = 0;
  for (u32 at = tile; at > 0;) {
    u32 word = told[(at - 1) * DIGITS + digit_of_thread];
    if (word == 0) continue;
    before += word & number;
    at--;
    if (word & up_to) break;
  }
  if (tile > 0) told[tile * DIGITS + digit_of_thread] = (before + sum) | up_to;
  places[digit_of_thread] = among_all + before - in_front;
  __syncthreads();
  for (u32 i = 0; i < ITEMS; i++) {
    u32 at = i * THREADS + threadIdx.x;
    if (at >= in_tile) break;
    Key key = keys[at];
    u32 target = places[(u32)(key >> shift) & 255] + at;
    if (last) set_number(((T*)to)[target], key);
    else ((Key*)to)[target] = key;
  }
}

// Sums of Floats in their order, in parts (see in_parts.rs): a block for each part, a few neighbouring items for each thread.

static const u32 OWN = 4, PART = THREADS * OWN;
static const i64 ZEROS = 1 << 20;

struct Rough { double sum, magnitude; i64 granularity; };
struct Unit { int exponent; u32 odd; };
struct Moves { i64 sum, least, most; int odd; u32 exact_clear; Rough lost; };

static __device__ __forceinline__ i64 granularity(double x) {
  i64 bits = __double_as_longlong(x), exponent = bits >> 52 & 2047, fraction = bits & ((1ll << 52) - 1);
  if (exponent == 0) return fraction == 0 ? ZEROS : __ffsll(fraction) - 1 - 1074;
  return __ffsll(fraction | 1ll << 52) - 1 + exponent - 1075;
}

static __device__ __forceinline__ void load_part(const double* all, u64 count, double* own) {
  u64 at = (u64)blockIdx.x * PART + threadIdx.x * OWN;
  if (at + OWN <= count) {
    for (u32 i = 0; i < OWN; i += 2) {
      double2 two = *(const double2*)(all + at + i);
      own[i] = two.x, own[i + 1] = two.y;
    }
  } else {
    for (u32 i = 0; i < OWN; i++) own[i] = at + i < count ? all[at + i] : 0.0;
  }
}

// What all items of a block are about. The first thread has it.
static __device__ __forceinline__ Rough rough(const double* own) {
  Rough all = {0.0, 0.0, ZEROS};
  auto add = [&](double sum, double magnitude, i64 granularity) {
    all.sum += sum, all.magnitude += magnitude;
    if (granularity < all.granularity) all.granularity = granularity;
  };
  for (u32 i = 0; i < OWN; i++) add(own[i], fabs(own[i]), granularity(own[i]));
  for (u32 step = 16; step > 0; step /= 2)
    add(__shfl_down_sync(ALL, all.sum, step), __shfl_down_sync(ALL, all.magnitude, step),
        __shfl_down_sync(ALL, all.granularity, step));
  __shared__ Rough parts[WARPS];
  __syncthreads();
  if (lane() == 0) parts[warp()] = all;
  __syncthreads();
  if (threadIdx.x == 0)
    for (u32 i = 1; i < WARPS; i++) add(parts[i].sum, parts[i].magnitude, parts[i].granularity);
  return all;
}

static __device__ __forceinline__ double power(int exponent) { return __longlong_as_double((i64)(exponent + 1023) << 52); }

// Rounds items to units, and to an even multiple where they are half way: so some have to know whether the sum before them is
// odd. `turn`: of the block, see Moves::odd.
static __device__ __forceinline__ void round_items(const double* own, Unit unit, double* whole, double* lost, int& turn) {
  double size = power(unit.exponent), reciprocal = power(-unit.exponent);
  bool half = false;
  // What the items make of odd and even: 0 and 1 turn it or not, 2 and 3 set it.
  u32 change = 0;
  for (u32 i = 0; i < OWN; i++) {
    double units = own[i] * reciprocal;
    whole[i] = rint(units);
    if (fabs(units - whole[i]) == 0.5) half = true, change = 2;
    else change ^= (u32)(i64)whole[i] & 1;
  }
  turn = 0;
  if (__syncthreads_or(half)) {
    auto after = [](u32 first, u32 then) { return then & 2 ? then : first ^ then; };
    __shared__ u32 changes[WARPS];
    __shared__ int turns[WARPS];
    u32 all = change;
    for (u32 step = 1; step < 32; step *= 2) {
      u32 other = __shfl_up_sync(ALL, all, step);
      if (lane() >= step) all = after(other, all);
    }
    if (lane() == 31) changes[warp()] = all;
    u32 before = __shfl_up_sync(ALL, all, 1);
    if (lane() == 0) before = 0;
    __syncthreads();
    u32 state = unit.odd;
    for (u32 i = 0; i < warp(); i++) state = after(state, changes[i]);
    bool odd = after(state, before) & 1;
    int own_turn = 0;
    for (u32 i = 0; i < OWN; i++) {
      double units = own[i] * reciprocal;
      if (fabs(units - whole[i]) == 0.5) {
        if (odd) whole[i] += units > whole[i] ? 1.0 : -1.0;
        if (own_turn == 0) own_turn = units > whole[i] ? 1 : -1;
        odd = false;
      } else {
        odd ^= (bool)((i64)whole[i] & 1);
      }
    }
    u32 with = __ballot_sync(ALL, own_turn != 0);
    int first = __shfl_sync(ALL, own_turn, with ? __ffs(with) - 1 : 0);
    if (lane() == 0) turns[warp()] = first;
    __syncthreads();
    for (u32 i = WARPS; i > 0; i--)
      if (turns[i - 1] != 0) turn = turns[i - 1];
    __syncthreads();
  }
  for (u32 i = 0; i < OWN; i++) lost[i] = own[i] - whole[i] * size;
}

struct Way { i64 sum, least, most; };
static __device__ __forceinline__ void go_on(Way& way, i64 sum, i64 least, i64 most) {
  if (way.sum + least < way.least) way.least = way.sum + least;
  if (way.sum + most > way.most) way.most = way.sum + most;
  way.sum += sum;
}

extern "C" __global__ void __launch_bounds__(256) rough_f64(const double* all, u64 count, Rough* parts) {
  double own[OWN];
  load_part(all, count, own);
  Rough found = rough(own);
  if (threadIdx.x == 0) parts[blockIdx.x] = found;
}

// `of_lost`: null, or units for what the items lose of their own.
extern "C" __global__ void __launch_bounds__(256)
    moves_f64(const double* all, u64 count, const Unit* units, const Unit* of_lost, Moves* parts) {
  const int none = -2147483647 - 1;
  Unit unit = units[blockIdx.x], second = unit;
  if (of_lost) second = of_lost[blockIdx.x];
  Moves moves = {0, 0, 0, 0, 0, {0.0, 0.0, ZEROS}};
  if (unit.exponent == none || second.exponent == none) {
    if (threadIdx.x == 0) parts[blockIdx.x] = moves;
    return;
  }
  double own[OWN], whole[OWN], lost[OWN];
  load_part(all, count, own);
  round_items(own, unit, whole, lost, moves.odd);
  if (of_lost) {
    for (u32 i = 0; i < OWN; i++) own[i] = lost[i];
    round_items(own, second, whole, lost, moves.odd);
  }
  bool exact = true, clear = true;
  Way way = {0, 9223372036854775807ll, -9223372036854775807ll - 1};
  for (u32 i = 0; i < OWN; i++) {
    exact &= lost[i] == 0.0;
    clear &= fabs(whole[i]) < 2251799813685248.0;
    i64 step = clear ? (i64)whole[i] : 0;
    way.sum += step;
    if (way.sum < way.least) way.least = way.sum;
    if (way.sum > way.most) way.most = way.sum;
  }
  for (u32 step = 1; step < 32; step *= 2)
    go_on(way, __shfl_down_sync(ALL, way.sum, step), __shfl_down_sync(ALL, way.least, step),
          __shfl_down_sync(ALL, way.most, step));
  __shared__ Way ways[WARPS];
  if (lane() == 0) ways[warp()] = way;
  exact = __syncthreads_and(exact);
  clear = __syncthreads_and(clear);
  moves.lost = rough(lost);
  if (threadIdx.x != 0) return;
  for (u32 i = 1; i < WARPS; i++) go_on(way, ways[i].sum, ways[i].least, ways[i].most);
  moves.sum = way.sum, moves.least = way.least, moves.most = way.most;
  moves.exact_clear = (exact ? 1 : 0) | (clear ? 2 : 0);
  parts[blockIdx.x] = moves;
}

// As many blocks at once as their memory allows, which hides what they wait for.
#define KERNEL(blocks) extern "C" __global__ void __launch_bounds__(256, blocks)

KERNEL(4) sum_i64(const i64* all, u64 count, Wide* parts) { sum(all, count, parts); }
KERNEL(4) sum_i32(const int* all, u64 count, Wide* parts) { sum(all, count, parts); }

#define BEST(name, T)                                                                                                  \
  KERNEL(4) best_##name(const T* all, u64 count, u64 greatest, Best<T>* parts) { best(all, count, greatest != 0, parts); }
BEST(i64, i64)
BEST(i32, int)
BEST(f64, double)

#define SCAN(name, T)                                                                                                  \
  KERNEL(8) scan_##name(const T* from, i64* to, u64 count, i64 first, u32* ticket, u32* overflows, Told* told) {       \
    scan(from, to, count, first, ticket, overflows, told);                                                             \
  }
SCAN(i64, i64)
SCAN(i32, int)

#define CHOOSE(bytes, T)                                                                                               \
  KERNEL(4) choose_##bytes(const T* from, const u8* flags, T* to, u64 count, u32* ticket, Told* told) {                \
    choose(from, flags, to, count, ticket, told);                                                                      \
  }
CHOOSE(1, u8)
CHOOSE(4, u32)
CHOOSE(8, u64)

#define SORT(name, T, Key)                                                                                             \
  KERNEL(4) digits_##name(const T* all, u64 count, u32* counts, u32* odd) { count_digits(all, count, counts, odd); }      \
  KERNEL(3) sort_##name(const void* from, void* to, u64 count, u64 place, const u32* counts, u32* ticket, u32* told,      \
                     u64 ends) {                                                                                       \
    sort_digit<T, Key>(from, to, count, (u32)place, counts, ticket, told, ends & 1, ends & 2);                         \
  }
SORT(i64, i64, u64)
SORT(i32, int, u32)
SORT(f64, double, u64)
