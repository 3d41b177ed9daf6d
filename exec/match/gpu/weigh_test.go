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
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// checkTrees compares devices and the processor with brute force, and tells how many plans were run with weights by vertex.
func checkTrees(t *testing.T, driver func() kernels.Driver) {
	weighed, all := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		c := matchtest.DrawTree(rt)
		c.Parts = rapid.SampledFrom([]int{1, 1, 2}).Draw(rt, "parts")
		c.Changes = rapid.SampledFrom([]int{0, 0, 2}).Draw(rt, "changes")
		options := drawOptions(rt)
		options.Driver, options.Memory = driver(), 64<<20
		if slice := rapid.SampledFrom([]int{3, 1e9}).Draw(rt, "slice"); options.Driver == nil { // so many tiles, when emulated
			options.slice = time.Duration(slice)
		}
		d := open(t, options)
		for _, m := range []match.Matcher{d, cpu.New()} {
			if err := matchtest.Check(m, c); err != nil {
				rt.Fatal(err)
			}
		}
		m, err := c.Match()
		if err != nil {
			rt.Fatal(err)
		}
		if all++; len(newShape(m, true, &Options{}).made) > 0 {
			weighed++
		}
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
		if left := d.memory.inUse(); left != 0 {
			rt.Fatalf("%d bytes of device memory are left after Close", left)
		}
	})
	if all >= 100 && weighed < all/20 {
		t.Errorf("%d of %d plans had weights", weighed, all)
	}
}

func TestTreesMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	checkTrees(t, func() kernels.Driver { return nil })
}

func TestDeviceMatchesTreesAsByBruteForce(t *testing.T) {
	gpu := driver(t)
	checkTrees(t, func() kernels.Driver { return gpu })
}

// hubs is a graph of so many edges a label in which some vertices have most of them, and lists are of lengths around those of a warp.
func hubs(t testing.TB, vertices, edges int) *pcsr.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	var all []pcsr.Edge
	for label := range pcsr.Label(3) {
		for range edges {
			e := pcsr.Edge{From: r.Uint32N(uint32(vertices)), Label: label, To: r.Uint32N(uint32(vertices))}
			switch r.IntN(4) {
			case 0:
				e.From = r.Uint32N(3)
			case 1:
				e.To = uint32(vertices) - 1 - r.Uint32N(2)
			case 2:
				e.From = e.From / 32 * 32
			}
			all = append(all, e)
		}
	}
	for v := range pcsr.Vertex(70) { // one more member in each list than in the one before
		for k := range v {
			all = append(all, pcsr.Edge{From: 100 + v, Label: 1, To: 100 + k})
		}
	}
	g, err := pcsr.Build(vertices, 3, all)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// checkHubs compares counts by weights with the processor's.
func checkHubs(t *testing.T, d *Device, g *pcsr.Graph) {
	t.Helper()
	const apart = 3 // the case of two parts, whose product is not to be listed
	for i, edges := range [][][3]int{
		{{0, 1, 0}, {1, 2, 1}, {2, 3, 2}, {3, 4, 0}},
		{{1, 0, 0}, {2, 1, 0}, {3, 2, 1}, {3, 4, 1}},
		{{0, 1, 0}, {0, 2, 1}, {2, 3, 2}, {1, 4, 2}, {4, 5, 1}, {6, 0, 2}},
		{{0, 1, 0}, {1, 2, 0}, {3, 4, 1}, {4, 5, 1}},
		{{0, 1, 0}, {1, 0, 1}, {0, 2, 1}, {2, 3, 0}, {1, 4, 2}, {5, 4, 1}},
	} {
		for _, output := range [][]string{nil, {"v0"}} {
			if i == apart && output != nil {
				continue
			}
			c := &matchtest.Case{Vertices: g.Vertices(), Options: bgp.Options{Output: output, CountOnly: output == nil, WeightGain: math.Inf(1)}}
			for _, e := range edges {
				c.Patterns = append(c.Patterns, matchtest.Edge(e[0], e[1], e[2]))
			}
			plan, err := c.Plan(g)
			if err != nil {
				t.Fatal(err)
			}
			m := &match.Match{Graph: g, Plan: plan, Weighted: output != nil, Trace: &match.Trace{}}
			if len(newShape(m, output == nil, &Options{}).made) == 0 {
				t.Errorf("%v: no weights", edges)
			}
			want, err := sums(cpu.New(), m)
			if err != nil {
				t.Fatal(err)
			}
			got, err := sums(d, m)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v by %v: %d groups, want %d (error %v)", edges, output, len(got), len(want), err)
			}
			t.Logf("%v by %v: kernels %v of %v", edges, output, m.Trace.Kernels, m.Trace.Elapsed)
		}
	}
}

