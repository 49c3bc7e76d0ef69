// Makes a generated CUDA text a C++ program that runs its threads one after the other. A test tool: see emulator.rs.
#define __global__
#define __device__
#define __constant__
#define __shared__ static thread_local
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__

struct Place { unsigned x; };
static thread_local Place blockIdx, threadIdx, blockDim, gridDim;

template <class T> static inline T __ldg(const T* p) { return *p; }
static inline double __longlong_as_double(long long x) { double d; __builtin_memcpy(&d, &x, 8); return d; }
static inline long long __double_as_longlong(double d) { long long x; __builtin_memcpy(&x, &d, 8); return x; }
static inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline void __threadfence() {}
// One thread plays all lanes of a warp.
#define WARP 1
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline void __syncwarp() {}
static inline unsigned __ballot_sync(unsigned, bool x) { return x; }
static inline unsigned long long atomicMin(unsigned long long* p, unsigned long long x) {
  unsigned long long old = *p;
  if (x < old) *p = x;
  return old;
}
static inline unsigned long long atomicAdd(unsigned long long* p, unsigned long long x) {
  unsigned long long old = *p;
  *p += x;
  return old;
}
static inline int atomicCAS(int* p, int expected, int x) { int old = *p; if (old == expected) *p = x; return old; }
static inline unsigned long long atomicExch(unsigned long long* p, unsigned long long x) {
  unsigned long long old = *p;
  *p = x;
  return old;
}
static inline int atomicExch(int* p, int x) { int old = *p; *p = x; return old; }

extern "C" {
#define F1(name) double name(double);
#define F2(name) double name(double, double);
F1(fabs) F1(floor) F1(ceil) F1(trunc) F1(round) F1(rint)
F1(sin) F1(cos) F1(tan) F1(asin) F1(acos) F1(atan) F1(sinh) F1(cosh) F1(tanh) F1(asinh) F1(acosh) F1(atanh)
F1(exp) F1(log) F1(log2) F1(log10) F1(sqrt) F1(cbrt) F1(erf) F1(erfc) F1(tgamma) F1(lgamma)
F2(fmod) F2(pow) F2(atan2) F2(hypot)
double fma(double, double, double);
}

// Stands at the end of the text, once for each kernel.
#define IKRA_MAIN(name, section) \
  extern "C" void name(const Launch* launch, unsigned blocks, unsigned threads) { \
    blockDim.x = threads; \
    gridDim.x = blocks; \
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) \
      for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) section(*launch); \
  }
