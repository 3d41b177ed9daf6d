// Top: of many rows those that can be among the first so many by the order of one column's IDs, or of numbers that were computed of them.
//
// top_words gives rows words in place of IDs, for their numbers of 128 bits (sift.cu): a thread a row. Greater numbers have no smaller words. Reads 16 bytes a row and
// writes 4, in order; the ceiling is memory.
//
// top_count counts the rows by bins of consecutive IDs, and those whose ID lies in no bin: a thread a row, a block a part of the rows, which it counts in shared
// memory first. Reads 4 bytes a row, in order; the ceiling is shared atomics, one a row. Rows of one ID meet at one counter, 32 a warp.
//
// top_select copies the rows whose ID lies between two others, in no order: a block takes TOP_TILE consecutive rows and adds to the number of rows copied once.
// Reads 4 bytes a row, in order, and 4 bytes a column and row that it copies.
#include <cub/block/block_scan.cuh>
#include "partition.cuh"

typedef cub::BlockScan<u32, BLOCK> CountScan;

// wordOf is the word of a number, given twice it: how many bits more than TOP_WORD_BITS it has, and so many of its first bits, up or down from KEY_ORDERED.
static __device__ __forceinline__ u32 wordOf(u64 twice, u64 twiceHigh) {
  u64 low = twiceHigh << 63 | twice >> 1, high = u64((long long)(twiceHigh) >> 1);
  bool negative = (long long)(high) < 0;
  if (negative) low = -low, high = ~high + !low;
  u32 bits = high ? 128 - __clzll(high) : 64 - __clzll(low), more = bits > TOP_WORD_BITS ? bits - TOP_WORD_BITS : 0;
  u64 first = more >= 64 ? high >> (more - 64) : more ? high << (64 - more) | low >> more : low;
  u32 word = (more << (TOP_WORD_BITS - 1)) + u32(first);
  return negative ? KEY_ORDERED - word : KEY_ORDERED + word;
}

extern "C" __global__ void __launch_bounds__(BLOCK) top_words(u64 results, u64 words, u64 rows) {
  const ulonglong2 *twice = at<const ulonglong2>(results);
  for (u64 row = u64(blockIdx.x) * BLOCK + threadIdx.x; row < rows; row += u64(gridDim.x) * BLOCK) {
    ulonglong2 n = twice[row];
    at<u32>(words)[row] = wordOf(n.x, n.y);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) top_count(u64 top) {
  __shared__ u32 bins[TOP_BINS];
  Top &t = *at<Top>(top);
  const u32 *column = at<const u32>(t.column);
  u32 first = t.first, count = t.count, shift = t.shift, odd = 0;
  u64 rows = t.rows;
  for (u32 i = threadIdx.x; i < TOP_BINS; i += BLOCK) bins[i] = 0;
  __syncthreads();
  for (u64 row = u64(blockIdx.x) * BLOCK + threadIdx.x; row < rows; row += u64(gridDim.x) * BLOCK) {
    u32 place = column[row] - first;
    if (place < count) atomicAdd(&bins[place >> shift], 1u);
    else odd++;
  }
  if (odd) atomicAdd(&t.odd, u64(odd));
  __syncthreads();
  for (u32 i = threadIdx.x; i < TOP_BINS; i += BLOCK)
    if (bins[i]) atomicAdd(at<u64>(t.counts) + i, u64(bins[i]));
}

extern "C" __global__ void __launch_bounds__(BLOCK) top_select(u64 top) {
  const u32 each = TOP_TILE / BLOCK;
  __shared__ CountScan::TempStorage scan;
  __shared__ u64 base;
  Top &t = *at<Top>(top);
  const u32 *column = at<const u32>(t.column);
  u32 low = t.low, span = t.high - t.low;
  u64 rows = t.rows;
  for (u64 begin = u64(blockIdx.x) * TOP_TILE; begin < rows; begin += u64(gridDim.x) * TOP_TILE) {
    u32 mine = 0, before, all;
    bool kept[each];
    for (u32 k = 0; k < each; k++) {
      u64 row = begin + k * BLOCK + threadIdx.x;
      kept[k] = row < rows && column[row] - low <= span;
      mine += kept[k];
    }
    __syncthreads();
    CountScan(scan).ExclusiveSum(mine, before, all);
    if (threadIdx.x == 0) base = all ? atomicAdd(&t.selected, u64(all)) : 0;
    __syncthreads();
    u64 to = base + before;
    for (u32 k = 0; k < each; k++) {
      if (!kept[k]) continue;
      for (u32 c = 0; c < t.width; c++) at<u32>(t.to[c])[to] = at<const u32>(t.from[c])[begin + k * BLOCK + threadIdx.x];
      to++;
    }
  }
}
