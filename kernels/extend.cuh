// Extend: the second half of Prealloc-Combine. Every candidate of every row is tested; those that pass become rows of
// the next table, or are counted.
//
// Work is spread over candidates: a block takes a ticket of one to four tiles of up to 1024 consecutive candidates, finds
// the items (rows) that they belong to, and gives each thread one candidate at a time. Skew is harmless: a long list is many
// tiles, many short lists are one. Which candidates of a tile passed is noted in shared memory, bit by bit, so that one atomic
// addition a tile gives them their place and every column is written in their order. So the rows that came of one row,
// siblings, lie next to one another, and a step behind that needs to know where they are is told (Step.groupFirst); rows
// of no more than Program.whole candidates are then not cut between tickets.
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

// Visit is what one extend phase needs beside the step.
struct Visit {
  u64 items, candidates;
  u32 tile;
  u64 *next;        // tickets
  u64 *out;         // rows in the next table
  u32 *expired;
  u64 deadline, limit;
};

// Steps with no more lists and unequal columns than these, and nothing else to test, take the short path (inLists).
const u32 MOST_LISTS = 6, MOST_DISTINCT = 8;

// TileShared is a block's piece of work: up to WORK_TILE consecutive candidates and the items that they belong to, or up to
// MAX_WHOLE of one item; and which of them passed.
struct TileShared {
  u32 relative[WORK_TILE];               // where an item's candidates begin in the piece
  u32 row[WORK_TILE];
  u64 begin[WORK_TILE];
  unsigned short chosen[WORK_TILE];
  unsigned short item[WORK_TILE];        // by candidate, where it passed and there are several items
  u32 votes[MAX_WHOLE / 32 + 1], before[MAX_WHOLE / 32 + 1];
  u64 base, nextItem;
  u32 items, n, total;
  bool cutFront, cutBack;               // the first, the last item has candidates outside the piece
  // What warp 0 finds for the next ticket is kept apart from what the others still read.
  u64 tickets[2], starts[2], firstItems[2];
  // Of the short path alone.
  u64 begins[MOST_LISTS + 1], sizes[MOST_LISTS], distinct[MOST_DISTINCT];
};

