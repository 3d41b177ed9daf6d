package mine

import (
	"iter"
	"slices"
	"sort"

	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// Vertex is the number of a vertex in a Graph, 0 … Len()-1. A vertex of a higher number has no fewer neighbours.
type Vertex = uint32

// Label is what a vertex is, such as the number of a class; NoLabel where it is nothing.
type Label = uint32

// NoLabel is the label of vertices that have none.
const NoLabel Label = 0

// Graph is an undirected graph without loops or parallel edges. Every vertex has an edge.
type Graph struct {
	names      []uint32 // vertex → what it was called
	offsets    []uint64 // vertex → where its list begins, and the end
	above      []uint64 // vertex → where the neighbours above it begin
	neighbours []Vertex // ascending in each list
	labels     []Label  // nil: no vertex has one
}

// Build makes a graph of pairs of names, in any order and direction, loops and repeats among them left out. label, where it is not nil,
// gives the label of a name. While it works it takes 8 bytes for each pair and 4 for each name up to
// the largest, and 8 more for each edge; the graph has 8 for each edge and 20 for each vertex. Time goes with sorting the pairs.
func Build(pairs iter.Seq2[uint32, uint32], label func(name uint32) Label) *Graph {
	edges, scratch := simple(pairs)
	g := &Graph{}
	vertices := g.number(edges)
	for i, e := range edges {
		a, b := vertices[e>>32], vertices[uint32(e)]
		edges[i] = uint64(min(a, b))<<32 | uint64(max(a, b))
	}
	g.fill(radix.Sort(edges, scratch))
	if label != nil {
		g.labels = make([]Label, len(g.names))
		for v, name := range g.names {
			g.labels[v] = label(name)
		}
	}
	return g
}

// simple packs pairs, the smaller name first: ascending, each once, without loops; scratch is as long.
func simple(pairs iter.Seq2[uint32, uint32]) (edges, scratch []uint64) {
	for a, b := range pairs {
		if a != b {
			edges = append(edges, uint64(min(a, b))<<32|uint64(max(a, b)))
		}
	}
	return distinct(edges)
}

// distinct sorts keys, each once, in their place or that of scratch, which is made as long; the other of the two is returned as scratch.
func distinct(keys []uint64) (sorted, scratch []uint64) {
	scratch = make([]uint64, len(keys))
	sorted = radix.Sort(keys, scratch)
	if len(keys) > 0 && &sorted[0] != &keys[0] {
		scratch = keys
	}
	return slices.Compact(sorted), scratch
}

// number names the vertices by ascending degree, and then by name; it returns the vertex of each name.
func (g *Graph) number(edges []uint64) []Vertex {
	var last uint32
	for _, e := range edges {
		last = max(last, uint32(e))
	}
	degrees := make([]uint32, uint64(last)+1)
	for _, e := range edges {
		degrees[e>>32]++
		degrees[uint32(e)]++
	}
	for name, degree := range degrees {
		if degree > 0 {
			g.names = append(g.names, uint32(name))
		}
	}
	keys := make([]uint64, len(g.names))
	for i, name := range g.names {
		keys[i] = uint64(degrees[name])<<32 | uint64(name)
	}
	for v, key := range radix.Sort(keys, make([]uint64, len(keys))) {
		g.names[v] = uint32(key)
		degrees[uint32(key)] = Vertex(v)
	}
	return degrees
}

// fill makes the lists of edges between vertices, which ascend, the smaller vertex of each first: so each list has those below its vertex first, and
// ascends.
func (g *Graph) fill(edges []uint64) {
	g.offsets = make([]uint64, len(g.names)+1)
	for _, e := range edges {
		g.offsets[e>>32]++
		g.offsets[uint32(e)]++
	}
	sum := uint64(0)
	for v, degree := range g.offsets {
		g.offsets[v] = sum
		sum += degree
	}
	next := slices.Clone(g.offsets)
	g.neighbours = make([]Vertex, sum)
	for _, e := range edges {
		a, b := Vertex(e>>32), Vertex(e)
		g.neighbours[next[a]], g.neighbours[next[b]] = b, a
		next[a], next[b] = next[a]+1, next[b]+1
	}
	g.above = make([]uint64, len(g.names))
	for v := range g.above {
		g.above[v] = g.offsets[v] + uint64(from(g.Neighbours(Vertex(v)), Vertex(v)))
	}
}

// Len is the number of vertices.
func (g *Graph) Len() int { return len(g.names) }

// Edges is the number of edges, each counted once.
func (g *Graph) Edges() uint64 { return uint64(len(g.neighbours)) / 2 }

// Name is what the vertex was called in the pairs that the graph was built of.
func (g *Graph) Name(v Vertex) uint32 { return g.names[v] }

// Label is the label of a vertex.
func (g *Graph) Label(v Vertex) Label {
	if g.labels == nil {
		return NoLabel
	}
	return g.labels[v]
}

// Labelled reports whether the graph was built with labels.
func (g *Graph) Labelled() bool { return g.labels != nil }

// Neighbours lists the neighbours of a vertex, ascending; it is not to be written to.
func (g *Graph) Neighbours(v Vertex) []Vertex { return g.neighbours[g.offsets[v]:g.offsets[v+1]] }

// Above lists the neighbours whose numbers are greater than that of the vertex itself.
func (g *Graph) Above(v Vertex) []Vertex { return g.neighbours[g.above[v]:g.offsets[v+1]] }

// Degree is the number of neighbours.
func (g *Graph) Degree(v Vertex) int { return int(g.offsets[v+1] - g.offsets[v]) }

// HasEdge reports whether two vertices are adjacent, by a search in the shorter list.
func (g *Graph) HasEdge(v, w Vertex) bool {
	if v < w {
		return contains(g.Neighbours(v), w)
	}
	return contains(g.Neighbours(w), v)
}

// contains searches an ascending list.
func contains(list []Vertex, v Vertex) bool {
	i := from(list, v)
	return i < len(list) && list[i] == v
}

// from is the index of the first vertex of an ascending list that is not below v.
func from(list []Vertex, v Vertex) int {
	return sort.Search(len(list), func(i int) bool { return list[i] >= v })
}
