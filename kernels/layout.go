package kernels

import (
	"math"
	"unsafe"
)

// Address is an address in device memory; 0 means "not there".
type Address = uint64

// None is the row of a vertex that has none, as in layout.cuh.
const None = 0xFFFFFFFF

// Shapes of the matcher's launches; layout.cuh has the same.
const (
	// Block is the number of threads of a block, and the rows of one chunk of the bound phase.
	Block = 256
	// MaxTile is the largest number of candidates a block takes at a time, workTile how many of them it works on.
	MaxTile  = 4 * workTile
	workTile = 1024
	// MaxWhole bounds Program.Whole.
	MaxWhole = 4096
	// Virtual marks the begin of a list that is a range of numbers.
	Virtual = Address(1) << 63
)

// Layer is a partition's row layer, numbered as pcsr.Layer.
type Layer uint32

// The row layers.
const (
	LayerRange Layer = iota
	LayerBitmap
	LayerHash
	LayerList
	LayerDirect
	LayerGroup
)

// Partition is the lists of one edge label in one direction, by address.
type Partition struct {
	Index, Vertices, Offsets, Neighbours Address
	Layer                                Layer
	Base, Rows, Edges, Probes, Words     uint32
	// Pages is a Pages with a Page for each page behind it, which the kernels for what is read in pages look at; 0: the lists lie as the
	// arrays say, which is true for all others.
	Pages Address
}

// Pages says where the lists of a partition are that is read in pages, which are ranges of rows: PageOf is u32[], the first page of each
// 1<<Shift rows.
type Pages struct {
	PageOf   Address
	Shift, _ uint32
}

// Page says where the lists of a page are: that of row r begins at Neighbours + 4 × the u32 at Offsets + 4r. Both may lie below what is
// allocated, as they stand for row 0. End is the first row of the next page.
type Page struct {
	Offsets, Neighbours Address
	End, _              uint32
}

// Shapes of launches that group rows.
const (
	// MaxGrouped is the most links whose pages rows are grouped by.
	MaxGrouped = 4
	// SharedCounts is how many counts a block keeps in shared memory.
	SharedCounts = 8192
)

// Grouping groups the rows of a step's table by the pages that the lists of some of its links lie in. A cell is a page of a link. Rows
// of one portion have their lists in the same windows, which are sets of pages.
type Grouping struct {
	// Counts is u32[CellCount], how many rows have a list in each; Windows u32[CellCount], what a list there adds to the number of its
	// row's portion.
	Counts, Windows Address
	// Portions is u32[PortionCount], the rows of each; for OrderRows the places for them, which it moves on.
	Portions Address
	// Order is u32[rows], the rows portion by portion. Rows with an empty list are in none.
	Order Address
	// Links are numbers of the step's links, Cells the first cell of each.
	Links, Cells                       [MaxGrouped]uint32
	LinkCount, CellCount, PortionCount uint32
	// Flags is 0, or u8[rows]: OrderRows scans for the rows of the portion Only, but for those whose flag is set, and sets it.
	Only  uint32
	Flags Address
}

// OperandKind says where an operand's value comes from.
type OperandKind uint32

// The kinds of operand.
const (
	Constant OperandKind = iota
	Column
	Candidate
)

// Operand is a constant, a column of the table that a step reads, or the step's own candidate.
type Operand struct {
	Column   Address
	Constant uint32
	Kind     OperandKind
}

// LinkKind says which list a link names.
type LinkKind uint32

// The kinds of link.
const (
	// Neighbours is N(From, Label) in Direction.
	Neighbours LinkKind = iota
	// Rows is the row vertices of a partition.
	Rows
	// EdgeLabels is the labels of From's edges in Direction.
	EdgeLabels
	// List is the same list for every row.
	List
	// Numbers is a range of numbers.
	Numbers
	// Weights is a factor alone: not a list but a number that a Weighing made.
	Weights
)

// Link is one sorted list per row that candidates must lie in.
type Link struct {
	Kind, Direction uint32
	From, Label     Operand
	// Partition is set where the label is constant; 0: found by label.
	Partition Address
	// ListAt and Length are a List's address and length, or the first of Numbers and how many. Of Weights, ListAt is
	// u64[rows of Partition], the weight of From by its row; where Partition is 0, one weight for all.
	ListAt, Length uint64
	// Bitmap answers membership in a List, where it is not 0.
	Bitmap Address
	// Begin and Size are columns (u64, u32) that the bound phase fills with each row's list.
	Begin, Size Address
	// What follows holds for factors alone: Low ≤ member < High (High 0: no bound), the values that do not count, and links, at most MostOthers, whose
	// lists members must be in too.
	Low, High               uint32
	Except, Others          Address
	ExceptCount, OtherCount uint32
}

// MostOthers is how many lists a factor's members may have to be in beside its own.
const MostOthers = 3

