package planner

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// apart matches a pattern for each part of a variable's scattered IDs by itself, where that costs less than matching it for
// all between the first and the last of them. The conditions are tested on the rows of both.
//
//	match { ?x <:age> ?n }                          IDs 700 to 90,000 of ?n
//	→ union of
//	    match { ?x <:age> ?n } where ?n in part 1 of 2    IDs 700 to 800
//	    match { ?x <:age> ?n } where ?n in part 2 of 2    the IDs 89,000, 89,100 and 90,000, which have arrived since
func (p *planner) apart(n *parser.BGP, pushed *pushedFilters, r request, whole *Match) (Node, error) {
	t := &p.options.Tuning
	parts := pushed.apart(min(smallPart, t.MaxListed))
	if len(parts) == 0 || whole.Plan.Ahead != nil || whole.Cost < t.ProductCost*float64(len(parts)) {
		return whole, nil
	}
	u := &Union{Properties: p.made(p.outputColumns(n, r), r.inputs)}
	for i, part := range parts {
		part.notes = append(part.notes, fmt.Sprintf("?%s in part %d of %d", pushed.scattered, i+1, len(parts)))
		m, err := p.match(n, part, r)
		if err != nil {
			return nil, err
		}
		if !m.Plan.Empty {
			u.Branches = append(u.Branches, m)
			u.Cost += m.Cost
			u.Rows += m.Rows
		}
	}
	switch {
	case u.Cost >= t.PartsGain*whole.Cost || len(u.Branches) == 0:
		return whole, nil
	case len(u.Branches) == 1:
		return u.Branches[0], nil
	}
	return u, nil
}

// apart are the conditions with each part of the scattered variable's IDs, where the ranges up to a length are one; none
// where there is no such variable, or where there are many parts.
func (f *pushedFilters) apart(length int) (parts []*pushedFilters) {
	var small []dictionary.Range
	for _, r := range f.parts {
		if r.Len() <= length {
			small = append(small, r)
			continue
		}
		if len(parts) == maxParts {
			return nil
		}
		part := f.copied()
		part.bound(f.scattered, r)
		parts = append(parts, part)
	}
	if len(small) > 0 {
		part := f.copied()
		part.narrow(f.scattered, listed(small))
		parts = append(parts, part)
	}
	return parts
}

// copied are the conditions that the match applies, to be narrowed further.
func (f *pushedFilters) copied() *pushedFilters {
	c := *f
	c.candidates, c.ranges, c.notes = maps.Clone(f.candidates), maps.Clone(f.ranges), slices.Clip(f.notes)
	c.scattered, c.parts = "", nil
	return &c
}
