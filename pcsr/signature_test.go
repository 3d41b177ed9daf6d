package pcsr

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSignaturePower measures, for what is known of two to four edges of a random vertex, how many of the vertices that
// do not match are let through, and that none that matches is excluded.
func TestSignaturePower(t *testing.T) {
	for _, name := range []string{"lubm10", "watdiv1m", "nomisma", "debian12"} {
		t.Run(name, func(t *testing.T) {
			g := loadData(t, name).build(t)
			for _, withClasses := range []bool{false, true} {
				signaturePower(t, g, withClasses)
			}
		})
	}
}

func signaturePower(t *testing.T, g *Graph, withClasses bool) {
	random := rand.New(rand.NewPCG(1, 2))
	subjects := g.Incident(Out)
	var match, pass, total int
	for range 100 {
		v := subjects.Vertex(random.IntN(subjects.Rows()))
		var edges []KnownEdge
		for range 2 + random.IntN(3) {
			d := Direction(random.IntN(5) / 4) // mostly out
			labels := g.EdgeLabels(v, d)
			if len(labels) == 0 {
				continue
			}
			e := KnownEdge{Side: Side{labels[random.IntN(len(labels))], d}}
			list := g.Partition(e.Label, d).Neighbours(v)
			if classes := g.Classes(list[random.IntN(len(list))]); withClasses && len(classes) > 0 {
				e.Classes = classes[:1]
			}
			edges = append(edges, e)
		}
		s := g.Signatures().Encode(edges, nil)
		for x := range subjects.RowVertices() {
			is, passes := has(g, x, edges), g.Signatures().Match(x, s)
			if is && !passes {
				t.Fatalf("vertex %d has %v and is excluded", x, edges)
			}
			total++
			if is {
				match++
			} else if passes {
				pass++
			}
		}
	}
	t.Logf("classes %v: %.2f %% of the subjects match, %.2f %% of the others pass", withClasses,
		100*float64(match)/float64(total), 100*float64(pass)/float64(total-match))
	if pass*20 > total-match {
		t.Errorf("%d of %d subjects that do not match pass", pass, total-match)
	}
}

// has reports whether v has all the edges.
func has(g *Graph, v Vertex, edges []KnownEdge) bool {
	for _, e := range edges {
		ok := false
		for _, w := range g.Partition(e.Label, e.Dir).Neighbours(v) {
			all := true
			for _, class := range e.Classes {
				all = all && Contains(g.Classes(w), class)
			}
			if all {
				ok = true
				break
			}
		}
		if !ok {
			return false
		}
	}
	return true
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
	if err := checkColumns(g.Signatures(), s, m.vertices); err != nil {
		return err
	}
	if !g.Signatures().Match(of, Signature{}) || !g.Signatures().Match(noVertex, Signature{}) {
		return fmt.Errorf("the zero signature excludes a vertex")
	}
	return nil
}

func TestSignaturesExcludeNoVertexThatMatches(t *testing.T) {
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

// checkColumns compares what passes a signature with the columns.
func checkColumns(t *SignatureTable, s Signature, vertices int) error {
	columns := t.Columns()
	for v := t.Base(); v < min(t.Base()+uint32(t.Rows()), uint32(vertices)); v++ {
		passes := true
		for c := range t.Words() {
			w := columns[c*t.Stride()+int(v-t.Base())]
			passes = passes && w&s.Words[c] == s.Words[c]
		}
		if t.Match(v, s) != passes {
			return fmt.Errorf("vertex %d passes %v: %v, by its columns %v", v, s, t.Match(v, s), passes)
		}
	}
	return nil
}