// Check is an edge that must be in the graph or, where Absent is not 0, must not be there.
type Check struct {
	From, Label, To Operand
	Absent          uint32
	_               uint32
}

// Pair is two edges that must not be the same.
type Pair struct {
	A, B Check
}

// Copy is a column that a step hands on from its table to the next.
type Copy struct {
	From, To Address
}

// Weight says what a branch makes of the number n of its solutions.
type Weight uint32

// The weights.
const (
	// AtLeastOne is max(1, n).
	AtLeastOne Weight = iota
	// Some is 1 where n > 0, else 0.
	Some
	// NoSolution is 1 where n = 0, else 0.
	NoSolution
)

// Branch is a pattern that hangs on a row and what it binds: its solutions are the product of the factors where the checks hold
// and no pair is of equal edges, else none.
type Branch struct {
	Factors, Checks, Pairs             Address
	FactorCount, CheckCount, PairCount uint32
	Weight                             Weight
}

// Mode says what becomes of the candidates that pass.
type Mode uint32

// The modes of a step.
const (
	// Extend makes them rows of the next table.
	Extend Mode = iota
	// Count adds the product of the factors' lengths and the branches' weights for each.
	Count
)

// Strategy says how the extend phase spreads its work.
type Strategy uint32

// The strategies.
const (
	// Flattened gives every block equal tiles of candidates.
	Flattened Strategy = iota
	// WarpPerRow gives every warp a row, as published; kept to compare with.
	WarpPerRow
)

// Step joins one query vertex to the table. The arrays are given by address and count.
type Step struct {
	Links, Checks, Distinct, Pairs, Copies, Factors                         Address
	LinkCount, CheckCount, DistinctCount, PairCount, CopyCount, FactorCount uint32
	// Low ≤ candidate < High; High 0 means no bound.
	Low, High uint32
	// Above are operands that the candidate must be greater than, Under those that it must be less than.
	Above, Under Address
	// Bitmap has a bit for every vertex that may be a candidate, where it is not 0.
	Bitmap Address
	// Store is the column that takes the candidate; 0 where nobody reads it.
	Store Address
	// Item, Prefix, Choice are columns (u32[rows], u64[rows+1], u16[rows]) that the bound phase fills.
	Item, Prefix, Choice Address
	// Capacity is the number of rows that the next table holds.
	Capacity   uint64
	Mode       Mode
	Strategy   Strategy
	AboveCount uint32
	// SeenMask is one less than the number of 64-bit words, a power of two, at Seen: rows of at most two columns that
	// came out, to drop repeats by. Seen 0: repeats stay.
	SeenMask uint32
	Seen     Address
	// GroupFirst and GroupEnd are columns of the next table that take, for each row, where its siblings are: the rows that
	// came from the same row, next to one another and in order. End 0 says that they are not told.
	GroupFirst, GroupEnd Address
	// Siblings is the column that holds what an earlier step bound, and SiblingsFirst and SiblingsEnd say which of its rows,
	// for each row of this step's table, all this step's candidates are among. Those pass all links but the first OwnLinks
	// and differ from all of Distinct but the first OwnDistinct. Where Siblings is not 0, one link more than LinkCount gives
	// the columns for their list.
	Siblings, SiblingsFirst, SiblingsEnd Address
	OwnLinks, OwnDistinct                uint32
	// WeightLow and WeightHigh are the columns of the output that take the halves of a row's weight, the product of the
	// factors and of the branches' weights. 0: rows have no weights. Rows whose weight would be 0 do not come out.
	WeightLow, WeightHigh Address
	Branches              Address
	BranchCount           uint32
	// Tile is the most candidates of a ticket.
	Tile                 uint32
	UnderCount, Reserved uint32
}

// Shared marks the choice of a row whose candidates come from its siblings.
const Shared = 0x8000

// Frame is the table that a step reads and how far its candidates are used up.
type Frame struct {
	Rows, Items, Candidates, Next uint64
}

// StepTrace is what one step did.
type StepTrace struct {
	RowsIn, Candidates, RowsOut, Nanoseconds uint64
}

// Status says why a launch ended.
type Status uint32

// The statuses.
const (
	Running Status = iota
	// Done: there is nothing left to do.
	Done
	// OutputFull: the output columns want to be read; the next launch goes on.
	OutputFull
	// Sliced: the slice of time is over; the next launch goes on.
	Sliced
	// Widen: there is more work than the launch had blocks for; the next launch goes on.
	Widen
	// Overflow: a table was too small (WarpPerRow alone).
	Overflow
	// Grow: the tables are much too small (Program.Grow); the first of State.Counters is how many rows they should have.
	Grow
)

// Action is what a launch begins with.
type Action uint32

// The actions.
const (
	DoBound Action = iota
	DoExtend
)

