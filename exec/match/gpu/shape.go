package gpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// originSlot stands for the number of the input row among the slots, noSlot for none, weightLow and weightHigh for the
// halves of how many solutions a row of the output stands for; siblings.go has those below.
const (
	originSlot = -1 - iota
	noSlot
	weightLow
	weightHigh
)

// shape is a match plan cut to what will run: its steps, the factors that are only counted, and which slots each
// table holds.
type shape struct {
	plan   *bgp.MatchPlan
	graph  *pcsr.Graph
	inputs int
	// first is 1 where a step that binds nothing stands before the plan's steps: it tests the inputs, or there are
	// no other steps.
	first int
	// steps are the plan's steps that are joined; factors those behind them whose lists are only counted, for the count or
	// for the rows' weights.
	steps   []bgp.Step
	factors []bgp.Step
	count   bool
	// above are, by slot, the earlier slots whose vertex must have a smaller number, and repeats how many solutions
	// each stands for (symmetry.go).
	above   map[int][]int
	repeats uint64
	// tables are the slots in the table that each device step reads; output those of the output table.
	tables [][]int
	output []int
	// siblings is, for each of the steps, the earlier one among whose siblings its candidates are, or noSharing
	// (siblings.go).
	siblings []int
}

// newShape cuts a plan for counting or for writing rows out.
func newShape(m *match.Match, count bool, undirected func(pcsr.Label) bool, options *Options) *shape {
	p := m.Plan
	s := &shape{plan: p, graph: m.Graph, inputs: p.Inputs, steps: p.Steps, count: count, repeats: 1}
	if count {
		if !options.NoOrder {
			s.above, s.repeats = breakSymmetry(p, undirected)
		}
		if !options.NoLeaves {
			s.cutFactors(m.Graph, !options.NoClassCuts)
		}
	} else {
		if m.Weighted && !p.Once && !options.NoLeaves {
			s.cutFactors(m.Graph, !options.NoClassCuts)
		}
		for _, slot := range p.Output {
			if !slices.Contains(s.output, slot) {
				s.output = append(s.output, slot)
			}
		}
		if len(s.factors) > 0 {
			s.output = append(s.output, weightLow, weightHigh)
		}
		if p.Inputs > 0 {
			s.output = append(s.output, originSlot)
		}
	}
	if len(s.steps) == 0 || len(p.InputChecks)+len(p.InputClasses)+len(p.InputDistinct)+len(p.InputEdgeDistinct) > 0 {
		s.first = 1
	}
	s.findTables()
	s.findSharing(options)
	return s
}

// cutFactors moves steps at the end to the factors: those that no later step reads and whose candidates are a stretch
// of a list, without those that are bound already.
func (s *shape) cutFactors(g *pcsr.Graph, ranges bool) {
	read := map[int]bool{}
	for len(s.steps) > 0 {
		k := len(s.steps) - 1
		step := &s.steps[k]
		if !s.count && !step.Counted || !pure(g, step, ranges) || read[s.inputs+k] || len(s.above[s.inputs+k]) > 0 {
			return
		}
		step.EachSlot(func(slot int) { read[slot] = true })
		s.factors = append(s.factors, *step)
		s.steps = s.steps[:k]
	}
}

// pure reports that the candidates of a step are a stretch of one list, without some values; ranges says that classes of
// consecutive members cut others.
func pure(g *pcsr.Graph, s *bgp.Step, ranges bool) bool {
	lists := len(s.Links)
	for _, class := range s.Classes {
		if _, _, consecutive := membersRange(g, class); !consecutive || !ranges {
			lists++
		}
	}
	return lists <= 1 && len(s.Links)+len(s.Classes) > 0 && len(s.Checks) == 0 && len(s.EdgeDistinct) == 0 &&
		s.Candidates == nil && s.Signature.IsZero()
}

// membersRange returns the numbers low to below high that the members of a class are, where they are consecutive.
func membersRange(g *pcsr.Graph, class dictionary.ID) (low, high dictionary.ID, consecutive bool) {
	members := g.Members(class)
	n := len(members)
	if n == 0 || uint64(members[n-1]-members[0])+1 != uint64(n) {
		return 0, 0, false
	}
	return members[0], members[n-1] + 1, true
}

// deviceSteps is the number of steps that run.
func (s *shape) deviceSteps() int { return s.first + len(s.steps) }

// step is the plan's step behind a device step; nil for the one that tests the inputs.
func (s *shape) step(k int) *bgp.Step {
	if k < s.first {
		return nil
	}
	return &s.steps[k-s.first]
}

// bound is how many slots the table of device step k could hold.
func (s *shape) bound(k int) int { return s.inputs + max(k-s.first, 0) }

// slot is what device step k binds, or noSlot.
func (s *shape) slot(k int) int {
	if k < s.first {
		return noSlot
	}
	return s.inputs + k - s.first
}

// findTables finds, from the back, the slots that each table must hold.
func (s *shape) findTables() {
	n := s.deviceSteps()
	s.tables = make([][]int, n)
	live := map[int]bool{}
	for _, slot := range s.output {
		live[slot] = true
	}
	for i := range s.factors {
		s.factors[i].EachSlot(func(slot int) { live[slot] = true })
	}
	for k := n - 1; k >= 0; k-- {
		if k < s.first {
			s.eachInputSlot(func(slot int) { live[slot] = true })
		} else {
			s.step(k).EachSlot(func(slot int) { live[slot] = true })
			for _, slot := range s.above[s.slot(k)] {
				live[slot] = true
			}
		}
		for slot := originSlot; slot < s.bound(k); slot++ {
			if live[slot] {
				s.tables[k] = append(s.tables[k], slot)
			}
		}
	}
}

func (s *shape) eachInputSlot(visit func(int)) {
	checks := bgp.Step{Checks: s.plan.InputChecks, EdgeDistinct: s.plan.InputEdgeDistinct}
	checks.EachSlot(visit)
	for _, c := range s.plan.InputClasses {
		if !c.Of.IsConstant() {
			visit(c.Of.Slot)
		}
	}
	for _, pair := range s.plan.InputDistinct {
		for _, o := range pair {
			if !o.IsConstant() {
				visit(o.Slot)
			}
		}
	}
}

// links is how many lists device step k has.
func (s *shape) links(k int) int {
	step := s.step(k)
	if step == nil {
		return 1
	}
	n := len(step.Links) + len(step.Classes)
	if step.Candidates != nil {
		n++
	}
	if s.siblings[k-s.first] != noSharing {
		n++
	}
	return n
}

// rowBytes is the device memory of one row of the table of device step k, the columns of its bound phase included.
func (s *shape) rowBytes(k int) int64 {
	return int64(4*len(s.tables[k]) + 4 + 8 + 2 + 12*max(1, s.links(k)))
}

// candidatesBelow drops the members of a sorted set that are no vertices.
func candidatesBelow(set []dictionary.ID, vertices int) []dictionary.ID {
	i, _ := slices.BinarySearch(set, dictionary.ID(vertices))
	return set[:i]
}
