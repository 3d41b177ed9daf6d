// Dense patterns: counts in the neighbourhoods of roots (layout.cuh's Core and Dense).
//
// count_dense makes the edges between a root's neighbours bitmaps, a bit for each pair: for every neighbour its upper list is looked through for
// other neighbours of the root, so each edge between them is found once, from its lower end. The rest is ANDs of words and popcounts.
//
// What the first two levels may be bound to are numbered units, so that none is larger than what hangs on one edge; with more than three levels those
// of which much is expected are cut into up to 32 parts, every so-many-th member of the third. Light roots, with up to 64
// neighbours, are a warp's, and a lane's are their units: a bitmap is one word. Members are looked up in a Bloom filter of 1,024 bits, a word of
// which each lane holds, and what passes is compared with all neighbours at once. Heavy ones are a block's, which takes them first: up to 256
// neighbours have their bitmaps in shared memory, and a lane a unit; more in global memory, where the caches hold them, and a warp a unit, a word
// a lane, or a triple where that is enough (triple.cuh). Long ones are several pieces, each of which makes the bitmaps anew and has some of the units. What turns out to be much work, of a
// light root or of a piece, is left to the next launch as smaller pieces.
//
// Lost: a unit for each first neighbour, 4 lanes a unit where bitmaps have up to 4 words, light roots whole: cliques of 7 in wiki-Vote took 75 ms
// instead of 7.6, wheels in graph A 4.8 instead of 3.3 (but fans 1.6 instead of 2.3).
//
// Reads: for every edge from a root to a neighbour that one's upper list, 4 bytes a member, in order; writes nothing but counts, and for heavy roots
// bitmaps of n²/8 bytes. What is left of a slice of time is left to the next launch, between two roots.
#include "triple.cuh"

// LIGHT is the most neighbours of a light root, whatever the core calls so.
const u32 LIGHT = 64;
// TRIPLE_PARTS: a root of up to MIDDLE neighbours is counted by triples where a unit is expected to bind the last level Dense.work / TRIPLE_PARTS times.
const u32 TRIPLE_PARTS = 16;
// Triples are found again for each part of a unit, and bitmaps for each part of a root, so these are cut less: each is expected to bind the last level Dense.work / TRIPLE_CUT
// times, and Dense.work * TRIPLE_SHARE times. Cut eight and four times as finely, five levels took 576 and 378 ms instead of 62 and 144 (q18, q20 in wiki-Vote), but four 121 and 120 instead of 220 and 151.
template <int M> constexpr u32 TRIPLE_CUT = M > 4 ? 1 : 8;
template <int M> constexpr u32 TRIPLE_SHARE = M > 4 ? 64 : 16;
// ROOTS is the most rows that a warp takes at a time.
const u32 ROOTS = 16;

struct LightShared {
  u64 rows[LIGHT], upper;
  u32 prefix[LIGHT + 1], bloom[32];
};

// WarpShared is a warp's: first what it counts triples in, and then light roots.
union WarpShared {
  LightShared light;
  TripleShared triple;
};

struct HeavyShared {
  u32 bloom[BLOOM], prefix[MIDDLE + 1];
  u64 rows[(MIDDLE + 1) * MIDDLE / 64];
  u64 piece;
  u32 next, kept;          // the part of a unit that is taken next; how finely units are cut of a piece that was begun before, else NONE
  float work;
  bool fresh;
};

// pair notes an edge between the i-th neighbour and one that the filter let pass, if it is a neighbour.
static __device__ __forceinline__ bool pair(LightShared &s, u32 i, u32 x, u32 low, u32 high) {
  u64 is = __ballot_sync(~0u, low == x) | u64(__ballot_sync(~0u, high == x)) << 32;
  if (!is) return false;
  if ((threadIdx.x & 31) == 0) {
    s.rows[i] |= is;
    s.rows[__ffsll(is) - 1] |= 1ull << i;
  }
  return true;
}

