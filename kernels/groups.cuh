// What tables of groups have in common (combine.cu, sum.cu): open ones with linear probing, of slots with a key, 0 where they are free.
#pragma once
#include "layout.cuh"

const u64 NO_CHUNK = ~0ull;

// mix spreads a key over 64 bits.
static __device__ __forceinline__ u64 mix(u64 key) {
  key = (key ^ key >> 32) * 0xD6E8FEB86659FD93ull;
  key = (key ^ key >> 32) * 0xD6E8FEB86659FD93ull;
  return key ^ key >> 32;
}

// placeOf is the slot of a key's group, which it makes where there is none.
template <typename Slot>
static __device__ u64 placeOf(Slot *groups, u64 mask, u64 key, u32 &made) {
  for (u64 i = mix(key) >> 16 & mask;; i = (i + 1) & mask) {
    u64 old = *(volatile u64 *)&groups[i].key;
    if (!old) {
      old = atomicCAS(&groups[i].key, 0ull, key);
      made += !old;
    }
    if (!old || old == key) return i;
  }
}

// listClaim takes the next slots, or none: there are no others, or no room for what all blocks may write. Thread 0 only.
template <typename Of>
static __device__ u64 listClaim(Of &l) {
  if (*(volatile u64 *)&l.listed + u64(gridDim.x) * LIST_CHUNK > l.room || *(volatile u64 *)&l.next > l.mask) return NO_CHUNK;
  return atomicAdd(&l.next, u64(LIST_CHUNK));
}
