// Where walks of a property path lead: breadth first over pairs of a state of the path's automaton and a vertex, each once (layout.cuh's Closure;
// match.Closure says what states are). The whole search is one launch: a barrier across the grid after each phase, then one thread decides what
// the next phase is. A launch whose slice is over stops between two portions of work, and the next one goes on.
//
// closure_one searches from one source. A pair is a bit; who sets it appends the pair to the queue, of which a level is a stretch.
// closure_many searches from up to 64 (The et al., VLDB 2014, MS-BFS): a pair has a bit for each source that it was reached from, and is gone on from
// once a level, for all sources that reached it in the level before.
//
// Phases of a level:
//   lists   A warp takes 32 entries of the queue, finds their lists, and goes through the members of all of them, 32 at a time, wherever a
//           list ends. Lists of more than LONG_LIST members become chunks.
//   chunks  A warp takes a chunk. So a hub is the work of all.
//   settle  closure_many alone: what came becomes what was seen, and the next level.
// Then ends: bitmaps of the vertices of states in which walks may end, and their number, by source.
//
// Reads, for each edge of a vertex that is reached: 4 bytes in order, and 4 bytes (closure_many: 8, or 16) at random, of a bit (8 bytes) for each
// vertex: from the second level cache up to hundreds of millions of vertices (closure_many: some millions). Writes 12 bytes a pair (closure_many: 40).
// Lists are looked up once a pair and hop (partition.cuh). A level takes four barriers at most.
#include "barrier.cuh"
#include "tally.cuh"

// ROOM is how many pairs a warp keeps before it appends them.
const u32 ROOM = 128;

// current reads what other blocks have written.
static __device__ __forceinline__ u64 current(const u64 &x) { return *(const volatile u64 *)&x; }

static __device__ __forceinline__ u64 bitmapWords(const Closure &c) { return (u64(c.vertexCount) + 31) / 32; }

// levelBase is where the level's part of the queue begins, and nextBase that of the one behind it.
template <bool MANY>
static __device__ __forceinline__ u64 levelBase(const Closure &c) { return MANY ? (c.levels & 1) * c.room : c.begin; }

template <bool MANY>
static __device__ __forceinline__ u64 nextBase(const Closure &c) { return MANY ? (~c.levels & 1) * c.room : 0; }

// unseen are the sources of a mask from which a pair has not been reached; with one source, not 0 where it has not.
template <bool MANY>
static __device__ __forceinline__ u64 unseen(const Closure &c, u32 v, u32 state, u64 mask) {
  if (MANY) return mask & ~__ldcg(at<u64>(c.seen) + (u64(state) * c.vertexCount + v));
  return ~__ldcg(at<u32>(c.seen) + (state * bitmapWords(c) + (v >> 5))) >> (v & 31) & 1;
}

// reach notes that a pair is reached, and reports whether it is the first to do so in this level.
template <bool MANY>
static __device__ __forceinline__ bool reach(const Closure &c, u32 v, u32 state, u64 fresh) {
  if (MANY) {
    u64 *next = at<u64>(c.next) + (u64(state) * c.vertexCount + v);
    return (fresh & ~__ldcg(next)) && atomicOr(next, fresh) == 0;
  }
  u32 bit = 1u << (v & 31);
  return !(atomicOr(at<u32>(c.seen) + (state * bitmapWords(c) + (v >> 5)), bit) & bit);
}

// Fresh is what a warp has reached first and not yet appended to the queue: pairs in shared memory, so that the counter is added to once for many.
struct Fresh {
  u32 vertices[ROOM], states[ROOM];
};

// Append is a warp's way to the queue.
struct Append {
  Fresh &fresh;
  u64 base; // of the part of the queue that it appends to
  u32 n;

  // flush appends all. A warp.
  __device__ __forceinline__ void flush(Closure &c) {
    if (!n) return;
    u32 lane = threadIdx.x & 31;
    u64 place = 0;
    if (lane == 0) place = atomicAdd(&c.filled, u64(n));
    place = __shfl_sync(~0u, place, 0) + base;
    for (u32 i = lane; i < n; i += 32) {
      at<u32>(c.vertices)[place + i] = fresh.vertices[i];
      at<u32>(c.states)[place + i] = fresh.states[i];
    }
    n = 0;
    __syncwarp();
  }
};

