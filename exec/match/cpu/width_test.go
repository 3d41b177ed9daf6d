package cpu

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestTablesOfWidePatternsHoldFewerRows: a chain of n steps carries n columns at n levels.
func TestTablesOfWidePatternsHoldFewerRows(t *testing.T) {
	chain := func(n int) *join {
		p := &join{Lowering: &match.Lowering{Plan: &bgp.MatchPlan{Slots: make([]bgp.Slot, n)}}}
		for level := range n + 1 {
			p.carry = append(p.carry, make([]int, level))
		}
		return p
	}
	m := New()
	if r := newRun(m, chain(10), 0); r.capacity != match.BatchRows {
		t.Errorf("a chain of 10 holds %d rows a table, want %d", r.capacity, match.BatchRows)
	}
	for _, n := range []int{100, 300} {
		p, charged := chain(n), int64(0)
		p.charge = func(bytes int64) error { charged += bytes; return nil }
		r := newRun(m, p, 0)
		if r.tableBytes > 64<<20 {
			t.Errorf("a chain of %d takes %d bytes for each worker", n, r.tableBytes)
		}
		r.charge(1)
		if charged != r.tableBytes {
			t.Errorf("%d bytes are counted of %d", charged, r.tableBytes)
		}
	}
}
