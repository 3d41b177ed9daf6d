package rules

import "github.com/rdfgpu/rdfgpu/parser"

// distinct: Distinct(Project(OrderBy(A, K), V)) → OrderBy(Distinct(Project(A, V)), K) where K reads only V: fewer rows
// are sorted, and either may go on from disk.
var distinct = Rule{
	Name: "distinct",
	at:   is[*parser.Distinct],
	apply: func(r *Rewriter, n parser.Node) parser.Node {
		project, ok := n.(*parser.Distinct).Input.(*parser.Project)
		if !ok {
			return n
		}
		order, ok := project.Input.(*parser.OrderBy)
		if !ok {
			return n
		}
		exposed := r.Scopes.Set(project.Variables...)
		for _, k := range order.Keys {
			if parser.IsVolatile(k.Expr) || parser.HasExists(k.Expr) || !r.Scopes.Reads(k.Expr).Within(exposed) {
				return n
			}
		}
		inner := &parser.Distinct{Input: &parser.Project{Input: order.Input, Variables: project.Variables}}
		return &parser.OrderBy{Input: inner, Keys: order.Keys}
	},
}
