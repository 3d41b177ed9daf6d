package bgp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// sampler walks a plan's steps on the real partitions: each walk binds one random candidate per step and weighs it by
// the number of candidates that it stands for (wander joins). The means estimate what each step will read and leave.
type sampler struct {
	over    func() bool
	graph   *pcsr.Graph
	plan    *MatchPlan
	random  *rand.Rand
	values  []dictionary.ID
	lists   [][]pcsr.Vertex
	kept    []pcsr.Vertex
	weights []float64
	steps   []sampledStep
	// reached is the number of partial matches that a walk stands for, before each step.
	reached []float64
	// candidates and rows sum the weights of each step over the walks.
	candidates, rows []float64
	// cost is what each walk says that the plan costs.
	cost spread
	// arrived counts the walks that got to each step, and to the end.
	arrived []int
}

// sampledStep is what walks know of a step beforehand.
type sampledStep struct {
	// last is the step whose slot the step's lists read last, before the lists of slots bound later than in base: while
	// later slots change alone, a matcher has the candidates already. -1: they read none.
	last int
	// base are the links whose intersection stays while the slot of step last changes; nil where that saves nothing.
	base []int
	// rows are the partitions whose rows the links ask for, one for each link; nil where no link does, or where it depends on
	// the walk.
	rows []pcsr.Outline
	// passing is the share of the candidates that conditions leave.
	passing float64
	// reads is how many links of later steps read the step's slot, onward the partition that one of them reads.
	reads  int
	onward pcsr.Outline
}

const (
	// A plan is judged by fewWalks … manyWalks, by more than someWalks where the best one still costs so much.
	fewWalks, someWalks, manyWalks = 24, 96, 1024
	// listSample is how many members of a longer list are tried.
	listSample = 24
)

// measure replaces the plan's estimates by those of so many sampled walks and returns the cost, and how far that may be off.
func (b *bgp) measure(p *MatchPlan, walks int) measured {
	s := &sampler{
		over: func() bool { return b.ctx.Err() != nil }, graph: b.graph, plan: p, random: rand.New(rand.NewPCG(1, 2)), values: make([]dictionary.ID, len(p.Slots)),
		candidates: make([]float64, len(p.Steps)), rows: make([]float64, len(p.Steps)), arrived: make([]int, len(p.Steps)+1), reached: make([]float64, len(p.Steps)+1),
	}
	s.prepare(b.options.Shares)
	s.arrived[0] = walks
	for range walks {
		s.walk()
	}
	p.Cost = s.judge(float64(walks))
	return measured{p.Cost, s.cost.deviation()}
}

// measuredWalks is how many walks tell what a plan costs that was made with few or none.
const measuredWalks = 128

// Measure is what sampled walks say that a plan costs, in candidates, also one whose planning took a matcher's Speed for a reason not to look so closely. The
// plan, which reads no input, stays as it is.
func Measure(ctx context.Context, g *pcsr.Graph, plan *MatchPlan) float64 {
	own := *plan
	own.Steps = slices.Clone(plan.Steps)
	b := &bgp{ctx: ctx, graph: g, options: &Options{}}
	return b.measure(&own, measuredWalks).cost
}

// judge replaces the estimates of the plan's steps and returns the cost. What too few walks reached to tell is estimated from
// the estimates that stood there: otherwise a plan on whose later steps no walk arrives would look cheap.
func (s *sampler) judge(walks float64) (cost float64) {
	estimated, rows := 1.0, 1.0 // partial matches so far: as was estimated before, and now
	for k := range s.plan.Steps {
		step := &s.plan.Steps[k]
		candidates, left := s.candidates[k]/walks, s.rows[k]/walks
		if s.arrived[k] < fewArrived && estimated > 0 {
			candidates = max(candidates, bounded(step.EstimatedCandidates*(rows/estimated)))
		}
		if s.arrived[k+1] < fewArrived && estimated > 0 {
			left = max(left, bounded(step.EstimatedRows*(rows/estimated)))
		}
		if !step.Counted {
			estimated, rows = step.EstimatedRows, left
			cost += 2 * left
		}
		cost += candidates
		step.EstimatedCandidates, step.EstimatedRows = candidates, left
	}
	return cost
}

// fewArrived is how many walks have to get to a step, and beyond it, to tell what it reads, and what it leaves.
const fewArrived = 3

