// Summing: rows of no column, one or two, and one of IDs, become a table of groups with the sum of the numbers that the IDs stand for, exact to 128 bits, how
// many rows there are of each, and the least and the greatest ID, or what has their place in another order. In place of IDs rows may have the numbers themselves (sift.cu), or nothing.
//
// sum_rows takes rows into the table as combine_rows does (combine.cu): an open one with linear probing, a thread a row, a block a chunk of consecutive rows. The
// first NEAR_GROUPS groups that a block meets, by hash, are kept in shared memory and added to the table at its end: their sums have 64 bits there, of which rows
// below NEAR_SUM, MOST_SUMMED of them, can use no more than 63; rows that are worth more, or stand for 2^32 and more, go to the table at once. What an ID stands
// for is read from tables of numbers, 8 bytes an ID. Rows with an ID of no table, or that is no number there, end all: the host does it otherwise.
// Reads 4 bytes a column and row, in order, and 8 of the numbers, mostly from the level-2 cache where there are some millions; a row that is not kept near costs one
// or two accesses of 32 bytes to the table and two to four atomic operations. Ceiling: shared atomics for few groups (two to four a row), random accesses for many. Skew
// does not matter: a group of very many rows costs the table as many additions as there are blocks.
//
// move_sums takes the groups of a table over to a larger one, list_sums writes them out, but for those that are behind a bound: both read the table in order.
#include "sums.cuh"
#include "groups.cuh"
#include "numbers.cuh"

// Near is what a block keeps of the rows that it takes, and where it is.
struct Near {
  u64 key[NEAR_GROUPS];
  u32 countLow[NEAR_GROUPS], countHigh[NEAR_GROUPS];
  u32 low[NEAR_GROUPS], high[NEAR_GROUPS];   // halves of the sum, with a sign
  u32 least[NEAR_GROUPS], greatest[NEAR_GROUPS];
  bool fraction[NEAR_GROUPS];
  u64 begin;
  u32 made;                                  // groups that the block has made since it last said so
  u32 taken;                                 // rows
};

// Number is what a row adds: weight times a number, of 128 bits with a sign.
struct Number {
  u64 weight, low, high;
  bool fraction;
};

// numberOf is what a row adds that stands for weight times half of a number of 128 bits.
static __device__ __forceinline__ Number numberOf(u64 twice, u64 twiceHigh, u64 weight) {
  u64 value = twiceHigh << 63 | twice >> 1, high = u64((long long)(twiceHigh) >> 1);
  return {weight, weight * value, __umul64hi(weight, value) + weight * high, (twice & 1) != 0};
}

// isSmall reports whether a row may be added near.
static __device__ __forceinline__ bool isSmall(const Number &n) {
  return n.low + NEAR_SUM < 2 * NEAR_SUM && n.high == u64((long long)(n.low) >> 63) && n.weight >> 32 == 0;
}

// addHalves adds to a number of two halves.
static __device__ __forceinline__ void addHalves(u32 &low, u32 &high, u64 more) {
  u32 before = atomicAdd(&low, u32(more));
  u32 carry = u32(more >> 32) + (before + u32(more) < before);
  if (carry) atomicAdd(&high, carry);
}

// raise makes a number no less than another.
static __device__ __forceinline__ void raise(u32 *number, u32 to) {
  if (*(volatile u32 *)number < to) atomicMax(number, to);
}

// addNear adds a row to a group that is kept near.
static __device__ __forceinline__ void addNear(bool sums, bool extremes, Near &near, u32 i, u32 id, const Number &n) {
  if (sums) {
    addHalves(near.countLow[i], near.countHigh[i], n.weight);
    addHalves(near.low[i], near.high[i], n.low);
    if (n.fraction) near.fraction[i] = true;
  }
  if (extremes) {
    raise(&near.least[i], ~id);
    raise(&near.greatest[i], id + 1);
  }
}

// addFar adds to a group of the table.
static __device__ void addFar(const Summing &c, Sum *s, const Number &n, u32 least, u32 greatest) {
  if (c.sums) {
    if (!c.weightLow) atomicAdd(&s->count, n.weight);
    else addTo(&s->count, n.weight);
    u64 before = atomicAdd(&s->low, n.low);
    u64 high = n.high + (before + n.low < before);
    if (high) atomicAdd(&s->high, high);
    if (n.fraction) s->fraction = 1;
  }
  if (c.extremes) {
    raise(&s->least, least);
    raise(&s->greatest, greatest);
  }
}

