package exec

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// sharedGain is the share of the cost of separate branches below which matching their common part once is worth it.
var sharedGain = 0.5

// rowPrice is what a row of the common part costs that leaves the matcher and comes back as a seed.
const rowPrice = 16

// sharedUnion: Union(BGP(A ∪ B), BGP(A ∪ C)) → Join(BGP(A), Union(BGP(B), BGP(C))) where A has several patterns and
// few solutions for what finding them costs; nil where that is not so. Under the other semantics than homomorphism a
// pattern's parts are not independent.
func (c *compiler) sharedUnion(n *parser.Union, r request, separate float64) (operator, error) {
	if c.plan.options.Unoptimised || c.plan.options.Semantics != bgp.Homomorphism || len(r.inputs) > 0 {
		return nil, nil
	}
	common, rest := commonPart(branches(nil, n))
	if common == nil {
		return nil, nil
	}
	first, err := c.compile(common, request{need: c.scopes.of(common).vars})
	if err != nil {
		return nil, err
	}
	e := first.node()
	cost := e.cost + e.EstimatedRows*rowPrice
	for _, b := range rest {
		inputs := intersection(c.scopes.of(common).vars, c.scopes.of(b).vars).sorted()
		if len(b.Patterns) == 0 || len(inputs) == 0 || cost >= sharedGain*separate {
			return nil, nil
		}
		op, err := c.compile(b, request{need: without(c.scopes.of(b).vars, setOf(inputs...)), inputs: inputs})
		if err != nil {
			return nil, err
		}
		cost += e.EstimatedRows * op.node().cost
	}
	if cost >= sharedGain*separate {
		return nil, nil
	}
	var either parser.Node = rest[0]
	for _, b := range rest[1:] {
		either = &parser.Union{Left: either, Right: b}
	}
	return c.compile(&parser.Join{Left: common, Right: either}, r)
}

// commonPart splits basic graph patterns into the triple patterns that all of them have, two at least, and the others.
func commonPart(list []parser.Node) (common *parser.BGP, rest []*parser.BGP) {
	if len(list) > maxSharing {
		return nil, nil
	}
	for _, n := range list {
		b, ok := n.(*parser.BGP)
		if !ok {
			return nil, nil
		}
		rest = append(rest, b)
	}
	common = &parser.BGP{}
	for _, t := range rest[0].Patterns {
		missing := func(b *parser.BGP) bool { return !slices.Contains(b.Patterns, t) }
		if !slices.ContainsFunc(rest, missing) && !slices.Contains(common.Patterns, t) {
			common.Patterns = append(common.Patterns, t)
		}
	}
	if len(common.Patterns) < 2 || len(connected(common)) > 1 {
		return nil, nil
	}
	for i, b := range rest {
		own := slices.DeleteFunc(slices.Clone(b.Patterns), func(t parser.TriplePattern) bool { return slices.Contains(common.Patterns, t) })
		rest[i] = &parser.BGP{Patterns: own}
	}
	return common, rest
}

// maxSharing is how many branches are searched for a common part.
const maxSharing = 64
