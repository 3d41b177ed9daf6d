package matchtest

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Solution is the bindings of the output variables, after the input row that they extend.
type Solution struct {
	Origin int
	Values []dictionary.ID
}

// brute tries every triple for every pattern.
type brute struct {
	*Case
	patterns []parser.TriplePattern // without repeats
	edges    []pcsr.Edge            // without repeats
	binding  map[string]dictionary.ID
	triples  []pcsr.Edge // what each pattern matched
	origin   int
	found    []Solution
}

// Solutions enumerates the solutions of the case, projected to its output variables, one for each solution of the
// whole pattern. Limit and Options.Distinct play no part.
func (c *Case) Solutions() []Solution {
	b := &brute{Case: c}
	for _, p := range c.Patterns {
		if !slices.Contains(b.patterns, p) {
			b.patterns = append(b.patterns, p)
		}
	}
	for _, e := range c.Edges {
		if !slices.Contains(b.edges, e) {
			b.edges = append(b.edges, e)
		}
	}
	rows := 1
	if c.Seeds != nil {
		rows = c.Seeds.N
	}
	for b.origin = range rows {
		b.binding = make(map[string]dictionary.ID)
		for i, name := range c.Options.Inputs {
			b.binding[name] = c.Seeds.Cols[i][b.origin]
		}
		b.match(0)
	}
	return b.found
}

func (b *brute) match(k int) {
	if k == len(b.patterns) {
		if b.allowed() {
			b.emit()
		}
		return
	}
	for _, e := range b.edges {
		var bound []string
		ok := b.unify(b.patterns[k].Subject, e.From, &bound) &&
			b.unify(b.patterns[k].Predicate, e.Label, &bound) &&
			b.unify(b.patterns[k].Object, e.To, &bound)
		if ok && (!b.Options.Semantics.Injective() || b.isomorphic()) {
			b.triples = append(b.triples, e)
			b.match(k + 1)
			b.triples = b.triples[:len(b.triples)-1]
		}
		for _, name := range bound {
			delete(b.binding, name)
		}
	}
}

func (b *brute) unify(t parser.PatternTerm, id dictionary.ID, bound *[]string) bool {
	if !t.IsVariable() {
		return t.Term == Term(id)
	}
	if old, ok := b.binding[t.Variable]; ok {
		return old == id
	}
	b.binding[t.Variable] = id
	*bound = append(*bound, t.Variable)
	return true
}

// allowed tests the semantics and the filters.
func (b *brute) allowed() bool {
	for name, id := range b.binding {
		if slices.Contains(b.Options.Inputs, name) {
			continue
		}
		if r, ok := b.Options.Ranges[name]; ok && (id < r.Low || r.High != 0 && id >= r.High) {
			return false
		}
		if c, ok := b.Options.Candidates[name]; ok && !slices.Contains(c, id) {
			return false
		}
	}
	if slices.ContainsFunc(b.Order, func(pair [2]string) bool {
		return b.binding[pair[0]] >= b.binding[pair[1]]
	}) {
		return false
	}
	for _, d := range b.Options.Unequal {
		other := d.Constant
		if d.B != "" {
			other = b.binding[d.B]
		}
		if b.binding[d.A] == other {
			return false
		}
	}
	switch b.Options.Semantics {
	case bgp.Induced:
		return b.induced()
	case bgp.EdgeIsomorphism:
		for i, e := range b.triples {
			if slices.Contains(b.triples[:i], e) {
				return false
			}
		}
	}
	return true
}

// isomorphic reports whether the nodes that are bound so far are different.
func (b *brute) isomorphic() bool {
	var nodes []parser.PatternTerm
	for _, p := range b.patterns {
		for _, t := range []parser.PatternTerm{p.Subject, p.Object} {
			if !slices.Contains(nodes, t) {
				nodes = append(nodes, t)
			}
		}
	}
	var bound []dictionary.ID
	for _, t := range nodes {
		id, ok := b.binding[t.Variable]
		switch {
		case !t.IsVariable():
			id, _ = b.Lookup(t.Term)
		case !ok:
			continue
		}
		if slices.Contains(bound, id) {
			return false
		}
		bound = append(bound, id)
	}
	return true
}

// induced reports whether the patterns have matched all edges between what the nodes are bound to, of the labels of those that are not classes.
func (b *brute) induced() bool {
	var images, labels []dictionary.ID
	for i, e := range b.triples {
		images = append(images, e.From, e.To)
		if int(e.Label) != b.TypeLabel || b.patterns[i].Object.IsVariable() {
			labels = append(labels, e.Label)
		}
	}
	return !slices.ContainsFunc(b.edges, func(e pcsr.Edge) bool {
		return slices.Contains(labels, e.Label) && slices.Contains(images, e.From) && slices.Contains(images, e.To) && !slices.Contains(b.triples, e)
	})
}

func (b *brute) emit() {
	s := Solution{Origin: b.origin}
	if !b.Options.CountOnly {
		for _, name := range b.Options.Output {
			s.Values = append(s.Values, b.binding[name])
		}
	}
	b.found = append(b.found, s)
}