// sums is how many solutions there are by the value of the one column, or without one.
func sums(on match.Matcher, m *match.Match) (map[uint32]uint64, error) {
	if len(m.Plan.Output) == 0 {
		n, err := on.Count(context.Background(), m)
		return map[uint32]uint64{0: n}, err
	}
	out := map[uint32]uint64{}
	err := on.Match(context.Background(), m, func(b *match.Batch) error {
		for r, v := range b.Cols[0] {
			n := uint64(1)
			if b.Weights != nil {
				n = b.Weights[r]
			}
			out[v] += n
		}
		return nil
	})
	return out, err
}

func TestHubsWeighAsOnTheProcessor(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	checkHubs(t, d, hubs(t, 2000, 6000))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeviceMatchesHubsAsTheProcessor(t *testing.T) {
	d := open(t, Options{Driver: driver(t)})
	checkHubs(t, d, hubs(t, 2000, 6000))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeviceWeighsLargeHubs(t *testing.T) {
	d := open(t, Options{Driver: driver(t)})
	checkHubs(t, d, hubs(t, 300_000, 3_000_000))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// paths is the count of paths of some length in a graph with an edge between any two of n vertices, by weights.
func paths(t testing.TB, n, length int) *match.Match {
	t.Helper()
	c := &matchtest.Case{Vertices: n, Labels: 1, TypeLabel: -1, Options: bgp.Options{CountOnly: true, WeightGain: math.Inf(1)}}
	for v := range n * n {
		c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(v / n), To: pcsr.Vertex(v % n)})
	}
	for i := range length {
		c.Patterns = append(c.Patterns, matchtest.Edge(i, i+1, 0))
	}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkOverflow counts 10 to the power of 19 paths by reading each edge a few times; ten times as many are too many.
func checkOverflow(t *testing.T, d *Device) {
	t.Helper()
	n, err := d.Count(context.Background(), paths(t, 10, 18))
	if err != nil || n != 10_000_000_000_000_000_000 {
		t.Errorf("counted %d (error %v)", n, err)
	}
	for _, length := range []int{19, 30, 60} {
		if n, err = d.Count(context.Background(), paths(t, 10, length)); !errors.Is(err, match.ErrTooMany) {
			t.Errorf("counted %d (error %v), which is beyond 64 bits", n, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestWeightsBeyond64BitsAreAnError(t *testing.T) {
	t.Parallel()
	checkOverflow(t, open(t, Options{}))
}

func TestDeviceMatchesTooManyWithAnError(t *testing.T) {
	checkOverflow(t, open(t, Options{Driver: driver(t)}))
}

// TestWithoutMemoryForWeightsRowsAreMatched: where no weights fit, the plan runs by rows.
func TestWithoutMemoryForWeightsRowsAreMatched(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Memory: minArena + 8<<10})
	m := ring(t, 2000)
	c := &matchtest.Case{Vertices: 2000, Options: bgp.Options{CountOnly: true, WeightGain: math.Inf(1)}}
	for i := range 3 {
		c.Patterns = append(c.Patterns, matchtest.Edge(i, i+1, 0))
	}
	plan, err := c.Plan(m.Graph)
	if err != nil {
		t.Fatal(err)
	}
	m.Plan = plan
	if n, err := d.Count(context.Background(), m); err != nil || n != 2000*8*8*8 {
		t.Errorf("counted %d (error %v)", n, err)
	}
}
