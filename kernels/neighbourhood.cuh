// The neighbourhood of a root whose work is a block's: its bitmaps, and the units that the first two levels may be bound to (dense.cu, far.cu).
#pragma once
#include "dense.cuh"

const u32 BLOOM = 2048;   // words of a heavy root's filter
// PARTS: a part of a unit is expected to be Dense.work / PARTS at most.
const u32 PARTS = 64;
// DEEP_RESIDENT is how many blocks share a multiprocessor that count with more than three levels; registers are bounded for it.
#ifndef DEEP_RESIDENT
#define DEEP_RESIDENT 4
#endif

static __device__ __forceinline__ u32 hashRow(u32 row) { return row * 0x9E3779B1u; }

struct Roots {
  const u32 *list;   // of the root
  u32 n;
};

static __device__ __forceinline__ Roots rootOf(const Core &c, const Dense &d, const Partition &p, u32 row) {
  const u32 *starts = d.upward ? at<const u32>(c.starts) : at<const u32>(p.offsets);
#ifdef AWAY
  u32 first = __ldg(starts + row), end = __ldg(d.upward ? endsOf(c) + row : starts + row + 1);
  return {d.upward ? upperOf(c).at(first) : listsOf(c).at(first), end - first};
#else
  u32 first = __ldg(starts + row), end = __ldg(starts + row + 1);
  return {at<const u32>(d.upward ? c.upper : c.lists) + first, end - first};
#endif
}

// keep copies the list of a root in a core that is away to the end of the block's scratch: it is searched again and again. A block.
static __device__ __forceinline__ void keep(Roots &r, u64 *end) {
#ifdef AWAY
  u32 *copy = reinterpret_cast<u32 *>(end - (r.n + 1) / 2);
  for (u32 i = threadIdx.x; i < r.n; i += BLOCK) copy[i] = __ldg(r.list + i);
  __syncthreads();
  r.list = copy;
#endif
}

// member is the i-th of a root that was kept.
static __device__ __forceinline__ u32 member(const Roots &r, u32 i) {
#ifdef AWAY
  return r.list[i];   // written by this launch
#else
  return __ldg(r.list + i);
#endif
}

// placeOf is the number of a kept root's members that are below a row.
static __device__ __forceinline__ u32 placeOf(const Roots &r, u32 row) {
#ifdef AWAY
  u32 low = 0;
  for (u32 n = r.n; n > 0;) {
    u32 half = n >> 1;
    bool right = r.list[low + half] < row;
    low = right ? low + half + 1 : low;
    n = right ? n - half - 1 : half;
  }
  return low;
#else
  return lowerBound(r.list, r.n, row);
#endif
}

// takeFar finds what a block does next with a far vertex: what it began in the launch before, or another piece, or a root that is in none. One thread.
template <class Shared> static __device__ void takeFar(const Core &c, Dense &d, const Dense &own, const Partition &p, u64 pieces, u64 *left, Shared &s) {
  s.piece = left[0];
  s.next = u32(left[1]);
  s.kept = s.piece ? u32(left[1] >> 32) : NONE;
  s.first = u32(left[2]);
  if (s.piece) {
    left[0] = 0;
    return;
  }
  s.next = s.first = 0;
  u64 mine = atomicAdd(&d.nextPiece, 1ull);
  if (mine < pieces * own.cut) {
    u64 piece = at<const u64>(own.upward ? c.upperPieces : c.pieces)[mine / own.cut];
    u64 part = (piece >> 32 & 0xFFFF) * own.cut + mine % own.cut, parts = (piece >> 48) * own.cut;
    s.piece = u32(piece) | part << 32 | parts << 48;
    return;
  }
  while (true) {
    u64 row = atomicAdd(&d.nextRow, 1ull);
    if (row >= c.rows) return;
    u32 n = rootOf(c, own, p, u32(row)).n;
    if (n < own.smallest || n > c.light) continue;
    s.piece = row | 1ull << 48;
    return;
  }
}

// build makes the bitmaps of a heavy root that was kept. A block.
static __device__ void build(const Core &c, const Dense &d, const Partition &p, u32 root, const Roots &r, u64 *rows, u32 words, u32 *bloom) {
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, n = degreeOf(p, root);
  const u32 *starts = at<const u32>(c.starts), *ends = endsOf(c);
  const Entries upper = upperOf(c);
  for (u64 i = threadIdx.x; i < u64(r.n + 1) * words; i += BLOCK) rows[i] = 0;
  for (u32 i = threadIdx.x; i < BLOOM; i += BLOCK) bloom[i] = 0;
  __syncthreads();
  for (u32 i = threadIdx.x; i < r.n; i += BLOCK) {
    u32 x = member(r, i), h = hashRow(x);
    atomicOr(&bloom[h >> 21], 1u << (h >> 16 & 31));
    if (!d.upward && leadsUp(p, root, n, x)) atomicOr(rows + u64(r.n) * words + (i >> 6), 1ull << (i & 63));
  }
  __syncthreads();
  for (u32 i = warp; i < r.n; i += WARPS) {
    u32 other = member(r, i), end = __ldg(ends + other);
    for (u32 k = __ldg(starts + other) + lane; k < end; k += 32) {
      u32 x = upper[k], h = hashRow(x);
      if (!(bloom[h >> 21] >> (h >> 16 & 31) & 1)) continue;
      u32 j = placeOf(r, x);
      if (j == r.n || member(r, j) != x) continue;
      atomicOr(rows + u64(i) * words + (j >> 6), 1ull << (j & 63));
      atomicOr(rows + u64(j) * words + (i >> 6), 1ull << (i & 63));
    }
  }
  __syncthreads();
}