// visit goes to a vertex, or to none (NONE), in a state, and appends what was not seen to the queue. A warp.
template <bool MANY>
static __device__ __forceinline__ void visit(Closure &c, u32 v, u32 state, u64 mask, Append &to) {
  bool first = false;
  if (v != NONE) {
    u64 fresh = unseen<MANY>(c, v, state, mask);
    first = fresh && reach<MANY>(c, v, state, fresh);
  }
  u32 votes = __ballot_sync(~0u, first), lane = threadIdx.x & 31;
  if (!votes) return;
  if (first) {
    u32 place = to.n + __popc(votes & ((1u << lane) - 1));
    to.fresh.vertices[place] = v;
    to.fresh.states[place] = state;
  }
  to.n += __popc(votes);
  __syncwarp();
  if (to.n > ROOM - 32) to.flush(c);
}

// cut makes chunks of a list.
static __device__ void cut(Closure &c, const List &l, u64 mask, u32 to) {
  u32 n = (l.size + LONG_LIST - 1) / LONG_LIST;
  u64 first = atomicAdd(&c.chunkCount, u64(n));
  for (u32 i = 0; i < n; i++)
    at<ClosureChunk>(c.chunks)[first + i] = {l.begin + 4ull * LONG_LIST * i, mask, min(LONG_LIST, l.size - LONG_LIST * i), to};
}

// gather visits the members of the lanes' lists. A warp.
template <bool MANY>
static __device__ __forceinline__ void gather(Closure &c, const List &l, u64 mask, u32 state, Append &to) {
  u32 lane = threadIdx.x & 31, end = l.size;
  for (u32 k = 1; k < 32; k *= 2) {
    u32 before = __shfl_up_sync(~0u, end, k);
    if (lane >= k) end += before;
  }
  u32 total = __shfl_sync(~0u, end, 31);
  for (u32 first = 0; first < total; first += 32) {
    u32 i = first + lane, owner = 0; // how many lists end before i
    for (u32 k = 16; k; k /= 2)
      if (__shfl_sync(~0u, end, owner + k - 1) <= i) owner += k;
    u64 begin = __shfl_sync(~0u, l.begin, owner), of = MANY ? __shfl_sync(~0u, mask, owner) : 0;
    u32 before = __shfl_sync(~0u, end - l.size, owner);
    visit<MANY>(c, i < total ? element(begin, i - before) : NONE, state, of, to);
  }
}

// expand goes on from up to 32 entries of the queue. A warp.
template <bool MANY>
static __device__ void expand(Closure &c, u64 entry, u64 first, u32 n, Append &to) {
  u32 lane = threadIdx.x & 31, v = NONE, state = NONE;
  u64 mask = 0;
  if (lane < n) {
    v = __ldcg(at<u32>(c.vertices) + first + lane);
    state = __ldcg(at<u32>(c.states) + first + lane);
    if (MANY) mask = state == c.stateCount ? 1ull << (entry + lane) : __ldcg(at<u64>(c.front) + (u64(state) * c.vertexCount + v));
  }
  for (u32 h = 0; h < c.hopCount; h++) {
    const Hop &hop = c.hops[h];
    List l = {0, 0};
    if (state == hop.from) l = neighbours(*at<const Partition>(hop.partition), v);
    if (l.size > LONG_LIST) {
      cut(c, l, mask, hop.to);
      l.size = 0;
    }
    if (__any_sync(~0u, l.size)) gather<MANY>(c, l, mask, hop.to, to);
  }
}

// portions calls f with portions of n pieces of work, until they are taken or the time is over. A warp; of few portions only as many warps ask for one.
template <typename F>
static __device__ __forceinline__ void portions(u64 *taken, u64 n, u32 portion, u64 deadline, F f) {
  u64 warp = u64(blockIdx.x) * WARPS + (threadIdx.x >> 5);
  if (warp * portion >= n) return;
  while (true) {
    u64 first = n;
    if ((threadIdx.x & 31) == 0 && now() < deadline) first = atomicAdd(taken, u64(portion));
    first = __shfl_sync(~0u, first, 0);
    if (first >= n) return;
    f(first, min(first + portion, n));
  }
}