// State is the part of a Program that runs change, and the answer.
type State struct {
	// Rows are in the output columns; Emitted rows were handed out before. Solutions counted are Count (sums of 32-bit
	// parts) + CountHigh << 32, more than 64 bits where Overflowed is set (Solutions).
	Rows, Count, CountHigh, Emitted uint64
	Status                          Status
	Level                           uint32
	Action                          Action
	Epoch                           uint32
	Sequence, InMailbox             uint32
	Arrived, Exits                  uint32
	Counters                        [4]uint64
	Expired                         [4]uint32
	// KernelTime is the nanoseconds spent inside launches.
	KernelTime uint64
	Overflowed uint64
}

// Solutions is the number of solutions counted, or the largest number where it has more than 64 bits.
func (s *State) Solutions() uint64 {
	high := s.CountHigh + s.Count>>32
	if s.Overflowed != 0 || high>>32 != 0 {
		return math.MaxUint64
	}
	return high<<32 | s.Count&math.MaxUint32
}

// Program is a join as the device reads it.
type Program struct {
	Steps, Frames, Traces Address
	// Flags and Sums are u32[chunks] and u64[4*chunks], chunks the largest table's rows / Block, rounded up.
	Flags, Sums Address
	// Partitions is Partition[2*n] for n labels in use. Incident is Partition[5]: vertex → label set by direction, label
	// set → labels by direction, and a label's row is its number among those in use.
	Partitions, Incident Address
	// Outputs is the addresses of the OutputCount output columns.
	Outputs Address
	// Mailbox is mapped host memory: a State and then MailboxWords words for small results.
	Mailbox      Address
	MailboxWords uint64
	// Limit ends the run after so many rows (0: none); Slice is the nanoseconds of one launch; Widen is the number of
	// candidates from which a launch of fewer than Blocks blocks gives up.
	Limit, Slice, Widen            uint64
	StepCount, OutputCount, Blocks uint32
	// Few is the number of candidates from which a step takes the short path; Whole the most candidates of a row that are
	// kept together where siblings are wanted; Grow, not 0, ends the run as soon as a table turns out to be much too small.
	Few, Whole, Grow uint32
	State            State
}

// Ticket is how many candidates a block takes at a time where a step has so many, and takes tile at most (extend.cuh's tileOf).
func (p *Program) Ticket(tile uint32, candidates uint64) uint64 {
	fair := (candidates/(2*uint64(p.Blocks)) + Block - 1) / Block * Block
	many := candidates / (16 * uint64(p.Blocks)) / workTile * workTile
	return min(uint64(tile), max(min(fair, workTile), many, Block))
}

// Tickets is how many of them there are.
func (p *Program) Tickets(tile uint32, candidates uint64) uint64 {
	ticket := p.Ticket(tile, candidates)
	return (candidates + ticket - 1) / ticket
}

// Weighing makes a weight for each of the rows of lists: the sum over the list of what its members weigh, the product of the
// step's factors and branches where a member passes the step's conditions, else nothing. Sums and products stop at the largest
// number.
type Weighing struct {
	// Step has Links, Checks, Distinct, Low, High, Factors and Branches, which read its candidate and constants alone.
	Step Step
	// Offsets is u32[Rows+1], or 0 where each row has one member; Members is u32[Edges], or the first of a range of numbers and Virtual;
	// no row is empty. Weights is u64[Rows], zero at first.
	Offsets, Members, Weights Address
	Rows, Edges               uint32
	// Tile is how many members a warp takes at a time, a multiple of 32.
	Tile, _ uint32
}

// Patch makes a partition of another one and of what came and went. Rows that were touched are numbered in the order of their
// vertices, edits are the neighbours that came to them or went, row by row and ascending in each. What came before shifts what
// follows: Shifts and RowShifts are sums modulo 2³², of one for each edit or row that came, less one for each that went.
type Patch struct {
	// From.Vertices is there but for LayerRange. To has its final shape, and arrays to be written: Vertices but for LayerRange,
	// Offsets unless it has as many edges as rows.
	From, To Partition
	// Neighbours is u32[Edits], Shifts u32[Edits+1].
	Neighbours, Shifts Address
	// Places is u32[Edits]: before which of From.Neighbours each comes, or which goes; written by PatchPlaces.
	Places Address
	// Vertices are the touched ones, u32[Rows]; Before is how many rows of From lie below each.
	Vertices, Before Address
	// Firsts is u32[Rows+1], the first edit of each row; RowShifts u32[Rows+1].
	Firsts, RowShifts Address
	// Probes is u32, zero at first: the most buckets that IndexHash read for an insertion.
	Probes      Address
	Edits, Rows uint32
}

// Group is a slot of a table of groups. Key is one more than the group's columns, the first in the upper half where there are two; 0: the
// slot is free. Weight is the sum of its rows' weights, or the largest number.
type Group struct{ Key, Weight uint64 }