// prepare finds what the walks need to know of the steps. shares are those of Options.
func (s *sampler) prepare(shares map[string]float64) {
	s.steps = make([]sampledStep, len(s.plan.Steps))
	for k := range s.steps {
		step, known := &s.plan.Steps[k], &s.steps[k]
		known.last, known.passing, known.rows = -1, 1, s.fixedRows(step)
		if share, ok := shares[s.plan.Slots[s.plan.Inputs+k].Variable]; ok {
			known.passing = share
		}
		lists := len(step.Classes)
		for i := range step.Links {
			if l := &step.Links[i]; l.Kind == Neighbours {
				lists++
				s.onward(l)
				known.last = max(known.last, l.From.Slot-s.plan.Inputs)
			}
		}
		if step.hasOtherReads() {
			known.last = k - 1
			continue
		}
		for i := range step.Links {
			if l := &step.Links[i]; lists > 2 && l.Kind == Neighbours && l.From.Slot-s.plan.Inputs < known.last {
				known.base = append(known.base, i)
			}
		}
	}
}

// fixedRows are sampledStep.rows.
func (s *sampler) fixedRows(step *Step) (rows []pcsr.Outline) {
	for i := range step.Links {
		l := &step.Links[i]
		switch {
		case l.Kind != Rows && l.Kind != AllVertices:
			continue
		case l.Kind == Rows && !l.Label.IsConstant():
			return nil
		case rows == nil:
			rows = make([]pcsr.Outline, len(step.Links))
		}
		rows[i] = s.partition(l)
	}
	return rows
}

// onward notes a link with the step whose slot it reads.
func (s *sampler) onward(l *Link) {
	if k := l.From.Slot - s.plan.Inputs; k >= 0 && l.Label.IsConstant() {
		s.steps[k].onward = s.graph.Outline(l.Label.Constant, l.Dir)
		s.steps[k].reads++
	}
}

// hasOtherReads reports whether the candidates of a step depend on slots by more than lists of neighbours.
func (s *Step) hasOtherReads() bool {
	for i := range s.Links {
		if l := &s.Links[i]; l.Kind == EdgeLabels || !l.Label.IsConstant() && l.Kind != AllVertices && l.Kind != AllEdgeLabels {
			return true
		}
	}
	return len(s.Checks) > 0
}

// walk follows one random partial match to its end.
func (s *sampler) walk() {
	weight, cost := 1.0, 0.0
	defer func() { s.cost.add(cost) }()
	for k := range s.plan.Steps {
		if s.over() {
			return
		}
		step, known := &s.plan.Steps[k], &s.steps[k]
		s.reached[k] = weight
		list, candidates, share := s.choose(step, known, s.plan.Inputs+k)
		candidates *= known.passing
		switch {
		case step.isLength():
			list = 0
		case len(known.base) > 0:
			list = min(list, s.baseLength(step, known))
		}
		read, left := s.reached[known.last+1]*list+weight, weight*candidates
		s.candidates[k] += read
		s.rows[k] += left
		cost += read
		if !step.Counted {
			cost += 2 * left
		}
		if candidates == 0 {
			return
		}
		s.arrived[k+1]++
		if !step.Counted {
			weight = left * share
		}
	}
}

// spread tells how far a sum of numbers may be from what it stands for.
type spread struct{ n, sum, squares float64 }

func (s *spread) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

// deviation is the standard error of the mean.
func (s *spread) deviation() float64 {
	if s.n < 2 {
		return 0
	}
	mean := s.sum / s.n
	return math.Sqrt(max(0, s.squares/s.n-mean*mean) / (s.n - 1))
}

// choose binds the step's slot to a random candidate. It returns the length of the shortest list, the number of
// candidates as far as the members looked at tell, and what the weight of the chosen one is to be multiplied by: vertices
// with many neighbours are chosen the more often, so that few walks meet what most of the work comes from.
func (s *sampler) choose(step *Step, known *sampledStep, slot int) (list, candidates, share float64) {
	source, at := s.source(step, known)
	if source == 0 {
		return 0, 0, 1
	}
	s.kept = s.kept[:0]
	tried := min(source, listSample)
	offset := s.random.IntN(source)
	for i := range tried {
		v := at((offset + i*source/tried) % source)
		s.values[slot] = v
		if s.passes(step, known, v) {
			s.kept = append(s.kept, v)
		}
	}
	if len(s.kept) == 0 {
		return float64(source), 0, 1
	}
	chosen, share := s.pick(known)
	s.values[slot] = s.kept[chosen]
	return float64(source), float64(source) * float64(len(s.kept)) / float64(tried), share
}

