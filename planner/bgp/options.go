package bgp

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Lookup finds a term's ID; false when the term is not in the dictionary.
type Lookup func(rdf.Term) (dictionary.ID, bool)

// Options say what the rest of the query wants from a basic graph pattern.
type Options struct {
	Semantics Semantics
	// Inputs are the variables that the caller seeds, in the order of its columns. They need not occur in the pattern.
	Inputs []string
	// Output are the variables that somebody above reads, in the order of the columns wanted. Each must occur in the
	// pattern or in Inputs.
	Output []string
	// CountOnly: nobody reads a variable, only the number of solutions; Output is ignored.
	CountOnly bool
	// Distinct: the caller drops repeated rows, so that a row need not be repeated once for each binding of the
	// variables that nobody reads (MatchPlan.Once).
	Distinct bool
	// Speed is how many times as fast as a processor the matcher is; 0 means 1. What a closer look at the data may cost
	// depends on it.
	Speed float64
	// Lasting: the plan is for whatever the graph becomes. What the data have decides the order alone: nothing is concluded from what
	// they do not have now, so that the plan is never Empty but for an unknown term, and it tests no signatures. A pattern without
	// variables is left to the caller, and so is Induced.
	Lasting bool
	// Workers is the query's share of the processor's threads; nil: the caller's thread alone.
	Workers *schedule.Share
	// Thorough plans as for an expensive query, whatever the pattern seems to cost.
	Thorough bool
	// WeightGain is the share of the cost of counting what nobody reads for each partial match below which it is counted by weights
	// (MatchPlan.Weigh): 0 is never, infinite always. It is for solutions that are all counted, equal ones together.
	WeightGain float64
	// Root is a variable that the vertex order begins with where weights are looked for and its part of the pattern is a tree of which nobody
	// reads a variable; "" leaves it open.
	Root string
	// First, where it is not nil, says of which rows the caller needs the first, so that the plan may begin with these (MatchPlan.Ahead).
	First *First
	// Signatures says which steps test their candidates against signatures.
	Signatures SignatureUse
	// Ranges and Candidates are filters pushed down to a variable: its ID lies in the range, in the sorted list.
	// Those of a seeded variable are ignored: the caller filters its own columns.
	Ranges     map[string]Range
	Candidates map[string][]dictionary.ID
	// Unequal are conditions that two terms differ. Their variables occur in the pattern or in Inputs.
	Unequal []Inequality
	// Shares are the parts of the values of some variables that a condition is expected to let pass, which is tested when
	// the match begins: the plan counts on it, and the caller fills in Step.Candidates.
	Shares map[string]float64
}

// Range is the IDs with Low ≤ id < High; High 0 means no upper bound.
type Range struct {
	Low, High dictionary.ID
}

// Inequality is a variable A that must not be the same term as the variable B; where B is "", as a constant.
type Inequality struct {
	A, B     string
	Constant dictionary.ID
}