// Shapes of launches that combine rows.
const (
	// NearGroups is the most groups that a block keeps near itself while it combines rows.
	NearGroups = 1024
	// ListChunk is how many slots a block lists at a time.
	ListChunk = 1024
)

// Combining takes rows of one or two columns into a table of groups, in which equal rows are one.
type Combining struct {
	// Groups is Group[Mask+1], a power of two; what is not used is zero.
	Groups Address
	Mask   uint64
	// Used is how many groups there are; from Most on blocks take no more rows. Blocks that have some make up to Chunk and Near groups more.
	Used, Most uint64
	// First and Second are u32[Rows], the columns; Second is 0 where there is one. WeightLow and WeightHigh are the halves of the rows'
	// weights, or 0: each row is worth one.
	First, Second, WeightLow, WeightHigh Address
	// Rows from Next on are yet to be taken; Next may end beyond Rows.
	Rows, Next uint64
	// Slice is the nanoseconds of one launch.
	Slice uint64
	// Chunk is how many rows a block takes at a time, Near how many groups it keeps near itself, a power of two up to NearGroups.
	Chunk, Near uint32
	// Sums, not 0: somebody reads the weights.
	Sums, _ uint32
}

// Listing writes groups out as columns, until fewer than ListChunk rows a block are free.
type Listing struct {
	// Groups and Mask are those of a Combining; slots from Next on are yet to be listed, and Next may end beyond them.
	Groups     Address
	Mask, Next uint64
	// First is u32[Room], Second the same or 0, Weights u64[Room] or 0.
	First, Second, Weights Address
	// Room is how many rows fit, Listed how many were written.
	Room, Listed uint64
}

// Sum is a slot of a table of groups whose numbers are added up. Key is as in Group, or 1 where rows have no columns. Count is the group's rows, up to the
// largest number; Low and High are their sum, of 128 bits with a sign.
type Sum struct {
	Key, Count, Low, High uint64
	// Least is the complement of the least ID, Greatest one more than the greatest.
	Least, Greatest uint32
	// Fraction, not 0: a number had one.
	Fraction, _ uint32
}

// NumberRange is what the IDs from First to below First+Count stand for: twice the numbers, as integers of one scale, plus 1 where they may have a fraction; or
// NoNumber.
type NumberRange struct {
	// Doubles is int64[Count].
	Doubles      Address
	First, Count uint32
}

const (
	// NoNumber is in place of what an ID stands for that is no number.
	NoNumber = 1 << 63
	// MostNumbers is how many ranges of IDs there are at most.
	MostNumbers = 8
	// MostSummed is how many rows a block takes in a launch at most, NearSum the bound of what it adds up near itself: so no sum there has more than 63 bits.
	MostSummed = 1 << 17
	NearSum    = 1 << 45
)

// Summing takes rows of no column, one or two, and one of IDs, into a table of groups, and adds up what the IDs stand for.
type Summing struct {
	// Groups is Sum[Mask+1]; else these are as in Combining.
	Groups     Address
	Mask       uint64
	Used, Most uint64
	// First and Second are u32[Rows], the columns, or 0; Value is u32[Rows], the IDs. Where it is 0, Doubled is twice the numbers as in NumberRange,
	// but of 128 bits, uint64[2*Rows], the lower half first; or 0: rows are counted alone.
	First, Second, Value, Doubled, WeightLow, WeightHigh Address
	// Ranks is u32[Numbers[0].Count], the place among them that each ID has for the least and the greatest; 0: its own.
	Ranks Address
	// Ordered is u32[Rows], of which the least and the greatest are found in place of the IDs', or 0.
	Ordered Address

	Rows, Next, Slice uint64
	Chunk, Near       uint32
	// Sums, not 0: somebody reads the sums or the counts; Extremes: the least and the greatest.
	Sums, Extremes uint32
	// Odd, not 0: an ID that stands for no number was met, and what was made is of no use.
	Odd uint32
	// Ranges is how many Numbers are given.
	Ranges  uint32
	Numbers [MostNumbers]NumberRange
}

// SumListing writes groups out, as Listing does.
type SumListing struct {
	Groups     Address
	Mask, Next uint64
	// To is Sum[Room].
	To           Address
	Room, Listed uint64
	// BoundLow and BoundHigh, of 128 bits, or BoundMean, a float64, are a bound: groups that are behind it are not written.
	BoundLow, BoundHigh, BoundMean uint64
	By                             SumOrder
	// Descending, not 0: those are behind that are less.
	Descending uint32
}

// SumOrder is what groups are compared by.
type SumOrder uint32

// The orders: by none there is no bound.
const (
	ByNone SumOrder = iota
	BySum
	ByCount
	ByMean
)

