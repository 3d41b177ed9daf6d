package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

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
				for _, share := range []int64{0, 1, 3} { // of the lists on the device; 0: all, and no parts
					d := open(t, Options{Driver: driver, tuning: tuning{Tuning: match.Tuning{AnyCost: true}, heavyTriangles: heavy, triangleRoom: room, inPages: share > 0}})
					if share > 0 {
						d.options.tripleRoom = 2 * 4 * int64(len(c.Edges)) / share
					}
					m.Trace = &match.Trace{}
					n, err := d.Count(context.Background(), m)
					var mb, chunks, blocks int
					_, _ = fmt.Sscanf(m.Trace.Steps[0].Variant, match.TriangleVariant+": %d MB copied in %d chunks for %d blocks", &mb, &chunks, &blocks)
					if err != nil || n != want || !strings.HasPrefix(m.Trace.Steps[0].Variant, match.TriangleVariant) || share > 0 && chunks < 2 || share > 1 && blocks < 2 {
						t.Errorf("closed from %d, %d heavy, room for %d, 1/%d: %d, error %v, %q; the processor counts %d", closing[0], heavy, room, share, n, err, m.Trace.Steps[0].Variant, want)
					}
					if err := d.Close(); err != nil || d.memory.inUse() != 0 {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

func TestTrianglesOfADenseGraph(t *testing.T) {
	t.Parallel()
	checkDenseTriangles(t, 120, nil)
}

func TestDeviceMatchesTrianglesOfADenseGraph(t *testing.T) {
	checkDenseTriangles(t, 900, driver(t))
}

// ringTriangles is ring's graph, and a plan of triangles in it: one for each two of eight edges that lead on.
func ringTriangles(t *testing.T, n int) (m *match.Match, want uint64) {
	t.Helper()
	m = ring(t, n)
	variable := func(name string) parser.PatternTerm { return parser.PatternTerm{Variable: name} }
	p := pattern{name: "triangle"}
	for _, e := range [][2]string{{"a", "b"}, {"b", "c"}, {"a", "c"}} {
		p.triples = append(p.triples, parser.TriplePattern{Subject: variable(e[0]), Predicate: term(0), Object: variable(e[1])})
	}
	plan, err := p.plan(m.Graph, bgp.Homomorphism, true)
	if err != nil {
		t.Fatal(err)
	}
	return &match.Match{Graph: m.Graph, Plan: plan}, uint64(n) * 28
}

// TestACountInPartsEndsWithItsContext at whatever call it is cancelled, and gives all back.
func TestACountInPartsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m, want := ringTriangles(t, 200)
	ended := 0
	for at := 1; at < 300; at += 5 {
		ctx, cancel, e := cancelAt(at)
		d := open(t, Options{Driver: e, tuning: tuning{slice: 1, inPages: true, tripleRoom: 9 << 10, Tuning: match.Tuning{AnyCost: true}}})
		n, err := d.Count(ctx, m)
		if err == nil && n != want || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at call %d: %d, %v", at, n, err)
		}
		if err != nil {
			ended++
		}
		cancel()
		if err := d.Close(); err != nil || d.memory.inUse() != 0 {
			t.Errorf("%v, %d bytes left", err, d.memory.inUse())
		}
	}
	if ended < 20 {
		t.Errorf("%d were ended", ended)
	}
}

// TestCountsInPartsShareTooLittleMemory: those that find none for their parts are joined, and all are right.
func TestCountsInPartsShareTooLittleMemory(t *testing.T) {
	t.Parallel()
	m, want := ringTriangles(t, 3000)
	d := open(t, Options{Memory: 800 << 10, Launches: 8, tuning: tuning{page: 512, inPages: true, Tuning: match.Tuning{AnyCost: true}}})
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 3 {
				if n, err := d.Count(context.Background(), m); err != nil || n != want {
					t.Error(n, err)
				}
			}
		})
	}
	wg.Wait()
	unpinned(t, d)
}

// TestTrianglesArePartedTheSecondTime: the first count of a cheap plan is joined, and makes no lists.
func TestTrianglesArePartedTheSecondTime(t *testing.T) {
	t.Parallel()
	m, want := ringTriangles(t, 3000)
	plan := *m.Plan
	plan.Cost = 20 * float64(m.Graph.Edges())
	m.Plan, m.Trace = &plan, &match.Trace{}
	d := open(t, Options{tuning: tuning{inPages: true}})
	for i := range 3 {
		n, err := d.Count(t.Context(), m)
		if parted := strings.HasPrefix(m.Trace.Steps[0].Variant, match.TriangleVariant); err != nil || n != want || parted != (i > 0) {
			t.Errorf("count %d: %d, %v, %q", i, n, err, m.Trace.Steps[0].Variant)
		}
		if info, err := d.Info(); err != nil || i == 0 && info.HostBytes > 300_000 || i > 0 && info.HostBytes < 300_000 {
			t.Errorf("count %d: %d bytes in host memory, %v", i, info.HostBytes, err)
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}
