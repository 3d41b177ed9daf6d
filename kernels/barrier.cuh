// A barrier across the grid, for launches of which all blocks are resident (cooperative launch): 1 to 2 microseconds.
#pragma once
#include "layout.cuh"

// barrier waits for all blocks of the launch; waits is 0 at first, and so is State.arrived, which the last block to leave sees to.
static __device__ void barrier(Program &p, u32 &waits) {
  __syncthreads();
  if (threadIdx.x == 0) {
    waits += gridDim.x;
    __threadfence();
    atomicAdd(&p.state.arrived, 1u);
    while (*(volatile u32 *)&p.state.arrived < waits) {
    }
    __threadfence();
  }
  __syncthreads();
}
