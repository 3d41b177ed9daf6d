package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"pgregory.net/rapid"
)

// closureGraph draws a graph, some of whose vertices have many of the edges, of parts, and changed by updates, where that is drawn.
func closureGraph(t *rapid.T, vertices int) (*pcsr.Graph, []pcsr.Edge) {
	labels := rapid.IntRange(1, 3).Draw(t, "labels")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	c := matchtest.Case{Vertices: vertices, Labels: labels, TypeLabel: -1, Parts: rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "parts"), Changes: rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "changes")}
	for range rapid.IntRange(1, 4*vertices).Draw(t, "edges") {
		e := pcsr.Edge{From: pcsr.Vertex(random.IntN(vertices)), Label: pcsr.Label(random.IntN(labels)), To: pcsr.Vertex(random.IntN(vertices))}
		if random.IntN(3) == 0 {
			e.From %= 3
		}
		c.Edges = append(c.Edges, e)
	}
	g, err := c.Graph()
	if err != nil {
		t.Fatal(err)
	}
	return g, c.Edges
}

// drawClosure draws an automaton and sources.
func drawClosure(t *rapid.T, g *pcsr.Graph) *match.Closure {
	c := &match.Closure{Graph: g, States: rapid.IntRange(1, 3).Draw(t, "states"), Zero: rapid.Bool().Draw(t, "zero")}
	c.Ending = uint32(rapid.IntRange(1, 1<<c.States-1).Draw(t, "ending"))
	for range rapid.IntRange(1, 5).Draw(t, "hops") {
		c.Hops = append(c.Hops, match.Hop{
			PartitionKey: match.PartitionKey{Label: rapid.SampledFrom(g.UsedLabels()).Draw(t, "label"), Direction: pcsr.Direction(rapid.IntRange(0, 1).Draw(t, "direction"))},
			From:         rapid.IntRange(0, c.States).Draw(t, "from"), To: rapid.IntRange(0, c.States-1).Draw(t, "to"),
		})
	}
	vertex := rapid.Map(rapid.IntRange(0, g.Vertices()-1), func(v int) pcsr.Vertex { return pcsr.Vertex(v) })
	c.Sources = rapid.SliceOfNDistinct(vertex, 1, min(match.MostSources, g.Vertices()), rapid.ID).Draw(t, "sources")
	return c
}

// walkedTo is where walks of a closure from a vertex end, by trying all edges until nothing new comes.
func walkedTo(c *match.Closure, edges []pcsr.Edge, source pcsr.Vertex) map[pcsr.Vertex]bool {
	type pair struct {
		state int
		v     pcsr.Vertex
	}
	at, ends := map[pair]bool{{c.States, source}: true}, map[pcsr.Vertex]bool{}
	if c.Zero {
		ends[source] = true
	}
	for before := 0; before < len(at); {
		before = len(at)
		for _, h := range c.Hops {
			for _, e := range edges {
				if h.Direction == pcsr.In {
					e.From, e.To = e.To, e.From
				}
				if e.Label == h.Label && at[pair{h.From, e.From}] {
					at[pair{h.To, e.To}] = true
					if c.Ending>>h.To&1 != 0 {
						ends[e.To] = true
					}
				}
			}
		}
	}
	return ends
}

