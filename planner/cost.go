package planner

import "time"

// Costs are in candidates: what it takes to read one member of a list of the graph and test it, some nanoseconds of a
// processor. bgp.MatchPlan.Cost is in the same unit; so is a walked edge of a path. Rows are solutions.
//
// The constants that decisions rest on stand here, with their units; those of vertex orders are planner/bgp's own.
const (
	// productCost, in candidates, is from which cost on a pattern of several parts is taken apart: planning the parts
	// takes time too.
	productCost = 5_000.0
	// sharedGain is the share of the cost of separate branches below which matching their common part once is worth it.
	sharedGain = 0.5
	// differenceCost, in candidates, is from which cost on a count is tried as a difference, or a join distributed; differenceGain the
	// share of the cost of the match with its conditions below which a difference is taken.
	differenceCost = planPrice
	differenceGain = 0.3
	// distributedGain is the share of the cost of a join below which matching, or counting, what it is distributed into is worth it.
	distributedGain = 0.5
	// firstGain is the share of the cost of a match below which one that ends when the first rows of an order are there is worth it.
	// firstTested is how many rows are taken to be matched for one that passes conditions.
	firstGain   = 0.5
	firstTested = 8
	// searchPrice, in candidates, is what looking for a text among those of one language of a segment costs; fewSearches are made whatever they are for, and no more than mostSearches.
	searchPrice  = 1_000.0
	fewSearches  = 4
	mostSearches = 1 << 14
	// factoredRows is from how many rows on those of an answer come factorised, where each is expected to stand for factorGain of them: finding the lists of a row, and putting
	// it into text by parts, takes as long as four to six.
	factoredRows = 1000
	factorGain   = 8
	// partsGain is the share of the cost of a pattern below which matching it for parts of a variable's IDs is worth it.
	partsGain = 0.9
	// rowCost, in candidates a row, is what a row of a common part costs that leaves the matcher and comes back as a seed.
	rowCost = 16
	// seedCost, in candidates a row, is what a row costs at least that the right side of a join is matched for.
	seedCost = 2
	// manyLeft is Tuning.ManyLeft.
	manyLeft = 1 << 15
	// planPrice, in candidates, is ten times what planning a small pattern costs.
	planPrice = 50_000
	// serviceRows and serviceCost are what another endpoint is taken to answer, in rows and in candidates.
	serviceRows, serviceCost = 1000, 1e6

	// testTime is how long a query may test conditions while it is planned; the rest is tested when the pattern is
	// matched, under the query's context. testedAtOnce values are tested between two checks of the clock or the context.
	testTime     = 5 * time.Millisecond
	testedAtOnce = 16
	// maxTested bounds the possible values of a variable that are tested, and testPrice, in candidates a value, is what a
	// match must cost for that.
	maxTested = 200_000
	testPrice = 2

	// fewSeeds is up to how many rows a join matches its right side for before it asks what a table would cost.
	fewSeeds = 256
	// maxVariants is how many combinations of bound variables a seeded pattern is planned for beforehand.
	maxVariants = 8
	// maxShared is how many variables a join or an EXISTS can be told about.
	maxShared = 64
	// fewGraphs is up to how many named graphs a GRAPH ?g pattern is matched in again for each batch of seeds.
	fewGraphs = 16
	// maxListed bounds the IDs of several ranges that are listed one by one.
	maxListed = 4096
	// maxParts bounds the ranges of a variable's scattered IDs that a pattern is matched for one by one, and smallPart is up to
	// how many IDs a range is listed with others instead.
	maxParts  = 4
	smallPart = 64
	// walkedEdges is how many edges an estimate of a closure follows before it falls back on a bound. Most closures from a
	// constant end within that, and then the estimate is the number of solutions.
	walkedEdges = 2048
	// maxGraphsAtOnce is of how many graphs a lasting plan has the plans of GRAPH ?g beforehand.
	maxGraphsAtOnce = 8
	// columnBytes is about what a join takes for each of its columns, as a node and as an operator.
	columnBytes = 80
	// maxPath bounds the operators and predicates of one path: its automaton has up to two states for each.
	maxPath = 4096
	// maxColumns bounds the operators of a query times its variables. Each operator hands on a column for each variable,
	// so that a long chain of OPTIONAL or BIND that bind a variable each takes time and memory with the square of its
	// length; a union of many branches with few variables does not.
	maxColumns = 4_000_000
)

// TableIsCheaper reports whether matching the right side of a join by itself, into a table, costs less than matching it for
// so many rows.
func TableIsCheaper(table Node, rows int) bool {
	return seedCost*float64(rows) > table.Props().Cost
}

// FewSeeds is up to how many rows a join matches its right side for before it asks what a table would cost.
const FewSeeds = fewSeeds
