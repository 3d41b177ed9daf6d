package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
)

// maxSharing is how many branches are searched for a common part.
const maxSharing = 64

// CommonPart: Union(BGP(A ∪ B), BGP(A ∪ C)) → Join(BGP(A), Union(BGP(B), BGP(C))) where A has several patterns and is
// connected. It returns A and the other parts of the branches; false where there is no such A. Whether the join is
// cheaper depends on the data. It holds under homomorphism alone: otherwise a pattern's parts are not independent.
func CommonPart(n *parser.Union) (common *parser.BGP, rest []*parser.BGP, ok bool) {
	for _, b := range Branches(nil, n) {
		pattern, ok := b.(*parser.BGP)
		if !ok || len(rest) == maxSharing {
			return nil, nil, false
		}
		rest = append(rest, pattern)
	}
	common = &parser.BGP{}
	for _, t := range rest[0].Patterns {
		missing := func(b *parser.BGP) bool { return !slices.Contains(b.Patterns, t) }
		if !slices.ContainsFunc(rest, missing) && !slices.Contains(common.Patterns, t) {
			common.Patterns = append(common.Patterns, t)
		}
	}
	if len(common.Patterns) < 2 || len(Connected(common)) > 1 {
		return nil, nil, false
	}
	for i, b := range rest {
		own := slices.DeleteFunc(slices.Clone(b.Patterns), func(t parser.TriplePattern) bool { return slices.Contains(common.Patterns, t) })
		rest[i] = &parser.BGP{Patterns: own}
	}
	return common, rest, true
}

// Branches appends the operands of nested unions.
func Branches(dst []parser.Node, n parser.Node) []parser.Node {
	if u, ok := n.(*parser.Union); ok {
		return Branches(Branches(dst, u.Left), u.Right)
	}
	return append(dst, n)
}

// United is the union of some patterns, one at least.
func United[T parser.Node](list []T) parser.Node {
	var out parser.Node = list[0]
	for _, b := range list[1:] {
		out = &parser.Union{Left: out, Right: b}
	}
	return out
}
