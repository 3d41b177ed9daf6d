package path

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestSearchesTogetherCountAsAlone, one after the other with the same memory.
func TestSearchesTogetherCountAsAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vertices, labels := rapid.IntRange(4, 100).Draw(t, "vertices"), rapid.IntRange(1, 3).Draw(t, "labels")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		edges := make([]pcsr.Edge, rapid.IntRange(1, 3*vertices).Draw(t, "edges"))
		for i := range edges {
			edges[i] = pcsr.Edge{From: pcsr.Vertex(random.IntN(vertices)), Label: pcsr.Label(random.IntN(labels)), To: pcsr.Vertex(random.IntN(vertices))}
		}
		g, err := pcsr.Build(vertices, labels, edges)
		if err != nil {
			t.Fatal(err)
		}
		c := closureOf(drawNested(t, labels, rapid.IntRange(0, 3).Draw(t, "depth")), g, pcsr.Out)
		if c == nil {
			t.Skip("it leads nowhere")
		}
		c.Zero = rapid.Bool().Draw(t, "zero")
		s := NewSearch(g)
		s.Serve(context.Background(), limits.Standalone(1<<40).Open("path"))
		all := newTogether(s, c)
		for range 3 {
			vertex := rapid.Map(rapid.IntRange(0, vertices-1), func(v int) pcsr.Vertex { return pcsr.Vertex(v) })
			sources := rapid.SliceOfNDistinct(vertex, 1, min(vertices, match.MostSources), rapid.ID).Draw(t, "sources")
			counts := make([]uint64, len(sources))
			if err := all.count(sources, counts); err != nil {
				t.Fatal(err)
			}
			for i, v := range sources {
				want := map[pcsr.Vertex]bool{}
				for _, w := range ends(c, v) {
					want[w] = true
				}
				if c.Zero {
					want[v] = true
				}
				if counts[i] != uint64(len(want)) {
					t.Fatalf("from %d: %d, want %d", v, counts[i], len(want))
				}
			}
		}
	})
}

// TestASearchTogetherEndsWithItsQuery, and the next one finds nothing of it.
func TestASearchTogetherEndsWithItsQuery(t *testing.T) {
	t.Parallel()
	g := social(1<<10, 1<<14)
	c := closureOf(&labelStep{known: true}, g, pcsr.Out)
	s := NewSearch(g)
	over := errors.New("the time is over")
	ctx, end := context.WithCancelCause(context.Background())
	s.Serve(ctx, limits.Standalone(1<<40).Open("path"))
	all, sources := newTogether(s, c), []pcsr.Vertex{0, 1, 2}
	end(over)
	if err := all.count(sources, make([]uint64, 3)); !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
	s.Serve(context.Background(), limits.Standalone(1<<40).Open("path"))
	counts := make([]uint64, 3)
	if err := all.count(sources, counts); err != nil || counts[0] != uint64(len(ends(c, 0))) {
		t.Errorf("%d, error %v, want %d", counts, err, len(ends(c, 0)))
	}
}

// BenchmarkTogether counts where walks from 64 vertices end: one after the other, and together.
func BenchmarkTogether(b *testing.B) {
	g := social(1<<17, 1<<20)
	step := &labelStep{known: true}
	c := closureOf(step, g, pcsr.Out)
	sources := make([]pcsr.Vertex, match.MostSources)
	for i := range sources {
		sources[i] = pcsr.Vertex(i * g.Vertices() / len(sources))
	}
	s := NewSearch(g)
	s.Serve(b.Context(), limits.Standalone(1<<40).Open("path"))
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, v := range sources {
				if err := s.Closure(step, v, pcsr.Out, false, true, func(pcsr.Vertex) error { n++; return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n), "ends")
		}
	})
	all := newTogether(s, c)
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			counts, n := make([]uint64, len(sources)), uint64(0)
			if err := all.count(sources, counts); err != nil {
				b.Fatal(err)
			}
			for _, k := range counts {
				n += k
			}
			b.ReportMetric(float64(n), "ends")
		}
	})
}
