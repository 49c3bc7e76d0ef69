// A step of n-body as in benchmark/sections/programs.rb, by hand: what a thread for each body takes, with tiles in
// shared memory, and a warp for each body, whose lanes compute a pull each, which are then added up in order. All add
// in the order of Ruby, without fused multiplication and addition, and come to the same bits. Milliseconds, the least
// of ten.
//
//   nvcc -O3 -fmad=false -arch=native -o nbody nbody.cu && ./nbody 4096
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

struct Bodies { double *x, *y, *z, *mass, *vx, *vy, *vz; };
struct Pull { double x, y, z; };

static const double SOFTENING = 1e-3, STEP = 0.005;
static const int BLOCK = 128;

static __device__ __forceinline__ Pull pull(double x, double y, double z, double ox, double oy, double oz,
                                            double mass) {
  double dx = ox - x, dy = oy - y, dz = oz - z;
  double squared = dx * dx + dy * dy + dz * dz + SOFTENING;
  double by = mass / (squared * sqrt(squared));
  return {dx * by, dy * by, dz * by};
}

__global__ void __launch_bounds__(BLOCK) thread_each(Bodies b, int n) {
  __shared__ double x[BLOCK], y[BLOCK], z[BLOCK], mass[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  double own_x = b.x[i], own_y = b.y[i], own_z = b.z[i], ax = 0, ay = 0, az = 0;
  for (int tile = 0; tile < n; tile += BLOCK) {
    int at = tile + threadIdx.x;
    x[threadIdx.x] = b.x[at], y[threadIdx.x] = b.y[at], z[threadIdx.x] = b.z[at], mass[threadIdx.x] = b.mass[at];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < BLOCK; j++) {
      Pull one = pull(own_x, own_y, own_z, x[j], y[j], z[j], mass[j]);
      ax += one.x, ay += one.y, az += one.z;
    }
    __syncthreads();
  }
  b.vx[i] += ax * STEP, b.vy[i] += ay * STEP, b.vz[i] += az * STEP;
}

// FOLDS: a lane has each of the three sums; otherwise all lanes have all three.
template <bool FOLDS>
__global__ void __launch_bounds__(BLOCK, 8) warp_each(Bodies b, int n) {
  __shared__ alignas(16) double pulls[3][BLOCK];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32 * 32, i = (blockIdx.x * BLOCK + threadIdx.x) / 32;
  double x = b.x[i], y = b.y[i], z = b.z[i], sums[3] = {0, 0, 0}, own = 0;
  for (int first = 0; first < n; first += 32) {
    int j = first + lane;
    Pull one = pull(x, y, z, b.x[j], b.y[j], b.z[j], b.mass[j]);
    pulls[0][threadIdx.x] = one.x, pulls[1][threadIdx.x] = one.y, pulls[2][threadIdx.x] = one.z;
    __syncwarp();
    if (!FOLDS) {
#pragma unroll 8
      for (int k = 0; k < 32; k++)
        for (int axis = 0; axis < 3; axis++) sums[axis] += pulls[axis][warp + k];
    } else if (lane < 3) {
      const double2* all = (const double2*)&pulls[lane][warp];
#pragma unroll
      for (int k = 0; k < 16; k++) {
        double2 two = all[k];
        own = own + two.x + two.y;
      }
    }
    __syncwarp();
  }
  if (FOLDS)
    for (int axis = 0; axis < 3; axis++) sums[axis] = __shfl_sync(~0u, own, axis);
  if (lane == 0) b.vx[i] += sums[0] * STEP, b.vy[i] += sums[1] * STEP, b.vz[i] += sums[2] * STEP;
}

int main(int argc, char** argv) {
  int n = (argc > 1 ? atoi(argv[1]) : 4096) / BLOCK * BLOCK;
  size_t bytes = 7 * n * sizeof(double);
  double *device, *first = (double*)malloc(bytes), *found = (double*)malloc(bytes), *begin = (double*)malloc(bytes);
  for (int i = 0; i < 7 * n; i++) begin[i] = rand() / (double)RAND_MAX;
  cudaMalloc(&device, bytes);
  auto column = [&](int number) { return device + number * n; };
  Bodies bodies = {column(0), column(1), column(2), column(3), column(4), column(5), column(6)};
  auto least = [&](const char* name, auto launch) {
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    float best = 1e9f;
    for (int round = 0; round < 10; round++) {
      cudaMemcpy(device, begin, bytes, cudaMemcpyHostToDevice);
      cudaEventRecord(start);
      launch();
      cudaEventRecord(end);
      cudaEventSynchronize(end);
      float took;
      cudaEventElapsedTime(&took, start, end);
      if (took < best) best = took;
    }
    cudaMemcpy(found, device, bytes, cudaMemcpyDeviceToHost);
    printf("%-30s %.3f ms\n", name, best);
  };
  least("a thread for each body", [&] { thread_each<<<n / BLOCK, BLOCK>>>(bodies, n); });
  memcpy(first, found, bytes);
  least("a warp, all lanes add", [&] { warp_each<false><<<n * 32 / BLOCK, BLOCK>>>(bodies, n); });
  bool same = !memcmp(first, found, bytes);
  least("a warp, a lane for each sum", [&] { warp_each<true><<<n * 32 / BLOCK, BLOCK>>>(bodies, n); });
  same &= !memcmp(first, found, bytes);
  puts(same ? "the same bits" : "the results differ");
  return !same || cudaDeviceSynchronize() != cudaSuccess;
}
