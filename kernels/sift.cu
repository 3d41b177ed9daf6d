// Sifting: of many rows those that pass conditions on what their IDs stand for, and that have groups in tables or have none, with what is computed of each row.
//
// sift_rows and sift_words run a program of at most MOST_SIFT_CODE words for each row, a thread a row, on a stack of integers of 128 bits: numbers are integers of one scale, and
// the host multiplies by powers of ten where scales differ, so that all is exact. A number of more than SIFT_BITS bits, a result of more than the host says, one to be
// grouped by that has no word, an ID that stands for no number, and a quotient to be rounded whose divisor is zero make a row odd, which passes, for the host to do otherwise. Rows that pass look
// their keys up in tables of groups (combine.cu) and are copied, in no order: a block takes SIFT_TILE consecutive rows and adds to the number of rows copied once.
// sift_rows knows no operations behind SIFT_RESULT and one set of tables, and writes no words: with them it would take a tenth longer.
// Reads 4 bytes a column and row in order, 8 of the numbers for each that the program reads, mostly from the level-2 cache where there are some millions, and 32 for
// each table; writes 4 bytes a column and row that passes, 16 for its result and 4 for each word. All threads run the same words, but for rows that fail early. The stack lies in local
// memory; ceiling: some 30 instructions a word. Skew does not matter.
#include "sums.cuh"
#include "groups.cuh"
#include "numbers.cuh"

typedef __int128 Wide;

// Verdict is what becomes of a row.
enum Verdict : u32 { LEFT_OUT, PASSES, ODD };

// bitsOf is how many bits a number has beside its sign.
static __device__ __forceinline__ u32 bitsOf(Wide n) {
  unsigned __int128 m = n < 0 ? -(unsigned __int128)(n) : n;
  u64 high = u64(m >> 64);
  return high ? 128 - __clzll(high) : 64 - __clzll(u64(m));
}

// quotient is a / b towards zero, exact; rest what is left.
static __device__ __forceinline__ Wide quotient(Wide a, Wide b, Wide &rest) {
  long long n = (long long)(a), d = (long long)(b);
  if (n == a && d == b && d != -1) {
    rest = n % d;
    return n / d;
  }
  rest = a % b;
  return a / b;
}

// keyOf is the word of a number, times ten, that rows are grouped by (layout.go), or NONE.
static __device__ u32 keyOf(Wide n, Wide ten, bool fraction) {
  Wide rest, units = n;
  u32 from = KEY_INTEGERS, half = 1u << 30;
  if (fraction) {
    units = quotient(n * 100, ten, rest);
    if (rest) return NONE;
    Wide whole = quotient(units, 10, rest);
    from = KEY_HUNDREDTHS, half = 1u << 29;
    if (!rest) {
      units = whole;
      whole = quotient(units, 10, rest);
      from = rest ? KEY_TENTHS : KEY_DECIMALS, half = 1u << 28;
      if (!rest) units = whole;
    }
  } else if (ten != 1) {
    units = quotient(n, ten, rest);
    if (rest) return NONE;
  }
  return units >= -Wide(half) && units < Wide(half) - 1 ? u32((long long)(units) + from) : NONE;
}

// orderedOf is the word of a number, times ten, in the order of whole numbers, or NONE.
static __device__ u32 orderedOf(Wide n, Wide ten, bool fraction) {
  Wide rest = 0, units = ten == 1 ? n : quotient(n, ten, rest);
  if (fraction || rest || units <= -Wide(KEY_ORDERED) || units >= Wide(KEY_ORDERED) - 1) return NONE;
  return u32((long long)(units) + KEY_ORDERED);
}

// Computed is what a row has beside its columns: its number, as in NumberRange, and maybe words.
template <bool WORDS>
struct Computed {
  Wide result;
};
template <>
struct Computed<true> {
  Wide result;
  u32 words[MOST_KEYS];
};

