package gpu

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestHeldPartitionsStay: two states of a graph that one plan reads are made on the device once, and not in each match anew.
func TestHeldPartitionsStay(t *testing.T) {
	t.Parallel()
	m, ctx := ring(t, 600), context.Background()
	was := m.Graph.Change(600, []pcsr.Edge{{From: 1, To: 100}}, nil)
	now := was.Change(600, []pcsr.Edge{{From: 2, To: 200}}, nil)
	as := func(l pcsr.Label) pcsr.Label { return 1<<30 | l }
	both := now.Beside(was, []pcsr.Label{0}, as)
	slot := map[string]bgp.Operand{}
	for i, s := range m.Plan.Slots {
		slot[s.Variable] = bgp.Bound(i)
	}
	plan, ok := m.Plan.Relabel(map[bgp.EdgeCheck]pcsr.Label{{From: slot["b"], Label: bgp.Const(0), To: slot["c"]}: as(0)})
	if !ok {
		t.Fatal("the plan has no edge b c")
	}
	want, err := cpu.New().Count(ctx, &match.Match{Graph: both, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, Options{})
	patched := func(g *pcsr.Graph, plan *bgp.MatchPlan, want uint64) int {
		before, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if n, err := d.Count(ctx, &match.Match{Graph: g, Plan: plan}); err != nil || n != want && want != 0 {
				t.Fatalf("%d, want %d, error %v", n, want, err)
			}
		}
		after, err := d.Info()
		if err != nil {
			t.Fatal(err)
		}
		return after.Patched - before.Patched
	}
	if n := patched(was, m.Plan, 0); n == 0 {
		t.Error("the state before was not made")
	}
	release, err := d.Hold(ctx, both, plan)
	if err != nil {
		t.Fatal(err)
	}
	if n := patched(both, plan, want); n != 0 {
		t.Errorf("%d partitions were made anew that were held", n)
	}
	release()
	if n := patched(now, m.Plan, 0); n != 0 {
		t.Errorf("%d partitions of the newest state were made anew", n)
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%d bytes are left after Close, error %v", d.memory.inUse(), err)
	}
}

// TestPartitionsOfNewLabelsStay: what is made of labels that no file has is not made anew in each match.
func TestPartitionsOfNewLabelsStay(t *testing.T) {
	t.Parallel()
	var came []pcsr.Edge
	for v := range pcsr.Vertex(100) {
		came = append(came, pcsr.Edge{From: v, Label: 1, To: v + 1}, pcsr.Edge{From: v, Label: 2, To: v + 1})
	}
	g := ring(t, 600).Graph.Change(600, came, nil)
	patterns := []parser.TriplePattern{matchtest.Edge(0, 1, 1), matchtest.Edge(1, 2, 2)}
	plan, err := bgp.Plan(t.Context(), patterns, g, lookup, bgp.Options{CountOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, Options{tuning: tuning{Tuning: match.Tuning{NoLeaves: true}}})
	defer d.Close()
	for i := range 3 {
		before := d.partitions.made
		count(t, d, &match.Match{Graph: g, Plan: plan}, 99)
		if made := d.partitions.made - before; i == 0 && made < 2 || i > 0 && made > 0 {
			t.Errorf("the match %d made %d partitions", i, made)
		}
		if price := d.Price(g, plan); price != 0 {
			t.Errorf("%g is missing after the match %d", price, i)
		}
	}
}

// TestLabelsAreBroughtBeforehand: a partition that was copied is brought where the state before is there; one that is made of another, or of which
// nothing is there, waits.
func TestLabelsAreBroughtBeforehand(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	edges := func(n int) (list []pcsr.Edge) {
		for range n {
			list = append(list, pcsr.Edge{From: random.Uint32N(5000), Label: 3, To: random.Uint32N(5000)})
		}
		return list
	}
	before, err := pcsr.Build(5000, 4, edges(20_000))
	if err != nil {
		t.Fatal(err)
	}
	const unchanged = 1 << 20
	for _, c := range []struct {
		added          int
		there, brought bool
	}{{5000, true, true}, {5000, false, false}, {5, true, false}} {
		d := open(t, Options{})
		if c.there {
			if _, _, err := d.partitions.hold(t.Context(), before, before.Partition(3, pcsr.Out), false); err != nil {
				t.Fatal(err)
			}
		}
		after := before.Change(5000, edges(c.added), nil)
		both := after.Beside(before, []pcsr.Label{3}, func(pcsr.Label) pcsr.Label { return unchanged })
		d.PrepareLabels(both, 3, unchanged)
		if d.ahead.done != nil {
			<-d.ahead.done
		}
		for _, dir := range []pcsr.Direction{pcsr.Out, pcsr.In} {
			if there := d.partitions.has(after.Partition(3, dir)); there != c.brought {
				t.Errorf("%+v: direction %v: there %v", c, dir, there)
			}
		}
	}
}

// TestLargePartitionsComeInPieces, through two buffers in turn, as they are.
func TestLargePartitionsComeInPieces(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	var edges []pcsr.Edge
	for range 2_500_000 {
		edges = append(edges, pcsr.Edge{From: random.Uint32N(1 << 19), Label: 0, To: random.Uint32N(1 << 20)})
	}
	g, err := pcsr.Build(1<<20, 1, edges)
	if err != nil {
		t.Fatal(err)
	}
	d := open(t, Options{})
	part := g.Partition(0, pcsr.Out)
	l, entry, err := d.partitions.hold(t.Context(), g, part, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameArrays(t, d, entry, part); err != nil {
		t.Error(err)
	}
	if err := d.partitions.letGo(l); err != nil {
		t.Error(err)
	}
}