// portionOf is how many of n entries a warp takes at a time.
static __device__ __forceinline__ u32 portionOf(u64 n) { return n > 1024ull * WARPS * gridDim.x ? 256 : 32; }

template <bool MANY>
static __device__ void lists(Closure &c, u64 deadline, Fresh &fresh) {
  u64 n = c.end - c.begin, level = levelBase<MANY>(c);
  Append to = {fresh, nextBase<MANY>(c), 0};
  portions(&c.taken, n, portionOf(n), deadline, [&](u64 first, u64 end) {
    for (; first < end; first += 32) expand<MANY>(c, first, level + first, u32(min(end - first, 32ull)), to);
  });
  to.flush(c);
}

template <bool MANY>
static __device__ void chunks(Closure &c, u64 deadline, Fresh &fresh) {
  Append to = {fresh, nextBase<MANY>(c), 0};
  portions(&c.chunkTaken, current(c.chunkCount), 1, deadline, [&](u64 i, u64) {
    const ClosureChunk *chunk = at<ClosureChunk>(c.chunks) + i;
    u64 begin = __ldcg(&chunk->begin), mask = __ldcg(&chunk->mask);
    u32 size = __ldcg(&chunk->size), state = __ldcg(&chunk->to), lane = threadIdx.x & 31;
    for (u32 k = 0; k < size; k += 128) {
      u32 v[4];
#pragma unroll
      for (u32 part = 0; part < 4; part++) {
        u32 m = k + 32 * part + lane;
        v[part] = m < size ? element(begin, m) : NONE;
      }
#pragma unroll
      for (u32 part = 0; part < 4; part++) // so that the loads are on their way together
        if (v[part] != NONE && !unseen<MANY>(c, v[part], state, mask)) v[part] = NONE;
#pragma unroll
      for (u32 part = 0; part < 4; part++) visit<MANY>(c, v[part], state, mask, to);
    }
  });
  to.flush(c);
}

// settle makes what came what was seen.
static __device__ void settle(Closure &c, u64 deadline) {
  u64 n = current(c.filled), base = nextBase<true>(c);
  portions(&c.taken, n, portionOf(n), deadline, [&](u64 first, u64 end) {
    for (u64 i = first + (threadIdx.x & 31); i < end; i += 32) {
      u64 place = u64(__ldcg(at<u32>(c.states) + base + i)) * c.vertexCount + __ldcg(at<u32>(c.vertices) + base + i);
      u64 came = __ldcg(at<u64>(c.next) + place);
      at<u64>(c.seen)[place] = __ldcg(at<u64>(c.seen) + place) | came;
      at<u64>(c.front)[place] = came;
      at<u64>(c.next)[place] = 0;
    }
  });
}

// endsOfOne writes the vertices that walks end at, and counts them.
static __device__ void endsOfOne(Closure &c) {
  u64 words = bitmapWords(c), n = 0;
  for (u64 i = u64(blockIdx.x) * BLOCK + threadIdx.x; i < words; i += u64(gridDim.x) * BLOCK) {
    u32 x = 0;
    for (u32 s = 0; s < c.stateCount; s++)
      if (c.ending >> s & 1) x |= __ldcg(at<u32>(c.seen) + (s * words + i));
    if (c.ends) at<u32>(c.ends)[i] = x;
    n += __popc(x);
  }
  for (u32 k = 16; k; k /= 2) n += __shfl_xor_sync(~0u, n, k);
  if ((threadIdx.x & 31) == 0 && n) atomicAdd(&c.counts[0], n);
}

