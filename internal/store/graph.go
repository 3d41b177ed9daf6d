package store

import (
	"errors"
	"fmt"
	"os"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// graph is one graph of the store: a part in each segment that says something of it.
type graph struct {
	parts   []part
	live    int // the first part that is read; one that clears the graph comes after those that are not
	triples uint64
	whole   *pcsr.Graph // nil until it is asked for
	kept    bool        // it is among Store.made
}

// part is what one segment says of a graph: after it nothing of what came before is there, or all but the triples that are
// removed, and then those that are added.
type part struct {
	segment        int
	cleared        bool
	removed, added *graphFile // nil where there is none
}

// graphFile is the file of a graph in a segment.
type graphFile struct {
	segment int
	Graph
	vertices, labels int         // that it must have
	open             *pcsr.Graph // nil until it is asked for
}

// files are those of the parts that are read.
func (g *graph) files() (files []*graphFile) {
	for i := range g.parts[min(g.live, len(g.parts)):] {
		files = g.parts[g.live+i].appendFiles(files)
	}
	return files
}

func (p *part) appendFiles(files []*graphFile) []*graphFile {
	for _, f := range []*graphFile{p.removed, p.added} {
		if f != nil {
			files = append(files, f)
		}
	}
	return files
}

// part is the part of a segment, which is made where it is not there; segments come in their order.
func (g *graph) part(segment int) *part {
	if n := len(g.parts); n == 0 || g.parts[n-1].segment != segment {
		g.parts = append(g.parts, part{segment: segment})
	}
	return &g.parts[len(g.parts)-1]
}

// listGraphs notes what a segment says of graphs.
func (s *Store) listGraphs(segment int) error {
	m := &s.manifest.Segments[segment]
	terms, labels, before := s.ends[segment], s.ends[segment], 0
	if segment == 0 {
		labels = m.Predicates
	} else {
		before = s.ends[segment-1]
	}
	for _, id := range m.Cleared {
		g, err := s.entry(id, segment)
		if err != nil {
			return err
		}
		g.part(segment).cleared = true
		g.live, g.triples = len(g.parts)-1, 0
	}
	for _, removed := range m.Removed {
		g, err := s.entry(removed.ID, segment)
		if err != nil {
			return err
		}
		g.part(segment).removed = &graphFile{segment: segment, Graph: removed, vertices: before, labels: before}
		g.triples -= removed.Triples
	}
	for _, added := range m.Graphs() {
		g, err := s.entry(added.ID, segment)
		if err != nil {
			return err
		}
		g.part(segment).added = &graphFile{segment: segment, Graph: added, vertices: terms, labels: labels}
		g.triples += added.Triples
	}
	return nil
}

// entry is the graph of a name, which a segment speaks of.
func (s *Store) entry(name dictionary.ID, segment int) (*graph, error) {
	if name == dictionary.None {
		return s.standard, nil
	}
	if int(name) >= s.ends[segment] {
		return nil, damaged(s.manifestPath(), fmt.Errorf("graph %d has no name", name))
	}
	g := s.named[name]
	if g == nil {
		g = &graph{}
		s.named[name] = g
	}
	return g, nil
}

// union opens a graph.
func (s *Store) union(g *graph) (*pcsr.Graph, error) {
	if g.whole != nil {
		return g.whole, nil
	}
	for _, f := range g.files() {
		if err := s.openFile(g, f); err != nil {
			return nil, err
		}
	}
	parts, terms := g.parts[g.live:], s.manifest.Terms
	if len(parts) == 1 && parts[0].added != nil && parts[0].added.open.Vertices() == terms {
		g.whole = parts[0].added.open
		return g.whole, nil
	}
	var err error
	g.whole, err = overlay(terms, parts)
	return g.whole, err
}

// overlay is the graph that its parts, which are open, make.
func overlay(terms int, parts []part) (*pcsr.Graph, error) {
	segments := make([]pcsr.Segment, len(parts))
	for i, p := range parts {
		if p.removed != nil {
			segments[i].Removed = p.removed.open
		}
		if p.added != nil {
			segments[i].Added = p.added.open
			continue
		}
		var err error
		if segments[i].Added, err = pcsr.Build(0, 0, nil); err != nil {
			return nil, err
		}
	}
	return pcsr.Overlay(terms, segments...), nil
}

// mostMade is how many graphs that were made of lists are kept: there may be very many, of a few kilobytes each.
const mostMade = 4096

// keep remembers that a graph is made of lists alone, in place of another one, which is made again when it is asked for. Who reads that goes on to do so.
func (s *Store) keep(g *graph) {
	for i := range g.parts {
		for _, f := range g.parts[i].appendFiles(nil) {
			if f.First == 0 {
				return // it is mapped, and others know of it
			}
		}
	}
	g.kept = true
	if len(s.made) < mostMade {
		s.made = append(s.made, g)
		return
	}
	old := s.made[s.madeNext]
	s.made[s.madeNext], s.madeNext = g, (s.madeNext+1)%mostMade
	old.kept, old.whole = false, nil
	for i := range old.parts {
		for _, f := range old.parts[i].appendFiles(nil) {
			f.open = nil
		}
	}
}

// openFile opens one file of a graph.
func (s *Store) openFile(of *graph, f *graphFile) error {
	if f.First > 0 && !of.kept {
		s.keep(of)
	}
	if f.open != nil {
		return nil
	}
	g, err := s.read(f)
	if err != nil {
		return err
	}
	if g.Edges() != f.Triples || g.Vertices() != f.vertices || g.Labels() != f.labels {
		err = damaged(s.pathOf(f), errors.New("its numbers of triples, vertices and labels are not the manifest's"))
		return errors.Join(err, g.Close())
	}
	f.open = g
	return nil
}

// read opens the file of a graph, or makes the graph of what is listed of it.
func (s *Store) read(f *graphFile) (g *pcsr.Graph, err error) {
	if f.First > 0 {
		return s.lists[f.segment].Graph(f.First-1, f.Triples)
	}
	if err = s.checkFile(f.segment, f.File); err == nil {
		g, err = pcsr.Open(s.pathOf(f))
	}
	return g, replaced(err)
}

// pathOf is the file that has a graph's triples.
func (s *Store) pathOf(f *graphFile) string {
	if f.First > 0 {
		return s.path(f.segment, s.manifest.Segments[f.segment].Lists.Name)
	}
	return s.path(f.segment, f.Name)
}

// replaced explains why a file is missing that was there when the store was opened.
func replaced(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the store was replaced since it was opened: %w", err)
	}
	return err
}

