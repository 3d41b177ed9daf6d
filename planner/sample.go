package planner

import (
	"math/rand/v2"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// sampler walks a plan's steps on the real partitions: each walk binds one random candidate per step and weighs it by
// the number of candidates that it stands for (wander joins). The means estimate what each step will read and leave.
type sampler struct {
	graph  *pcsr.Graph
	plan   *MatchPlan
	random *rand.Rand
	values []dictionary.ID
	lists  [][]pcsr.Vertex
	kept   []pcsr.Vertex
	// candidates and rows sum the weights of each step over the walks.
	candidates, rows []float64
}

const (
	// fewWalks … manyWalks judge a plan, one for each walkPrice candidates of the query.
	fewWalks, manyWalks, walkPrice = 96, 1024, 200_000
	// looks is how many members of a longer list are looked at.
	looks = 24
)

// measure replaces the plan's estimates by those of so many sampled walks and returns the cost.
func (b *bgp) measure(p *MatchPlan, walks int) float64 {
	s := &sampler{
		graph: b.graph, plan: p, random: rand.New(rand.NewPCG(1, 2)), values: make([]dictionary.ID, len(p.Slots)),
		candidates: make([]float64, len(p.Steps)), rows: make([]float64, len(p.Steps)),
	}
	for range walks {
		s.walk()
	}
	cost := 0.0
	for k := range p.Steps {
		step := &p.Steps[k]
		step.EstimatedCandidates, step.EstimatedRows = s.candidates[k]/float64(walks), s.rows[k]/float64(walks)
		cost += step.EstimatedCandidates
		if !step.Counted {
			cost += 2 * step.EstimatedRows
		}
	}
	p.Cost = cost
	return cost
}

// walk follows one random partial match to its end.
func (s *sampler) walk() {
	weight := 1.0
	for k := range s.plan.Steps {
		step := &s.plan.Steps[k]
		list, candidates, ok := s.choose(step, s.plan.Inputs+k)
		s.candidates[k] += weight * (1 + list)
		s.rows[k] += weight * candidates
		if !ok {
			return
		}
		if !step.Counted {
			weight *= candidates
		}
	}
}

// choose binds the step's slot to a random candidate. It returns the length of the shortest list, and the number of
// candidates as far as the members looked at tell.
func (s *sampler) choose(step *Step, slot int) (list, candidates float64, ok bool) {
	source, at := s.source(step)
	if source == 0 {
		return 0, 0, false
	}
	s.kept = s.kept[:0]
	tried := min(source, looks)
	offset := s.random.IntN(source)
	for i := range tried {
		v := at((offset + i*source/tried) % source)
		s.values[slot] = v
		if s.passes(step, v) {
			s.kept = append(s.kept, v)
		}
	}
	if len(s.kept) == 0 {
		return float64(source), 0, false
	}
	s.values[slot] = s.kept[s.random.IntN(len(s.kept))]
	return float64(source), float64(source) * float64(len(s.kept)) / float64(tried), true
}

// source collects the step's lists and returns the shortest one's length and members.
func (s *sampler) source(step *Step) (int, func(int) pcsr.Vertex) {
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
	var best *pcsr.Partition
	for i := range step.Links {
		if p := s.partition(&step.Links[i]); best == nil || p.Rows() < best.Rows() {
			best = p
		}
	}
	low, high := rowsBetween(best, Range{step.Low, step.High})
	return high - low, func(i int) pcsr.Vertex { return best.Vertex(low + i) }
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
	return s.graph.Partition(s.value(l.Label), l.Dir).Neighbours(s.value(l.From))
}

// partition returns the partition whose rows a link asks for.
func (s *sampler) partition(l *Link) *pcsr.Partition {
	if l.Kind == AllVertices {
		return s.graph.Incident(l.Dir)
	}
	return s.graph.Partition(s.value(l.Label), l.Dir)
}

// passes tests a candidate, which stands in its slot already, against everything but Distinct.
func (s *sampler) passes(step *Step, v pcsr.Vertex) bool {
	for _, list := range s.lists {
		if !pcsr.Contains(list, v) {
			return false
		}
	}
	for i := range step.Links {
		if l := &step.Links[i]; l.Kind == Rows || l.Kind == AllVertices {
			if _, ok := s.partition(l).Row(v); !ok {
				return false
			}
		}
	}
	for _, c := range step.Checks {
		if !s.graph.HasEdge(s.value(c.From), s.value(c.Label), s.value(c.To)) {
			return false
		}
	}
	return true
}
