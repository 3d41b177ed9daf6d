package pcsr

import (
	"slices"

	"pgregory.net/rapid"
)

// splitGraph is a graph in segments: the edges that it has to have, and what each segment adds and removes.
type splitGraph struct {
	vertices, labels int
	edges            []Edge
	segments         []Segment
}

// drawSplit draws 1 to 4 segments of an ID space that grows: labels of later segments may be any vertices. Now and then they remove what
// was added before, and add it again.
func drawSplit(t *rapid.T) *splitGraph {
	vertices, labels, edges := drawEdges(t)
	n := rapid.IntRange(1, 4).Draw(t, "segments")
	s := &splitGraph{vertices: vertices, labels: labels}
	space := make([]int, n) // of each segment
	for i := range space {
		space[i] = max(labels, vertices*(i+1)/n)
	}
	added := drawAdded(t, s, edges, space)
	removes := rapid.Bool().Draw(t, "removes")
	there := map[Edge]bool{}
	for i := range added {
		var removed []Edge
		for _, e := range sortedEdges(there) {
			if removes && rapid.IntRange(0, 9).Draw(t, "remove") == 0 {
				removed = append(removed, e)
				delete(there, e)
				if rapid.IntRange(0, 3).Draw(t, "again") == 0 {
					added[min(i+rapid.IntRange(0, 1).Draw(t, "later"), n-1)][e] = true
				}
			}
		}
		for e := range added[i] {
			if there[e] {
				delete(added[i], e)
			}
			there[e] = true
		}
		s.add(t, space[i], sortedEdges(added[i]), removed)
	}
	s.edges = sortedEdges(there)
	return s
}

// drawAdded draws which segment adds which edges.
func drawAdded(t *rapid.T, s *splitGraph, edges []Edge, space []int) []map[Edge]bool {
	n := len(space)
	classes := rapid.Bool().Draw(t, "few classes")
	late := n > 1 && rapid.Bool().Draw(t, "late labels")
	skew := rapid.SampledFrom([]int{1, 3, 20}).Draw(t, "skew")
	added := make([]map[Edge]bool, n)
	for i := range added {
		added[i] = map[Edge]bool{}
	}
	for _, e := range edges {
		if classes && e.Label == 0 {
			e.To %= Vertex(min(5, s.vertices))
		}
		first := 0
		if late && rapid.IntRange(0, 9).Draw(t, "late label") == 0 {
			e.Label, first = Label(rapid.IntRange(0, s.vertices-1).Draw(t, "label")), 1
		}
		for first < n-1 && space[first] <= int(max(e.From, e.Label, e.To)) {
			first++
		}
		part := first
		if rapid.IntRange(0, skew).Draw(t, "later") == 0 {
			part = rapid.IntRange(first, n-1).Draw(t, "segment")
		}
		if !slices.ContainsFunc(added, func(m map[Edge]bool) bool { return m[e] }) {
			added[part][e] = true
		}
	}
	if late {
		s.labels = max(s.labels, space[n-1])
	}
	return added
}

// add adds a segment.
func (s *splitGraph) add(t *rapid.T, space int, added, removed []Edge) {
	names := s.labels
	if len(s.segments) == 0 || names > space {
		names = min(names, space)
	}
	build := func(edges []Edge) *Graph {
		options := []Option{WithTypeLabel(0)}
		if layer := Layer(rapid.IntRange(0, 2*int(layers)).Draw(t, "layer")); layer < layers {
			options = append(options, WithLayer(layer))
		}
		g, err := Build(space, names, edges, options...)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	segment := Segment{Added: build(added)}
	if len(removed) > 0 || rapid.Bool().Draw(t, "removes nothing") {
		segment.Removed = build(removed)
	}
	s.segments = append(s.segments, segment)
}

// overlay makes the overlay of the segments, at once or of overlays of some of them, in which all or only much larger partitions are patched.
func (s *splitGraph) overlay(t *rapid.T) *Graph {
	segments := s.segments
	if len(segments) > 2 && rapid.IntRange(0, 3).Draw(t, "nested") == 0 {
		at := rapid.IntRange(1, len(segments)-1).Draw(t, "nested at")
		below := Overlay(segments[at-1].Added.vertices, segments[:at]...)
		drawPatching(t, below)
		segments = append([]Segment{{Added: below}}, segments[at:]...)
	}
	union := Overlay(s.vertices, segments...)
	drawPatching(t, union)
	return union
}

// drawPatching draws what a union patches.
func drawPatching(t *rapid.T, g *Graph) {
	if g.over != nil {
		g.over.leastPatched = rapid.SampledFrom([]int{1, 1 << 30}).Draw(t, "least patched")
		g.over.patchShare = rapid.SampledFrom([]int{1, 4}).Draw(t, "patch share")
	}
}

// segmentsOf are segments that remove nothing.
func segmentsOf(graphs ...*Graph) []Segment {
	segments := make([]Segment, len(graphs))
	for i, g := range graphs {
		segments[i].Added = g
	}
	return segments
}
