package exec

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// pathStep is what a path walks at a time, as an operation on vertices.
type pathStep interface {
	// neighbours calls visit with every vertex that one walk of the step from v in direction d ends at. A vertex may
	// come several times; for a negated set, once for each triple.
	neighbours(s *pathSearch, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error
	// starts are partitions whose rows are all the vertices that the step can be walked from; false where that may be
	// any vertex.
	starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool)
}

// labels finds the edge labels of predicates.
type labels func(iri string) (pcsr.Label, bool)

// newStep makes the step that walks a path; label finds the edge label of a predicate, false where the graph has none such.
func newStep(p parser.Path, label labels) pathStep {
	switch p := p.(type) {
	case *parser.PathIRI:
		l, ok := label(p.IRI)
		return &labelStep{label: l, known: ok}
	case *parser.PathInverse:
		return &inverseStep{newStep(p.Path, label)}
	case *parser.PathSequence:
		return &sequenceStep{newStep(p.Left, label), newStep(p.Right, label)}
	case *parser.PathAlternative:
		return &alternativeStep{newStep(p.Left, label), newStep(p.Right, label)}
	case *parser.PathZeroOrOne:
		return &closureStep{step: newStep(p.Path, label), zero: true}
	case *parser.PathZeroOrMore:
		return &closureStep{step: newStep(p.Path, label), zero: true, more: true}
	case *parser.PathOneOrMore:
		return &closureStep{step: newStep(p.Path, label), zero: parser.Nullable(p.Path), more: true}
	case *parser.PathNegated:
		return newNegated(p, label)
	}
	panic(fmt.Sprintf("exec: path %T", p))
}

func newNegated(p *parser.PathNegated, label labels) pathStep {
	n := &negatedStep{walk: [2]bool{p.HasForward, p.HasInverse}}
	for d, iris := range [2][]string{p.Forward, p.Inverse} {
		n.not[d] = map[pcsr.Label]bool{}
		for _, iri := range iris {
			if l, ok := label(iri); ok {
				n.not[d][l] = true
			}
		}
	}
	return n
}

// labelStep walks one predicate.
type labelStep struct {
	label pcsr.Label
	known bool
}

func (l *labelStep) neighbours(s *pathSearch, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	if !l.known {
		return nil
	}
	return s.each(s.graph.Partition(l.label, d).Neighbours(v), visit)
}

// inverseStep walks another step backwards.
type inverseStep struct{ of pathStep }

func (i *inverseStep) neighbours(s *pathSearch, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	return i.of.neighbours(s, v, d.Reverse(), visit)
}

// sequenceStep walks two steps, one after the other.
type sequenceStep struct{ left, right pathStep }

func (q *sequenceStep) neighbours(s *pathSearch, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	first, second := q.left, q.right
	if d == pcsr.In {
		first, second = second, first
	}
	return first.neighbours(s, v, d, func(w pcsr.Vertex) error {
		return second.neighbours(s, w, d, visit)
	})
}

// alternativeStep walks either of two steps.
type alternativeStep struct{ left, right pathStep }

func (a *alternativeStep) neighbours(s *pathSearch, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	if err := a.left.neighbours(s, v, d, visit); err != nil {
		return err
	}
	return a.right.neighbours(s, v, d, visit)
}

// closureStep is a closure inside a path.
type closureStep struct {
	step       pathStep
	zero, more bool
	search     pathSearch
}

func (c *closureStep) neighbours(s *pathSearch, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	if c.search.held == nil {
		c.search = pathSearch{graph: s.graph, held: s.held.budget.open("path")}
	}
	c.search.ctx = s.ctx
	return c.search.closure(c.step, v, d, c.zero, c.more, visit)
}

// negatedStep walks every predicate but some; walk says in which directions (forward, inverse).
type negatedStep struct {
	not  [2]map[pcsr.Label]bool
	walk [2]bool
}

func (n *negatedStep) neighbours(s *pathSearch, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	for i, walk := range n.walk {
		if !walk {
			continue
		}
		dir := d
		if i == 1 {
			dir = d.Reverse()
		}
		for _, l := range s.graph.EdgeLabels(v, dir) {
			if n.not[i][l] {
				continue
			}
			if err := s.each(s.graph.Partition(l, dir).Neighbours(v), visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *labelStep) starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	if !l.known {
		return nil, true
	}
	return []*pcsr.Partition{g.Partition(l.label, d)}, true
}

func (i *inverseStep) starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	return i.of.starts(g, d.Reverse())
}

func (q *sequenceStep) starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	if d == pcsr.In {
		return q.right.starts(g, d)
	}
	return q.left.starts(g, d)
}

func (a *alternativeStep) starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	left, ok := a.left.starts(g, d)
	if !ok {
		return nil, false
	}
	right, ok := a.right.starts(g, d)
	return append(left, right...), ok
}

func (c *closureStep) starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	if c.zero {
		return nil, false
	}
	return c.step.starts(g, d)
}

func (n *negatedStep) starts(*pcsr.Graph, pcsr.Direction) ([]*pcsr.Partition, bool) {
	return nil, false
}