// findUnits fills the prefix and guesses all of the work. A block.
template <int M, class V> static __device__ void findUnits(const Dense &d, const V &v, u32 *prefix, float &all) {
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, before = 0;
  if (threadIdx.x == 0) all = 0;
  for (u32 i = warp; i < v.firsts(); i += WARPS) {
    V mine = v;
    mine.lane = lane;
    u32 n = sum<32>(unitsOf<32, M>(d, mine, i), ~0u);
    if (lane == 0) prefix[i] = n;
  }
  __syncthreads();
  for (u32 first = 0; first < v.firsts(); first += BLOCK) {
    u32 i = first + threadIdx.x, sum, mine = i < v.firsts() ? prefix[i] : 0;
    u32 here = before + blockScan(mine, sum);
    if (i < v.firsts()) prefix[i] = here;
    before += sum;
  }
  if (threadIdx.x == 0) prefix[v.firsts()] = before;
  __syncthreads();
  float work = 0, average = float(before) / v.firsts();
  for (u32 i = threadIdx.x; i < v.firsts(); i += BLOCK) work += workOf<M>(prefix[i + 1] - prefix[i], average);
  atomicAdd(&all, work);
  __syncthreads();
}

// eachUnit calls f with the parts of units from next on, of which there are all, until time is up: at least one each, with G lanes together.
template <int G, typename F> static __device__ __forceinline__ void eachUnit(u32 all, u64 deadline, u32 *next, F f) {
  const u32 AT_ONCE = 32 / G;
  u32 lane = threadIdx.x & 31;
  for (bool again = false;; again = true) {
    u32 unit = NONE;
    if (lane == 0 && !(again && now() > deadline)) unit = atomicAdd(next, AT_ONCE);
    unit = __shfl_sync(~0u, unit, 0);
    if (unit >= all) break;
    unit += G == 1 ? lane : 0;
    if (unit < all) f(unit);
    __syncwarp();
  }
}

// enumerate counts some of a heavy root's units, G lanes a part of one, of which there are all from unit begin on and next is the first not taken, until time is
// up.
template <int G, int C, int M, class V> static __device__ __forceinline__ void enumerate(const Dense &d, V v, const u32 *prefix, u32 begin, u32 all, u32 shift, u64 deadline, u32 *next, Count &count) {
  v.lane = G == 1 ? 0 : threadIdx.x & 31;
  v.parts = 1u << shift;
  eachUnit<G>(all, deadline, next, [&](u32 unit) {
    v.part = unit & (v.parts - 1);
    visit<G, C, M>(d, v, prefix, begin + (unit >> shift), count);
  });
}

// readDense copies what is counted to shared memory. A block.
static __device__ __forceinline__ void readDense(const Dense &d, Dense &own) {
  for (u32 i = threadIdx.x; i < sizeof(Dense) / 4; i += BLOCK)
    reinterpret_cast<u32 *>(&own)[i] = reinterpret_cast<const volatile u32 *>(&d)[i];
  __syncthreads();
}

// finishLaunch adds a thread's count to that of the program, and the last block says whether all is done: so many pieces, and rows. All blocks.
static __device__ void finishLaunch(Program &p, Dense &d, const Dense &own, u64 pieces, u64 rows, u64 begun, const Count &count) {
  __shared__ bool last;
  u64 low = count.n & 0xFFFFFFFF, high = count.n >> 32;
  for (u32 k = 16; k; k >>= 1) {
    low += __shfl_xor_sync(~0u, low, k);
    high += __shfl_xor_sync(~0u, high, k);
  }
  if ((threadIdx.x & 31) == 0 && (low | high)) {
    atomicAdd(&p.state.count, low);
    atomicAdd(&p.state.countHigh, high);
  }
  if (count.over) p.state.overflowed = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&p.state.exits, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  if (threadIdx.x == 0) {
    __threadfence();
    u64 all = pieces + own.ready, next = *(volatile u64 *)&d.nextPiece, deferred = min(*(volatile u64 *)&d.deferred, own.deferredRoom);
    bool done = next >= all && deferred == own.ready && *(volatile u64 *)&d.nextRow >= rows && !*(volatile u64 *)&d.pending;
    d.nextPiece = min(next, all);
    d.ready = d.deferred = deferred;
    d.pending = 0;
    p.state.status = done ? DONE : SLICED;
    p.state.exits = 0;
    p.state.kernelTime += now() - begun;
    __threadfence();
  }
  __syncthreads();
  if (p.mailbox && threadIdx.x < sizeof(State) / 4)
    at<u32>(p.mailbox)[threadIdx.x] = reinterpret_cast<const volatile u32 *>(&p.state)[threadIdx.x];
  __threadfence_system();
}
