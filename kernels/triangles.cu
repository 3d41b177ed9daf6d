// Triangles of one label's edges, of any directions (layout.cuh's Triangles; match.Triangle says what they weigh).
//
// Each three vertices are met once, at the edge of the least and the middle one, whose upper lists (their neighbours of more neighbours) are
// intersected: the shorter one is walked, its members are looked for among those of the longer, which are a table of hashes in shared memory for all
// that are walked.
//
// triangle_fill writes the upper lists, with the edges between both ends in two bits, and triangle_walks which lists are walked where. A
// warp owns a vertex, also a hub, as this is done once for a graph: it counts, takes room, and writes. Reads: both lists twice, of each member its
// number, random, and a search in the other list; writes 4 bytes a member and 8 a vertex, each.
//
// triangle_count: a list of up to WARP_ROOM members is a warp's, with an eighth of the block's table; a longer one is the block's, whose warps
// take 32 lists to walk at a time, and one that does not fit is taken in portions. The highest numbers are taken first, one by one, as their lists
// are long. Lists are in no order.
//
// Where the lists do not fit the device, they are counted by (a block nested loops join): a block of the lists that are walked is there, and all
// vertices' own lists pass by in chunks (first, vertices; own, via), for each block.
//
// Reads 4 bytes in order for each member walked (the sum over edges of the shorter list), from the second level cache mostly, and a word of shared
// memory or several. The ceiling is that of instructions.
#include "partition.cuh"
#include "tally.cuh"

const u32 SLOTS = 2 * MOST_TRIANGLE_ROOM, WARP_SLOTS = SLOTS / WARPS, WARP_ROOM = WARP_SLOTS / 4;

static __device__ __forceinline__ u64 listOf(u64 lists, u32 number) { return __ldg(at<const u64>(lists) + number); }

// partOf is listOf where only offsets may be known.
static __device__ __forceinline__ u64 partOf(const Triangles &q, u64 lists, u32 number) {
  if (!q.offsets) return listOf(lists, number);
  u32 begin = word(lists, number);
  return begin | u64(word(lists, u64(number) + 1) - begin) << 32;
}

// each calls f with an entry for each member of a list that is wanted; one that the other list has too is not the second's. A warp; f is called
// by all lanes, with NONE where there is nothing.
template <typename W, typename F>
static __device__ __forceinline__ void each(const Triangles &q, const List &one, const List &other, bool second, W wanted, F f) {
  u32 lane = threadIdx.x & 31;
  for (u32 i = lane; i - lane < one.size; i += 32) {
    u32 entry = NONE;
    if (i < one.size) {
      u32 x = element(one.begin, i), to = word(q.numbers, x);
      if (wanted(to)) {
        bool both = contains(other, x);
        if (!second || !both) entry = to << 2 | (both ? 3 : second ? 2 : 1);
      }
    }
    f(entry);
  }
}

// collect writes a list of entries that are wanted, and where it is. A warp.
template <typename W>
static __device__ void collect(const Triangles &q, const List &out, const List &in, u64 lists, u64 to, u64 *filled, u32 number, W wanted) {
  u32 lane = threadIdx.x & 31, n = 0;
  auto count = [&](u32 entry) { n += __popc(__ballot_sync(~0u, entry != NONE)); };
  each(q, out, in, false, wanted, count);
  each(q, in, out, true, wanted, count);
  u64 begin = 0;
  if (lane == 0 && n) begin = atomicAdd(filled, u64(n));
  begin = __shfl_sync(~0u, begin, 0);
  if (lane == 0) at<u64>(lists)[number] = begin | u64(n) << 32;
  if (!n) return;
  auto write = [&](u32 entry) {
    u32 votes = __ballot_sync(~0u, entry != NONE);
    if (entry != NONE) at<u32>(to)[begin + __popc(votes & ((1u << lane) - 1))] = entry;
    begin += __popc(votes);
  };
  each(q, out, in, false, wanted, write);
  each(q, in, out, true, wanted, write);
}

