package exec

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/parser"
)

// maxColumns bounds the operators of a query times its variables. Each operator hands on a column for each variable, so
// that planning a long chain of OPTIONAL or BIND that bind a variable each takes time and memory with the square of
// its length; a union of many branches with few variables does not.
const maxColumns = 4_000_000

// querySize counts what a query consists of.
type querySize struct {
	operators int
	variables names
}

// sizeOf counts the operators and variables of a query.
func sizeOf(q *parser.Query) *querySize {
	s := &querySize{variables: names{}}
	s.add(q.Where)
	return s
}

// check refuses a query that is too large to be planned.
func (s *querySize) check() error {
	if n := s.operators * len(s.variables); n > maxColumns {
		return fmt.Errorf("exec: the query has %d operators and %d variables, together more than %d columns: %w",
			s.operators, len(s.variables), maxColumns, ErrUnsupported)
	}
	return nil
}

// add counts a pattern.
func (s *querySize) add(n parser.Node) {
	if n == nil {
		return
	}
	s.operators++
	switch n := n.(type) {
	case *parser.BGP:
		for i := range n.Patterns {
			addTerms(s.variables, n.Patterns[i].Subject, n.Patterns[i].Predicate, n.Patterns[i].Object)
		}
	case *parser.PathPattern:
		addTerms(s.variables, n.Subject, n.Object)
	case *parser.Join:
		s.both(n.Left, n.Right)
	case *parser.LeftJoin:
		s.both(n.Left, n.Right)
		s.expression(n.Condition)
	case *parser.Union:
		s.both(n.Left, n.Right)
	case *parser.Minus:
		s.both(n.Left, n.Right)
	case *parser.Filter:
		s.add(n.Input)
		s.expression(n.Condition)
	case *parser.Graph:
		addTerms(s.variables, n.Name)
		s.add(n.Input)
	case *parser.Service:
		addTerms(s.variables, n.Name)
		s.add(n.Input)
	case *parser.Extend:
		s.variables[n.Variable] = true
		s.add(n.Input)
		s.expression(n.Expr)
	case *parser.Values:
		s.variables.addAll(setOf(n.Variables...))
	case *parser.Group:
		s.group(n)
	case *parser.Project:
		s.add(n.Input)
	default:
		s.add(onlyInput(n))
	}
}

func (s *querySize) both(left, right parser.Node) {
	s.add(left)
	s.add(right)
}

func (s *querySize) group(n *parser.Group) {
	s.add(n.Input)
	for _, k := range n.Keys {
		s.variables[k.Variable] = true
		s.expression(k.Expr)
	}
	for _, a := range n.Aggregates {
		s.variables[a.Variable] = true
		s.expression(a.Argument)
	}
}

// expression counts the patterns of EXISTS.
func (s *querySize) expression(e parser.Expr) {
	switch e := e.(type) {
	case *parser.Exists:
		s.add(e.Pattern)
	case *parser.Call:
		for _, a := range e.Args {
			s.expression(a)
		}
	case *parser.FunctionCall:
		for _, a := range e.Args {
			s.expression(a)
		}
	}
}
