// Extend: the second half of Prealloc-Combine. Every candidate of every row is tested; those that pass become rows of
// the next table, or are counted.
//
// Work is spread over candidates: a block takes a ticket of one to four tiles of up to 1024 consecutive candidates, finds the items (rows) that
// they belong to, and gives each thread one candidate at a time. Skew is harmless: a long list is many tiles, many short
// lists are one. The passing candidates of a tile are staged in shared memory, so that one atomic addition a tile gives
// them their place and every column is written in whole lines.
//
// Bytes per candidate: 4 of its list, and per tested list log2(size) words (cached for rows that share the list), or one
// word of a bitmap; per row out, 8 for every column kept. Ceiling: about 100 to 140 G candidates/s when nothing is tested.
//
// A tile is claimed only while the next table has room for what all blocks may still add, so the table never
// overflows and no work is repeated; what is not claimed stays for the next visit.
//
// WARP_PER_ROW is the published assignment, a warp for each row, kept to compare with.
#pragma once
#include "bound.cuh"

static __device__ __forceinline__ u64 now() {
  u64 t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

// Visit is what one extend phase needs beside the step.
struct Visit {
  u64 items, candidates;
  u32 tile;
  u64 *next;        // tickets
  u64 *out;         // rows in the next table
  u32 *expired;
  u64 deadline, limit;
};

// Steps with no more lists and unequal columns than these, and nothing else to test, take the short path (extendLists).
const u32 MOST_LISTS = 4, MOST_DISTINCT = 8;
// Below this number of candidates the short path's preparation does not pay.
const u64 FEW_CANDIDATES = 1 << 16;

struct TileShared {
  u32 relative[MAX_TILE];   // where an item's candidates begin in the tile
  u32 row[MAX_TILE];
  u64 begin[MAX_TILE];
  u32 outRow[MAX_TILE], outVertex[MAX_TILE];
  u32 warpCount[WARPS];
  u64 ticket, firstItem, base;
  u32 items;
  // Of extendLists alone; what warp 0 finds for the next tile is kept apart from what the others still read.
  u64 begins[MOST_LISTS], sizes[MOST_LISTS], distinct[MOST_DISTINCT];
  u64 tickets[2], firstItems[2], nextItem;
  unsigned char chosen[MAX_TILE];
};

// tileOf is the number of candidates of a ticket: one tile, smaller where there are too few to keep all blocks busy, and
// several where there are very many, for every ticket costs an atomic addition and a search.
static __device__ __forceinline__ u32 tileOf(const Program &p, u64 candidates) {
  u64 fair = (candidates / (2ull * p.blocks) + BLOCK - 1) / BLOCK * BLOCK;
  u64 many = candidates / (16ull * p.blocks) / MAX_TILE * MAX_TILE;
  return u32(min(u64(p.tile), max(min(fair, u64(MAX_TILE)), max(many, u64(BLOCK)))));
}

const u64 NO_TICKET = ~0ull;

// claim takes the next ticket, or none: no work left, no room, enough rows, or time is up. Thread 0 only.
static __device__ u64 claim(const Program &p, const Step &s, const Visit &v, u64 tickets, u64 mostRows) {
  if (s.mode == EXTEND) {
    u64 out = *(volatile u64 *)v.out;
    if (out + gridDim.x * mostRows > s.capacity || out >= v.limit) return NO_TICKET;
  }
  if (now() > v.deadline) {
    *(volatile u32 *)v.expired = 1;
    return NO_TICKET;
  }
  u64 ticket = atomicAdd(v.next, 1ull);
  return ticket < tickets ? ticket : NO_TICKET;
}

// findItem is run by warp 0: the last item whose candidates begin at or before c.
static __device__ u64 findItem(const u64 *prefix, u64 items, u64 c) {
  u64 low = 0, n = items;   // prefix[low] <= c, answer in [low, low + n)
  u32 lane = threadIdx.x & 31;
  while (n > 1) {
    u64 stride = (n + 31) / 32;
    u64 probe = low + lane * stride;
    bool fits = lane * stride < n && prefix[probe] <= c;
    u32 last = 31 - __clz(__ballot_sync(~0u, fits));
    low += last * stride;
    n = min(stride, n - last * stride);
  }
  return low;
}

// passes tests everything but the list the candidate came from.
static __device__ bool passes(const Program &p, const Step &s, u64 row, u32 v, u32 chosen) {
  if (s.bitmap && !(word(s.bitmap, v >> 5) >> (v & 31) & 1)) return false;
  const Operand *distinct = at<const Operand>(s.distinct);
  for (u32 i = 0; i < s.distinctCount; i++)
    if (value(distinct[i], row, v) == v) return false;
  const Link *links = at<const Link>(s.links);
  for (u32 i = 0; i < s.linkCount; i++)
    if (i != chosen && !member(p, links[i], row, v)) return false;
  const Check *checks = at<const Check>(s.checks);
  for (u32 i = 0; i < s.checkCount; i++)
    if (!holds(p, checks[i], row, v)) return false;
  const Pair *pairs = at<const Pair>(s.pairs);
  for (u32 i = 0; i < s.pairCount; i++)
    if (sameEdge(pairs[i], row, v)) return false;
  return true;
}

// firstSeen reports that a row which came out is not known to have come out before. The row's columns, two at most, are
// the whole key, so nothing else is ever dropped; a slot keeps the last row that fell on it, so repeats may get through.
static __device__ __forceinline__ bool firstSeen(const Step &s, u64 row, u32 v) {
  const Copy *copies = at<const Copy>(s.copies);
  u64 key = 0;
  for (u32 i = 0; i < s.copyCount; i++) key = key << 32 | at<const u32>(copies[i].from)[row];
  if (s.store) key = key << 32 | v;
  u64 *slot = at<u64>(s.seen) + (u32((key * 0x9E3779B97F4A7C15ull) >> 32) & s.seenMask);
  if (*(volatile u64 *)slot == key + 1) return false;
  return atomicExch(slot, key + 1) != key + 1;
}

// addWeight adds the product of the factors of a candidate that passed.
static __device__ __forceinline__ void addWeight(Program &p, const Step &s, u64 row, u32 v, u64 &count) {
  u64 w = 1;
  for (u32 i = 0; i < s.factorCount && w; i++) {
    u64 f = factor(p, at<const Link>(s.factors)[i], row, v);
    if (__umul64hi(w, f)) p.state.overflowed = 1;
    w *= f;
  }
  count += w;
  if (count < w) p.state.overflowed = 1;
}

// flush writes the staged rows of all warps to the next table; warp w's are at w * stride.
static __device__ void flush(const Step &s, const Visit &v, TileShared &t, u32 mine, u32 stride) {
  u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (lane == 0) t.warpCount[warp] = mine;
  __syncthreads();
  u32 before = 0, total = 0;
#pragma unroll
  for (u32 w = 0; w < WARPS; w++) {
    before += w < warp ? t.warpCount[w] : 0;
    total += t.warpCount[w];
  }
  if (threadIdx.x == 0 && total) t.base = atomicAdd(v.out, u64(total));
  __syncthreads();
  u64 base = t.base + before;
  if (base + mine > s.capacity) return;   // warp per row only: the count tells the host
  const Copy *copies = at<const Copy>(s.copies);
  for (u32 i = 0; i < s.copyCount; i++) {
    const u32 *from = at<const u32>(copies[i].from);
    u32 *to = at<u32>(copies[i].to) + base;
    for (u32 e = lane; e < mine; e += 32) to[e] = from[t.outRow[warp * stride + e]];
  }
  if (s.store)
    for (u32 e = lane; e < mine; e += 32) at<u32>(s.store)[base + e] = t.outVertex[warp * stride + e];
}

// loadItems brings the items of the tile that begins at candidate c into shared memory.
static __device__ void loadItems(const Step &s, const Visit &v, TileShared &t, u64 c, u32 n) {
  const u64 *prefix = at<const u64>(s.prefix);
  if (v.items == 1) {
    if (threadIdx.x == 0) t.firstItem = 0;
  } else if (threadIdx.x < 32) {
    u64 item = findItem(prefix, v.items, c);
    if (threadIdx.x == 0) t.firstItem = item;
  }
  if (threadIdx.x == 0) t.items = 0;
  __syncthreads();
  const Link *links = at<const Link>(s.links);
  for (u32 i = threadIdx.x; i < n; i += BLOCK) {
    u64 item = t.firstItem + i;
    if (item >= v.items) break;
    u64 start = prefix[item];
    if (start >= c + n) break;
    u32 row = at<const u32>(s.item)[item];
    u32 chosen = s.linkCount == 1 ? 0 : at<const unsigned short>(s.choice)[row];
    u64 begin = at<const u64>(links[chosen].begin)[row];
    if (start < c) begin += (c - start) * (begin & VIRTUAL ? 1 : 4);
    t.relative[i] = start < c ? 0 : u32(start - c);
    t.row[i] = row;
    t.begin[i] = begin;
    atomicMax(&t.items, i + 1);
  }
  __syncthreads();
}

static __device__ void extendTiles(Program &p, const Step &s, const Visit &v, TileShared &t, u64 &count) {
  u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, perWarp = MAX_TILE / WARPS;
  u64 tiles = (v.candidates + v.tile - 1) / v.tile;
  for (;;) {
    if (threadIdx.x == 0) t.ticket = claim(p, s, v, tiles, v.tile);
    __syncthreads();
    u64 ticket = t.ticket;
    if (ticket == NO_TICKET) break;
    u64 end = min((ticket + 1) * v.tile, v.candidates);
    for (u64 c = ticket * v.tile; c < end; c += MAX_TILE) {
      u32 n = u32(min(u64(MAX_TILE), end - c)), mine = 0;
      loadItems(s, v, t, c, n);
      // Neighbouring lanes test neighbouring members.
      for (u32 k = warp * 32; k < n; k += BLOCK) {
        u32 x = k + lane, row = 0, vertex = 0;
        bool pass = false;
        if (x < n) {
          u32 low = 0, size = t.items;
          while (size > 1) {
            u32 half = size >> 1;
            bool right = t.relative[low + half] <= x;
            low = right ? low + half : low;
            size = right ? size - half : half;
          }
          row = t.row[low];
          vertex = element(t.begin[low], x - t.relative[low]);
          u32 chosen = s.linkCount == 1 ? 0 : at<const unsigned short>(s.choice)[row];
          pass = passes(p, s, row, vertex, chosen) && (!s.seen || firstSeen(s, row, vertex));
        }
        if (s.mode != EXTEND) {
          if (pass) addWeight(p, s, row, vertex, count);
          continue;
        }
        u32 votes = __ballot_sync(~0u, pass);
        if (pass) {
          u32 e = warp * perWarp + mine + __popc(votes & ((1u << lane) - 1));
          t.outRow[e] = row;
          t.outVertex[e] = vertex;
        }
        mine += __popc(votes);
      }
      if (s.mode == EXTEND) {
        __syncwarp();
        flush(s, v, t, mine, perWarp);
      }
      __syncthreads();
    }
  }
  __syncthreads();
}

// prepareLists puts the addresses that a step's tests read into shared memory, and reports whether extendLists can run it.
static __device__ bool prepareLists(const Step &s, const Visit &v, TileShared &t) {
  if (v.candidates < FEW_CANDIDATES) return false;
  bool can = true;
  u32 i = threadIdx.x, d = i - 32;
  if (i < s.linkCount && i < MOST_LISTS) {
    const Link &l = at<const Link>(s.links)[i];
    can = l.kind == NEIGHBOURS || l.kind == EDGE_LABELS;
    t.begins[i] = l.begin;
    t.sizes[i] = l.size;
  } else if (i >= 32 && d < s.distinctCount && d < MOST_DISTINCT) {
    const Operand &o = at<const Operand>(s.distinct)[d];
    can = o.kind == COLUMN;
    t.distinct[d] = o.column;
  } else if (i == 64) {
    can = !s.bitmap && !s.seen && !s.checkCount && !s.pairCount && s.linkCount <= MOST_LISTS && s.distinctCount <= MOST_DISTINCT;
  }
  return __syncthreads_and(can);
}

// inLists tests a candidate against the row's unequal columns and its other lists.
static __device__ __forceinline__ bool inLists(const TileShared &t, u32 links, u32 distinct, u32 row, u32 v, u32 chosen) {
  bool pass = true;
  for (u32 i = 0; i < distinct; i++) pass &= at<const u32>(t.distinct[i])[row] != v;
  for (u32 i = 1; i < links && pass; i++) {
    u32 other = chosen + i < links ? chosen + i : chosen + i - links;
    pass = containsWord({at<const u64>(t.begins[other])[row], at<const u32>(t.sizes[other])[row]}, v);
  }
  return pass;
}

// nextTile is run by warp 0: the next ticket and its first item.
static __device__ void nextTile(const Program &p, const Step &s, const Visit &v, TileShared &t, u64 tiles, u32 side) {
  u32 lane = threadIdx.x & 31;
  u64 ticket = lane == 0 ? claim(p, s, v, tiles, v.tile) : 0;
  ticket = __shfl_sync(~0u, ticket, 0);
  u64 item = 0;
  if (ticket != NO_TICKET && v.items > 1) item = findItem(at<const u64>(s.prefix), v.items, ticket * v.tile);
  if (lane == 0) {
    t.tickets[side] = ticket;
    t.firstItems[side] = item;
  }
}

// extendLists is extendTiles for steps that test against lists and unequal columns alone. What it does for a candidate is
// a third of the instructions, and instructions are what bounds these steps.
static __device__ void extendLists(Program &p, const Step &s, const Visit &v, TileShared &t, u64 &count) {
  u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, perWarp = MAX_TILE / WARPS;
  u32 links = s.linkCount, distinct = s.distinctCount, factors = s.factorCount, side = 0;
  bool extending = s.mode == EXTEND;
  const u64 *prefix = at<const u64>(s.prefix);
  u64 tiles = (v.candidates + v.tile - 1) / v.tile;
  for (;; side ^= 1) {
    if (warp == 0) nextTile(p, s, v, t, tiles, side);
    __syncthreads();
    if (t.tickets[side] == NO_TICKET) break;
    u64 c = t.tickets[side] * v.tile, end = min(c + v.tile, v.candidates), first = t.firstItems[side];
    for (; c < end; c += MAX_TILE) {
      u32 n = u32(min(u64(MAX_TILE), end - c)), mine = 0;
      for (u32 i = threadIdx.x; i < n && first + i < v.items; i += BLOCK) {
        u64 start = prefix[first + i];
        if (start >= c + n) break;
        u64 stop = prefix[first + i + 1];
        if (stop >= c + n) {
          t.items = i + 1;
          t.nextItem = first + i + (stop == c + n);
        }
        u32 row = at<const u32>(s.item)[first + i];
        u32 chosen = links == 1 ? 0 : at<const unsigned short>(s.choice)[row];
        u64 begin = at<const u64>(t.begins[chosen])[row];
        t.relative[i] = start < c ? 0 : u32(start - c);
        t.row[i] = row;
        t.begin[i] = start < c ? begin + (c - start) * 4 : begin;
        t.chosen[i] = (unsigned char)chosen;
      }
      __syncthreads();
      u32 items = t.items;
      first = t.nextItem;
      for (u32 k = warp * 32; k < n; k += BLOCK) {
        u32 x = k + lane, row = 0, vertex = 0;
        bool pass = false;
        if (x < n) {
          u32 low = 0;
          for (u32 size = items; size > 1;) {
            u32 half = size >> 1;
            low += t.relative[low + half] <= x ? half : 0;
            size -= half;
          }
          row = t.row[low];
          vertex = word(t.begin[low], x - t.relative[low]);
          pass = inLists(t, links, distinct, row, vertex, t.chosen[low]);
        }
        if (!extending) {
          if (pass) {
            if (factors) addWeight(p, s, row, vertex, count);
            else count++;
          }
          continue;
        }
        u32 votes = __ballot_sync(~0u, pass);
        if (pass) {
          u32 e = warp * perWarp + mine + __popc(votes & ((1u << lane) - 1));
          t.outRow[e] = row;
          t.outVertex[e] = vertex;
        }
        mine += __popc(votes);
      }
      if (extending) {
        __syncwarp();
        flush(s, v, t, mine, perWarp);
      }
      if (c + MAX_TILE < end) __syncthreads();
    }
  }
  __syncthreads();
}

// extendRows gives a warp one row at a time. A ticket is WARPS rows; their lists must fit the next table whole.
static __device__ void extendRows(Program &p, const Step &s, const Visit &v, TileShared &t, u64 &count) {
  u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, perWarp = MAX_TILE / WARPS;
  u64 tickets = (v.items + WARPS - 1) / WARPS;
  for (;;) {
    if (threadIdx.x == 0) t.ticket = claim(p, s, v, tickets, 0);
    __syncthreads();
    if (t.ticket == NO_TICKET) break;
    u64 item = t.ticket * WARPS + warp;
    u32 row = 0, chosen = 0, n = 0;
    u64 begin = 0;
    if (item < v.items) {
      row = at<const u32>(s.item)[item];
      chosen = s.linkCount == 1 ? 0 : at<const unsigned short>(s.choice)[row];
      const Link &l = at<const Link>(s.links)[chosen];
      begin = at<const u64>(l.begin)[row];
      n = at<const u32>(l.size)[row];
    }
    if (lane == 0) t.warpCount[warp] = n;
    __syncthreads();
    u32 longest = 0;
    for (u32 w = 0; w < WARPS; w++) longest = max(longest, t.warpCount[w]);
    __syncthreads();
    for (u32 start = 0; start < longest; start += perWarp) {
      u32 mine = 0;
      for (u32 k = start; k < min(n, start + perWarp); k += 32) {
        u32 x = k + lane, vertex = 0;
        bool pass = false;
        if (x < min(n, start + perWarp)) {
          vertex = element(begin, x);
          pass = passes(p, s, row, vertex, chosen) && (!s.seen || firstSeen(s, row, vertex));
        }
        if (s.mode != EXTEND) {
          if (pass) addWeight(p, s, row, vertex, count);
          continue;
        }
        u32 votes = __ballot_sync(~0u, pass);
        if (pass) {
          u32 e = warp * perWarp + mine + __popc(votes & ((1u << lane) - 1));
          t.outRow[e] = row;
          t.outVertex[e] = vertex;
        }
        mine += __popc(votes);
      }
      if (s.mode == EXTEND) {
        __syncwarp();
        flush(s, v, t, mine, perWarp);
        __syncthreads();
      }
    }
  }
  __syncthreads();
}

// extend runs the phase until the candidates are used up or claim refuses.
static __device__ void extend(Program &p, const Step &s, const Visit &v, TileShared &t) {
  __shared__ typename Reduce::TempStorage reduce;
  u64 count = 0;
  if (s.strategy == WARP_PER_ROW)
    extendRows(p, s, v, t, count);
  else if (prepareLists(s, v, t))
    extendLists(p, s, v, t, count);
  else
    extendTiles(p, s, v, t, count);
  if (s.mode == EXTEND) return;
  u64 low = Reduce(reduce).Sum(count & 0xFFFFFFFF);
  __syncthreads();
  u64 high = Reduce(reduce).Sum(count >> 32);
  if (threadIdx.x == 0 && low) atomicAdd(&p.state.count, low);
  if (threadIdx.x == 0 && high) atomicAdd(&p.state.countHigh, high);
}
