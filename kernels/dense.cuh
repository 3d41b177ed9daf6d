// Counting in bitmaps: a root's neighbourhood, and the bindings of levels in it (dense.cu).
#pragma once
#include "core.cuh"

// Count is a sum, and whether it was more than 64 bits.
struct Count {
  u64 n;
  bool over;
  __device__ __forceinline__ void add(u64 more) {
    n += more;
    over |= n < more;
  }
};

// View is a root's neighbourhood as the lanes of one enumeration see it.
struct View {
  const u64 *rows;      // size rows of words each
  const u64 *upper;     // who is above the root; where asked
  u32 size, words;
  u32 lane, lanes;      // this lane's place, and the mask of those that work together
  u32 part, parts;      // which of a unit's members at level 2 are bound; where there are more than three levels

  // firsts is how many the first level may be bound to, mayBegin whether to one of them.
  __device__ __forceinline__ u32 firsts() const { return size; }
  __device__ __forceinline__ bool mayBegin(const Dense &d, u32 first) const { return !d.levels[0].upper || upper[first >> 6] >> (first & 63) & 1; }
  // row is the bitmap of what level e is bound to; others and above are the w-th words of all but that one, and of those behind it.
  __device__ __forceinline__ const u64 *row(int e, u32 b) const { return rows + b * words; }
  __device__ __forceinline__ u64 others(int e, u32 b, u32 w) const { return b >> 6 == w ? ~(1ull << (b & 63)) : ~0ull; }
  __device__ __forceinline__ u64 above(int e, u32 b, u32 w) const { return w < b >> 6 ? 0 : b >> 6 == w ? ~1ull << (b & 63) : ~0ull; }
};

// FarView is a root's neighbourhood with some far vertices, which the first level is bound to.
struct FarView : View {
  const u64 *far;       // words of each
  const u32 *places;    // twice how many of the root's neighbours come before it, itself included, and 1 more where it is one; NONE: it is none that may be bound
  u32 count;

  __device__ __forceinline__ u32 firsts() const { return count; }
  __device__ __forceinline__ bool mayBegin(const Dense &d, u32 first) const { return places[first] != NONE; }
  __device__ __forceinline__ const u64 *row(int e, u32 b) const { return e == 0 ? far + b * words : View::row(e, b); }
  __device__ __forceinline__ u64 others(int e, u32 b, u32 w) const {
    if (e) return View::others(e, b, w);
    u32 place = places[b];
    return place & 1 ? View::others(e, (place >> 1) - 1, w) : ~0ull;
  }
  __device__ __forceinline__ u64 above(int e, u32 b, u32 w) const {
    if (e) return View::above(e, b, w);
    u32 before = places[b] >> 1;
    return w < before >> 6 ? 0 : before >> 6 == w ? ~0ull << (before & 63) : ~0ull;
  }
};

template <int G> static __device__ __forceinline__ u32 sum(u32 x, u32 lanes) {
#pragma unroll
  for (int d = G / 2; d; d >>= 1) x += __shfl_xor_sync(lanes, x, d);
  return x;
}

// members is the w-th word of a set, with L levels bound to at.
template <int L, class V> static __device__ __forceinline__ u64 members(const V &v, const DenseSet &s, const u32 (&bound)[MOST_LEVELS], u32 w) {
  u64 set = w + 1 == v.words && (v.size & 63) ? (1ull << (v.size & 63)) - 1 : ~0ull;
  if (s.upper) set &= v.upper[w];
#pragma unroll
  for (int e = 0; e < L; e++) {
    const u64 *row = v.row(e, bound[e]);
    if (s.near >> e & 1) set &= row[w];
    if (s.absent >> e & 1) set &= ~row[w];
    if ((s.apart | s.absent) >> e & 1) set &= v.others(e, bound[e], w);
    if (s.above >> e & 1) set &= v.above(e, bound[e], w);
  }
  return set;
}

// addSizes adds to the sizes of what sets of the tail have in common, some of them each as bits, those of a word.
template <int C> static __device__ __forceinline__ void addSizes(const u64 (&sets)[C], u32 (&sizes)[1 << C]) {
#pragma unroll
  for (int m = 1; m < 1 << C; m++) {
    u64 all = ~0ull;
#pragma unroll
    for (int c = 0; c < C; c++) all &= m >> c & 1 ? sets[c] : ~0ull;
    sizes[m] += __popcll(all);
  }
}

// addTerms adds up the terms, by the sizes that each lane's words have; C is Dense.tailCount.
template <int G, int C> static __device__ __forceinline__ void addTerms(const Dense &d, const View &v, u32 (&sizes)[1 << C], Count &count) {
  if (C == 1 && d.linear) {
    count.add(sizes[1]);
    return;
  }
#pragma unroll
  for (int m = 1; m < 1 << C; m++) sizes[m] = sum<G>(sizes[m], v.lanes);
  if (v.lane) return;
  u64 all = 0;
  for (u32 t = 0; t < d.termCount; t++) {
    const DenseTerm &term = d.terms[t];
    u64 product = term.factor;
    for (u32 i = 0; i < term.count; i++) {
      u32 size = 0;
#pragma unroll
      for (int m = 1; m < 1 << C; m++) size = term.sizes[i] == m ? sizes[m] : size;
      product *= size;
    }
    all += product;
  }
  count.add(all);
}

