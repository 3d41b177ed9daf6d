package gpu

import (
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// tuning are the sizes and switches that tests and measurements change; the zero value is what is used.
type tuning struct {
	match.Tuning
	// arena is the memory of one query's tables; 0 means a size that suits the query.
	arena int64
	// tile is the number of candidates that a block takes at a time; 0 means up to 4096.
	tile int
	// rows bounds the rows of a table; 0 means what the arena holds.
	rows int
	// blocks bounds the blocks of a launch; 0 means as many as the device holds.
	blocks int
	// slice is the time of one launch; 0 means 10 ms.
	slice time.Duration
	// patience is how long no query gives its memory back before one that waits for it makes do with less, because they may be held up by those
	// who take their rows; and how long lanes are not freed for others that a crowd may want again. 0 means 100 ms.
	patience time.Duration
	// strategy spreads the work; the others than kernels.Flattened are there to compare with.
	strategy kernels.Strategy
	// signatures tests every candidate against the signature of its query vertex, not only where the plan asks for it.
	signatures bool
	// noBitmaps tests membership in classes by searching their lists.
	noBitmaps bool
	// few is the number of candidates from which a step that tests lists alone takes a short path; 0 means 65,536.
	few int
	// noMailbox copies small results back with a copy of their own.
	noMailbox bool
	// repeats lets repeated rows through where the plan allows to drop them.
	repeats bool
	// pinned bounds the host memory of partitions and lists; 0 means half of the machine's.
	pinned int64
	// graphs bounds the device memory of partitions, beside that of tables; 0 means what is left.
	graphs int64
	// inPages reads the lists of all partitions in pages, also of those that fit; with offsetsInPages also where they begin.
	inPages, offsetsInPages bool
	// page is the bytes of a buffer of the page cache; 0 means a share of the memory.
	page int64
	// buffers bounds the buffers of the page cache; 0 means what memory there is.
	buffers int
	// scattered is how many bytes are copied in the time in which one list is read over the bus where it lies; 0 means 8 KiB, less than 0
	// that nothing is copied in pages.
	scattered int64
	// onTheWay is how many bytes of pages are copied before the context is looked at; 0 means 512 MiB, some ten milliseconds.
	onTheWay int64
	// ungrouped joins all rows of a table together, with as many of their pages as there is room for; swept never does where pages do not find
	// room together: they come and go. Otherwise it is what is expected to take less time.
	ungrouped, swept bool
	// scanned looks at all rows of a table anew for each portion that pages come for, instead of grouping them (SGSI, section 6.2); it is there to compare with.
	scanned bool
	// byPhase lets pages come between the phases, also where all that a plan can want find room together.
	byPhase bool
	// noAhead copies pages only when the rows before are through.
	noAhead bool
	// lightRoot and splitRoot are the sizes of neighbourhoods (dense.go); 0 means what is said there.
	lightRoot, splitRoot, denseWork, farCut int
	// heavySquares is how many vertices are taken one at a time (squares.go); 0 means what is said there.
	heavySquares int
	// heavyTriangles likewise (triangles.go); triangleRoom is how many members of a list a block looks for at a time, 0 means
	// kernels.MostTriangleRoom.
	heavyTriangles, triangleRoom int
	// tripleRoom bounds the bytes of the lists of triangles that are on the device at a time, where not all are; 0 means what room there is.
	tripleRoom int64
	// coreRoom likewise of the lists of a core that is away (away.go); listsAway has those of cores and squares away also where they find room.
	coreRoom  int64
	listsAway bool
	// parts is how many launches at most the device is to hold at a time, a part of the grid each, where partsFrom queries or more, this one included, have a
	// permit to launch; 1: each launch has all of it. 0 means gridParts, of partsFrom 3.
	parts, partsFrom int
	// sifted is how many rows are tested at a time (sift.go); 0 means what is said there.
	sifted int64
	// firstListed is how many groups are listed at a time where the first are needed (sum.go); 0 means what is said there.
	firstListed int64
	// hostDriven launches every phase of every step by itself; it is there to compare with.
	hostDriven bool
}

// gridParts is into how many parts at most a crowd's launches part the grid: L1 to L7 over LUBM(640) on an H200 go at 19,700 counts a second from 64
// goroutines where each launch has all of it, at 33,000, 42,000, 52,000 and 42,000 with 2, 4, 8 and 16 parts.
const gridParts = 8

// complete puts in what is used where nothing is said.
func (t *tuning) complete() {
	if t.DeepPrice == 0 {
		t.DeepPrice = deepPrice
	}
	if t.SumLevels == 0 {
		t.SumLevels = sumLevels
	}
	if t.TripleLevels == 0 {
		t.TripleLevels = tripleLevels
	}
	if t.slice <= 0 {
		t.slice = 10 * time.Millisecond
	}
	if t.patience <= 0 {
		t.patience = 100 * time.Millisecond
	}
	if t.tile <= 0 || t.tile > kernels.MaxTile {
		t.tile = kernels.MaxTile
	}
	if t.scattered == 0 {
		t.scattered = 8 << 10
	}
	if t.onTheWay <= 0 {
		t.onTheWay = 512 << 20
	}
	if t.lightRoot <= 0 || t.lightRoot > lightRoot {
		t.lightRoot = lightRoot
	}
	if t.splitRoot <= 0 {
		t.splitRoot = splitRoot
	}
	if t.denseWork <= 0 {
		t.denseWork = denseWork
	}
	if t.farCut <= 0 {
		t.farCut = farCut
	}
	if t.heavyTriangles <= 0 {
		t.heavyTriangles = heavyTriangles
	}
	if t.triangleRoom <= 0 {
		t.triangleRoom = kernels.MostTriangleRoom
	}
	if t.heavySquares <= 0 {
		t.heavySquares = heavySquares
	}
	if t.parts <= 0 {
		t.parts = gridParts
	}
	if t.partsFrom <= 0 {
		t.partsFrom = 3
	}
	if t.firstListed <= 0 {
		t.firstListed = firstListed
	}
	if t.sifted <= 0 {
		t.sifted = mostSifted
	}
	if t.few <= 0 {
		t.few = 1 << 16
	}
}
