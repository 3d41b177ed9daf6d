package planner

import (
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestedValues are the row vertices of a partition for which a condition is true, as far as they are known.
type TestedValues struct {
	tester Tester
	values *pcsr.Partition
	tested int             // of the rows
	part   []dictionary.ID // those that are tested at once
	keep   []dictionary.ID
	rows   []uint32
}

// testKey is a condition on the subjects or objects of a predicate.
type testKey struct {
	condition parser.Expr
	values    *pcsr.Partition
}

// Test tests values until none is left or enough says so.
func (s *TestedValues) Test(enough func() bool) {
	for ; !s.isWhole() && !enough(); s.tested += len(s.part) {
		s.part = s.values.AppendVertices(s.part[:0], s.tested, min(s.tested+testedAtOnce, s.values.Rows()))
		s.keep = s.passing(s.keep, s.part)
	}
}

// passing appends those of some values for which the condition is true.
func (s *TestedValues) passing(dst, list []dictionary.ID) []dictionary.ID {
	s.rows = s.tester.Filter([][]dictionary.ID{list}, len(list), s.rows[:0])
	for _, r := range s.rows {
		dst = append(dst, list[r])
	}
	return dst
}

// isWhole reports whether all values are tested.
func (s *TestedValues) isWhole() bool { return s.tested == s.values.Rows() }

// Among are those of some candidates, sorted, for which the condition is true, and which are values where all of these are tested by now;
// of nil, all such values. When enough says so what it returns is not all. The result is not to be changed.
func (s *TestedValues) Among(candidates []dictionary.ID, enough func() bool) []dictionary.ID {
	if candidates == nil || s.values.Rows()-s.tested <= len(candidates) {
		if s.Test(enough); candidates == nil {
			return s.keep
		}
		return pcsr.Intersect([]dictionary.ID{}, candidates, s.keep)
	}
	passed := []dictionary.ID{}
	for at := 0; at < len(candidates) && !enough(); at += testedAtOnce {
		passed = s.passing(passed, candidates[at:min(at+testedAtOnce, len(candidates))])
	}
	return passed
}

// share estimates the part of the values for which the condition is true.
func (s *TestedValues) share() float64 { return float64(len(s.keep)+1) / float64(s.tested+1) }

// pushTests takes over conditions on one variable whose possible values are far fewer than what the match would look
// at, tests these values, and returns the conditions that are left. What it does not come to in time is tested when the
// match begins.
func (p *planner) pushTests(pushed *pushedFilters, n *parser.BGP, conditions []parser.Expr, r request, cost float64) (rest []parser.Expr) {
	vars := p.free(n, r)
	possible := map[string]*pcsr.Partition{}
	for _, e := range conditions {
		var values *TestedValues
		read := p.scopes.Reads(e)
		name := ""
		if p.ended() == nil && read.Len() == 1 && read.Within(vars) && !parser.HasExists(e) && !parser.IsVolatile(e) && !p.hasParameters(e) {
			name = p.scopes.Names(read)[0]
			if _, ok := possible[name]; !ok {
				possible[name] = p.possibleValues(n, name)
			}
			values = p.valuesThat(e, name, possible[name], cost)
		}
		if values == nil {
			rest = append(rest, e)
			continue
		}
		pushed.notes = append(pushed.notes, p.exprText(e))
		if values.isWhole() {
			pushed.narrow(name, values.keep)
		} else {
			pushed.tests = append(pushed.tests, Test{name, values})
		}
	}
	return rest
}

// possibleValues are the subjects or objects of the predicate, of those that a variable stands beside, with the
// fewest.
func (p *planner) possibleValues(n *parser.BGP, v string) *pcsr.Partition {
	var best *pcsr.Partition
	probe := func(end parser.PatternTerm, label pcsr.Label, d pcsr.Direction) {
		if end.Variable != v {
			return
		}
		if part := p.graph.Partition(label, d); best == nil || part.Rows() < best.Rows() {
			best = part
		}
	}
	for _, t := range n.Patterns {
		if label, ok := p.label(t.Predicate.Term); ok && !t.Predicate.IsVariable() {
			probe(t.Subject, label, pcsr.Out)
			probe(t.Object, label, pcsr.In)
		}
	}
	return best
}

// label is the edge label of a predicate; false when the graph has none such.
func (p *planner) label(t rdf.Term) (pcsr.Label, bool) {
	id, ok := p.options.Lookup(t)
	return id, ok && p.graph.HasLabel(id)
}

// valuesThat begins to find those of the possible values of a variable for which a condition is true; nil where that costs more
// than it may save.
func (p *planner) valuesThat(e parser.Expr, v string, values *pcsr.Partition, cost float64) *TestedValues {
	if values == nil || values.Rows() > maxTested || float64(values.Rows())*testPrice >= cost {
		return nil
	}
	set, ok := p.tested[testKey{e, values}]
	if !ok {
		tester, err := p.options.Tester(e, v)
		if err != nil {
			return nil // the error is found again where the condition is compiled for its rows
		}
		set = &TestedValues{tester: tester, values: values, keep: []dictionary.ID{}}
		if p.tested == nil {
			p.tested = map[testKey]*TestedValues{}
		}
		p.tested[testKey{e, values}] = set
	}
	began := time.Now()
	set.Test(func() bool { return p.ended() != nil || time.Since(began) > p.testTime })
	p.testTime -= time.Since(began)
	return set
}
