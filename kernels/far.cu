// Dense patterns with a far vertex: one that the root does not touch, which has neighbours in common with it (layout.cuh's Core and Dense).
//
// count_far binds the far vertex first. A root is a block's: it makes the bitmaps of the neighbourhood as count_dense does, walks the paths of two edges from the root
// and notes by a bit for each vertex who is met, and by another who is met again. Those are taken FAR_CHUNK at a time: the neighbours that each has in common
// with the root are a bitmap more, found by a warp from the shorter of the two lists, a member a lane. From there on the far vertices of a chunk are what the first level is
// bound to, and the units of the first two levels are a lane's, or a warp's for roots of more than MIDDLE neighbours, as there.
//
// Heavy roots are several pieces, each of a range of the far vertices' numbers. What is left of a slice of time is left to the next launch: the piece, from which
// far vertex on, and how many of the chunk's units are done.
//
// Reads: for each path of two edges from a root 4 bytes, in order, and two bits; for each far vertex the shorter of two lists and searches in the other. Writes the bits of two for each
// vertex that was met, and n²/8 bytes for the bitmaps of roots with more than MIDDLE neighbours.
#include "neighbourhood.cuh"

struct FarShared {
  u32 bloom[BLOOM], prefix[FAR_CHUNK + 1], rows[FAR_CHUNK], places[FAR_CHUNK];
  u64 maps[(MIDDLE + 1) * MIDDLE / 64], far[FAR_CHUNK * MIDDLE / 64];
  u64 piece;
  u32 first, next, kept;   // from which row on far vertices are yet to be bound; of the chunk from there, the part of a unit that is taken next, and how finely, else NONE
  u32 after;               // the first row behind the chunk
  float work;
};

// Met is a bit for each row of the core, for two things.
struct Met {
  u32 *once, *twice;
};

