// Patching: a partition made of another one, which stays, and of what came and went. The host knows which rows were touched,
// which neighbours came to them and went, and what shape the result has; where that lies in the lists is found here.
//
// patch_places: a thread an edit; it searches the row's list. Random reads, a few hundred for each thousand edits.
// patch_lists: copies the lists. A block takes tiles of 2,048 neighbours; in most of them nothing was touched, and they are moved by one
// shift, 4 bytes read and 4 written a neighbour. In the others each neighbour's shift is searched among the tile's edits.
// patch_rows: the same for row vertices and offsets: 8 bytes read and 8 written a row.
// index_bitmap, index_hash: the row layer of the new row vertices. A bitmap's word is a search and up to 32 vertices in a row; a hash
// entry is a random atomic. row_vertices: the row vertices of a bitmap.
//
// Skew does not matter: a hub's list is a stretch like any other. Ceiling: memory bandwidth, twice the partition's size.
// Launched in that order on one stream; each reads what those before it wrote.
#include "partition.cuh"

const u32 TILE = 2048;

// upTo is the number of elements of a sorted array that are not above v.
static __device__ __forceinline__ u32 upTo(const u32 *list, u32 n, u32 v) {
  u32 low = 0;
  while (n > 0) {
    u32 half = n >> 1;
    bool right = list[low + half] <= v;
    low = right ? low + half + 1 : low;
    n = right ? n - half - 1 : half;
  }
  return low;
}

static __device__ __forceinline__ u32 offsetOf(const Partition &p, u32 row) { return p.offsets ? word(p.offsets, row) : row; }

static __device__ __forceinline__ u32 vertexOf(const Partition &p, u32 row) {
  return p.layer == LAYER_RANGE ? p.base + row : word(p.vertices, row);
}

// came and went say of an edit or a touched row, by the sums before it and behind it, whether it is new or gone.
static __device__ __forceinline__ bool came(const u32 *shifts, u32 i) { return shifts[i + 1] - shifts[i] == 1; }
static __device__ __forceinline__ bool went(const u32 *shifts, u32 i) { return shifts[i + 1] - shifts[i] == NONE; }

extern "C" __global__ void __launch_bounds__(BLOCK) patch_places(u64 patch) {
  const Patch &p = *at<const Patch>(patch);
  const u32 *firsts = at<const u32>(p.firsts), *rowShifts = at<const u32>(p.rowShifts);
  for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < p.edits; k += gridDim.x * BLOCK) {
    u32 t = upTo(firsts, p.rows, k) - 1, row = at<const u32>(p.before)[t];
    u32 place = offsetOf(p.from, row);
    if (!came(rowShifts, t)) {
      u32 size = offsetOf(p.from, row + 1) - place;
      place += lowerBound(at<const u32>(p.from.neighbours) + place, size, at<const u32>(p.neighbours)[k]);
    }
    at<u32>(p.places)[k] = place;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) patch_lists(u64 patch) {
  const Patch &p = *at<const Patch>(patch);
  const u32 *from = at<const u32>(p.from.neighbours), *places = at<const u32>(p.places), *shifts = at<const u32>(p.shifts);
  u32 *to = at<u32>(p.to.neighbours);
  u32 n = p.from.edges;
  for (u64 first = u64(blockIdx.x) * TILE; first < n; first += u64(gridDim.x) * TILE) {
    u32 end = u32(min(first + TILE, u64(n)));
    u32 low = upTo(places, p.edits, u32(first)), high = low + upTo(places + low, p.edits - low, end - 1);
    // An edit at the tile's first place may be its deletion: such a tile is not moved whole.
    bool whole = low == high && (low == 0 || places[low - 1] != u32(first));
    u32 shift = shifts[low];
    if (whole && end - first == TILE) {
      u32 kept[TILE / BLOCK];
#pragma unroll
      for (u32 i = 0; i < TILE / BLOCK; i++) kept[i] = __ldg(from + first + i * BLOCK + threadIdx.x);
#pragma unroll
      for (u32 i = 0; i < TILE / BLOCK; i++) to[u32(first + i * BLOCK + threadIdx.x + shift)] = kept[i];
      continue;
    }
    for (u32 i = u32(first) + threadIdx.x; i < end; i += BLOCK) {
      u32 k = low + upTo(places + low, high - low, i);
      if (k && places[k - 1] == i && went(shifts, k - 1)) continue;
      to[u32(i + shifts[k])] = __ldg(from + i);
    }
  }
  for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < p.edits; k += gridDim.x * BLOCK)
    if (came(shifts, k)) to[u32(places[k] + shifts[k])] = at<const u32>(p.neighbours)[k];
}

