package naive

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// What the evaluator knows of order: ORDER BY (SPARQL 1.1 section 15.1), LIMIT and OFFSET, MIN and MAX.

func (e *Evaluator) sorted(n *parser.OrderBy, in []Solution, env Solution) []Solution {
	slices.SortStableFunc(in, func(a, b Solution) int {
		for _, k := range n.Keys {
			x, _ := e.value(k.Expr, merge(a, env))
			y, _ := e.value(k.Expr, merge(b, env))
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

// compareTerms orders terms: unbound, IRIs, integers, booleans, strings.
func compareTerms(a, b rdf.Term) int {
	if c := cmp.Compare(orderRank(a), orderRank(b)); c != 0 {
		return c
	}
	x, numeric := number(a)
	if y, ok := number(b); ok && numeric {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a.Value, b.Value)
}

func orderRank(t rdf.Term) int {
	switch {
	case t.IsZero():
		return 0
	case t.Kind == rdf.IRI:
		return 1
	case t.Datatype == rdf.XSDInteger:
		return 2
	case t.Datatype == rdf.XSDBoolean:
		return 3
	}
	return 4
}

// slice skips and limits.
func slice(n *parser.Slice, in []Solution) []Solution {
	in = in[min(max(n.Offset, 0), int64(len(in))):]
	if n.Limit >= 0 {
		in = in[:min(n.Limit, int64(len(in)))]
	}
	return in
}

// extreme is the least or the greatest term of a list.
func extreme(function string, list []rdf.Term) rdf.Term {
	switch {
	case len(list) == 0:
		return rdf.Term{}
	case function == "MIN":
		return slices.MinFunc(list, compareTerms)
	}
	return slices.MaxFunc(list, compareTerms)
}