// Shapes of a Top.
const (
	// TopBins is into how many bins IDs are counted, TopTile how many rows a block selects from at a time, MostTop how many columns rows have at most.
	TopBins = 4096
	TopTile = 2048
	MostTop = 16
	// TopWordBits is how many of a number's first bits tell words apart (TopWords). Greater numbers have no smaller words, and those of so few bits words of their own.
	TopWordBits = 25
)

// Top counts rows by the IDs of a column, and copies those whose ID lies between two others.
type Top struct {
	// Column is u32[Rows].
	Column Address
	Rows   uint64
	// Counts is u64[TopBins], zero at first: rows by bins of 1<<Shift IDs, from First on. Odd are those whose ID does not lie between First and below
	// First+Count.
	Counts Address
	Odd    uint64
	// Selected is how many rows were copied.
	Selected     uint64
	First, Count uint32
	Shift        uint32
	// Low and High are the least and the greatest ID that are copied; Width is how many columns a row has.
	Low, High, Width uint32
	// From is u32[Rows] each, To has room for all that are copied.
	From, To [MostTop]Address
}

// SiftOp is an operation of a Sifting's code, on a stack of numbers of 128 bits and truths, which are the numbers 0 and 1.
type SiftOp uint32

// The operations: they take what they work on from the stack, and leave there what comes of it.
const (
	// SiftColumn leaves what the ID of a column stands for in one of the sets of tables: the number above the operation's bits is the column, and MostTop times the
	// set. SiftConstant leaves the constant of that number.
	SiftColumn SiftOp = iota
	SiftConstant
	SiftPlus
	SiftMinus
	SiftTimes
	SiftNegate
	SiftLess
	SiftLessEqual
	SiftEqual
	SiftAnd
	SiftOr
	SiftNot
	// SiftRequire takes a truth: a row for which it is 0 is left out.
	SiftRequire
	// SiftResult takes the number that the row has.
	SiftResult
	// SiftAbsolute leaves a number without its sign.
	SiftAbsolute
	// SiftFloor takes a dividend and a divisor and leaves the greatest whole number up to the quotient, a decimal where one of them is. Where the number above the operation's
	// bits is not 0 it is one in any case, and the divisor has FloorBits at most.
	SiftFloor
	// SiftQuotient takes a dividend, a divisor, a number, and a bound that the divisor has to be below without its sign. It leaves what is compared as the quotient is
	// with the number: the dividend, and the product of divisor and number, both negated where the divisor is negative. Of the number above the operation's bits the
	// first bit says that the product comes first, the second and the third what is left in their places where the divisor is zero.
	SiftQuotient
	// SiftKey takes a number and the power of ten that it was multiplied by, or is to be divided by for its units; the row has it as a word of 32 bits. The number above the
	// operation's bits says which word it is, by its rest by MostKeys, and which numbers have one: KeyOfIntegers and so on.
	SiftKey
)

// Words of 32 bits that numbers to be grouped by have. An integer is KeyIntegers more than its value; decimals of no, one and two decimals, without zeros at their
// end, are so much more than their units as the constant of theirs says. Each may have as many bits as keep it below the next one's least, half of them for what is
// negative.
const (
	KeyIntegers   = 1 << 30
	KeyDecimals   = 1<<31 + 1<<28
	KeyTenths     = 1<<31 + 1<<29 + 1<<28
	KeyHundredths = 1<<31 + 1<<30 + 1<<29
	// KeyOrdered is what a number has been increased by that is in the order of the numbers: an integer, or the units of a decimal.
	KeyOrdered = 1 << 31
)

// What SiftKey makes words of, times MostKeys: integers in their order, numbers to be grouped by, and units in their order of what are decimals all.
const (
	KeyOfIntegers = iota
	KeyOfGroups
	KeyOfUnits
)

// Bounds of a Sifting. SiftTile is how many rows a block sifts at a time, SiftBits how many bits a number may have beside its sign, ResultBits how many a result
// that weights multiply, WideResultBits one that is added up no more than 2^32 times.
const (
	SiftOps        = 32 // by which a word of code is divided: the rest is the operation
	MostSiftCode   = 64
	MostSiftStack  = 8
	MostConstants  = 16
	SiftTile       = 1024
	SiftBits       = 126
	ResultBits     = 61
	WideResultBits = 94
	// FloorBits is how many bits a divisor may have whose quotient is rounded.
	FloorBits = 59
	// MostKeys is how many words a row may have beside its columns, SiftSets how many sets of tables there are.
	MostKeys = 3
	SiftSets = 4
)

// SiftConstantValue is a constant: 128 bits with a sign. Fraction, not 0: a decimal.
type SiftConstantValue struct {
	Low, High uint64
	Fraction  uint64
}

// Lookup says what becomes of a row that has a group in a table, or none.
type Lookup uint32

// The lookups.
const (
	// LookupSome leaves out rows without a group, LookupNone those with one.
	LookupSome Lookup = iota
	LookupNone
	// LookupTimes leaves out rows without a group and multiplies the others' weights by their group's; LookupAtLeastOne keeps all.
	LookupTimes
	LookupAtLeastOne
)

