package cpu_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// TestTreesOfDifferentVerticesMatchAsByBruteForce: what hangs on vertices that must differ from others is summed up once, and taken away where they do not.
func TestTreesOfDifferentVerticesMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := matchtest.DrawTree(rt)
		c.Options.Semantics, c.Options.WeightGain = bgp.Isomorphism, 0
		if err := matchtest.Check(matchtest.OnThreads(cpu.NewContrary(), rapid.IntRange(1, 2).Draw(rt, "threads")), c); err != nil {
			rt.Fatal(err)
		}
	})
}
