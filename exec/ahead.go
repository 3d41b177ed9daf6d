package exec

import (
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// maxValues bounds the possible values of a variable on which a condition is computed ahead of the match.
const maxValues = 200_000

// aheadTime is how long a plan may compute conditions while it is prepared; the rest is done when the pattern is
// matched, under the query's context.
var aheadTime = 5 * time.Millisecond

// aheadValues is how many values are computed between two looks at the clock or the context.
const aheadValues = 16

// valueSet is the values of a list for which a condition is true, as far as they are known.
type valueSet struct {
	program *expr.Program
	list    []dictionary.ID // what is left to be tested
	tested  int
	keep    []dictionary.ID
	rows    []uint32
}

// advance tests values until none is left or enough says so.
func (s *valueSet) advance(enough func() bool) {
	for len(s.list) > 0 && !enough() {
		part := s.list[:min(aheadValues, len(s.list))]
		s.rows = s.program.Filter([][]dictionary.ID{part}, len(part), s.rows[:0])
		s.keep = gather(s.keep, part, s.rows)
		s.list, s.tested = s.list[len(part):], s.tested+len(part)
	}
}

// share guesses the part of the values for which the condition is true.
func (s *valueSet) share() float64 { return float64(len(s.keep)+1) / float64(s.tested+1) }

// lateValues are conditions on a match whose values were not all tested when it was planned.
type lateValues struct {
	sets   map[*valueSet]string // the variable of each
	pushed *pushedFilters
	plan   func() (operator, error)
}

// expect puts off the tests of some values until the match runs.
func (m *matchOp) expect(late map[*valueSet]string, pushed *pushedFilters, plan func() (operator, error)) {
	if m.plan.Empty {
		return
	}
	m.late = &lateValues{sets: late, pushed: pushed, plan: plan}
	for set := range late {
		m.explain.EstimatedRows *= set.share()
	}
}

// ready makes the plan whole.
func (m *matchOp) ready(x *execution) error {
	if m.late == nil {
		return nil
	}
	return m.finish(x)
}

// finish tests the values that are left and plans the match again.
func (m *matchOp) finish(x *execution) error {
	var failed error
	for set, v := range m.late.sets {
		set.advance(func() bool { failed = x.alive(); return failed != nil })
		if failed != nil {
			return failed
		}
		m.late.pushed.narrow(v, slices.Clone(set.keep))
	}
	op, err := m.late.plan()
	if err != nil {
		return err
	}
	again := op.(*matchOp)
	m.plan, m.matcher, m.late = again.plan, again.matcher, nil
	m.explain.Match, m.explain.Detail, m.explain.EstimatedRows = again.plan, again.explain.Detail, again.explain.EstimatedRows
	return nil
}

// pushValues takes over conditions on one variable whose possible values are far fewer than what the match would look
// at, tests these values, and returns the conditions that are left. What it does not come to in time is late.
func (c *compiler) pushValues(p *pushedFilters, bgp *parser.BGP, conditions []parser.Expr, r request, cost float64) (rest []parser.Expr, taken []*valueSet, late map[*valueSet]string) {
	vars := without(c.scopes.of(bgp).vars, setOf(r.inputs...))
	late = map[*valueSet]string{}
	for _, e := range conditions {
		read := c.scopes.mentions(names{}, e)
		if len(read) != 1 || len(intersection(read, vars)) != 1 || parser.HasExists(e) || parser.IsVolatile(e) || parser.LabelsBlanks(e) {
			rest = append(rest, e)
			continue
		}
		v := read.sorted()[0]
		set := c.valuesThat(e, v, bgp, cost)
		if set == nil {
			rest = append(rest, e)
			continue
		}
		if len(set.list) > 0 {
			late[set] = v
		} else {
			p.narrow(v, slices.Clone(set.keep))
		}
		p.notes, taken = append(p.notes, exprText(e)), append(taken, set)
	}
	return rest, taken, late
}

// valuesKey is a condition on the subjects or objects of a predicate.
type valuesKey struct {
	condition parser.Expr
	values    *pcsr.Partition
}

// possibleValues are the subjects or objects of the predicate, of those that a variable stands beside, with the
// fewest.
func (c *compiler) possibleValues(bgp *parser.BGP, v string) *pcsr.Partition {
	var best *pcsr.Partition
	for _, t := range bgp.Patterns {
		if t.Predicate.IsVariable() {
			continue
		}
		label, ok := c.label(t.Predicate.Term.Value)
		if !ok {
			continue
		}
		for _, end := range []struct {
			term parser.PatternTerm
			dir  pcsr.Direction
		}{{t.Subject, pcsr.Out}, {t.Object, pcsr.In}} {
			if end.term.Variable != v {
				continue
			}
			if part := c.graph.Partition(label, end.dir); best == nil || part.Rows() < best.Rows() {
				best = part
			}
		}
	}
	return best
}

// valuesThat begins to find the possible values of a variable for which a condition is true; nil where that costs more
// than it may save.
func (c *compiler) valuesThat(e parser.Expr, v string, bgp *parser.BGP, cost float64) *valueSet {
	values := c.possibleValues(bgp, v)
	if values == nil || values.Rows() > maxValues || float64(values.Rows())*2 >= cost {
		return nil
	}
	set, ok := c.computed[valuesKey{e, values}]
	if !ok {
		program, err := expr.Compile(e, map[string]int{v: 0}, c.plan.env)
		if err != nil {
			return nil
		}
		set = &valueSet{program: program, list: values.AppendVertices(nil, 0, values.Rows()), keep: []dictionary.ID{}}
		c.computed[valuesKey{e, values}] = set
	}
	began := time.Now()
	set.advance(func() bool { return time.Since(began) > c.ahead })
	c.ahead -= time.Since(began)
	return set
}
