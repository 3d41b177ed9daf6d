// The matcher: a whole plan in one launch.
//
// match is a machine that every block runs in step. A frame is the table that one step reads; bound and extend run over
// it, a barrier across the grid after each; then every block makes the same decision from the same counters: descend to
// the next frame when rows came out, stay when candidates are left, go back up when they are used up. So the join is
// breadth-first inside a table and depth-first across tables, and memory is what the tables were given.
//
// The launch ends when all is done, the output columns are full, its slice of time is over, or it was launched narrow
// and met much work; the state is kept and the next launch goes on from there. All blocks must be resident
// (cooperative launch), for they wait for one another. bound_phase and extend_phase are the same two phases as kernels
// of their own, for a host that drives the machine.
//
// Per step: two barriers of 1 to 2 microseconds beside the phases' own traffic.
#include "barrier.cuh"
#include "extend.cuh"

// Level is a block's own copy of a frame's progress; blocks agree on it without reading what others may be changing.
struct Level {
  u64 rows, items, candidates, next;
};

// leave is the last thing a block does; the last block to leave makes the barrier new for the next launch.
static __device__ void leave(Program &p) {
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&p.state.exits, 1u) == gridDim.x - 1) {
    p.state.arrived = 0;
    p.state.exits = 0;
    __threadfence();
  }
}

static __device__ u64 tickets(const Program &p, const Step &s, const Level &l) {
  if (s.strategy == WARP_PER_ROW) return (l.items + WARPS - 1) / WARPS;
  u32 tile = tileOf(p, s, l.candidates);
  return (l.candidates + tile - 1) / tile;
}

