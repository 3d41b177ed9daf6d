package exec

import (
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// pushedFilters are the conditions on single variables that a matcher applies while it joins.
type pushedFilters struct {
	candidates map[string][]dictionary.ID
	ranges     map[string]planner.Range
	notes      []string
}

func (p *pushedFilters) text() string {
	if len(p.notes) == 0 {
		return ""
	}
	return " where " + strings.Join(p.notes, " && ")
}

// narrow intersects a variable's candidates with a set.
func (p *pushedFilters) narrow(v string, set []dictionary.ID) {
	slices.Sort(set)
	set = slices.Compact(set)
	if old, ok := p.candidates[v]; ok {
		set = pcsr.Intersect([]dictionary.ID{}, old, set)
	}
	p.candidates[v] = set
}

// pushFilters splits the conditions on a basic graph pattern into those that the matcher applies and the rest.
//
//	sameTerm(?v, c), ?v = <iri>, ?v = "string", ?v IN (<iri>, "string", …) → the candidates of ?v
func (c *compiler) pushFilters(bgp *parser.BGP, conditions []parser.Expr, r request) (*pushedFilters, []parser.Expr) {
	p := &pushedFilters{candidates: map[string][]dictionary.ID{}, ranges: map[string]planner.Range{}}
	vars := without(c.scopes.of(bgp).vars, setOf(r.inputs...))
	var rest []parser.Expr
	for _, e := range conditions {
		v, terms, ok := fixedTerms(e)
		if !ok || !vars[v] {
			rest = append(rest, e)
			continue
		}
		p.narrow(v, c.storedIDs(terms))
		p.notes = append(p.notes, exprText(e))
	}
	return p, rest
}

// storedIDs are the IDs of those terms that the data have.
func (c *compiler) storedIDs(terms []rdf.Term) []dictionary.ID {
	ids := []dictionary.ID{}
	for _, t := range terms {
		if id, ok := c.plan.dict.Lookup(t); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// fixedTerms recognises a condition that is true exactly when a variable is one of some terms. Equality of values is
// equality of terms for IRIs and for plain strings, and an error, which is not true, with anything else.
func fixedTerms(e parser.Expr) (string, []rdf.Term, bool) {
	call, ok := e.(*parser.Call)
	if !ok || len(call.Args) < 2 {
		return "", nil, false
	}
	args := call.Args
	switch call.Function {
	case "=", "SAMETERM":
		if _, ok := args[1].(*parser.Var); ok {
			args = []parser.Expr{args[1], args[0]}
		}
	case "IN":
	default:
		return "", nil, false
	}
	v, ok := args[0].(*parser.Var)
	if !ok {
		return "", nil, false
	}
	var terms []rdf.Term
	for _, a := range args[1:] {
		k, ok := a.(*parser.Const)
		if !ok || call.Function != "SAMETERM" && !equalOnlyToItself(k.Term) {
			return "", nil, false
		}
		terms = append(terms, k.Term)
	}
	return v.Name, terms, true
}

func equalOnlyToItself(t rdf.Term) bool {
	return t.Kind == rdf.IRI || t.Kind == rdf.Literal && t.Language == "" && t.Datatype == ""
}
