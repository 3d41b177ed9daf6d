package bgp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestCountsOfAChainAreRemembered: the more, the longer it is; of rows that are listed nothing is.
func TestCountsOfAChainAreRemembered(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var edges []pcsr.Edge
	for range 2000 {
		edges = append(edges, pcsr.Edge{From: 1 + random.Uint32N(100), Label: 0, To: 1 + random.Uint32N(100)})
	}
	g, err := pcsr.Build(101, 1, edges)
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(rdf.Term) (dictionary.ID, bool) { return 0, true }
	share := func(length int, options Options) float64 {
		var patterns []parser.TriplePattern
		for i := range length {
			patterns = append(patterns, parser.TriplePattern{
				Subject: parser.PatternTerm{Variable: fmt.Sprint("v", i)}, Predicate: parser.PatternTerm{Term: rdf.NewIRI("http://example.org/p")},
				Object: parser.PatternTerm{Variable: fmt.Sprint("v", i+1)},
			})
		}
		plan, err := Plan(context.Background(), patterns, g, lookup, options)
		if err != nil {
			t.Fatal(err)
		}
		return plan.recall(g)
	}
	last := 1.0
	for _, length := range []int{3, 4, 5} {
		s := share(length, Options{CountOnly: true})
		if s <= 0 || s >= last/2 {
			t.Errorf("of a chain of %d edges %g is left, of a shorter one %g", length, s, last)
		}
		last = s
	}
	if s := share(4, Options{Output: []string{"v0", "v1", "v2", "v3", "v4"}}); s != 1 {
		t.Errorf("%g is left of rows that are listed", s)
	}
}
