package planner

import (
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
)

// union plans the branches of a union, or what they have in common first where that is much cheaper.
func (p *planner) union(n *parser.Union, r request) (Node, error) {
	u := &Union{Properties: p.made(p.outputColumns(n, r), r.inputs)}
	for _, b := range rules.Branches(nil, n) {
		branch, err := p.lower(b, r)
		if err != nil {
			return nil, err
		}
		u.Branches = append(u.Branches, branch)
		u.Cost += branch.Props().Cost
		u.Rows += branch.Props().Rows
	}
	if p.options.Unoptimised || p.options.Semantics != bgp.Homomorphism || len(r.inputs) > 0 || p.options.Tuning.SharedGain < 0 {
		return u, nil
	}
	common, rest, ok := rules.CommonPart(n)
	if !ok {
		return u, nil
	}
	if cheaper, err := p.shares(common, rest, u.Cost); err != nil || !cheaper {
		return u, err
	}
	return p.lower(&parser.Join{Left: common, Right: rules.United(rest)}, r)
}

// shares reports whether matching a common part once, and the rest for its rows, costs much less than the branches
// apart.
func (p *planner) shares(common *parser.BGP, rest []*parser.BGP, apart float64) (bool, error) {
	limit := p.options.Tuning.SharedGain * apart
	shared := p.scopes.Of(common).May
	first, err := p.lower(common, request{need: shared})
	if err != nil {
		return false, err
	}
	e := first.Props()
	cost := e.Cost + e.Rows*rowCost
	for _, b := range rest {
		own := p.scopes.Of(b).May
		inputs := shared.And(own)
		if len(b.Patterns) == 0 || inputs.Empty() || cost >= limit {
			return false, nil
		}
		branch, err := p.lower(b, request{need: own.Without(inputs), inputs: p.scopes.Names(inputs)})
		if err != nil {
			return false, err
		}
		cost += e.Rows * branch.Props().Cost
	}
	return cost < limit, nil
}
