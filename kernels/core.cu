// A Core is made once for a label: its lists by row numbers, and of each list the members that have more neighbours than its row, which are few
// however long the longest list is (43 at most, of 1,913, in a graph of a million edges). Three launches: lists and counts, the sums of these by
// chunks of BLOCK rows, and the upper lists.
//
// A warp owns a row, 32 members at a time; a hub is one warp's, as this is done once (1,913 members: 60 rounds). Reads: each list twice, and
// of each member its row (LAYER_RANGE: nothing) and two offsets, random; writes 6 bytes a member and 4 a row.
#include "core.cuh"

// addPieces adds a heavy row's pieces. One thread.
static __device__ void addPieces(const Core &c, u32 row, u32 n, u64 pieces, u32 *count, u32 *longest) {
  if (n > *(volatile u32 *)longest) atomicMax(longest, n);
  if (n <= c.light) return;
  u32 parts = min(n / c.split, 8u);
  parts = max(parts * parts, 1u);
  u32 first = atomicAdd(count, parts);
  for (u32 i = 0; i < parts; i++) at<u64>(pieces)[first + i] = u64(row) | u64(i) << 32 | u64(parts) << 48;
}

// core_count writes the lists by rows, how many of each lead up, and the sums of these by chunks of BLOCK rows. A warp for each row.
extern "C" __global__ void __launch_bounds__(BLOCK) core_count(u64 core) {
  __shared__ u32 sum;
  Core &c = *at<Core>(core);
  const Partition &p = *at<const Partition>(c.partition);
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (u64 chunk = blockIdx.x; chunk * BLOCK < c.rows; chunk += gridDim.x) {
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (u32 r = warp; r < BLOCK; r += WARPS) {
      u64 row = chunk * BLOCK + r;
      if (row >= c.rows) break;
      u32 first = word(p.offsets, row), n = word(p.offsets, row + 1) - first, up = 0;
      for (u32 i = lane; i - lane < n; i += 32) {
        bool is = false;
        if (i < n) {
          u32 to = rowOf(p, word(p.neighbours, u64(first) + i));
          if (to == NONE) to = u32(row);   // there is none: the label is undirected
          at<u32>(c.lists)[u64(first) + i] = to;
          is = leadsUp(p, u32(row), n, to);
        }
        up += __popc(__ballot_sync(~0u, is));
      }
      if (lane == 0) {
        at<u32>(c.starts)[row] = up;
        atomicAdd(&sum, up);
        addPieces(c, u32(row), n, c.pieces, &c.pieceCount, &c.longest);
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) at<u32>(c.sums)[chunk] = sum;
    __syncthreads();
  }
}

// core_scan makes the sums those of the chunks before each. One block.
extern "C" __global__ void __launch_bounds__(BLOCK) core_scan(u64 core) {
  Core &c = *at<Core>(core);
  u32 *sums = at<u32>(c.sums), chunks = (c.rows + BLOCK - 1) / BLOCK, before = 0;
  for (u32 first = 0; first < chunks; first += BLOCK) {
    u32 i = first + threadIdx.x, all, mine = i < chunks ? sums[i] : 0;
    u32 sum = before + blockScan(mine, all);
    if (i < chunks) sums[i] = sum;
    before += all;
  }
}

// core_fill writes the upper lists.
extern "C" __global__ void __launch_bounds__(BLOCK) core_fill(u64 core) {
  __shared__ u32 begins[BLOCK];
  Core &c = *at<Core>(core);
  const Partition &p = *at<const Partition>(c.partition);
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (u64 chunk = blockIdx.x; chunk * BLOCK < c.rows; chunk += gridDim.x) {
    u64 mine = chunk * BLOCK + threadIdx.x;
    u32 all, up = mine < c.rows ? at<u32>(c.starts)[mine] : 0;
    u32 begin = at<u32>(c.sums)[chunk] + blockScan(up, all);
    begins[threadIdx.x] = begin;
    if (mine < c.rows) {
      at<u32>(c.starts)[mine] = begin;
      if (mine == c.rows - 1) at<u32>(c.starts)[c.rows] = begin + up;
      addPieces(c, u32(mine), up, c.upperPieces, &c.upperPieceCount, &c.upperLongest);
    }
    __syncthreads();
    for (u32 r = warp; r < BLOCK; r += WARPS) {
      u64 row = chunk * BLOCK + r;
      if (row >= c.rows) break;
      u32 first = word(p.offsets, row), n = word(p.offsets, row + 1) - first, to = begins[r];
      for (u32 i = lane; i - lane < n; i += 32) {
        u32 other = i < n ? at<u32>(c.lists)[u64(first) + i] : 0;
        bool is = i < n && leadsUp(p, u32(row), n, other);
        u32 votes = __ballot_sync(~0u, is);
        if (is) at<u32>(c.upper)[to + __popc(votes & ((1u << lane) - 1))] = other;
        to += __popc(votes);
      }
    }
    __syncthreads();
  }
}