// Probe looks the rows up in a table of groups, by one or two columns of From.
type Probe struct {
	// Groups is Group[Mask+1]; only those count that weigh between Least and Most.
	Groups            Address
	Mask, Least, Most uint64
	// First and Second are columns; with Second None there is one.
	First, Second uint32
	Kind          Lookup
	_             uint32
}

// MostProbes bounds the tables of a Sifting.
const MostProbes = 2

// Sifting copies those rows that pass its code and its tables, in no order, with what is computed of each.
type Sifting struct {
	// From is u32[], the columns of the rows; the first Width of them are copied to To, which have room for all rows.
	From, To [MostTop]Address
	// WeightLow and WeightHigh are u32[], the halves of the rows' weights, or 0: one each. ToLow and ToHigh take them, or are 0.
	WeightLow, WeightHigh, ToLow, ToHigh Address
	// Doubled takes the results, as in Summing; 0: there are none. Words take those of SiftKey, u32[] each.
	Doubled Address
	Words   [MostKeys]Address
	// First is the first row, Rows how many there are.
	First, Rows uint64
	// Kept is how many rows were copied; Odd are those that a number is missing for, or too large: they are among those that were copied, with no result.
	Kept, Odd                    uint64
	Width, CodeCount, ProbeCount uint32
	// MostBits is how many bits a result may have beside its sign.
	MostBits uint32
	// Ranges is how many Numbers each set has; the first MostNumbers are those of the first set.
	Ranges    [SiftSets]uint32
	Code      [MostSiftCode]uint32
	Constants [MostConstants]SiftConstantValue
	Numbers   [SiftSets * MostNumbers]NumberRange
	Probes    [MostProbes]Probe
}

// Core is the lists of an undirected label without loops, by the numbers of rows. An edge leads up from the end with fewer neighbours, or as
// many and the smaller number. Pieces are the work of rows with more neighbours than Light, parts each: the row in the lower half, then the
// part and how many there are, 16 bits each.
type Core struct {
	// Partition is that of the label; Lists is u32[Edges], its neighbours by row.
	Partition, Lists Address
	// Starts is u32[Rows+1], Upper u32[Edges/2]: those that edges lead up to. Sums is u32[Rows/Block+2], scratch.
	Starts, Upper, Sums Address
	// Pieces and UpperPieces, of Lists and of Upper, have the room that [Core.Room] says.
	Pieces, UpperPieces         Address
	Rows, Edges, Light, Split   uint32
	Longest, UpperLongest       uint32
	PieceCount, UpperPieceCount uint32

	// Ends is u32[Rows], where upper lists end, of a core that is away; else 0. Its rows are numbered so that edges lead up to greater numbers, of its
	// partition there are Offsets alone, and it lies in host memory but for the lists of the last rows: Lists and Upper begin at places ListsFrom and
	// UpperFrom of ListsAway and UpperAway, where all are.
	Ends                 Address
	ListsAway, UpperAway Address
	ListsFrom, UpperFrom uint32
}

// Room is how many pieces there may be: one for each heavy row, and as many as are made of long lists (Parts).
func (c *Core) Room() int64 {
	edges := int64(c.Edges)
	return edges/(int64(c.Light)+1) + 8*edges/int64(c.Split) + 1
}

// Parts is how many pieces a heavy row is.
func (c *Core) Parts(neighbours uint32) uint32 {
	n := min(neighbours/c.Split, 8)
	return max(n*n, 1)
}

// DenseSet says which members of a row's list may stand for a query vertex. Near, Apart, Absent and Above are levels before it, as bits:
// those it is a neighbour of, differs from, is no neighbour of (and differs from), and is greater than. Upper, not 0: it is above the root.
type DenseSet struct{ Near, Apart, Absent, Above, Upper uint32 }

// DenseTerm is a factor, modulo 2⁶⁴, and Count sets of Dense.Tail, as bits, of which the members of all count.
type DenseTerm struct {
	Factor   uint64
	Sizes    [4]uint32
	Count, _ uint32
}

// Bounds of a Dense: levels, the neighbours of a root that is counted in shared memory, and the far vertices that are bound together.
const (
	MostLevels = 6
	Middle     = 256
	FarChunk   = 1024
	FarWords   = 8192 // of their bitmaps
)

