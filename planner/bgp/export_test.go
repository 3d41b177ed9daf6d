package bgp

import (
	"context"

	"fmt"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// InOrder plans a pattern without inputs in the given order of its variables, whatever that costs.
func InOrder(patterns []parser.TriplePattern, graph *pcsr.Graph, lookup Lookup, options Options, names []string) (*MatchPlan, error) {
	b := newBGP(context.Background(), graph, &options)
	b.resolve(patterns, lookup)
	if b.reason != "" {
		return nil, fmt.Errorf("bgp: %s", b.reason)
	}
	order := make([]int, len(names))
	for i, name := range names {
		order[i] = b.variables[name]
	}
	e := b.estimate(nil, samples)
	plan := b.complete(e, nil, order)
	e.signSteps(plan)
	return plan, nil
}