// tileOf is the number of candidates of a ticket: one tile, smaller where there are too few to keep all blocks busy, and
// several where there are very many, for every ticket costs an atomic addition and a search.
static __device__ __forceinline__ u32 tileOf(const Program &p, const Step &s, u64 candidates) {
  u64 fair = (candidates / (2ull * p.blocks) + BLOCK - 1) / BLOCK * BLOCK;
  u64 many = candidates / (16ull * p.blocks) / WORK_TILE * WORK_TILE;
  return u32(min(u64(s.tile), max(min(fair, u64(WORK_TILE)), max(many, u64(BLOCK)))));
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
  bool shared = chosen & SHARED;
  const Operand *distinct = at<const Operand>(s.distinct);
  for (u32 i = 0, n = shared ? s.ownDistinct : s.distinctCount; i < n; i++)
    if (value(distinct[i], row, v) == v) return false;
  const Link *links = at<const Link>(s.links);
  for (u32 i = 0, n = shared ? s.ownLinks : s.linkCount; i < n; i++)
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

// times is the product of two numbers, up to the largest.
static __device__ __forceinline__ u64 times(u64 a, u64 b) { return __umul64hi(a, b) ? ~0ull : a * b; }

#ifdef BRANCHES
// ALONE is how many members of a list a thread looks at by itself; what is behind them is the work of all threads that are there together.
const u32 ALONE = 32;

// Common is what lists have in common: list is the shortest.
struct Common {
  List list, other[MOST_OTHERS];
};

// counts reports whether a member of the shortest list lies in the others, and is none of those that do not count.
static __device__ __forceinline__ bool counts(const Common &c, const Link &l, u32 i, u64 row, u32 v) {
  const Operand *except = at<const Operand>(l.except);
  u32 member = element(c.list.begin, i);
  bool is = true;
  for (u32 k = 0; k < l.otherCount && is; k++) is = contains(c.other[k], member);
  for (u32 k = 0; k < l.exceptCount && is; k++) is = value(except[k], row, v) != member;
  return is;
}

// commonOf is what is said of another of the threads of a mask.
static __device__ __forceinline__ Common commonOf(const Common &mine, u32 otherCount, u32 mask, u32 lane) {
  Common c;
  c.list = {__shfl_sync(mask, mine.list.begin, lane), __shfl_sync(mask, mine.list.size, lane)};
  for (u32 k = 0; k < MOST_OTHERS; k++)
    if (k < otherCount) c.other[k] = {__shfl_sync(mask, mine.other[k].begin, lane), __shfl_sync(mask, mine.other[k].size, lane)};
  return c;
}

// common is how many members that count the lists of a factor and of its others have in common; with any, whether there is one. A thread reads the shortest list
// and searches the others for each of its members; where that is long, the threads that call it together take one such list after the other.
static __device__ __noinline__ u32 common(const Program &p, const Link &l, u64 row, u32 v, bool any) {
  const Link *others = at<const Link>(l.others);
  Common mine;
  mine.list = narrow(resolve(p, l, row, v), l.low, l.high);
  for (u32 k = 0; k < MOST_OTHERS; k++) mine.other[k] = {0, 0};
  for (u32 k = 0; k < l.otherCount && mine.list.size; k++) {
    mine.other[k] = narrow(resolve(p, others[k], row, v), l.low, l.high);
    if (mine.other[k].size < mine.list.size) {
      List longer = mine.list;
      mine.list = mine.other[k];
      mine.other[k] = longer;
    }
  }
  u32 n = 0;
  for (u32 i = 0; i < min(mine.list.size, ALONE) && !(any && n); i++) n += counts(mine, l, i, row, v);
  u32 mask = __activemask();
  u32 lane = threadIdx.x & 31, place = __popc(mask & ((1u << lane) - 1)), threads = __popc(mask);
  u32 left = __ballot_sync(mask, mine.list.size > ALONE && !(any && n));
  while (left) {
    u32 of = __ffs(left) - 1, found = 0;
    left &= left - 1;
    const Link &link = *at<const Link>(__shfl_sync(mask, u64(&l), of));
    u64 ofRow = __shfl_sync(mask, row, of);
    u32 ofV = __shfl_sync(mask, v, of);
    Common c = commonOf(mine, link.otherCount, mask, of);
    bool ofAny = __shfl_sync(mask, u32(any), of);
    for (u32 first = ALONE; first < c.list.size && !(ofAny && found); first += threads)
      found += __popc(__ballot_sync(mask, first + place < c.list.size && counts(c, link, first + place, ofRow, ofV)));
    if (lane == of) n += found;
  }
  return n;
}
#endif

// factorOf is what a factor counts: the length of a list, a weight that was made before, or what lists have in common; with any, it may be 1 for more.
static __device__ __forceinline__ u64 factorOf(const Program &p, const Link &l, u64 row, u32 v, bool any) {
#ifdef BRANCHES
  if (l.kind == WEIGHTS) {
    u32 r = l.partition ? rowOf(*at<const Partition>(l.partition), value(l.from, row, v)) : 0;
    return r == NONE ? 0 : at<const u64>(l.listAt)[r];
  }
  if (l.otherCount) return common(p, l, row, v, any);
#endif
  return factor(p, l, row, v);
}

// product is how many choices there are of one member of each factor's list; with any, it may be less where there are some.
static __device__ __forceinline__ u64 product(const Program &p, u64 factors, u32 n, u64 row, u32 v, bool any) {
  u64 w = 1;
  for (u32 i = 0; i < n && w; i++) w = times(w, factorOf(p, at<const Link>(factors)[i], row, v, any));
  return w;
}

// Branches and weights by vertex have kernels of their own (branches.cu), because their code costs the others registers.
#ifdef BRANCHES
// branchWeight is what a branch makes of the number of its solutions.
static __device__ u64 branchWeight(const Program &p, const Branch &b, u64 row, u32 v) {
  bool fits = true;
  for (u32 i = 0; i < b.checkCount && fits; i++) fits = holds(p, at<const Check>(b.checks)[i], row, v);
  for (u32 i = 0; i < b.pairCount && fits; i++) fits = !sameEdge(at<const Pair>(b.pairs)[i], row, v);
  u64 n = fits ? product(p, b.factors, b.factorCount, row, v, b.weight != AT_LEAST_ONE) : 0;
  if (b.weight == AT_LEAST_ONE) return max(n, 1ull);
  return (n != 0) == (b.weight == SOME);
}
#endif

// weigh is the weight of a row and what it binds, up to the largest number.
static __device__ u64 weigh(const Program &p, const Step &s, u64 row, u32 v) {
  u64 w = product(p, s.factors, s.factorCount, row, v, false);
#ifdef BRANCHES
  for (u32 i = 0; i < s.branchCount && w; i++) w = times(w, branchWeight(p, at<const Branch>(s.branches)[i], row, v));
#endif
  return w;
}

// addWeight adds the weight of a candidate that passed.
static __device__ __forceinline__ void addWeight(Program &p, const Step &s, u64 row, u32 v, u64 &count) {
#ifdef BRANCHES
  u64 w = weigh(p, s, row, v);
  if (w == ~0ull) p.state.overflowed = 1;
#else
  u64 w = 1;
  for (u32 i = 0; i < s.factorCount && w; i++) {
    u64 f = factor(p, at<const Link>(s.factors)[i], row, v);
    if (__umul64hi(w, f)) p.state.overflowed = 1;
    w *= f;
  }
#endif
  count += w;
  if (count < w) p.state.overflowed = 1;
}

// weighs: a step's rows are not all worth one solution.
static __device__ __forceinline__ bool weighs(const Step &s) {
#ifdef BRANCHES
  return s.factorCount + s.branchCount;
#else
  return s.factorCount;
#endif
}

// comesOut tests what is left to test where rows come out: that the row has a weight, and is not known.
static __device__ __forceinline__ bool comesOut(const Program &p, const Step &s, u64 row, u32 v) {
#ifdef BRANCHES
  bool asked = s.weightLow || s.branchCount;
#else
  bool asked = s.weightLow;
#endif
  return (!asked || weigh(p, s, row, v)) && (!s.seen || firstSeen(s, row, v));
}

// stage notes whether the candidate at x passed. A warp calls it for 32 neighbours.
static __device__ __forceinline__ void stage(TileShared &t, u32 x, bool pass, u32 item) {
  u32 votes = __ballot_sync(~0u, pass);
  if ((x & 31) == 0) t.votes[x >> 5] = votes;
  if (pass && x < WORK_TILE) t.item[x] = (unsigned short)item;
}

// rank is how many candidates before x passed.
static __device__ __forceinline__ u32 rank(const TileShared &t, u32 x) {
  return t.before[x >> 5] + __popc(t.votes[x >> 5] & ((1u << (x & 31)) - 1));
}

// flush writes the candidates that passed to the next table, in their order, with their weights where WEIGHTS; the caller
// waits for all threads after it.
template <bool WEIGHTS>
static __device__ void flush(const Program &p, const Step &s, const Visit &v, TileShared &t, u32 n, u32 items) {
  u32 lane = threadIdx.x & 31;
  __syncthreads();
  if (threadIdx.x < 32) {
    u32 words = (n + 31) >> 5, sum = 0;
    for (u32 w = lane; w - lane < words; w += 32) {
      u32 mine = w < words ? __popc(t.votes[w]) : 0, here = mine;
      for (u32 d = 1; d < 32; d <<= 1) {
        u32 other = __shfl_up_sync(~0u, here, d);
        here += lane >= d ? other : 0;
      }
      if (w < words) t.before[w] = sum + here - mine;
      sum += __shfl_sync(~0u, here, 31);
    }
    if (lane == 0) {
      t.before[words] = t.total = sum;
      t.votes[words] = 0;
      t.base = sum ? atomicAdd(v.out, u64(sum)) : 0;
    }
  }
  __syncthreads();
  u32 total = t.total;
  u64 base = t.base;
  if (!total || base + total > s.capacity) return;   // the latter with a warp per row only: the count tells the host
  const Copy *copies = at<const Copy>(s.copies);
  for (u32 x = threadIdx.x; x < n; x += BLOCK) {
    if (!(t.votes[x >> 5] >> lane & 1)) continue;
    u64 to = base + rank(t, x);
    u32 item = items > 1 ? t.item[x] : 0, row = t.row[item];
    for (u32 i = 0; i < s.copyCount; i++) at<u32>(copies[i].to)[to] = at<const u32>(copies[i].from)[row];
    if (s.store) at<u32>(s.store)[to] = element(t.begin[item], x - t.relative[item]);
    if (WEIGHTS && s.weightLow) {
      u64 w = weigh(p, s, row, element(t.begin[item], x - t.relative[item]));
      at<u32>(s.weightLow)[to] = u32(w);
      at<u32>(s.weightHigh)[to] = u32(w >> 32);
    }
    if (s.groupEnd) {
      bool whole = !(item == 0 && t.cutFront) && !(item == items - 1 && t.cutBack);
      at<u32>(s.groupFirst)[to] = u32(base) + rank(t, t.relative[item]);
      at<u32>(s.groupEnd)[to] = whole ? u32(base) + rank(t, item + 1 < items ? t.relative[item + 1] : n) : 0;
    }
  }
}

// nextTile is run by warp 0: the next ticket, its first item, and the candidate it begins with. Where siblings are wanted, a
// row of few candidates is the work of the ticket in which they begin.
static __device__ void nextTile(const Program &p, const Step &s, const Visit &v, TileShared &t, u64 tiles, u32 side) {
  const u64 *prefix = at<const u64>(s.prefix);
  u32 lane = threadIdx.x & 31, whole = s.groupEnd ? p.whole : 0;
  u64 ticket = lane == 0 ? claim(p, s, v, tiles, v.tile + whole) : 0;
  ticket = __shfl_sync(~0u, ticket, 0);
  u64 item = 0, c = ticket * v.tile;
  if (ticket != NO_TICKET) {
    if (v.items > 1) item = findItem(prefix, v.items, c);
    u64 start = prefix[item], stop = prefix[item + 1];
    if (whole && start < c && stop - start <= whole) {
      c = stop;
      item++;
    }
  }
  if (lane == 0) {
    t.tickets[side] = ticket;
    t.starts[side] = c;
    t.firstItems[side] = item;
  }
}

// loadItems brings the items of a piece that begins at candidate c, of item first, into shared memory. A piece ends with
// the ticket and has WORK_TILE candidates at most; where siblings are wanted, it ends between two rows, if it can, and rows
// of no more candidates than Program.whole are not cut, but taken alone where they are more than WORK_TILE.
template <bool LISTS>
static __device__ void loadItems(const Program &p, const Step &s, const Visit &v, TileShared &t, u64 c, u64 end, u64 first) {
  const u64 *prefix = at<const u64>(s.prefix);
  const Link *links = at<const Link>(s.links);
  u32 whole = s.groupEnd ? p.whole : 0;
  u64 most = c + WORK_TILE, stopAt = min(end, most);
  for (u32 i = threadIdx.x; i < WORK_TILE && first + i < v.items; i += BLOCK) {
    u64 item = first + i, start = prefix[item];
    if (start >= (whole ? end : stopAt)) break;
    u64 stop = prefix[item + 1], until = stopAt;
    bool last = stop >= stopAt;
    if (whole) {
      bool few = stop - start <= whole, fits = stop <= most && (stop <= end || few);
      if (!fits && i > 0) break;
      u64 after = item + 1 < v.items ? prefix[item + 2] : ~0ull;
      last = !fits || stop >= end || after > most || (after > end && after - stop > whole);
      until = fits || few ? stop : min(stop, stopAt);
    }
    if (last) {
      t.items = i + 1;
      t.n = u32(until - c);
      t.nextItem = item + (stop <= until);
      t.cutBack = stop > until;
    }
    if (i == 0) t.cutFront = start < c;
    u32 row = at<const u32>(s.item)[item];
    u32 chosen = s.linkCount == 1 ? 0 : at<const unsigned short>(s.choice)[row];
    u32 link = chosen & SHARED ? s.linkCount : chosen;
    u64 begin = at<const u64>(LISTS ? t.begins[link] : links[link].begin)[row];
    t.relative[i] = start < c ? 0 : u32(start - c);
    t.row[i] = row;
    t.begin[i] = start < c ? begin + (c - start) * (begin & VIRTUAL ? 1 : 4) : begin;
    t.chosen[i] = (unsigned short)chosen;
  }
  __syncthreads();
}

// prepareLists puts the addresses that a step's tests read into shared memory, and reports whether inLists is all its tests.
static __device__ bool prepareLists(const Program &p, const Step &s, const Visit &v, TileShared &t) {
  if (v.candidates < p.few) return false;
  bool can = true;
  u32 i = threadIdx.x, d = i - 32;
  if (i < s.linkCount && i < MOST_LISTS) {
    const Link &l = at<const Link>(s.links)[i];
    can = l.kind == NEIGHBOURS || l.kind == EDGE_LABELS;
    t.begins[i] = l.begin;
    t.sizes[i] = l.size;
  } else if (i == s.linkCount && i <= MOST_LISTS && s.siblings) {
    t.begins[i] = at<const Link>(s.links)[i].begin;
  } else if (i >= 32 && d < s.distinctCount && d < MOST_DISTINCT) {
    const Operand &o = at<const Operand>(s.distinct)[d];
    can = o.kind == COLUMN;
    t.distinct[d] = o.column;
  } else if (i == 64) {
    can = !s.bitmap && !s.seen && !s.weightLow && !s.checkCount && !s.pairCount && s.linkCount <= MOST_LISTS && s.distinctCount <= MOST_DISTINCT;
#ifdef BRANCHES
    can = can && (!s.branchCount || s.mode != EXTEND);
#endif
  }
  return __syncthreads_and(can);
}

// inLists tests a candidate against the row's unequal columns and its other lists. What it does for a candidate is a third
// of passes's instructions, and instructions are what bounds these steps.
static __device__ __forceinline__ bool inLists(const Step &s, const TileShared &t, u32 row, u32 v, u32 chosen) {
  bool pass = true, shared = chosen & SHARED;
  u32 distinct = shared ? s.ownDistinct : s.distinctCount, links = shared ? s.ownLinks + 1 : s.linkCount;
  chosen &= SHARED - 1;
  for (u32 i = 0; i < distinct; i++) pass &= at<const u32>(t.distinct[i])[row] != v;
  for (u32 i = 1; i < links && pass; i++) {
    u32 other = chosen + i < links ? chosen + i : chosen + i - links;
    pass = containsWord({at<const u64>(t.begins[other])[row], at<const u32>(t.sizes[other])[row]}, v);
  }
  return pass;
}

// extendTiles takes tickets of consecutive candidates; LISTS: inLists is all that a step tests.
template <bool LISTS>
static __device__ void extendTiles(Program &p, const Step &s, const Visit &v, TileShared &t, u64 &count) {
  u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, side = 0;
  bool extending = s.mode == EXTEND, factors = weighs(s);
  u64 tiles = (v.candidates + v.tile - 1) / v.tile;
  for (;; side ^= 1) {
    if (warp == 0) nextTile(p, s, v, t, tiles, side);
    __syncthreads();
    if (t.tickets[side] == NO_TICKET) break;
    u64 c = t.starts[side], end = min((t.tickets[side] + 1) * v.tile, v.candidates), first = t.firstItems[side];
    while (c < end) {
      loadItems<LISTS>(p, s, v, t, c, end, first);
      u32 items = t.items, n = t.n;
      first = t.nextItem;
      c += n;
      // Neighbouring lanes test neighbouring members.
      for (u32 k = warp * 32; k < n; k += BLOCK) {
        u32 x = k + lane, low = 0;
        bool pass = false;
        if (x < n) {
          for (u32 size = items; size > 1;) {
            u32 half = size >> 1;
            low += t.relative[low + half] <= x ? half : 0;
            size -= half;
          }
          u32 row = t.row[low], chosen = t.chosen[low];
          if (LISTS) {
            u32 vertex = at<const u32>(t.begin[low])[x - t.relative[low]];
            pass = inLists(s, t, row, vertex, chosen);
            if (!extending && pass) {
              if (factors) addWeight(p, s, row, vertex, count);
              else count++;
            }
          } else {
            u32 vertex = element(t.begin[low], x - t.relative[low]);
            pass = passes(p, s, row, vertex, chosen) && comesOut(p, s, row, vertex);
            if (!extending && pass) addWeight(p, s, row, vertex, count);
          }
        }
        if (extending) stage(t, x, pass, low);
      }
      if (extending) flush<!LISTS>(p, s, v, t, n, items);
      if (c < end) __syncthreads();
    }
  }
  __syncthreads();
}

// extendRows gives a warp one row at a time. A ticket is WARPS rows; their lists must fit the next table whole.
static __device__ void extendRows(Program &p, const Step &s, const Visit &v, TileShared &t, u64 &count) {
  u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, perWarp = WORK_TILE / WARPS;
  u64 tickets = (v.items + WARPS - 1) / WARPS;
  for (;;) {
    if (threadIdx.x == 0) t.tickets[0] = claim(p, s, v, tickets, 0);
    __syncthreads();
    if (t.tickets[0] == NO_TICKET) break;
    u64 item = t.tickets[0] * WARPS + warp, begin = 0;
    u32 row = 0, chosen = 0, n = 0;
    if (item < v.items) {
      row = at<const u32>(s.item)[item];
      chosen = s.linkCount == 1 ? 0 : at<const unsigned short>(s.choice)[row];
      const Link &l = at<const Link>(s.links)[chosen];
      begin = at<const u64>(l.begin)[row];
      n = at<const u32>(l.size)[row];
    }
    if (lane == 0) {
      t.row[warp] = row;
      t.relative[warp] = warp * perWarp;
      t.before[warp] = n;
    }
    __syncthreads();
    u32 longest = 0;
    for (u32 w = 0; w < WARPS; w++) longest = max(longest, t.before[w]);
    __syncthreads();
    for (u32 start = 0; start < longest; start += perWarp) {
      if (lane == 0) t.begin[warp] = begin + u64(start) * (begin & VIRTUAL ? 1 : 4);
      for (u32 k = 0; k < perWarp; k += 32) {
        u32 x = start + k + lane;
        bool pass = false;
        if (x < n) {
          u32 vertex = element(begin, x);
          pass = passes(p, s, row, vertex, chosen) && comesOut(p, s, row, vertex);
          if (s.mode != EXTEND && pass) addWeight(p, s, row, vertex, count);
        }
        if (s.mode == EXTEND) stage(t, warp * perWarp + k + lane, pass, warp);
      }
      if (s.mode == EXTEND) {
        flush<true>(p, s, v, t, WORK_TILE, WARPS);
        __syncthreads();
      }
    }
    __syncthreads();
  }
  __syncthreads();
}

// extend runs the phase until the candidates are used up or claim refuses.
static __device__ void extend(Program &p, const Step &s, const Visit &v, TileShared &t) {
  __shared__ typename Reduce::TempStorage reduce;
  u64 count = 0;
  if (s.strategy == WARP_PER_ROW)
    extendRows(p, s, v, t, count);
  else if (prepareLists(p, s, v, t))
    extendTiles<true>(p, s, v, t, count);
  else
    extendTiles<false>(p, s, v, t, count);
  if (s.mode == EXTEND) return;
  u64 low = Reduce(reduce).Sum(count & 0xFFFFFFFF);
  __syncthreads();
  u64 high = Reduce(reduce).Sum(count >> 32);
  if (threadIdx.x == 0 && low) atomicAdd(&p.state.count, low);
  if (threadIdx.x == 0 && high) atomicAdd(&p.state.countHigh, high);
}