// put writes a row of the new partition, whose list begins at an offset.
static __device__ __forceinline__ void put(const Partition &to, u32 row, u32 vertex, u32 offset) {
  if (to.vertices) at<u32>(to.vertices)[row] = vertex;
  if (to.offsets) at<u32>(to.offsets)[row] = offset;
}

extern "C" __global__ void __launch_bounds__(BLOCK) patch_rows(u64 patch) {
  const Patch &p = *at<const Patch>(patch);
  const u32 *before = at<const u32>(p.before), *rowShifts = at<const u32>(p.rowShifts);
  const u32 *firsts = at<const u32>(p.firsts), *shifts = at<const u32>(p.shifts);
  u32 n = p.from.rows, self = blockIdx.x * BLOCK + threadIdx.x;
  for (u64 first = u64(blockIdx.x) * TILE; first < n; first += u64(gridDim.x) * TILE) {
    u32 end = u32(min(first + TILE, u64(n)));
    u32 low = upTo(before, p.rows, u32(first)), high = low + upTo(before + low, p.rows - low, end - 1);
    for (u32 row = u32(first) + threadIdx.x; row < end; row += BLOCK) {
      u32 t = low + upTo(before + low, high - low, row);   // touched rows up to this one, new ones before it
      if (t && before[t - 1] == row && !came(rowShifts, t - 1)) {
        if (went(rowShifts, t - 1)) continue;
        t--;
      }
      put(p.to, row + rowShifts[t], vertexOf(p.from, row), offsetOf(p.from, row) + shifts[firsts[t]]);
    }
  }
  for (u32 t = self; t < p.rows; t += gridDim.x * BLOCK)
    if (came(rowShifts, t))
      put(p.to, before[t] + rowShifts[t], at<const u32>(p.vertices)[t], offsetOf(p.from, before[t]) + shifts[firsts[t]]);
  if (self == 0 && p.to.offsets) at<u32>(p.to.offsets)[p.to.rows] = p.to.edges;
  if (p.to.layer == LAYER_HASH)
    for (u64 i = self; i < p.to.words; i += u64(gridDim.x) * BLOCK) at<u32>(p.to.index)[i] = NONE;
}

// Word w of a bitmap has the vertices base + 32 w and on; it lies in block w / 7 behind the count.
extern "C" __global__ void __launch_bounds__(BLOCK) index_bitmap(u64 patch) {
  const Partition &to = at<const Patch>(patch)->to;
  const u32 *vertices = at<const u32>(to.vertices);
  u32 *index = at<u32>(to.index);
  u64 n = u64(to.words / 8) * 7;
  for (u64 w = u64(blockIdx.x) * BLOCK + threadIdx.x; w < n; w += u64(gridDim.x) * BLOCK) {
    u64 first = to.base + 32 * w;
    u32 row = first <= NONE ? lowerBound(vertices, to.rows, u32(first)) : to.rows, bits = 0;
    if (w % 7 == 0) index[w / 7 * 8] = row;
    for (; row < to.rows && vertices[row] - first < 32; row++) bits |= 1u << (vertices[row] - u32(first));
    index[w / 7 * 8 + 1 + w % 7] = bits;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) index_hash(u64 patch) {
  const Patch &p = *at<const Patch>(patch);
  const u32 *vertices = at<const u32>(p.to.vertices);
  u32 *index = at<u32>(p.to.index), buckets = p.to.words / 8, most = 0;
  for (u32 row = blockIdx.x * BLOCK + threadIdx.x; row < p.to.rows; row += gridDim.x * BLOCK) {
    u32 v = vertices[row], b = hashVertex(v, buckets);
    for (u32 probe = 1, placed = 0; !placed; probe++) {
      for (u32 i = 0; i < 4 && !placed; i++) {
        if (atomicCAS(index + 8ull * b + i, NONE, v) == NONE) {
          index[8ull * b + 4 + i] = row;
          placed = 1;
        }
      }
      most = max(most, probe);
      if (++b == buckets) b = 0;
    }
  }
  if (most) atomicMax(at<u32>(p.probes), most);
}

extern "C" __global__ void __launch_bounds__(BLOCK) row_vertices(u64 index, u64 words, u64 base, u64 rows, u64 vertices) {
  u64 n = words / 8 * 7;
  for (u64 w = u64(blockIdx.x) * BLOCK + threadIdx.x; w < n; w += u64(gridDim.x) * BLOCK) {
    u64 block = w / 7 * 8;
    u32 row = word(index, block);
    for (u64 i = 1; i <= w % 7; i++) row += __popc(word(index, block + i));
    for (u32 bits = word(index, block + 1 + w % 7); bits && row < rows; bits &= bits - 1)
      at<u32>(vertices)[row++] = u32(base + 32 * w) + __ffs(bits) - 1;
  }
}
