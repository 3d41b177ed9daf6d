// Dense patterns with a far vertex and an outer one behind it, which is a neighbour of the far vertex and not of the root (layout.cuh's Core and Dense).
//
// count_outer has a bitmap of each row: the neighbours that it has in common with the root. Those are made for one root at a time, a block's, by walking the paths of two
// edges from it. Then a warp takes far vertices, one after the other, and binds the levels between, all of them neighbours of the root, a word of the root's bitmaps a
// lane. The last level is the outer vertex: of the far vertex's list those that the root does not touch and whose bitmaps have the bits of what is bound, or have them not,
// as the level asks; and each leaves of the tail, one vertex, what its bitmap has, or has not. Of these the rows lie behind one another, so that lanes take words of several
// rows at a time.
//
// Heavy roots are several pieces, each with every so-many-th far vertex. What is left of a slice of time is left to the next launch: the piece, and from which far vertices on.
//
// Reads: each path of two edges from a root, 4 bytes, in order, once a piece; for each binding of the levels between the list of the far vertex, and of each of its
// members a bit of a bitmap of rows, a word for each level and all words of the bitmap where it may be bound. Writes the bitmaps: rows × words, and n²/8 bytes.
#include "neighbourhood.cuh"

// AT_ONCE is how many far vertices a warp takes together, and members of a far vertex's list.
const u32 AT_ONCE = 32;

struct OuterShared {
  u32 bloom[BLOOM], outer[WARPS][AT_ONCE];
  u64 maps[(MIDDLE + 1) * MIDDLE / 64];
  u64 piece;
  u32 first, next, kept;   // of the piece, which far vertices are taken next
};

// Rows are what a block has of all rows: their bitmaps, and whether they are neighbours of the root, as bits.
struct Rows {
  u64 *maps;
  u32 *near;
  u32 words;

  __device__ __forceinline__ bool touches(u32 row) const { return near[row >> 5] >> (row & 31) & 1; }
  __device__ __forceinline__ const u64 *of(u32 row) const { return maps + u64(row) * words; }
};

// meetRows makes the bitmaps of all rows. A block.
static __device__ void meetRows(const Core &c, const Partition &p, const Roots &r, const Rows &rows) {
  u32 lane = threadIdx.x & 31;
  const Entries lists = listsOf(c);
  for (u64 i = threadIdx.x; i < u64(c.rows) * rows.words; i += BLOCK) rows.maps[i] = 0;
  for (u32 i = threadIdx.x; i < (c.rows + 31) / 32; i += BLOCK) rows.near[i] = 0;
  __syncthreads();
  for (u32 i = threadIdx.x >> 5; i < r.n; i += WARPS) {
    u32 row = member(r, i), first = word(p.offsets, row), end = word(p.offsets, u64(row) + 1);
    if (lane == 0) atomicOr(rows.near + (row >> 5), 1u << (row & 31));
    for (u32 k = first + lane; k < end; k += 32) atomicOr(rows.maps + u64(lists[k]) * rows.words + (i >> 6), 1ull << (i & 63));
  }
  __syncthreads();
}

