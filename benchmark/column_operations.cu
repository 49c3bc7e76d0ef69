// What CUB does with a column of 64-bit numbers that is on the GPU, for benchmark/columns.rb and docs/benchmarks.md: the
// bandwidth of a copy, and a reduction, a scan, a selection and a sort, in milliseconds, the least of ten.
//
//   nvcc -O3 -arch=native -o column_operations column_operations.cu && ./column_operations 64000000
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>

struct IsLarge {
  __device__ bool operator()(double x) const { return x > 0.5; }
};

__global__ void numbers(double* x, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned long long h = i * 0x9e3779b97f4a7c15ull;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ull;
    x[i] = (double)(h >> 11) / 9007199254740992.0;
  }
}

template <class Work>
static void least(const char* name, size_t bytes, Work work) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float best = 1e9f;
  for (int round = 0; round < 10; round++) {
    cudaEventRecord(begin);
    work();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float took;
    cudaEventElapsedTime(&took, begin, end);
    if (took < best) best = took;
  }
  printf("%-12s %8.3f ms %8.0f GB/s\n", name, best, bytes / best / 1e6);
}

int main(int argc, char** argv) {
  size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 64000000;
  double *x, *y, *out;
  int* count;
  cudaMalloc(&x, n * 8);
  cudaMalloc(&y, n * 8);
  cudaMalloc(&out, 8);
  cudaMalloc(&count, 4);
  numbers<<<4096, 256>>>(x, n);
  void* room = nullptr;
  size_t most = 0, bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, x, out, n);
  most = bytes > most ? bytes : most;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, x, y, n);
  most = bytes > most ? bytes : most;
  cub::DeviceSelect::If(nullptr, bytes, x, y, count, n, IsLarge());
  most = bytes > most ? bytes : most;
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, x, y, n);
  most = bytes > most ? bytes : most;
  cudaMalloc(&room, most);
  least("copy", 16 * n, [&] { cudaMemcpyAsync(y, x, n * 8, cudaMemcpyDeviceToDevice); });
  least("reduce", 8 * n, [&] { bytes = most; cub::DeviceReduce::Sum(room, bytes, x, out, n); });
  least("scan", 16 * n, [&] { bytes = most; cub::DeviceScan::InclusiveSum(room, bytes, x, y, n); });
  least("select", 12 * n, [&] { bytes = most; cub::DeviceSelect::If(room, bytes, x, y, count, n, IsLarge()); });
  least("sort", 16 * n, [&] { bytes = most; cub::DeviceRadixSort::SortKeys(room, bytes, x, y, n); });
  double* host;
  cudaMallocHost(&host, n * 8);
  least("up", 8 * n, [&] { cudaMemcpyAsync(x, host, n * 8, cudaMemcpyHostToDevice); });
  least("down", 8 * n, [&] { cudaMemcpyAsync(host, x, n * 8, cudaMemcpyDeviceToHost); });
  return cudaDeviceSynchronize() != cudaSuccess;
}
