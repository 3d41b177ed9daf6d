package exec

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// walkedAhead is how many edges an estimate of a closure follows before it falls back on a bound. Most closures from
// a constant end within that, and then the estimate is the number of solutions.
const walkedAhead = 2048

// errFar: a walk ahead went over its number of edges.
var errFar = errors.New("exec: the closure is large")

// estimate guesses the solutions of the path and what finding them costs, in edges.
func (p *pathOp) estimate() (rows, cost float64) {
	edges, ends := p.bounds()
	switch {
	case p.subject.free() && p.object.free() && p.kind == plusPath:
		return max(edges, ends), max(edges, ends)
	case p.subject.free() && p.object.free():
		return ends, max(edges, ends)
	case !p.subject.free() && !p.object.free():
		return 1, edges
	}
	from, d := p.subject, pcsr.Out
	if p.subject.free() {
		from, d = p.object, pcsr.In
	}
	if from.variable == "" && flat(p.step) {
		if reached, walked, ok := p.walkAhead(from.constant, d); ok {
			return float64(reached), float64(walked)
		}
	}
	return ends, edges
}

// bounds are the edges that the step can walk, at its beginning, and the vertices that a walk can end at.
func (p *pathOp) bounds() (edges, ends float64) {
	edges, ends = float64(p.graph.Edges()), float64(p.graph.Vertices())
	starts, ok := p.step.starts(p.graph, pcsr.Out)
	if !ok || p.kind == starPath || p.kind == optionalPath {
		return edges, ends
	}
	edges = 0
	for _, s := range starts {
		edges += float64(s.Edges())
	}
	if last, ok := p.step.starts(p.graph, pcsr.In); ok {
		reachable := 0.0
		for _, l := range last {
			reachable += float64(l.Rows())
		}
		ends = min(ends, reachable)
	}
	return edges, ends
}

// flat reports whether a step has no closure and no negated set inside: one walk of it is cheap.
func flat(s pathStep) bool {
	switch s := s.(type) {
	case *labelStep:
		return true
	case *inverseStep:
		return flat(s.of)
	case *sequenceStep:
		return flat(s.left) && flat(s.right) && inRow(s) <= 2
	case *alternativeStep:
		return flat(s.left) && flat(s.right)
	}
	return false
}

// walkAhead follows the path from v and counts the vertices it reaches; false when it is far from done after
// walkedAhead edges.
func (p *pathOp) walkAhead(v dictionary.ID, d pcsr.Direction) (reached, walked int, ok bool) {
	seen := map[pcsr.Vertex]bool{}
	if p.kind == starPath || p.kind == optionalPath {
		seen[v] = true
	}
	if int64(v) >= int64(p.graph.Vertices()) {
		return len(seen), 1, true
	}
	queue := []pcsr.Vertex{v}
	p.search.limit = 4 * walkedAhead
	defer func() { p.search.limit = 0 }()
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		err := p.step.neighbours(p.search, u, d, func(w pcsr.Vertex) error {
			if walked++; walked > walkedAhead {
				return errFar
			}
			if !seen[w] {
				seen[w] = true
				queue = append(queue, w)
			}
			return nil
		})
		if err != nil {
			return 0, 0, false
		}
		if p.kind == oncePath || p.kind == optionalPath {
			break
		}
	}
	return len(seen), walked + 1, true
}
