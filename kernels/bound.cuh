// Bound: the first half of Prealloc-Combine. For each row of a step's table: every link's list, the shortest of them,
// and the running sum of the shortest lists' lengths over the rows that have candidates at all.
//
// A thread owns a row, a block a chunk of 256 rows; chunks are scanned in one pass with look-back (each chunk publishes
// its own sum, then the sum of all before it). Reads per row: its operands and one partition lookup a link; writes 12
// bytes a link and 12 a row. Skew does not matter: nothing here walks a list. Ceiling: random 32-byte reads.
// Rows without candidates are dropped here, so that a tile of n candidates spans at most n items.
#pragma once
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include "partition.cuh"

typedef cub::BlockScan<u64, BLOCK> Scan;
typedef cub::BlockReduce<u64, BLOCK> Reduce;

// Sums of one chunk: its own, and with all chunks before it.
struct Sums {
  u64 candidates, items, candidatesBefore, itemsBefore;
};

// A chunk's flag says what others may read of its sums. It is never cleared between scans: scan number epoch (1 and up, in
// State.epoch) writes 2 * epoch + 1, then 2 * epoch + 2, so that whatever an earlier scan left, 2 * epoch at most, counts as
// nothing, and the zeros that a run begins with do too.
enum ScanState : u32 {
  PART_KNOWN = 1,   // the chunk's own sums
  WHOLE_KNOWN = 2,  // the sums of all chunks up to this one
};
static __device__ __forceinline__ u32 flagOf(u32 epoch, ScanState state) { return 2 * epoch + state; }

static __device__ __forceinline__ u32 loadFlag(u64 flags, u32 chunk) {
  return *(volatile u32 *)(at<u32>(flags) + chunk);
}

static __device__ __forceinline__ void storeFlag(u64 flags, u32 chunk, u32 flag) {
  __threadfence();
  *(volatile u32 *)(at<u32>(flags) + chunk) = flag;
}

static __device__ __forceinline__ u64 loadSum(const u64 *sum) { return *(volatile const u64 *)sum; }

// lookBack is run by warp 0: it returns, in every lane, the sums of all chunks before this one.
static __device__ void lookBack(const Program &p, u32 chunk, u32 epoch, u64 &candidates, u64 &items) {
  u32 lane = threadIdx.x & 31;
  candidates = items = 0;
  for (long long last = (long long)chunk - 1; last >= 0; last -= 32) {
    long long mine = last - lane;
    u32 flag = flagOf(epoch, WHOLE_KNOWN);
    u64 c = 0, n = 0;
    if (mine >= 0) {
      do flag = loadFlag(p.flags, u32(mine)); while (flag < flagOf(epoch, PART_KNOWN));
      __threadfence();
      const Sums *s = at<const Sums>(p.sums) + mine;
      bool whole = flag == flagOf(epoch, WHOLE_KNOWN);
      c = loadSum(whole ? &s->candidatesBefore : &s->candidates);
      n = loadSum(whole ? &s->itemsBefore : &s->items);
    }
    u32 wholes = __ballot_sync(~0u, flag == flagOf(epoch, WHOLE_KNOWN));
    u32 stop = wholes ? __ffs(wholes) - 1 : 31;
    if (lane > stop) c = n = 0;
    for (int d = 16; d; d >>= 1) {
      c += __shfl_xor_sync(~0u, c, d);
      n += __shfl_xor_sync(~0u, n, d);
    }
    candidates += c;
    items += n;
    if (wholes) return;
  }
}

// siblingsOf is the stretch of a row's siblings within the step's bounds; false where they are not told.
static __device__ bool siblingsOf(const Step &s, u64 row, u32 low, u32 high, List &list) {
  u32 end = at<const u32>(s.siblingsEnd)[row];
  if (!end) return false;
  u32 first = at<const u32>(s.siblingsFirst)[row];
  const u32 *vertex = at<const u32>(s.siblings);
  for (u32 n = end - first; low && n > 0;) {   // the first that is not below low
    u32 half = n >> 1;
    bool right = vertex[first + half] < low;
    first = right ? first + half + 1 : first;
    n = right ? n - half - 1 : half;
  }
  for (u32 n = end - first, from = first; high && n > 0;) {   // the first that is not below high
    u32 half = n >> 1;
    bool right = vertex[from + half] < high;
    from = right ? from + half + 1 : from;
    n = right ? n - half - 1 : half;
    end = from;
  }
  list = {s.siblings + 4ull * first, end - first};
  return true;
}

