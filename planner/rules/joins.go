package rules

import "github.com/rdfgpu/rdfgpu/parser"

// joins: Join(BGP, BGP) → BGP, also across other operands of a join: joins commute. Semantics that hold for a basic graph
// pattern as a whole keep its patterns apart from others.
var joins = Rule{
	Name: "joins", homomorphism: true, trees: true,
	at: is[*parser.Join],
	apply: func(_ *Rewriter, n parser.Node) parser.Node {
		merged := &parser.BGP{}
		var others []parser.Node
		for _, p := range Members(nil, n) {
			if pattern, ok := p.(*parser.BGP); ok {
				merged.Patterns = append(merged.Patterns, pattern.Patterns...)
			} else {
				others = append(others, p)
			}
		}
		if len(merged.Patterns) > 0 {
			others = append([]parser.Node{merged}, others...)
		}
		return joined(others)
	},
}

// Members appends the operands of a tree of joins.
func Members(dst []parser.Node, n parser.Node) []parser.Node {
	if j, ok := n.(*parser.Join); ok {
		return Members(Members(dst, j.Left), j.Right)
	}
	return append(dst, n)
}

// joined is the join of some patterns.
func joined(list []parser.Node) parser.Node {
	if len(list) == 0 {
		return &parser.BGP{}
	}
	out := list[0]
	for _, p := range list[1:] {
		out = &parser.Join{Left: out, Right: p}
	}
	return out
}
