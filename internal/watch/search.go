package watch

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// matcher runs seeds over states of graphs.
type matcher struct {
	ctx    context.Context
	terms  *dictionary.Dictionary
	lookup bgp.Lookup
	pick   func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher
	// together picks for large searches over one graph; nil: pick does.
	together Together
	charge   func(int64) error
	workers  *schedule.Share
	tuning   *tuning
}

// search is a task made ready: parts of its hits may be matched by several goroutines.
type search struct {
	*task
	graph *pcsr.Graph
	plan  *bgp.MatchPlan
	// large: the plan is priced for all hits.
	large bool
	by    match.Matcher
	// rivals are the earlier patterns that matches are to be tested for.
	rivals []int
	// each is how many matches one that is found stands for.
	each int64
	// cost is about what matching all hits costs, in candidates.
	cost float64
	// spent is for how long the processor has matched it, in nanoseconds.
	spent atomic.Int64
}

// prepare makes a task ready; nil where it has no matches.
func (m *matcher) prepare(t *task) (*search, error) {
	if !t.seed.leaf.holds(t.side().graph) {
		return nil, nil
	}
	f, err := m.apart(t)
	if err == nil && f == nil {
		f, err = m.tested(t)
	}
	if err != nil || f.plan.Empty {
		return nil, err
	}
	return f, nil
}

// choose picks who carries searches out: large ones over one graph together, others one by one.
func (m *matcher) choose(searches []*search) {
	for _, f := range searches {
		if f.large && f.by == nil && m.together != nil {
			m.chooseTogether(searches, f.graph)
		}
		if f.by == nil {
			f.by = m.pick(f.plan, f.graph)
		}
	}
}

// chooseTogether picks for the large ones of searches over a graph.
func (m *matcher) chooseTogether(searches []*search, g *pcsr.Graph) {
	var same []*search
	var plans []*bgp.MatchPlan
	for _, f := range searches {
		if f.large && f.graph == g {
			same, plans = append(same, f), append(plans, f.plan)
		}
	}
	by := m.together(plans, g, m.workers.Limit())
	if _, held := by.(match.Holder); !held && m.probe(same, by) {
		by = m.together(plans, g, m.workers.Limit())
	}
	for _, f := range same {
		f.by = by
	}
}

// tested is a search of which each match is tested afterwards, whether it belongs to an earlier pattern.
func (m *matcher) tested(t *task) (*search, error) {
	g := t.side().graph
	plan, err := t.seed.planFor(m.ctx, g, m.lookup, whole)
	if err != nil {
		return nil, err
	}
	rivals := t.seed.rivals(t.side())
	if len(rivals) > 0 {
		t.side().fill()
	}
	c := m.coalescingOf(t, plan)
	return &search{task: t, graph: g, plan: c.ordered(plan), rivals: rivals, each: c.each, cost: float64(t.n) * (bgp.SearchPrice + plan.Cost)}, nil
}

// apart is a search whose earlier patterns read unchanged edges alone, so that nothing is to be tested afterwards, and nothing but what is read
// comes out; nil where too few edges came or went for that, or where the patterns do not let it.
func (m *matcher) apart(t *task) (*search, error) {
	s, side := t.seed, t.side()
	if len(side.edges) < m.tuning.leastApart || s.graphColumn >= 0 || !s.leaf.namesLabels() || !side.canStandApart() {
		return nil, nil
	}
	plan, err := s.planFor(m.ctx, side.graph, m.lookup, lean)
	if err != nil || plan.Empty {
		return &search{plan: plan}, err
	}
	c := m.coalescingOf(t, plan)
	edges, ok := s.unchanged(plan, s.rivals(side), side.graph)
	if !ok {
		return nil, nil
	}
	if plan, ok = plan.Relabel(edges); !ok {
		return nil, nil
	}
	plan = c.ordered(plan)
	own := s.edge(plan, s.position)
	plan.InputChecks = slices.DeleteFunc(plan.InputChecks, func(e bgp.EdgeCheck) bool { return e == own }) // it is one of the graph's
	f := &search{task: t, graph: t.of.apart(t.at), plan: plan.ForRows(t.n), large: true, each: c.each}
	f.price()
	return f, nil
}

// unchanged are the edges of some patterns, as a plan reads them, by the labels of what the change left alone; false where there is none.
func (s *seed) unchanged(plan *bgp.MatchPlan, patterns []int, g *pcsr.Graph) (map[bgp.EdgeCheck]pcsr.Label, bool) {
	edges := map[bgp.EdgeCheck]pcsr.Label{}
	typeLabel, typed := g.TypeLabel()
	for _, i := range patterns {
		l := s.leaf.edges[i].Label
		if typed && l == typeLabel { // the plan may read a class
			return nil, false
		}
		edges[s.edge(plan, i)] = unchangedLabel(l)
	}
	return edges, true
}

// edge is a pattern as a plan reads it.
func (s *seed) edge(plan *bgp.MatchPlan, pattern int) bgp.EdgeCheck {
	of := func(t parser.PatternTerm, constant dictionary.ID) bgp.Operand {
		if !t.IsVariable() {
			return bgp.Const(constant)
		}
		return bgp.Bound(slices.IndexFunc(plan.Slots, func(slot bgp.Slot) bool { return slot.Variable == t.Variable }))
	}
	p, e := &s.leaf.node.Patterns[pattern], s.leaf.edges[pattern]
	return bgp.EdgeCheck{From: of(p.Subject, e.From), Label: of(p.Predicate, e.Label), To: of(p.Object, e.To)}
}

// counts reports whether of the matches the number alone is wanted.
func (f *search) counts() bool { return len(f.plan.Output) == 0 && len(f.rivals) == 0 }

// find hands the matches that belong to hits low … high-1 to emit, with the place of each of the leaf's columns; each stands for so many as the search says.
// The caller has entered the workers.
func (f *search) find(m *matcher, low, high int, emit func(b *match.Batch, row int)) error {
	s := f.seed
	run := &match.Match{Graph: f.graph, Plan: f.plan, Weighted: true, Charge: m.charge, Workers: m.workers}
	if m.tuning.alone {
		run.Workers = nil
	}
	if len(s.inputs) > 0 {
		if run.Input = inOrder(f.input(low, high), f.plan); run.Input.N == 0 {
			return nil
		}
	}
	if f.counts() {
		n, err := f.by.Count(m.ctx, run)
		if n > 0 {
			emit(&match.Batch{N: 1, Weights: []uint64{n}}, 0)
		}
		return err
	}
	return f.by.Match(m.ctx, run, func(b *match.Batch) error {
		for row := range b.N {
			if s.graphColumn >= 0 && b.Cols[s.graphColumn][row] != f.of.name || s.belongsElsewhere(b, row, f.rivals, f.side()) {
				continue
			}
			emit(b, row)
		}
		return nil
	})
}

// input are hits low … high-1.
func (h *hits) input(low, high int) *match.Input {
	in := &match.Input{N: high - low}
	for _, col := range h.cols {
		in.Cols = append(in.Cols, col[low:high])
	}
	return in
}
