package path

import "github.com/rdfgpu/rdfgpu/pcsr"

// Steps of two predicates in a row repeat walks where walking them from every vertex would read repeatsShare times the edges that there are, as so many
// reads from a few vertices tell: through a vertex with n edges to it and m from it lead n·m walks.
const (
	repeatsShare  = 4
	sampledStarts = 16
	sampledReads  = 1 << 12
)

// repeats reports whether walks of a step take the same edges many times.
func (s *Search) repeats(step Step, d pcsr.Direction) bool {
	starts, ok := step.Starts(s.graph, d)
	if !ok {
		return false
	}
	rows, walked, allowed := 0, 0, s.allowed
	s.allowed = sampledReads
	ignore := func(pcsr.Vertex) error { return nil }
sampled:
	for _, p := range starts {
		rows += p.Rows()
		for i := range min(sampledStarts, p.Rows()) {
			walked++
			if step.neighbours(s, p.Vertex(i*p.Rows()/sampledStarts), d, ignore) != nil {
				break sampled
			}
		}
	}
	reads := float64(sampledReads - s.allowed)
	s.allowed = allowed
	return walked > 0 && reads/float64(walked)*float64(rows) > repeatsShare*s.edges(step)
}

// edges adds up the edges of the predicates of a step without closures.
func (s *Search) edges(step Step) float64 {
	switch step := step.(type) {
	case *labelStep:
		if step.known {
			return float64(s.graph.Outline(step.label, pcsr.Out).Edges())
		}
	case *inverseStep:
		return s.edges(step.of)
	case *sequenceStep:
		return s.edges(step.left) + s.edges(step.right)
	case *alternativeStep:
		return s.edges(step.left) + s.edges(step.right)
	case *negatedStep:
		return float64(s.graph.Edges())
	}
	return 0
}
