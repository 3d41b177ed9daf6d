package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
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
