package gpu

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// checkTriangles counts random cycles of three edges, by triples of neighbours where they may be.
func checkTriangles(t testing.TB, rt *rapid.T, driver kernels.Driver) {
	c, options := matchtest.DrawTriangles(rt), drawOptions(rt)
	c.Parts, c.Changes = rapid.SampledFrom([]int{1, 1, 2}).Draw(rt, "parts"), rapid.SampledFrom([]int{0, 0, 2}).Draw(rt, "changes")
	options.NoDense, options.AnyCost, options.Driver = false, true, driver
	options.heavyTriangles, options.triangleRoom = rapid.SampledFrom([]int{1, 4, 0}).Draw(rt, "heavy triangles"), rapid.SampledFrom([]int{1, 3, 0}).Draw(rt, "room")
	if c.Options.Semantics == bgp.Induced {
		options.inPages, options.graphs, options.buffers = false, 0, 0
	}
	if driver == nil {
		options.slice = time.Duration(rapid.SampledFrom([]int{1, 3, 1e9}).Draw(rt, "slice"))
	}
	d := open(t, options)
	m, err := c.Match()
	if err != nil {
		rt.Fatal(err)
	}
	if m.Plan.IsInduced() && !Fits(m, true) {
		rt.Skip("induced, and no root")
	}
	n, err := d.Count(context.Background(), m)
	if err != nil || n != uint64(len(c.Solutions())) {
		rt.Fatalf("%d, error %v, brute force finds %d\n%v\n%+v", n, err, len(c.Solutions()), c, match.Lower(m, true, options.Tuning).Triangle)
	}
	if err := d.Close(); err != nil {
		rt.Fatal(err)
	}
	if left := d.memory.inUse(); left != 0 {
		rt.Fatalf("%d bytes of device memory are left after Close", left)
	}
}

func TestTrianglesCountAsByBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { checkTriangles(t, rt, nil) })
}

func TestDeviceMatchesTrianglesAsByBruteForce(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) { checkTriangles(t, rt, gpu) })
}

// checkLargeTriangles compares counts in graphs with hubs and loops with the processor's, which has other lists and other sums.
func checkLargeTriangles(t testing.TB, rt *rapid.T, driver kernels.Driver) {
	c := matchtest.DrawLargeTriangles(rt)
	m, err := c.Match()
	if err != nil {
		rt.Fatal(err)
	}
	want, err := cpu.New().Count(context.Background(), m)
	if err != nil {
		rt.Fatal(err)
	}
	d := open(t, Options{Driver: driver, tuning: tuning{
		Tuning: match.Tuning{AnyCost: true}, blocks: rapid.IntRange(1, 40).Draw(rt, "blocks"),
		heavyTriangles: rapid.SampledFrom([]int{1, 20, 0}).Draw(rt, "heavy triangles"), triangleRoom: rapid.SampledFrom([]int{7, 0}).Draw(rt, "room"), slice: rapid.SampledFrom([]time.Duration{20 * time.Microsecond, 0}).Draw(rt, "slice"),
	}})
	m.Trace = &match.Trace{}
	n, err := d.Count(context.Background(), m)
	if err != nil || n != want {
		rt.Fatalf("%d, error %v, the processor counts %d\n%v", n, err, want, c)
	}
	if got := m.Trace.Steps[0].Variant; got != match.TriangleVariant {
		rt.Fatalf("the first step is %q\n%+v\n%v", got, match.Lower(m, true, match.Tuning{AnyCost: true}).Triangle, c.Patterns)
	}
	if err := d.Close(); err != nil {
		rt.Fatal(err)
	}
}

func TestTrianglesCountAsOnTheProcessor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { checkLargeTriangles(t, rt, nil) })
}

func TestDeviceMatchesTrianglesAsTheProcessor(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) { checkLargeTriangles(t, rt, gpu) })
}

// checkDenseTriangles compares counts in a graph whose lists are too long for a warp.
func checkDenseTriangles(t *testing.T, vertices int, driver kernels.Driver) {
	random := rand.New(rand.NewPCG(5, 0))
	c := matchtest.Case{Vertices: 1 + vertices, Labels: 1, TypeLabel: -1, Options: bgp.Options{CountOnly: true}}
	for a := range vertices {
		for b := range vertices {
			if random.IntN(10) < 4 {
				c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(1 + a), To: pcsr.Vertex(1 + b)})
			}
		}
	}
	for _, closing := range [][2]int{{0, 2}, {2, 0}} {
		c.Patterns = []parser.TriplePattern{matchtest.Edge(0, 1, 0), matchtest.Edge(1, 2, 0), matchtest.Edge(closing[0], closing[1], 0)}
		m, err := c.Match()
		if err != nil {
			t.Fatal(err)
		}
		want, err := cpu.New().Count(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		for _, heavy := range []int{1, 100, 0} {
			for _, room := range []int{100, 0} {
				d := open(t, Options{Driver: driver, tuning: tuning{Tuning: match.Tuning{AnyCost: true}, heavyTriangles: heavy, triangleRoom: room}})
				m.Trace = &match.Trace{}
				n, err := d.Count(context.Background(), m)
				if err != nil || n != want || m.Trace.Steps[0].Variant != match.TriangleVariant {
					t.Errorf("closed from %d, %d heavy, room for %d: %d, error %v, %q; the processor counts %d", closing[0], heavy, room, n, err, m.Trace.Steps[0].Variant, want)
				}
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestTrianglesOfADenseGraph(t *testing.T) {
	t.Parallel()
	checkDenseTriangles(t, 40, nil)
}

func TestDeviceMatchesTrianglesOfADenseGraph(t *testing.T) {
	checkDenseTriangles(t, 900, driver(t))
}
