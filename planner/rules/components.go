package rules

import (
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// components: Join(BGP(A ∪ B), P) → Join(BGP(A), BGP(B), P) where A and B have no variable in common: P may connect
// them, and the product of all their solutions need never be made.
var components = Rule{
	Name: "components", homomorphism: true, trees: true,
	at: is[*parser.Join],
	apply: func(_ *Rewriter, n parser.Node) parser.Node {
		before := Members(nil, n)
		var after []parser.Node
		for _, p := range before {
			if pattern, ok := p.(*parser.BGP); ok {
				for _, part := range Connected(pattern) {
					after = append(after, part)
				}
			} else {
				after = append(after, p)
			}
		}
		if len(after) == len(before) {
			return n
		}
		return joined(after)
	},
}

// Connected splits a basic graph pattern into its connected components, in the order of their first triple patterns; one
// that is connected is its own component.
func Connected(n *parser.BGP) (out []*parser.BGP) {
	root := make([]int, len(n.Patterns)) // of each pattern: an earlier one that it is connected with, or itself
	find := func(i int) int {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	first := map[string]int{} // the first pattern that mentions a variable
	for i := range n.Patterns {
		root[i] = i
		for _, v := range variables(&n.Patterns[i]) {
			j, seen := first[v]
			if !seen {
				first[v] = i
				continue
			}
			a, b := find(i), find(j)
			root[max(a, b)] = min(a, b)
		}
	}
	parts := map[int]*parser.BGP{}
	for i, t := range n.Patterns {
		part := parts[find(i)]
		if part == nil {
			part = &parser.BGP{}
			parts[i], out = part, append(out, part)
		}
		part.Patterns = append(part.Patterns, t)
	}
	if len(out) < 2 {
		return []*parser.BGP{n}
	}
	return out
}

// variables lists the variables of a triple pattern.
func variables(t *parser.TriplePattern) (out []string) {
	for _, p := range [3]parser.PatternTerm{t.Subject, t.Predicate, t.Object} {
		if p.IsVariable() && !scope.IsParameter(p.Variable) {
			out = append(out, p.Variable)
		}
	}
	return out
}
