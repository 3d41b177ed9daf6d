// What tables of groups have in common (combine.cu, sum.cu): open ones with linear probing, of slots with a key, 0 where they are free.
#pragma once
#include <cub/block/block_scan.cuh>
#include "partition.cuh"

typedef cub::BlockScan<u32, BLOCK> CountScan;

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

// moveSlots takes the groups of a table, Slot[slots], over to another, which has none of them.
template <typename Slot>
static __device__ void moveSlots(Slot *to, u64 mask, const Slot *from, u64 slots) {
  for (u64 i = u64(blockIdx.x) * BLOCK + threadIdx.x; i < slots; i += u64(gridDim.x) * BLOCK) {
    Slot s = from[i];
    u32 made = 0;
    if (s.key) to[placeOf(to, mask, s.key, made)] = s;
  }
}

// listSlots has the groups of a listing's table that are wanted written, each to a place of its own: a block takes LIST_CHUNK slots at a time.
template <typename Slot, typename Of, typename Wanted, typename Write>
static __device__ void listSlots(Of &l, Wanted wanted, Write write) {
  const u32 each = LIST_CHUNK / BLOCK;
  __shared__ CountScan::TempStorage scan;
  __shared__ u64 begin, base;
  const Slot *groups = at<const Slot>(l.groups);
  u64 mask = l.mask;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) begin = listClaim(l);
    __syncthreads();
    if (begin > mask) break;
    bool used[each];
    u32 mine = 0, before, all;
    for (u32 k = 0; k < each; k++) {
      u64 i = begin + k * BLOCK + threadIdx.x;
      used[k] = i <= mask && groups[i].key && wanted(groups[i]);
      mine += used[k];
    }
    CountScan(scan).ExclusiveSum(mine, before, all);
    if (threadIdx.x == 0) base = all ? atomicAdd(&l.listed, u64(all)) : 0;
    __syncthreads();
    u64 to = base + before;
    for (u32 k = 0; k < each; k++)
      if (used[k]) write(to++, groups[begin + k * BLOCK + threadIdx.x]);
  }
}
