package planner

import (
	"math"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"github.com/rdfgpu/rdfgpu/planner/rules"
)

// Solutions add up over what a pattern is distributed into (rules.Distributed), and so do counts and the groups of rows that are counted:
//
//	(P, { A } UNION { B })           = (P ∪ A) + (P ∪ B)
//	(P, VALUES (?v ?w) { (a b) … })  = (P with a for ?v and b for ?w) + …
//	(P, ?v iri? ?w)                  = (P with ?v for ?w) + (P ∪ ?v iri ?w, ?v and ?w differ)
//
// The patterns on the right are matches of their own, in which weights stand for rows that are counted; on the left the rows of one operand
// are seeds of the others.

// terms plans the number of a pattern's solutions as a sum of those of matches, given its plan; nil where that is none of matches.
func (p *planner) terms(n parser.Node, in Node) ([]CountTerm, error) {
	if out, err := p.difference(n, in); out != nil || err != nil {
		return out, err
	}
	if m, ok := in.(*Match); ok {
		return []CountTerm{{1, m}}, nil
	}
	u, ok := in.(*Union)
	if !ok {
		return nil, nil
	}
	patterns := rules.Branches(nil, n)
	if len(patterns) != len(u.Branches) {
		return nil, nil
	}
	return p.sum(patterns, u.Branches)
}

// sum is the terms of several patterns with their plans; nil where one of them has none.
func (p *planner) sum(patterns []parser.Node, plans []Node) (out []CountTerm, err error) {
	for i, in := range plans {
		list, err := p.terms(patterns[i], in)
		if err != nil || list == nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// distributedTerms are the terms of what a pattern is distributed into; nil where that is not done.
func (p *planner) distributedTerms(n parser.Node, r request, in Node) ([]CountTerm, error) {
	patterns, out, err := p.distributed(n, r, in)
	if err != nil || patterns == nil {
		return nil, err
	}
	return p.sum(patterns, out.(*Union).Branches)
}

// distributed returns the plan of a pattern: that of what it is distributed into, with these patterns, where that is
// expected to cost clearly less than the given one, and otherwise the given one.
func (p *planner) distributed(n parser.Node, r request, in Node) ([]parser.Node, Node, error) {
	t := &p.options.Tuning
	if t.DistributedGain < 0 || p.options.Semantics != bgp.Homomorphism || p.options.Unoptimised || p.applied || !hasJoin(in) {
		return nil, in, nil
	}
	cost, _ := rowsPrice(in)
	if cost < t.DifferenceCost {
		return nil, in, nil
	}
	patterns := rules.Distributed(p.scopes, n)
	if patterns == nil {
		return nil, in, nil
	}
	u := &Union{Properties: p.made(p.outputColumns(n, r), nil)}
	for _, part := range patterns {
		branch, err := p.lower(part, r)
		if err != nil {
			return nil, nil, err
		}
		price, rows := rowsPrice(branch)
		u.Branches, u.Cost, u.Rows = append(u.Branches, branch), u.Cost+price, u.Rows+rows
		if u.Cost > t.DistributedGain*cost {
			return nil, in, nil
		}
	}
	return patterns, u, nil
}

// hasJoin reports whether a plan hands rows from one operand of a join to another, at its top.
func hasJoin(n Node) bool {
	switch n := n.(type) {
	case *Join:
		return true
	case *Looked:
		return true
	case *Union:
		for _, b := range n.Branches {
			if hasJoin(b) {
				return true
			}
		}
	case *Filter:
		return hasJoin(n.Input)
	}
	return false
}

// rowsPrice is what a plan costs with the rows that go from operator to operator in it, and how many it has, as far as known.
func rowsPrice(n Node) (cost, rows float64) {
	switch n := n.(type) {
	case *Join:
		return n.rowsPrice()
	case *Looked:
		return rowsPrice(n.Otherwise)
	case *Union:
		for _, b := range n.Branches {
			c, r := rowsPrice(b)
			cost, rows = cost+c, rows+r
		}
		return cost, rows
	case *Filter:
		return rowsPrice(n.Input)
	}
	return n.Props().Cost, n.Props().Rows
}

// rowsPrice is that of a join: the right side is matched for the rows of the left one, or looked up in a table.
func (j *Join) rowsPrice() (cost, rows float64) {
	left, seeds := rowsPrice(j.Left)
	cost = math.Inf(1)
	if j.Seeded != nil {
		own, each := rowsPrice(j.Seeded.Variant(j.Seeded.All()).Made())
		cost, rows = seeds*(rowCost+own), seeds*each
	}
	if j.Hashed != nil && j.Hashed.Plan.Made() != nil {
		own, all := rowsPrice(j.Hashed.Plan.Made())
		if table := own + (seeds+all)*rowCost; table < cost {
			cost, rows = table, max(rows, seeds)
		}
	}
	if j.Kind != Inner {
		rows = max(rows, seeds)
	}
	return left + cost, rows
}
