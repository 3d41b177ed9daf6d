package exec

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// matchOp matches a basic graph pattern.
type matchOp struct {
	plan    *bgp.MatchPlan
	graph   *pcsr.Graph
	matcher Matcher
	out     []string
	limit   uint64
	// weighted: the consumer reads Batch.Weights.
	weighted bool
	explain  *Explain
	rows     []uint32
	// late is what is to be found out before the first run, nil when there is nothing.
	late *lateValues
}

func (m *matchOp) columns() []string { return m.out }

func (m *matchOp) node() *Explain { return m.explain }

func (m *matchOp) match(x *execution) *Match {
	match := &Match{Graph: m.graph, Plan: m.plan, Limit: m.limit, Weighted: m.weighted}
	if x.analyze {
		m.explain.Trace = &Trace{}
		match.Trace = m.explain.Trace
	}
	return match
}

func (m *matchOp) run(x *execution, seed *Batch, emit func(*Batch) error) error {
	if err := m.ready(x); err != nil {
		return err
	}
	if m.plan.Empty {
		return nil
	}
	match := m.match(x)
	if seed == nil {
		return m.matcher.Match(x.ctx, match, emit)
	}
	if seed.N == 0 {
		return nil
	}
	m.rows = m.inGraph(m.rows[:0], seed)
	if len(m.rows) == seed.N {
		match.Input = &Input{Cols: seed.Cols, N: seed.N}
		return m.matcher.Match(x.ctx, match, emit)
	}
	if len(m.rows) == 0 {
		return nil
	}
	some := selectRows(&Batch{}, &Batch{Cols: seed.Cols, N: seed.N}, m.rows)
	match.Input = &Input{Cols: some.Cols, N: some.N}
	rows := m.rows
	var origin []uint32
	return m.matcher.Match(x.ctx, match, func(b *Batch) error {
		origin = gather(origin[:0], rows, b.Origin)
		return emit(&Batch{Cols: b.Cols, N: b.N, Origin: origin, Weights: b.Weights})
	})
}

// inGraph appends the rows of a seed whose terms the graph can have: not those that the query computed.
func (m *matchOp) inGraph(dst []uint32, seed *Batch) []uint32 {
	vertices := dictionary.ID(m.graph.Vertices())
next:
	for r := range seed.N {
		for _, col := range seed.Cols {
			if col[r] >= vertices {
				continue next
			}
		}
		dst = append(dst, uint32(r))
	}
	return dst
}

// count returns the number of solutions without writing them.
func (m *matchOp) count(x *execution) (uint64, error) {
	if err := m.ready(x); err != nil {
		return 0, err
	}
	if m.plan.Empty {
		return 0, nil
	}
	n, err := m.matcher.Count(x.ctx, m.match(x))
	if x.analyze {
		m.explain.Rows, m.explain.Runs = n, 1
	}
	return n, err
}

// explainMatch describes a match plan; its steps follow when somebody asks (describeSteps).
func explainMatch(plan *bgp.MatchPlan, detail string, columns []string) *Explain {
	e := &Explain{Operator: "match", Detail: detail, Columns: columns, Match: plan, cost: plan.Cost}
	if plan.Empty {
		e.Detail += " nothing: " + plan.Reason
		return e
	}
	e.EstimatedRows = 1
	if n := len(plan.Steps); n > 0 {
		e.EstimatedRows = plan.Steps[n-1].EstimatedRows
	}
	return e
}

// describeSteps fills in the steps of the match plans in the tree; term names constants.
func (e *Explain) describeSteps(term func(dictionary.ID) string) {
	for _, child := range e.Children {
		child.describeSteps(term)
	}
	if e.Match == nil || e.Match.Empty || e.Steps != nil {
		return
	}
	for i := range e.Match.Steps {
		s := &e.Match.Steps[i]
		e.Steps = append(e.Steps, fmt.Sprintf("?%s: %s, estimated %.0f rows from %.0f candidates",
			e.Match.Slots[e.Match.Inputs+i].Variable, describeStep(e.Match, s, term), s.EstimatedRows, s.EstimatedCandidates))
	}
}

// describeStep says in a few words what limits a step's candidates.
func describeStep(plan *bgp.MatchPlan, s *bgp.Step, term func(dictionary.ID) string) string {
	name := func(o bgp.Operand) string { return operandName(plan, o, term) }
	text := ""
	add := func(format string, args ...any) {
		if text != "" {
			text += " ∩ "
		}
		text += fmt.Sprintf(format, args...)
	}
	for _, c := range s.Classes {
		add("class %s", term(c))
	}
	for _, l := range s.Links {
		switch l.Kind {
		case bgp.Neighbours:
			add("N(%s, %s, %s)", name(l.From), name(l.Label), l.Dir)
		case bgp.Rows:
			add("rows(%s, %s)", name(l.Label), l.Dir)
		case bgp.EdgeLabels:
			add("labels(%s, %s)", name(l.From), l.Dir)
		case bgp.AllEdgeLabels:
			add("all labels")
		case bgp.AllVertices:
			add("all vertices(%s)", l.Dir)
		}
	}
	if s.High != 0 || s.Low != 0 {
		add("ids %d…%d", s.Low, s.High)
	}
	if s.Candidates != nil {
		add("%d candidates", len(s.Candidates))
	}
	if len(s.Checks) > 0 {
		text += fmt.Sprintf(", %d checks", len(s.Checks))
	}
	if len(s.Distinct)+len(s.EdgeDistinct) > 0 {
		text += fmt.Sprintf(", %d inequalities", len(s.Distinct)+len(s.EdgeDistinct))
	}
	if s.Counted {
		text += ", counted"
	}
	return text
}

func operandName(plan *bgp.MatchPlan, o bgp.Operand, term func(dictionary.ID) string) string {
	if o.IsConstant() {
		return term(o.Constant)
	}
	return "?" + plan.Slots[o.Slot].Variable
}
