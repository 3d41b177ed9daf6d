// Combining: rows of one or two columns become a table of groups, in which equal rows are one, with the sum of their weights. So what
// groups, counts or tells rows apart takes groups over the bus, not rows.
//
// combine_rows takes rows into the table, an open one with linear probing: a thread a row, a block a chunk of consecutive rows. A block
// keeps the first NEAR_GROUPS groups that it meets, by hash, in shared memory and adds them to the table at its end, so that a group of
// very many rows costs no more additions there than there are blocks; what falls on a place that another group has goes to the table at
// once. Blocks stop when the table has used what it may, for the host to make a larger one; they have room for the chunk and the near
// groups that they hold. Reads 4 bytes a column and row, in order; a row that is not kept near costs one access of 32 bytes to the table, and an
// atomic operation where somebody reads the weights. Ceiling: shared memory for few groups, random accesses for many: to the level-2
// cache up to some million groups, to memory beyond.
//
// move_groups takes the groups of a table over to a larger one, list_groups writes them out as columns: both read the table in order.
#include "sums.cuh"
#include "groups.cuh"

// Near is what a block keeps of the rows that it takes, and where it is.
struct Near {
  u64 key[NEAR_GROUPS];
  u32 low[NEAR_GROUPS], high[NEAR_GROUPS];   // halves of the weight
  bool over[NEAR_GROUPS];                    // the weight has more than 64 bits
  u64 begin;
  u32 made;                                  // groups that the block has made since it last said so
};

// keyOf is the key of a row.
static __device__ __forceinline__ u64 keyOf(const Combining &c, u64 row) {
  u64 key = at<const u32>(c.first)[row];
  if (c.second) key = key << 32 | at<const u32>(c.second)[row];
  return key + 1;
}

// addNear adds to the weight of a group that is kept near.
static __device__ __forceinline__ void addNear(Near &near, u32 i, u64 weight) {
  u32 low = u32(weight), before = atomicAdd(&near.low[i], low);
  u64 high = (weight >> 32) + (before + low < before);
  if (high && (atomicAdd(&near.high[i], u32(high)) + high) >> 32) near.over[i] = true;
}

// takeRows takes the rows from begin to below end.
template <bool WEIGHTED>
static __device__ void takeRows(const Combining &c, Near &near, u64 begin, u64 end, u32 &made) {
  Group *groups = at<Group>(c.groups);
  u64 mask = c.mask;
  u32 nearMask = c.near - 1;
  bool sums = c.sums;
  for (u64 row = begin + threadIdx.x; row < end; row += BLOCK) {
    u64 key = keyOf(c, row), weight = 1;
    if (WEIGHTED) weight = u64(at<const u32>(c.weightHigh)[row]) << 32 | at<const u32>(c.weightLow)[row];
    u32 i = u32(mix(key)) & nearMask;
    u64 old = *(volatile u64 *)&near.key[i];
    if (!old) old = atomicCAS(&near.key[i], 0ull, key);
    if (!old || old == key) {
      if (sums) addNear(near, i, weight);
      continue;
    }
    u64 place = placeOf(groups, mask, key, made);
    if (!sums) continue;
    if (WEIGHTED) addTo(&groups[place].weight, weight);
    else atomicAdd(&groups[place].weight, 1ull);
  }
}

// addKept adds what is kept near to the table.
template <bool WEIGHTED>
static __device__ void addKept(const Combining &c, const Near &near, u32 &made) {
  Group *groups = at<Group>(c.groups);
  for (u32 i = threadIdx.x; i < c.near; i += BLOCK) {
    if (!near.key[i]) continue;
    u64 place = placeOf(groups, c.mask, near.key[i], made);
    if (!c.sums) continue;
    u64 weight = near.over[i] ? ~0ull : u64(near.high[i]) << 32 | near.low[i];
    if (WEIGHTED) addTo(&groups[place].weight, weight);
    else atomicAdd(&groups[place].weight, weight);
  }
}

// report tells how many groups the block has made. The caller has waited for all threads. Thread 0 only.
static __device__ void report(Combining &c, Near &near) {
  if (near.made) atomicAdd(&c.used, u64(near.made));
  near.made = 0;
}

// claim takes the next chunk, or none. Thread 0 only.
static __device__ u64 claim(Combining &c, u64 deadline) {
  if (*(volatile u64 *)&c.used >= c.most || *(volatile u64 *)&c.next >= c.rows || now() > deadline) return NO_CHUNK;
  return atomicAdd(&c.next, u64(c.chunk));
}

extern "C" __global__ void __launch_bounds__(BLOCK) combine_rows(u64 combining) {
  __shared__ Near near;
  Combining &c = *at<Combining>(combining);
  u64 deadline = now() + c.slice, rows = c.rows;
  bool weighted = c.weightLow;
  u32 made = 0;
  for (u32 i = threadIdx.x; i < c.near; i += BLOCK) {
    near.key[i] = 0;
    near.low[i] = near.high[i] = 0;
    near.over[i] = false;
  }
  if (threadIdx.x == 0) near.made = 0;
  for (;;) {
    if (made) atomicAdd(&near.made, made);
    made = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
      report(c, near);
      near.begin = claim(c, deadline);
    }
    __syncthreads();
    u64 begin = near.begin;
    if (begin >= rows) break;
    u64 end = min(begin + c.chunk, rows);
    if (weighted) takeRows<true>(c, near, begin, end, made);
    else takeRows<false>(c, near, begin, end, made);
  }
  if (weighted) addKept<true>(c, near, made);
  else addKept<false>(c, near, made);
  if (made) atomicAdd(&near.made, made);
  __syncthreads();
  if (threadIdx.x == 0) report(c, near);
}

// move_groups takes groups, Group[slots], over to the table of a combining, which has none of them.
extern "C" __global__ void __launch_bounds__(BLOCK) move_groups(u64 combining, u64 groups, u64 slots) {
  const Combining &c = *at<const Combining>(combining);
  moveSlots(at<Group>(c.groups), c.mask, at<const Group>(groups), slots);
}

extern "C" __global__ void __launch_bounds__(BLOCK) list_groups(u64 listing) {
  Listing &l = *at<Listing>(listing);
  listSlots<Group>(l, [](const Group &) { return true; }, [&](u64 to, const Group &g) {
    u64 key = g.key - 1;
    at<u32>(l.first)[to] = u32(l.second ? key >> 32 : key);
    if (l.second) at<u32>(l.second)[to] = u32(key);
    if (l.weights) at<u64>(l.weights)[to] = g.weight;
  });
}
