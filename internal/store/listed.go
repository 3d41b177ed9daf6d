package store

import (
	"cmp"
	"errors"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// listedGraphs are the small named graphs of a segment that share a file, in the order of their triples there.
type listedGraphs struct {
	*pcsr.Lists
	graphs []Graph
}

// openLists opens the file that small named graphs of a segment share, where it has one. So they are there when another process has replaced the store.
func (s *Store) openLists(segment int) error {
	m := &s.manifest.Segments[segment]
	if m.Lists == nil {
		return nil
	}
	if err := s.checkFile(segment, *m.Lists); err != nil {
		return err
	}
	path := s.path(segment, m.Lists.Name)
	lists, err := pcsr.OpenLists(path)
	if err != nil {
		return err
	}
	if s.lists == nil {
		s.lists = map[int]*listedGraphs{}
	}
	l := &listedGraphs{Lists: lists}
	s.lists[segment] = l
	for _, g := range m.Named {
		if g.First > 0 {
			l.graphs = append(l.graphs, g)
		}
	}
	slices.SortFunc(l.graphs, func(a, b Graph) int { return cmp.Compare(a.First, b.First) })
	next := uint64(1)
	for _, g := range l.graphs {
		if g.First != next || g.Triples == 0 {
			return damaged(path, errors.New("its graphs do not follow one another"))
		}
		next += g.Triples
	}
	if next != uint64(lists.Len())+1 {
		return damaged(path, errors.New("it has not the triples of its graphs"))
	}
	return nil
}

// listed is the file of a named graph that is a list, where no other segment says anything of the graph; nil of all others.
func (s *Store) listed(name dictionary.ID) *graphFile {
	g := s.named[name]
	if g == nil || g.live != len(g.parts)-1 || g.parts[g.live].removed != nil {
		return nil
	}
	if f := g.parts[g.live].added; f != nil && f.First > 0 {
		return f
	}
	return nil
}

// Listed are the triples of a small named graph, ordered by predicate, subject and object, where it lies as a list in one segment and no other says anything of it: so much less
// than making it a graph. ok is false for all other names. Like reading a graph it may panic with a *section.Damage.
func (s *Store) Listed(name dictionary.ID) (edges []pcsr.Edge, ok bool) {
	f := s.listed(name)
	if f == nil {
		return nil, false
	}
	return s.lists[f.segment].Edges(f.First-1, f.Triples), true
}

// Unlisted are the names of the graphs that have triples and are not Listed, in ascending order; not to be changed.
func (s *Store) Unlisted() []dictionary.ID { return s.unlisted }

// ListedWith are the names of the Listed graphs in which a term is the subject of a triple (Out), or the object (In), in ascending order; ok is false where no index tells. It
// may panic as Listed.
func (s *Store) ListedWith(v dictionary.ID, d pcsr.Direction) (names []dictionary.ID, ok bool) {
	var places []uint64
	for segment, l := range s.lists {
		if !l.Indexed() {
			return nil, false
		}
		places = l.Meeting(places[:0], v, d)
		for at := 0; at < len(places); {
			i, _ := slices.BinarySearchFunc(l.graphs, places[at]+2, func(g Graph, first uint64) int { return cmp.Compare(g.First, first) })
			g := &l.graphs[i-1] // the last that begins there or before
			if f := s.listed(g.ID); f != nil && f.segment == segment {
				names = append(names, g.ID)
			}
			for at < len(places) && places[at]+1 < g.First+g.Triples {
				at++
			}
		}
	}
	slices.Sort(names)
	return names, true
}
