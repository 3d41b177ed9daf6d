// Dense patterns with a far vertex: one that the root does not touch, which has neighbours in common with it (layout.cuh's Core and Dense).
//
// count_far binds the far vertex first. A root is a block's: it makes the bitmaps of the neighbourhood as count_dense does, walks the paths of two edges from the root
// and notes by a bit for each vertex who is met, and by another who is met again. Those are taken FAR_CHUNK at a time, or as many as have FAR_WORDS words of bitmaps:
// the paths that end in the chunk are walked again, each of which is a bit of its far vertex's bitmap, the neighbours in common with the root. From there on the far
// vertices of a chunk are what the first level is bound to, and the units of the first two levels are a lane's, or a warp's for roots of more than MIDDLE neighbours,
// as there.
//
// Heavy roots are several pieces, each of a range of the far vertices' numbers. What is left of a slice of time is left to the next launch: the piece, from which
// far vertex on, and how many of the chunk's units are done.
//
// Lost: the neighbours in common found by a warp for each far vertex, from the shorter of the two lists (840 M searches for houses in a graph of a million edges,
// whose paths are 238 M).
//
// Reads: each path of two edges from a root twice, 4 bytes, in order, and two bits; once more 32 members for each neighbour and chunk. Writes the bits of two for each
// vertex that was met and its bitmap, and n²/8 bytes for the bitmaps of roots with more than MIDDLE neighbours.
#include "neighbourhood.cuh"

struct FarShared {
  u32 bloom[BLOOM], prefix[FAR_CHUNK + 1], rows[FAR_CHUNK], places[FAR_CHUNK];
  u64 maps[(MIDDLE + 1) * MIDDLE / 64];
  u64 piece;
  u32 first, next, kept;   // from which row on far vertices are yet to be bound; of the chunk from there, the part of a unit that is taken next, and how finely, else NONE
  u32 after;               // the first row behind the chunk
  float work;
};

// Met is in a block's scratch: a bit for each row of the core, for two things, how many of the chunk come before each 32 rows, and how far each member's list was walked.
struct Met {
  u32 *once, *twice, *before, *walked;
};

// walk calls f with the members of a root's members' lists that are below a row, from where each was walked to; f has which member of the root it is. PASS: they are
// walked on from there. A block.
template <bool PASS, typename F> static __device__ __forceinline__ void walk(const Core &c, const Partition &p, const Roots &r, u32 below, u32 *walked, F f) {
  u32 lane = threadIdx.x & 31;
  const Entries lists = listsOf(c);
  for (u32 i = threadIdx.x >> 5; i < r.n; i += WARPS) {
    u32 row = member(r, i), first = word(p.offsets, row), n = word(p.offsets, u64(row) + 1) - first, k = walked[i];
    const u32 *list = lists.at(first);
    while (true) {
      u32 x = k + lane < n ? __ldg(list + k + lane) : NONE;
      if (x < below) f(i, x);
      u32 passed = __popc(__ballot_sync(~0u, x < below));
      k += passed;
      if (passed < 32) break;
    }
    if (PASS && lane == 0) walked[i] = k;
  }
}

// begin sets where the lists of a root's members are walked from: at a row. A block.
static __device__ void begin(const Core &c, const Partition &p, const Roots &r, u32 from, u32 *walked) {
  const Entries lists = listsOf(c);
  for (u32 i = threadIdx.x; i < r.n; i += BLOCK) {
    u32 row = member(r, i), first = word(p.offsets, row), n = word(p.offsets, u64(row) + 1) - first;
    walked[i] = from ? lowerBound(lists.at(first), n, from) : 0;
  }
  __syncthreads();
}

// meet notes which rows of a range are met by paths of two edges from the root. A block.
static __device__ void meet(const Core &c, const Partition &p, const Roots &r, u32 low, u32 high, const Met &met) {
  for (u32 i = low / 32 + threadIdx.x; i < (high + 31) / 32; i += BLOCK) met.once[i] = met.twice[i] = 0;
  begin(c, p, r, low, met.walked);
  walk<false>(c, p, r, high, met.walked, [&](u32, u32 row) {
    u32 at = row / 32, bit = 1u << (row & 31);
    if ((*(volatile u32 *)(met.once + at) & bit || atomicOr(met.once + at, bit) & bit) && !(*(volatile u32 *)(met.twice + at) & bit)) atomicOr(met.twice + at, bit);
  });
  __syncthreads();
}