// computesMore carries out an operation that only sift_words knows, whose last operand is b; 0 where it is none of them.
static __device__ __forceinline__ u32 computesMore(Wide *stack, u32 &top, u32 fractions, u32 op, u32 of, Wide b, Computed<true> &computed) {
  if (op == SIFT_ABSOLUTE) {
    stack[top++] = b < 0 ? -b : b;
    return PASSES;
  }
  if (op == SIFT_KEY) {
    Wide n = stack[--top];
    bool fraction = fractions >> top & 1;
    u32 word = bitsOf(n) > SIFT_BITS - 7 ? NONE : of / MOST_KEYS == KEY_OF_GROUPS ? keyOf(n, b, fraction) : orderedOf(n, b, fraction && of / MOST_KEYS != KEY_OF_UNITS);
    if (word == NONE) return ODD;
    computed.words[of % MOST_KEYS] = word;
    return PASSES;
  }
  if (op == SIFT_QUOTIENT) {
    Wide number = stack[--top], divisor = stack[--top], dividend = stack[top - 1];
    if (divisor < 0) divisor = -divisor, dividend = -dividend;
    if (divisor >= b || bitsOf(divisor) + bitsOf(number) > SIFT_BITS) return ODD;
    Wide product = divisor * number;
    bool swapped = of & 1;
    stack[top - 1] = !divisor ? Wide(of >> 1 & 1) : swapped ? product : dividend;
    stack[top++] = !divisor ? Wide(of >> 2 & 1) : swapped ? dividend : product;
    return PASSES;
  }
  return LEFT_OUT;
}

// judge runs the code of a sifting for a row.
template <bool WORDS>
static __device__ __noinline__ Verdict judge(const Sifting &c, const u32 *code, const SiftConstantValue *constants, u64 row, Computed<WORDS> &computed) {
  Wide stack[MOST_SIFT_STACK];
  u32 fractions = 0, top = 0;                // a bit for each place of the stack; the first free place
  NumberRange range = c.numbers[0];
  for (u32 i = 0; i < c.codeCount; i++) {
    u32 op = code[i] % SIFT_OPS, of = code[i] / SIFT_OPS;
    if (op == SIFT_COLUMN) {
      u32 id = at<const u32>(c.from[of % MOST_TOP])[row], set = WORDS ? of / MOST_TOP : 0;
      u64 twice = set ? doubled(c.numbers + 8 * set, c.ranges[set], c.numbers[8 * set], id) : doubled(c.numbers, c.ranges[0], range, id);
      if (twice == NO_NUMBER) return ODD;
      stack[top] = (long long)(twice) >> 1;
      fractions = fractions & ~(1u << top) | u32(twice & 1) << top;
      top++;
      continue;
    }
    if (op == SIFT_CONSTANT) {
      SiftConstantValue k = constants[of];
      stack[top] = Wide((unsigned __int128)(k.high) << 64 | k.low);
      fractions = fractions & ~(1u << top) | u32(k.fraction) << top;
      top++;
      continue;
    }
    Wide b = stack[--top];
    bool fraction = fractions >> top & 1;
    if (op == SIFT_REQUIRE) {
      if (!b) return LEFT_OUT;
      continue;
    }
    if (op == SIFT_RESULT) {
      if (bitsOf(b) > c.mostBits) return ODD;
      computed.result = b * 2 + fraction;
      continue;
    }
    if (op == SIFT_NEGATE) {
      stack[top++] = -b;
      continue;
    }
    if (op == SIFT_NOT) {
      stack[top++] = !b;
      continue;
    }
    if constexpr (WORDS) {
      u32 done = computesMore(stack, top, fractions, op, of, b, computed);
      if (done == ODD) return ODD;
      if (done == PASSES) continue;
    }
    Wide a = stack[--top], r;
    switch (op) {
      case SIFT_PLUS: r = a + b; break;
      case SIFT_MINUS: r = a - b; break;
      case SIFT_TIMES:
        if (bitsOf(a) + bitsOf(b) > SIFT_BITS) return ODD;
        r = a * b;
        break;
      case SIFT_LESS: r = a < b; break;
      case SIFT_LESS_EQUAL: r = a <= b; break;
      case SIFT_EQUAL: r = a == b; break;
      case SIFT_FLOOR: {
        if constexpr (!WORDS) return ODD;
        if (!b || of && bitsOf(b) > FLOOR_BITS) return ODD;
        Wide rest;
        r = quotient(a, b, rest);
        if (rest && (rest < 0) != (b < 0)) r--;
        fraction |= of != 0;
        break;
      }
      case SIFT_AND: r = a & b; break;
      default: r = a | b; break;
    }
    if (bitsOf(r) > SIFT_BITS) return ODD;
    stack[top] = r;
    fractions |= u32(fraction) << top;
    top++;
  }
  return PASSES;
}

