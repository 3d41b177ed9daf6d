package gpu

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// eachDamage calls f with a graph that was written to a file so many times, each with one byte changed, where it can be opened.
func eachDamage(t *testing.T, g *pcsr.Graph, times int, f func(g *pcsr.Graph, path string, at int)) {
	t.Helper()
	path := writeGraph(t, g)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 14))
	for range times {
		bad, at := bytes.Clone(good), random.IntN(len(good))
		bad[at] ^= byte(1 + random.IntN(255))
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		g, err := pcsr.Open(path)
		if err != nil {
			continue
		}
		f(g, path, at)
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamageMetInPagesNamesItsFile: with bytes of a mapped graph changed, counts in pages, of paths and of triangles in parts, are right or refused by the file's name;
// nothing stays pinned or in use.
func TestDamageMetInPagesNamesItsFile(t *testing.T) {
	t.Parallel()
	m := ring(t, 400)
	triangles, closed := ringTriangles(t, 400)
	plans := []*bgp.MatchPlan{m.Plan, triangles.Plan}
	refused := [2]int{}
	eachDamage(t, m.Graph, 60, func(g *pcsr.Graph, path string, at int) {
		for i, want := range []uint64{400 * 8 * 8 * 8, closed} {
			d := open(t, Options{tuning: tuning{inPages: true, page: 512, buffers: 6, scattered: 1 << 20, tripleRoom: 24 << 10, Tuning: match.Tuning{AnyCost: true}}})
			n, err := d.Count(t.Context(), &match.Match{Graph: g, Plan: plans[i]})
			switch {
			case err == nil && n != want:
				t.Errorf("byte %d: %d, want %d", at, n, want)
			case err != nil && (!errors.Is(err, section.ErrDamaged) || !strings.Contains(err.Error(), path)):
				t.Errorf("byte %d: %v", at, err)
			case err != nil:
				refused[i]++
			}
			unpinned(t, d)
		}
	})
	if refused[0] == 0 || refused[1] == 0 {
		t.Errorf("%d were refused", refused)
	}
}
