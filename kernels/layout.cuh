// What the host and the kernels share: layout.go mirrors every constant, enumeration and struct here, field by field, and
// layout_test.go reads both and fails where they differ. A field has the name of its Go field with a small first letter,
// pad stands for _, and an enumerator is its Go constant in capitals.
//
// Addresses are 64-bit device addresses, 0 for "not there". Everything that a query reads and writes on the device hangs
// on one Program; the kernels own nothing.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

const u32 NONE = 0xFFFFFFFFu;
// BLOCK is the number of threads of every block of the matcher, and the rows of one chunk of the bound phase.
const u32 BLOCK = 256;
const u32 WARPS = BLOCK / 32;
// RESIDENT is how many blocks of the matcher share a multiprocessor; registers are bounded for it.
#ifndef RESIDENT
#define RESIDENT 5
#endif
// WORK_TILE is the largest number of candidates a block works on at a time; a ticket (Step.tile) may be several.
const u32 WORK_TILE = 1024;
// MAX_WHOLE bounds Program.whole: the candidates of one row that a block can work on at a time, alone.
const u32 MAX_WHOLE = 4096;
// VIRTUAL marks the begin of a list that is a range of numbers and lies nowhere.
const u64 VIRTUAL = 1ull << 63;

// Partition: the lists of one edge label in one direction (pcsr.Arrays).
enum Layer : u32 { LAYER_RANGE, LAYER_BITMAP, LAYER_HASH, LAYER_LIST, LAYER_DIRECT, LAYER_GROUP };
struct Partition {
  u64 index, vertices, offsets, neighbours;
  u32 layer, base, rows, edges, probes, words;
  u64 pages;                   // Pages, for the kernels of paged.cu alone; or 0: the lists lie as the arrays say
};

// Pages says where the lists of a partition are that is read in pages, which are ranges of rows. Page[] follows it.
struct Pages {
  u64 pageOf;                  // u32[]: the first page of each 1 << shift rows
  u32 shift, pad;
};
// Page: row r of the page has the list neighbours + 4 * u32 at offsets + 4 * r, wherever that lies; as long as to the next row's.
struct Page {
  u64 offsets, neighbours;
  u32 end, pad;                // the first row of the next page
};

// Operand: a constant, a column of the table that a step reads, or the step's own candidate.
enum OperandKind : u32 { CONSTANT, COLUMN, CANDIDATE };
struct Operand {
  u64 column;
  u32 constant;
  u32 kind;
};

// Link: one sorted list per row that candidates must lie in.
enum LinkKind : u32 { NEIGHBOURS, ROWS, EDGE_LABELS, LIST, NUMBERS, WEIGHTS };
struct Link {
  u32 kind, direction;
  Operand from, label;
  u64 partition;      // a Partition, where the label is constant; 0: looked up by label
  u64 listAt, length; // LIST: address and length; NUMBERS: first number and how many; WEIGHTS, of a factor alone: listAt is
                      // u64[rows of the partition], the weight of from by its row, or one weight where partition is 0
  u64 bitmap;         // LIST: one bit per vertex, or 0: search the list
  u64 begin, size;    // u64[rows], u32[rows]: written by bound, read by extend
  // What follows holds for factors alone: low <= member < high (high 0: no bound), and the values that do not count.
  u32 low, high;
  u64 except, others;          // Operand[exceptCount]; Link[otherCount], whose lists members must be in too
  u32 exceptCount, otherCount; // at most MOST_OTHERS
};
const u32 MOST_OTHERS = 3;

struct Check {
  Operand from, label, to;
  u32 absent, pad;             // absent: the edge must not be there
};
struct Pair {
  Check a, b;
};
struct Copy {
  u64 from, to;
};

// Branch: a pattern that hangs on a row and what it binds. It has n solutions, the product of the factors, where the checks
// hold and no pair is of equal edges, else none; its weight is max(1, n), 1 where n > 0, or 1 where n = 0.
enum Weight : u32 { AT_LEAST_ONE, SOME, NO_SOLUTION };
struct Branch {
  u64 factors, checks, pairs;
  u32 factorCount, checkCount, pairCount, weight;
};