// find is the group of a row in a table of groups; null where it has none.
static __device__ const Group *find(const Sifting &c, const Probe &p, u64 row) {
  const Group *groups = at<const Group>(p.groups);
  u64 key = at<const u32>(c.from[p.first])[row];
  if (p.second != NONE) key = key << 32 | at<const u32>(c.from[p.second])[row];
  key++;
  for (u64 i = mix(key) >> 16 & p.mask;; i = (i + 1) & p.mask) {
    u64 old = __ldg(at<const unsigned long long>(p.groups + i * sizeof(Group)));
    if (!old || old == key) return old ? groups + i : nullptr;
  }
}

// times is the product of two numbers, up to the largest.
static __device__ __forceinline__ u64 times(u64 a, u64 b) { return __umul64hi(a, b) ? ~0ull : a * b; }

// looksUp reports whether a row passes the tables, and multiplies its weight.
static __device__ bool looksUp(const Sifting &c, u64 row, u64 &weight) {
  for (u32 i = 0; i < c.probeCount; i++) {
    const Probe &p = c.probes[i];
    const Group *g = find(c, p, row);
    if (g && (g->weight < p.least || g->weight > p.most)) g = nullptr;
    if (p.kind == LOOKUP_NONE ? g != nullptr : !g && p.kind != LOOKUP_AT_LEAST_ONE) return false;
    if (g && p.kind >= LOOKUP_TIMES) weight = times(weight, g->weight);
  }
  return true;
}

// Sifted is what becomes of a thread's row.
template <bool WORDS>
struct Sifted {
  Computed<WORDS> computed;
  u64 weight;
  bool kept;
};

template <bool WORDS>
static __device__ __forceinline__ void sift(u64 sifting) {
  const u32 each = SIFT_TILE / BLOCK;
  __shared__ CountScan::TempStorage scan;
  __shared__ u64 base;
  __shared__ u32 code[MOST_SIFT_CODE];
  __shared__ SiftConstantValue constants[MOST_CONSTANTS];
  Sifting &c = *at<Sifting>(sifting);
  for (u32 i = threadIdx.x; i < MOST_SIFT_CODE; i += BLOCK) code[i] = c.code[i];
  for (u32 i = threadIdx.x; i < MOST_CONSTANTS; i += BLOCK) constants[i] = c.constants[i];
  __syncthreads();
  u64 odd = 0, rows = c.rows;
  for (u64 begin = u64(blockIdx.x) * SIFT_TILE; begin < rows; begin += u64(gridDim.x) * SIFT_TILE) {
    Sifted<WORDS> sifted[each];
    u32 mine = 0, before, all;
    for (u32 k = 0; k < each; k++) {
      u64 place = begin + k * BLOCK + threadIdx.x, row = c.first + place;
      Sifted<WORDS> s = {};
      s.weight = 1;
      if (place < rows) {
        if (c.weightLow) s.weight = u64(at<const u32>(c.weightHigh)[row]) << 32 | at<const u32>(c.weightLow)[row];
        Verdict verdict = judge<WORDS>(c, code, constants, row, s.computed);
        s.kept = verdict != LEFT_OUT && looksUp(c, row, s.weight);
        odd += s.kept && verdict == ODD;
      }
      mine += s.kept;
      sifted[k] = s;
    }
    __syncthreads();
    CountScan(scan).ExclusiveSum(mine, before, all);
    if (threadIdx.x == 0) base = all ? atomicAdd(&c.kept, u64(all)) : 0;
    __syncthreads();
    u64 to = base + before;
    for (u32 k = 0; k < each; k++) {
      Sifted<WORDS> s = sifted[k];
      if (!s.kept) continue;
      u64 row = c.first + begin + k * BLOCK + threadIdx.x;
      for (u32 i = 0; i < c.width; i++)
        if (c.to[i]) at<u32>(c.to[i])[to] = at<const u32>(c.from[i])[row];
      if (c.toLow) {
        at<u32>(c.toLow)[to] = u32(s.weight);
        at<u32>(c.toHigh)[to] = u32(s.weight >> 32);
      }
      if (c.doubled) {
        at<u64>(c.doubled)[2 * to] = u64(s.computed.result);
        at<u64>(c.doubled)[2 * to + 1] = u64(s.computed.result >> 64);
      }
      if constexpr (WORDS)
        for (u32 i = 0; i < MOST_KEYS; i++)
          if (c.words[i]) at<u32>(c.words[i])[to] = s.computed.words[i];
      to++;
    }
  }
  if (odd) atomicAdd(&c.odd, odd);
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) sift_rows(u64 sifting) { sift<false>(sifting); }

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) sift_words(u64 sifting) { sift<true>(sifting); }
