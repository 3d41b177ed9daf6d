// Cycles of four edges, counted by paths of two (layout.cuh's Squares; match.Squares says what is counted where).
//
// square_fill writes the lists by numbers. A warp owns a list, 32 members at a time, also a hub's, as this is done once for a count. Reads: each
// member, and its number, random; writes 4 bytes a member.
//
// square_count: a block owns a vertex, which is the greatest of the solutions it counts there, and has a counter for each vertex; the highest
// numbers are taken first, one by one, as they are most of the work. fill counts the paths of two edges to each lesser vertex, read adds up the
// counters where the paths of the other side end, and a third walk empties them, or a sweep where that is less. Where the paths of both sides are
// the same (readCount 0), each counter adds its square and is emptied in one walk, unless a sweep is less. A warp has a middle vertex, and
// its lanes the list of that one, four loads under way each. Lists are in no order: members that are not lesser are read in vain (R-MAT with 12 M
// edges: a sixth). What is left are corners that are one vertex, for which the vertex's own lists are marked in the counters, a bit each.
//
// Reads and writes: for each path 4 bytes of a list, in order, and a counter, random, three times; with v vertices the counters of a block are 4v bytes,
// far more than the caches hold where v is large. The ceiling is that of random 32-byte sectors.
#include "partition.cuh"
#include "tally.cuh"

struct SquareShared {
  u64 piece, walked;
  u32 sizes[5][2];   // what lists of the vertex have in common (SET_*): in all, and of lesser ones
  u32 loops;         // lists that the vertex itself is in
};

// The pairs of lists that matter: both sides of the corners opposite to corner 0, and of those opposite to corner 1; and all of the former.
const u32 SET_NEXT = 0, SET_LAST = 1, SET_NEXT_BUT_ONE = 2, SET_FIRST = 3, SET_BOTH = 4;

extern "C" __global__ void __launch_bounds__(BLOCK) square_fill(u64 squares) {
  const Squares &q = *at<const Squares>(squares);
  u32 lane = threadIdx.x & 31;
  u64 all = u64(q.vertices) * q.listCount, step = u64(gridDim.x) * WARPS;
  for (u64 i = u64(blockIdx.x) * WARPS + (threadIdx.x >> 5); i < all; i += step) {
    const SquareList &list = q.lists[i / q.vertices];
    u32 number = u32(i % q.vertices), begin = word(list.offsets, number), n = word(list.offsets, u64(number) + 1) - begin;
    if (!n) continue;
    List l = neighbours(*at<const Partition>(list.partition), word(q.order, number));
    for (u32 k = lane; k < min(n, l.size); k += 32) at<u32>(list.to)[u64(begin) + k] = word(q.numbers, word(l.begin, k));
  }
}

// walk calls f with the end of each path of two edges from v over lesser vertices; not where these must differ and are one. A block.
template <typename F> static __device__ __forceinline__ u64 walk(const Squares &q, const SquareWalk &path, u32 v, F f) {
  const SquareList &one = q.lists[path.first], &two = q.lists[path.second];
  u32 lane = threadIdx.x & 31, begin = word(one.offsets, v), size = word(one.offsets, u64(v) + 1) - begin;
  u64 read = 0;
  for (u32 i = threadIdx.x >> 5; i < size; i += WARPS) {
    u32 middle = word(one.to, u64(begin) + i);
    if (middle >= v) continue;
    u32 loop = q.different ? middle : NONE, from = word(two.offsets, middle), n = word(two.offsets, u64(middle) + 1) - from;
    read += n;
    for (u32 k = lane; k < n; k += 128) {
      u32 end[4];
#pragma unroll
      for (u32 j = 0; j < 4; j++) end[j] = k + 32 * j < n ? word(two.to, u64(from) + k + 32 * j) : NONE;
#pragma unroll
      for (u32 j = 0; j < 4; j++)
        if (end[j] < v && end[j] != loop) f(end[j]);
    }
  }
  return read;
}

