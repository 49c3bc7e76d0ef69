// The traffic simulation by hand, in CUDA: what the kernels that Ikra generates are measured against. Every actor has
// its columns (no structs), one thread moves it through all ticks with its state in registers, and numbers are as
// narrow as someone who knows the program would make them.
//
//   nvcc -O3 -arch=native -fmad=false traffic.cu -o traffic && ./traffic [ticks] [sorted|shuffled]
//
// -fmad=false keeps a product and a sum two roundings, as in Ruby. The scenario is that of traffic.c; `shuffled` mixes
// cars and pedestrians, so that warps diverge. Prints the checksum after the first run, then the kernel seconds of the
// first run and of a second one, which goes on from there.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                                                  \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      fprintf(stderr, "%s, line %d\n", cudaGetErrorString(error), __LINE__);         \
      exit(1);                                                                       \
    }                                                                                \
  } while (0)

// glibc's random numbers, as in traffic.c.
struct Random {
  uint32_t state[31];
  int at = 0;

  explicit Random(uint32_t seed) {
    uint32_t first[31] = {seed};
    for (int i = 1; i < 31; i++) first[i] = 16807ull * first[i - 1] % 2147483647u;
    for (int i = 0; i < 31; i++) state[i] = first[(i + 3) % 31];
    for (int i = 0; i < 310; i++) step();
  }
  uint32_t step() {
    uint32_t value = state[at] += state[(at + 28) % 31];
    at = (at + 1) % 31;
    return value;
  }
  int below(int range) { return static_cast<int>((step() >> 1) % range); }
};

struct Network {
  const double *length, *limit;
  const int *offset, *degree, *neighbors, *table;
  int streets;
};

struct Actors {
  double *progress;
  int *street;
  const double *max_velocity;
  const int *is_car;
  int count;
};

__global__ void move(Actors actors, Network network, int ticks, double weather) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= actors.count) return;
  double progress = actors.progress[i], max_velocity = actors.max_velocity[i];
  int street = actors.street[i];
  bool is_car = actors.is_car[i];
  for (int tick = 0; tick < ticks; tick++) {
    double speed;
    if (is_car) {
      double limit = network.limit[street];
      speed = (max_velocity < limit ? max_velocity : limit) * weather;
    } else {
      speed = network.table[static_cast<long long>(progress * progress) % network.streets] % 7 - 2;
    }
    progress += speed / 60.0;
    if (progress >= network.length[street]) {
      street = network.neighbors[network.offset[street] + network.table[street] % network.degree[street]];
      progress = 0.0;
    }
  }
  actors.progress[i] = progress;
  actors.street[i] = street;
}

template <class T> T *upload(const std::vector<T> &values) {
  T *device;
  CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <class T> std::vector<T> download(const T *device, size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

int main(int argc, char **argv) {
  int ticks = argc > 1 ? atoi(argv[1]) : 100000;
  bool shuffled = argc > 2 && strcmp(argv[2], "shuffled") == 0;
  const int cars = 4096, pedestrians = 16384, streets = 500, count = pedestrians + cars;

  Random random(42);
  std::vector<double> length(streets), limit(streets);
  std::vector<int> offset(streets), degree(streets), neighbors, table(streets);
  for (int i = 0; i < streets; i++) {
    length[i] = random.below(25) + 1;
    limit[i] = random.below(40) + 45;
  }
  int connections = 0;
  for (int i = 0; i < streets; i++) {
    offset[i] = connections;
    connections += degree[i] = random.below(10) + 1;
  }
  for (int i = 0; i < connections; i++) neighbors.push_back(random.below(streets));

  // order[i] is where actor i stands among the threads.
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (shuffled) std::shuffle(order.begin(), order.end(), std::mt19937(1));
  std::vector<double> progress(count), max_velocity(count);
  std::vector<int> street(count), is_car(count);
  for (int i = 0; i < count; i++) {
    int k = order[i];
    street[k] = random.below(streets);
    progress[k] = random.below(10);
    max_velocity[k] = random.below(20) + 65;
    is_car[k] = i >= pedestrians;
  }
  Random again(42);
  for (int i = 0; i < streets; i++) table[i] = again.below(streets);

  Network network{upload(length), upload(limit), upload(offset), upload(degree), upload(neighbors), upload(table), streets};
  Actors actors{upload(progress), upload(street), upload(max_velocity), upload(is_car), count};
  const int block = 128, grid = (count + block - 1) / block;
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  auto run = [&](int ticks) {
    float milliseconds;
    CHECK(cudaEventRecord(start));
    move<<<grid, block>>>(actors, network, ticks, 1.0);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return milliseconds / 1e3;
  };

  run(0);  // loads the kernel
  double first = run(ticks);
  auto final_progress = download(actors.progress, count);
  auto final_street = download(actors.street, count);
  double second = run(ticks);

  double sum = 0.0;
  long long hash = 0;
  for (int i = 0; i < count; i++) {
    sum += final_progress[order[i]];
    hash += static_cast<long long>(final_street[order[i]]) * (i % 97 + 1);
  }
  printf("sum_progress %.6f\nstreet_hash %lld\nfirst %.9f\nsecond %.9f\n", sum, hash, first, second);
}
