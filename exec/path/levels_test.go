package path

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// threads is Each with so many goroutines.
func threads(n int) Each {
	return func(units int, do func(int) error) error {
		errs := make([]error, n)
		var wait sync.WaitGroup
		for k := range n {
			wait.Go(func() {
				for unit := k; unit < units && errs[k] == nil; unit += n {
					errs[k] = do(unit)
				}
			})
		}
		wait.Wait()
		return errors.Join(errs...)
	}
}

// drawStep draws a choice of predicates, forwards or backwards.
func drawStep(t *rapid.T, labels, depth int) Step {
	switch {
	case depth > 0 && rapid.IntRange(0, 2).Draw(t, "choice") == 0:
		return &alternativeStep{drawStep(t, labels, depth-1), drawStep(t, labels, depth-1)}
	case depth > 0 && rapid.IntRange(0, 2).Draw(t, "inverse") == 0:
		return &inverseStep{drawStep(t, labels, depth-1)}
	}
	l := rapid.IntRange(0, labels).Draw(t, "label")
	return &labelStep{label: pcsr.Label(l), known: l < labels}
}

// reached is what walks of one step or more from v end at, by trying all edges until nothing new comes.
func reached(edges []pcsr.Edge, step Step, v pcsr.Vertex, d pcsr.Direction) map[pcsr.Vertex]bool {
	at := map[pcsr.Vertex]bool{}
	var leads func(s Step, e pcsr.Edge, d pcsr.Direction)
	leads = func(s Step, e pcsr.Edge, d pcsr.Direction) {
		switch s := s.(type) {
		case *labelStep:
			from, to := e.From, e.To
			if d == pcsr.In {
				from, to = to, from
			}
			if s.known && s.label == e.Label && (from == v || at[from]) {
				at[to] = true
			}
		case *inverseStep:
			leads(s.of, e, d.Reverse())
		case *alternativeStep:
			leads(s.left, e, d)
			leads(s.right, e, d)
		}
	}
	for before := -1; before < len(at); {
		before = len(at)
		for _, e := range edges {
			leads(step, e, d)
		}
	}
	return at
}

// TestLevelsReachWhatWalksDo: along and backwards, by several threads, one search after the other.
func TestLevelsReachWhatWalksDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vertices, labels := rapid.IntRange(4, 300).Draw(t, "vertices"), rapid.IntRange(1, 3).Draw(t, "labels")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var edges []pcsr.Edge
		for range rapid.IntRange(1, 12*vertices).Draw(t, "edges") {
			e := pcsr.Edge{From: pcsr.Vertex(random.IntN(vertices)), Label: pcsr.Label(random.IntN(labels)), To: pcsr.Vertex(random.IntN(vertices))}
			if rapid.IntRange(0, 3).Draw(t, "hub") == 0 {
				e.From %= 3
			}
			edges = append(edges, e)
		}
		g, err := pcsr.Build(vertices, labels, slices.Clone(edges))
		if err != nil {
			t.Fatal(err)
		}
		s := NewSearch(g)
		s.Serve(context.Background(), limits.Standalone(1<<40).Open("path"))
		s.Share(threads(rapid.IntRange(1, 3).Draw(t, "threads")), operator.Tuning{LevelEdges: rapid.SampledFrom([]int{1, 1, 1 << 20}).Draw(t, "level edges")})
		for range 3 {
			step, d := drawStep(t, labels, 2), pcsr.Direction(rapid.IntRange(0, 1).Draw(t, "direction"))
			v, zero := pcsr.Vertex(rapid.IntRange(0, vertices-1).Draw(t, "v")), rapid.Bool().Draw(t, "zero")
			want := reached(edges, step, v, d)
			if zero {
				want[v] = true
			}
			got := map[pcsr.Vertex]bool{}
			err := s.Closure(step, v, d, zero, true, func(w pcsr.Vertex) error {
				if got[w] {
					return fmt.Errorf("%d comes twice", w)
				}
				got[w] = true
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for w := range pcsr.Vertex(vertices) {
				if want[w] != got[w] || want[w] != s.Saw(w) {
					t.Fatalf("from %d: %d is reached: %v, seen: %v, want %v", v, w, got[w], s.Saw(w), want[w])
				}
			}
		}
	})
}

// TestALevelEndsWithItsQuery: on all threads, whichever way it is searched.
func TestALevelEndsWithItsQuery(t *testing.T) {
	t.Parallel()
	over := errors.New("the time is over")
	g := social(1<<12, 1<<16)
	for _, rows := range []float64{0, 1e12} { // backwards, along
		ctx, end := context.WithCancelCause(context.Background())
		s := NewSearch(g)
		s.Serve(ctx, limits.Standalone(1<<40).Open("path"))
		s.Share(threads(2), operator.Tuning{LevelEdges: 1})
		step := &labelStep{known: true}
		s.ask(step, pcsr.Out)
		s.levels.rows = rows
		err := s.Closure(step, 0, pcsr.Out, false, true, func(pcsr.Vertex) error {
			if len(s.levels.found) == 0 { // from the first level that is shared on
				end(over)
			}
			return nil
		})
		if !errors.Is(err, over) {
			t.Errorf("error %v", err)
		}
	}
}

// social is a graph of one label, in which a few vertices have many of the edges.
func social(vertices, edges int) *pcsr.Graph {
	random := rand.New(rand.NewPCG(1, 1))
	list := make([]pcsr.Edge, edges)
	skewed := func() pcsr.Vertex {
		return pcsr.Vertex(float64(vertices) * random.Float64() * random.Float64() * random.Float64())
	}
	for i := range list {
		list[i] = pcsr.Edge{From: skewed(), To: skewed()}
	}
	g, err := pcsr.Build(vertices, 1, list)
	if err != nil {
		panic(err)
	}
	return g
}

// BenchmarkClosure reaches most of a graph from one vertex, by walking step after step and level by level.
func BenchmarkClosure(b *testing.B) {
	g := social(1<<20, 1<<23)
	step := &labelStep{known: true}
	run := func(b *testing.B, step Step, each Each) {
		s := NewSearch(g)
		s.Serve(b.Context(), limits.Standalone(1<<40).Open("path"))
		s.Share(each, operator.Tuning{}.Complete())
		n := 0
		for b.Loop() {
			n = 0
			if err := s.Closure(step, 1, pcsr.Out, false, true, func(pcsr.Vertex) error { n++; return nil }); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(n), "vertices")
	}
	b.Run("steps", func(b *testing.B) { run(b, opaque{step}, alone) })
	for n := 1; n <= runtime.GOMAXPROCS(0); n *= 2 {
		b.Run(fmt.Sprintf("levels-%d", n), func(b *testing.B) { run(b, step, threads(n)) })
	}
}

// opaque hides which step it is.
type opaque struct{ Step }
