package path

import (
	"context"
	"errors"
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
		g, labels := drawGraph(t, 100)
		vertices := g.Vertices()
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
	onward := &labelStep{known: true}
	for _, of := range []struct {
		name            string
		vertices, edges int
		step            Step
	}{
		{"dense", 1 << 14, 1 << 17, onward},
		{"dense, two steps", 1 << 14, 1 << 17, &sequenceStep{onward, onward}},
		{"sparse", 1 << 17, 1 << 18, onward},
		{"sparse, two steps", 1 << 17, 1 << 18, &sequenceStep{onward, onward}},
		{"large", 1 << 17, 1 << 20, onward},
	} {
		g := social(of.vertices, of.edges)
		s := NewSearch(g)
		s.Serve(b.Context(), limits.Standalone(1<<40).Open("path"))
		sources := make([]pcsr.Vertex, match.MostSources)
		for i := range sources {
			sources[i] = pcsr.Vertex(i * g.Vertices() / len(sources))
		}
		b.Run(of.name+"/alone", func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = 0
				for _, v := range sources {
					if err := s.Closure(of.step, v, pcsr.Out, false, true, func(pcsr.Vertex) error { n++; return nil }); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(n), "ends")
		})
		all := newTogether(s, closureOf(of.step, g, pcsr.Out))
		b.Run(of.name+"/together", func(b *testing.B) {
			counts := make([]uint64, len(sources))
			for b.Loop() {
				if err := all.count(sources, counts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
