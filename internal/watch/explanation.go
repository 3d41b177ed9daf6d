package watch

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu/parser"
)

// Explanation says how the changes of a query are found while it stands.
type Explanation struct {
	// Way is Incremental or Evaluated; Reason is what of the query keeps it from being Incremental.
	Way    Way    `json:"way"`
	Reason string `json:"reason,omitempty"`
	// Reads are the predicates at whose changes it is evaluated again; none where that is at every change, or it is Incremental.
	Reads []string `json:"reads,omitempty"`
	// Keeps is what is kept for each subscriber beside what waits; "" is nothing.
	Keeps string `json:"keeps,omitempty"`
}

// MarshalJSON is the way's name.
func (w Way) MarshalJSON() ([]byte, error) { return json.Marshal(w.String()) }

// Explain says how changes of a query would be found; the error wraps ErrCannotStand.
func Explain(q Query) (e Explanation, err error) {
	s, err := newStanding(q)
	if err != nil {
		return e, err
	}
	e = Explanation{Way: Incremental, Keeps: s.kept()}
	if !s.again() {
		return e, nil
	}
	e.Way, e.Reason = Evaluated, s.reason
	if s.anything {
		return e, nil
	}
	for _, t := range s.labels {
		e.Reads = union(e.Reads, t.String())
	}
	return e, nil
}

// kept is what is kept for each subscriber.
func (q *standing) kept() string {
	switch {
	case q.again():
		return "all solutions"
	case q.distinct:
		return "each solution, with how often it is there"
	case q.grouped != nil:
		return "the rows of each group: " + variablesText(q.variables[q.grouped.keys:])
	}
	return ""
}

// variablesText lists variables for people.
func variablesText(names []string) string {
	if len(names) == 0 {
		return "their number"
	}
	return "?" + strings.Join(names, " ?")
}

// String tells it in a few lines.
func (e Explanation) String() string {
	text := "Changes are found from the changed triples alone.\n"
	if e.Way == Evaluated {
		text = fmt.Sprintf("The query is evaluated again, because of %s, when a triple has changed", e.Reason)
		if len(e.Reads) > 0 {
			text += " whose predicate is one of\n  " + strings.Join(e.Reads, "\n  ")
		}
		text += ".\n"
	}
	if e.Keeps != "" {
		text += "For each subscriber is kept: " + e.Keeps + ".\n"
	}
	return text
}

// because notes the first reason for which the query is not linear.
func (s *shape) because(reason string) (parser.Node, bool) {
	if s.reason == "" {
		s.reason = reason
	}
	return nil, false
}

// wordFor is what a query has where it has an operator that is not linear.
func wordFor(n parser.Node) string {
	switch n := n.(type) {
	case *parser.LeftJoin:
		return "OPTIONAL"
	case *parser.Minus:
		return "MINUS"
	case *parser.PathPattern:
		return "a path of any length"
	case *parser.Group:
		return "GROUP BY, or aggregates, that more than a projection, HAVING and expressions stand above, or that are not COUNT, SUM, AVG, MIN and MAX by variables"
	case *parser.Slice:
		return "LIMIT or OFFSET"
	case *parser.Distinct, *parser.Reduced:
		return "DISTINCT in a sub-SELECT, or with GROUP BY"
	case *parser.OrderBy:
		return "ORDER BY in a sub-SELECT"
	default:
		return fmt.Sprintf("%T", n)
	}
}
