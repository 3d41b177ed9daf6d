package bgp

import "math"

// The cost model. A cost is counted in candidates: members of lists that are read, tested and, where they pass, handed on.
// All prices here are in that unit, so that a sum of them is what MatchPlan.Cost is; shares have none.
//
// On one thread of a processor a candidate takes 3 to 8 nanoseconds: measured counting the cliques of 5 in wiki-Vote (130
// million candidates in 0.45 s) and the wheels of 5 vertices in a graph of 100,000 (410 million in 3.2 s).
const (
	// SearchPrice is a search in a list; rowPrice what a partial match costs by itself; extensionPrice one extension of an
	// order in dynamic programming; walkPrice one sampled walk; comparePrice an edge that is compared with another.
	SearchPrice    = 8
	ComparePrice   = 0.25
	rowPrice       = 16
	extensionPrice = 20
	walkPrice      = 1000
	// samplePrice is what a query must cost for each member of a domain that a second estimate tries.
	samplePrice = 2000

	// weighPrice is what a member of a list costs where weights are added up, or one weight is read; from weighFrom on a plan is weighed at
	// all, from treeCost on a vertex order is looked for that leaves as much as can be to weights.
	weighPrice = 0.25
	weighFrom  = 1_000
	treeCost   = 10_000

	// treeShare is the share of a plan's cost below which weights of all of it are taken without comparing orders by walks.
	treeShare = 1. / 16

	// planningShare is the share of a query's cost that walks may take; clearlyLess the share of the best cost so far below
	// which a sampled cost counts as less.
	planningShare = 0.03
	clearlyLess   = 0.75

	// From deepCost on a closer look at domains pays, from walkCost on sampled walks that compare vertex orders, from
	// signedCandidates of one step a look at a signature, from OrderCost a search for symmetries.
	deepCost         = 50_000
	walkCost         = 400_000
	signedCandidates = 2000
	OrderCost        = 2000

	// DensePrice, in candidates an edge of its label, is what a dense pattern must cost for being counted in neighbourhoods: all edges are
	// looked at first (match.Lowering.Dense).
	DensePrice = 2

	// semiJoinShare is the share of candidates below which a semi-join with a later edge's rows costs less than the rows
	// that it saves; signedShare the share that pass a signature above which testing the others costs more than it saves.
	semiJoinShare = 0.6
	signedShare   = 0.6
)

// From ThreadCost on a second thread is worth its start, and others are offered work every OfferCost; from SplitCost on it
// matters how the work of a count is split.
const (
	ThreadCost = 30_000
	OfferCost  = 10_000
	SplitCost  = 50_000
	// ManyThreadCosts is how many times ThreadCost a match must be expected to cost for threads to be started before it has shown what it costs.
	ManyThreadCosts = 4
)

// Helpers is how many threads beside the first are started for a match by itself before it has shown what it costs, where there are so many; 0 where it must show that first.
func (p *MatchPlan) Helpers() int {
	cost := p.UntilFirst(p.Cost)
	if p.Ahead != nil || cost < ManyThreadCosts*ThreadCost {
		return 0
	}
	return int(min(cost/OfferCost, math.MaxInt16))
}

// What pays on a GPU, in candidates that a processor would read; docs/BENCHMARKS-GPU.md has the machine that these were
// chosen on.
const (
	// GPUCost is the cost from which a match is quicker on a GPU, launches and copies of results included; GPUColdCost where the device
	// must first be opened and the graph's partitions copied there.
	GPUCost     = 200_000
	GPUColdCost = 200_000_000
	// GPULaunchCost is what of GPUCost a launch takes: the rest is for estimates that are too high, where nothing was seen yet.
	GPULaunchCost = 30_000
	// GPUShare is how many candidates a GPU reads, all its processors together, while one thread of a processor reads one.
	GPUShare = 100
	// GPUWeighCost is what weights by vertex cost on a GPU beside the members that are read for them: a launch.
	GPUWeighCost = 2_000
	// GPUStepCost is what a step costs on a GPU beside its candidates: the barriers of its phases.
	GPUStepCost = 5_000
	// GPUCopyBytes are copied to a GPU, GPUPageBytes of pages that lie in pinned memory, and GPUMoveBytes moved there, in the time of one
	// candidate; GPUPatchCost is what a partition costs beside that which is made there of an earlier state of it.
	GPUCopyBytes = 50
	GPUPageBytes = 200
	GPUMoveBytes = 5000
	GPUPatchCost = 20_000
	// CombinePrice, in candidates a row, is what a processor takes to group rows or to tell them apart; on a GPU that combines them it is
	// GPUCombineShare times as quick. GPUHandPrice is what a row or group costs beside its bytes that comes from a GPU.
	CombinePrice    = 2
	GPUCombineShare = 20
	GPUHandPrice    = 0.5
	// FoldPrice, in candidates a row, is what a processor takes to look a number up and to add it to its group's sum; on a GPU that does so it is
	// GPUFoldShare times as quick.
	// TopPrice is what a row costs a processor that is not among the first.
	FoldPrice    = 8
	TopPrice     = 1
	GPUFoldShare = 100
	// SiftPrice, in candidates a row, is what a processor takes to compute an expression over numbers; a GPU is GPUFoldShare times as quick.
	SiftPrice = 16
	// GPUSpeed is Options.Speed for a GPU: large enough that sampling many orders begins where a match takes a good part of
	// a second, for a plan is made on a processor.
	GPUSpeed = 20_000
	// GPUNarrowCost is the cost below which a query starts with few blocks, whose barriers are quicker; it widens when it
	// meets more than GPUWidenCost at a time. From GPULargeCost on its tables are not the smallest.
	GPUNarrowCost = 50_000
	GPUWidenCost  = 200_000
	GPULargeCost  = 200_000
	// GPUStreamCost is the cost from which a plan that reads partitions larger than the device has pages of them brought there; others read
	// them where they are.
	GPUStreamCost = 50_000
)
