package gpu

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// state is a case and a graph that has its edges.
type state struct {
	*matchtest.Case
	graph *pcsr.Graph
}

// next draws a change, of which the ends and labels are those of edges of the pool.
func (s *state) next(t *rapid.T, pool []pcsr.Edge) *state {
	one := rapid.SampledFrom(pool)
	var added, removed []pcsr.Edge
	for range rapid.IntRange(0, 6).Draw(t, "added") {
		added = append(added, pcsr.Edge{From: one.Draw(t, "a").From, Label: one.Draw(t, "b").Label, To: one.Draw(t, "c").To})
	}
	for range rapid.IntRange(0, 6).Draw(t, "removed") {
		removed = append(removed, one.Draw(t, "gone"))
	}
	after := *s.Case
	after.Edges = slices.DeleteFunc(slices.Clone(s.Edges), func(e pcsr.Edge) bool { return slices.Contains(removed, e) })
	for _, e := range added {
		if !slices.Contains(after.Edges, e) {
			after.Edges = append(after.Edges, e)
		}
	}
	settled := s.graph.Settle()
	return &state{&after, s.graph.Change(s.Vertices, added, removed).Adopt(settled)}
}

// checkStates changes a graph, and asks one device for solutions in the newest states at the same time.
func checkStates(t *testing.T, rt *rapid.T, driver kernels.Driver) {
	c, options := drawCase(rt), drawOptions(rt)
	g, err := c.Graph()
	if err != nil {
		rt.Fatal(err)
	}
	options.Driver, options.Memory = driver, int64(rapid.SampledFrom([]int{4 << 20, 64 << 20}).Draw(rt, "memory"))
	d := open(t, options)
	states, pool := []*state{{c, g}}, slices.Clone(c.Edges)
	for range rapid.IntRange(1, 4).Draw(rt, "states") {
		if len(pool) > 0 {
			states = append(states, states[len(states)-1].next(rt, pool))
		}
		some := states[max(0, len(states)-rapid.IntRange(1, 3).Draw(rt, "asked")):]
		errs := make([]error, len(some))
		var wait sync.WaitGroup
		for i, s := range some {
			wait.Go(func() { errs[i] = matchtest.CheckOn(d, s.Case, s.graph) })
		}
		if wait.Wait(); rapid.IntRange(0, 5).Draw(rt, "forget") == 0 {
			errs = append(errs, d.Forget(g))
		}
		for _, err := range errs {
			if err != nil {
				rt.Fatal(err)
			}
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		rt.Fatalf("%d bytes are left after Close, error %v", d.memory.inUse(), err)
	}
}

func TestStatesOfAGraphMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { checkStates(t, rt, kernels.Emulate(64<<20)) })
}

func TestDeviceMatchesStatesOfAGraphAsByBruteForce(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) { checkStates(t, rt, gpu) })
}

