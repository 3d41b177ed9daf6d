package watch

import (
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestLargeSearchesArePricedTogether: with as many threads as share a commit's work, for that is what a device is compared with, and by what some of their hits
// take, or all did before.
func TestLargeSearchesArePricedTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	s := &stream{T: t, Labelled: matchtest.DrawLabelled(random, 500, 4000, 2), semantics: bgp.Isomorphism}
	x := matchtest.NewExtractor(s.Labelled)
	for tries := 0; len(s.queries) == 0 && tries < 1000; tries++ {
		if p, ok := x.Pattern(random, 5, matchtest.PatternKinds[tries%len(matchtest.PatternKinds)]); ok {
			s.stand(p)
		}
	}
	s.hold()
	costs, calls := [2][]float64{}, map[int]int{}
	for _, threads := range []int{1, 4} {
		w := way{threads: threads, tuning: tuned, matcher: cpu.New(), together: func(plans []*bgp.MatchPlan, _ *pcsr.Graph, among int) match.Matcher {
			if among != threads {
				t.Errorf("priced for %d threads of %d", among, threads)
			}
			if calls[threads]++; calls[threads] == 1 {
				for _, p := range plans {
					costs[threads/4] = append(costs[threads/4], p.Cost)
				}
			}
			return cpu.New()
		}}
		var r run
		s.match(w, s.queries, &r, s.rest, s.rest.Change(s.rest.Vertices(), s.held, nil), s.held, nil)
	}
	if len(costs[0]) < 2 || len(costs[0]) != len(costs[1]) {
		t.Fatalf("%d and %d searches", len(costs[0]), len(costs[1]))
	}
	if calls[1] != 2 || calls[4] != 1 {
		t.Errorf("priced %d times at first, %d times once it is known what they took", calls[1], calls[4])
	}
	learnt := false
	for i, cost := range costs[0] {
		if costs[1][i] < cost {
			t.Errorf("a search costs %g at first, %g once it is known what it took", cost, costs[1][i])
		}
	}
	for _, l := range s.queries[0].leaves {
		for _, seed := range l.seeds {
			learnt = learnt || seed.took > 0
		}
	}
	if !learnt {
		t.Error("nothing was kept of what a search took")
	}
}