struct Tally {
  u64 n, minus;
  bool over;
  __device__ __forceinline__ void add(u64 more) {
    n += more;
    over |= n < more;
  }
  __device__ __forceinline__ void take(u64 less) {
    minus += less;
    over |= minus < less;
  }
};

// group adds the products of numbers of paths of one group. A block.
static __device__ void group(const Squares &q, const SquareGroup &g, u32 v, u32 *counters, SquareShared &s, Tally &tally) {
  if (threadIdx.x == 0) s.walked = 0;
  __syncthreads();
  u64 walked = 0;
  for (u32 i = 0; i < g.fillCount; i++)
    walked += walk(q, g.fill[i], v, [&](u32 end) { atomicAdd(counters + end, 1u); });
  if ((threadIdx.x & 31) == 0 && walked) atomicAdd(&s.walked, walked);
  __syncthreads();
  walked = s.walked;
  if (!walked) {
    __syncthreads();   // the next group begins with it
    return;
  }
  u64 sum = 0;
  bool same = !g.readCount, sweep = walked > v;
  if (same && !sweep) {
    for (u32 i = 0; i < g.fillCount; i++)
      walk(q, g.fill[i], v, [&](u32 end) {
        u32 n = atomicExch(counters + end, 0u);
        if (n >> 16) for (u32 k = 0; k < g.weight; k++) tally.add(u64(n) * n);
        else sum += n * n;   // fewer than 2^32 times
      });
    for (u32 i = 0; i < g.weight; i++) tally.add(sum);
    __syncthreads();
    return;
  }
  for (u32 i = 0; i < (same ? g.fillCount : g.readCount); i++)
    walk(q, same ? g.fill[i] : g.read[i], v, [&](u32 end) { sum += __ldcg(counters + end); });
  for (u32 i = 0; i < g.weight; i++) tally.add(sum);
  __syncthreads();
  if (sweep) {
    for (u32 i = threadIdx.x; i < v; i += BLOCK) counters[i] = 0;
  } else {
    for (u32 i = 0; i < g.fillCount; i++) walk(q, g.fill[i], v, [&](u32 end) { counters[end] = 0; });
  }
  __syncthreads();
}

// each calls f with the members of a vertex's list. A block.
template <typename F> static __device__ __forceinline__ void each(const SquareList &list, u32 v, F f) {
  u32 begin = word(list.offsets, v), size = word(list.offsets, u64(v) + 1) - begin;
  for (u32 i = threadIdx.x; i < size; i += BLOCK) f(word(list.to, u64(begin) + i));
}

// common fills a row of s.sizes, of members of a list whose counters have all bits of a mask. A block.
static __device__ void common(const Squares &q, u32 list, u32 mask, u32 v, const u32 *counters, u32 (&sizes)[2]) {
  u32 all = 0, lesser = 0;
  each(q.lists[list], v, [&](u32 x) {
    if (x == v || (__ldcg(counters + x) & mask) != mask) return;
    all++;
    lesser += x < v;
  });
  if (all) atomicAdd(&sizes[0], all);
  if (lesser) atomicAdd(&sizes[1], lesser);
}

