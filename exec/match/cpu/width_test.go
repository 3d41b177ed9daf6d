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

// TestManyMemosAreSmaller, together no larger than a worker should be, and are counted.
func TestManyMemosAreSmaller(t *testing.T) {
	m := New()
	with := func(memos int) *run {
		p := &join{Lowering: &match.Lowering{Plan: &bgp.MatchPlan{}}}
		for range memos {
			p.tail = append(p.tail, &group{children: []*group{{remembers: true}}})
		}
		return newRun(m, p, 0)
	}
	if r := with(3); r.memoBits != m.tuning.memoBits || r.tableBytes != 0 {
		t.Errorf("three memos have %d bits and %d bytes are counted", r.memoBits, r.tableBytes)
	}
	for _, memos := range []int{17, 600, 1 << 13} {
		if r := with(memos); memos<<r.memoBits > mostEntries || r.tableBytes == 0 {
			t.Errorf("%d memos have %d bits each, and %d bytes are counted", memos, r.memoBits, r.tableBytes)
		}
	}
}
