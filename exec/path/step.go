package path

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Step is what a path walks at a time, as an operation on vertices.
type Step interface {
	// neighbours calls visit with every vertex that one walk of the step from v in direction d ends at. A vertex may
	// come several times; for a negated set, once for each triple.
	neighbours(s *Search, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error
	// Starts are partitions whose rows are all the vertices that the step can be walked from; false where that may be
	// any vertex.
	Starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool)
}

// Labels finds the edge labels of predicates.
type Labels func(iri string) (pcsr.Label, bool)

// NewStep makes the step that walks a path; label finds the edge label of a predicate, false where the graph has none such.
func NewStep(p parser.Path, label Labels) Step {
	switch p := p.(type) {
	case *parser.PathIRI:
		l, ok := label(p.IRI)
		return &labelStep{label: l, known: ok}
	case *parser.PathInverse:
		return &inverseStep{NewStep(p.Path, label)}
	case *parser.PathSequence:
		return &sequenceStep{NewStep(p.Left, label), NewStep(p.Right, label)}
	case *parser.PathAlternative:
		return &alternativeStep{NewStep(p.Left, label), NewStep(p.Right, label)}
	case *parser.PathZeroOrOne:
		return &closureStep{step: NewStep(p.Path, label), zero: true}
	case *parser.PathZeroOrMore:
		return &closureStep{step: NewStep(p.Path, label), zero: true, more: true}
	case *parser.PathOneOrMore:
		return &closureStep{step: NewStep(p.Path, label), zero: parser.Nullable(p.Path), more: true}
	case *parser.PathNegated:
		return newNegated(p, label)
	}
	panic(fmt.Sprintf("exec: path %T", p))
}

func newNegated(p *parser.PathNegated, label Labels) Step {
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

func (l *labelStep) neighbours(s *Search, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	if !l.known {
		return nil
	}
	if err := s.reads(1); err != nil { // a path may have thousands of predicates, none of which leads on
		return err
	}
	return s.each(s.neighbours(l.label, v, d), visit)
}

// inverseStep walks another step backwards.
type inverseStep struct{ of Step }

func (i *inverseStep) neighbours(s *Search, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	return i.of.neighbours(s, v, d.Reverse(), visit)
}

// sequenceStep walks two steps, one after the other.
type sequenceStep struct{ left, right Step }

func (q *sequenceStep) neighbours(s *Search, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	first, second := q.left, q.right
	if d == pcsr.In {
		first, second = second, first
	}
	return first.neighbours(s, v, d, func(w pcsr.Vertex) error {
		return second.neighbours(s, w, d, visit)
	})
}

// alternativeStep walks either of two steps.
type alternativeStep struct{ left, right Step }

func (a *alternativeStep) neighbours(s *Search, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	if err := a.left.neighbours(s, v, d, visit); err != nil {
		return err
	}
	return a.right.neighbours(s, v, d, visit)
}

// closureStep is a closure inside a path.
type closureStep struct {
	step       Step
	zero, more bool
	search     Search
}

func (c *closureStep) neighbours(s *Search, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	if c.search.held == nil {
		c.search = *NewSearch(s.graph)
		c.search.held = s.held.Budget.Open("path")
	}
	c.search.ctx, c.search.list = s.ctx, s.list
	return c.search.Closure(c.step, v, d, c.zero, c.more, visit)
}

// negatedStep walks every predicate but some; walk says in which directions (forward, inverse).
type negatedStep struct {
	not  [2]map[pcsr.Label]bool
	walk [2]bool
}

func (n *negatedStep) neighbours(s *Search, v pcsr.Vertex, d pcsr.Direction, visit func(pcsr.Vertex) error) error {
	for i, walk := range n.walk {
		if !walk {
			continue
		}
		dir := d
		if i == 1 {
			dir = d.Reverse()
		}
		err := s.eachLabel(v, dir, func(l pcsr.Label, list []pcsr.Vertex) error {
			if err := s.reads(1); err != nil || n.not[i][l] {
				return err
			}
			return s.each(list, visit)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *labelStep) Starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	if !l.known {
		return nil, true
	}
	return []*pcsr.Partition{g.Partition(l.label, d)}, true
}

func (i *inverseStep) Starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	return i.of.Starts(g, d.Reverse())
}

func (q *sequenceStep) Starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	if d == pcsr.In {
		return q.right.Starts(g, d)
	}
	return q.left.Starts(g, d)
}

func (a *alternativeStep) Starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	left, ok := a.left.Starts(g, d)
	if !ok {
		return nil, false
	}
	right, ok := a.right.Starts(g, d)
	return append(left, right...), ok
}

func (c *closureStep) Starts(g *pcsr.Graph, d pcsr.Direction) ([]*pcsr.Partition, bool) {
	if c.zero {
		return nil, false
	}
	return c.step.Starts(g, d)
}

func (n *negatedStep) Starts(*pcsr.Graph, pcsr.Direction) ([]*pcsr.Partition, bool) {
	return nil, false
}
