package group

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/eval"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Group groups solutions and computes aggregates (SPARQL 1.1 section 18.5.1).
//
// Many rows in few groups are grouped by several goroutines, some of the rows each, and their groups merged; with many groups
// each goroutine has some of them. The result is the same, in the same order. Past the memory limit, the rows of groups that it has not begun go to files, split by
// hash, and are grouped later.
type Group struct {
	operator.Base
	Input      operator.Operator
	Keys       []eval.Evaluator
	Arguments  []eval.Evaluator // of the aggregates that have one
	Aggregates []Aggregate
	Pick       []int // columns of out among keys and aggregates
	// KeyColumns are the columns of the input that the keys are, where the input is a match and the keys are all its columns; else nil.
	KeyColumns []int
	// FoldKeys are what the keys are for the match below, where it may fold its rows (vector.Batch.Folds).
	FoldKeys []FoldKey
	// Weighted: rows of the input may stand for several. Their weights are two columns after the arguments.
	Weighted bool
}

// FoldKey is a column of a match, or -1: numbers that the match computes (vector.Folds.Keys), whose IDs are of an identity.
type FoldKey struct {
	Column   int
	Identity dictionary.Identity
}

// Aggregate is one aggregate of a group; Argument indexes Group.Arguments, -1 for COUNT(*) and where there are Columns.
type Aggregate struct {
	parser.Aggregation
	Argument int
	// Columns are the input's columns by their names, where the aggregate computes its argument itself, without making terms of its
	// values (parser.Aggregation.OfNumbers). nil elsewhere.
	Columns map[string]int
	// Like is 1 + the first aggregate that has the same argument; 0 where it is the first itself.
	Like int
	// Identity is that of the IDs of computed results.
	Identity dictionary.Identity
	// Rows are the input columns that COUNT(DISTINCT *) tells solutions apart by.
	Rows []int
}

func (g *Group) evaluator(i int) *eval.Evaluator {
	if i < len(g.Keys) {
		return &g.Keys[i]
	}
	return &g.Arguments[i-len(g.Keys)]
}

// splitWeights appends the halves of the rows' weights.
func splitWeights(b *vector.Batch, low, high []dictionary.ID) ([]dictionary.ID, []dictionary.ID) {
	for r := range b.N {
		n := uint64(1)
		if b.Weights != nil {
			n = b.Weights[r]
		}
		low, high = append(low, dictionary.ID(n)), append(high, dictionary.ID(n>>32))
	}
	return low, high
}

// joinWeights is the inverse.
func joinWeights(low, high []dictionary.ID, weights []uint64) []uint64 {
	for r := range low {
		weights = append(weights, uint64(low[r])|uint64(high[r])<<32)
	}
	return weights
}

// width is how many columns a row has: with those of the input where an aggregate reads them.
func (g *Group) width() int {
	for _, a := range g.Aggregates {
		if a.Rows != nil || a.Columns != nil {
			return g.first() + len(g.Input.Columns())
		}
	}
	return g.first()
}

// first is where the input's columns begin in a row.
func (g *Group) first() int {
	first := len(g.Keys) + len(g.Arguments)
	if g.Weighted {
		first += 2
	}
	return first
}
