package watch

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestASearchIsPricedByOneThreadsShare: where a commit's work is shared by all threads, a device is compared with the time that this takes.
func TestASearchIsPricedByOneThreadsShare(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	s := &stream{T: t, Labelled: matchtest.DrawLabelled(random, 500, 4000, 2), semantics: bgp.Isomorphism}
	x := matchtest.NewExtractor(s.Labelled)
	for tries := 0; len(s.queries) == 0 && tries < 1000; tries++ {
		if p, ok := x.Pattern(random, 5, matchtest.PatternKinds[tries%len(matchtest.PatternKinds)]); ok {
			s.stand(p)
		}
	}
	s.hold()
	costs := map[int][]float64{}
	for _, threads := range []int{1, 4} {
		w := way{threads: threads, tuning: tuned, pick: func(plan *bgp.MatchPlan, _ *pcsr.Graph) match.Matcher {
			costs[threads] = append(costs[threads], plan.Cost)
			return cpu.New()
		}}
		var r run
		s.match(w, s.queries, &r, s.rest, s.rest.Change(s.rest.Vertices(), s.held, nil), s.held, nil)
	}
	if len(costs[1]) == 0 || len(costs[1]) != len(costs[4]) {
		t.Fatalf("%d and %d searches", len(costs[1]), len(costs[4]))
	}
	var sums [2]float64
	for i := range costs[1] {
		sums[0], sums[1] = sums[0]+costs[1][i], sums[1]+costs[4][i]
	}
	if ratio := sums[0] / sums[1]; math.Abs(ratio-4) > 0.2 {
		t.Errorf("priced %.2f times as much for one thread as for four", ratio)
	}
}
