package exec

import (
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
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
	common, rest, ok := rules.CommonPart(n)
	if !ok {
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
	return c.compile(&parser.Join{Left: common, Right: rules.United(rest)}, r)
}
