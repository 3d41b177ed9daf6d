// What making a Core (core.cu) and counting in it (dense.cu) have in common.
#pragma once
#include "partition.cuh"

static __device__ __forceinline__ u32 degreeOf(const Partition &p, u32 row) { return word(p.offsets, row + 1) - word(p.offsets, row); }

// leadsUp reports whether an edge from a row with so many neighbours leads up to another.
static __device__ __forceinline__ bool leadsUp(const Partition &p, u32 from, u32 neighbours, u32 to) {
  u32 others = degreeOf(p, to);
  return others > neighbours || (others == neighbours && to > from);
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
