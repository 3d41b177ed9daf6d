package source

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// listFinder finds the lists that may have a solution, by an index of their terms.
type listFinder struct {
	*planner.ListSearch
	lists planner.Lister
	seed  *vector.Batch
	from  []int // the seed's columns of what is given
}

// searchList searches a graph that is a list, for some rows of the seed (nil: all).
type searchList func(name dictionary.ID, triples []pcsr.Edge, rows []uint32) error

func (g *EachGraph) newFinder(seed *vector.Batch) listFinder {
	return listFinder{g.Search, g.Lists, seed, g.InnerFrom}
}

// found searches those lists that an index tells of; ok is false where none tells, and nothing was searched.
func (s *listFinder) found(search searchList) (ok bool, err error) {
	anchors, given := s.Anchors()
	if len(anchors) == 0 {
		return false, nil
	}
	if !given {
		names, ok := s.named(anchors, 0)
		for i := 0; ok && err == nil && i < len(names); i++ {
			err = s.listed(search, names[i], nil)
		}
		return ok, err
	}
	for row := range uint32(s.seed.N) {
		names, ok := s.named(anchors, row)
		if !ok {
			return false, nil // of no row
		}
		for _, name := range names {
			if err := s.listed(search, name, []uint32{row}); err != nil {
				return true, err
			}
		}
	}
	return true, nil
}

// named are the fewest graphs that have one of some anchors, for a row of the seed.
func (s *listFinder) named(anchors []planner.Anchor, row uint32) (names []dictionary.ID, ok bool) {
	for i, a := range anchors {
		v := a.ID
		if a.Slot >= 0 && a.OneOf == nil {
			v = s.seed.Cols[s.from[slices.Index(s.Given, a.Slot)]][row]
		}
		some, told := a.Lists(s.lists, v)
		if !told {
			return nil, false
		}
		if i == 0 || len(some) < len(names) {
			names = some
		}
	}
	return names, true
}

// listed searches a list, for some rows of the seed (nil: all).
func (s *listFinder) listed(search searchList, name dictionary.ID, rows []uint32) error {
	triples, ok := s.lists.Listed(name)
	if !ok {
		return nil
	}
	return search(name, triples, rows)
}

// emitKept emits the rows of a batch, if it has some, and empties it for more.
func emitKept(b *vector.Batch, emit func(*vector.Batch) error) error {
	if b.N == 0 {
		return nil
	}
	out := *b
	out.Cols = slices.Clone(b.Cols) // those who read a batch may leave other columns in it
	err := emit(&out)
	for i := range b.Cols {
		b.Cols[i] = b.Cols[i][:0]
	}
	b.Origin, b.Weights, b.N = b.Origin[:0], b.Weights[:0], 0
	return err
}
