package store

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Commits are those of the log whose changes are in some segments: the ones behind After, up to Last.
type Commits struct {
	After uint64 `json:"after"`
	Last  uint64 `json:"last"`
}

// noteCommits notes which commits the segments of a new manifest have that no manifest in the folder has named yet: together those
// between the two, where nothing else lies in them.
func (l *Load) noteCommits(m *Manifest) {
	var commits *Commits
	below := l.below
	if below != nil && m.Log.ID == below.Log.ID && m.Log.Sequence > below.Log.Sequence && (m.keeps(below) || below.Triples == 0) {
		commits = &Commits{After: below.Log.Sequence, Last: m.Log.Sequence}
	}
	for i := range m.Segments {
		if !below.has(m.Segments[i].Folder) {
			m.Segments[i].Commits = commits
		}
	}
}

// keeps reports whether a manifest begins with all segments of another one.
func (m *Manifest) keeps(other *Manifest) bool {
	n := len(other.Segments)
	return n <= len(m.Segments) && slices.EqualFunc(m.Segments[:n], other.Segments, func(a, b Segment) bool { return a.Folder == b.Folder })
}

// Change is what some segments that follow each other make of a graph. The graphs stay the store's; nil has no triples.
type Change struct {
	Before, After *pcsr.Graph
	// Parts have every triple that only one of Before and After has. They may have it several times, and others too.
	Parts []*pcsr.Graph
}

// Change is what the segments from first on, up to end, which is not one of them, make of a graph; None is the default graph.
func (s *Store) Change(name dictionary.ID, first, end int) (c Change, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.graph(name)
	if g == nil {
		return c, nil
	}
	if c.Before, err = s.until(g, first); err != nil {
		return c, err
	}
	if c.After, err = s.until(g, end); err != nil {
		return c, err
	}
	cleared := false
	for i := range g.parts {
		p := &g.parts[i]
		if p.segment < first || p.segment >= end {
			continue
		}
		cleared = cleared || p.cleared
		for _, f := range p.appendFiles(nil) {
			if err := s.openFile(g, f); err != nil {
				return c, err
			}
			c.Parts = append(c.Parts, f.open)
		}
	}
	if cleared && c.Before != nil {
		c.Parts = append(c.Parts, c.Before)
	}
	return c, nil
}

// until is what the segments before one make of a graph; nil where none of them speaks of it.
func (s *Store) until(g *graph, end int) (*pcsr.Graph, error) {
	from, n := 0, 0
	for ; n < len(g.parts) && g.parts[n].segment < end; n++ {
		if g.parts[n].cleared {
			from = n
		}
	}
	parts := g.parts[from:n]
	if len(parts) == 0 {
		return nil, nil
	}
	for i := range parts {
		for _, f := range parts[i].appendFiles(nil) {
			if err := s.openFile(g, f); err != nil {
				return nil, err
			}
		}
	}
	return overlay(s.manifest.Terms, parts)
}

// GraphNames are the graphs of which a segment says something, each once, ascending: the default graph, None, is the last.
func (s *Segment) GraphNames() []dictionary.ID {
	names := slices.Clone(s.Cleared)
	for _, g := range slices.Concat(s.Graphs(), s.Removed) {
		names = append(names, g.ID)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
