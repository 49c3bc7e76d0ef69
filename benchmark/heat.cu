// The two kernels of a step of heat (benchmark/sections/programs.rb) as a person would write them: microseconds a step,
// launched one by one and as a graph of 50 steps.
//
//   nvcc -O3 -arch=native -fmad=false -o heat heat.cu && ./heat 100000
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void look(const int* left, const int* right, const double* heat, double* flow, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flow[i] = 0.25 * heat[left[i]] - 0.5 * heat[i] + 0.25 * heat[right[i]];
}
__global__ void take(double* heat, const double* flow, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) heat[i] += flow[i];
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000, blocks = (n + 127) / 128;
  std::vector<int> l(n), r(n);
  for (int i = 0; i < n; i++) { l[i] = (i + n - 1) % n; r[i] = (i + 1) % n; }
  int *left, *right;
  double *heat, *flow;
  cudaMalloc(&left, n * 4); cudaMalloc(&right, n * 4); cudaMalloc(&heat, n * 8); cudaMalloc(&flow, n * 8);
  cudaMemcpy(left, l.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(right, r.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemset(heat, 0, n * 8);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  auto step = [&] {
    look<<<blocks, 128, 0, stream>>>(left, right, heat, flow, n);
    take<<<blocks, 128, 0, stream>>>(heat, flow, n);
  };
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  for (int i = 0; i < 50; i++) step();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int form = 0; form < 2; form++) {
    float best = 1e9f;
    for (int round = 0; round < 10; round++) {
      cudaEventRecord(begin, stream);
      if (form) for (int i = 0; i < 20; i++) cudaGraphLaunch(executable, stream);
      else for (int i = 0; i < 1000; i++) step();
      cudaEventRecord(end, stream);
      cudaEventSynchronize(end);
      float took;
      cudaEventElapsedTime(&took, begin, end);
      if (took < best) best = took;
    }
    printf("%s %.2f us a step\n", form ? "graph" : "launches", best);
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