// boundSiblings is boundRow for a row whose siblings are told: they are the list, unless a link of the step's own is
// shorter. False where the row is to be treated as any other.
static __device__ bool boundSiblings(const Program &p, const Step &s, u64 row, u32 low, u32 high, u32 &n) {
  List list;
  if (!siblingsOf(s, row, low, high, list)) return false;
  n = list.size;
  const Link *links = at<const Link>(s.links);
  for (u32 i = 0; i < s.ownLinks && n; i++) {
    List own = narrow(resolve(p, links[i], row, NONE), low, high);
    if (own.size && own.size < n) return false;
    if (!own.size) n = 0;
    at<u64>(links[i].begin)[row] = own.begin;
    at<u32>(links[i].size)[row] = own.size;
  }
  if (!n) return true;
  at<unsigned short>(s.choice)[row] = (unsigned short)(SHARED | s.ownLinks);
  at<u64>(links[s.linkCount].begin)[row] = list.begin;
  at<u32>(links[s.linkCount].size)[row] = n;
  return true;
}

// boundRow resolves one row's links, cuts the row's own lists to the step's bounds, and returns how many candidates it
// has: as many as the shortest list. Cutting before choosing costs two searches a list and makes both the choice and
// every later membership test better.
static __device__ u32 boundRow(const Program &p, const Step &s, u64 row) {
  const Link *links = at<const Link>(s.links);
  u32 best = NONE, choice = 0, low = s.low, high = s.high;
  u64 begin = 0;
  const Operand *above = at<const Operand>(s.above);
  for (u32 i = 0; i < s.aboveCount; i++) low = max(low, value(above[i], row, NONE) + 1);
  const Operand *under = at<const Operand>(s.under);
  for (u32 i = 0; i < s.underCount; i++) {
    u32 v = value(under[i], row, NONE);
    if (!v) return 0;   // nothing is less, and a bound of 0 is none
    high = high ? min(high, v) : v;
  }
  u32 n;
  if (s.siblings && boundSiblings(p, s, row, low, high, n)) return n;
  for (u32 i = 0; i < s.linkCount; i++) {
    const Link &l = links[i];
    List list = resolve(p, l, row, NONE);
    bool own = l.kind != LIST && l.kind != NUMBERS && l.kind != ROWS;
    if (own || list.size < best) list = narrow(list, low, high);
    if (list.size == 0) return 0;
    if (own) {
      at<u64>(l.begin)[row] = list.begin;
      at<u32>(l.size)[row] = list.size;
    }
    if (list.size < best) { best = list.size; choice = i; begin = list.begin; }
  }
  at<unsigned short>(s.choice)[row] = (unsigned short)choice;
  at<u64>(links[choice].begin)[row] = begin;
  at<u32>(links[choice].size)[row] = best;
  return best;
}

// bound runs the phase for all rows of a frame, or for those that order names; frame->items and frame->candidates are written by the
// last chunk.
template <bool ORDERED>
static __device__ void bound(Program &p, const Step &s, u64 rows, u32 epoch, Frame *frame, const u32 *order) {
  __shared__ typename Scan::TempStorage scan;
  __shared__ u64 before[2];
  u32 chunks = u32((rows + BLOCK - 1) / BLOCK);
  for (u32 chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    u64 row = u64(chunk) * BLOCK + threadIdx.x;
    bool there = row < rows;
    if (ORDERED && order && there) row = order[row];
    u64 n = there ? boundRow(p, s, row) : 0;
    u64 mine = n << 9 | (n > 0), prefix, total;
    Scan(scan).ExclusiveSum(mine, prefix, total);
    if (threadIdx.x < 32) {
      Sums *sums = at<Sums>(p.sums) + chunk;
      u64 c = total >> 9, k = total & 511, beforeC, beforeN;
      if (threadIdx.x == 0 && chunk) {
        *(volatile u64 *)&sums->candidates = c;
        *(volatile u64 *)&sums->items = k;
        storeFlag(p.flags, chunk, flagOf(epoch, PART_KNOWN));
      }
      lookBack(p, chunk, epoch, beforeC, beforeN);
      if (threadIdx.x == 0) {
        *(volatile u64 *)&sums->candidatesBefore = beforeC + c;
        *(volatile u64 *)&sums->itemsBefore = beforeN + k;
        storeFlag(p.flags, chunk, flagOf(epoch, WHOLE_KNOWN));
        before[0] = beforeC;
        before[1] = beforeN;
        if (chunk == chunks - 1) {
          frame->candidates = beforeC + c;
          frame->items = beforeN + k;
          at<u64>(s.prefix)[beforeN + k] = beforeC + c;
        }
      }
    }
    __syncthreads();
    if (n) {
      u64 item = before[1] + (prefix & 511);
      at<u32>(s.item)[item] = u32(row);
      at<u64>(s.prefix)[item] = before[0] + (prefix >> 9);
    }
    __syncthreads();
  }
}
