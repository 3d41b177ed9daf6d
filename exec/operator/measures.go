package operator

import (
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Measures is what was measured of an operator.
type Measures struct {
	Rows    uint64
	Runs    int
	Elapsed time.Duration
	Spilled int64
	Trace   *match.Trace
	// Match is the plan that is run, where it is not that of the node: conditions were tested for it, or the matcher runs another;
	// whole: a product was matched in one.
	Match *bgp.MatchPlan
	Whole bool
}

// Add adds what was measured of another operator of the same node; times of several goroutines add up.
func (m *Measures) Add(other *Measures) {
	m.Rows, m.Runs = m.Rows+other.Rows, m.Runs+other.Runs
	m.Elapsed, m.Spilled = m.Elapsed+other.Elapsed, m.Spilled+other.Spilled
}