// collect finds the next chunk, of up to so many rows from s.first on and below high that have a bit, and returns how many there are. A block.
static __device__ u32 collect(const u32 *bits, u32 *before, u32 high, u32 most, FarShared &s) {
  u32 count = 0, from = s.first;
  if (threadIdx.x == 0) s.after = high;
  for (u32 first = from / 32; first * 32 < high && count < most; first += BLOCK) {
    u32 at = first + threadIdx.x, mine = at < (high + 31) / 32 ? *(const volatile u32 *)(bits + at) : 0, all;
    u32 passed = at == from / 32 ? mine & ((1u << (from & 31)) - 1) : 0;
    mine &= ~passed;
    u32 rank = count + blockScan(__popc(mine), all);
    if (at < (high + 31) / 32) before[at] = rank - __popc(passed);
    for (; mine && rank < most; rank++, mine &= mine - 1) {
      u32 row = at * 32 + __ffs(mine) - 1;
      s.rows[rank] = row;
      if (rank == most - 1) s.after = row + 1;
    }
    count += all;
  }
  __syncthreads();
  return min(count, most);
}

// share makes the bitmaps of a chunk: the neighbours that each of it has in common with the root. A block.
static __device__ void share(const Core &c, const Partition &p, const Roots &r, const u32 *bits, const Met &met, u32 count, u64 *far, u32 words, const FarShared &s) {
  for (u32 i = threadIdx.x; i < count * words; i += BLOCK) far[i] = 0;
  __syncthreads();
  walk<true>(c, p, r, s.after, met.walked, [&](u32 i, u32 row) {
    u32 at = row / 32, bit = row & 31, mine = *(const volatile u32 *)(bits + at);
    if (!(mine >> bit & 1)) return;
    u32 place = *(const volatile u32 *)(met.before + at) + __popc(mine & ((1u << bit) - 1));
    atomicOr(far + u64(place) * words + (i >> 6), 1ull << (i & 63));
  });
  __syncthreads();
}

// bindFar finds who of a chunk may not be bound. A thread for each.
static __device__ void bindFar(const Dense &d, const Partition &p, u32 root, u32 degree, const Roots &r, u32 words, u32 count, const u64 *far, FarShared &s) {
  for (u32 i = threadIdx.x; i < count; i += BLOCK) {
    u32 row = s.rows[i], before = placeOf(r, row), common = 0;
    bool is = before < r.n && member(r, before) == row;
    bool may = !(d.farAbsent && is) && !(d.farApart && row == root) && (!d.levels[0].upper || leadsUp(p, root, degree, row));
    for (u32 w = 0; may && w < words && common < d.common; w++) common += __popcll(far[u64(i) * words + w]);
    s.places[i] = may && common >= d.common ? (is ? (before + 1) << 1 | 1 : before << 1) : NONE;
  }
  __syncthreads();
}

// piece counts what there is with one piece's far vertices until time is up; false where something is left. A block.
template <int C, int M> static __device__ __forceinline__ bool piece(const Core &c, const Dense &own, const Partition &p, u64 deadline, u64 *scratch, u64 *left, FarShared &s, Count &count) {
  u32 root = u32(s.piece), part = u32(s.piece >> 32) & 0xFFFF, parts = u32(s.piece >> 48);
  u32 low = u32(u64(c.rows) * part / parts), high = u32(u64(c.rows) * (part + 1) / parts);
  Roots r = rootOf(c, own, p, root);
  if (r.n < own.smallest) return true;
  keep(r, scratch + own.room);
  u32 words = (r.n + 63) / 64, half = (c.rows + 63) / 64, degree = own.levels[0].upper ? degreeOf(p, root) : 0;
  u32 *notes = reinterpret_cast<u32 *>(scratch);
  Met met = {notes, notes + 2 * half, notes + 4 * half, notes + 6 * half};
  u64 *far = scratch + 3 * u64(half) + (r.n + 1) / 2;
  bool middle = r.n <= MIDDLE;
  u32 most = min(FAR_CHUNK, FAR_WORDS / words);
  u64 *maps = middle ? s.maps : far + u64(most) * words;
  const u32 *bits = own.common > 1 ? met.twice : met.once;
  build(c, own, p, root, r, maps, words, s.bloom);
  if (threadIdx.x == 0) s.first = max(s.first, low);
  __syncthreads();
  meet(c, p, r, s.first, high, met);
  while (s.first < high) {
    u32 chunk = collect(bits, met.before, high, most, s), all = 0, shift = 0;
    if (chunk) {
      share(c, p, r, bits, met, chunk, far, words, s);
      bindFar(own, p, root, degree, r, words, chunk, far, s);
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
  readDense(d, own);
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