// Dense counts a pattern in the neighbourhoods of a Core: for each row as root, and the members of its list that are bound to the levels
// one after the other, the sum of the terms.
type Dense struct {
	Core Address
	// Scratch is u64[Room] for each of HeavyBlocks, for roots of more than Middle neighbours: a bitmap for each of these, one more, and a number
	// of 32 bits for each and one more. With a far vertex there are 96 bits for each 32 rows of the core before these, FarWords instead of the numbers, and a number
	// of 32 bits for each neighbour of any root. Of a core that is away there is another such number for each neighbour behind all.
	Scratch Address
	Room    uint64
	// Left is u64[4] for each of HeavyBlocks, zero at first: the piece that it has begun, how far, and with a far vertex from which row on.
	Left Address
	// NextPiece and NextRow are what is yet to be taken; they may end beyond what there is.
	NextPiece, NextRow uint64
	// Pending is how many pieces a launch has begun and not ended.
	Pending uint64
	// DeferredPieces is u64[DeferredRoom], pieces that launches leave to the next; Deferred is how many there are, Ready how many there were when
	// the launch began.
	DeferredPieces, DeferredRoom uint64
	Deferred, Ready              uint64
	// Slice is the nanoseconds of one launch.
	Slice uint64
	// Smallest is how many neighbours a root must have.
	HeavyBlocks, Smallest uint32
	// Upward, not 0: roots have their upper neighbours alone. Linear, not 0: there is one term, of factor 1 and one size.
	Upward, Linear                   uint32
	LevelCount, TailCount, TermCount uint32
	// Work is from how much on work is deferred, in bindings of the last level.
	Work uint32
	// Common is with a far vertex how many neighbours it has in common with the root at least, else 0. FarApart, not 0: it is not the root; FarAbsent,
	// not 0: nor a neighbour of it. Cut is how many pieces each of the core's is then.
	Common, FarApart, FarAbsent, Cut uint32

	Levels [MostLevels]DenseSet
	Tail   [3]DenseSet
	Terms  [15]DenseTerm
}

// SquareList is a partition's lists by the numbers of vertices, and in these.
type SquareList struct {
	// Partition is its place in the table; Offsets is u32[Vertices+1], To u32[edges], which SquareFill writes.
	Partition, Offsets, To Address
}

// Bounds of a Squares: walks of a factor, and lists.
const (
	MostWalks       = 4
	MostSquareLists = 8
)

// SquareWalk is a path of two edges, by the lists that they are in.
type SquareWalk struct{ First, Second uint32 }

// SquareGroup is Weight times the paths by any of Fill times those by any of Read; those of Fill once more where ReadCount is 0.
type SquareGroup struct {
	Weight, FillCount, ReadCount, _ uint32
	Fill, Read                      [MostWalks]SquareWalk
}

// Squares counts cycles of four edges by paths of two. Vertices are numbered by how many neighbours they have; each solution is counted at the
// greatest number in it.
type Squares struct {
	// Order is u32[Vertices], the vertex of each number, and Numbers the number of each vertex that has one; SquareFill reads them, and Lists, alone.
	Order, Numbers Address
	// Counters is u32[Vertices] for each block of a launch, zero between launches.
	Counters Address
	// Next is the first piece of work that is yet to be taken; it may end beyond what there is.
	Next uint64
	// Minus and MinusHigh are solutions that State.Count and CountHigh have too many, as these count.
	Minus, MinusHigh uint64
	// Slice is the nanoseconds of one launch.
	Slice uint64
	// The Heavy vertices, those with the highest numbers, are a piece of work each; AtOnce of the others are one.
	Vertices, Heavy, AtOnce uint32
	ListCount, GroupCount   uint32
	// Different, not 0: the corners are four different vertices. Loops, not 0: neighbouring ones may be one that has a loop.
	Different, Loops, _ uint32
	// Forth is which list leads from each corner to the next, Back from that one to it.
	Forth, Back [4]uint32
	Lists       [MostSquareLists]SquareList
	Groups      [4]SquareGroup
}

// pieceCount is how many pieces of work there are in so many vertices.
func pieceCount(vertices, heavy, atOnce uint32) uint64 {
	return uint64(heavy) + (uint64(vertices-heavy)+uint64(atOnce)-1)/uint64(atOnce)
}

// pieceOf is the vertices of a piece: from a number to below another.
func pieceOf(piece uint64, vertices, heavy, atOnce uint32) (first, end uint32) {
	if piece >= uint64(heavy) {
		end = vertices - heavy - uint32(piece-uint64(heavy))*atOnce
		return end - min(end, atOnce), end
	}
	end = vertices - uint32(piece)
	return end - 1, end
}