func (g *graph) close() (err error) {
	for i := range g.parts {
		for _, f := range g.parts[i].appendFiles(nil) {
			if f.open != nil {
				err = errors.Join(err, f.open.Close())
				f.open = nil
			}
		}
	}
	if g.whole != nil {
		err = errors.Join(err, g.whole.Close())
	}
	return err
}

// Added are the graphs that the segments from one on add to a graph, None being the default graph.
func (s *Store) Added(name dictionary.ID, first int) (added []*pcsr.Graph, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.graph(name)
	if g == nil {
		return nil, nil
	}
	for i := range g.parts {
		p := &g.parts[i]
		if p.segment < first || p.added == nil {
			continue
		}
		if err := s.openFile(g, p.added); err != nil {
			return nil, err
		}
		added = append(added, p.added.open)
	}
	return added, nil
}

// graph is the graph of a name, None being the default graph; nil where no segment speaks of it.
func (s *Store) graph(name dictionary.ID) *graph {
	if name == dictionary.None {
		return s.standard
	}
	return s.named[name]
}

// Opened are the graphs that have been opened.
func (s *Store) Opened() (graphs []*pcsr.Graph) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Default != nil {
		graphs = append(graphs, s.Default)
	}
	for _, g := range s.named {
		if g.whole != nil {
			graphs = append(graphs, g.whole)
		}
	}
	return graphs
}
