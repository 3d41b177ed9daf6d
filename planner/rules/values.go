package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// values: Join(P, Values(?v, a, b)) → P with Filter(?v IN (a, b)) on the patterns that bind ?v in every solution, where the
// table has no term twice and leaves none out: the match looks for these terms alone, and no operator is left above it.
var values = Rule{
	Name: "values", trees: true,
	at: is[*parser.Join],
	apply: func(r *Rewriter, n parser.Node) parser.Node {
		var tables []*parser.Values
		var rest []parser.Node
		for _, p := range Members(nil, n) {
			if table, ok := p.(*parser.Values); ok && isCondition(table) {
				tables = append(tables, table)
			} else {
				rest = append(rest, p)
			}
		}
		if len(tables) == 0 || len(rest) == 0 {
			return n
		}
		if len(rest) > 1 && r.homomorphism {
			rest = Members(nil, components.apply(r, joined(rest))) // a filter would keep them together
		}
		left := slices.DeleteFunc(slices.Clone(tables), func(t *parser.Values) bool { return restrictedBy(rest, t) })
		if len(left) == len(tables) {
			return n
		}
		for _, t := range left {
			rest = append(rest, t)
		}
		return joined(rest)
	},
}

// maxValues bounds the rows of a table that becomes a condition: more are better looked up one by one.
const maxValues = 64

// isCondition reports whether joining with a table is testing whether a variable is one of its terms.
func isCondition(n *parser.Values) bool {
	if len(n.Variables) != 1 || len(n.Rows) == 0 || len(n.Rows) > maxValues {
		return false
	}
	for i, row := range n.Rows {
		again := func(before []rdf.Term) bool { return before[0] == row[0] }
		if row[0].IsZero() || slices.ContainsFunc(n.Rows[:i], again) {
			return false
		}
	}
	return true
}

// restrictedBy has one of the operands of a join take a table as a condition; false where none does.
func restrictedBy(operands []parser.Node, n *parser.Values) bool {
	var terms []rdf.Term
	for _, row := range n.Rows {
		terms = append(terms, row[0])
	}
	c := isOneOf(n.Variables[0], terms)
	for i, p := range operands {
		if out := restricted(p, n.Variables[0], c); out != nil {
			operands[i] = out
			return true
		}
	}
	return false
}

// isOneOf is a condition that is true exactly when a variable is one of some terms.
func isOneOf(variable string, terms []rdf.Term) (same parser.Expr) {
	v := &parser.Var{Name: variable}
	list := []parser.Expr{v}
	for _, t := range terms {
		one := &parser.Call{Function: "SAMETERM", Args: []parser.Expr{v, &parser.Const{Term: t}}}
		if list = append(list, one.Args[1]); same == nil {
			same = one
		} else {
			same = &parser.Call{Function: "||", Args: []parser.Expr{same, one}}
		}
	}
	if len(terms) == 1 || slices.ContainsFunc(terms, func(t rdf.Term) bool { return !EqualOnlyToItself(t) }) {
		return same
	}
	return &parser.Call{Function: "IN", Args: list}
}

// EqualOnlyToItself reports whether a term is equal to no other by value, and not comparable with terms of other sorts.
func EqualOnlyToItself(t rdf.Term) bool {
	return t.Kind == rdf.IRI || t.Kind == rdf.Literal && t.Language == "" && t.Datatype == ""
}

// restricted puts a condition on one variable on basic graph patterns that bind it, so that it holds in every solution of n;
// nil where no such pattern has a part in every solution.
func restricted(n parser.Node, variable string, c parser.Expr) parser.Node {
	switch n := n.(type) {
	case *parser.BGP:
		if slices.ContainsFunc(n.Patterns, func(t parser.TriplePattern) bool { return slices.Contains(variables(&t), variable) }) {
			return &parser.Filter{Condition: c, Input: n}
		}
	case *parser.Filter, *parser.LeftJoin, *parser.Minus, *parser.Extend:
		return restrictedIn(n, 0, variable, c)
	case *parser.Graph:
		if n.Name.Variable != variable {
			return restrictedIn(n, 0, variable, c)
		}
	case *parser.Join:
		if out := restrictedIn(n, 0, variable, c); out != nil {
			return out
		}
		return restrictedIn(n, 1, variable, c)
	case *parser.Union:
		if out := restrictedIn(n, 0, variable, c); out != nil {
			return restrictedIn(out, 1, variable, c)
		}
	}
	return nil
}

// restrictedIn does so in an operand; nil where that does not take the condition.
func restrictedIn(n parser.Node, operand int, variable string, c parser.Expr) parser.Node {
	out := restricted(parser.Children(n)[operand], variable, c)
	if out == nil {
		return nil
	}
	return withOperand(n, operand, out)
}