// endsOfMany turns sources by vertex into vertices by source.
static __device__ void endsOfMany(Closure &c) {
  u64 words = bitmapWords(c), n[2] = {0, 0};
  u32 lane = threadIdx.x & 31;
  for (u64 i = u64(blockIdx.x) * WARPS + (threadIdx.x >> 5); i < words; i += u64(gridDim.x) * WARPS) {
    u64 v = 32 * i + lane, x = 0;
    for (u32 s = 0; s < c.stateCount; s++)
      if (v < c.vertexCount && c.ending >> s & 1) x |= __ldcg(at<u64>(c.seen) + (u64(s) * c.vertexCount + v));
    if (!__any_sync(~0u, x != 0) && !c.ends) continue;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
      u32 mine = 0;
      for (u32 b = 0; b < 32; b++) {
        u32 word = __ballot_sync(~0u, x >> (32 * half + b) & 1);
        if (lane == b) mine = word;
      }
      n[half] += __popc(mine);
      u64 source = 32 * half + lane;
      if (c.ends && source < c.sourceCount) at<u32>(c.ends)[source * words + i] = mine;
    }
  }
  for (u32 half = 0; half < 2; half++)
    if (n[half]) atomicAdd(&c.counts[32 * half + lane], n[half]);
}

// endAtOnce lets the walk of no hop count. One thread.
template <bool MANY>
static __device__ void endAtOnce(Closure &c) {
  u32 state = __ffs(int(c.ending)) - 1;
  for (u32 i = 0; i < c.sourceCount; i++) {
    u32 v = c.sources[i];
    if (MANY) at<u64>(c.seen)[u64(state) * c.vertexCount + v] |= 1ull << i;
    else at<u32>(c.seen)[state * bitmapWords(c) + (v >> 5)] |= 1u << (v & 31);
  }
}

// advance decides what comes after a phase. One thread.
template <bool MANY>
static __device__ void advance(Closure &c) {
  u64 chunkCount = current(c.chunkCount), filled = current(c.filled), phase = c.phase;
  c.stopped = phase == CLOSURE_LISTS ? current(c.taken) < c.end - c.begin
            : phase == CLOSURE_CHUNKS ? current(c.chunkTaken) < chunkCount
            : phase == CLOSURE_SETTLE ? current(c.taken) < filled : 0;
  if (c.stopped) return;
  if (phase == CLOSURE_ENDS) {
    c.phase = CLOSURE_DONE;
    return;
  }
  if (phase == CLOSURE_LISTS && chunkCount) {
    c.phase = CLOSURE_CHUNKS;
    return;
  }
  c.taken = 0;
  if (MANY && phase != CLOSURE_SETTLE && filled) {
    c.phase = CLOSURE_SETTLE;
    return;
  }
  c.chunkCount = c.chunkTaken = 0;
  c.begin = MANY ? 0 : c.end;
  c.end = filled;
  if (MANY) c.filled = 0;
  c.levels++;
  c.phase = c.begin < c.end ? CLOSURE_LISTS : CLOSURE_ENDS;
  if (c.phase == CLOSURE_ENDS && c.zero) endAtOnce<MANY>(c);
}

template <bool MANY>
static __device__ __forceinline__ void closure(u64 program, u64 closure) {
  __shared__ Fresh fresh[WARPS];
  Program &p = *at<Program>(program);
  Closure &c = *at<Closure>(closure);
  Fresh &mine = fresh[threadIdx.x >> 5];
  u32 waits = 0;
  u64 begun = now(), deadline = begun + c.slice;
  while (true) {
    u64 phase = current(c.phase);
    if (phase == CLOSURE_LISTS) lists<MANY>(c, deadline, mine);
    if (phase == CLOSURE_CHUNKS) chunks<MANY>(c, deadline, mine);
    if (MANY && phase == CLOSURE_SETTLE) settle(c, deadline);
    if (phase == CLOSURE_ENDS) MANY ? endsOfMany(c) : endsOfOne(c);
    if (phase == CLOSURE_DONE) break;
    barrier(p, waits);
    if (blockIdx.x == 0 && threadIdx.x == 0) advance<MANY>(c);
    barrier(p, waits);
    if (*(volatile u32 *)&c.stopped) break;
  }
  leave(p, begun, &c.phase, CLOSURE_DONE);
}

extern "C" __global__ void __launch_bounds__(BLOCK, 4) closure_one(u64 program, u64 c) { closure<false>(program, c); }

extern "C" __global__ void __launch_bounds__(BLOCK, 4) closure_many(u64 program, u64 c) { closure<true>(program, c); }