// Search is what a warp knows while a far vertex is bound: K levels between.
template <int K> struct Search {
  const Core &c;
  const Partition &p;
  const Dense &d;
  const View &v;
  const Rows &rows;
  u32 *outer;          // a warp's, AT_ONCE of them
  u32 far, bound[K];

  // may reports whether a row may be the outer vertex with all bound.
  __device__ __forceinline__ bool may(u32 row) const {
    const DenseSet &s = d.levels[K + 1];
    bool is = !rows.touches(row);
#pragma unroll
    for (int e = 0; e < K; e++) {
      bool near = rows.of(row)[bound[e] >> 6] >> (bound[e] & 63) & 1;
      is = is && !(near ? s.absent >> (e + 1) & 1 : s.near >> (e + 1) & 1);
    }
    return is;
  }

  // finish binds the outer vertex, and counts the words of the tail, of which each lane has one.
  __device__ __forceinline__ void finish(u64 tail, Count &count) const {
    if (!__ballot_sync(~0u, tail != 0)) return;
    u32 lane = v.lane, together = 32 / v.words, group = lane / v.words, w = lane % v.words;
    u32 first = word(p.offsets, far), end = word(p.offsets, u64(far) + 1), n = 0;
    const Entries lists = listsOf(c);
    const DenseSet &s = d.tail[0];
    u64 turned = s.absent >> (K + 1) & 1 ? ~0ull : 0, all = s.near >> (K + 1) & 1 || turned ? 0 : ~0ull;
    tail = __shfl_sync(~0u, tail, w);
    for (u32 k = first; k < end; k += AT_ONCE) {
      u32 row = k + lane < end ? lists[k + lane] : NONE;
      bool is = row != NONE && may(row);
      u32 some = __ballot_sync(~0u, is), found = __popc(some);
      if (is) outer[__popc(some & ((1u << lane) - 1))] = row;
      __syncwarp();
      for (u32 i = group; i < found && group < together; i += together) n += __popcll(tail & (rows.of(outer[i])[w] ^ turned | all));
      __syncwarp();
    }
    count.add(n);
  }

  // bind binds the levels from L on: with are their sets, a word a lane, and then that of the tail. A warp.
  template <int L> __device__ __forceinline__ void bind(const u64 (&with)[K - L + 2], Count &count) {
    if constexpr (L > K) {
      finish(with[0], count);
    } else {
      for (u32 some = __ballot_sync(~0u, with[0] != 0); some; some &= some - 1) {
        u32 from = __ffs(some) - 1;
        for (u64 set = __shfl_sync(~0u, with[0], from); set; set &= set - 1) {
          u32 b = 64 * from + __ffsll(set) - 1;
          bound[L - 1] = b;
          u64 row = v.lane < v.words ? v.row(L, b)[v.lane] : 0, next[K - L + 1];
#pragma unroll
          for (int i = 0; i < K - L + 1; i++) next[i] = narrow<L>(v, i < K - L ? d.levels[L + 1 + i] : d.tail[0], with[i + 1], row, b);
          bind<L + 1>(next, count);
        }
      }
    }
  }
};

// mayBeFar reports whether a row may be the far vertex of a root with so many neighbours, below which it is where the two are told apart by their order.
static __device__ __forceinline__ bool mayBeFar(const Dense &d, const Partition &p, u32 root, u32 degree, u32 row, const Rows &rows) {
  if (row == root || rows.touches(row) || (d.levels[0].upper && leadsUp(p, root, degree, row))) return false;
  u32 common = 0;
  for (u32 w = 0; w < rows.words && common < d.common; w++) common += __popcll(rows.of(row)[w]);
  return common >= d.common;
}

// bindFar counts what has a far vertex. A warp.
template <int K> static __device__ __forceinline__ void bindFar(const Core &c, const Partition &p, const Dense &d, const Roots &r, const View &v, const Rows &rows, u32 far, u32 *outer, Count &count) {
  u32 before = placeOf(r, far), at = v.lane * 64;   // how many of the root's neighbours are below it; a lane's first
  u64 mine = v.lane < v.words ? rows.of(far)[v.lane] : 0, all = v.lane + 1 < v.words || (v.lane + 1 == v.words && !(v.size & 63)) ? ~0ull : 0, with[K + 1];
  if (v.lane + 1 == v.words && (v.size & 63)) all = (1ull << (v.size & 63)) - 1;
  u64 behind = before >= at + 64 ? 0 : before <= at ? ~0ull : ~0ull << (before - at);
#pragma unroll
  for (int i = 0; i <= K; i++) {
    const DenseSet &s = i < K ? d.levels[i + 1] : d.tail[0];
    with[i] = all;
    if (s.upper && v.lane < v.words) with[i] &= v.upper[v.lane];
    if (s.near & 1) with[i] &= mine;
    if (s.absent & 1) with[i] &= ~mine;
    if (s.above & 1) with[i] &= behind;
  }
  Search<K> search = {c, p, d, v, rows, outer, far};
  search.template bind<1>(with, count);
}