// takeRows takes the rows from begin to below end.
static __device__ void takeRows(Summing &c, Near &near, u64 begin, u64 end, u32 &made) {
  Sum *groups = at<Sum>(c.groups);
  const u32 *first = at<const u32>(c.first), *second = at<const u32>(c.second), *value = at<const u32>(c.value);
  const u32 *weightLow = at<const u32>(c.weightLow), *weightHigh = at<const u32>(c.weightHigh);
  const u64 *numbers = at<const u64>(c.doubled);
  const u32 *ranks = at<const u32>(c.ranks), *ordered = at<const u32>(c.ordered);
  NumberRange range = c.numbers[0];
  u64 mask = c.mask;
  u32 nearMask = c.near - 1;
  bool sums = c.sums, extremes = c.extremes;
  for (u64 row = begin + threadIdx.x; row < end; row += BLOCK) {
    u32 id = value ? value[row] : 0;
    u64 twice = value ? doubled(c.numbers, c.ranges, range, id) : numbers ? numbers[2 * row] : 0, weight = 1, key = first ? first[row] : 0;
    if (value && twice == NO_NUMBER) {
      c.odd = 1;
      return;
    }
    if (ordered) id = ordered[row];
    else if (ranks) id = range.first + __ldg(ranks + (id - range.first));
    if (second) key = key << 32 | second[row];
    if (weightLow) weight = u64(weightHigh[row]) << 32 | weightLow[row];
    Number n = numberOf(twice, value || !numbers ? u64((long long)(twice) >> 63) : numbers[2 * row + 1], weight);
    u32 i = u32(mix(++key)) & nearMask;
    if (isSmall(n)) {
      u64 old = *(volatile u64 *)&near.key[i];
      if (!old) old = atomicCAS(&near.key[i], 0ull, key);
      if (!old || old == key) {
        addNear(sums, extremes, near, i, id, n);
        continue;
      }
    }
    addFar(c, &groups[placeOf(groups, mask, key, made)], n, ~id, id + 1);
  }
}

// addKept adds what is kept near to the table.
static __device__ void addKept(const Summing &c, const Near &near, u32 &made) {
  Sum *groups = at<Sum>(c.groups);
  for (u32 i = threadIdx.x; i < c.near; i += BLOCK) {
    if (!near.key[i]) continue;
    u64 sum = u64(near.high[i]) << 32 | near.low[i];
    Number n = {u64(near.countHigh[i]) << 32 | near.countLow[i], sum, u64((long long)(sum) >> 63), near.fraction[i]};
    addFar(c, &groups[placeOf(groups, c.mask, near.key[i], made)], n, near.least[i], near.greatest[i]);
  }
}

// report tells how many groups the block has made. The caller has waited for all threads. Thread 0 only.
static __device__ void report(Summing &c, Near &near) {
  if (near.made) atomicAdd(&c.used, near.made);
  near.made = 0;
}

// claim takes the next chunk, or none. Thread 0 only.
static __device__ u64 claim(Summing &c, Near &near, u64 deadline) {
  if (*(volatile u64 *)&c.used >= c.most || *(volatile u64 *)&c.next >= c.rows || now() > deadline) return NO_CHUNK;
  if (near.taken + c.chunk > MOST_SUMMED || *(volatile u32 *)&c.odd) return NO_CHUNK;
  near.taken += c.chunk;
  return atomicAdd(&c.next, c.chunk);
}

extern "C" __global__ void __launch_bounds__(BLOCK) sum_rows(u64 summing) {
  __shared__ Near near;
  Summing &c = *at<Summing>(summing);
  u64 deadline = now() + c.slice, rows = c.rows;
  u32 made = 0;
  for (u32 i = threadIdx.x; i < c.near; i += BLOCK) {
    near.key[i] = 0;
    near.countLow[i] = near.countHigh[i] = near.low[i] = near.high[i] = near.least[i] = near.greatest[i] = 0;
    near.fraction[i] = false;
  }
  if (threadIdx.x == 0) near.made = near.taken = 0;
  for (;;) {
    if (made) atomicAdd(&near.made, made);
    made = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
      report(c, near);
      near.begin = claim(c, near, deadline);
    }
    __syncthreads();
    u64 begin = near.begin;
    if (begin >= rows) break;
    takeRows(c, near, begin, min(begin + c.chunk, rows), made);
  }
  addKept(c, near, made);
  if (made) atomicAdd(&near.made, made);
  __syncthreads();
  if (threadIdx.x == 0) report(c, near);
}

// move_sums takes groups, Sum[slots], over to the table of a summing, which has none of them.
extern "C" __global__ void __launch_bounds__(BLOCK) move_sums(u64 summing, u64 groups, u64 slots) {
  const Summing &c = *at<const Summing>(summing);
  moveSlots(at<Sum>(c.groups), c.mask, at<const Sum>(groups), slots);
}

// isBehind reports whether a group is behind a listing's bound.
static __device__ bool isBehind(const SumListing &l, const Sum &s) {
  bool less, equal;
  if (l.by == BY_NONE || s.count == ~0ull) return false;
  if (l.by == BY_MEAN) {
    double bound = __longlong_as_double((long long)(l.boundMean));
    bool small = s.high == u64((long long)(s.low) >> 63);
    double sum = small ? double((long long)(s.low)) : double((long long)(s.high)) * 18446744073709551616.0 + double(s.low);
    double mean = sum / double(s.count);
    less = mean < bound, equal = mean == bound;
  } else {
    long long high = l.by == BY_SUM ? (long long)(s.high) : 0, boundHigh = (long long)(l.boundHigh);
    u64 low = l.by == BY_SUM ? s.low : s.count;
    less = high != boundHigh ? high < boundHigh : low < l.boundLow;
    equal = high == boundHigh && low == l.boundLow;
  }
  return !equal && less == (l.descending != 0);
}

extern "C" __global__ void __launch_bounds__(BLOCK) list_sums(u64 listing) {
  SumListing &l = *at<SumListing>(listing);
  listSlots<Sum>(l, [&](const Sum &s) { return !isBehind(l, s); }, [&](u64 to, const Sum &s) { at<Sum>(l.to)[to] = s; });
}