// loop adds what a vertex's edge to itself takes part in, where it has one. A warp.
static __device__ void loop(Triangles &q, u32 v, const List &out, const List &in) {
  if (!contains(out, v)) return;
  u32 lane = threadIdx.x & 31, both = 0;
  for (u32 i = lane; i - lane < out.size; i += 32) {
    u32 x = i < out.size ? element(out.begin, i) : v;
    both += __popc(__ballot_sync(~0u, x != v && contains(in, x)));
  }
  if (lane) return;
  atomicAdd(&q.loops, 1ull);
  atomicAdd(&q.loopOut, u64(out.size - 1));
  atomicAdd(&q.loopIn, u64(in.size - 1));
  atomicAdd(&q.loopBoth, u64(both));
}

extern "C" __global__ void __launch_bounds__(BLOCK) triangle_fill(u64 triangles) {
  Triangles &q = *at<Triangles>(triangles);
  const Partition &outs = *at<const Partition>(q.out), &ins = *at<const Partition>(q.in);
  for (u64 i = u64(blockIdx.x) * WARPS + (threadIdx.x >> 5); i < q.vertices; i += u64(gridDim.x) * WARPS) {
    u32 number = u32(i), v = word(q.order, i);
    List out = neighbours(outs, v), in = neighbours(ins, v);
    collect(q, out, in, q.lists, q.to, &q.filled, number, [&](u32 to) { return to > number; });
    loop(q, v, out, in);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) triangle_walks(u64 triangles) {
  Triangles &q = *at<Triangles>(triangles);
  const Partition &outs = *at<const Partition>(q.out), &ins = *at<const Partition>(q.in);
  for (u64 i = u64(blockIdx.x) * WARPS + (threadIdx.x >> 5); i < q.vertices; i += u64(gridDim.x) * WARPS) {
    u32 number = u32(i), v = word(q.order, i), n = u32(listOf(q.lists, number) >> 32);
    collect(q, neighbours(outs, v), neighbours(ins, v), q.walks, q.via, &q.walked, number, [&](u32 to) {
      u32 size = u32(listOf(q.lists, to) >> 32);
      return size && (size < n || size == n && to > number);
    });
  }
}

// Table is a part of the block's shared memory: entries by their numbers, NONE where there is none.
struct Table {
  u32 *slots;
  u32 shift, mask;
  __device__ __forceinline__ u32 place(u32 number) const { return number * 0x9E3779B1u >> shift; }

  // size sets how many slots there are: four for each of n, at least 32, at most a number.
  __device__ __forceinline__ void size(u32 n, u32 most) {
    u32 slots = 32;
    while (slots < 4 * n && slots < most) slots *= 2;
    mask = slots - 1;
    shift = 32 - __popc(mask);
  }

  __device__ __forceinline__ void add(u32 entry) {
    u32 at = place(entry >> 2);
    while (atomicCAS(slots + at, NONE, entry) != NONE) at = at + 1 & mask;
  }

  // find is a number's entry; NONE where it has none.
  __device__ __forceinline__ u32 find(u32 number) const {
    u32 at = place(number), entry = slots[at];
    while (entry != NONE && entry >> 2 != number) entry = slots[at = at + 1 & mask];
    return entry;
  }
};

// closing is the weight of the triangles of a number and a third vertex in its table, by the lists that are walked there, every step-th 32 of them.
// A warp.
static __device__ __forceinline__ u64 closing(const Triangles &q, const Table &table, u32 number, u64 walks, u32 first, u32 step) {
  u32 lane = threadIdx.x & 31, n = u32(walks >> 32);
  const u32 *via = at<const u32>(q.via) + u32(walks), *to = at<const u32>(q.to);
  u64 sum = 0;
  for (u32 i = first; i < n; i += step) {
    u32 mine = i + lane < n ? __ldg(via + i + lane) : 0;
    u64 list = i + lane < n && (mine >> 2) - q.low < q.span ? partOf(q, q.lists, mine >> 2) : 0;
    for (u32 k = 0; k < min(32u, n - i); k++) {
      u64 other = __shfl_sync(~0u, list, k);
      u32 end = __shfl_sync(~0u, mine, k), edges = end & 3, size = u32(other >> 32);
      // The table's edges are those of the least vertex where this one is it, and those of the middle one where the other is.
      bool least = end >> 2 > number;
      u64 weights = q.weights[least ? edges : edges >> 1 | (edges & 1) << 1];
      u32 far = least ? 16 : 4, near = least ? 4 : 16;
      const u32 *begin = to + u32(other);
      for (u32 j = lane; j < size; j += 128) {
        u32 entry[4];
#pragma unroll
        for (u32 part = 0; part < 4; part++) entry[part] = j + 32 * part < size ? __ldg(begin + j + 32 * part) : NONE;
#pragma unroll
        for (u32 part = 0; part < 4; part++) {
          if (entry[part] == NONE) continue;
          u32 met = table.find(entry[part] >> 2);
          if (met != NONE) sum += weights >> ((entry[part] & 3) * far + (met & 3) * near) & 15;
        }
      }
    }
  }
  return sum;
}

// light counts at a vertex with few members. A warp.
static __device__ u64 light(const Triangles &q, u32 *slots, u32 v, u64 list, u64 walks) {
  u32 lane = threadIdx.x & 31, n = u32(list >> 32);
  Table table = {slots};
  table.size(n, WARP_SLOTS);
  for (u32 i = lane; i <= table.mask; i += 32) slots[i] = NONE;
  __syncwarp();
  for (u32 i = lane; i < n; i += 32) table.add(word(q.own, u64(u32(list)) + i));
  __syncwarp();
  u64 sum = closing(q, table, v, walks, 0, 32);
  __syncwarp();
  return sum;
}

// heavy counts at a vertex with many. A block.
static __device__ u64 heavy(const Triangles &q, u32 *slots, u32 v, u64 list, u64 walks) {
  u32 n = u32(list >> 32);
  u64 sum = 0;
  for (u32 first = 0; first < n; first += q.room) {
    u32 portion = min(q.room, n - first);
    Table table = {slots};
    table.size(portion, SLOTS);
    for (u32 i = threadIdx.x; i <= table.mask; i += BLOCK) slots[i] = NONE;
    __syncthreads();
    for (u32 i = threadIdx.x; i < portion; i += BLOCK) table.add(word(q.own, u64(u32(list)) + first + i));
    __syncthreads();
    sum += closing(q, table, v, walks, threadIdx.x & ~31u, BLOCK);
    __syncthreads();
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK) triangle_count(u64 program, u64 triangles) {
  __shared__ u32 slots[SLOTS];
  __shared__ u64 taken;
  Program &p = *at<Program>(program);
  Triangles &d = *at<Triangles>(triangles);
  const Triangles &q = d;
  u64 begun = now(), deadline = begun + q.slice, sum = 0;
  u64 pieces = u64(q.heavy) + (u64(q.vertices - q.first - q.heavy) + q.atOnce - 1) / q.atOnce;
  while (true) {
    if (threadIdx.x == 0) taken = now() < deadline ? atomicAdd(&d.next, 1ull) : pieces;
    __syncthreads();
    u64 piece = taken;
    __syncthreads();
    if (piece >= pieces) break;
    u32 end = q.vertices - u32(piece), first = end - 1;
    if (piece >= q.heavy) {
      end = q.vertices - q.heavy - u32(piece - q.heavy) * q.atOnce;
      first = end - min(end - q.first, q.atOnce);
    }
    bool alone = end - first == 1;   // then all warps have it
    u32 most = alone ? 0 : WARP_ROOM;
    for (u32 v = first; v < end; v++) {
      u64 list = partOf(q, q.ownLists, v), walks = partOf(q, q.walks, v);
      if (list >> 32 > most && walks >> 32) sum += heavy(q, slots, v, list, walks);
    }
    if (alone) continue;
    for (u32 v = first + (threadIdx.x >> 5); v < end; v += WARPS) {
      u64 list = partOf(q, q.ownLists, v), walks = partOf(q, q.walks, v);
      if (list >> 32 <= most && walks >> 32) sum += light(q, slots + (threadIdx.x >> 5) * WARP_SLOTS, v, list, walks);
    }
    __syncthreads();
  }
  addParts(sum, &p.state.count, &p.state.countHigh);
  leave(p, begun, &d.next, pieces);
}