// Step: one query vertex joined to the table. Arrays by address and count.
enum Mode : u32 { EXTEND, COUNT };
struct Step {
  u64 links, checks, distinct, pairs, copies, factors;
  u32 linkCount, checkCount, distinctCount, pairCount, copyCount, factorCount;
  u32 low, high;               // low <= candidate < high; high 0: no bound
  u64 above, under;            // Operand[aboveCount], Operand[underCount]: the candidate is greater than each, less than each
  u64 bitmap;                  // vertices that pass the signature, or 0
  u64 store;                   // column that takes the candidate, or 0
  u64 item, prefix, choice;    // u32[rows], u64[rows+1], u16[rows]: the rows that have candidates, their sum, the list
  u64 capacity;                // rows that the next table holds
  u32 mode, strategy;
  u32 aboveCount;
  u32 seenMask;                // slots of seen, less one
  u64 seen;                    // u64[seenMask + 1]: rows that came out, to drop repeats by; or 0
  // Siblings are the rows that one row became, next to one another and in order. groupFirst, groupEnd: columns of the next
  // table, the first row of a row's siblings and the row behind the last; end 0: not told. Or 0.
  u64 groupFirst, groupEnd;
  // siblings: the column that holds what an earlier step bound, or 0; siblingsFirst, siblingsEnd: the rows of it, for each row
  // of this step's table, that all this step's candidates are among. They pass all links but the first ownLinks and differ
  // from all of distinct but the first ownDistinct. Where siblings is not 0, a link behind the last holds begin and size.
  u64 siblings, siblingsFirst, siblingsEnd;
  u32 ownLinks, ownDistinct;
  u64 weightLow, weightHigh;   // columns of the output for the product of the factors and branches' weights; or 0
  u64 branches;
  u32 branchCount;
  u32 tile;                    // most candidates of a ticket
  u32 underCount, reserved;
};
// SHARED marks the choice of a row whose candidates come from its siblings; ownLinks is in the other bits.
const u32 SHARED = 0x8000;
enum Strategy : u32 { FLATTENED, WARP_PER_ROW };

// Frame: the table that step k reads and how far its candidates are used up.
struct Frame {
  u64 rows, items, candidates, next;
};

struct StepTrace {
  u64 rowsIn, candidates, rowsOut, nanoseconds;
};

enum Status : u32 { RUNNING, DONE, OUTPUT_FULL, SLICED, WIDEN, OVERFLOW, GROW };
// Action: what a launch begins with.
enum Action : u32 { DO_BOUND, DO_EXTEND };

// State: the part of a Program that runs change, and the answer.
struct State {
  u64 rows;                    // rows in the output columns
  u64 count;                   // solutions counted: the lower 32 bits of every block's part, and the upper
  u64 countHigh;
  u64 emitted;                 // rows handed out before
  u32 status, level;
  u32 action, epoch;
  u32 sequence, inMailbox;
  u32 arrived, exits;
  u64 counters[4];             // GROW: the first is how many rows a table should have
  u32 expired[4];
  u64 kernelTime;              // nanoseconds inside kernels
  u64 overflowed;              // some block's part had more than 64 bits
};

struct Program {
  u64 steps, frames, traces;
  u64 flags, sums;             // look-back scan: u32[chunks], u64[4*chunks]
  u64 partitions;              // Partition[2*labels in use]: by the label's number among them and direction
  u64 incident;                // Partition[5]: vertex -> label set by direction, label set -> labels by direction,
                               // label -> its number among those in use (rowOf)
  u64 outputs;                 // u64[outputCount]: addresses of the output columns
  u64 mailbox, mailboxWords;   // mapped host memory: State, then small results column by column
  u64 limit, slice, widen;
  u32 stepCount, outputCount, blocks;
  u32 few;                     // candidates below which the short path's preparation does not pay
  u32 whole;                   // most candidates of a row that a ticket takes whole, where siblings are wanted
  u32 grow;                    // stop as soon as tables turn out to be much too small
  State state;
};

