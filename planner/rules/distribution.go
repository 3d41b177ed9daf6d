package rules

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// mostAlternatives bounds the patterns that one is distributed into.
const mostAlternatives = 8

// Distributed returns several patterns, all of whose solutions together are those of one in which unions, tables or paths of at most one step are joined
// with others, each as often:
//
//	Union(A, B)                     → A, B
//	Join(P, Union(A, B))            → Join(P, A), Join(P, B)
//	LeftJoin(Union(A, B), R, c)     → LeftJoin(A, R, c), LeftJoin(B, R, c)      MINUS and FILTER alike
//	LeftJoin(P, Union(A, B))        → Join(P, A), Join(P, B), Minus(Minus(P, A), B)
//	                                  what P has in common with A, and with B, both always bind
//	Join(P, Values((?v ?w), …))     → Filter(sameTerm(?v, a) && sameTerm(?w, b), P) for each row; what a row leaves open is open
//	Join(P, ?v iri? ?w)             → P with ?w as ?v, Join(P, Filter(!sameTerm(?v, ?w), BGP(?v iri ?w)))
//	                                  P always binds one of them in a triple, which makes it a vertex, and never just sometimes the other
//
// As far as that means the same, the basic graph patterns of a join become one below what stands on them:
//
//	Join(P, LeftJoin(A, R, c))      → LeftJoin(Join(P, A), R, c)    P names nothing that R or c does, but for what A always binds
//	Join(P, Minus(A, R))            → Minus(Join(P, A), R)          likewise
//	Join(P, Filter(c, A))           → Filter(c, Join(P, A))         likewise
//	Join(P, Extend(A, ?v, ?w))      → Extend(Join(P, A), ?v, ?w)    P does not name ?v, and A always binds ?w
//
// It returns nil where there is nothing to distribute, where there would be more than a few patterns, and where a table stands
// beside no pattern that always binds its variables; and where a solution would have to be the same in several of the patterns that
// is another one each time (RAND). It holds under homomorphism: other semantics tell basic graph patterns apart.
func Distributed(s *scope.Scopes, n parser.Node) []parser.Node {
	if parser.VariesEachTime(n) {
		return nil
	}
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
	slices.SortStableFunc(operands, func(a, b parser.Node) int { return givenLast(a) - givenLast(b) })
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
	switch operand := operand.(type) {
	case *parser.Values:
		return rows(left, operand)
	case *parser.PathPattern:
		if label, subject, object, ok := optionalStep(operand); ok {
			return d.step(left, label, subject, object)
		}
	}
	for _, right := range d.of(operand) {
		out = append(out, d.together(left, right))
	}
	return out
}

// givenLast orders operands: tables and paths are distributed over the patterns that they are joined with.
func givenLast(n parser.Node) int {
	switch n.(type) {
	case *parser.PathPattern:
		return 1
	case *parser.Values:
		return 2
	}
	return 0
}

// optionalStep recognises a path between two variables that is no step or one along an edge, and returns that.
func optionalStep(n *parser.PathPattern) (label rdf.Term, subject, object string, ok bool) {
	subject, object = n.Subject.Variable, n.Object.Variable
	path, ok := n.Path.(*parser.PathZeroOrOne)
	if !ok || subject == "" || object == "" || subject == object {
		return rdf.Term{}, "", "", false
	}
	step := path.Path
	for {
		switch in := step.(type) {
		case *parser.PathInverse:
			step, subject, object = in.Path, object, subject
			continue
		case *parser.PathIRI:
			return rdf.NewIRI(in.IRI), subject, object, true
		}
		return rdf.Term{}, "", "", false
	}
}

// step is a pattern whose solutions are joined with the pairs of a path of no step or one: each of the vertices with itself, and those of an edge that are two.
func (d *distribution) step(left parser.Node, label rdf.Term, subject, object string) []parser.Node {
	at, other := &parser.Var{Name: subject}, &parser.Var{Name: object}
	if !isVertex(left, subject) {
		at, other = other, at
	}
	scope := d.Scopes.Of(left)
	number := d.Scopes.Number(other.Name)
	if !isVertex(left, at.Name) || scope.May.Has(number) && !scope.Must.Has(number) {
		return nil
	}
	same := &parser.Call{Function: "SAMETERM", Args: []parser.Expr{at, other}}
	var none parser.Node = &parser.Extend{Input: left, Variable: other.Name, Expr: at}
	if scope.May.Has(number) {
		none = &parser.Filter{Condition: same, Input: left}
	}
	edge := &parser.BGP{Patterns: []parser.TriplePattern{{Subject: parser.PatternTerm{Variable: subject}, Predicate: parser.PatternTerm{Term: label}, Object: parser.PatternTerm{Variable: object}}}}
	return []parser.Node{none, d.together(left, &parser.Filter{Condition: &parser.Call{Function: "!", Args: []parser.Expr{same}}, Input: edge})}
}

// isVertex reports whether every solution of a pattern binds a variable in a triple of the graph that the pattern is matched in, as subject or object.
func isVertex(n parser.Node, variable string) bool {
	switch n := n.(type) {
	case *parser.BGP:
		return slices.ContainsFunc(n.Patterns, func(t parser.TriplePattern) bool {
			return t.Subject.Variable == variable || t.Object.Variable == variable
		})
	case *parser.Join:
		return isVertex(n.Left, variable) || isVertex(n.Right, variable)
	case *parser.LeftJoin, *parser.Minus, *parser.Filter, *parser.Extend:
		return isVertex(parser.Children(n)[0], variable)
	}
	return false
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
		return n.Left, !read.Without(d.Scopes.Of(n.Left).Must).Meets(d.Scopes.Of(other).May)
	case *parser.Minus:
		return n.Left, !d.Scopes.Used(n.Right).Without(d.Scopes.Of(n.Left).Must).Meets(d.Scopes.Of(other).May)
	case *parser.Filter:
		return n.Input, d.readsOnly(n.Condition, n.Input, other)
	case *parser.Extend:
		renamed, ok := n.Expr.(*parser.Var)
		return n.Input, ok && d.Scopes.Of(n.Input).Must.Has(d.Scopes.Number(renamed.Name)) && !d.Scopes.Used(other).Has(d.Scopes.Number(n.Variable))
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
