package cpu_test

import (
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"pgregory.net/rapid"
)

func TestMatcherAgreesWithBruteForce(t *testing.T) {
	t.Parallel()
	agrees(t, drawCase)
}

func TestSymmetricPatternsMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	agrees(t, matchtest.DrawSymmetric)
}

func TestInducedPatternsMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	agrees(t, func(t *rapid.T) *matchtest.Case { return inParts(t, matchtest.DrawInduced(t)) })
}

func TestOrderedPatternsMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	agrees(t, func(t *rapid.T) *matchtest.Case { return ordered(t, drawCase(t)) })
	agrees(t, func(t *rapid.T) *matchtest.Case { return ordered(t, inParts(t, matchtest.DrawSymmetric(t))) })
}

// ordered asks for some variables to be less than others.
func ordered(t *rapid.T, c *matchtest.Case) *matchtest.Case {
	matchtest.DrawOrder(t, c)
	return c
}

func agrees(t *testing.T, draw func(*rapid.T) *matchtest.Case) {
	for name, m := range map[string]match.Matcher{
		"as used": matchtest.OnThreads(cpu.New(), 2), "one thread": cpu.New(), "everything small": matchtest.OnThreads(cpu.NewContrary(), 3),
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "one thread" {
				t.Skip("nothing for the race detector")
			}
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				if err := matchtest.Check(m, draw(t)); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// drawCase draws a case whose labels lie close together or far apart, and whose edges lie in one graph or in several that
// are overlaid, or that is changed until it has them.
func drawCase(t *rapid.T) *matchtest.Case { return inParts(t, matchtest.Draw(t)) }

func inParts(t *rapid.T, c *matchtest.Case) *matchtest.Case {
	if n := rapid.SampledFrom([]int{1, 1, 1, 7, 2000}).Draw(t, "spread"); n > 1 {
		c.Spread(n)
	}
	c.Parts = rapid.SampledFrom([]int{1, 1, 2, 3, 4}).Draw(t, "parts")
	c.Changes = rapid.SampledFrom([]int{0, 0, 1, 2, 4}).Draw(t, "changes")
	return c
}

func TestWidePatternsMatch(t *testing.T) {
	for _, n := range []int{1, 2, 31, 47, 48, 49, 63, 64, 65} {
		if err := matchtest.CheckWide(matchtest.OnThreads(cpu.New(), 2), n); err != nil {
			t.Error(err)
		}
	}
}
