// How kernels that take pieces of work by a counter add up and end.
#pragma once
#include "partition.cuh"

// addParts adds a number to one that is counted by halves. A warp.
static __device__ void addParts(u64 n, u64 *low, u64 *high) {
  u64 a = n & 0xFFFFFFFF, b = n >> 32;
  for (u32 k = 16; k; k >>= 1) {
    a += __shfl_xor_sync(~0u, a, k);
    b += __shfl_xor_sync(~0u, b, k);
  }
  if ((threadIdx.x & 31) == 0 && (a | b)) {
    atomicAdd(low, a);
    atomicAdd(high, b);
  }
}

// leave ends a block; the last one of the launch posts the state. A block.
static __device__ void leave(Program &p, u64 begun, const u64 *next, u64 pieces) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&p.state.exits, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  if (threadIdx.x == 0) {
    __threadfence();
    p.state.status = *(const volatile u64 *)next >= pieces ? DONE : SLICED;
    p.state.exits = p.state.arrived = 0;
    p.state.kernelTime += now() - begun;
    __threadfence();
  }
  __syncthreads();
  if (p.mailbox && threadIdx.x < sizeof(State) / 4)
    at<u32>(p.mailbox)[threadIdx.x] = reinterpret_cast<const volatile u32 *>(&p.state)[threadIdx.x];
  __threadfence_system();
}
