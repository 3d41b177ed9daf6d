package watch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// identity is what makes two queries one: their text, or what they ask, whatever they call it.
type identity struct {
	text, base, dataset string
	semantics           bgp.Semantics
}

func (q *Query) identity() identity {
	if asks, ok := asksOf(q.Parsed); ok {
		return identity{text: asks, semantics: q.Semantics}
	}
	return identity{q.Text, q.Base, fmt.Sprintf("%q %q", q.Parsed.From, q.Parsed.FromNamed), q.Semantics}
}

// asksOf tells a basic graph pattern with a projection apart from all that ask something else, but not from those that differ in the names of
// variables alone, or in the order of triple patterns of which constants tell which is which; false where the query is more than that.
func asksOf(q *parser.Query) (text string, ok bool) {
	n := q.Where
	if p, projected := n.(*parser.Project); projected && slices.Equal(p.Variables, q.Variables) {
		n = p.Input
	}
	pattern, ok := n.(*parser.BGP)
	if !ok || q.Form != parser.Select || len(q.From)+len(q.FromNamed) > 0 {
		return "", false
	}
	numbers := map[string]int{}
	term := func(t parser.PatternTerm, variable func(string) string) string {
		if t.IsVariable() {
			return variable(t.Variable)
		}
		return t.Term.String()
	}
	line := func(p parser.TriplePattern, variable func(string) string) string {
		return term(p.Subject, variable) + " " + term(p.Predicate, variable) + " " + term(p.Object, variable) + " .\n"
	}
	var patterns []parser.TriplePattern
	for _, p := range pattern.Patterns {
		if !slices.Contains(patterns, p) {
			patterns = append(patterns, p)
		}
	}
	slices.SortStableFunc(patterns, func(a, b parser.TriplePattern) int {
		any := func(string) string { return "?" }
		return strings.Compare(line(a, any), line(b, any))
	})
	number := func(v string) string {
		if _, known := numbers[v]; !known {
			numbers[v] = len(numbers)
		}
		return fmt.Sprint("?", numbers[v])
	}
	var b strings.Builder
	for _, p := range patterns {
		b.WriteString(line(p, number))
	}
	for _, v := range q.Variables {
		b.WriteString(number(v) + " ")
	}
	return b.String(), true
}
