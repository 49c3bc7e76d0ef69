// The traffic simulation by hand, in C on one core: what Ikra's times are compared with, and where its results are
// checked. The scenario is that of examples/traffic/scenario.rb, number by number, with the C library's rand replaced
// by glibc's own recipe so that it is the same everywhere.
//
//   cc -O2 -ffp-contract=off traffic.c -o traffic && ./traffic [ticks] [good|bad] [cars] [pedestrians] [streets]
//
// -ffp-contract=off keeps a product and a sum two roundings, as in Ruby. Prints the checksum as examples/traffic.rb
// does, and the seconds of the ticks alone.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  double length, limit;
  int degree, *neighbors;
} Street;

typedef struct {
  int is_car, street;
  double progress, max_velocity;
} Actor;

static uint32_t state[31];
static int at;

static uint32_t step(void) {
  uint32_t value = state[at] += state[(at + 28) % 31];
  at = (at + 1) % 31;
  return value;
}

static void seed(uint32_t value) {
  uint32_t first[31];
  first[0] = value;
  for (int i = 1; i < 31; i++) first[i] = 16807ull * first[i - 1] % 2147483647u;
  // The recipe repeats the first three numbers at the end and lets go of the originals.
  for (int i = 0; i < 31; i++) state[i] = first[(i + 3) % 31];
  at = 0;
  for (int i = 0; i < 310; i++) step();
}

static int below(int range) { return (int)((step() >> 1) % (uint32_t)range); }

static void *allocate(int count, size_t size) {
  void *memory = calloc((size_t)count + 1, size);
  if (!memory) abort();
  return memory;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
  int ticks = argc > 1 ? atoi(argv[1]) : 1000;
  double weather = argc > 2 && strcmp(argv[2], "bad") == 0 ? 0.75 : 1.0;
  int cars = argc > 3 ? atoi(argv[3]) : 4096;
  int pedestrians = argc > 4 ? atoi(argv[4]) : 16384;
  int streets = argc > 5 ? atoi(argv[5]) : 500;
  int actors = pedestrians + cars;

  seed(42);
  Street *street = allocate(streets, sizeof *street);
  for (int i = 0; i < streets; i++) {
    street[i].length = below(25) + 1;
    street[i].limit = below(40) + 45;
  }
  for (int i = 0; i < streets; i++) street[i].degree = below(10) + 1;
  for (int i = 0; i < streets; i++) {
    street[i].neighbors = allocate(street[i].degree, sizeof(int));
    for (int k = 0; k < street[i].degree; k++) street[i].neighbors[k] = below(streets);
  }
  Actor *actor = allocate(actors, sizeof *actor);
  for (int i = 0; i < actors; i++) {
    actor[i].is_car = i >= pedestrians;
    actor[i].street = below(streets);
    actor[i].progress = below(10);
    actor[i].max_velocity = below(20) + 65;
  }
  seed(42);
  int *table = allocate(streets, sizeof *table);
  for (int i = 0; i < streets; i++) table[i] = below(streets);

  double start = now();
  for (int tick = 0; tick < ticks; tick++) {
    for (int i = 0; i < actors; i++) {
      Actor *a = &actor[i];
      const Street *on = &street[a->street];
      double speed;
      if (a->is_car)
        speed = (a->max_velocity < on->limit ? a->max_velocity : on->limit) * weather;
      else
        speed = table[(int64_t)(a->progress * a->progress) % streets] % 7 - 2;
      a->progress += speed / 60.0;
      if (a->progress >= on->length) {
        a->street = on->neighbors[table[a->street] % on->degree];
        a->progress = 0.0;
      }
    }
  }
  double seconds = now() - start;

  double sum = 0.0;
  long long hash = 0;
  for (int i = 0; i < actors; i++) {
    sum += actor[i].progress;
    hash += (long long)actor[i].street * (i % 97 + 1);
  }
  printf("sum_progress %.6f\nstreet_hash %lld\nseconds %.6f\n", sum, hash, seconds);
}
