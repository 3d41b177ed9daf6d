package gpu

import (
	"context"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
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
