package gpu

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Behind the plan's slots are those of what else tables hold: the number of the input row (Lowering.OriginSlot), the halves
// of how many solutions a row of the output stands for, and where the siblings are that a step made (siblings.go).
func (s *shape) weightLow() int            { return s.OriginSlot() + 1 }
func (s *shape) weightHigh() int           { return s.OriginSlot() + 2 }
func (s *shape) firstSibling(step int) int { return s.OriginSlot() + 3 + 2*step }
func (s *shape) endSibling(step int) int   { return s.OriginSlot() + 4 + 2*step }

// shape is a lowered plan cut to what will run: its steps, the factors that are only counted, and which slots each table
// holds.
type shape struct {
	*match.Lowering
	// first is 1 where a step that binds nothing stands before the plan's steps: it tests the inputs, or there are
	// no other steps.
	first int
	// steps are those that are joined, by device step; factors those behind them of which only the number counts, for the
	// count or for the rows' weights: lengths of lists and weights by vertex; branches the patterns that weigh each row that comes out.
	steps             []*match.Step
	factors, branches []*match.Group
	// made are the weights by vertex, each behind what it is made of.
	made  []weighing
	count bool
	// weighted: each row comes out with the number of solutions that it stands for.
	weighted bool
	// tables are the slots in the table that each device step reads; output those of the output table.
	tables [][]int
	output []int
	// small are the tables, by device step, that have few rows, where partitions are read in pages; else nil.
	small []bool
	// sharing says, by device step, where candidates are among siblings; nil elsewhere (siblings.go).
	sharing []*match.Sharing
}

// newShape cuts a plan for counting or for writing rows out.
func newShape(m *match.Match, count bool, options *Options) *shape {
	s := &shape{Lowering: match.Lower(m, count, options.Tuning), count: count}
	if s.Never {
		return s
	}
	own := s.Plan.Own()
	joined := own
	if !options.NoLeaves && (count || weighted(m)) {
		joined = s.unweighed(own - s.Lengths())
	}
	s.steps = s.Steps[:joined]
	if joined < own || len(s.Plan.Branches) > 0 {
		s.hang(s.Groups(s.Steps[joined:]))
	}
	s.weighted = !count && weighted(m) && (len(s.factors) > 0 || s.repeats())
	if s.Input != nil || joined == 0 {
		s.first = 1
		s.steps = append([]*match.Step{s.firstStep()}, s.steps...)
	}
	if !count {
		s.layOutput()
	}
	s.findTables()
	s.findSharing(options)
	return s
}

// eachOnce reports whether no two rows that come out are equal: all that is joined comes out, and nothing is repeated for what hangs on it.
func (s *shape) eachOnce() bool {
	if s.first > 0 || !s.weighted && len(s.factors)+len(s.branches) > 0 {
		return false
	}
	return !slices.ContainsFunc(s.steps, func(step *match.Step) bool { return !slices.Contains(s.output, step.Slot) })
}

// weighted reports whether rows may come with the number of solutions that they stand for.
func weighted(m *match.Match) bool { return m.Weighted && !m.Plan.Once }

// repeats reports whether a branch can weigh more than one.
func (s *shape) repeats() bool {
	return slices.ContainsFunc(s.branches, func(g *match.Group) bool { return g.Branch.Weight == bgp.AtLeastOne && len(g.Children) > 0 })
}

// groups are what hangs on the joined steps.
func (s *shape) groups() []*match.Group {
	return append(s.factors[:len(s.factors):len(s.factors)], s.branches...)
}

// Fits reports whether the device can run a match: the branches of its plan must be of lists that are counted by their
// lengths and of weights by vertex, and rows that these repeat must be allowed to come with weights.
func Fits(m *match.Match, count bool) bool {
	if len(m.Plan.Branches) == 0 {
		return true
	}
	s := newShape(m, count || countsAlone(m), &Options{})
	return s.Never || areWeighable(s.branches) && (s.count || m.Plan.Once || s.weighted || !s.repeats())
}

// firstStep is the step before the plan's own: it tests the inputs, if there is something to be tested.
func (s *shape) firstStep() *match.Step {
	if s.Input != nil {
		return s.Input
	}
	return &match.Step{Plan: &bgp.Step{}, Index: match.NoSlot, Slot: match.NoSlot, High: dictionary.None}
}

// layOutput finds the columns of the rows that are written out.
func (s *shape) layOutput() {
	for _, slot := range s.Plan.Output {
		if !slices.Contains(s.output, slot) {
			s.output = append(s.output, slot)
		}
	}
	if s.weighted {
		s.output = append(s.output, s.weightLow(), s.weightHigh())
	}
	if s.Plan.Inputs > 0 {
		s.output = append(s.output, s.OriginSlot())
	}
}

// deviceSteps is the number of steps that run.
func (s *shape) deviceSteps() int { return len(s.steps) }

// slot is what device step k binds, or match.NoSlot; behind the steps that are joined, what a weighing sums over.
func (s *shape) slot(k int) int {
	if n := len(s.steps); k >= n {
		return s.made[k-n].Step.Slot
	}
	return s.steps[k].Slot
}

// findTables finds the slots that each table must hold. The weights are made by the last step.
func (s *shape) findTables() {
	var needed []int
	for _, slot := range s.output {
		if slot <= s.OriginSlot() {
			needed = append(needed, slot)
		}
	}
	read := func(slots []int) {
		for _, slot := range slots {
			if !slices.Contains(needed, slot) {
				needed = append(needed, slot)
			}
		}
	}
	for _, g := range s.groups() {
		read(g.Reads)
	}
	s.tables = match.Live(s.steps, needed)[:len(s.steps)]
}

// links is how many lists device step k has.
func (s *shape) links(k int) int {
	n := max(1, len(s.steps[k].Lists))
	if s.sharing[k] != nil {
		n++
	}
	return n
}

// rowBytes is the device memory of one row of the table of device step k, the columns of its bound phase included.
func (s *shape) rowBytes(k int) int64 {
	return int64(4*len(s.tables[k]) + 4 + 8 + 2 + 12*s.links(k))
}