// takeFar finds what a block does next: what it began in the launch before, or another piece, or a root that is in none. One thread.
static __device__ void takeFar(const Core &c, Dense &d, const Dense &own, const Partition &p, u64 pieces, u64 *left, FarShared &s) {
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

// membersOf is the part of a row's list that is in a range of rows.
static __device__ __forceinline__ Roots membersOf(const Core &c, const Partition &p, u32 row, u32 low, u32 high) {
  u32 first = word(p.offsets, row), n = word(p.offsets, row + 1) - first;
  const u32 *list = at<const u32>(c.lists) + first;
  u32 from = low ? lowerBound(list, n, low) : 0, end = high < c.rows ? lowerBound(list, n, high) : n;
  return {list + from, end - from};
}

// meet notes which rows of a range are met by paths of two edges from the root. A block.
static __device__ void meet(const Core &c, const Partition &p, const Roots &r, u32 low, u32 high, const Met &met) {
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (u32 i = low / 32 + threadIdx.x; i < (high + 31) / 32; i += BLOCK) met.once[i] = met.twice[i] = 0;
  __syncthreads();
  for (u32 i = warp; i < r.n; i += WARPS) {
    Roots m = membersOf(c, p, __ldg(r.list + i), low, high);
    for (u32 k = lane; k < m.n; k += 32) {
      u32 row = __ldg(m.list + k), at = row / 32, bit = 1u << (row & 31);
      if ((*(volatile u32 *)(met.once + at) & bit || atomicOr(met.once + at, bit) & bit) && !(*(volatile u32 *)(met.twice + at) & bit)) atomicOr(met.twice + at, bit);
    }
  }
  __syncthreads();
}

// collect finds the next chunk, of rows from s.first on and below high, and returns how many it has. A block.
static __device__ u32 collect(const u32 *met, u32 high, FarShared &s) {
  u32 first = s.first / 32, at = first + threadIdx.x, bits = at < (high + 31) / 32 ? *(const volatile u32 *)(met + at) : 0, all;
  if (threadIdx.x == 0) bits &= ~0u << (s.first & 31);
  u32 rank = blockScan(__popc(bits), all);
  if (threadIdx.x == 0 && all <= FAR_CHUNK) s.after = (first + BLOCK) * 32;
  for (; bits && rank < FAR_CHUNK; rank++, bits &= bits - 1) {
    u32 row = at * 32 + __ffs(bits) - 1;
    s.rows[rank] = row;
    if (rank == FAR_CHUNK - 1 && all > FAR_CHUNK) s.after = row + 1;
  }
  __syncthreads();
  return min(all, FAR_CHUNK);
}

// share makes the bitmap of the neighbours that a row has in common with the root, and returns how many. A warp.
static __device__ u32 share(const Core &c, const Partition &p, const Roots &r, u32 row, u64 *map, u32 words, const u32 *bloom) {
  u32 lane = threadIdx.x & 31, n = 0, *half = reinterpret_cast<u32 *>(map);
  Roots m = membersOf(c, p, row, 0, c.rows);
  if (r.n <= m.n) {
    for (u32 w = 0; w < 2 * words; w++) {
      u32 i = 32 * w + lane, x = i < r.n ? __ldg(r.list + i) : NONE, k = i < r.n ? lowerBound(m.list, m.n, x) : m.n;
      u32 is = __ballot_sync(~0u, k < m.n && __ldg(m.list + min(k, m.n - 1)) == x);
      if (lane == 0) half[w] = is;
      n += __popc(is);
    }
    return n;
  }
  for (u32 w = lane; w < words; w += 32) map[w] = 0;
  __syncwarp();
  for (u32 k = lane; k - lane < m.n; k += 32) {
    u32 x = k < m.n ? __ldg(m.list + k) : 0, h = hashRow(x);
    bool is = k < m.n && bloom[h >> 21] >> (h >> 16 & 31) & 1;
    u32 i = is ? lowerBound(r.list, r.n, x) : r.n;
    is = i < r.n && __ldg(r.list + min(i, r.n - 1)) == x;
    if (is) atomicOr(map + (i >> 6), 1ull << (i & 63));
    n += __popc(__ballot_sync(~0u, is));
  }
  return n;
}

// bindFar makes the bitmaps of a chunk, and finds who of it may not be bound. A block.
static __device__ void bindFar(const Core &c, const Dense &d, const Partition &p, u32 root, const Roots &r, u32 words, u32 count, u64 *far, FarShared &s) {
  u32 lane = threadIdx.x & 31, degree = degreeOf(p, root);
  for (u32 i = threadIdx.x >> 5; i < count; i += WARPS) {
    u32 row = s.rows[i], before = lowerBound(r.list, r.n, row);
    bool is = before < r.n && __ldg(r.list + before) == row;
    bool may = !(d.farAbsent && is) && !(d.farApart && row == root) && (!d.levels[0].upper || leadsUp(p, root, degree, row));
    may = may && share(c, p, r, row, far + u64(i) * words, words, s.bloom) >= d.common;   // the warp agrees
    if (lane == 0) s.places[i] = may ? (is ? (before + 1) << 1 | 1 : before << 1) : NONE;
  }
  __syncthreads();
}

// piece counts what there is with one piece's far vertices until time is up; false where something is left. A block.
template <int C, int M> static __device__ __forceinline__ bool piece(const Core &c, const Dense &own, const Partition &p, u64 deadline, u64 *scratch, u64 *left, FarShared &s, Count &count) {
  u32 root = u32(s.piece), part = u32(s.piece >> 32) & 0xFFFF, parts = u32(s.piece >> 48), half = (c.rows + 31) / 32;
  u32 low = u32(u64(c.rows) * part / parts), high = u32(u64(c.rows) * (part + 1) / parts);
  Roots r = rootOf(c, own, p, root);
  if (r.n < own.smallest) return true;
  u32 words = (r.n + 63) / 64;
  bool middle = r.n <= MIDDLE;
  u64 *maps = middle ? s.maps : scratch + half, *far = middle ? s.far : maps + u64(r.n + 1) * words;
  Met met = {reinterpret_cast<u32 *>(scratch), reinterpret_cast<u32 *>(scratch) + half};
  build(c, own, p, root, r, maps, words, s.bloom);
  meet(c, p, r, low, high, met);
  if (threadIdx.x == 0) s.first = max(s.first, low);
  __syncthreads();
  while (s.first < high) {
    u32 chunk = collect(own.common > 1 ? met.twice : met.once, high, s), all = 0, shift = 0;
    if (chunk) {
      bindFar(c, own, p, root, r, words, chunk, far, s);
      FarView v = {{maps, maps + u64(r.n) * words, r.n, words, 0, ~0u}, far, s.places, chunk};
      findUnits<M>(own, v, s.prefix, s.work);
      u32 units = s.prefix[chunk];
      shift = s.kept == NONE ? shiftOf<M>(s.work, units, own.work / float(PARTS)) : s.kept;
      all = units << shift;
      if (middle)
        enumerate<1, C, M>(own, v, s.prefix, 0, all, shift, deadline, &s.next, count);
      else
        enumerate<32, C, M>(own, v, s.prefix, 0, all, shift, deadline, &s.next, count);
    }
    bool late = __syncthreads_or(now() > deadline), ended = s.next >= all;
    if (!ended || (late && s.after < high)) {
      if (threadIdx.x == 0) {
        left[0] = s.piece;
        left[1] = ended ? u64(NONE) << 32 : s.next | u64(shift) << 32;
        left[2] = ended ? s.after : s.first;
      }
      return false;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      s.first = s.after;
      s.next = 0;
      s.kept = NONE;
    }
    __syncthreads();
  }
  return true;
}

// countAll counts pieces until there are none, or time is up, but some at least; what is left of a piece then is the block's in the next launch. A block.
template <int C, int M> static __device__ __forceinline__ void countAll(const Core &c, Dense &d, const Dense &own, u64 deadline, FarShared &s, Count &count) {
  const Partition &p = *at<const Partition>(c.partition);
  u64 *scratch = at<u64>(own.scratch) + u64(blockIdx.x) * own.room, *left = at<u64>(own.left) + 4 * blockIdx.x;
  u64 pieces = own.upward ? c.upperPieceCount : c.pieceCount;
  while (true) {
    if (threadIdx.x == 0) takeFar(c, d, own, p, pieces, left, s);
    __syncthreads();
    if (!s.piece) return;
    if (!piece<C, M>(c, own, p, deadline, scratch, left, s, count)) {
      if (threadIdx.x == 0) atomicAdd(&d.pending, 1ull);
      return;
    }
    if (__syncthreads_or(now() > deadline)) return;
  }
}

// countFar is the kernels, for M levels.
template <int M> static __device__ __forceinline__ void countFar(u64 program, u64 dense) {
  __shared__ Dense own;
  __shared__ FarShared s;
  Program &p = *at<Program>(program);
  Dense &d = *at<Dense>(dense);
  const Core &c = *at<const Core>(d.core);
  u64 begun = now(), deadline = begun + d.slice;
  Count count = {0, false};
  for (u32 i = threadIdx.x; i < sizeof(Dense) / 4; i += BLOCK)
    reinterpret_cast<u32 *>(&own)[i] = reinterpret_cast<const volatile u32 *>(&d)[i];
  __syncthreads();
  if (blockIdx.x < own.heavyBlocks) {
    switch (own.tailCount) {
    case 1: countAll<1, M>(c, d, own, deadline, s, count); break;
    case 2: countAll<2, M>(c, d, own, deadline, s, count); break;
    case 3: countAll<3, M>(c, d, own, deadline, s, count); break;
    }
  }
  finishLaunch(p, d, own, (own.upward ? c.upperPieceCount : c.pieceCount) * u64(own.cut), c.rows, begun, count);
}

#define COUNT_FAR(M) \
  extern "C" __global__ void __launch_bounds__(BLOCK, M > 3 ? DEEP_RESIDENT : 4) count_far_##M(u64 program, u64 dense) { countFar<M>(program, dense); }
COUNT_FAR(1)
COUNT_FAR(2)
COUNT_FAR(3)
COUNT_FAR(4)
COUNT_FAR(5)
COUNT_FAR(6)