// post writes the state, and the output where it is small, to the host's mailbox. One block.
static __device__ void post(Program &p, u64 rows) {
  if (!p.mailbox) return;
  const u64 *outputs = at<const u64>(p.outputs);
  bool small = rows * p.outputCount <= p.mailboxWords;
  if (threadIdx.x == 0) p.state.inMailbox = small;
  u32 *data = at<u32>(p.mailbox) + sizeof(State) / 4;
  if (small)
    for (u32 i = 0; i < p.outputCount; i++)
      for (u64 r = threadIdx.x; r < rows; r += BLOCK) data[i * rows + r] = at<const u32>(outputs[i])[r];
  __syncthreads();
  for (u32 i = threadIdx.x; i < sizeof(State) / 4; i += BLOCK)
    at<u32>(p.mailbox)[i] = reinterpret_cast<const volatile u32 *>(&p.state)[i];
  __threadfence_system();
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) match(u64 program) {
  extern __shared__ Level levels[];
  __shared__ TileShared tile;
  __shared__ u32 status, level, action, epoch, sequence;
  __shared__ u64 rowsBefore, needed;
  Program &p = *at<Program>(program);
  Frame *frames = at<Frame>(p.frames);
  StepTrace *traces = at<StepTrace>(p.traces);
  u32 waits = 0;
  u64 begun = now(), deadline = begun + p.slice;
  for (u32 i = threadIdx.x; i < p.stepCount; i += BLOCK)
    levels[i] = {frames[i].rows, frames[i].items, frames[i].candidates, frames[i].next};
  if (threadIdx.x == 0) {
    status = RUNNING;
    level = p.state.level;
    action = p.state.action;
    epoch = p.state.epoch;
    sequence = p.state.sequence;
    rowsBefore = p.state.rows;
  }
  barrier(p, waits);
  while (status == RUNNING) {
    u32 k = level, last = p.stepCount - 1, slot = sequence & 3;
    const Step &s = at<const Step>(p.steps)[k];
    u64 start = now();
    if (action == DO_BOUND) {
      bound<false>(p, s, levels[k].rows, epoch, frames + k, nullptr);
      barrier(p, waits);
      if (threadIdx.x == 0) {
        epoch++;
        bool any = levels[k].rows > 0;
        levels[k].items = any ? *(volatile u64 *)&frames[k].items : 0;
        levels[k].candidates = any ? *(volatile u64 *)&frames[k].candidates : 0;
        levels[k].next = 0;
        if (blockIdx.x == 0) {
          traces[k].rowsIn += levels[k].rows;
          traces[k].candidates += levels[k].candidates;
        }
      }
      __syncthreads();
      if (gridDim.x < p.blocks && levels[k].candidates > p.widen) {
        if (threadIdx.x == 0) { status = WIDEN; action = DO_EXTEND; }
        __syncthreads();
        break;
      }
    }
    u64 *out = k == last ? &p.state.rows : &p.state.counters[slot];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *(volatile u64 *)&p.state.counters[(sequence + 2) & 3] = 0;
      *(volatile u32 *)&p.state.expired[(sequence + 2) & 3] = 0;
    }
    u64 limit = k == last && p.limit ? p.limit - p.state.emitted : ~0ull;
    Visit v = {levels[k].items, levels[k].candidates, tileOf(p, s, levels[k].candidates), &frames[k].next,
               out, &p.state.expired[slot], deadline, limit};
    extend(p, s, v, tile);
    barrier(p, waits);
    if (threadIdx.x == 0) {
      u64 made = *(volatile u64 *)out, emitted = p.state.emitted;
      bool expired = *(volatile u32 *)&p.state.expired[slot] != 0;
      levels[k].next = min(*(volatile u64 *)&frames[k].next, tickets(p, s, levels[k]));
      bool left = levels[k].next < tickets(p, s, levels[k]);
      if (blockIdx.x == 0) {
        traces[k].rowsOut += k == last ? made - rowsBefore : made;
        traces[k].nanoseconds += now() - start;
      }
      sequence++;
      action = DO_EXTEND;
      if (k == last) rowsBefore = made;
      u64 all = tickets(p, s, levels[k]);
      if (made > s.capacity && s.mode == EXTEND) {
        status = OVERFLOW;
      } else if (p.grow && k < last && made && !expired && 2 * levels[k].next < all) {
        status = GROW;   // no room, and most is yet to come
        if (blockIdx.x == 0) needed = made * (all / max(levels[k].next, 1ull) + 1);
      } else if (k == last && s.mode == EXTEND && p.limit && emitted + made >= p.limit) {
        status = DONE;
      } else if (k == last && left) {
        status = expired ? SLICED : OUTPUT_FULL;
      } else if (k < last && made > 0) {
        level = k + 1;
        levels[k + 1].rows = made;
        levels[k + 1].next = 0;
        action = DO_BOUND;
      } else if (!left) {
        // Up to the nearest frame that has candidates left.
        const Step *steps = at<const Step>(p.steps);
        u32 up = k;
        while (up > 0 && levels[up - 1].next >= tickets(p, steps[up - 1], levels[up - 1])) up--;
        if (up == 0) status = DONE; else level = up - 1;
      }
      if (status == RUNNING && expired) status = SLICED;
    }
    __syncthreads();
    if (action == DO_BOUND && blockIdx.x == 0 && threadIdx.x == 0 && level != k)
      *(volatile u64 *)&frames[level].next = 0;
    __syncthreads();
  }
  barrier(p, waits);   // what block 0 writes now nobody reads before the next launch
  if (blockIdx.x == 0) {
    for (u32 i = threadIdx.x; i < p.stepCount; i += BLOCK)
      frames[i] = {levels[i].rows, levels[i].items, levels[i].candidates, levels[i].next};
    u64 rows = *(volatile u64 *)&p.state.rows;
    if (threadIdx.x == 0) {
      p.state.status = status;
      p.state.level = level;
      p.state.action = action;
      p.state.epoch = epoch;
      p.state.sequence = sequence;
      p.state.kernelTime += now() - begun;
      if (status == GROW) p.state.counters[0] = needed;
    }
    __syncthreads();
    post(p, status == DONE || status == OUTPUT_FULL ? rows : 0);
    __syncthreads();
    if (threadIdx.x == 0 && status == OUTPUT_FULL) {
      p.state.emitted += rows;
      p.state.rows = 0;
    }
  }
  leave(p);
}

// bound_phase and extend_phase run one phase of one level for a host that decides itself.
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) bound_phase(u64 program, u64 level, u64 rows, u64 epoch, u64 order) {
  Program &p = *at<Program>(program);
  const Step &s = at<const Step>(p.steps)[level];
  bound<true>(p, s, rows, u32(epoch), at<Frame>(p.frames) + level, at<const u32>(order));
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) extend_phase(u64 program, u64 level, u64 out, u64 limit, u64 deadline) {
  __shared__ TileShared tile;
  Program &p = *at<Program>(program);
  const Step &s = at<const Step>(p.steps)[level];
  Frame *f = at<Frame>(p.frames) + level;
  Visit v = {f->items, f->candidates, tileOf(p, s, f->candidates), &f->next, at<u64>(out), &p.state.expired[0], now() + deadline, limit};
  extend(p, s, v, tile);
}