// enumerateLight counts what has a light root, whose bitmaps are made. A warp.
template <int C, int M> static __device__ __forceinline__ void enumerateLight(Dense &d, const Dense &own, u32 root, u32 n, LightShared &s, Count &count) {
  u32 lane = threadIdx.x & 31;
  View v = {s.rows, &s.upper, n, 1, 0, 0, 0, 1};
  u32 low = lane < n && s.rows[lane] ? unitsOf<1, M>(own, v, lane) : 0;
  u32 high = lane + 32 < n && s.rows[lane + 32] ? unitsOf<1, M>(own, v, lane + 32) : 0;
  u32 lowEnd = low, highEnd = high;
#pragma unroll
  for (u32 k = 1; k < 32; k <<= 1) {
    u32 a = __shfl_up_sync(~0u, lowEnd, k), b = __shfl_up_sync(~0u, highEnd, k);
    lowEnd += lane >= k ? a : 0;
    highEnd += lane >= k ? b : 0;
  }
  u32 half = __shfl_sync(~0u, lowEnd, 31), all = half + __shfl_sync(~0u, highEnd, 31);
  if (!all) return;
  u32 shift = 0;
  if (M > 2) {
    float average = float(all) / n, work = workOf<M>(low, average) + workOf<M>(high, average);
#pragma unroll
    for (u32 k = 16; k; k >>= 1) work += __shfl_xor_sync(~0u, work, k);
    if (work > own.work) {
      bool done = lane == 0 && defer(d, own, root, 0, 1, work / (4 * own.work));
      if (__shfl_sync(~0u, done, 0)) return;
    }
    shift = shiftOf<M>(work, all, own.work / float(PARTS));
  }
  s.prefix[lane] = lowEnd - low;
  s.prefix[lane + 32] = half + highEnd - high;
  __syncwarp();
  v.parts = 1u << shift;
  v.part = lane & (v.parts - 1);
  for (u32 unit = lane; unit < all << shift; unit += 32) visit<1, C, M>(own, v, s.prefix, unit >> shift, count);
}

// light counts what has one root, of LIGHT neighbours at most. A warp.
template <int C, int M> static __device__ __forceinline__ void light(const Core &c, Dense &all, const Dense &d, const Partition &p, u32 root, const Roots &r, LightShared &s, Count &count) {
  u32 lane = threadIdx.x & 31, low = NONE, high = NONE;
  u32 lowStart = 0, lowEnd = 0, highStart = 0, highEnd = 0;
  const u32 *starts = at<const u32>(c.starts), *ends = endsOf(c);
  const Entries upper = upperOf(c);
  __syncwarp();
  s.bloom[lane] = 0;
  s.rows[lane] = s.rows[lane + 32] = 0;
  __syncwarp();
  if (lane < r.n) {
    low = __ldg(r.list + lane);
    lowStart = __ldg(starts + low), lowEnd = __ldg(ends + low);
    u32 h = hashRow(low);
    atomicOr(&s.bloom[h >> 27], 1u << (h >> 22 & 31));
  }
  if (lane + 32 < r.n) {
    high = __ldg(r.list + lane + 32);
    highStart = __ldg(starts + high), highEnd = __ldg(ends + high);
    u32 h = hashRow(high);
    atomicOr(&s.bloom[h >> 27], 1u << (h >> 22 & 31));
  }
  if (!d.upward) {
    u32 n = degreeOf(p, root);
    u64 above = __ballot_sync(~0u, lane < r.n && leadsUp(p, root, n, low));
    above |= u64(__ballot_sync(~0u, lane + 32 < r.n && leadsUp(p, root, n, high))) << 32;
    if (lane == 0) s.upper = above;
  }
  __syncwarp();
  u32 filter = s.bloom[lane];
  bool any = false;
  const u32 AT_ONCE = 4;
  for (u32 i = 0; i < r.n; i += AT_ONCE) {   // r.n is the warp's
    u32 from[AT_ONCE], end[AT_ONCE], x[AT_ONCE];
#pragma unroll
    for (u32 k = 0; k < AT_ONCE; k++) {
      u32 a = __shfl_sync(~0u, i < 32 ? lowStart : highStart, (i + k) & 31);
      u32 b = __shfl_sync(~0u, i < 32 ? lowEnd : highEnd, (i + k) & 31);
      from[k] = a + lane;
      end[k] = b;
      x[k] = from[k] < b ? upper[from[k]] : NONE;
    }
#pragma unroll
    for (u32 k = 0; k < AT_ONCE; k++) {
      while (true) {
        u32 h = hashRow(x[k]), bits = __shfl_sync(~0u, filter, h >> 27);
        u32 may = __ballot_sync(~0u, from[k] < end[k] && bits >> (h >> 22 & 31) & 1);
        while (may) {
          any |= pair(s, i + k, __shfl_sync(~0u, x[k], __ffs(may) - 1), low, high);
          may &= may - 1;
        }
        if (from[k] - lane + 32 >= end[k]) break;   // the warp agrees
        from[k] += 32;
        x[k] = from[k] < end[k] ? upper[from[k]] : NONE;
      }
    }
  }
  if (!any) return;
  __syncwarp();
  enumerateLight<C, M>(all, d, root, r.n, s, count);
}