// Grouping groups the rows of a step's table by the pages that the lists of some of its links lie in. A cell is a page of a link: the
// pages of the first come first. Rows of one portion have their lists in the same windows, sets of pages.
const u32 MAX_GROUPED = 4;
// SHARED_COUNTS is how many counts a block keeps in shared memory.
const u32 SHARED_COUNTS = 8192;
struct Grouping {
  u64 counts;                  // u32[cellCount]: how many rows have a list in each
  u64 windows;                 // u32[cellCount]: what a list there adds to the number of its row's portion
  u64 portions;                // u32[portionCount]: rows of each; order_rows: places for them, moved on
  u64 order;                   // u32[rows]: the rows, portion by portion; rows with an empty list are in none
  u32 links[4];                // MAX_GROUPED numbers of the step's links
  u32 cells[4];                // and the first cell of each
  u32 linkCount, cellCount, portionCount;
  u32 only;                    // with flags: the portion whose rows are looked for
  u64 flags;                   // 0, or u8[rows]: order_rows scans for the rows of one portion, but for those whose flag is set, which it sets
};

// Weighing makes a weight for each of the rows of lists: the sum over the list of what its members weigh, the product of the
// step's factors and branches where a member passes the step's conditions, else nothing. Sums and products stop at the largest number.
struct Weighing {
  Step step;           // links, checks, distinct, low, high, factors and branches, of its candidate and constants alone
  u64 offsets;         // u32[rows + 1], or 0: each row has one member
  u64 members;         // u32[edges], or the first of a range of numbers (VIRTUAL)
  u64 weights;         // u64[rows], zero at first
  u32 rows, edges;
  u32 tile, pad;       // members that a warp takes at a time, a multiple of 32
};

// Patch makes a partition of another one and of what came and went. Rows that were touched are numbered in the order of their
// vertices, edits are the neighbours that came to them or went, row by row and ascending in each. What came before shifts what
// follows: shifts and rowShifts are sums modulo 2^32, of one for each edit or row that came, less one for each that went.
struct Patch {
  Partition from, to;          // from.vertices is there but for LAYER_RANGE; to has its final shape, and arrays to be written
  u64 neighbours, shifts;      // u32[edits], u32[edits + 1]
  u64 places;                  // u32[edits]: before which of from.neighbours, or which; written by patch_places
  u64 vertices, before;        // u32[rows]: touched vertices, and how many rows of from lie below each
  u64 firsts, rowShifts;       // u32[rows + 1]: the first edit of each, and by how much the rows before it shift it
  u64 probes;                  // u32, zero: the most buckets that an insertion into a hash read
  u32 edits, rows;
};

// Group: a slot of a table of groups. key is one more than the group's columns, the first in the upper half where there are two; 0: the slot
// is free. weight is the sum of its rows' weights.
struct Group {
  u64 key, weight;
};

// NEAR_GROUPS is the most groups that a block keeps in shared memory while it combines rows, LIST_CHUNK the slots that it lists at a time.
const u32 NEAR_GROUPS = 1024;
const u32 LIST_CHUNK = 1024;

// Combining takes rows of one or two columns into a table of groups, in which equal rows are one.
struct Combining {
  u64 groups, mask;            // Group[mask + 1], a power of two; what is not used is zero
  u64 used, most;              // groups that are used; from most on no more rows are taken
  u64 first, second;           // u32[rows]: the columns; second 0: there is one
  u64 weightLow, weightHigh;   // u32[rows]: halves of the rows' weights; or 0: each is worth one
  u64 rows, next;              // rows from next on are yet to be taken
  u64 slice;                   // nanoseconds of one launch
  u32 chunk, near;             // rows that a block takes at a time; groups that it keeps, a power of two
  u32 sums, pad;               // not 0: somebody reads the weights
};

// Listing writes groups out as columns, until fewer than LIST_CHUNK rows a block are free.
struct Listing {
  u64 groups, mask;            // as in Combining
  u64 next;                    // slots from next on are yet to be listed
  u64 first, second, weights;  // u32[room], u32[room] or 0, u64[room] or 0
  u64 room, listed;            // rows that fit, and that were written
};

// Sum: a slot of a table of groups whose numbers are added up. key is as in Group, or 1 where rows have no columns. count is the groups' rows, up to the
// largest number; low and high are their sum, of 128 bits with a sign; least is the complement of the least ID, greatest one more than the greatest; fraction,
// not 0: a number had one.
struct Sum {
  u64 key, count, low, high;
  u32 least, greatest;
  u32 fraction, pad;
};

