package cpu_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// TestPairsOfDifferentMembersAreCounted: of two lists at both ends of an edge, or at one, of which some are long.
func TestPairsOfDifferentMembersAreCounted(t *testing.T) {
	t.Parallel()
	agrees(t, drawPairs)
}

// drawPairs draws things, answers to them and tags of both, and asks for pairs of tags that differ.
func drawPairs(t *rapid.T) *matchtest.Case {
	const tag, answers, first, things, tags = 0, 1, 3, 12, 40
	c := &matchtest.Case{Vertices: first + 2*things + tags, Labels: 2, TypeLabel: -1, Limit: 7, Options: bgp.Options{CountOnly: true}}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	few := rapid.SampledFrom([]int{1, 3, 20}).Draw(t, "tags of one")
	hub := rapid.IntRange(0, 2*things).Draw(t, "hub")
	for i := range 2 * things {
		own := random.IntN(few + 1)
		if i == hub {
			own = tags
		}
		for _, j := range random.Perm(tags)[:own] {
			c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(first + i), Label: tag, To: pcsr.Vertex(first + 2*things + j)})
		}
		if i >= things {
			c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(first + i), Label: answers, To: pcsr.Vertex(first + random.IntN(things))})
		}
	}
	c.Patterns = []parser.TriplePattern{matchtest.Edge(0, 1, tag), matchtest.Edge(2, 0, answers), matchtest.Edge(2, 3, tag)}
	if rapid.Bool().Draw(t, "of one thing") {
		c.Patterns[2] = matchtest.Edge(0, 3, tag)
	}
	c.Options.Unequal = []bgp.Inequality{{A: "v1", B: "v3"}}
	if rapid.IntRange(0, 3).Draw(t, "bounds") == 0 {
		low := rapid.IntRange(first+2*things, first+2*things+tags).Draw(t, "low")
		c.Options.Ranges = map[string]bgp.Range{
			rapid.SampledFrom([]string{"v1", "v3"}).Draw(t, "bound"): {Low: dictionary.ID(low), High: dictionary.ID(low + rapid.IntRange(1, tags).Draw(t, "span"))},
		}
	}
	c.Options.Thorough = rapid.Bool().Draw(t, "thorough")
	c.Changes = rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "changes")
	return c
}