// takePiece finds what a block does next: what it began in the launch before, or another piece, or one that was deferred. One thread.
static __device__ void takePiece(const Core &c, Dense &d, const Dense &own, u64 pieces, u64 *left, HeavyShared &s) {
  s.piece = left[0];
  s.next = s.piece ? u32(left[1]) : 0;
  s.kept = s.piece ? u32(left[1] >> 32) : NONE;
  s.fresh = false;
  left[0] = 0;
  while (!s.piece) {
    u64 mine = atomicAdd(&d.nextPiece, 1ull);
    if (mine >= pieces + own.ready) return;
    s.fresh = mine < pieces;
    s.piece = s.fresh ? at<const u64>(own.upward ? c.upperPieces : c.pieces)[mine] : at<const u64>(own.deferredPieces)[mine - pieces];
  }
}

// heavies counts heavy pieces until there are none, or time is up, but one at least; what is left of a piece then is the block's in the next launch. A block.
template <int C, int M> static __device__ __forceinline__ void heavies(const Core &c, Dense &d, const Dense &own, const Partition &p, u64 deadline, HeavyShared &s, TripleShared &triple, Count &count) {
  u64 *scratch = at<u64>(own.scratch) + u64(blockIdx.x) * own.room, *left = at<u64>(own.left) + 4 * blockIdx.x;
  u64 pieces = own.upward ? c.upperPieceCount : c.pieceCount;
  const bool mayBeTriples = ofTriples<M>(own);
  while (true) {
    if (threadIdx.x == 0) takePiece(c, d, own, pieces, left, s);
    __syncthreads();
    if (!s.piece) return;
    u32 root = u32(s.piece), part = u32(s.piece >> 32) & 0xFFFF, parts = u32(s.piece >> 48);
    Roots r = rootOf(c, own, p, root);
    u32 words = (r.n + 63) / 64;
    bool middle = r.n <= MIDDLE;
    u64 *rows = middle ? s.rows : scratch;
    u32 *prefix = middle ? s.prefix : reinterpret_cast<u32 *>(scratch + u64(r.n + 1) * words);
    View v = {rows, rows + u64(r.n) * words, r.n, words, 0, ~0u};
    if (r.n >= own.smallest) {
      keep(r, scratch + own.room);
      build(c, own, p, root, r, rows, words, s.bloom);
      findUnits<M>(own, v, prefix, s.work);
      u32 begin = u32(u64(prefix[r.n]) * part / parts), end = u32(u64(prefix[r.n]) * (part + 1) / parts);
      bool triples = mayBeTriples && words > 1 && (!middle || s.work > float(own.work) / TRIPLE_PARTS * prefix[r.n]);
      float share = s.work / parts / (own.work * (triples ? TRIPLE_SHARE<M> : middle ? 16 : 2));
      u32 shift = s.kept == NONE ? shiftOf<M>(s.work, prefix[r.n], own.work / float(triples ? TRIPLE_CUT<M> : PARTS)) : s.kept, all = (end - begin) << shift;
      if (threadIdx.x == 0 && s.fresh && share > 2 && defer(d, own, root, part, parts, share)) s.next = NONE;
      __syncthreads();
      if (s.next == NONE)
        ;
      else if (triples) {
        if constexpr (M > 2) enumerateTriples<C, M>(own, v, prefix, begin, all, shift, deadline, &s.next, triple, count);
      } else if (middle)
        enumerate<1, C, M>(own, v, prefix, begin, all, shift, deadline, &s.next, count);
      else
        enumerate<32, C, M>(own, v, prefix, begin, all, shift, deadline, &s.next, count);
      __syncthreads();
      if (threadIdx.x == 0 && s.next < all) {
        left[0] = s.piece;
        left[1] = s.next | u64(shift) << 32;
        atomicAdd(&d.pending, 1ull);
      }
    }
    if (__syncthreads_or(now() > deadline)) return;
  }
}