// NumberRange: twice the numbers, as integers of one scale, that the IDs from first to below first + count stand for, plus 1 where they may have a fraction; or
// NO_NUMBER.
struct NumberRange {
  u64 doubles;                 // s64[count]
  u32 first, count;
};

const u64 NO_NUMBER = 9223372036854775808ull;
const u32 MOST_NUMBERS = 8;
// MOST_SUMMED is how many rows a block takes in a launch at most, NEAR_SUM the bound of what it adds up near itself: so no sum there has more than 63 bits.
const u32 MOST_SUMMED = 131072;
const u64 NEAR_SUM = 35184372088832;

// Summing takes rows of no column, one or two, and one of IDs, into a table of groups, and adds up what the IDs stand for.
struct Summing {
  u64 groups, mask;            // Sum[mask + 1], else as in Combining
  u64 used, most;
  u64 first, second;           // u32[rows]: the columns; or 0
  u64 value;                   // u32[rows]: the IDs; or 0
  u64 doubled;                 // u64[2 * rows]: twice the numbers instead, as in NumberRange but of 128 bits, the lower half first; or 0: rows are counted alone
  u64 weightLow, weightHigh;   // as in Combining
  u64 ranks;                   // u32[numbers[0].count]: the place among them that each ID has for the least and the greatest; 0: its own
  u64 ordered;                 // u32[rows]: of which the least and the greatest are found in place of the IDs'; or 0
  u64 rows, next, slice;
  u32 chunk, near;
  u32 sums, extremes;          // not 0: somebody reads the sums or counts, the least and greatest
  u32 odd;                     // not 0: an ID that stands for no number was met, and what was made is of no use
  u32 ranges;                  // of numbers
  NumberRange numbers[8];
};

// SumListing writes groups out.
struct SumListing {
  u64 groups, mask, next;      // as in Listing
  u64 to;                      // Sum[room]
  u64 room, listed;
  u64 boundLow, boundHigh;     // a bound, of 128 bits: groups that are behind it are not written
  u64 boundMean;               // or a double
  u32 by, descending;          // a SumOrder; not 0: those are behind that are less
};

// SumOrder: what groups are compared by; by none there is no bound.
enum SumOrder : u32 { BY_NONE, BY_SUM, BY_COUNT, BY_MEAN };

// TOP_BINS is into how many bins IDs are counted, TOP_TILE how many rows a block selects from at a time, MOST_TOP how many columns rows have at most.
const u32 TOP_BINS = 4096;
const u32 TOP_TILE = 2048;
const u32 MOST_TOP = 16;
const u32 TOP_WORD_BITS = 25;  // of a number's first bits, which tell words apart (layout.go)

// Top counts rows by the IDs of a column, and copies those whose ID lies between two others.
struct Top {
  u64 column;                  // u32[rows]
  u64 rows;
  u64 counts;                  // u64[TOP_BINS], zero at first: rows by bins of 1 << shift IDs, from first on
  u64 odd;                     // rows whose ID does not lie between first and below first + count
  u64 selected;                // rows that were copied
  u32 first, count;
  u32 shift;
  u32 low, high;               // the least and the greatest ID that are copied
  u32 width;                   // columns of a row
  u64 from[16], to[16];        // u32[rows], and with room for all that are copied
};

// SiftOp: what a word of code does, on a stack of numbers of 128 bits and of truths, 0 and 1 (layout.go).
enum SiftOp : u32 {
  SIFT_COLUMN, SIFT_CONSTANT, SIFT_PLUS, SIFT_MINUS, SIFT_TIMES, SIFT_NEGATE, SIFT_LESS, SIFT_LESS_EQUAL, SIFT_EQUAL,
  SIFT_AND, SIFT_OR, SIFT_NOT, SIFT_REQUIRE, SIFT_RESULT, SIFT_ABSOLUTE, SIFT_FLOOR, SIFT_QUOTIENT, SIFT_KEY
};

