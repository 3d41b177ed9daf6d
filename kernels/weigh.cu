// Weights by vertex: a segmented sum over the lists of a partition, or over one list (layout.cuh's Weighing).
//
// Work is spread over members, not rows: a warp takes a tile of consecutive members, 32 at a time, one a lane. Each lane finds the
// row of its member among the ends of the next 32 rows, which the warp holds, for no row is empty; lanes of one row add up by
// shuffles, and what is left of the last row is carried to the next 32. A row that begins and ends inside a tile is written by its
// lane. The first and the last row of each tile may have members elsewhere: a block adds those of its tiles up, in order, and then
// adds them to the weights, one atomic addition a row. So a hub costs as many additions as there are blocks' tiles in it, and short
// lists cost as much a member as long ones.
//
// Reads per member: 4 bytes of the list, 4 of the ends of its row at most, and what its conditions and factors read, each a random
// access of 32 bytes or two; writes 8 bytes a row. Ceiling: random reads.
#define BRANCHES
#include "extend.cuh"
#include "sums.cuh"

// NO_LINK is the choice of a candidate that comes from none of its step's links.
const u32 NO_LINK = SHARED - 1;

// memberWeight is what a member of a list weighs.
static __device__ __forceinline__ u64 memberWeight(const Program &p, const Step &s, u32 v) {
  if (v < s.low || (s.high && v >= s.high) || !passes(p, s, 0, v, NO_LINK)) return 0;
  return weigh(p, s, 0, v);
}

// Edge is what a tile has of a row that may go on outside.
struct Edge {
  u32 row;
  u64 sum;
};

// rowAt is the row that a member lies in.
static __device__ u32 rowAt(const u32 *offsets, u32 rows, u64 member) {
  u32 low = 0;
  for (u32 n = rows; n > 1;) {   // offsets[low] <= member
    u32 half = n >> 1;
    low += offsets[low + half] <= member ? half : 0;
    n -= half;
  }
  return low;
}

// weighTile is run by a warp: the members from begin to below end, of which there is one. It writes the rows between the first and
// the last.
static __device__ void weighTile(const Program &p, const Weighing &w, u64 begin, u64 end, Edge &firstEdge, Edge &lastEdge) {
  u32 lane = threadIdx.x & 31;
  const u32 *offsets = at<const u32>(w.offsets);
  u64 *weights = at<u64>(w.weights);
  u32 first = rowAt(offsets, w.rows, begin), open = first, next = first;   // open: the row that is carried; next: that of the next member
  u64 carried = 0, firstSum = 0;
  for (u64 e = begin; e < end; e += 32) {
    if (next != open) {   // the row that was open has ended
      if (open == first) firstSum = carried;
      else if (lane == 0) weights[open] = carried;
      open = next;
      carried = 0;
    }
    u32 last = u32(min(end - e, 32ull)) - 1;   // the last lane that has a member
    u64 mine = e + min(lane, last);
    u32 stop = offsets[min(u64(open) + 1 + lane, u64(w.rows))], before = 0;   // where row open + lane ends
    for (u32 half = 16; half; half >>= 1)   // how many of these rows end before mine
      if (__shfl_sync(~0u, stop, before + half - 1) <= mine) before += half;
    u32 row = open + before;
    u64 sum = lane <= last ? memberWeight(p, w.step, element(w.members, mine)) : 0;
    for (u32 d = 1; d < 32; d <<= 1) {
      u64 other = __shfl_up_sync(~0u, sum, d);
      u32 its = __shfl_up_sync(~0u, row, d);
      if (lane >= d && its == row) sum = plus(sum, other);
    }
    if (row == open) sum = plus(sum, carried);
    u32 after = __shfl_down_sync(~0u, row, 1);
    if (lane < 31 && after != row && row != first) weights[row] = sum;
    u32 ofFirst = __ballot_sync(~0u, row == first);   // lanes of the first row are the lowest
    u64 firstHere = __shfl_sync(~0u, sum, ofFirst ? 31 - __clz(ofFirst) : 0);
    if (ofFirst && ofFirst != ~0u) firstSum = firstHere;
    carried = __shfl_sync(~0u, sum, 31);
    u32 closing = __shfl_sync(~0u, stop, __shfl_sync(~0u, before, 31));
    open = __shfl_sync(~0u, row, 31);
    next = closing <= e + 32 ? open + 1 : open;
  }
  firstEdge = {first, open == first ? carried : firstSum};
  lastEdge = {open == first ? NONE : open, carried};
}

// weighSingles is for rows of one member each.
static __device__ void weighSingles(const Program &p, const Weighing &w) {
  for (u64 e = u64(blockIdx.x) * BLOCK + threadIdx.x; e < w.edges; e += u64(gridDim.x) * BLOCK)
    at<u64>(w.weights)[e] = memberWeight(p, w.step, element(w.members, e));
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) weigh_lists(u64 program, u64 weighing) {
  __shared__ Edge edges[2 * WARPS];
  Program &p = *at<Program>(program);
  const Weighing &w = *at<const Weighing>(weighing);
  u64 begun = now(), whole = u64(w.tile) * WARPS;
  u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (!w.offsets) {
    weighSingles(p, w);
  } else {
    for (u64 start = blockIdx.x * whole; start < w.edges; start += gridDim.x * whole) {
      u64 begin = start + u64(warp) * w.tile, end = min(begin + w.tile, u64(w.edges));
      Edge first = {NONE, 0}, last = {NONE, 0};
      if (begin < end) weighTile(p, w, begin, end, first, last);
      if (lane == 0) {
        edges[2 * warp] = first;
        edges[2 * warp + 1] = last;
      }
      __syncthreads();
      if (threadIdx.x == 0) {
        Edge open = edges[0];
        for (u32 i = 1; i < 2 * WARPS; i++) {
          Edge here = edges[i];
          if (here.row == NONE) continue;
          if (here.row == open.row) {
            open.sum = plus(open.sum, here.sum);
          } else {
            addTo(at<u64>(w.weights) + open.row, open.sum);
            open = here;
          }
        }
        addTo(at<u64>(w.weights) + open.row, open.sum);
      }
      __syncthreads();
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) p.state.kernelTime += now() - begun;
}
