// What hangs on a triple: a root and the two of its neighbours that the first two levels are bound to. Where all that is bound behind level 2, and the tail, are neighbours
// of all three, those that are get numbers of their own, and they are few: of wiki-Vote's triples all but one in a hundred have up to 64, where a root has up to 1,065
// neighbours. So bitmaps are a word each, and a lane has all that hangs on one binding of level 2 (dense.cu).
#pragma once
#include "neighbourhood.cuh"

// TRIPLE is how many neighbours the three have in common at most.
const u32 TRIPLE = 64;
// TOGETHER: with four levels and more than these, what one binding of level 2 has may be much more than what another has, so that a lane has a binding of level 3.
const u32 TOGETHER = 32;

// TripleShared is a warp's: the neighbours in common, by their places among the root's, and their bitmaps in those.
struct TripleShared {
  u64 rows[TRIPLE];
  u32 members[TRIPLE];
};

// ofTriples reports whether all but level 2 is bound to neighbours of triples.
template <int M> static __device__ __forceinline__ bool ofTriples(const Dense &d) {
  bool is = M > 2;
  for (int e = 3; e < M; e++) is = is && (d.levels[e].near & 3) == 3;
  for (u32 c = 0; c < d.tailCount; c++) is = is && (d.tail[c].near & 3) == 3;
  return is;
}

static __device__ __forceinline__ bool hasBit(const u64 *row, u32 i) { return row[i >> 6] >> (i & 63) & 1; }

// scanWarp is the sum of the values of the lanes up to this one.
static __device__ __forceinline__ u32 scanWarp(u32 value, u32 lane) {
#pragma unroll
  for (u32 k = 1; k < 32; k <<= 1) {
    u32 other = __shfl_up_sync(~0u, value, k);
    value += lane >= k ? other : 0;
  }
  return value;
}

// bindUnit finds what a unit binds the first two levels to. A warp.
static __device__ __forceinline__ void bindUnit(const Dense &d, const View &v, const u32 *prefix, u32 unit, u32 (&bound)[MOST_LEVELS]) {
  u32 low = 0;
  for (u32 n = v.firsts(); n > 1;) {   // prefix[low] <= unit; of equal ones the last
    u32 half = n >> 1;
    low += prefix[low + half] <= unit ? half : 0;
    n -= half;
  }
  bound[0] = low;
  u32 k = unit - prefix[low];
  for (u32 at = 0;; at += 32) {
    u64 mine = at + v.lane < v.words ? members<1>(v, d.levels[1], bound, at + v.lane) : 0;
    u32 n = __popcll(mine), upTo = scanWarp(n, v.lane), passed = __ballot_sync(~0u, upTo > k);
    if (!passed && at + 32 < v.words) {
      k -= __shfl_sync(~0u, upTo, 31);
      continue;
    }
    u32 from = __ffs(passed) - 1;
    bound[1] = 64 * (at + from) + select(__shfl_sync(~0u, mine, from), k - __shfl_sync(~0u, upTo - n, from));
    return;
  }
}

