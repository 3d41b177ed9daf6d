package kernels

import "errors"

// Errors of a driver; test with errors.Is.
var (
	// ErrNoDevice: there is no GPU, no driver, or it is too old; the message says which.
	ErrNoDevice = errors.New("no usable GPU")
	// ErrOutOfMemory: an allocation did not fit.
	ErrOutOfMemory = errors.New("out of GPU memory")
	// ErrLost: the device failed in a way that leaves its context unusable.
	ErrLost = errors.New("the GPU is lost")
)

// Kernel names a kernel.
type Kernel int

// The kernels and their arguments.
const (
	// Match runs a Program: (program).
	Match Kernel = iota
	// BoundPhase runs one bound phase: (program, level, rows, epoch, the rows as u32 or 0: all).
	BoundPhase
	// ExtendPhase runs one extend phase: (program, level, address of the row counter, limit, nanoseconds).
	ExtendPhase
	// MatchBranches and ExtendBranches are Match and ExtendPhase for a Program whose last step has branches or factors
	// that are Weights.
	MatchBranches
	ExtendBranches
	// MatchPaged, BoundPaged and ExtendPaged are MatchBranches, BoundPhase and ExtendBranches for plans that read partitions in pages.
	MatchPaged
	BoundPaged
	ExtendPaged
	// CountPages, CountPortions and OrderRows carry out a Grouping, one after the other: (program, level, rows, grouping), with 4 bytes of
	// shared memory for each count up to SharedCounts.
	CountPages
	CountPortions
	OrderRows
	// WeighLists carries out a Weighing: (program, weighing).
	WeighLists
	// Filter makes a bitmap of the vertices that pass a signature: (columns, stride, base and 1<<32 for a subject, rows,
	// vertices, bitmap, words 0 and 1, words 2 and 3).
	Filter
	// Mark sets the bits of a list's members: (list, length, bitmap).
	Mark
	// RowVertices lists the row vertices of a bitmap: (index, its words, base, rows, list).
	RowVertices
	// The others carry out a Patch, one after the other: (patch). PatchPlaces finds where the edits are.
	PatchPlaces
	// PatchLists writes the lists.
	PatchLists
	// PatchRows writes the row vertices and the offsets, and empties the buckets of a hash.
	PatchRows
	// IndexBitmap and IndexHash write the row layer, where the new partition has that one.
	IndexBitmap
	IndexHash
	// CombineRows takes rows into a table of groups: (combining).
	CombineRows
	// MoveGroups takes groups over to a new table: (combining, groups, slots).
	MoveGroups
	// ListGroups writes groups out as columns: (listing).
	ListGroups
	// SumRows takes rows into a table of groups whose numbers are added up: (summing).
	SumRows
	// MoveSums takes such groups over to a new table: (summing, groups, slots).
	MoveSums
	// ListSums writes them out: (sum listing).
	ListSums
	// TopCount counts rows by bins of IDs, TopSelect copies some of them: (top).
	TopCount
	TopSelect
	// TopWords gives rows words for IDs, in the order of the numbers that were computed of them: (results, words, rows).
	TopWords
	// SiftRows copies rows that pass conditions on their numbers, and tables: (sifting). It knows no operation from SiftAbsolute on and the first set of tables;
	// SiftWords knows all.
	SiftRows
	SiftWords
	// CoreCount, CoreScan and CoreFill make a Core, one after the other: (core). CoreScan is one block's.
	CoreCount
	CoreScan
	CoreFill
	// CountDense and the kernels behind it count in neighbourhoods, by 1 to MostLevels levels: (program, dense). Of the program they read and
	// write State and the mailbox.
	CountDense
	// CountFar and the kernels behind it count with a far vertex, which is the first of the levels: as CountDense.
	CountFar = CountDense + MostLevels
	// CountDenseAway and CountFarAway and those behind them are the same for a Core that is away.
	CountDenseAway = CountFar + MostLevels
	CountFarAway   = CountDenseAway + MostLevels
	// CountOuter counts with a far vertex and an outer one, the first and the last of three to MostLevels levels: as CountDense.
	CountOuter = CountFarAway + MostLevels
)

