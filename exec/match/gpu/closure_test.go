package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"pgregory.net/rapid"
)

// closureGraph draws a graph, some of whose vertices have many of the edges; changed by an update where that is drawn.
func closureGraph(t *rapid.T, vertices, labels int) (*pcsr.Graph, []pcsr.Edge) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	draw := func(n int) (edges []pcsr.Edge) {
		for range n {
			e := pcsr.Edge{From: pcsr.Vertex(random.IntN(vertices)), Label: pcsr.Label(random.IntN(labels)), To: pcsr.Vertex(random.IntN(vertices))}
			if random.IntN(3) == 0 {
				e.From %= 3
			}
			edges = append(edges, e)
		}
		return edges
	}
	edges := draw(rapid.IntRange(1, 4*vertices).Draw(t, "edges"))
	g, err := pcsr.Build(vertices, labels, append([]pcsr.Edge{}, edges...))
	if err != nil {
		t.Fatal(err)
	}
	return g, edges
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

func closuresAsByBruteForce(t *testing.T, driver kernels.Driver, vertices int) {
	rapid.Check(t, func(rt *rapid.T) {
		n, labels := rapid.IntRange(4, vertices).Draw(rt, "vertices"), rapid.IntRange(1, 3).Draw(rt, "labels")
		g, edges := closureGraph(rt, n, labels)
		options := Options{Driver: driver, Memory: 64 << 20, tuning: tuning{
			slice:  rapid.SampledFrom([]time.Duration{0, 0, 5 * time.Microsecond, 10}).Draw(rt, "slice"),
			blocks: rapid.SampledFrom([]int{0, 1, 3}).Draw(rt, "blocks"),
		}}
		d := open(rt, options)
		for range 2 {
			if err := checkClosure(d, drawClosure(rt, g), edges); err != nil {
				rt.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestClosuresAsByBruteForce(t *testing.T) {
	t.Parallel()
	closuresAsByBruteForce(t, nil, 150)
}

func TestDeviceMatchesClosuresAsByBruteForce(t *testing.T) {
	closuresAsByBruteForce(t, driver(t), 3000)
}
