// What IDs stand for, by tables of numbers (sum.cu, sift.cu).
#pragma once
#include "layout.cuh"

// doubled is twice what an ID stands for, or NO_NUMBER. first is the first range.
static __device__ __forceinline__ u64 doubled(const NumberRange *numbers, u32 ranges, const NumberRange &first, u32 id) {
  if (id - first.first < first.count) return __ldg(at<const unsigned long long>(first.doubles) + (id - first.first));
  for (u32 i = 1; i < ranges; i++) {
    u32 place = id - numbers[i].first;
    if (place < numbers[i].count) return __ldg(at<const unsigned long long>(numbers[i].doubles) + place);
  }
  return NO_NUMBER;
}
