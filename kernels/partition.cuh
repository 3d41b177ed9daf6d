// Finding N(v, l): the row layers of a partition, the lists that links name, and membership in them.
//
// One thread does one lookup. Bytes: a Bitmap lookup reads one 32-byte block and two offsets, a Hash lookup one 32-byte
// bucket or more, a Group lookup up to 128 bytes, a List log2(rows) words; the ceiling is that of random 32-byte reads.
// Nothing here trusts a number that came out of a table column: any vertex or label may be asked for.
#pragma once
#include "layout.cuh"

// now is the device's clock, in nanoseconds.
static __device__ __forceinline__ u64 now() {
  u64 t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

struct List {
  u64 begin;
  u32 size;
};

template <typename T>
static __device__ __forceinline__ T *at(u64 address) { return reinterpret_cast<T *>(address); }

static __device__ __forceinline__ u32 word(u64 address, u64 i) { return __ldg(at<const u32>(address) + i); }

static __device__ __forceinline__ u32 hashVertex(u32 v, u32 n) { return u32((u64(v * 0x9E3779B1u) * n) >> 32); }

// lowerBound is the number of elements of a sorted array that are below v.
static __device__ __forceinline__ u32 lowerBound(const u32 *list, u32 n, u32 v) {
  u32 low = 0;
  while (n > 0) {
    u32 half = n >> 1;
    bool right = __ldg(list + low + half) < v;
    low = right ? low + half + 1 : low;
    n = right ? n - half - 1 : half;
  }
  return low;
}

static __device__ __forceinline__ u32 rowInBitmap(const Partition &p, u32 v) {
  u32 x = v - p.base, bit = x % 224, w = bit >> 5;
  u64 first = u64(x / 224) * 8;
  if (first + 8 > p.words) return NONE;
  const uint4 *block = at<const uint4>(p.index) + first / 4;
  uint4 a = __ldg(block), b = __ldg(block + 1);
  u32 words[7] = {a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  u32 here = 0, row = a.x;
#pragma unroll
  for (u32 i = 0; i < 7; i++) {
    here = i == w ? words[i] : here;
    row += i < w ? __popc(words[i]) : 0;
  }
  if (!(here >> (bit & 31) & 1)) return NONE;
  return row + __popc(here & ((1u << (bit & 31)) - 1));
}

static __device__ u32 rowInHash(const Partition &p, u32 v) {
  u32 buckets = p.words / 8;
  if (v == NONE || buckets == 0) return NONE;
  u32 b = hashVertex(v, buckets);
  for (u32 probe = 0; probe < p.probes; probe++) {
    const uint4 *bucket = at<const uint4>(p.index) + u64(b) * 2;
    uint4 k = __ldg(bucket), r = __ldg(bucket + 1);
    if (k.x == v) return r.x;
    if (k.y == v) return r.y;
    if (k.z == v) return r.z;
    if (k.w == v) return r.w;
    if (k.w == NONE) return NONE;
    if (++b == buckets) b = 0;
  }
  return NONE;
}

static __device__ u32 rowInGroup(const Partition &p, u32 v) {
  u32 groups = p.words / 32;
  if (v == NONE || groups == 0) return NONE;
  u32 g = hashVertex(v, groups);
  for (u32 probe = 0; probe < p.probes && g < groups; probe++) {
    const uint4 *group = at<const uint4>(p.index) + u64(g) * 8;
    u32 next = NONE;
    for (u32 i = 0; i < 8; i++) {
      uint4 x = __ldg(group + i);
      if (x.x == v) return x.y;
      if (i == 7) { next = x.z; break; }
      if (x.z == v) return x.w;
    }
    g = next;
  }
  return NONE;
}

// rowOf returns the row of v, or NONE.
static __device__ __forceinline__ u32 rowOf(const Partition &p, u32 v) {
  u32 row = NONE;
  switch (p.layer) {
  case LAYER_RANGE: row = v - p.base; break;
  case LAYER_BITMAP: row = rowInBitmap(p, v); break;
  case LAYER_HASH: row = rowInHash(p, v); break;
  case LAYER_LIST: {
    u32 i = lowerBound(at<const u32>(p.vertices), p.rows, v);
    if (i < p.rows && word(p.vertices, i) == v) row = i;
    break;
  }
  case LAYER_DIRECT: {
    u32 x = v - p.base;
    if (x < p.words) row = word(p.index, x);
    break;
  }
  case LAYER_GROUP: row = rowInGroup(p, v); break;
  }
  return row < p.rows ? row : NONE;
}

static __device__ __forceinline__ const Page *pageAt(const Pages *p) { return reinterpret_cast<const Page *>(p + 1); }

// pageOf is the page of a row: the first of its neighbourhood, or one of those behind it where lists are long.
static __device__ __forceinline__ u32 pageOf(const Pages *p, u32 row) {
  u32 page = word(p->pageOf, row >> p->shift);
  while (row >= __ldg(&pageAt(p)[page].end)) page++;
  return page;
}

static __device__ __forceinline__ List rowList(const Partition &p, u32 row) {
  if (row == NONE) return {0, 0};
#ifdef PAGED
  if (p.pages) {
    const Pages *pages = at<const Pages>(p.pages);
    const Page &page = pageAt(pages)[pageOf(pages, row)];
    if (!p.offsets) return {page.neighbours + u64(row) * 4, 1};
    u32 low = word(page.offsets, row), high = word(page.offsets, u64(row) + 1);
    return {page.neighbours + u64(low) * 4, high - low};
  }
#endif
  if (!p.offsets) return {p.neighbours + u64(row) * 4, 1};
  u32 low = word(p.offsets, row), high = word(p.offsets, row + 1);
  return {p.neighbours + u64(low) * 4, high - low};
}

static __device__ __forceinline__ List neighbours(const Partition &p, u32 v) { return rowList(p, rowOf(p, v)); }

// element is a list's i-th member; the list may lie in a table that this launch wrote, so it is not read past the caches.
static __device__ __forceinline__ u32 element(u64 begin, u64 i) {
  return begin & VIRTUAL ? u32(begin) + u32(i) : at<const u32>(begin)[i];
}

static __device__ __forceinline__ u32 below(const List &l, u32 v) {
  if (l.begin & VIRTUAL) {
    u32 first = u32(l.begin);
    return v <= first ? 0 : min(v - first, l.size);
  }
  return lowerBound(at<const u32>(l.begin), l.size, v);
}

// narrow cuts a list to the members from low to below high (0: no bound).
static __device__ __forceinline__ List narrow(List l, u32 low, u32 high) {
  if (high) l.size = below(l, high);
  if (low) {
    u32 skip = below(l, low);
    l.begin += l.begin & VIRTUAL ? skip : 4ull * skip;
    l.size -= skip;
  }
  return l;
}

// containsWord is contains for lists that lie in memory: it searches the 16-byte quads that a list lies in and looks at all
// four members of one at once: two loads fewer than a search to the end. Allocations are longer than their lists, so whole quads can be read.
static __device__ __forceinline__ bool containsWord(const List &l, u32 v) {
  if (l.size == 0) return false;
  u32 skip = u32(l.begin >> 2) & 3, end = skip + l.size;
  const uint4 *quad = at<const uint4>(l.begin & ~15ull);
  u32 n = (end + 3) >> 2, low = 0;
  while (n > 1) {
    u32 half = n >> 1;
    low += __ldg(&quad[low + half].x) <= v ? half : 0;
    n -= half;
  }
  uint4 q = __ldg(quad + low);
  u32 place = 4 * low;
  u32 hit = (q.x == v ? 1u : 0) | (q.y == v ? 2u : 0) | (q.z == v ? 4u : 0) | (q.w == v ? 8u : 0);
  if (place < skip) hit &= ~0u << (skip - place);
  if (place + 4 > end) hit &= (1u << (end - place)) - 1;
  return hit != 0;
}

static __device__ __forceinline__ bool contains(const List &l, u32 v) {
  return l.begin & VIRTUAL ? v - u32(l.begin) < l.size : containsWord(l, v);
}

static __device__ __forceinline__ u32 value(const Operand &o, u64 row, u32 candidate) {
  if (o.kind == COLUMN) return at<const u32>(o.column)[row];
  return o.kind == CANDIDATE ? candidate : o.constant;
}

// partitionOf finds a label's partition by its number among the labels in use.
static __device__ __forceinline__ const Partition *partitionOf(const Program &p, u32 label, u32 direction) {
  u32 slot = rowOf(at<const Partition>(p.incident)[4], label);
  return slot == NONE ? nullptr : at<const Partition>(p.partitions) + 2ull * slot + direction;
}

// resolve returns the list that a link names for a row.
static __device__ List resolve(const Program &p, const Link &l, u64 row, u32 candidate) {
  if (l.kind == LIST) return {l.listAt, u32(l.length)};
  if (l.kind == NUMBERS) return {VIRTUAL | l.listAt, u32(l.length)};
  if (l.kind == EDGE_LABELS) {
    const Partition *incident = at<const Partition>(p.incident) + l.direction;
    u32 r = rowOf(*incident, value(l.from, row, candidate));
    if (r == NONE) return {0, 0};
    return rowList(incident[2], word(incident->neighbours, r));
  }
  const Partition *part = l.partition ? at<const Partition>(l.partition)
                                      : partitionOf(p, value(l.label, row, candidate), l.direction);
  if (!part) return {0, 0};
  if (l.kind == NEIGHBOURS) return neighbours(*part, value(l.from, row, candidate));
  return part->layer == LAYER_RANGE ? List{VIRTUAL | part->base, part->rows} : List{part->vertices, part->rows};
}

// factor is how many members of a link's list count.
static __device__ u32 factor(const Program &p, const Link &l, u64 row, u32 candidate) {
  List list = narrow(resolve(p, l, row, candidate), l.low, l.high);
  const Operand *except = at<const Operand>(l.except);
  u32 n = list.size;
  for (u32 i = 0; i < l.exceptCount && n; i++) n -= contains(list, value(except[i], row, candidate));
  return n;
}

// member reports whether a candidate lies in the list that a link names for a row; bound has left the list in the
// link's own columns.
static __device__ __forceinline__ bool member(const Program &p, const Link &l, u64 row, u32 candidate) {
  switch (l.kind) {
  case LIST:
    if (l.bitmap) return word(l.bitmap, candidate >> 5) >> (candidate & 31) & 1;
    return contains({l.listAt, u32(l.length)}, candidate);
  case NUMBERS: return candidate - u32(l.listAt) < u32(l.length);
  case ROWS: {
    const Partition *part = l.partition ? at<const Partition>(l.partition)
                                        : partitionOf(p, value(l.label, row, candidate), l.direction);
    return part && rowOf(*part, candidate) != NONE;
  }
  }
  return contains({at<const u64>(l.begin)[row], at<const u32>(l.size)[row]}, candidate);
}

// hasEdge reports whether from --label--> to is in the graph; long lists are tried from the other end.
static __device__ bool hasEdge(const Program &p, u32 from, u32 label, u32 to) {
  const Partition *part = partitionOf(p, label, 0);
  if (!part) return false;
  List out = neighbours(*part, from);
  if (out.size > 64) {
    List in = neighbours(part[1], to);
    if (in.size < out.size) return contains(in, from);
  }
  return out.size && contains(out, to);
}

static __device__ __forceinline__ bool holds(const Program &p, const Check &c, u64 row, u32 v) {
  return hasEdge(p, value(c.from, row, v), value(c.label, row, v), value(c.to, row, v)) == !c.absent;
}

static __device__ bool sameEdge(const Pair &q, u64 row, u32 v) {
  return value(q.a.from, row, v) == value(q.b.from, row, v) && value(q.a.label, row, v) == value(q.b.label, row, v) &&
         value(q.a.to, row, v) == value(q.b.to, row, v);
}
