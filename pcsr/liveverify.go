package pcsr

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// verifyLive checks the ground and what differs from it.
func (g *Graph) verifyLive() error {
	if err := g.live.line.ground.Verify(); err != nil {
		return err
	}
	if err := section.Guard(g.verifyChanges); err != nil {
		return fmt.Errorf("pcsr: %w", err)
	}
	return nil
}

func (g *Graph) verifyChanges() (err error) {
	edges := g.live.line.ground.Edges()
	g.live.labels.ascend(0, func(l Label, c **changedLabel) bool {
		edges += uint64((*c).edges()) - uint64(g.live.line.ground.LabelEdges(l))
		if _, e := g.verifyParts((*c).parts); e != nil {
			err = fmt.Errorf("label %d %w", l, e)
		} else if e := g.verifyRowLabels(l, (*c).parts); e != nil {
			err = e
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	if edges != g.edges {
		return fmt.Errorf("there are %d edges, and not %d", edges, g.edges)
	}
	return g.verifySets()
}

// verifyRowLabels checks that vertices have a label where they have a row.
func (g *Graph) verifyRowLabels(l Label, parts [2]*Partition) (err error) {
	for d, p := range parts {
		p.touchedRows().ascend(0, func(v Vertex, t *touchedRow) bool {
			if slices.Contains(g.EdgeLabels(v, Direction(d)), l) != (t.degree() > 0) {
				err = fmt.Errorf("label %d %v: vertex %d has %d neighbours, and labels %d", l, Direction(d), v, t.degree(), g.EdgeLabels(v, Direction(d)))
			}
			return err == nil
		})
	}
	return err
}

// verifySets checks the label sets of the vertices whose labels changed.
func (g *Graph) verifySets() (err error) {
	for d := range g.sets {
		s := &g.sets[d]
		if err := errors.Join(s.of.verify(g.vertices, s.labels.Rows()), s.labels.verify(s.labels.Rows(), g.labels)); err != nil {
			return fmt.Errorf("label sets %v: %w", Direction(d), err)
		}
		s.of.touchedRows().ascend(0, func(v Vertex, _ *touchedRow) bool {
			for _, l := range g.EdgeLabels(v, Direction(d)) {
				if !g.Partition(l, Direction(d)).Has(v) {
					err = fmt.Errorf("label sets %v: vertex %d has no edge of label %d", Direction(d), v, l)
				}
			}
			return err == nil
		})
	}
	return err
}

// verify checks the tree of the entries, and that each is found.
func (p *patch) verify() (err error) {
	if err := p.rows.verify(); err != nil {
		return err
	}
	edges, moved := p.ground.Edges(), 0
	p.rows.ascend(0, func(v Vertex, t *touchedRow) bool {
		edges += t.degree() - p.ground.degreeOf(v)
		moved += oneIf(t.moves())
		row, ok := p.ground.Row(v)
		switch {
		case p.find(v) != t:
			err = fmt.Errorf("the entry of row vertex %d is not found", v)
		case t.inGround() != ok || ok && int(t.at) != row || !ok && int(t.at) != p.ground.RowFrom(v):
			err = fmt.Errorf("the entry of row vertex %d stands in row %d", v, t.at)
		case t.degree() != len(t.neighbours()):
			err = fmt.Errorf("row vertex %d has %d neighbours, and not %d", v, len(t.neighbours()), t.degree())
		case slices.Equal(t.neighbours(), p.ground.Neighbours(v)):
			err = fmt.Errorf("the entry of row vertex %d says nothing", v)
		}
		return err == nil
	})
	if err == nil && (edges != p.edges || moved != p.moved) {
		err = fmt.Errorf("it has %d edges, and not %d, or %d rows that came or went, and not %d", edges, p.edges, moved, p.moved)
	}
	return err
}

// verify checks the order of the keys and what the nodes have added up.
func (t tree[V]) verify() error {
	if t.root == nil {
		return nil
	}
	_, err := t.root.verify(0)
	return err
}

// verify returns the height of the node; its keys are from low on.
func (n *node[V]) verify(low uint32) (height int, err error) {
	size, shift := int32(0), int32(0)
	for i, k := range n.keys() {
		if k < low || i > 0 && k <= n.first[i-1] || n.before(i) != shift {
			return 0, fmt.Errorf("key %d of a node stands at %d, where %d rows are shifted", k, i, shift)
		}
		if n.children == nil {
			_, s := n.values[i].rank()
			size, shift = size+1, shift+s
			continue
		}
		c := n.children[i]
		h, err := c.verify(k)
		if err != nil {
			return 0, err
		}
		if c.first[0] != k || height > 0 && h != height {
			return 0, fmt.Errorf("the node of key %d begins with %d and is %d high", k, c.first[0], h)
		}
		size, shift, height = size+c.size, shift+c.shift, h
	}
	if size != n.size || shift != n.shift || n.n == 0 || n.n > fan {
		return 0, fmt.Errorf("a node of %d keys has %d values and not %d", n.n, size, n.size)
	}
	return height + 1, nil
}
