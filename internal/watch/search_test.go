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

// TestLargeSearchesArePricedTogether: with as many threads as share a commit's work, for that is what a device is compared with, and by what they took before.
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
	costs := map[int][]float64{}
	for _, threads := range []int{1, 4} {
		w := way{threads: threads, tuning: tuned, matcher: cpu.New(), together: func(plans []*bgp.MatchPlan, _ *pcsr.Graph, among int) match.Matcher {
			if among != threads {
				t.Errorf("priced for %d threads of %d", among, threads)
			}
			for _, p := range plans {
				costs[threads] = append(costs[threads], p.Cost)
			}
			return cpu.New()
		}}
		var r run
		s.match(w, s.queries, &r, s.rest, s.rest.Change(s.rest.Vertices(), s.held, nil), s.held, nil)
	}
	if len(costs[1]) < 2 || len(costs[1]) != len(costs[4]) {
		t.Fatalf("%d and %d searches", len(costs[1]), len(costs[4]))
	}
	learnt := false
	for i, cost := range costs[1] {
		if costs[4][i] < cost {
			t.Errorf("a search costs %g at first, %g once it is known what it took", cost, costs[4][i])
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