const u32 SIFT_OPS = 32;
const u32 MOST_SIFT_CODE = 64;
const u32 MOST_SIFT_STACK = 8;
const u32 MOST_CONSTANTS = 16;
const u32 SIFT_TILE = 1024;
const u32 SIFT_BITS = 126;
const u32 RESULT_BITS = 61;
const u32 WIDE_RESULT_BITS = 94;
const u32 FLOOR_BITS = 59;
const u32 MOST_KEYS = 3;
const u32 SIFT_SETS = 4;
const u32 KEY_INTEGERS = 1073741824;
const u32 KEY_DECIMALS = 2415919104;
const u32 KEY_TENTHS = 2952790016;
const u32 KEY_HUNDREDTHS = 3758096384;
const u32 KEY_ORDERED = 2147483648;
const u32 KEY_OF_INTEGERS = 0;
const u32 KEY_OF_GROUPS = 1;
const u32 KEY_OF_UNITS = 2;

struct SiftConstantValue {
  u64 low, high;               // 128 bits with a sign
  u64 fraction;                // not 0: a decimal
};

// Lookup: what becomes of a row that has a group in a table, or none (layout.go).
enum Lookup : u32 { LOOKUP_SOME, LOOKUP_NONE, LOOKUP_TIMES, LOOKUP_AT_LEAST_ONE };

// Probe looks rows up in a table of groups, by one column or two.
struct Probe {
  u64 groups, mask;            // Group[mask + 1]
  u64 least, most;             // only groups count that weigh so much
  u32 first, second;           // columns of from; second NONE: by one
  u32 kind;
  u32 pad;
};

const u32 MOST_PROBES = 2;

// Sifting copies the rows that pass its code and its tables, with what is computed of each.
struct Sifting {
  u64 from[16], to[16];        // u32[]: the rows' columns, of which the first width are copied
  u64 weightLow, weightHigh;   // u32[]: the halves of their weights, or 0: one each
  u64 toLow, toHigh;           // as to, or 0
  u64 doubled;                 // as in Summing: the results, or 0
  u64 words[3];                // u32[] each: those of SIFT_KEY, or 0
  u64 first, rows;
  u64 kept, odd;               // rows that were copied; those of them that a number is missing for, or too large
  u32 width, codeCount, probeCount;
  u32 mostBits;                // that a result may have beside its sign
  u32 ranges[4];               // of numbers, for each set
  u32 code[64];
  SiftConstantValue constants[16];
  NumberRange numbers[32];     // eight a set
  Probe probes[2];
};

// Core: the lists of an undirected label without loops, by the numbers of rows. An edge leads up from the end with fewer neighbours, or as many
// and the smaller number. Pieces are the work of rows with more neighbours than light, parts each: the row in the lower half, then the part
// and how many there are, 16 bits each.
//
// A core that is away has rows that are numbered so that edges lead up to greater numbers, and lies in host memory but for the lists of the last rows.
struct Core {
  u64 partition;               // Partition; of a core that is away one that has offsets alone
  u64 lists;                   // u32[edges]: its neighbours by row
  u64 starts, upper;           // u32[rows + 1], u32[edges / 2]: those that edges lead up to
  u64 sums;                    // u32[rows / BLOCK + 2]: scratch
  u64 pieces, upperPieces;     // u64[room]: of lists and of upper
  u32 rows, edges, light, split;
  u32 longest, upperLongest, pieceCount, upperPieceCount;
  u64 ends;                    // u32[rows], where upper lists end: of a core that is away, else 0
  u64 listsAway, upperAway;    // of that one: all of lists and upper, of which there is what comes from listsFrom and upperFrom on
  u32 listsFrom, upperFrom;
};

// DenseSet: which members of a row's list may stand for a query vertex; near, apart, absent and above are levels before it, as bits.
struct DenseSet {
  u32 near, apart, absent, above, upper;
};
struct DenseTerm {
  u64 factor;                  // modulo 2^64
  u32 sizes[4];                // sets of Dense.tail, as bits
  u32 count, pad;
};

