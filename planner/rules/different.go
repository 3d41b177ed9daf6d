package rules

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/parser"
)

// different: Group(A, COUNT(DISTINCT e)) → Group(Distinct(Project(Extend(A, ?v, e), ?v)), COUNT(?v)) where e is no variable and there are no keys: what is
// computed is told apart by all cores.
var different = Rule{
	Name: "different",
	at: func(n parser.Node) bool {
		g, ok := n.(*parser.Group)
		return ok && len(g.Keys) == 0 && len(g.Aggregates) == 1 && countsDifferent(&g.Aggregates[0])
	},
	apply: func(r *Rewriter, n parser.Node) parser.Node {
		group := n.(*parser.Group)
		a := group.Aggregates[0]
		r.invented++
		v := fmt.Sprintf("%sdifferent%d", parser.BlankPrefix, r.invented)
		in := &parser.Extend{Input: group.Input, Variable: v, Expr: a.Argument}
		a.Argument, a.Distinct = &parser.Var{Name: v}, false
		return &parser.Group{Input: &parser.Distinct{Input: &parser.Project{Input: in, Variables: []string{v}}}, Aggregates: []parser.Aggregation{a}}
	},
}

func countsDifferent(a *parser.Aggregation) bool {
	if a.Function != "COUNT" || !a.Distinct || a.Argument == nil {
		return false
	}
	_, isVar := a.Argument.(*parser.Var)
	return !isVar && !parser.IsVolatile(a.Argument) && !parser.HasExists(a.Argument)
}
