package store

import (
	"errors"
	"fmt"
	"os"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// graph is one graph of the store: a part in each segment that has triples of it.
type graph struct {
	files []part
	whole *pcsr.Graph // nil until it is asked for
}

// part is what one segment has of a graph.
type part struct {
	segment int
	Graph
	open *pcsr.Graph // nil until it is asked for
}

// union opens a graph.
func (s *Store) union(g *graph) (*pcsr.Graph, error) {
	if g.whole != nil {
		return g.whole, nil
	}
	var segments []pcsr.Segment
	for i := range g.files {
		p, err := s.openPart(&g.files[i])
		if err != nil {
			return nil, err
		}
		segments = append(segments, pcsr.Segment{Added: p})
	}
	if terms := s.manifest.Terms; len(segments) == 1 && segments[0].Added.Vertices() == terms {
		g.whole = segments[0].Added
	} else {
		g.whole = pcsr.Overlay(terms, segments...)
	}
	return g.whole, nil
}

func (s *Store) openPart(p *part) (*pcsr.Graph, error) {
	if p.open != nil {
		return p.open, nil
	}
	if err := s.checkFile(p.segment, p.File); err != nil {
		return nil, replaced(err)
	}
	path := s.path(p.segment, p.Name)
	g, err := pcsr.Open(path)
	if err != nil {
		return nil, replaced(err)
	}
	labels := s.ends[p.segment]
	if p.segment == 0 {
		labels = s.manifest.Segments[0].Predicates
	}
	if g.Edges() != p.Triples || g.Vertices() != s.ends[p.segment] || g.Labels() != labels {
		err = damaged(path, errors.New("its numbers of triples, vertices and labels are not the manifest's"))
		return nil, errors.Join(err, g.Close())
	}
	p.open = g
	return g, nil
}

// replaced explains why a file is missing that was there when the store was opened.
func replaced(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the store was replaced since it was opened: %w", err)
	}
	return err
}

func (g *graph) close() (err error) {
	if g.whole != nil {
		return g.whole.Close()
	}
	for i := range g.files {
		if p := &g.files[i]; p.open != nil {
			err = errors.Join(err, p.open.Close())
			p.open = nil
		}
	}
	return err
}

// Parts are what the segments have of a graph, None being the default graph: one graph for each segment, nil where it
// has none. The triples of a part are in no other part.
func (s *Store) Parts(name dictionary.ID) ([]*pcsr.Graph, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.parts
	if name != dictionary.None {
		g = s.named[name]
	}
	parts := make([]*pcsr.Graph, len(s.ends))
	if g == nil {
		return parts, nil
	}
	for i := range g.files {
		p, err := s.openPart(&g.files[i])
		if err != nil {
			return nil, err
		}
		parts[g.files[i].segment] = p
	}
	return parts, nil
}
