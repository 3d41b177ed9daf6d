package planner

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// pushUnequal takes over a condition on a basic graph pattern that is true exactly when some of its terms differ:
//
//	?v != ?w, !(?v = ?w)          one of them is no literal, for literals may be equal that differ, or not comparable
//	!sameTerm(?v, ?w)
//	?v != <iri>, ?v NOT IN (<iri>, …)
//
// Variables of parts that nothing else connects stay in a filter: such parts are matched apart.
//
// The condition reads variables of n, of which some are those of the pattern that is matched.
func (p *planner) pushUnequal(pushed *pushedFilters, matched, n *parser.BGP, e parser.Expr) bool {
	left, others, byTerm := unequalTerms(e)
	if left == "" || !p.inPattern(n, left) {
		return false
	}
	var found []bgp.Inequality
	for _, other := range others {
		switch x := other.(type) {
		case *parser.Var:
			if x.Name == left || !p.inPattern(n, x.Name) || !byTerm && !p.isResource(n, left) && !p.isResource(n, x.Name) || matched == n && !together(n, left, x.Name) {
				return false
			}
			found = append(found, bgp.Inequality{A: left, B: x.Name})
		case *parser.Const:
			if x.Term.Kind != rdf.IRI {
				return false
			}
			if id, ok := p.options.Lookup(x.Term); ok {
				found = append(found, bgp.Inequality{A: left, Constant: id})
			}
		default:
			return false
		}
	}
	pushed.unequal = append(pushed.unequal, found...)
	return true
}

// unequalTerms takes a condition apart that says that a variable differs from some terms; "" where it is something else.
// byTerm: terms are compared, not values.
func unequalTerms(e parser.Expr) (left string, others []parser.Expr, byTerm bool) {
	call, ok := e.(*parser.Call)
	if !ok || len(call.Args) == 0 {
		return "", nil, false
	}
	switch call.Function {
	case "!=":
	case "NOT IN":
		if v, ok := call.Args[0].(*parser.Var); ok {
			return v.Name, call.Args[1:], false
		}
		return "", nil, false
	case "!":
		if call, ok = call.Args[0].(*parser.Call); !ok || call.Function != "=" && call.Function != "SAMETERM" {
			return "", nil, false
		}
	default:
		return "", nil, false
	}
	a, b := call.Args[0], call.Args[1]
	if _, ok := a.(*parser.Var); !ok {
		a, b = b, a
	}
	if v, ok := a.(*parser.Var); ok {
		return v.Name, []parser.Expr{b}, call.Function == "SAMETERM"
	}
	return "", nil, false
}

// inPattern reports whether a pattern binds a variable.
func (p *planner) inPattern(n *parser.BGP, v string) bool {
	return !scope.IsParameter(v) && p.scopes.Of(n).May.Has(p.scopes.Number(v))
}

// together reports whether a pattern connects two variables.
func together(n *parser.BGP, a, b string) bool {
	for _, part := range rules.Connected(n) {
		mentions := func(v string) bool {
			return slices.ContainsFunc(part.Patterns, func(t parser.TriplePattern) bool {
				return t.Subject.Variable == v || t.Predicate.Variable == v || t.Object.Variable == v
			})
		}
		if mentions(a) {
			return mentions(b)
		}
	}
	return false
}

// isResource reports whether a pattern binds a variable to IRIs and blank nodes alone.
func (p *planner) isResource(n *parser.BGP, v string) bool {
	return slices.ContainsFunc(n.Patterns, func(t parser.TriplePattern) bool {
		if t.Subject.Variable == v || t.Predicate.Variable == v {
			return true
		}
		return t.Object.Variable == v && !t.Predicate.IsVariable() && p.hasNoLiterals(t.Predicate.Term)
	})
}

// hasNoLiterals reports whether no object of a predicate lies where literals do.
func (p *planner) hasNoLiterals(predicate rdf.Term) bool {
	label, ok := p.label(predicate)
	if !ok || p.options.Dictionary == nil {
		return false
	}
	first, last, ok := p.graph.Outline(label, pcsr.In).Span()
	return ok && !slices.ContainsFunc(p.options.Dictionary.Sections(dictionary.Numbers, dictionary.Others), func(r dictionary.Range) bool {
		return first < r.To && last >= r.From
	})
}
