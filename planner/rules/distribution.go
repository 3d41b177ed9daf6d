package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// mostAlternatives bounds the patterns that one is distributed into.
const mostAlternatives = 8

// Distributed returns several patterns, all of whose solutions together are those of one in which unions or tables are joined
// with others, each as often:
//
//	Union(A, B)                     → A, B
//	Join(P, Union(A, B))            → Join(P, A), Join(P, B)
//	LeftJoin(Union(A, B), R, c)     → LeftJoin(A, R, c), LeftJoin(B, R, c)      MINUS and FILTER alike
//	LeftJoin(P, Union(A, B))        → Join(P, A), Join(P, B), Minus(Minus(P, A), B)
//	                                  what P has in common with A, and with B, both always bind
//	Join(P, Values((?v ?w), …))     → Filter(sameTerm(?v, a) && sameTerm(?w, b), P) for each row; what a row leaves open is open
//
// As far as that means the same, the basic graph patterns of a join become one below what stands on them:
//
//	Join(P, LeftJoin(A, R, c))      → LeftJoin(Join(P, A), R, c)    P names nothing that R or c does, but for what A always binds
//	Join(P, Minus(A, R))            → Minus(Join(P, A), R)          likewise
//	Join(P, Filter(c, A))           → Filter(c, Join(P, A))         likewise
//
// It returns nil where there is nothing to distribute, where there would be more than a few patterns, and where a table stands
// beside no pattern that always binds its variables. It holds under homomorphism: other semantics tell basic graph patterns apart.
func Distributed(s *scope.Scopes, n parser.Node) []parser.Node {
	d := &distribution{&Rewriter{Scopes: s}}
	if list := d.of(n); len(list) > 1 && len(list) <= mostAlternatives {
		return list
	}
	return nil
}

// distribution distributes one pattern.
type distribution struct{ *Rewriter }

// of returns the patterns that one is distributed into: itself where there is nothing to distribute, none where that is not done.
func (d *distribution) of(n parser.Node) []parser.Node {
	switch n := n.(type) {
	case *parser.Union:
		return d.union(n)
	case *parser.Join:
		return d.join(Members(nil, n))
	case *parser.LeftJoin:
		if branches := Branches(nil, n.Right); len(branches) > 1 && n.Condition == nil && d.meet(n.Left, branches) {
			return d.optional(n.Left, branches)
		}
		return d.standing(n)
	case *parser.Minus, *parser.Filter:
		return d.standing(n)
	}
	return []parser.Node{n}
}

// standing is an operator on each pattern that its first operand is distributed into.
func (d *distribution) standing(n parser.Node) (out []parser.Node) {
	first := parser.Children(n)[0]
	for _, in := range d.of(first) {
		if in == first {
			return []parser.Node{n}
		}
		out = append(out, withOperand(n, 0, in))
	}
	return out
}

// meet reports whether each of some patterns has variables in common with another one, all of which both always bind.
func (d *distribution) meet(n parser.Node, others []parser.Node) bool {
	left := d.Scopes.Of(n)
	return !slices.ContainsFunc(others, func(p parser.Node) bool {
		right := d.Scopes.Of(p)
		common := left.May.And(right.May)
		return common.Empty() || !common.Within(left.Must) || !common.Within(right.Must)
	})
}

// optional is a pattern joined with each of some branches, and what has a partner in none.
func (d *distribution) optional(left parser.Node, branches []parser.Node) (out []parser.Node) {
	for _, in := range d.of(left) {
		alone := in
		for _, b := range branches {
			list := d.of(b)
			if len(list) == 0 {
				return nil
			}
			for _, right := range list {
				out = append(out, d.together(in, right))
			}
			alone = &parser.Minus{Left: alone, Right: b}
		}
		if out = append(out, alone); len(out) > mostAlternatives {
			return nil
		}
	}
	return out
}

// union is the patterns of all branches.
func (d *distribution) union(n *parser.Union) (out []parser.Node) {
	for _, b := range Branches(nil, n) {
		list := d.of(b)
		if out = append(out, list...); len(list) == 0 || len(out) > mostAlternatives {
			return nil
		}
	}
	return out
}

// join is one pattern for each choice of one pattern, or row, of every operand.
func (d *distribution) join(operands []parser.Node) (out []parser.Node) {
	slices.SortStableFunc(operands, func(a, b parser.Node) int { return tableLast(a) - tableLast(b) })
	if out = d.of(operands[0]); is[*parser.Values](operands[0]) {
		return nil
	}
	for _, p := range operands[1:] {
		before := out
		out = nil
		for _, left := range before {
			list := d.choices(left, p)
			if out = append(out, list...); len(list) == 0 || len(out) > mostAlternatives {
				return nil
			}
		}
	}
	return out
}

// choices is a pattern joined with each pattern, or row, of an operand; none where that is not done.
func (d *distribution) choices(left, operand parser.Node) (out []parser.Node) {
	if table, ok := operand.(*parser.Values); ok {
		return rows(left, table)
	}
	for _, right := range d.of(operand) {
		out = append(out, d.together(left, right))
	}
	return out
}

func tableLast(n parser.Node) int {
	if is[*parser.Values](n) {
		return 1
	}
	return 0
}

// rows is a pattern with each row of a table; nil where it does not bind all that they do.
func rows(n parser.Node, table *parser.Values) (out []parser.Node) {
	if len(table.Rows) > mostAlternatives {
		return nil
	}
	for _, row := range table.Rows {
		in := n
		for i, t := range row {
			if t.IsZero() {
				continue
			}
			if in = restricted(in, table.Variables[i], isOneOf(table.Variables[i], row[i:i+1])); in == nil {
				return nil
			}
		}
		out = append(out, in)
	}
	return out
}

// together is the join of two patterns, with their basic graph patterns as one where that means the same.
func (d *distribution) together(left, right parser.Node) parser.Node {
	if first, ok := d.standsOn(left, right); ok {
		return withOperand(left, 0, d.together(first, right))
	}
	if first, ok := d.standsOn(right, left); ok {
		return withOperand(right, 0, d.together(left, first))
	}
	a, isPattern := left.(*parser.BGP)
	b, arePatterns := right.(*parser.BGP)
	if isPattern && arePatterns {
		return &parser.BGP{Patterns: slices.Concat(a.Patterns, b.Patterns)}
	}
	return &parser.Join{Left: left, Right: right}
}

// standsOn returns what an operator stands on that may as well stand on the join of that with another pattern.
func (d *distribution) standsOn(n, other parser.Node) (on parser.Node, ok bool) {
	switch n := n.(type) {
	case *parser.LeftJoin:
		read := d.Scopes.Used(n.Right)
		if n.Condition != nil {
			read = read.Or(d.Scopes.Reads(n.Condition))
		}
		return n.Left, (n.Condition == nil || !parser.IsVolatile(n.Condition)) && !read.Without(d.Scopes.Of(n.Left).Must).Meets(d.Scopes.Of(other).May)
	case *parser.Minus:
		return n.Left, !d.Scopes.Used(n.Right).Without(d.Scopes.Of(n.Left).Must).Meets(d.Scopes.Of(other).May)
	case *parser.Filter:
		return n.Input, !parser.IsVolatile(n.Condition) && d.readsOnly(n.Condition, n.Input, other)
	}
	return nil, false
}

// withOperand is an operator with another node in the place of one of its operands.
func withOperand(n parser.Node, operand int, by parser.Node) parser.Node {
	at := -1
	return parser.Map(n, func(in parser.Node) parser.Node {
		if at++; at == operand {
			return by
		}
		return in
	})
}
