package rules

import "github.com/rdfgpu/rdfgpu/parser"

// units: Join(Z, P) → P and Join(P, Z) → P, where Z is the empty group.
var units = Rule{
	Name: "units", always: true,
	at: is[*parser.Join],
	apply: func(_ *Rewriter, n parser.Node) parser.Node {
		join := n.(*parser.Join)
		switch {
		case isUnit(join.Left):
			return join.Right
		case isUnit(join.Right):
			return join.Left
		}
		return n
	},
}

func isUnit(n parser.Node) bool {
	pattern, ok := n.(*parser.BGP)
	return ok && len(pattern.Patterns) == 0
}