// Kernels behind CountOuter.
const (
	// SquareFill writes the lists of a Squares: (squares).
	SquareFill = CountOuter + 1 + iota
	// SquareCount counts: (program, squares), of the program as CountDense. It has as many blocks as there are counters for.
	SquareCount
	// TriangleFill writes the upper lists of a Triangles, TriangleWalks which of them are walked where: (triangles).
	TriangleFill
	TriangleWalks
	// TriangleCount counts: (program, triangles), of the program as CountDense.
	TriangleCount
	// ClosureOne and ClosureMany carry out a Closure: (program, closure), of the program as CountDense.
	ClosureOne
	ClosureMany

	kernelCount
)

// kernelNames are the names in the machine code.
var kernelNames = [kernelCount]string{
	"match", "bound_phase", "extend_phase", "match", "extend_phase", "match", "bound_phase", "extend_phase",
	"count_pages", "count_portions", "order_rows", "weigh_lists", "filter", "mark",
	"row_vertices", "patch_places", "patch_lists", "patch_rows", "index_bitmap", "index_hash",
	"combine_rows", "move_groups", "list_groups", "sum_rows", "move_sums", "list_sums", "top_count", "top_select", "top_words", "sift_rows", "sift_words",
	"core_count", "core_scan", "core_fill",
	"count_dense_1", "count_dense_2", "count_dense_3", "count_dense_4", "count_dense_5", "count_dense_6",
	"count_far_1", "count_far_2", "count_far_3", "count_far_4", "count_far_5", "count_far_6",
	"count_dense_1", "count_dense_2", "count_dense_3", "count_dense_4", "count_dense_5", "count_dense_6",
	"count_far_1", "count_far_2", "count_far_3", "count_far_4", "count_far_5", "count_far_6",
	"count_outer",
	"square_fill", "square_count", "triangle_fill", "triangle_walks", "triangle_count",
	"closure_one", "closure_many",
}

// String returns the kernel's name in the machine code.
func (k Kernel) String() string { return kernelNames[k] }

// Driver is one GPU. Allocations and queries of it are safe for concurrent use; a goroutine calls Enter before it
// calls anything else, and what Enter returned when it is through.
type Driver interface {
	Name() string
	// ComputeCapability is major*10 + minor.
	ComputeCapability() int
	Multiprocessors() int
	// Memory is the free and the whole device memory in bytes.
	Memory() (free, total int64, err error)
	// ResidentBlocks is how many blocks of a kernel the device holds at a time.
	ResidentBlocks(k Kernel, sharedBytes int) (int, error)
	Alloc(bytes int64) (Address, error)
	Free(a Address) error
	// AllocHost returns pinned host memory that kernels can read and write.
	AllocHost(bytes int64) (*HostMemory, error)
	FreeHost(m *HostMemory) error
	NewStream() (Stream, error)
	// Enter ties the goroutine to a thread on which the device may be used.
	Enter() (leave func(), err error)
	Close() error
}

// HostMemory is pinned host memory.
type HostMemory struct {
	Data []byte
	// Device is the address that kernels use.
	Device Address
}

// Stream is a queue of work. Calls return before the work is done; source and destination stay untouched until
// Synchronize returns. A stream belongs to one goroutine at a time.
type Stream interface {
	Upload(dst Address, src []byte) error
	Download(dst []byte, src Address) error
	Zero(dst Address, bytes int64) error
	// Launch starts a kernel of blocks times Block threads. All blocks are resident together.
	Launch(k Kernel, blocks, sharedBytes int, args ...uint64) error
	// Synchronize waits for all work queued.
	Synchronize() error
	Close() error
}