// finish adds up the terms with all L levels bound.
template <int G, int C, int L, class V> static __device__ __forceinline__ void finish(const Dense &d, const V &v, const u32 (&bound)[MOST_LEVELS], Count &count) {
  u32 sizes[1 << C];
#pragma unroll
  for (int m = 0; m < 1 << C; m++) sizes[m] = 0;
  for (u32 w = v.lane; w < v.words; w += G) {
    u64 sets[C];
#pragma unroll
    for (int c = 0; c < C; c++) sets[c] = members<L>(v, d.tail[c], bound, w);
    addSizes<C>(sets, sizes);
  }
  addTerms<G, C>(d, v, sizes, count);
}

// Visit binds level L and those behind it, up to M. G lanes work together, on a word each; one lane alone where there is one word.
template <int G, int C, int M, int L> struct Visit {
  template <class V> static __device__ __forceinline__ void run(const Dense &d, const V &v, u32 (&bound)[MOST_LEVELS], Count &count) {
    const bool SPLIT = L == 2 && M > 3;
    u32 pass = SPLIT ? v.part : 0;   // members of other parts, before the next
    for (u32 first = 0; first < v.words; first += G) {
      u64 mine = first + v.lane < v.words ? members<L>(v, d.levels[L], bound, first + v.lane) : 0;
      u32 some = G == 1 ? mine != 0 : __ballot_sync(v.lanes, mine != 0) & v.lanes;
      while (some) {
        u32 from = G == 1 ? 0 : __ffs(some) - 1;
        some &= some - 1;
        u64 set = G == 1 ? mine : __shfl_sync(v.lanes, mine, from & (G - 1), G);
        u32 place = (first + (G == 1 ? 0 : from & (G - 1))) * 64;
        while (true) {
          if (SPLIT) {
            for (; pass && set; pass--) set &= set - 1;
          }
          if (!set) break;
          bound[L] = place + __ffsll(set) - 1;
          set &= set - 1;
          if (SPLIT) pass = v.parts - 1;
          Visit<G, C, M, L + 1>::run(d, v, bound, count);
        }
      }
    }
  }
};

template <int G, int C, int M> struct Visit<G, C, M, M> {
  template <class V> static __device__ __forceinline__ void run(const Dense &d, const V &v, u32 (&bound)[MOST_LEVELS], Count &count) {
    finish<G, C, M>(d, v, bound, count);
  }
};

// narrow is what a lane's word of a set keeps when level L is bound to b, whose own word is row.
template <int L, class V> static __device__ __forceinline__ u64 narrow(const V &v, const DenseSet &s, u64 set, u64 row, u32 b) {
  if (s.near >> L & 1) set &= row;
  if (s.absent >> L & 1) set &= ~row;
  if ((s.apart | s.absent) >> L & 1) set &= v.others(L, b, v.lane);
  if (s.above >> L & 1) set &= v.above(L, b, v.lane);
  return set;
}

// Narrow binds level L and those behind it where a lane has a word of each set: with are those of the levels from L on, and then of the tail. Each binding narrows
// them once, for all that is bound behind it.
template <int G, int C, int M, int L> struct Narrow {
  template <class V> static __device__ __forceinline__ void run(const Dense &d, const V &v, const u64 (&with)[M - L + C], Count &count) {
    const bool SPLIT = L == 2 && M > 3;
    u32 pass = SPLIT ? v.part : 0;   // members of other parts, before the next
    u32 some = G == 1 ? with[0] != 0 : __ballot_sync(v.lanes, with[0] != 0);
    while (some) {
      u32 from = G == 1 ? 0 : __ffs(some) - 1;
      some &= some - 1;
      u64 set = G == 1 ? with[0] : __shfl_sync(v.lanes, with[0], from);
      while (true) {
        if (SPLIT) {
          for (; pass && set; pass--) set &= set - 1;
        }
        if (!set) break;
        u32 b = 64 * from + __ffsll(set) - 1;
        set &= set - 1;
        if (SPLIT) pass = v.parts - 1;
        u64 row = v.lane < v.words ? v.row(L, b)[v.lane] : 0, next[M - L - 1 + C];
#pragma unroll
        for (int i = 0; i < M - L - 1 + C; i++) {
          const DenseSet &s = i < M - L - 1 ? d.levels[L + 1 + i] : d.tail[i - (M - L - 1)];
          next[i] = narrow<L>(v, s, with[i + 1], row, b);
        }
        Narrow<G, C, M, L + 1>::run(d, v, next, count);
      }
    }
  }
};

