package exec

import (
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// pushedFilters are the conditions on single variables that a matcher applies while it joins.
type pushedFilters struct {
	candidates map[string][]dictionary.ID
	ranges     map[string]bgp.Range
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

func newPushedFilters() *pushedFilters {
	return &pushedFilters{candidates: map[string][]dictionary.ID{}, ranges: map[string]bgp.Range{}}
}

// pushFilters splits the conditions on a basic graph pattern into those that the matcher applies and the rest.
//
//	sameTerm(?v, c), ?v = <iri>, ?v = "string", ?v IN (<iri>, "string", …) → the candidates of ?v
//	?v < 5, ?v >= "2020-01-01"^^xsd:date, ?v = 1, …                        → a range of IDs of ?v
//	any other condition on ?v alone, where ?v has few possible values      → the candidates of ?v for which it is true
func (c *compiler) pushFilters(bgp *parser.BGP, conditions []parser.Expr, r request) (*pushedFilters, []parser.Expr) {
	p := newPushedFilters()
	vars := without(c.scopes.of(bgp).vars, setOf(r.inputs...))
	var rest []parser.Expr
	for _, e := range conditions {
		if c.pushTerms(p, vars, e) || c.pushRange(p, vars, e) {
			p.notes = append(p.notes, exprText(e))
		} else {
			rest = append(rest, e)
		}
	}
	return p, rest
}

func (c *compiler) pushTerms(p *pushedFilters, vars names, e parser.Expr) bool {
	v, terms, ok := fixedTerms(e)
	if !ok || !vars[v] {
		return false
	}
	p.narrow(v, c.storedIDs(terms))
	return true
}

// comparisons are the operators that ranges of IDs can stand for, and what they are with their sides exchanged.
var comparisons = map[string]struct{ as, mirrored dictionary.Comparison }{
	"<":  {dictionary.IsLess, dictionary.IsGreater},
	"<=": {dictionary.IsLessOrEqual, dictionary.IsGreaterOrEqual},
	"=":  {dictionary.IsEqual, dictionary.IsEqual},
	">=": {dictionary.IsGreaterOrEqual, dictionary.IsLessOrEqual},
	">":  {dictionary.IsGreater, dictionary.IsLess},
}

// maxRangeCandidates bounds the IDs of several ranges that are listed one by one.
const maxRangeCandidates = 4096

// pushRange turns a comparison of a variable with a constant into IDs, which lie in value order.
func (c *compiler) pushRange(p *pushedFilters, vars names, e parser.Expr) bool {
	stored, isStored := c.plan.dict.(*dictionary.Dictionary)
	v, op, constant, ok := comparison(e)
	if !ok || !isStored || !vars[v] {
		return false
	}
	ranges, exact := stored.ValueRange(op, constant)
	if !exact {
		return false
	}
	total := 0
	for _, r := range ranges {
		total += r.Len()
	}
	switch {
	case total == 0 || len(ranges) > 1 && total <= maxRangeCandidates:
		set := []dictionary.ID{}
		for _, r := range ranges {
			for id := r.From; id < r.To; id++ {
				set = append(set, id)
			}
		}
		p.narrow(v, set)
		return true
	case len(ranges) == 1:
		p.bound(v, ranges[0])
		return true
	}
	p.bound(v, dictionary.Range{From: ranges[0].From, To: ranges[len(ranges)-1].To})
	return false
}

// bound intersects a variable's range with another.
func (p *pushedFilters) bound(v string, r dictionary.Range) {
	old, ok := p.ranges[v]
	if ok {
		r.From, r.To = max(r.From, old.Low), min(r.To, old.High)
	}
	if r.From >= r.To {
		p.narrow(v, nil)
		return
	}
	p.ranges[v] = bgp.Range{Low: r.From, High: r.To}
}

// comparison takes a comparison of a variable with a constant apart.
func comparison(e parser.Expr) (v string, op dictionary.Comparison, constant rdf.Term, ok bool) {
	call, isCall := e.(*parser.Call)
	if !isCall || len(call.Args) != 2 {
		return
	}
	ops, known := comparisons[call.Function]
	if !known {
		return
	}
	if x, isVar := call.Args[0].(*parser.Var); isVar {
		k, isConst := call.Args[1].(*parser.Const)
		if !isConst {
			return
		}
		return x.Name, ops.as, k.Term, true
	}
	k, isConst := call.Args[0].(*parser.Const)
	x, isVar := call.Args[1].(*parser.Var)
	if !isConst || !isVar {
		return
	}
	return x.Name, ops.mirrored, k.Term, true
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
