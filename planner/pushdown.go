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

// pushedFilters are the conditions on single variables that a matcher applies while it joins. The zero value has none.
type pushedFilters struct {
	candidates map[string][]dictionary.ID
	ranges     map[string]bgp.Range
	// unequal are pairs of terms that must differ.
	unequal []bgp.Inequality
	// tests are conditions whose values are tested when the match begins.
	tests []Test
	notes []string
	// scattered is a variable whose range also holds IDs between those that pass its conditions, "" for none; parts are the
	// ranges of those that may.
	scattered string
	parts     []dictionary.Range
	// searches is how many searches for texts are worth it, if more than a few.
	searches int
}

// shares are the parts of a variable's values that are expected to pass its tests.
func (f *pushedFilters) shares() map[string]float64 {
	if len(f.tests) == 0 {
		return nil
	}
	out := map[string]float64{}
	for _, t := range f.tests {
		if _, ok := out[t.Variable]; !ok {
			out[t.Variable] = 1
		}
		out[t.Variable] *= t.Values.share()
	}
	return out
}

// of returns the conditions on some variables.
func (f *pushedFilters) of(has func(variable string) bool) *pushedFilters {
	out := &pushedFilters{}
	if f == nil {
		return out
	}
	for v, list := range f.candidates {
		if has(v) {
			out.narrow(v, list)
		}
	}
	for v, r := range f.ranges {
		if has(v) {
			out.bound(v, dictionary.Range{From: r.Low, To: r.High})
		}
	}
	for _, d := range f.unequal {
		if has(d.A) {
			out.unequal = append(out.unequal, d)
		}
	}
	return out
}

// narrow intersects a variable's candidates with a set.
func (f *pushedFilters) narrow(v string, set []dictionary.ID) {
	set = slices.Compact(slices.Sorted(slices.Values(set)))
	if old, ok := f.candidates[v]; ok {
		set = pcsr.Intersect([]dictionary.ID{}, old, set)
	}
	if f.candidates == nil {
		f.candidates = map[string][]dictionary.ID{}
	}
	f.candidates[v] = set
}

// bound intersects a variable's range with another.
func (f *pushedFilters) bound(v string, r dictionary.Range) {
	if old, ok := f.ranges[v]; ok {
		r.From, r.To = max(r.From, old.Low), min(r.To, old.High)
	}
	if r.From >= r.To {
		f.narrow(v, nil)
		return
	}
	if f.ranges == nil {
		f.ranges = map[string]bgp.Range{}
	}
	f.ranges[v] = bgp.Range{Low: r.From, High: r.To}
}

// pushFilters splits the conditions on a basic graph pattern into those that the matcher applies and the rest.
//
//	sameTerm(?v, c), ?v = <iri>, ?v = "string", ?v IN (<iri>, "string", …) → the candidates of ?v; and several of these, by ||
//	?v < 5, ?v >= "2020-01-01"^^xsd:date, ?v = 1, …                        → a range of IDs of ?v, or its candidates
//	isLiteral(?v), LANG(?v) = "en", STRSTARTS(?v, "text"), YEAR(?v) = 2000, …  → likewise (pushkind.go)
//	?v != ?w, !sameTerm(?v, ?w), ?v NOT IN (<iri>, …)                      → inequalities (unequal.go)
//	any other condition on ?v alone, where ?v has few possible values      → the candidates of ?v for which it is true
func (p *planner) pushFilters(n *parser.BGP, conditions []parser.Expr, r request) (pushed *pushedFilters, rest []parser.Expr) {
	pushed = &pushedFilters{}
	vars := p.free(n, r)
	for _, e := range conditions {
		if p.pushTerms(pushed, vars, e) || p.pushRange(pushed, n, vars, e, conditions) || p.pushUnequal(pushed, n, n, e) {
			pushed.notes = append(pushed.notes, p.exprText(e))
		} else {
			rest = append(rest, e)
		}
	}
	return pushed, rest
}

// free are the variables of a pattern that its seeds do not bind.
func (p *planner) free(n *parser.BGP, r request) scope.Set {
	return p.scopes.Of(n).May.Without(p.scopes.Set(r.inputs...))
}

func (p *planner) pushTerms(pushed *pushedFilters, vars scope.Set, e parser.Expr) bool {
	v, terms, ok := fixedTerms(e)
	if !ok || !vars.Has(p.scopes.Number(v)) {
		return false
	}
	pushed.narrow(v, p.storedIDs(terms))
	return true
}

// storedIDs are the IDs of those terms that the data have.
func (p *planner) storedIDs(terms []rdf.Term) (ids []dictionary.ID) {
	for _, t := range terms {
		if id, ok := p.options.Lookup(t); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// fixedTerms recognises a condition that is true exactly when a variable is one of some terms. Equality of values is
// equality of terms for IRIs and for plain strings, and an error, which is not true, with anything else.
func fixedTerms(e parser.Expr) (string, []rdf.Term, bool) {
	return constants(e, variableOf, func(t rdf.Term, identical bool) bool { return identical || rules.EqualOnlyToItself(t) })
}
