// Sums that stop at the largest number of 64 bits.
#pragma once
#include "layout.cuh"

// plus is the sum of two numbers, up to the largest.
static __device__ __forceinline__ u64 plus(u64 a, u64 b) { return a + b < a ? ~0ull : a + b; }

// addTo adds to a number that other threads add to.
static __device__ void addTo(u64 *number, u64 more) {
  u64 old = more ? *(volatile u64 *)number : 0;
  while (more) {
    u64 was = atomicCAS(number, old, plus(old, more));
    if (was == old) return;
    old = was;
  }
}
