package planner

import (
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestedValues are the values of a list for which a condition is true, as far as they are known.
type TestedValues struct {
	tester Tester
	list   []dictionary.ID // what is left to be tested
	tested int
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
	for len(s.list) > 0 && !enough() {
		part := s.list[:min(testedAtOnce, len(s.list))]
		s.rows = s.tester.Filter([][]dictionary.ID{part}, len(part), s.rows[:0])
		for _, r := range s.rows {
			s.keep = append(s.keep, part[r])
		}
		s.list, s.tested = s.list[len(part):], s.tested+len(part)
	}
}

// Values are those for which the condition is true, sorted, once all are tested; they are not to be changed.
func (s *TestedValues) Values() []dictionary.ID { return s.keep }

// share estimates the part of the values for which the condition is true.
func (s *TestedValues) share() float64 { return float64(len(s.keep)+1) / float64(s.tested+1) }

// pushTests takes over conditions on one variable whose possible values are far fewer than what the match would look
// at, tests these values, and returns the conditions that are left. What it does not come to in time is tested when the
// match begins.
func (p *planner) pushTests(pushed *pushedFilters, n *parser.BGP, conditions []parser.Expr, r request, cost float64) (rest []parser.Expr) {
	vars := p.free(n, r)
	for _, e := range conditions {
		var values *TestedValues
		read := p.scopes.Reads(e)
		name := ""
		if read.Len() == 1 && read.Within(vars) && !parser.HasExists(e) && !parser.IsVolatile(e) && !p.hasParameters(e) {
			name = p.scopes.Names(read)[0]
			values = p.valuesThat(e, name, n, cost)
		}
		if values == nil {
			rest = append(rest, e)
			continue
		}
		pushed.notes = append(pushed.notes, p.exprText(e))
		if len(values.list) > 0 {
			pushed.tests = append(pushed.tests, Test{name, values})
		} else {
			pushed.narrow(name, values.keep)
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

// valuesThat begins to find the possible values of a variable for which a condition is true; nil where that costs more
// than it may save.
func (p *planner) valuesThat(e parser.Expr, v string, n *parser.BGP, cost float64) *TestedValues {
	values := p.possibleValues(n, v)
	if values == nil || values.Rows() > maxTested || float64(values.Rows())*testPrice >= cost {
		return nil
	}
	set, ok := p.tested[testKey{e, values}]
	if !ok {
		tester, err := p.options.Tester(e, v)
		if err != nil {
			return nil // the error is found again where the condition is compiled for its rows
		}
		set = &TestedValues{tester: tester, list: slices.Clone(values.AppendVertices(nil, 0, values.Rows())), keep: []dictionary.ID{}}
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
