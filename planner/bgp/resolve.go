package bgp

import (
	"context"
	"fmt"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// ref is one position of a triple pattern: a variable (an index into QueryGraph.Vertices) or a constant.
type ref struct {
	vertex int // -1: id is a constant
	id     dictionary.ID
}

func (r ref) isConstant() bool { return r.vertex < 0 }

// pattern is a triple pattern with its terms resolved.
type pattern struct {
	from, label, to ref
	// edge indexes QueryGraph.Edges; -1 for a class and for a ground triple.
	edge  int
	class bool
}

func (p *pattern) mentions(vertex int) bool {
	return p.from.vertex == vertex || p.label.vertex == vertex || p.to.vertex == vertex
}

// bgp is a basic graph pattern on its way to a plan.
type bgp struct {
	ctx      context.Context
	graph    *pcsr.Graph
	options  *Options
	query    *QueryGraph
	patterns []pattern
	// variables maps names to QueryGraph.Vertices.
	variables map[string]int
	constants map[dictionary.ID]int
	// nodes are the constants in subject or object position, classes included (isomorphism).
	nodes []dictionary.ID
	// seen are the patterns, edgeLabels the labels of those that are edges (induced matching).
	seen       map[[3]ref]bool
	edgeLabels []pcsr.Label
	// isNode marks the variables in subject or object position.
	isNode []bool
	// affordable is the work, in list members read, that a look at whole partitions may take; loops keeps what was
	// found: whether a label has an edge from a vertex to itself.
	affordable float64
	loops      map[pcsr.Label]bool
	// reason is why there is no solution; "" while there may be one.
	reason string
	// failed is what ended the work of other threads.
	failed error
}

// resolve turns the patterns into a query graph. It sets reason and stops at a pattern that cannot match.
func (b *bgp) resolve(patterns []parser.TriplePattern, lookup Lookup) {
	b.seen = make(map[[3]ref]bool, len(patterns))
	b.patterns = make([]pattern, 0, len(patterns))
	for i := range patterns {
		s, p, o := b.position(patterns[i].Subject, lookup), b.position(patterns[i].Predicate, lookup), b.position(patterns[i].Object, lookup)
		if b.reason != "" || b.over() {
			return
		}
		if key := [3]ref{s, p, o}; !b.seen[key] {
			b.seen[key] = true
			b.add(pattern{from: s, label: p, to: o, edge: -1})
		}
		if b.reason != "" {
			return
		}
	}
	b.refuseConstants(lookup)
}

// position resolves one term of a pattern.
func (b *bgp) position(t parser.PatternTerm, lookup Lookup) ref {
	if !t.IsVariable() {
		id, ok := lookup(t.Term)
		if !ok && b.reason == "" {
			b.reason = "the term " + t.Term.String() + " is not in the data"
		}
		return ref{-1, id}
	}
	v, ok := b.variables[t.Variable]
	if !ok {
		v = len(b.query.Vertices)
		b.variables[t.Variable] = v
		b.query.Vertices = append(b.query.Vertices, QueryVertex{Variable: t.Variable})
		b.isNode = append(b.isNode, false)
	}
	return ref{vertex: v}
}

// add files a new pattern as a vertex label, an edge or a check of the data.
func (b *bgp) add(p pattern) {
	b.markNode(p.from)
	b.markNode(p.to)
	if p.label.isConstant() && !b.options.Lasting && !b.graph.HasLabel(p.label.id) {
		b.reason = fmt.Sprintf("term %d is no predicate of the data", p.label.id)
		return
	}
	if !p.label.isConstant() {
		b.query.Vertices[p.label.vertex].EdgeLabel = true
	}
	if p.from.isConstant() && p.label.isConstant() && p.to.isConstant() {
		b.ground(p)
		return
	}
	typeLabel, typed := b.graph.TypeLabel()
	if typed && p.label.isConstant() && p.label.id == typeLabel && p.to.isConstant() {
		p.class = true
		v := &b.query.Vertices[p.from.vertex]
		v.Classes = append(v.Classes, p.to.id)
	} else {
		p.edge = len(b.query.Edges)
		b.query.Edges = append(b.query.Edges, b.queryEdge(p))
	}
	if list, ok := b.constantList(&p); ok && len(list) == 0 && !b.options.Lasting {
		b.reason = "no triple matches a pattern by itself"
	}
	b.patterns = append(b.patterns, p)
}

// labels is a bound above every label.
func (b *bgp) labels() dictionary.ID {
	if b.options.Lasting {
		return dictionary.None
	}
	return dictionary.ID(b.graph.Labels())
}

func (b *bgp) queryEdge(p pattern) QueryEdge {
	e := QueryEdge{From: b.vertexOf(p.from), To: b.vertexOf(p.to), LabelVertex: p.label.vertex}
	if p.label.isConstant() {
		e.Label = p.label.id
	}
	return e
}

// vertexOf returns the query vertex of a reference, making one for a constant.
func (b *bgp) vertexOf(r ref) int {
	if !r.isConstant() {
		return r.vertex
	}
	v, ok := b.constants[r.id]
	if !ok {
		v = len(b.query.Vertices)
		b.constants[r.id] = v
		b.query.Vertices = append(b.query.Vertices, QueryVertex{Constant: r.id})
		b.isNode = append(b.isNode, true)
	}
	return v
}

func (b *bgp) markNode(r ref) {
	if !r.isConstant() {
		b.isNode[r.vertex] = true
	} else if !slices.Contains(b.nodes, r.id) {
		b.nodes = append(b.nodes, r.id)
	}
}

// ground checks a triple without variables.
func (b *bgp) ground(p pattern) {
	if !b.options.Lasting && !b.graph.HasEdge(p.from.id, p.label.id, p.to.id) {
		b.reason = "a triple of the pattern is not in the data"
		return
	}
	b.patterns = append(b.patterns, p)
}

// constantList returns the data vertices that a pattern with one variable end and two constants allows for it.
func (b *bgp) constantList(p *pattern) ([]pcsr.Vertex, bool) {
	switch {
	case !p.label.isConstant():
		return nil, false
	case p.to.isConstant() && !p.from.isConstant():
		return b.graph.Neighbours(p.to.id, p.label.id, pcsr.In), true
	case p.from.isConstant() && !p.to.isConstant():
		return b.graph.Neighbours(p.from.id, p.label.id, pcsr.Out), true
	}
	return nil, false
}