// Triple is what a warp knows of one.
template <int C, int M> struct Triple {
  static const int SETS = M - 3 + C;   // those of the levels behind level 2, and then of the tail
  const u64 *rows;
  const u32 *members;
  u32 n;
  u64 all, upper, behind[2];   // those above the root, and those behind what a level is bound to
  u64 sets[SETS];

  // asked is what a set leaves with the first two levels bound.
  __device__ __forceinline__ u64 asked(const DenseSet &s) const {
    u64 set = all;
    if (s.upper) set &= upper;
    if (s.above & 1) set &= behind[0];
    if (s.above & 2) set &= behind[1];
    return set;
  }

  // bind narrows the sets by a binding of level 2, whose bitmap is row, with so many members before it, and which is one itself or not.
  __device__ __forceinline__ void bind(const Dense &d, u64 row, u32 before, bool is, u64 (&next)[SETS]) const {
    u64 self = u64(is) << (before & 63), behind = before + is < 64 ? ~0ull << (before + is) : 0;
#pragma unroll
    for (int i = 0; i < SETS; i++) {
      const DenseSet &s = i < M - 3 ? d.levels[3 + i] : d.tail[i - (M - 3)];
      u64 set = sets[i];
      if (s.near >> 2 & 1) set &= row;
      if (s.absent >> 2 & 1) set &= ~row;
      if ((s.apart | s.absent) >> 2 & 1) set &= ~self;
      if (s.above >> 2 & 1) set &= behind;
      next[i] = set;
    }
  }

  __device__ __forceinline__ View view() const { return {rows, nullptr, n, 1, 0, 0, 0, 1}; }

  // visit counts what has one binding of level 2. A lane.
  __device__ __forceinline__ void visit(const Dense &d, u64 row, u32 before, bool is, Count &count) const {
    u64 next[SETS];
    bind(d, row, before, is, next);
    Narrow<1, C, M, 3>::run(d, view(), next, count);
  }

  // visitTogether is visit of a member, a lane a binding of level 3. A warp.
  __device__ __forceinline__ void visitTogether(const Dense &d, u32 b, u32 lane, Count &count) const {
    u64 next[SETS], deeper[SETS - 1];
    bind(d, rows[b], b, true, next);
    const View v = view();
    for (u32 k = lane, all = __popcll(next[0]); k < all; k += 32) {
      u32 at = select(next[0], k);
#pragma unroll
      for (int i = 0; i < SETS - 1; i++) deeper[i] = narrow<3>(v, i < M - 4 ? d.levels[4 + i] : d.tail[i - (M - 4)], next[i + 1], rows[at], at);
      Narrow<1, C, M, 4>::run(d, v, deeper, count);
    }
  }
};

// bitmapOf is a root's neighbour's bitmap in those that a triple has in common.
static __device__ __forceinline__ u64 bitmapOf(const u32 *row, const u32 *members, u32 n) {
  u32 half[2] = {0, 0}, at = NONE, word = 0;
#pragma unroll
  for (u32 h = 0; h < 2; h++) {
    for (u32 j = 32 * h; j < min(n, 32 * h + 32); j++) {
      u32 m = members[j];
      if (m >> 5 != at) word = row[at = m >> 5];   // the warp agrees
      half[h] |= (word >> (m & 31) & 1) << (j & 31);
    }
  }
  return u64(half[1]) << 32 | half[0];
}

// findTriple finds what a unit's triple has in common, and its bitmaps; false where that is more than TRIPLE. A warp.
template <int C, int M> static __device__ __forceinline__ bool findTriple(const Dense &d, const View &v, const u32 (&bound)[MOST_LEVELS], TripleShared &s, Triple<C, M> &t) {
  u32 n = 0;
  __syncwarp();
  for (u32 at = 0; at < v.words; at += 32) {
    u32 w = at + v.lane;
    u64 both = w < v.words ? v.row(0, bound[0])[w] & v.row(1, bound[1])[w] : 0;
    u32 mine = __popcll(both), upTo = scanWarp(mine, v.lane), all = __shfl_sync(~0u, upTo, 31);
    if (n + all > TRIPLE) return false;
    for (u32 i = n + upTo - mine; both; both &= both - 1) s.members[i++] = 64 * w + __ffsll(both) - 1;
    n += all;
  }
  __syncwarp();
  u32 low = v.lane < n ? s.members[v.lane] : 0, high = v.lane + 32 < n ? s.members[v.lane + 32] : 0;
  t.rows = s.rows;
  t.members = s.members;
  t.n = n;
  t.all = n < 64 ? (1ull << n) - 1 : ~0ull;
  auto those = [&](bool isLow, bool isHigh) { return (u64(__ballot_sync(~0u, isHigh)) << 32 | __ballot_sync(~0u, isLow)) & t.all; };
  t.upper = d.upward ? t.all : those(hasBit(v.upper, low), hasBit(v.upper, high));
  for (int e = 0; e < 2; e++) t.behind[e] = those(low > bound[e], high > bound[e]);
  for (u32 j = 0; j < n; j++) {
    const u64 *row = v.row(2, s.members[j]);
    u64 bits = those(hasBit(row, low), n > 32 && hasBit(row, high));
    if (v.lane == 0) s.rows[j] = bits;
  }
  __syncwarp();
  return true;
}

