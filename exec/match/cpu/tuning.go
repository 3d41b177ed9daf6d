package cpu

import (
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// tuning holds the sizes that decide between ways to do the same thing. Tests set them so low that small inputs take
// every way.
type tuning struct {
	match.Tuning
	// tableRows is how many partial matches a table holds.
	tableRows int
	// quiet is the work (list members read) after which a run is worth a second thread; often is how much lies
	// between two offers at most.
	quiet, often int
	// With manyRows rows, or below smallCost candidates, it does not matter how the work of a count is split.
	manyRows  int
	smallCost float64
	// A list of shortMark members or more that comes oftenMark times is made a bitmap.
	shortMark, oftenMark int
	// The workers of a run have the bitmap of a list of longMark members or more in common: it takes longer to make than to find another worker's.
	longMark int
	// A bitmap of more than sparseWords, more than a first cache holds, has one bit for several vertices where it has more than sparseBits for each member of its list.
	sparseWords, sparseBits int
	// A fixed list is made a bitmap after so many more probes than its size.
	probes int
	// A memo of 1<<memoBits counts, of fewer where there are many memos, is made after memoFrom calls, and given up when fewer than 1 in memoShare of
	// memoTrial calls found something in it.
	memoFrom, memoTrial, memoShare uint64
	memoBits                       int
	// A run that has a fixed list of up to shortSource members begins with that; with a longer one, it begins with rows if there are fewer than
	// 1/rowPrice of its members.
	shortSource, rowPrice int
	// Where one solution of each row is wanted and manyEach are expected, it is found soon.
	manyEach float64
	// Of candidates of which few are needed the first firstBlock members are tried first; up to fewMembers that are left are not given away.
	firstBlock, fewMembers int
	// Parts of lists are kept after cutFrom of them were asked for.
	cutFrom int
	// looks is called whenever a worker looks for an idle thread; nil: by nobody who asks.
	looks func(*run)
}

var tuned = tuning{
	tableRows: match.BatchRows, quiet: bgp.ThreadCost, often: bgp.OfferCost, manyRows: 512, smallCost: bgp.SplitCost, shortMark: 24, oftenMark: 3, longMark: 1 << 12, sparseWords: 1 << 12, sparseBits: 128,
	probes: 64, memoFrom: 128, memoTrial: 1 << 14, memoShare: 32, memoBits: 12,
	shortSource: 64, rowPrice: 4,
	manyEach: bgp.ManyEach, firstBlock: 64, fewMembers: 1 << 13, cutFrom: 64,
}

// helpers is how many threads beside the first have enough to do with work of a cost (list members read).
func (t *tuning) helpers(cost float64) int {
	if t.often == 0 {
		return manyHelpers
	}
	return int(min(cost/float64(t.often), manyHelpers))
}

// manyHelpers is more than there are.
const manyHelpers = 1 << 16
