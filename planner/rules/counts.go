package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
)

// counts: COUNT(?v) → COUNT(*) where every solution binds ?v, and so COUNT(DISTINCT ?v) → COUNT(*) over the ends ?v of a closure from a term, each of
// which comes once; and Group(Union(A, B), COUNT(?v)) → Group(A, COUNT(?v)) where there
// are no keys and no solution of B binds ?v.
var counts = Rule{
	Name: "counts",
	at:   is[*parser.Group],
	apply: func(r *Rewriter, n parser.Node) parser.Node {
		group := n.(*parser.Group)
		in := r.counted(group)
		must, list := r.Scopes.Of(in).Must, slices.Clone(group.Aggregates)
		for i, a := range list {
			if v, ok := a.Argument.(*parser.Var); ok && a.Function == "COUNT" && (!a.Distinct || endsOnce(in)) && must.Has(r.Scopes.Number(v.Name)) {
				list[i].Argument, list[i].Distinct = nil, false
			}
		}
		if in == group.Input && slices.Equal(list, group.Aggregates) {
			return n
		}
		return &parser.Group{Input: in, Keys: group.Keys, Aggregates: list}
	},
}

// endsOnce reports whether a pattern is a closure from a term or to one.
func endsOnce(n parser.Node) bool {
	p, ok := n.(*parser.PathPattern)
	if !ok || p.Subject.IsVariable() == p.Object.IsVariable() {
		return false
	}
	switch p.Path.(type) {
	case *parser.PathZeroOrOne, *parser.PathZeroOrMore, *parser.PathOneOrMore:
		return true
	}
	return false
}

// counted is what a group counts of its input: the branches of a union that may bind a variable that it counts.
func (r *Rewriter) counted(n *parser.Group) parser.Node {
	if !is[*parser.Union](n.Input) || len(n.Keys) > 0 {
		return n.Input
	}
	var names []string
	for _, a := range n.Aggregates {
		v, ok := a.Argument.(*parser.Var)
		if !ok || a.Function != "COUNT" {
			return n.Input
		}
		names = append(names, v.Name)
	}
	read, branches := r.Scopes.Set(names...), Branches(nil, n.Input)
	kept := slices.DeleteFunc(slices.Clone(branches), func(b parser.Node) bool { return !r.Scopes.Of(b).May.Meets(read) })
	if len(kept) == len(branches) || len(kept) == 0 {
		return n.Input
	}
	return United(kept)
}
