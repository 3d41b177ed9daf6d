package naive

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// What the evaluator knows of order: ORDER BY (SPARQL 1.1 section 15.1), LIMIT and OFFSET, MIN and MAX.

func (e *Evaluator) sorted(n *parser.OrderBy, in []Solution, env Solution) []Solution {
	slices.SortStableFunc(in, func(a, b Solution) int {
		for _, k := range n.Keys {
			x, y := e.key(k.Expr, merge(a, env)), e.key(k.Expr, merge(b, env))
			if c := compareTerms(x, y); c != 0 && k.Descending {
				return -c
			} else if c != 0 {
				return c
			}
		}
		return 0
	})
	return in
}

// key is what a solution is sorted by; nothing where the expression is an error.
func (e *Evaluator) key(x parser.Expr, m Solution) rdf.Term {
	if t, ok := e.value(x, m); ok {
		return t
	}
	return rdf.Term{}
}

// slice skips and limits.
func slice(n *parser.Slice, in []Solution) []Solution {
	in = in[min(max(n.Offset, 0), int64(len(in))):]
	if n.Limit >= 0 {
		in = in[:min(n.Limit, int64(len(in)))]
	}
	return in
}

// extreme is the least or the greatest term of a list, of equal ones by its text.
func extreme(function string, list []rdf.Term) rdf.Term {
	compare := func(a, b rdf.Term) int { return cmp.Or(compareTerms(a, b), compareTexts(a, b)) }
	switch {
	case len(list) == 0:
		return rdf.Term{}
	case function == "MIN":
		return slices.MinFunc(list, compare)
	}
	return slices.MaxFunc(list, compare)
}
