package blanks

import (
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// graph is a component: quads and the blank nodes in them, by number.
type graph struct {
	labels []string
	quads  []quad
	around [][]int // of each node, its quads
}

// quad has a node, or -1 and the hash of a term, in each position.
type quad struct {
	node [4]int
	term [4]uint64
}

// split cuts a data set into components.
func split(quads []rdf.Quad) []*graph {
	parent := map[string]string{}
	var root func(string) string
	root = func(label string) string {
		if above, ok := parent[label]; ok && above != label {
			parent[label] = root(above)
			return parent[label]
		}
		parent[label] = label
		return label
	}
	for _, q := range quads {
		first := ""
		for _, t := range terms(q) {
			if t.Kind != rdf.BlankNode {
				continue
			}
			if first == "" {
				first = root(t.Value)
			}
			parent[root(t.Value)] = first
		}
	}
	var list []*graph
	of := map[string]*graph{}
	numbers := map[string]int{}
	for _, q := range quads {
		label := anyLabel(q)
		if label == "" {
			continue
		}
		g := of[root(label)]
		if g == nil {
			g = &graph{}
			of[root(label)] = g
			list = append(list, g)
		}
		g.add(q, numbers)
	}
	return list
}

func terms(q rdf.Quad) [4]rdf.Term { return [4]rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} }

func anyLabel(q rdf.Quad) string {
	for _, t := range terms(q) {
		if t.Kind == rdf.BlankNode {
			return t.Value
		}
	}
	return ""
}

// add adds a quad; numbers are those of all labels, which are in one component each.
func (g *graph) add(q rdf.Quad, numbers map[string]int) {
	var compiled quad
	for i, t := range terms(q) {
		if t.Kind != rdf.BlankNode {
			compiled.node[i], compiled.term[i] = -1, xxh3.HashString(t.String())
			continue
		}
		n, ok := numbers[t.Value]
		if !ok {
			n = len(g.labels)
			numbers[t.Value] = n
			g.labels, g.around = append(g.labels, t.Value), append(g.around, nil)
		}
		compiled.node[i] = n
		if list := g.around[n]; len(list) == 0 || list[len(list)-1] != len(g.quads) {
			g.around[n] = append(list, len(g.quads))
		}
	}
	g.quads = append(g.quads, compiled)
}

// mix makes one number of two, in this order.
func mix(a, b uint64) uint64 {
	h := (a ^ b>>29 ^ b<<35) * 0x9E3779B97F4A7C15
	h = (h ^ h>>32 + b) * 0xD6E8FEB86659FD93
	return h ^ h>>29
}

// seen is a quad as it looks with colours; self is the node that looks, or -1.
func (q *quad) seen(colours []uint64, self int) uint64 {
	h := uint64(17)
	for i, n := range q.node {
		switch {
		case n < 0:
			h = mix(h, q.term[i])
		case n == self:
			h = mix(h, 1)
		default:
			h = mix(h, mix(2, colours[n]))
		}
	}
	return h
}

// step gives every node the colour of what it sees.
func (g *graph) step(colours []uint64) []uint64 {
	next := make([]uint64, len(colours))
	var views []uint64
	for n, list := range g.around {
		views = views[:0]
		for _, i := range list {
			views = append(views, g.quads[i].seen(colours, n))
		}
		slices.Sort(views)
		next[n] = colours[n]
		for _, v := range views {
			next[n] = mix(next[n], v)
		}
	}
	return next
}

// refine steps until no step tells more nodes apart. The number of steps depends on what can be seen alone.
func (g *graph) refine(colours []uint64) []uint64 {
	for classes := 0; ; {
		colours = g.step(colours)
		now := distinct(colours)
		if now == classes || now == len(colours) {
			return colours
		}
		classes = now
	}
}

func distinct(colours []uint64) int {
	return len(slices.Compact(slices.Sorted(slices.Values(colours))))
}

// signature is equal for components that are the same up to labels.
func (g *graph) signature(colours []uint64) uint64 {
	views := make([]uint64, len(g.quads))
	for i := range g.quads {
		views[i] = g.quads[i].seen(colours, -1)
	}
	slices.Sort(views)
	h := uint64(len(g.labels))
	for _, v := range views {
		h = mix(h, v)
	}
	return h
}
