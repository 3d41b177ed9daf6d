package exec

import (
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// measures is what was measured of an operator.
type measures struct {
	Rows    uint64
	Runs    int
	Elapsed time.Duration
	Spilled int64
	Trace   *match.Trace
	// match is the plan that was run, where conditions were tested for it; whole: a product was matched in one.
	match *bgp.MatchPlan
	whole bool
}
