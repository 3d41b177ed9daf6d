package store

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// counts is how many triples each graph has, dictionary.None being the default graph; those that have none are not in it.
type counts map[dictionary.ID]uint64

// count goes through the segments in their order.
func (m *Manifest) count() (counts, error) {
	c := counts{}
	for i := range m.Segments {
		if err := c.follow(&m.Segments[i]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// follow counts what a segment clears, removes and adds, in this order.
func (c counts) follow(s *Segment) error {
	for _, id := range s.Cleared {
		delete(c, id)
	}
	for _, g := range s.Removed {
		if g.Triples > c[g.ID] {
			return fmt.Errorf("segment %s removes %d triples of a graph that has %d", s.Folder, g.Triples, c[g.ID])
		}
		if c[g.ID] -= g.Triples; c[g.ID] == 0 {
			delete(c, g.ID)
		}
	}
	for _, g := range s.Graphs() {
		if g.Triples > 0 {
			c[g.ID] += g.Triples
		}
	}
	return nil
}

func (c counts) total() uint64 {
	total := uint64(0)
	for _, n := range c {
		total += n
	}
	return total
}

// Counts is how many triples each graph has that has some; dictionary.None is the default graph.
func (m *Manifest) Counts() map[dictionary.ID]uint64 {
	c, _ := m.count() // it was checked
	return c
}

// NamedGraphs is the number of named graphs that have triples.
func (m *Manifest) NamedGraphs() int {
	c := m.Counts()
	delete(c, dictionary.None)
	return len(c)
}

// Removed is how many triples of earlier segments are gone with each segment.
func (m *Manifest) Removed() []uint64 {
	c, removed := counts{}, make([]uint64, len(m.Segments))
	for i := range m.Segments {
		s := &m.Segments[i]
		before := c.total()
		_ = c.follow(s) // it was checked
		removed[i] = before + s.Triples - c.total()
	}
	return removed
}

// Gone is how many triples the segments' files have that a later segment removes.
func (m *Manifest) Gone() uint64 {
	written := uint64(0)
	for _, s := range m.Segments {
		written += s.Triples
	}
	return written - m.Triples
}
