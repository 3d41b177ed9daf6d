// Candidate sets as bitmaps, one bit per vertex.
//
// filter: the vertices whose signature contains a query vertex's. The table is column first, so a warp reads 128
// consecutive bytes of one column, and a column is read only where some lane of the warp still passed the ones before.
// Reads 4 to 16 bytes a vertex, writes 1/8; ceiling: memory bandwidth.
//
// mark: the members of a sorted list. Reads 4 bytes a member, one atomic word a member.
#include "partition.cuh"

// Vertices without a row of the table pass unless the query vertex is a subject (pcsr.SignatureTable.Match).
extern "C" __global__ void __launch_bounds__(BLOCK)
filter(u64 columns, u64 stride, u64 base, u64 rows, u64 vertices, u64 bits, u64 first, u64 second) {
  u32 want[4] = {u32(first), u32(first >> 32), u32(second), u32(second >> 32)};
  bool subject = base >> 32;
  u64 whole = (vertices + 31) / 32 * 32;
  for (u64 v = u64(blockIdx.x) * BLOCK + threadIdx.x; v < whole; v += u64(gridDim.x) * BLOCK) {
    u32 row = u32(v) - u32(base);
    bool has = row < rows, pass = v < vertices && (has || !subject);
    for (u32 c = 0; c < 4; c++) {
      if (!want[c]) continue;
      if (pass && has) pass = (word(columns, c * stride + row) & want[c]) == want[c];
      if (!__any_sync(~0u, pass)) break;
    }
    u32 votes = __ballot_sync(~0u, pass);
    if ((threadIdx.x & 31) == 0) at<u32>(bits)[v >> 5] = votes;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) mark(u64 list, u64 length, u64 bits) {
  for (u64 i = u64(blockIdx.x) * BLOCK + threadIdx.x; i < length; i += u64(gridDim.x) * BLOCK) {
    u32 v = word(list, i);
    atomicOr(at<u32>(bits) + (v >> 5), 1u << (v & 31));
  }
}