// Dense counts a pattern in the neighbourhoods of a Core.
const u32 MOST_LEVELS = 6;
// MIDDLE is how many neighbours a heavy root may have whose bitmaps are in shared memory and whose units are one lane's each.
const u32 MIDDLE = 256;
// FAR_CHUNK is how many far vertices of a root are bound together.
const u32 FAR_CHUNK = 1024;
// FAR_WORDS is how many words their bitmaps take at most.
const u32 FAR_WORDS = 8192;
struct Dense {
  u64 core;
  u64 scratch, room;           // u64[room] for each of heavyBlocks
  u64 left;                    // u64[4] for each of heavyBlocks, zero at first: the piece that it has begun, how far and how finely, and with a far vertex from which row on
  u64 nextPiece, nextRow;      // what is yet to be taken
  u64 pending;                 // pieces that this launch has begun and not ended
  u64 deferredPieces, deferredRoom;  // u64[deferredRoom]: pieces that launches leave to the next
  u64 deferred, ready;         // how many there are, and how many there were when this launch began
  u64 slice;                   // nanoseconds of one launch
  u32 heavyBlocks, smallest;   // smallest: a root has so many neighbours at least
  u32 upward, linear;          // upward: roots have their upper neighbours alone; linear: one term that is one size
  u32 levelCount, tailCount, termCount;
  u32 work;                    // from how much on work is deferred, in bindings of the last level
  u32 common;                  // with a far vertex how many neighbours it has in common with the root at least; else 0
  u32 farApart, farAbsent;     // it is not the root; nor a neighbour of it
  u32 cut;                     // how many pieces each of the core's is, with a far vertex
  DenseSet levels[6], tail[3];
  DenseTerm terms[15];
};

// SquareList: a partition's lists by numbers of vertices, and in these.
struct SquareList {
  u64 partition;               // Partition
  u64 offsets, to;             // u32[vertices + 1], u32[edges]
};

// SquareWalk: a path of two edges, by the lists that they are in.
struct SquareWalk {
  u32 first, second;
};

// SquareGroup: weight times the paths by any of fill times those by any of read.
const u32 MOST_WALKS = 4;
struct SquareGroup {
  u32 weight, fillCount, readCount, pad;
  SquareWalk fill[4], read[4];
};

// Squares counts cycles of four edges by paths of two (squares.cu). Vertices are numbered by how many neighbours they have.
const u32 MOST_SQUARE_LISTS = 8;
struct Squares {
  u64 order, numbers;          // u32[vertices]: vertex by number; and number by vertex; for square_fill alone
  u64 counters;                // u32[vertices] for each block of a launch, zero between launches
  u64 next;                    // piece of work that is yet to be taken; it may end beyond what there is
  u64 minus, minusHigh;        // solutions that State.count and countHigh have too many, likewise
  u64 slice;                   // nanoseconds of one launch
  u32 vertices, heavy;         // the heavy vertices, those with the highest numbers, are a piece each
  u32 atOnce;                  // of the others so many are one
  u32 listCount, groupCount;
  u32 different, loops;        // not 0: the corners are different vertices; neighbouring ones may be one that has a loop
  u32 pad;
  u32 forth[4], back[4];       // lists from a corner to the next, and from that one to it
  SquareList lists[8];
  SquareGroup groups[4];
};

const u32 MOST_TRIANGLE_ROOM = 4096;
// Triangles counts cycles of three edges of one label, of any directions (triangles.cu). Vertices are numbered by how many neighbours they have.
struct Triangles {
  u64 order, numbers;          // u32[vertices]: vertex by number; and number by vertex; for triangle_fill alone
  u64 out, in;                 // Partition; likewise
  u64 lists;                   // u64[vertices]: where the upper list of a number begins in to, and its length << 32
  u64 to;                      // u32[edges]: members of greater number << 2, and 1 where an edge leads there, 2 where one leads back
  u64 walks;                   // u64[vertices], likewise in via
  u64 via;                     // u32[edges]: neighbours with a shorter upper list, not an empty one, as in to; of two with as many the lesser has it
  u64 filled, walked;          // how much of to and via is written
  u64 loops;                   // vertices with an edge to themselves; of these all edges to others, from others, and both ways
  u64 loopOut, loopIn, loopBoth;
  u64 next;                    // piece of work that is yet to be taken; it may end beyond what there is
  u64 slice;                   // nanoseconds of one launch
  u64 weights[4];              // by the edges between least and middle: 4 bits each for 4 * those between middle and greatest + between least and greatest
  u32 vertices, heavy;         // the heavy vertices, those with the highest numbers, are a piece each
  u32 atOnce;                  // of the others so many are one
  u32 room;                    // members that a block's table takes at a time
  u64 ownLists, own;           // lists and to, as the lists are read that are tables
  u32 first;                   // the least vertex at work; vertices is behind the greatest
  u32 offsets;                 // lists, ownLists and walks are u32: where lists begin, and behind the last where it ends
  u32 low, span;               // lists of the numbers from low to below low + span are walked
};

