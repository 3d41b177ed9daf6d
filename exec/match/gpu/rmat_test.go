package gpu

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

const rmatClasses = 16

// rmat makes a directed R-MAT graph: rdf:type is 0, the one edge label 1, then the classes, then the vertices by class.
func rmat(t *testing.T, edges uint64) *pcsr.Graph { return rmatGraph(t, edges, false, false) }

// rmatGraph is rmat, or a graph whose edges lead both ways; shuffled, the vertices of a class are numbered at random instead of by the generator, which
// gives those of many edges the low numbers.
func rmatGraph(t *testing.T, edges uint64, undirected, shuffled bool) *pcsr.Graph {
	t.Helper()
	scale := 4
	for 1<<scale < edges/12 {
		scale++
	}
	made, err := generate.RMAT(scale, edges, rmatClasses, 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	made.Undirected = undirected
	drawn := uint64(1) // edges of one that is drawn
	if undirected {
		drawn = 2
	}
	n := int(made.Vertices)
	class, id := make([]byte, n), make([]uint32, n)
	const chunk = 1 << 12
	parallel((n+chunk-1)/chunk, func(i int) {
		for v := i * chunk; v < min(n, (i+1)*chunk); v++ {
			class[v] = byte(made.ClassOf(uint64(v)))
		}
	})
	next := uint32(2 + rmatClasses)
	for c := range byte(rmatClasses) {
		for v := range n {
			if class[v] == c {
				id[v] = next
				next++
			}
		}
	}
	if shuffled {
		random := rand.New(rand.NewPCG(7, 0))
		for c := range byte(rmatClasses) {
			var members []int
			for v := range n {
				if class[v] == c {
					members = append(members, v)
				}
			}
			random.Shuffle(len(members), func(i, j int) {
				a, b := members[i], members[j]
				id[a], id[b] = id[b], id[a]
			})
		}
	}
	all := make([]pcsr.Edge, drawn*edges+uint64(n))
	for v := range n {
		all[drawn*edges+uint64(v)] = pcsr.Edge{From: id[v], To: 2 + uint32(class[v])}
	}
	parallel(made.Blocks(), func(b int) {
		at, end := drawn*uint64(b)<<16, drawn*min(edges, uint64(b+1)<<16)
		made.Block(b, func(e generate.Edge) {
			all[at] = pcsr.Edge{From: id[e.From], Label: 1, To: id[e.To]}
			at++
		})
		for ; at < end; at++ { // for loops
			all[at] = all[drawn*edges]
		}
	})
	g, err := pcsr.Build(int(next), 2+rmatClasses, all, pcsr.WithTypeLabel(0))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// rmatPatterns are edges between the vertices a, b, …, and the classes of those (patternIn).
var rmatPatterns = []struct {
	name    string
	edges   []string
	classes []int
}{
	{"path of 3 edges", []string{"ab", "bc", "cd"}, []int{10, 5, 7, 9}},
	{"star of 3 edges", []string{"ab", "ac", "ad"}, []int{13, 4, 6, 8}},
	{"triangle", []string{"ab", "bc", "ac"}, []int{4, 5, 6}},
	{"square", []string{"ab", "bc", "cd", "ad"}, []int{8, 9, 10, 11}},
	{"clique of 4", []string{"ab", "ac", "ad", "bc", "bd", "cd"}, []int{5, 6, 7, 8}},
	{"triangle and tail", []string{"ab", "bc", "ac", "cd", "de"}, []int{9, 10, 11, 12, 3}},
}

// TestReportRMAT measures a skewed graph of a hundred million edges.
func TestReportRMAT(t *testing.T) {
	gpu := driver(t)
	edges := uint64(200_000)
	if s := os.Getenv("RDFGPU_RMAT"); s != "" {
		edges, _ = strconv.ParseUint(s, 10, 64)
	}
	g := rmat(t, edges)
	d := open(t, Options{Driver: gpu})
	defer d.Close()
	r := matchtest.NewReport(t, "rmat.md")
	r.Head("R-MAT with "+strconv.FormatUint(g.Edges(), 10)+" triples, isomorphism", "query", "embeddings", "kernels ms", "plan ms", "whole ms",
		"G embeddings/s", "heaviest step, G candidates/s", "CPU ms")
	for _, q := range rmatPatterns {
		p := patternIn(q.edges, q.classes)
		took, err := timeCount(d, g, func() (*bgp.MatchPlan, error) { return p.plan(g, bgp.Isomorphism, true) }, 3)
		if err != nil {
			t.Errorf("%s: %v", q.name, err)
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		begun := time.Now()
		n, err := matchtest.OnThreads(cpu.New(), 0).Count(ctx, &match.Match{Graph: g, Plan: took.steps})
		cancel()
		var processor any = matchtest.Milliseconds(time.Since(begun))
		if err != nil {
			processor = err
		} else if n != took.count {
			t.Errorf("%s: %d, on the CPU %d", q.name, took.count, n)
		}
		r.Row(q.name, took.count, took.kernels, took.plan, took.whole, float64(took.count)/took.whole/1e6, took.rate(), processor)
	}
}
