
// Rows of columns that a driver moves (see rows.rs): a thread for each row, or for each chunk of 64 flags. What a launch of
// the section would have stands for other things then.
struct Move {
  i64 from, into;  // addresses, or the number to fill with
  int what;
  int* rows;       // which rows are moved, if not so many from the first on; or counts of flags
  int count;
};

static __device__ __forceinline__ int bits_of(unsigned char flag) { return flag & 1; }
static __device__ __forceinline__ int bits_of(int number) { return number; }
static __device__ __forceinline__ i64 bits_of(i64 word) { return word; }
static __device__ __forceinline__ void put(unsigned char& to, i64 bits) { to = (unsigned char)(bits & 1); }
static __device__ __forceinline__ void put(int& to, i64 bits) { to = (int)bits; }
static __device__ __forceinline__ void put(i64& to, i64 bits) { to = bits; }

template <class From, class To>
static __device__ __forceinline__ void move_row(const Move& m, int at) {
  put(((To*)m.into)[at], bits_of(((const From*)m.from)[m.rows ? m.rows[at] : at]));
}

static __device__ __forceinline__ int flags_of(const unsigned char* flags, int count, int chunk) {
  int first = chunk * 64, sum = 0;
  if (count - first >= 64) {
    const u64* words = (const u64*)(flags + first);
    const u64 ones = 0x0101010101010101ull;
    for (int i = 0; i < 8; i++) sum += (int)(((words[i] & ones) * ones) >> 56);
  } else {
    for (int i = first; i < count; i++) sum += flags[i] & 1;
  }
  return sum;
}

// Sums of the 64 before make an exclusive scan, level by level, until there is one.
static __device__ __forceinline__ int scanned(int* counts, int count, int group) {
  int sum = 0;
  for (int i = group * 64; i < count && i < (group + 1) * 64; i++) {
    int own = counts[i];
    counts[i] = sum;
    sum += own;
  }
  return sum;
}

static __device__ __forceinline__ void true_rows(const Move& m, int chunk, int chunks) {
  const unsigned char* flags = (const unsigned char*)m.from;
  int* rows = (int*)m.into;
  int at = 0;
  const int* level = m.rows;
  for (int n = chunks, i = chunk; n > 1; n = (n + 63) / 64, i /= 64) {
    at += level[i];
    level += n;
  }
  for (int i = chunk * 64; i < m.count && i < (chunk + 1) * 64; i++)
    if (flags[i] & 1) rows[at++] = i;
}

static __device__ void move(const Move& m) {
  int at = (int)(blockIdx.x * blockDim.x + threadIdx.x), chunks = (m.count - 1) / 64 + 1;
  int threads = m.what < 20 ? m.count : chunks;
  if (at >= threads) return;
  switch (m.what) {
    case 1: move_row<unsigned char, unsigned char>(m, at); break;
    case 2: move_row<int, int>(m, at); break;
    case 3: move_row<i64, i64>(m, at); break;
    case 4: move_row<unsigned char, i64>(m, at); break;
    case 5: move_row<int, i64>(m, at); break;
    case 6: move_row<i64, unsigned char>(m, at); break;
    case 7: move_row<i64, int>(m, at); break;
    case 8: ((int*)m.into)[at] = (int)m.from; break;
    case 20: ((int*)m.into)[at] = flags_of((const unsigned char*)m.from, m.count, at); break;
    case 21: ((int*)m.into)[at] = scanned((int*)m.from, m.count, at); break;
    case 22: true_rows(m, at, chunks); break;
  }
}