template <int G, int C, int M> struct Narrow<G, C, M, M> {
  template <class V> static __device__ __forceinline__ void run(const Dense &d, const V &v, const u64 (&with)[C], Count &count) {
    u32 sizes[1 << C];
#pragma unroll
    for (int m = 0; m < 1 << C; m++) sizes[m] = 0;
    addSizes<C>(with, sizes);
    addTerms<G, C>(d, v, sizes, count);
  }
};

// select is the place of the k-th bit of a word that has more.
static __device__ __forceinline__ u32 select(u64 word, u32 k) {
  u32 place = 0, x = u32(word), low = __popc(x);
  if (k >= low) {
    k -= low;
    place = 32;
    x = u32(word >> 32);
  }
#pragma unroll
  for (u32 half = 16; half; half >>= 1) {
    u32 bits = x & ((1u << half) - 1), n = __popc(bits);
    bool up = k >= n;
    k -= up ? n : 0;
    place += up ? half : 0;
    x = up ? x >> half : bits;
  }
  return place;
}

// Units are what the first two levels may be bound to, or the one there is, in order: prefix has how many there are with the first level
// bound to an earlier neighbour, and all of them behind the last.

// unitsOf is how many units there are with one neighbour at the first level, of words from the lane's on, every G-th.
template <int G, int M, class V> static __device__ __forceinline__ u32 unitsOf(const Dense &d, const V &v, u32 first) {
  if (!v.mayBegin(d, first)) return 0;
  if (M == 1) return v.lane == 0;
  u32 bound[MOST_LEVELS] = {first}, n = 0;
  for (u32 w = v.lane; w < v.words; w += G) n += __popcll(members<1>(v, d.levels[1], bound, w));
  return n;
}

// workOf guesses how often the last level is bound, of the units with one first neighbour and how many there are on average.
template <int M> static __device__ __forceinline__ float workOf(u32 units, float average) {
  float work = units, deeper = min(float(units), 4 * average);
#pragma unroll
  for (int level = 2; level < M; level++) work *= deeper / level;
  return work;
}

// shiftOf is the logarithm of the parts that each unit is cut into, for lanes to have about as much to do: each is expected to bind the last level
// less than share times.
template <int M> static __device__ __forceinline__ u32 shiftOf(float work, u32 units, float share) {
  u32 shift = 0;
  if (M > 3 && units < 1u << 26) {
    while (shift < 5 && work > share * units * (1u << shift)) shift++;
  }
  return shift;
}

// visit counts what has one unit.
template <int G, int C, int M, class V> static __device__ __forceinline__ void visit(const Dense &d, const V &v, const u32 *prefix, u32 unit, Count &count) {
  u32 low = 0;
  for (u32 n = v.firsts(); n > 1;) {   // prefix[low] <= unit; of equal ones the last
    u32 half = n >> 1;
    low += prefix[low + half] <= unit ? half : 0;
    n -= half;
  }
  u32 bound[MOST_LEVELS] = {low};
  if (M == 1) {
    Visit<G, C, M, 1>::run(d, v, bound, count);
    return;
  }
  u32 k = unit - prefix[low], w = 0;
  u64 set = members<1>(v, d.levels[1], bound, 0);
  for (u32 n = __popcll(set); k >= n && w + 1 < v.words; n = __popcll(set)) {
    k -= n;
    set = members<1>(v, d.levels[1], bound, ++w);
  }
  bound[1] = 64 * w + select(set, k);
  if constexpr (M > 2) {
    if (v.words <= G) {
      u64 with[M - 2 + C];
#pragma unroll
      for (int i = 0; i < M - 2 + C; i++) with[i] = v.lane < v.words ? members<2>(v, i < M - 2 ? d.levels[2 + i] : d.tail[i - (M - 2)], bound, v.lane) : 0;
      Narrow<G, C, M, 2>::run(d, v, with, count);
      return;
    }
  }
  Visit<G, C, M, (M > 1 ? 2 : 1)>::run(d, v, bound, count);
}

// defer leaves a piece to the next launch, as so many parts, if there is room. One thread.
static __device__ bool defer(Dense &d, const Dense &own, u32 root, u32 part, u32 parts, float share) {
  u32 n = u32(min(max(share, 1.0f), 256.0f));
  u64 first = atomicAdd(&d.deferred, u64(n));
  if (first + n > own.deferredRoom) {   // what is behind the room counts as nothing
    for (u64 i = first; i < first + n && i < own.deferredRoom; i++) at<u64>(own.deferredPieces)[i] = 0;
    return false;
  }
  for (u32 i = 0; i < n; i++) at<u64>(own.deferredPieces)[first + i] = u64(root) | u64(part * n + i) << 32 | u64(parts * n) << 48;
  return true;
}
