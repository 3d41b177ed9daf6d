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
	addTerms(s.variables, parser.Terms(n)...)
	s.variables.addAll(setOf(parser.Binds(n)...))
	for _, e := range parser.Expressions(n) {
		s.expression(e)
	}
	for _, c := range parser.Children(n) {
		s.add(c)
	}
}

// expression counts the patterns of EXISTS.
func (s *querySize) expression(e parser.Expr) {
	if x, ok := e.(*parser.Exists); ok {
		s.add(x.Pattern)
	}
	for _, a := range parser.Arguments(e) {
		s.expression(a)
	}
}
