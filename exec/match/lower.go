package match

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Lowering is a plan made ready for a graph, as far as that is the same for every matcher: which lists each step really
// has, which of them are bounds, what its candidates must be greater than, and what it reads. It is never written once
// it is made and points into the graph.
type Lowering struct {
	Plan  *bgp.MatchPlan
	Graph *pcsr.Graph
	// Steps are the plan's, in its order.
	Steps []*Step
	// Input tests what the plan asks of seeded slots and constants alone: it binds nothing. nil where nothing is asked.
	Input *Step
	// Tests test what each branch of the plan asks of slots that are bound outside of it; nil where it asks nothing.
	Tests []*Step
	// Automorphisms is how many solutions each one stands for that the steps find, because of Step.Above; 1 where the
	// solutions themselves are asked for.
	Automorphisms uint64
	// Dense is how the solutions are better counted than step by step; nil where they are not. Whoever has no room for that lowers the plan
	// again, without (Tuning.NoDense): the steps are not made ready for symmetries then.
	Dense *Dense
	// Squares is how a cycle of four is better counted than step by step; nil where it is not. The steps are ready all the same.
	Squares *Squares
	// Triangle likewise is how a cycle of three is, which may be Dense too.
	Triangle *Triangle
	// Never: a step has no candidates, whatever is bound before it.
	Never bool
	// counting: only the number of solutions is asked for.
	counting bool
}

// Tuning switches off parts of the lowering, for measurements and tests; the zero value is what is used.
type Tuning struct {
	// KeepRanges keeps the members of a class among the lists that candidates are tested against, even where they are
	// consecutive.
	KeepRanges bool
	// NoLeaves enumerates steps that could be counted by the length of a list.
	NoLeaves bool
	// NoOrder counts every image of a symmetric pattern one by one.
	NoOrder bool
	// AnyCost looks for symmetries, and for what makes a pattern dense, a square or a triangle, however little the plan costs.
	AnyCost bool
	// NoSharing looks at all lists again for every row, also where rows could share an intersection.
	NoSharing bool
	// NoDense counts dense patterns, squares and triangles step by step, as all others.
	NoDense bool
	// DeepPrice is how many times as much a fourth level costs in neighbourhoods, beside what is looked at, a fifth its square more, and so on; 0 means 2.5.
	DeepPrice float64
	// NoSums counts what is matched induced by one count alone.
	NoSums bool
	// SumLevels is from how many levels on one count is written as a sum of others, where that is expected to cost less; 0 means any.
	SumLevels int
	// TripleLevels is from how many levels on neighbourhoods are counted by triples where an order of the levels allows it; 0 means never.
	TripleLevels int
	// TriplesFirst counts triangles by triples of neighbours whatever they cost, also where they are counted in neighbourhoods otherwise.
	TriplesFirst bool
}

// Lower makes a match's plan ready; counting says that only the number of solutions is asked for.
func Lower(m *Match, counting bool, t Tuning) *Lowering {
	l := &Lowering{Plan: m.Plan, Graph: m.Graph, Automorphisms: 1, Never: m.Plan.Empty, counting: counting}
	if l.Never {
		return l
	}
	l.Input = inputStep(m.Plan, m.Graph)
	lists := 0
	for k := range m.Plan.Steps {
		lists += mostLists(&m.Plan.Steps[k])
	}
	steps, room := make([]Step, len(m.Plan.Steps)), make([]List, lists)
	l.Steps = make([]*Step, len(steps))
	for k := range steps {
		s := &steps[k]
		n := mostLists(&m.Plan.Steps[k])
		s.lower(m.Graph, m.Plan, k, room[:0:n], t)
		room = room[n:]
		l.Steps[k] = s
		l.Never = l.Never || s.never && s.Plan.Branch == 0
	}
	for i := range m.Plan.Branches {
		b := &m.Plan.Branches[i]
		l.Tests = append(l.Tests, testStep(b.Checks, b.Classes, b.Distinct, b.EdgeDistinct, m.Graph))
	}
	switch {
	case l.Never:
	case len(m.Plan.Order) > 0:
		l.keepOrder()
	case counting:
		l.Dense, l.Squares, l.Triangle = l.findDense(t), l.findSquares(t), l.findTriangle(t)
		if !t.NoOrder && l.Dense == nil {
			l.breakSymmetry(t.AnyCost)
		}
	}
	for _, s := range l.Steps {
		s.findReads()
	}
	return l
}

