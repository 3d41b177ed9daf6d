package mine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// labelled is a small directed multigraph with labels on edges and vertices, as a store might have it.
type labelled struct {
	edges  [][3]uint32 // from, label, to
	labels map[uint32]Label
}

func drawGraph(t *rapid.T, vertices int) labelled {
	n := uint32(vertices - rapid.IntRange(0, vertices-1).Draw(t, "vertices left out")) // rapid likes small numbers
	name := rapid.Uint32Range(0, n-1)
	edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [3]uint32 {
		return [3]uint32{7 * name.Draw(t, "from"), rapid.Uint32Range(0, 2).Draw(t, "label"), 7 * name.Draw(t, "to")}
	}), rapid.SampledFrom([]int{0, int(n), int(n*n) / 4, int(n*n) / 2}).Draw(t, "at least"), int(n*n)).Draw(t, "edges")
	labels := map[uint32]Label{}
	for v := range n {
		labels[7*v] = rapid.Uint32Range(0, 2).Draw(t, "class")
	}
	return labelled{edges, labels}
}

// build takes the edges of labels below most.
func (l labelled) build(most uint32) *Graph {
	return Build(func(yield func(a, b uint32) bool) {
		for _, e := range l.edges {
			if e[1] < most && !yield(e[0], e[2]) {
				return
			}
		}
	}, func(name uint32) Label { return l.labels[name] })
}

// adjacent is the definition of the graph that build makes.
func (l labelled) adjacent(most, a, b uint32) bool {
	return a != b && slices.ContainsFunc(l.edges, func(e [3]uint32) bool {
		return e[1] < most && (e[0] == a && e[2] == b || e[0] == b && e[2] == a)
	})
}

func TestGraphHasTheSimpleUndirectedEdges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, most := drawGraph(t, 9), rapid.Uint32Range(0, 3).Draw(t, "predicates")
		g := l.build(most)
		known := map[uint32]Vertex{}
		edges := uint64(0)
		for v := range Vertex(g.Len()) {
			known[g.Name(v)] = v
			edges += uint64(g.Degree(v))
			if g.Degree(v) == 0 || v > 0 && g.Degree(v) < g.Degree(v-1) || g.Label(v) != l.labels[g.Name(v)] {
				t.Fatalf("vertex %d has degree %d and label %d", v, g.Degree(v), g.Label(v))
			}
			above := slices.DeleteFunc(slices.Clone(g.Neighbours(v)), func(w Vertex) bool { return w < v })
			if !slices.IsSorted(g.Neighbours(v)) || !slices.Equal(above, g.Above(v)) {
				t.Fatalf("vertex %d: %v, above it %v", v, g.Neighbours(v), g.Above(v))
			}
		}
		for a := range l.labels {
			for b := range l.labels {
				v, hasV := known[a]
				w, hasW := known[b]
				if got := hasV && hasW && g.HasEdge(v, w); got != l.adjacent(most, a, b) {
					t.Fatalf("%d and %d adjacent: %t", a, b, got)
				}
			}
		}
		if edges != 2*g.Edges() {
			t.Fatalf("%d ends of %d edges", edges, g.Edges())
		}
	})
}

func TestSetsAreWhatTheirDefinitionsSay(t *testing.T) {
	t.Parallel()
	list := rapid.Custom(func(t *rapid.T) []Vertex {
		most := rapid.SampledFrom([]Vertex{5, 40, 2000}).Draw(t, "most")
		l := rapid.SliceOfN(rapid.Uint32Range(0, most), 0, 200).Draw(t, "list")
		slices.Sort(l)
		return slices.Compact(l)
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := list.Draw(t, "a"), list.Draw(t, "b")
		lacks := func(of []Vertex, found bool) func(Vertex) bool {
			return func(v Vertex) bool { return slices.Contains(of, v) != found }
		}
		if got, want := intersect(nil, a, b), slices.DeleteFunc(slices.Clone(a), lacks(b, true)); !slices.Equal(got, want) {
			t.Fatalf("intersect: %v, want %v", got, want)
		}
		if got, want := subtract(slices.Clone(a), b), slices.DeleteFunc(slices.Clone(a), lacks(b, false)); !slices.Equal(got, want) {
			t.Fatalf("subtract: %v, want %v", got, want)
		}
	})
}
