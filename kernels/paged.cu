// The matcher for plans that read partitions in pages: branches.cu with lists found by page, and what groups the rows of a step's table
// by the pages of their lists, so that those of a page can be joined while it is on the device.
//
// Bytes: a row costs its operands and one lookup a link, as in bound.cuh, each of the three times that rows are looked at; 4 are written
// for it. Counts are kept in shared memory where they fit: neighbouring rows often have their lists in the same page.
#define BRANCHES
#define PAGED
#include "match.cu"

// ROWS_EACH is how many rows a thread orders at a time.
const u32 ROWS_EACH = 8;

// cellsOf finds the cells of a row's lists; false where one is empty.
static __device__ bool cellsOf(const Step &s, const Grouping &g, u64 row, u32 cells[MAX_GROUPED]) {
  for (u32 i = 0; i < MAX_GROUPED; i++) {
    if (i >= g.linkCount) return true;
    const Link &l = at<const Link>(s.links)[g.links[i]];
    const Partition &part = *at<const Partition>(l.partition);
    u32 r = rowOf(part, value(l.from, row, NONE));
    if (r == NONE) return false;
    const Pages *pages = at<const Pages>(part.pages);
    cells[i] = g.cells[i] + pageOf(pages, r);
  }
  return true;
}

// portionOf is the portion of a row, or NONE.
static __device__ __forceinline__ u32 portionOf(const Step &s, const Grouping &g, u64 row) {
  u32 cells[MAX_GROUPED], portion = 0;
  if (!cellsOf(s, g, row, cells)) return NONE;
  for (u32 i = 0; i < MAX_GROUPED; i++) portion += i < g.linkCount ? word(g.windows, cells[i]) : 0;
  return portion;
}

// countOne adds one to a count of the block, where there are few, or to that of all.
static __device__ __forceinline__ void countOne(u32 *mine, u32 *all, u32 n, u32 i) {
  atomicAdd((n <= SHARED_COUNTS ? mine : all) + i, 1u);
}

static __device__ void clearCounts(u32 *mine, u32 n) {
  for (u32 i = threadIdx.x; i < n && n <= SHARED_COUNTS; i += BLOCK) mine[i] = 0;
  __syncthreads();
}

static __device__ void addCounts(const u32 *mine, u32 *all, u32 n) {
  __syncthreads();
  for (u32 i = threadIdx.x; i < n && n <= SHARED_COUNTS; i += BLOCK)
    if (mine[i]) atomicAdd(all + i, mine[i]);
}

// count_pages counts the rows that have a list in each cell.
extern "C" __global__ void __launch_bounds__(BLOCK) count_pages(u64 program, u64 level, u64 rows, u64 grouping) {
  extern __shared__ u32 mine[];
  const Step &s = at<const Step>(at<const Program>(program)->steps)[level];
  const Grouping &g = *at<const Grouping>(grouping);
  clearCounts(mine, g.cellCount);
  for (u64 row = u64(blockIdx.x) * BLOCK + threadIdx.x; row < rows; row += u64(gridDim.x) * BLOCK) {
    u32 cells[MAX_GROUPED];
    if (!cellsOf(s, g, row, cells)) continue;
    for (u32 i = 0; i < MAX_GROUPED; i++)
      if (i < g.linkCount) countOne(mine, at<u32>(g.counts), g.cellCount, cells[i]);
  }
  addCounts(mine, at<u32>(g.counts), g.cellCount);
}

// count_portions counts the rows of each portion.
extern "C" __global__ void __launch_bounds__(BLOCK) count_portions(u64 program, u64 level, u64 rows, u64 grouping) {
  extern __shared__ u32 mine[];
  const Step &s = at<const Step>(at<const Program>(program)->steps)[level];
  const Grouping &g = *at<const Grouping>(grouping);
  clearCounts(mine, g.portionCount);
  for (u64 row = u64(blockIdx.x) * BLOCK + threadIdx.x; row < rows; row += u64(gridDim.x) * BLOCK) {
    u32 portion = portionOf(s, g, row);
    if (portion != NONE) countOne(mine, at<u32>(g.portions), g.portionCount, portion);
  }
  addCounts(mine, at<u32>(g.portions), g.portionCount);
}

// order_rows writes the rows of each portion one after the other; those that a block looks at together stay together.
extern "C" __global__ void __launch_bounds__(BLOCK) order_rows(u64 program, u64 level, u64 rows, u64 grouping) {
  extern __shared__ u32 mine[];
  const Step &s = at<const Step>(at<const Program>(program)->steps)[level];
  const Grouping &g = *at<const Grouping>(grouping);
  u32 *places = at<u32>(g.portions), *order = at<u32>(g.order);
  const u64 chunk = BLOCK * ROWS_EACH;
  bool near = g.portionCount <= SHARED_COUNTS;
  for (u64 first = u64(blockIdx.x) * chunk; first < rows; first += u64(gridDim.x) * chunk) {
    u32 portion[ROWS_EACH], rank[ROWS_EACH];
    clearCounts(mine, g.portionCount);
    for (u32 i = 0; i < ROWS_EACH; i++) {
      u64 row = first + i * BLOCK + threadIdx.x;
      portion[i] = row < rows && !(g.flags && at<const unsigned char>(g.flags)[row]) ? portionOf(s, g, row) : NONE;
      if (g.flags && portion[i] != NONE) {   // a scan for one portion
        if (portion[i] == g.only) at<unsigned char>(g.flags)[row] = 1;
        else portion[i] = NONE;
      }
      if (portion[i] != NONE) rank[i] = atomicAdd((near ? mine : places) + portion[i], 1u);
    }
    __syncthreads();
    for (u32 i = threadIdx.x; near && i < g.portionCount; i += BLOCK)
      if (mine[i]) mine[i] = atomicAdd(places + i, mine[i]);
    __syncthreads();
    for (u32 i = 0; i < ROWS_EACH; i++)
      if (portion[i] != NONE) order[rank[i] + (near ? mine[portion[i]] : 0)] = u32(first + i * BLOCK + threadIdx.x);
    __syncthreads();
  }
}