// eachInner binds level 2 to members of what the triple has in common: a lane a binding, or a warp one after the other, and then a part those of its own. A warp.
template <int C, int M> static __device__ __forceinline__ void eachInner(const Dense &d, const View &v, const Triple<C, M> &t, Count &count) {
  u64 set = t.asked(d.levels[2]);
  u32 n = __popcll(set);
  u32 part = v.part, parts = v.parts;
  if constexpr (M == 4) {
    if (t.n > TOGETHER) {
      for (u32 k = part; k < n; k += parts) t.visitTogether(d, select(set, k), v.lane, count);
      return;
    }
    if (part) return;   // the first has all
    parts = 1;
  }
  for (u32 k = v.lane * parts + part; k < n; k += 32 * parts) {
    u32 b = select(set, k);
    t.visit(d, t.rows[b], b, true, count);
  }
}

// eachOuter binds level 2 to any neighbours of the root, a lane a binding. A warp.
template <int C, int M> static __device__ __forceinline__ void eachOuter(const Dense &d, const View &v, const u32 (&bound)[MOST_LEVELS], const Triple<C, M> &t, Count &count) {
  for (u32 at = 0; at < v.words; at += 32) {
    u64 mine = at + v.lane < v.words ? members<2>(v, d.levels[2], bound, at + v.lane) : 0;
    u32 n = __popcll(mine), upTo = scanWarp(n, v.lane), all = __shfl_sync(~0u, upTo, 31);
    for (u32 first = 0; first < all; first += 32 * v.parts) {
      u32 k = first + v.lane * v.parts + v.part, from = 0;
#pragma unroll
      for (u32 half = 16; half; half >>= 1) from += __shfl_sync(~0u, upTo, from + half - 1) <= k ? half : 0;
      u64 word = __shfl_sync(~0u, mine, from);
      u32 before = __shfl_sync(~0u, upTo - n, from);
      if (k >= all) continue;
      u32 b = 64 * (at + from) + select(word, k - before), passed = 0;
      u64 row = bitmapOf(reinterpret_cast<const u32 *>(v.row(2, b)), t.members, t.n);
      for (u32 j = 0; j < t.n; j++) passed += t.members[j] < b;
      t.visit(d, row, passed, passed < t.n && t.members[passed] == b, count);
    }
  }
}

// visitTriple counts what has one unit, or the unit's part that v says; false where that is left to others. A warp.
template <int C, int M> static __device__ __forceinline__ bool visitTriple(const Dense &d, const View &v, const u32 *prefix, u32 unit, TripleShared &s, Count &count) {
  u32 bound[MOST_LEVELS];
  Triple<C, M> t;
  bindUnit(d, v, prefix, unit, bound);
  if (!findTriple<C, M>(d, v, bound, s, t)) return false;
  bool any = true;
#pragma unroll
  for (int i = 0; i < Triple<C, M>::SETS; i++) {
    t.sets[i] = t.asked(i < M - 3 ? d.levels[3 + i] : d.tail[i - (M - 3)]);
    any = any && t.sets[i];
  }
  if (!any) return true;
  if ((d.levels[2].near & 3) == 3)
    eachInner<C, M>(d, v, t, count);
  else
    eachOuter<C, M>(d, v, bound, t, count);
  return true;
}

// enumerateTriples is enumerate by triples, a warp a part of a unit.
template <int C, int M> static __device__ __forceinline__ void enumerateTriples(const Dense &d, View v, const u32 *prefix, u32 begin, u32 all, u32 shift, u64 deadline, u32 *next, TripleShared &s, Count &count) {
  v.lane = threadIdx.x & 31;
  v.parts = 1u << shift;
  eachUnit<32>(all, deadline, next, [&](u32 part) {
    u32 unit = begin + (part >> shift);
    v.part = part & (v.parts - 1);
    if (!visitTriple<C, M>(d, v, prefix, unit, s, count)) visit<32, C, M>(d, v, prefix, unit, count);
  });
}
