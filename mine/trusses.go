package mine

import "context"

// Edge is an edge of a graph, the smaller vertex first, and the greatest k of a k-truss that it is in.
type Edge struct {
	From, To Vertex
	Truss    uint32
}

// Trusses gives, for each edge, the greatest k of a k-truss that it is in: the largest subgraph in which every edge is in k-2
// triangles or more (Cohen, Trusses: Cohesive Subgraphs for Social Network Analysis; peeled off as Wang and Cheng, Truss Decomposition
// in Massive Networks). Edges ascend. It takes 28 bytes for each edge, on one goroutine; the time goes with the lists of both ends of
// every edge. The error is the cause of ctx.
func Trusses(ctx context.Context, g *Graph) ([]Edge, error) {
	t := &trusses{ctx: ctx, graph: g, first: make([]uint64, g.Len()+1)}
	for v := range Vertex(g.Len()) {
		for _, w := range g.Above(v) {
			t.edges = append(t.edges, Edge{From: v, To: w})
		}
		t.first[v+1] = uint64(len(t.edges))
	}
	triangles := make([]uint32, len(t.edges))
	for e := range t.edges {
		if err := t.triangles(uint32(e), func(_, _ uint32) { triangles[e]++ }); err != nil {
			return nil, err
		}
	}
	return t.peel(newPeeling(triangles))
}

// trusses are the edges while they are peeled off.
type trusses struct {
	ctx   context.Context
	graph *Graph
	edges []Edge
	first []uint64 // vertex → its first edge to a vertex above it
	work  int
}

// peel takes the edges off by the triangles that they are still in.
func (t *trusses) peel(p *peeling) ([]Edge, error) {
	gone := make([]bool, len(t.edges))
	for i := range p.order {
		e := p.order[i]
		err := t.triangles(e, func(a, b uint32) {
			if !gone[a] && !gone[b] {
				p.lower(a, p.values[e])
				p.lower(b, p.values[e])
			}
		})
		if err != nil {
			return nil, err
		}
		gone[e] = true
		t.edges[e].Truss = p.values[e] + 2
	}
	return t.edges, ctxErr(t.ctx)
}

// triangles yields the other two edges of each triangle of an edge.
func (t *trusses) triangles(e uint32, yield func(a, b uint32)) error {
	v, w := t.edges[e].From, t.edges[e].To
	if t.graph.Degree(v) > t.graph.Degree(w) {
		v, w = w, v
	}
	long := t.graph.Neighbours(w)
	for _, u := range t.graph.Neighbours(v) {
		long = long[seek(long, u):]
		if len(long) > 0 && long[0] == u {
			yield(t.number(u, v), t.number(u, w))
		}
	}
	if t.work += t.graph.Degree(v) + 1; t.work > lookEvery {
		t.work = 0
		if t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
	}
	return nil
}

// number is that of the edge between two vertices.
func (t *trusses) number(v, w Vertex) uint32 {
	v, w = min(v, w), max(v, w)
	return uint32(t.first[v]) + uint32(from(t.graph.Above(v), w))
}
