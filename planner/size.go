package planner

import (
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
)

// querySize counts what a query consists of.
type querySize struct {
	operators int
	variables []string // sorted, each once
}

// sizeOf counts the operators and variables of a query.
func sizeOf(q *parser.Query) *querySize {
	s := &querySize{variables: make([]string, 0, 16)}
	if q.Where != nil {
		parser.Walk(q.Where, func(n parser.Node) bool { s.add(n); return true })
	}
	slices.Sort(s.variables)
	s.variables = slices.Compact(s.variables)
	return s
}

// check refuses a query that is too large to be planned.
func (s *querySize) check() error {
	if n := s.operators * len(s.variables); n > maxColumns {
		return fmt.Errorf("planner: the query has %d operators and %d variables, together more than %d columns: %w",
			s.operators, len(s.variables), maxColumns, ErrUnsupported)
	}
	return nil
}

// add counts one operator.
func (s *querySize) add(n parser.Node) {
	s.operators++
	for v := range parser.Mentions(n) {
		s.variables = append(s.variables, v)
	}
	s.variables = append(s.variables, parser.Binds(n)...)
}