// checkClosure compares a search with brute force.
func checkClosure(d *Device, c *match.Closure, edges []pcsr.Edge) error {
	got := make([]map[pcsr.Vertex]bool, len(c.Sources))
	for i := range got {
		got[i] = map[pcsr.Vertex]bool{}
	}
	counts, err := d.Search(context.Background(), c, func(source int, from pcsr.Vertex, words []uint32) error {
		for i, word := range words {
			for b := range pcsr.Vertex(32) {
				if word>>b&1 != 0 {
					got[source][from+32*pcsr.Vertex(i)+b] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	only, err := d.Search(context.Background(), c, nil)
	if err != nil {
		return err
	}
	for i, source := range c.Sources {
		want := walkedTo(c, edges, source)
		if counts[i] != uint64(len(want)) || only[i] != counts[i] || len(got[i]) != len(want) {
			return fmt.Errorf("from %d: %d counted, %d counted alone, %d told, want %d", source, counts[i], only[i], len(got[i]), len(want))
		}
		for v := range want {
			if !got[i][v] {
				return fmt.Errorf("from %d: %d is not told", source, v)
			}
		}
	}
	return nil
}

// closuresAsByBruteForce searches in graphs of up to so many vertices. What lies in pages, or does not fit the memory, is refused.
func closuresAsByBruteForce(t *testing.T, driver kernels.Driver, vertices int) {
	rapid.Check(t, func(rt *rapid.T) {
		g, edges := closureGraph(rt, rapid.IntRange(4, vertices).Draw(rt, "vertices"))
		options := Options{Driver: driver, Memory: rapid.SampledFrom([]int64{64 << 20, 64 << 20, 700 << 10}).Draw(rt, "memory"), tuning: tuning{
			blocks:  rapid.SampledFrom([]int{0, 1, 3}).Draw(rt, "blocks"),
			inPages: rapid.IntRange(0, 9).Draw(rt, "in pages") == 0,
		}}
		if driver == nil {
			options.slice = rapid.SampledFrom([]time.Duration{0, 5, 100}).Draw(rt, "slice")
		} else {
			options.slice = rapid.SampledFrom([]time.Duration{0, 20 * time.Microsecond}).Draw(rt, "slice")
		}
		d := open(rt, options)
		for range 2 {
			c := drawClosure(rt, g)
			switch err := checkClosure(d, c, edges); {
			case errors.Is(err, match.ErrNotSearched) && (options.inPages || options.Memory < 1<<20):
			case err != nil:
				rt.Fatalf("%v\n%+v", err, c)
			}
		}
		closes(rt, d)
	})
}

func TestClosuresAsByBruteForce(t *testing.T) {
	t.Parallel()
	closuresAsByBruteForce(t, nil, 150)
}

func TestDeviceMatchesClosuresAsByBruteForce(t *testing.T) {
	closuresAsByBruteForce(t, driver(t), 3000)
}

// closureOfPath is the closure of one predicate along a path of so many vertices, from the first.
func closureOfPath(t *testing.T, vertices int) *match.Closure {
	t.Helper()
	edges := make([]pcsr.Edge, vertices-1)
	for i := range edges {
		edges[i] = pcsr.Edge{From: pcsr.Vertex(i), To: pcsr.Vertex(i + 1)}
	}
	g, err := pcsr.Build(vertices, 1, edges)
	if err != nil {
		t.Fatal(err)
	}
	return &match.Closure{Graph: g, States: 1, Ending: 1, Hops: []match.Hop{{From: 1}, {}}, Sources: []pcsr.Vertex{0}}
}

func TestASearchEndsBetweenTwoLaunches(t *testing.T) {
	t.Parallel()
	ctx, e, launches := endingAtLaunch(3)
	d := open(t, Options{Driver: e, tuning: tuning{slice: 5}})
	c := closureOfPath(t, 300)
	if _, err := d.Search(ctx, c, nil); !errors.Is(err, context.Canceled) || *launches != 3 {
		t.Errorf("error %v after %d launches", err, *launches)
	}
	if n, err := d.Search(context.Background(), c, nil); err != nil || n[0] != 299 {
		t.Errorf("the next one: %v, error %v", n, err)
	}
	full := errors.New("disk full")
	if _, err := d.Search(context.Background(), c, func(int, pcsr.Vertex, []uint32) error { return full }); err != full {
		t.Errorf("error %v", err)
	}
}

func TestADeviceThatFailsInASearchIsLost(t *testing.T) {
	t.Parallel()
	e := kernels.Emulate(64 << 20)
	d := open(t, Options{Driver: e})
	e.Fail = func(call string) error {
		if call == "launch" {
			return kernels.ErrLost
		}
		return nil
	}
	if _, err := d.Search(context.Background(), closureOfPath(t, 9), nil); !errors.Is(err, ErrDeviceLost) || errors.Is(err, match.ErrNotSearched) || !d.Lost() {
		t.Errorf("error %v", err)
	}
}

// TestSearchesArePriced: from one vertex by its edges, from many by launches, and what lies in pages is not searched.
func TestSearchesArePriced(t *testing.T) {
	t.Parallel()
	d, c := open(t, Options{}), closureOfPath(t, 300)
	few, many := ExpectClosure(c, 64, 10), ExpectClosure(c, 64_000, 10)
	if few >= many || ExpectClosure(c, 1, 1e9) <= ExpectClosure(c, 1, 1e3) || d.PriceClosure(c) <= 0 {
		t.Errorf("%g for few, %g for many; bringing it costs %g", few, many, d.PriceClosure(c))
	}
	if _, err := d.Search(context.Background(), c, nil); err != nil || d.PriceClosure(c) != 0 {
		t.Errorf("error %v, %g where it is there", err, d.PriceClosure(c))
	}
	paged := open(t, Options{tuning: tuning{inPages: true}})
	if _, err := paged.Search(context.Background(), c, nil); !errors.Is(err, match.ErrNotSearched) || !math.IsInf(paged.PriceClosure(c), 1) {
		t.Errorf("error %v, price %g", err, paged.PriceClosure(c))
	}
}
