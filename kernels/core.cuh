// What making a Core (core.cu) and counting in it (dense.cu) have in common.
#pragma once
#include "partition.cuh"

static __device__ __forceinline__ u32 degreeOf(const Partition &p, u32 row) { return word(p.offsets, row + 1) - word(p.offsets, row); }

// leadsUp reports whether an edge from a row with so many neighbours leads up to another. AWAY: the core is one that is away, whose rows are in that order.
static __device__ __forceinline__ bool leadsUp(const Partition &p, u32 from, u32 neighbours, u32 to) {
#ifdef AWAY
  return to > from;
#else
  u32 others = degreeOf(p, to);
  return others > neighbours || (others == neighbours && to > from);
#endif
}

// Entries are the lists of a core, or the upper ones, one behind the other; of one that is away those before a place are in host memory.
struct Entries {
  const u32 *here;
#ifdef AWAY
  const u32 *away;
  u32 from;
  __device__ __forceinline__ const u32 *at(u32 place) const { return place < from ? away + place : here + (place - from); }
#else
  __device__ __forceinline__ const u32 *at(u32 place) const { return here + place; }
#endif
  __device__ __forceinline__ u32 operator[](u32 place) const { return __ldg(at(place)); }
};

#ifdef AWAY
static __device__ __forceinline__ Entries listsOf(const Core &c) { return {at<const u32>(c.lists), at<const u32>(c.listsAway), c.listsFrom}; }
static __device__ __forceinline__ Entries upperOf(const Core &c) { return {at<const u32>(c.upper), at<const u32>(c.upperAway), c.upperFrom}; }
#else
static __device__ __forceinline__ Entries listsOf(const Core &c) { return {at<const u32>(c.lists)}; }
static __device__ __forceinline__ Entries upperOf(const Core &c) { return {at<const u32>(c.upper)}; }
#endif

// endsOf is where upper lists end, by row.
static __device__ __forceinline__ const u32 *endsOf(const Core &c) {
#ifdef AWAY
  return at<const u32>(c.ends);
#else
  return at<const u32>(c.starts) + 1;
#endif
}

// blockScan is the sum of the values of the threads before this one, and of all.
static __device__ u32 blockScan(u32 value, u32 &all) {
  __shared__ u32 warps[WARPS];
  u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5, here = value;
  for (u32 d = 1; d < 32; d <<= 1) {
    u32 other = __shfl_up_sync(~0u, here, d);
    here += lane >= d ? other : 0;
  }
  __syncthreads();
  if (lane == 31) warps[warp] = here;
  __syncthreads();
  u32 before = 0;
  all = 0;
  for (u32 w = 0; w < WARPS; w++) {
    before += w < warp ? warps[w] : 0;
    all += warps[w];
  }
  return before + here - value;
}
