package matchtest

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Spread makes the case's IDs n times as large, in the same order, so that edge labels lie far apart anywhere in the ID
// space. Its solutions are those it had, spread.
func (c *Case) Spread(n int) {
	id := func(v dictionary.ID) dictionary.ID {
		if v == dictionary.None {
			return v
		}
		return v * dictionary.ID(n)
	}
	ids := func(all []dictionary.ID) {
		for i, v := range all {
			all[i] = id(v)
		}
	}
	c.Vertices *= n
	c.Labels = c.Vertices
	if c.TypeLabel > 0 {
		c.TypeLabel *= n
	}
	for i, e := range c.Edges {
		e.From, e.Label, e.To = id(e.From), id(e.Label), id(e.To)
		c.Edges[i] = e
	}
	for i := range c.Patterns {
		p := &c.Patterns[i]
		for _, t := range []*parser.PatternTerm{&p.Subject, &p.Predicate, &p.Object} {
			if !t.IsVariable() {
				t.Term = Term(id(idOf(t.Term)))
			}
		}
	}
	for name, r := range c.Options.Ranges {
		r.Low, r.High = id(r.Low), id(r.High)
		c.Options.Ranges[name] = r
	}
	for name, set := range c.Options.Candidates {
		set = slices.Clone(set)
		ids(set)
		c.Options.Candidates[name] = set
	}
	if c.Seeds != nil {
		for _, column := range c.Seeds.Cols {
			ids(column)
		}
	}
}
