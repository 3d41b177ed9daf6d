package mine

import (
	"context"
	"iter"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// Predicate is the number of a kind of edge, 0 … in the order in which BuildLabelled got them.
type Predicate = uint32

// Labelled is a graph of labelled vertices and edges, without loops: between two vertices there is at most one edge of a predicate in
// each direction, and a vertex may have several labels. Every vertex has an edge. It is shared by any number of goroutines.
type Labelled struct {
	names    []uint32
	first    []uint64 // vertex → where its labels begin, and the end
	labels   []Label  // ascending for each vertex
	only     []Label  // vertex → its label, several where it has more
	classes  int
	out, in  []rows // by predicate; the same without directions
	directed bool
}

// rows are the edges of a predicate in one direction, by vertex; only those vertices are in that have one.
type rows struct {
	vertices []Vertex
	offsets  []uint64
	others   []Vertex
}

// at is the i-th vertex and its neighbours, ascending.
func (r *rows) at(i int) (Vertex, []Vertex) {
	return r.vertices[i], r.others[r.offsets[i]:r.offsets[i+1]]
}

// parts is how many parts rows have, which goroutines look through: one for each page of vertices.
func (r *rows) parts() int {
	if len(r.vertices) == 0 {
		return 0
	}
	return int(r.vertices[len(r.vertices)-1]/pageVertices) + 1
}

// part is which rows a part consists of.
func (r *rows) part(i int) (first, end int) {
	first, _ = slices.BinarySearch(r.vertices, Vertex(i*pageVertices))
	end, _ = slices.BinarySearch(r.vertices, Vertex((i+1)*pageVertices))
	return first, end
}

// several stands for the labels of a vertex that has more than one.
const several Label = 1<<32 - 1

// unlabelled are the labels of a vertex that has none.
var unlabelled = []Label{NoLabel}

// BuildLabelled makes a graph of the pairs (subject, object) of each predicate, in any order, loops and repeats among them left out, and of
// the members of each label, counted from 1. Without directions an edge leads both ways. While it works it takes 8 bytes for a pair, as much
// again for those of the predicate with the most, and 4 for each name up to the largest; the graph has 8 for each edge, about as much for
// each vertex of a predicate, 12 for each vertex and 4 for each label of one. The error is the cause of ctx.
func BuildLabelled(ctx context.Context, predicates []iter.Seq2[uint32, uint32], members []iter.Seq[uint32], directed bool) (*Labelled, error) {
	g := &Labelled{directed: directed, classes: len(members)}
	edges := make([][]uint64, len(predicates))
	for p, pairs := range predicates {
		for a, b := range pairs {
			if a == b {
				continue
			}
			if edges[p] = append(edges[p], uint64(a)<<32|uint64(b)); !directed {
				edges[p] = append(edges[p], uint64(b)<<32|uint64(a))
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	vertices := g.number(edges)
	for p, pairs := range edges {
		for i, e := range pairs {
			pairs[i] = uint64(vertices[e>>32])<<32 | uint64(vertices[uint32(e)])
		}
		pairs, scratch := distinct(pairs)
		g.out = append(g.out, rowsOf(pairs))
		if !directed {
			continue
		}
		for i, e := range pairs {
			pairs[i] = e<<32 | e>>32
		}
		g.in = append(g.in, rowsOf(radix.SortUpper(pairs, scratch, 32)))
		edges[p] = nil
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	if !directed {
		g.in = g.out
	}
	g.label(members, vertices)
	return g, ctxErr(ctx)
}

// number names the vertices in the order of their names, and returns the vertex of each name.
func (g *Labelled) number(edges [][]uint64) []Vertex {
	var last uint32
	for _, pairs := range edges {
		for _, e := range pairs {
			last = max(last, uint32(e), uint32(e>>32))
		}
	}
	vertices := make([]Vertex, uint64(last)+1)
	for _, pairs := range edges {
		for _, e := range pairs {
			vertices[uint32(e)], vertices[e>>32] = 1, 1
		}
	}
	for name, there := range vertices {
		if there != 0 {
			vertices[name] = Vertex(len(g.names))
			g.names = append(g.names, uint32(name))
		}
	}
	return vertices
}

// rowsOf makes rows of ascending pairs.
func rowsOf(pairs []uint64) (r rows) {
	r.others = make([]Vertex, len(pairs))
	for i, e := range pairs {
		if v := Vertex(e >> 32); len(r.vertices) == 0 || r.vertices[len(r.vertices)-1] != v {
			r.vertices, r.offsets = append(r.vertices, v), append(r.offsets, uint64(i))
		}
		r.others[i] = Vertex(e)
	}
	r.offsets = append(r.offsets, uint64(len(pairs)))
	return r
}

// label gives the vertices their labels.
func (g *Labelled) label(members []iter.Seq[uint32], vertices []Vertex) {
	var pairs []uint64
	for i, names := range members {
		for name := range names {
			if uint64(name) >= uint64(len(vertices)) {
				continue
			}
			if v := vertices[name]; int(v) < len(g.names) && g.names[v] == name {
				pairs = append(pairs, uint64(v)<<32|uint64(i+1))
			}
		}
	}
	pairs, _ = distinct(pairs)
	g.first = make([]uint64, len(g.names)+1)
	g.labels = make([]Label, len(pairs))
	for i, pair := range pairs {
		g.labels[i] = Label(pair)
		g.first[pair>>32+1] = uint64(i + 1)
	}
	g.only = make([]Label, len(g.names))
	for v := range g.names {
		g.first[v+1] = max(g.first[v+1], g.first[v])
		switch own := g.Labels(Vertex(v)); len(own) {
		case 1:
			g.only[v] = own[0]
		default:
			g.only[v] = several
		}
	}
}

// Len is the number of vertices.
func (g *Labelled) Len() int { return len(g.names) }

// Edges is the number of edges; one that leads both ways counts once.
func (g *Labelled) Edges() (n uint64) {
	for _, r := range g.out {
		n += uint64(len(r.others))
	}
	if !g.directed {
		n /= 2
	}
	return n
}

// Directed reports whether edges have directions.
func (g *Labelled) Directed() bool { return g.directed }

// Name is what the vertex was called in the pairs that the graph was built of.
func (g *Labelled) Name(v Vertex) uint32 { return g.names[v] }

// Labels are those of a vertex, ascending: NoLabel alone where it has none.
func (g *Labelled) Labels(v Vertex) []Label {
	if first, end := g.first[v], g.first[v+1]; first < end {
		return g.labels[first:end]
	}
	return unlabelled
}