// Step is a step of a plan, made ready for a graph.
type Step struct {
	Plan *bgp.Step
	// Index is its place in the plan, Slot what it binds.
	Index, Slot int
	// Low ≤ candidate < High, the lists without gaps included; High dictionary.None means no bound.
	Low, High dictionary.ID
	// Lists are what candidates must lie in, in the order of the plan, without those that Low and High stand for and
	// without repeats.
	Lists []List
	// Above are the slots whose values the candidate must be greater than, without those that another of them is always
	// greater than.
	Above []int
	// Below are all slots that the candidate is greater than, by Above of this step and of those it names.
	Below []int
	// Under are the slots whose values the candidate must be less than, without those that are always greater than another of them, and Over all
	// slots that it is less than.
	Under, Over []int
	// Distinct are the operands that the candidate must differ from, without those that Above and Under rule out.
	Distinct []bgp.Operand
	// Reads are the slots that the step's conditions read, without its own.
	Reads []int

	never bool
}

// mostLists bounds how many lists a step has.
func mostLists(s *bgp.Step) int { return len(s.Links) + len(s.Classes) + 1 }

func (s *Step) lower(g *pcsr.Graph, plan *bgp.MatchPlan, index int, room []List, t Tuning) {
	from := &plan.Steps[index]
	*s = Step{
		Plan: from, Index: index, Slot: plan.Inputs + index, Low: from.Low, High: from.High, Lists: room, Distinct: from.Distinct,
	}
	if s.High == 0 {
		s.High = dictionary.None
	}
	s.findLists(g, t.KeepRanges)
	s.dropBounds(g)
	s.never = s.never || s.Low >= s.High
}

// NoSlot is the slot of a step that binds nothing.
const NoSlot = -1

// inputStep puts the conditions on inputs into a step.
func inputStep(p *bgp.MatchPlan, g *pcsr.Graph) *Step {
	return testStep(p.InputChecks, p.InputClasses, p.InputDistinct, p.InputEdgeDistinct, g)
}

// testStep puts conditions on slots that are bound into a step that binds nothing; nil where there are none.
func testStep(checks []bgp.EdgeCheck, classes []bgp.ClassCheck, distinct [][2]bgp.Operand, edges [][2]bgp.EdgeCheck, g *pcsr.Graph) *Step {
	if len(checks)+len(classes)+len(distinct)+len(edges) == 0 {
		return nil
	}
	from := &bgp.Step{Checks: slices.Clone(checks), EdgeDistinct: slices.Clone(edges)}
	if label, ok := g.TypeLabel(); ok {
		for _, c := range classes {
			from.Checks = append(from.Checks, bgp.EdgeCheck{From: c.Of, Label: bgp.Const(label), To: bgp.Const(c.Class)})
		}
	}
	for _, pair := range distinct { // two operands that must differ are two edges that must
		zero := bgp.Const(0)
		from.EdgeDistinct = append(from.EdgeDistinct,
			[2]bgp.EdgeCheck{{From: pair[0], Label: zero, To: zero}, {From: pair[1], Label: zero, To: zero}})
	}
	s := &Step{Plan: from, Index: NoSlot, Slot: NoSlot, High: dictionary.None}
	s.findReads()
	return s
}

// isLength reports whether the candidates of the step are a stretch of one list, without the values that Distinct names:
// so that their number can be told without reading them.
func (s *Step) isLength() bool {
	return !s.Plan.Overlaps && len(s.Lists) == 1 && s.Lists[0].Kind != Set && !s.IsOrdered() && len(s.Plan.Checks)+len(s.Plan.EdgeDistinct) == 0 &&
		s.Plan.Signature.IsZero()
}

// IsMeet reports whether the candidates of the step are what several lists have in common between two bounds, up to so many, without the values that Distinct
// names.
func (s *Step) IsMeet(most int) bool {
	return len(s.Lists) > 1 && len(s.Lists) <= most && !slices.ContainsFunc(s.Lists, func(l List) bool { return l.Kind == Set }) && !s.IsOrdered() &&
		len(s.Plan.Checks)+len(s.Plan.EdgeDistinct) == 0 && s.Plan.Signature.IsZero()
}

// IsOrdered reports whether candidates must be greater or less than what slots have.
func (s *Step) IsOrdered() bool { return len(s.Above)+len(s.Under) > 0 }

// findReads collects the slots that the step reads.
func (s *Step) findReads() {
	conditions := bgp.Step{
		Links: s.Plan.Links, Checks: s.Plan.Checks, Distinct: s.Distinct, EdgeDistinct: s.Plan.EdgeDistinct,
	}
	conditions.EachSlot(s.addRead)
	for _, slot := range s.Above {
		s.addRead(slot)
	}
	for _, slot := range s.Under {
		s.addRead(slot)
	}
}

func (s *Step) addRead(slot int) {
	if slot != s.Slot {
		s.Reads = with(s.Reads, slot)
	}
}