// lights counts light roots until there are none, or time is up, but some at least. A warp.
template <int C, int M> static __device__ __forceinline__ void lights(const Core &c, Dense &d, const Dense &own, const Partition &p, u64 deadline, LightShared &s, Count &count) {
  u32 lane = threadIdx.x & 31, roots = min(max(c.rows / (gridDim.x * WARPS * 8), 1u), ROOTS);
  for (bool again = false;; again = true) {
    u64 first = ~0ull;
    if (lane == 0 && !(again && now() > deadline)) first = atomicAdd(&d.nextRow, u64(roots));
    first = __shfl_sync(~0u, first, 0);
    if (first >= c.rows) return;
    for (u64 row = first; row < first + roots && row < c.rows; row++) {
      Roots r = rootOf(c, own, p, u32(row));
      if (r.n >= own.smallest && r.n <= c.light) light<C, M>(c, d, own, p, u32(row), r, s, count);
    }
  }
}

template <int C, int M> static __device__ __forceinline__ void countAll(const Core &c, Dense &d, const Dense &own, u64 deadline, HeavyShared &heavy, WarpShared &s, Count &count) {
  const Partition &p = *at<const Partition>(c.partition);
  if (blockIdx.x < own.heavyBlocks) heavies<C, M>(c, d, own, p, deadline, heavy, s.triple, count);
  lights<C, M>(c, d, own, p, deadline, s.light, count);
}

// countDense is the kernels, for M levels.
template <int M> static __device__ __forceinline__ void countDense(u64 program, u64 dense) {
  __shared__ Dense own;
  __shared__ HeavyShared heavy;
  __shared__ WarpShared warpShared[WARPS];
  Program &p = *at<Program>(program);
  Dense &d = *at<Dense>(dense);
  const Core &c = *at<const Core>(d.core);
  u64 begun = now(), deadline = begun + d.slice;
  Count count = {0, false};
  readDense(d, own);
  WarpShared &mine = warpShared[threadIdx.x >> 5];
  switch (own.tailCount) {
  case 1: countAll<1, M>(c, d, own, deadline, heavy, mine, count); break;
  case 2: countAll<2, M>(c, d, own, deadline, heavy, mine, count); break;
  case 3: countAll<3, M>(c, d, own, deadline, heavy, mine, count); break;
  }
  finishLaunch(p, d, own, own.upward ? c.upperPieceCount : c.pieceCount, c.rows, begun, count);
}

#define COUNT_DENSE(M) \
  extern "C" __global__ void __launch_bounds__(BLOCK, M > 3 ? DEEP_RESIDENT : 4) count_dense_##M(u64 program, u64 dense) { countDense<M>(program, dense); }
COUNT_DENSE(1)
COUNT_DENSE(2)
COUNT_DENSE(3)
COUNT_DENSE(4)
COUNT_DENSE(5)
COUNT_DENSE(6)