// pick chooses one of the kept vertices, with a probability that grows with its neighbours where they are read on.
// The share is how much more likely an even choice would be.
func (s *sampler) pick(known *sampledStep) (chosen int, share float64) {
	n := len(s.kept)
	if n == 1 || known.reads == 0 {
		return s.random.IntN(n), 1
	}
	s.weights = s.weights[:0]
	total := 0.0
	for _, v := range s.kept {
		w := 1 + float64(known.onward.Degree(v))
		if known.reads > 1 {
			w *= w
		}
		total += w
		s.weights = append(s.weights, w)
	}
	at := s.random.Float64() * total
	for chosen = 0; chosen < n-1 && at >= s.weights[chosen]; chosen++ {
		at -= s.weights[chosen]
	}
	return chosen, total / (float64(n) * s.weights[chosen])
}

// baseLength estimates the length of the intersection of the step's base lists.
func (s *sampler) baseLength(step *Step, known *sampledStep) float64 {
	lists := s.lists[:0]
	for _, i := range known.base {
		lists = append(lists, s.list(&step.Links[i]))
	}
	for _, c := range step.Classes {
		lists = append(lists, s.graph.Members(c))
	}
	slices.SortFunc(lists, func(a, b []pcsr.Vertex) int { return len(a) - len(b) })
	s.lists = lists
	shortest := lists[0]
	if len(lists) == 1 || len(shortest) == 0 {
		return float64(len(shortest))
	}
	tried, found := min(len(shortest), listSample), 0
	for i := range tried {
		v := shortest[i*len(shortest)/tried]
		if !slices.ContainsFunc(lists[1:], func(l []pcsr.Vertex) bool { return !pcsr.Contains(l, v) }) {
			found++
		}
	}
	return float64(len(shortest)) * float64(found) / float64(tried)
}

// source collects the step's lists and returns the shortest one's length and members.
func (s *sampler) source(step *Step, known *sampledStep) (int, func(int) pcsr.Vertex) {
	s.lists = s.lists[:0]
	for i := range step.Links {
		if l := &step.Links[i]; l.Kind != Rows && l.Kind != AllVertices {
			s.lists = append(s.lists, s.list(l))
		}
	}
	for _, c := range step.Classes {
		s.lists = append(s.lists, s.graph.Members(c))
	}
	if step.Candidates != nil {
		s.lists = append(s.lists, step.Candidates)
	}
	if len(s.lists) > 0 {
		slices.SortFunc(s.lists, func(a, b []pcsr.Vertex) int { return len(a) - len(b) })
		shortest := pcsr.Between(s.lists[0], step.Low, step.High)
		return len(shortest), func(i int) pcsr.Vertex { return shortest[i] }
	}
	var best pcsr.Outline
	for i := range step.Links {
		if p := s.rowsOf(step, known, i); i == 0 || p.Rows() < best.Rows() {
			best = p
		}
	}
	best = best.Between(step.Low, step.High)
	return best.Rows(), best.Vertex
}

func (s *sampler) value(o Operand) dictionary.ID {
	if o.IsConstant() {
		return o.Constant
	}
	return s.values[o.Slot]
}

// list returns the list of a link that is stored as one.
func (s *sampler) list(l *Link) []pcsr.Vertex {
	switch l.Kind {
	case EdgeLabels:
		return s.graph.EdgeLabels(s.value(l.From), l.Dir)
	case AllEdgeLabels:
		return s.graph.UsedLabels()
	}
	return s.graph.Neighbours(s.value(l.From), s.value(l.Label), l.Dir)
}

// rowsOf is the partition whose rows link i of a step asks for.
func (s *sampler) rowsOf(step *Step, known *sampledStep, i int) pcsr.Outline {
	if known.rows != nil {
		return known.rows[i]
	}
	return s.partition(&step.Links[i])
}

// partition returns the partition whose rows a link asks for.
func (s *sampler) partition(l *Link) pcsr.Outline {
	if l.Kind == AllVertices {
		return s.graph.IncidentOutline(l.Dir)
	}
	return s.graph.Outline(s.value(l.Label), l.Dir)
}

// passes tests a candidate, which stands in its slot already, against everything but Distinct.
func (s *sampler) passes(step *Step, known *sampledStep, v pcsr.Vertex) bool {
	for _, list := range s.lists {
		if !pcsr.Contains(list, v) {
			return false
		}
	}
	for i := range step.Links {
		if l := &step.Links[i]; l.Kind == Rows || l.Kind == AllVertices {
			if s.rowsOf(step, known, i).Degree(v) == 0 {
				return false
			}
		}
	}
	for _, c := range step.Checks {
		if s.graph.HasEdge(s.value(c.From), s.value(c.Label), s.value(c.To)) == c.Absent {
			return false
		}
	}
	return true
}