// Triangles counts cycles of three edges of one label. Vertices are numbered by how many neighbours they have; each solution is counted at the
// least number in it.
type Triangles struct {
	// Order is u32[Vertices], the vertex of each number, and Numbers the number of each vertex that has one; Out and In are the partition's places
	// in the table. TriangleFill and TriangleWalks read them alone.
	Order, Numbers, Out, In Address
	// Lists is u64[Vertices]: where the list of a number begins in To, and how many members it has, by 1<<32. To is u32[edges]: the neighbours of
	// greater number, by 4, and 1 where an edge leads there, 2 where one leads back.
	Lists, To Address
	// Walks and Via are alike: the neighbours, lesser ones too, whose list in To is shorter but not empty; of two that have as many the lesser one has
	// the other.
	Walks, Via Address
	// Filled and Walked are how much of To and Via is written.
	Filled, Walked uint64
	// Loops are the vertices with an edge to themselves; LoopOut, LoopIn and LoopBoth how many other vertices an edge of theirs leads to, comes from, and
	// both.
	Loops, LoopOut, LoopIn, LoopBoth uint64
	// Next is the first piece of work that is yet to be taken; it may end beyond what there is.
	Next uint64
	// Slice is the nanoseconds of one launch.
	Slice uint64
	// Weights are how many solutions three vertices stand for, in 4 bits, by the edges between them as in To: the index by those between the
	// least and the middle one, the bits by 4 times those between the middle and the greatest and those between the least and the greatest.
	Weights [4]uint64
	// The Heavy vertices, those with the highest numbers, are a piece of work each; AtOnce of the others are one.
	Vertices, Heavy, AtOnce uint32
	// Room is how many members of a list a block looks for at a time, at most MostTriangleRoom.
	Room uint32
	// What follows lets a part of the work be done on a part of the lists. OwnLists and Own are Lists and To, as the lists are read whose members are looked for; First
	// is the least vertex at work, Vertices behind the greatest. Offsets: Lists, OwnLists and Walks are u32, where lists begin and behind the last where it
	// ends. Of the lists that are walked only those of the numbers from Low to below Low+Span are.
	OwnLists, Own  Address
	First, Offsets uint32
	Low, Span      uint32
}

// MostTriangleRoom is half the slots of a block's table.
const MostTriangleRoom = 4096

// Hop is lists that lead from a state of a Closure to another.
type Hop struct {
	// Partition is its place in the table.
	Partition Address
	From, To  uint32
}

// ClosureChunk is a part of a list that is too long for a warp, and the sources that its members are reached from.
type ClosureChunk struct {
	Begin    Address
	Mask     uint64
	Size, To uint32
}

// Bounds of a Closure. LongList is how many members of a list a warp takes with others', and how many a chunk has.
const (
	MostHops    = 32
	MostStates  = 16
	MostSources = 64
	LongList    = 512
)

// ClosurePhase is what a launch begins with.
type ClosurePhase uint32

// The phases of a level, and the two behind the last level.
const (
	ClosureLists ClosurePhase = iota
	ClosureChunks
	ClosureSettle
	ClosureEnds
	ClosureDone
)

// Closure finds where walks of hops lead, breadth first: a walk is in a state and at a vertex. ClosureOne is for one source, ClosureMany for up to
// MostSources, each a bit.
type Closure struct {
	// Seen has for each state a bit of each vertex, u32[VertexCount/32, rounded up], zero at first; of many sources u64[VertexCount], the sources
	// that it was reached from.
	Seen Address
	// Next and Front are u64[VertexCount] for each state, for many sources alone: what came in this level, zero at first and between levels, and
	// what came in the one before.
	Next, Front Address
	// Vertices and States are u32[Room], the queue, which begins with the sources; for many sources u32[2*Room], a half for each second level.
	Vertices, States Address
	Room             uint64
	// Chunks is ClosureChunk[], one for LongList/2 edges of each hop and one more.
	Chunks Address
	// Ends is u32[VertexCount/32, rounded up] for each source, the vertices that its walks end at, as bits; 0: they are only counted.
	Ends Address
	// Begin and End are the level's part of the queue, or of its half; Filled is where what comes behind it ends.
	Begin, End, Filled uint64
	// Taken is how many entries of the level, or of what came behind it, were taken, ChunkTaken how many of ChunkCount chunks; both may end
	// beyond what there is.
	Taken, ChunkCount, ChunkTaken uint64
	// Phase is a ClosurePhase.
	Phase uint64
	// Slice is the nanoseconds of one launch.
	Slice uint64
	// Counts are, by source, how many vertices its walks end at; zero at first.
	Counts [MostSources]uint64
	// Sources are different vertices. Their state is StateCount, to which no hop leads.
	Sources                                        [MostSources]uint32
	VertexCount, StateCount, HopCount, SourceCount uint32
	// Ending are the states in which walks may end, as bits. Zero, not 0: the walk of no hop counts too.
	Ending, Zero uint32
	// Stopped, not 0: the slice is over. Levels is how many levels were gone through.
	Stopped, Levels uint32
	Hops            [MostHops]Hop
}

// Words is the words of a bitmap of vertices.
func (c *Closure) Words() uint64 { return (uint64(c.VertexCount) + 31) / 32 }

// Bytes returns the memory of a value or an array as it is copied to the device.
func Bytes[T any](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}

// Size is the number of bytes of a T on the device.
func Size[T any]() int64 {
	var t T
	return int64(unsafe.Sizeof(t))
}
