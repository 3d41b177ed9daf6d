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
	patterns [][3]int        // without repeats: the places of subject, predicate and object
	classes  []bool          // the objects of these patterns are constants
	edges    []pcsr.Edge     // without repeats
	names    map[string]int  // the places of variables
	images   []dictionary.ID // what each place is bound to; 0 where it is not bound
	bound    []bool
	nodes    []int       // the places that are subject or object
	triples  []pcsr.Edge // what each pattern matched
	origin   int
	found    []Solution
}

// Solutions enumerates the solutions of the case, projected to its output variables, one for each solution of the
// whole pattern. Limit and Options.Distinct play no part.
func (c *Case) Solutions() []Solution {
	b := &brute{Case: c, names: map[string]int{}}
	constants := map[dictionary.ID]int{}
	place := func(t parser.PatternTerm) int {
		if !t.IsVariable() {
			id := idOf(t.Term)
			if Term(id) != t.Term {
				id = dictionary.None // of no edge
			}
			if _, ok := constants[id]; !ok {
				constants[id] = b.place(id, true)
			}
			return constants[id]
		}
		if _, ok := b.names[t.Variable]; !ok {
			b.names[t.Variable] = b.place(0, false)
		}
		return b.names[t.Variable]
	}
	for i, p := range c.Patterns {
		if slices.Contains(c.Patterns[:i], p) {
			continue
		}
		places := [3]int{place(p.Subject), place(p.Predicate), place(p.Object)}
		b.patterns, b.classes = append(b.patterns, places), append(b.classes, !p.Object.IsVariable())
		for _, node := range []int{places[0], places[2]} {
			if !slices.Contains(b.nodes, node) {
				b.nodes = append(b.nodes, node)
			}
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
		for i, name := range c.Options.Inputs {
			input := place(parser.PatternTerm{Variable: name})
			b.images[input], b.bound[input] = c.Seeds.Cols[i][b.origin], true
		}
		b.match(0)
	}
	return b.found
}

// place makes another place.
func (b *brute) place(id dictionary.ID, bound bool) int {
	b.images, b.bound = append(b.images, id), append(b.bound, bound)
	return len(b.images) - 1
}

func (b *brute) match(k int) {
	if k == len(b.patterns) {
		if b.allowed() {
			b.emit()
		}
		return
	}
	p := b.patterns[k]
	for _, e := range b.edges {
		free := [3]bool{}
		ok := true
		for i, id := range [3]dictionary.ID{e.From, e.Label, e.To} {
			if b.bound[p[i]] {
				if ok = b.images[p[i]] == id; !ok {
					break
				}
				continue
			}
			b.images[p[i]], b.bound[p[i]], free[i] = id, true, true
		}
		if ok && (!b.Options.Semantics.Injective() || b.isomorphic()) {
			b.triples = append(b.triples, e)
			b.match(k + 1)
			b.triples = b.triples[:len(b.triples)-1]
		}
		for i := range free {
			if free[i] {
				b.images[p[i]], b.bound[p[i]] = 0, false
			}
		}
	}
}

// of is what a variable is bound to; 0 where it is not bound.
func (b *brute) of(name string) dictionary.ID {
	if place, ok := b.names[name]; ok {
		return b.images[place]
	}
	return 0
}

// allowed tests the semantics and the filters.
func (b *brute) allowed() bool {
	for name, place := range b.names {
		id := b.images[place]
		if slices.Contains(b.Options.Inputs, name) || !b.bound[place] {
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
		return b.of(pair[0]) >= b.of(pair[1])
	}) {
		return false
	}
	for _, d := range b.Options.Unequal {
		other := d.Constant
		if d.B != "" {
			other = b.of(d.B)
		}
		if b.of(d.A) == other {
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
	for i, node := range b.nodes {
		for _, other := range b.nodes[:i] {
			if b.bound[node] && b.bound[other] && b.images[node] == b.images[other] {
				return false
			}
		}
	}
	return true
}

// induced reports whether the patterns have matched all edges between what the nodes are bound to, of the labels of those that are not classes.
func (b *brute) induced() bool {
	var images, labels []dictionary.ID
	for i, e := range b.triples {
		images = append(images, e.From, e.To)
		if int(e.Label) != b.TypeLabel || !b.classes[i] {
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
			s.Values = append(s.Values, b.of(name))
		}
	}
	b.found = append(b.found, s)
}