// Hop: lists that lead from a state of a Closure to another.
struct Hop {
  u64 partition;               // Partition
  u32 from, to;
};

// ClosureChunk: a part of a list that is too long for a warp, and the sources that its members are reached from.
struct ClosureChunk {
  u64 begin, mask;
  u32 size, to;
};

// A Closure finds where walks of hops lead (closure.cu): a walk is in a state and at a vertex.
const u32 MOST_HOPS = 32;
const u32 MOST_STATES = 16;
const u32 MOST_SOURCES = 64;
// LONG_LIST is how many members of a list a warp takes with others', and how many a chunk has.
const u32 LONG_LIST = 512;
enum ClosurePhase : u32 { CLOSURE_LISTS, CLOSURE_CHUNKS, CLOSURE_SETTLE, CLOSURE_ENDS, CLOSURE_DONE };
struct Closure {
  u64 seen;                    // by state: u32[vertexCount / 32, rounded up], bits of vertices; of many sources u64[vertexCount], bits of sources
  u64 next, front;             // of many: u64[vertexCount] by state, what came in this level, zero between levels; and in the one before
  u64 vertices, states;        // u32[room]: the queue; of many twice, for the levels by turns
  u64 room;
  u64 chunks;                  // ClosureChunk[]
  u64 ends;                    // u32[vertexCount / 32, rounded up] for each source: bits of vertices; 0: not wanted
  u64 begin, end, filled;      // of the queue: the level, and where what comes behind it ends
  u64 taken;                   // entries of the level, or of what came, that were taken; it may end beyond what there is
  u64 chunkCount, chunkTaken;  // likewise
  u64 phase;                   // ClosurePhase
  u64 slice;                   // nanoseconds of one launch
  u64 counts[64];              // by source, the vertices that walks end at
  u32 sources[64];             // the queue's first entries, in state stateCount
  u32 vertexCount, stateCount, hopCount, sourceCount;
  u32 ending;                  // states in which walks may end, as bits
  u32 zero;                    // not 0: the walk of no hop counts too
  u32 stopped, levels;         // the slice is over; levels that were gone through
  Hop hops[32];
};

// The sizes that layout_test.go finds by reading this file are those that the compiler gives.
static_assert(sizeof(Partition) == 64 && sizeof(Operand) == 16 && sizeof(Link) == 120 && sizeof(Check) == 56, "layout.go");
static_assert(sizeof(Pair) == 112 && sizeof(Copy) == 16 && sizeof(Branch) == 40, "layout.go");
static_assert(sizeof(Step) == 256 && sizeof(Frame) == 32 && sizeof(StepTrace) == 32, "layout.go");
static_assert(sizeof(Weighing) == 296 && sizeof(Pages) == 16 && sizeof(Page) == 24 && sizeof(Grouping) == 88, "layout.go");
static_assert(sizeof(State) == 128 && sizeof(Program) == 256 && sizeof(Patch) == 200, "layout.go");
static_assert(sizeof(Core) == 120 && sizeof(DenseSet) == 20 && sizeof(DenseTerm) == 32 && sizeof(Dense) == 808, "layout.go");
static_assert(sizeof(SquareList) == 24 && sizeof(SquareWalk) == 8 && sizeof(SquareGroup) == 80 && sizeof(Squares) == 632, "layout.go");
static_assert(sizeof(Triangles) == 208, "layout.go");
static_assert(sizeof(Hop) == 16 && sizeof(ClosureChunk) == 24 && sizeof(Closure) == 1440, "layout.go");
static_assert(sizeof(Top) == 320, "layout.go");
static_assert(sizeof(Sum) == 48 && sizeof(NumberRange) == 16 && sizeof(Summing) == 272 && sizeof(SumListing) == 80, "layout.go");
static_assert(sizeof(Group) == 16 && sizeof(Combining) == 104 && sizeof(Listing) == 64, "layout.go");
