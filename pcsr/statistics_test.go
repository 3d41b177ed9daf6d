package pcsr

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func (m *model) checkStatistics(s *Statistics) error {
	var sides []Side
	for l := range Label(m.labels + 1) {
		sides = append(sides, Side{l, Out}, Side{l, In})
	}
	for _, a := range sides {
		rows := m.lists[a.Dir][a.Label]
		want := Degrees{Vertices: len(rows)}
		for _, list := range rows {
			n := len(list)
			want.Edges += n
			want.Max = max(want.Max, n)
			want.Squares += uint64(n * n)
			for len(want.Histogram) < bits.Len(uint(n)) {
				want.Histogram = append(want.Histogram, 0)
			}
			want.Histogram[bits.Len(uint(n))-1]++
		}
		if got := s.Degrees(a); fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("degrees of %v: %v, want %v", a, got, want)
		}
		for _, b := range sides {
			shared := 0
			for v := range rows {
				if m.lists[b.Dir][b.Label][v] != nil {
					shared++
				}
			}
			if got, known := s.Shared(a, b); got != shared || !known {
				return fmt.Errorf("%v and %v share %d vertices (%v), want %d", a, b, got, known, shared)
			}
		}
		for class := range Vertex(m.vertices + 1) {
			members, edges := 0, 0
			for v := range m.lists[In][0][class] {
				if n := len(rows[v]); n > 0 {
					members++
					edges += n
				}
			}
			if got, n, known := s.Class(class, a); got != members || n != edges || !known {
				return fmt.Errorf("class %d, %v: %d members, %d edges (%v), want %d, %d", class, a, got, n, known, members, edges)
			}
		}
	}
	return nil
}

func (m *model) checkStar(s *Statistics, d Direction, labels []Label) error {
	centres := 0
	for v := range Vertex(m.vertices) {
		all := true
		for _, l := range labels {
			all = all && len(m.lists[d][l][v]) > 0
		}
		if all && len(m.edgeLabels(v, d)) > 0 {
			centres++
		}
	}
	got, matches, known := s.Star(d, labels)
	if int(got) != centres || !known {
		return fmt.Errorf("star of %v %v: %v centres (%v), want %d", labels, d, got, known, centres)
	}
	if len(labels) == 1 && int(matches+0.5) != s.Degrees(Side{labels[0], d}).Edges {
		return fmt.Errorf("star of %v %v: %v matches", labels, d, matches)
	}
	return nil
}

// checkSignature says whether the signature of what is known of a vertex excludes it.
func (m *model) checkSignature(t *rapid.T, g *Graph) error {
	var edges []KnownEdge
	var of Vertex
	if rows := m.vertices; rows > 0 {
		of = Vertex(rapid.IntRange(0, rows-1).Draw(t, "vertex"))
	}
	for _, d := range []Direction{Out, In} {
		for _, l := range m.edgeLabels(of, d) {
			e := KnownEdge{Side: Side{l, d}}
			for w := range m.lists[d][l][of] {
				if classes := sorted(m.lists[Out][0][w]); len(classes) > 0 && w%3 == 0 {
					e.Classes = classes
				}
			}
			edges = append(edges, e)
		}
	}
	classes := sorted(m.lists[Out][0][of])
	s := g.Signatures().Encode(edges, classes)
	if !g.Signatures().Match(of, s) {
		return fmt.Errorf("vertex %d does not match its own signature %v of %v and classes %v", of, s, edges, classes)
	}
	for _, e := range edges {
		one := g.Signatures().Encode([]KnownEdge{e}, nil)
		for v := range Vertex(m.vertices) {
			if len(m.lists[e.Dir][e.Label][v]) > 0 && len(e.Classes) == 0 && !g.Signatures().Match(v, one) {
				return fmt.Errorf("vertex %d has %v and does not match", v, e)
			}
		}
	}
	if !g.Signatures().Match(of, Signature{}) || !g.Signatures().Match(noVertex, Signature{}) {
		return fmt.Errorf("the zero signature excludes a vertex")
	}
	return nil
}

func TestStatisticsAgreeWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, labels, edges := drawEdges(t)
		for i := range edges { // a few classes
			if edges[i].Label == 0 {
				edges[i].To %= 5
				edges[i].To %= Vertex(vertices)
			}
		}
		g, err := read(written(t, vertices, labels, edges, WithTypeLabel(0)))
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(vertices, labels, edges)
		if err := m.checkStatistics(g.Stats()); err != nil {
			t.Fatal(err)
		}
		star := rapid.SliceOfNDistinct(rapid.Uint32Max(uint32(labels-1)), 1, min(3, labels), rapid.ID[uint32]).Draw(t, "star")
		for _, d := range []Direction{Out, In} {
			if err := m.checkStar(g.Stats(), d, star); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			if err := m.checkSignature(t, g); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Verify(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSignatureExcludes(t *testing.T) {
	// Vertices 10 … 49 have label 1 out; the even ones lead to members of class 3, the odd ones to members of class 4.
	var edges []Edge
	for v := Vertex(10); v < 50; v++ {
		edges = append(edges, Edge{v, 1, 50 + v%2}, Edge{v, 2, 60}, Edge{v, 2, 61})
	}
	edges = append(edges, Edge{50, 0, 3}, Edge{51, 0, 4}, Edge{5, 2, 60})
	g, err := Build(70, 3, edges, WithTypeLabel(0))
	if err != nil {
		t.Fatal(err)
	}
	s := g.Signatures().Encode([]KnownEdge{{Side: Side{1, Out}, Classes: []Vertex{3}}}, nil)
	var match []Vertex
	for v := range Vertex(70) {
		if g.Signatures().Match(v, s) {
			match = append(match, v)
		}
	}
	for _, v := range []Vertex{11, 13, 60, 69} {
		if slices.Contains(match, v) {
			t.Errorf("%d matches: its neighbour is in another class, or it has none", v)
		}
	}
	if len(match) < 20 {
		t.Errorf("only %v match", match)
	}
}
