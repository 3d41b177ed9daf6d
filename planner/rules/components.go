package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// components: Join(BGP(A ∪ B), P) → Join(BGP(A), BGP(B), P) where A and B have no variable in common: P may connect
// them, and the product of all their solutions need never be made.
var components = Rule{
	Name: "components", homomorphism: true,
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

// Connected splits a basic graph pattern into its connected components; one that is connected is its own component.
func Connected(n *parser.BGP) (out []*parser.BGP) {
	left := n.Patterns
	for len(left) > 0 {
		part, rest := component(left)
		if len(rest) == 0 && len(out) == 0 {
			break
		}
		out, left = append(out, &parser.BGP{Patterns: part}), rest
	}
	if len(out) == 0 {
		return []*parser.BGP{n}
	}
	return out
}

// component splits off the patterns that are connected with the first one.
func component(list []parser.TriplePattern) (part, rest []parser.TriplePattern) {
	part, rest = list[:1:1], slices.Clone(list[1:])
	vars := variables(nil, &list[0])
	for grown := true; grown; {
		grown = false
		rest = slices.DeleteFunc(rest, func(t parser.TriplePattern) bool {
			own := variables(nil, &t)
			if !slices.ContainsFunc(own, func(v string) bool { return slices.Contains(vars, v) }) {
				return false
			}
			part, vars, grown = append(part, t), append(vars, own...), true
			return true
		})
	}
	return part, rest
}

// variables appends the variables of a triple pattern.
func variables(dst []string, t *parser.TriplePattern) []string {
	for _, p := range [3]parser.PatternTerm{t.Subject, t.Predicate, t.Object} {
		if p.IsVariable() && !scope.IsParameter(p.Variable) {
			dst = append(dst, p.Variable)
		}
	}
	return dst
}
