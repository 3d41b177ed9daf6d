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
	// Match is the plan that was run, where conditions were tested for it; whole: a product was matched in one.
	Match *bgp.MatchPlan
	Whole bool
}
