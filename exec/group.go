package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/parser"
)

// groupOp groups solutions and computes aggregates (SPARQL 1.1 section 18.5.1).
//
// Many rows in few groups are grouped by several goroutines, some of the rows each, and their groups merged; the result
// is the same, in the same order. Past the memory limit, the rows of groups that it has not begun go to files, split by
// hash, and are grouped later.
type groupOp struct {
	base
	input      operator
	keys       []evaluator
	arguments  []evaluator // of the aggregates that have one
	aggregates []aggregate
	pick       []int // columns of out among keys and aggregates
	// weighted: rows of the input may stand for several. Their weights are two columns after the arguments.
	weighted bool
}

// aggregate is one aggregate of a group; argument indexes groupOp.arguments, -1 for COUNT(*).
type aggregate struct {
	parser.Aggregation
	argument int
	// rows are the input columns that COUNT(DISTINCT *) tells solutions apart by.
	rows []int
}

func (g *groupOp) evaluator(i int) *evaluator {
	if i < len(g.keys) {
		return &g.keys[i]
	}
	return &g.arguments[i-len(g.keys)]
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
func (g *groupOp) width() int {
	for _, a := range g.aggregates {
		if a.rows != nil {
			return g.first() + len(g.input.columns())
		}
	}
	return g.first()
}

// first is where the input's columns begin in a row.
func (g *groupOp) first() int {
	first := len(g.keys) + len(g.arguments)
	if g.weighted {
		first += 2
	}
	return first
}