// piece counts what there is with one piece's far vertices until time is up. A block.
template <int K> static __device__ __forceinline__ void piece(const Core &c, const Dense &own, const Partition &p, u64 deadline, u64 *scratch, OuterShared &s, Count &count) {
  u32 root = u32(s.piece), part = u32(s.piece >> 32) & 0xFFFF, parts = u32(s.piece >> 48);
  Roots r = rootOf(c, own, p, root);
  u32 words = (r.n + 63) / 64, lane = threadIdx.x & 31, degree = degreeOf(p, root);
  Rows rows = {scratch, reinterpret_cast<u32 *>(scratch + u64(c.rows) * words), words};
  u64 *maps = r.n <= MIDDLE ? s.maps : scratch + u64(c.rows) * words + (c.rows + 63) / 64;
  meetRows(c, p, r, rows);
  build(c, own, p, root, r, maps, words, s.bloom);
  const View v = {maps, maps + u64(r.n) * words, r.n, words, lane, ~0u};
  eachUnit<32>((c.rows + AT_ONCE * parts - 1) / (AT_ONCE * parts), deadline, &s.next, [&](u32 chunk) {
    u64 row = (u64(chunk) * AT_ONCE + lane) * parts + part;
    u32 some = __ballot_sync(~0u, row < c.rows && mayBeFar(own, p, root, degree, u32(row), rows));
    for (; some; some &= some - 1)
      bindFar<K>(c, p, own, r, v, rows, u32((u64(chunk) * AT_ONCE + __ffs(some) - 1) * parts + part), s.outer[threadIdx.x >> 5], count);
  });
  __syncthreads();
}

// countAll counts pieces until there are none, or time is up, but some at least; what is left of a piece then is the block's in the next launch. A block.
template <int K> static __device__ __forceinline__ void countAll(const Core &c, Dense &d, const Dense &own, u64 deadline, OuterShared &s, Count &count) {
  const Partition &p = *at<const Partition>(c.partition);
  u64 *scratch = at<u64>(own.scratch) + u64(blockIdx.x) * own.room, *left = at<u64>(own.left) + 4 * blockIdx.x;
  while (true) {
    if (threadIdx.x == 0) takeFar(c, d, own, p, c.pieceCount, left, s);
    __syncthreads();
    if (!s.piece) return;
    Roots r = rootOf(c, own, p, u32(s.piece));
    u32 parts = u32(s.piece >> 48), chunks = (c.rows + AT_ONCE * parts - 1) / (AT_ONCE * parts);
    if (r.n >= own.smallest) piece<K>(c, own, p, deadline, scratch, s, count);
    if (r.n >= own.smallest && s.next < chunks) {
      if (threadIdx.x == 0) {
        left[0] = s.piece;
        left[1] = s.next;
        atomicAdd(&d.pending, 1ull);
      }
      return;
    }
    if (__syncthreads_or(now() > deadline)) return;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4) count_outer(u64 program, u64 dense) {
  __shared__ Dense own;
  __shared__ OuterShared s;
  Program &p = *at<Program>(program);
  Dense &d = *at<Dense>(dense);
  const Core &c = *at<const Core>(d.core);
  u64 begun = now(), deadline = begun + d.slice;
  Count count = {0, false};
  readDense(d, own);
  if (blockIdx.x < own.heavyBlocks) {
    switch (own.levelCount) {
    case 3: countAll<1>(c, d, own, deadline, s, count); break;
    case 4: countAll<2>(c, d, own, deadline, s, count); break;
    case 5: countAll<3>(c, d, own, deadline, s, count); break;
    case 6: countAll<4>(c, d, own, deadline, s, count); break;
    }
  }
  finishLaunch(p, d, own, c.pieceCount * u64(own.cut), c.rows, begun, count);
}