// twoLabels is a graph of a ring of each of two labels.
func twoLabels(t testing.TB, n int) *pcsr.Graph {
	t.Helper()
	var edges []pcsr.Edge
	for v := range n {
		for k := 1; k <= 8; k++ {
			for l := range pcsr.Label(2) {
				edges = append(edges, pcsr.Edge{From: uint32(v), Label: l, To: uint32((v + k) % n)})
			}
		}
	}
	g, err := pcsr.Build(n, 2, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// usage is what the device says after every partition of a graph was asked for.
func usage(t *testing.T, d *Device, g *pcsr.Graph) Info {
	t.Helper()
	if err := d.Upload(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	info, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestAnUpdateCopiesItsDifferenceAlone(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	g := twoLabels(t, 20_000)
	whole := usage(t, d, g)
	changed := g
	for i := range uint32(3) {
		changed = changed.Change(20_000, []pcsr.Edge{{From: i, Label: 1, To: i + 100}, {From: i + 50, Label: 1, To: 3 * i}}, nil)
		before := usage(t, d, g) // also from an older state
		after := usage(t, d, changed)
		if copied := after.Copied - before.Copied; copied == 0 || copied > 4096 || after.Patched != before.Patched+2 {
			t.Errorf("update %d: %d bytes copied, %d partitions patched, %d in all", i, copied, after.Patched-before.Patched, whole.Copied)
		}
		if after.Partitions != whole.Partitions+2 {
			t.Errorf("update %d: %d partitions, %d before updates", i, after.Partitions, whole.Partitions)
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

func TestWhatAFileHasStaysForTheNextThatOpensIt(t *testing.T) {
	t.Parallel()
	path := writeGraph(t, twoLabels(t, 5_000))
	d := open(t, Options{})
	for i := range 3 {
		g, err := pcsr.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		before, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		after := usage(t, d, g)
		if (after.Copied == before.Copied) != (i > 0) {
			t.Errorf("opened %d times: %d bytes copied", i+1, after.Copied-before.Copied)
		}
		if err := errors.Join(d.Forget(g), g.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Forget(); err != nil { // nobody has used it since the last time
		t.Fatal(err)
	}
	if info, err := d.Info(); err != nil || info.Partitions != 0 {
		t.Errorf("%+v is left, error %v", info, err)
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

// writeGraph writes a graph to a file.
func writeGraph(t *testing.T, g *pcsr.Graph) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.pcsr")
	w, err := pcsr.Create(path, g.Vertices(), g.Labels())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range g.UsedLabels() {
		for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
			w.Partition(l, dir)
			for v, list := range g.Partition(l, dir).Lists() {
				for _, to := range list {
					w.Append([]uint64{uint64(v)<<32 | uint64(to)})
				}
			}
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheLongestUnusedMakesRoom(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Memory: 8 << 20})
	graphs := []*pcsr.Graph{twoLabels(t, 20_000), twoLabels(t, 20_001), twoLabels(t, 20_002)} // 2.8 MB each
	for range 2 {
		for _, g := range graphs {
			if info := usage(t, d, g); info.HostBytes > 0 || info.Used > info.Limit {
				t.Fatalf("%+v", info)
			}
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

// forks is a count of ?x that have an edge of label 0 and one of label 1.
func forks(t *testing.T, g *pcsr.Graph) *match.Match {
	t.Helper()
	variable := func(name string) parser.PatternTerm { return parser.PatternTerm{Variable: name} }
	c := matchtest.Case{Vertices: g.Vertices(), Labels: 2, TypeLabel: -1, Options: bgp.Options{CountOnly: true, Output: []string{"x"}}}
	for l, name := range []string{"y", "z"} {
		c.Patterns = append(c.Patterns, parser.TriplePattern{
			Subject: variable("x"), Predicate: parser.PatternTerm{Term: matchtest.Term(dictionary.ID(l))}, Object: variable(name)})
	}
	plan, err := c.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	return &match.Match{Graph: g, Plan: plan}
}

// TestSignaturesPassWhatUpdatesTouched asks for vertices that have the edges which a signature tells of only since an update, in the
// state after it and, when there are many more vertices, in the one before.
func TestSignaturesPassWhatUpdatesTouched(t *testing.T) {
	t.Parallel()
	d := open(t, Options{tuning: tuning{signatures: true}})
	var edges []pcsr.Edge
	for v := range uint32(400) {
		edges = append(edges, pcsr.Edge{From: v, To: v % 7})
		if v%20 == 0 {
			edges = append(edges, pcsr.Edge{From: v, Label: 1, To: v % 5})
		}
	}
	g, err := pcsr.Build(400, 2, edges)
	if err != nil || g.Signatures().Rows() == 0 {
		t.Fatal(err, "or no signatures")
	}
	first := g.Change(400, []pcsr.Edge{{From: 33, Label: 1, To: 5}}, nil)
	second := first.Change(1<<20, []pcsr.Edge{{From: 1 << 19, Label: 1, To: 5}, {From: 1 << 19, To: 5}}, []pcsr.Edge{{From: 20, Label: 1, To: 0}})
	for i, want := range []uint64{20, 21, 21} {
		m := forks(t, []*pcsr.Graph{g, first, second}[i])
		m.Trace = &match.Trace{}
		count(t, d, m, want)
		if i > 0 && !strings.Contains(m.Trace.Steps[0].Variant, "signature") {
			t.Errorf("state %d: the step is %q", i, m.Trace.Steps[0].Variant)
		}
	}
	count(t, d, forks(t, first), 21)
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}