// returns adds the solutions in which v is more than one corner, and takes those of different corners that are one vertex. A block.
static __device__ void returns(const Squares &q, u32 v, u32 *counters, SquareShared &s, Tally &tally) {
  if (threadIdx.x < 10) s.sizes[threadIdx.x / 2][threadIdx.x & 1] = 0;
  if (threadIdx.x == 0) s.loops = 0;
  __syncthreads();
  for (u32 k = 0; k < q.listCount; k++)
    each(q.lists[k], v, [&](u32 x) {
      if (x == v) atomicOr(&s.loops, 1u << k);
      else if (x < v || q.different) atomicOr(counters + x, 1u << k);
    });
  __syncthreads();
  u32 sets[4];
#pragma unroll
  for (u32 i = 0; i < 4; i++) {
    const u32 corner[] = {0, 2, 1, 3};
    u32 forth = q.forth[corner[i]];
    sets[i] = 1u << forth | 1u << q.back[(corner[i] + 1) & 3];
    common(q, forth, sets[i], v, counters, s.sizes[i]);
  }
  if (q.different) common(q, q.forth[0], sets[SET_NEXT] | sets[SET_LAST], v, counters, s.sizes[SET_BOTH]);
  u32 loops = q.loops ? s.loops : 0;
  if (loops)
    for (u32 i = 0; i < 4; i++)
      if (loops >> q.forth[i] & 1) {
        u32 last = q.back[(i + 3) & 3];
        u64 sum = 0;
        walk(q, {q.forth[(i + 1) & 3], q.forth[(i + 2) & 3]}, v, [&](u32 end) { sum += __ldcg(counters + end) >> last & 1; });
        tally.add(sum);
      }
  __syncthreads();
  if (threadIdx.x == 0) {
    const u32 (&n)[5][2] = s.sizes;
    tally.add(u64(n[SET_NEXT][1]) * n[SET_LAST][1]);
    tally.add(u64(n[SET_NEXT_BUT_ONE][1]) * n[SET_FIRST][1]);
    if (q.different) {
      tally.take(u64(n[SET_NEXT][0]) * n[SET_LAST][0]);
      tally.take(u64(n[SET_NEXT_BUT_ONE][0]) * n[SET_FIRST][0]);
      tally.add(n[SET_BOTH][0]);
    }
    u32 loop = 0;   // edges, as bits
    for (u32 i = 0; i < 4; i++) loop |= (loops >> q.forth[i] & 1) << i;
    for (u32 i = 0; i < 4; i++) {   // three corners, all but i + 3: the loops of edges i and i + 1
      const u32 set[] = {SET_LAST, SET_FIRST, SET_NEXT, SET_NEXT_BUT_ONE};   // from corner i + 2 on
      if (loop >> i & 1 && loop >> ((i + 1) & 3) & 1) tally.add(n[set[i]][1]);
    }
    if (loop == 15) tally.add(1);
  }
  for (u32 k = 0; k < q.listCount; k++)
    each(q.lists[k], v, [&](u32 x) { counters[x] = 0; });
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(BLOCK, 6) square_count(u64 program, u64 squares) {
  __shared__ SquareShared s;
  Program &p = *at<Program>(program);
  Squares &d = *at<Squares>(squares);
  const Squares &q = d;
  u64 begun = now(), deadline = begun + q.slice;
  u64 pieces = u64(q.heavy) + (u64(q.vertices - q.heavy) + q.atOnce - 1) / q.atOnce;
  u32 *counters = at<u32>(q.counters) + u64(blockIdx.x) * q.vertices;
  Tally tally = {0, 0, false};
  while (true) {
    if (threadIdx.x == 0) s.piece = now() < deadline ? atomicAdd(&d.next, 1ull) : pieces;
    __syncthreads();
    u64 piece = s.piece;
    __syncthreads();
    if (piece >= pieces) break;
    u32 end = q.vertices - u32(piece), first = end - 1;
    if (piece >= q.heavy) {
      end = q.vertices - q.heavy - u32(piece - q.heavy) * q.atOnce;
      first = end - min(end, q.atOnce);
    }
    for (u32 v = end; v-- > first;) {
      for (u32 i = 0; i < q.groupCount; i++) group(q, q.groups[i], v, counters, s, tally);
      returns(q, v, counters, s, tally);
    }
  }
  addParts(tally.n, &p.state.count, &p.state.countHigh);
  addParts(tally.minus, &d.minus, &d.minusHigh);
  if (tally.over) p.state.overflowed = 1;
  leave(p, begun, &d.next, pieces);
}
