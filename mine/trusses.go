package mine

import "context"

// Edge is an edge of a graph, the smaller vertex first, and the greatest k of a k-truss that it is in.
type Edge struct {
	From, To Vertex
	Truss    uint32
}

// Trusses gives, for each edge, the greatest k of a k-truss that it is in: the largest subgraph in which every edge is in k-2
// triangles or more (Cohen, Trusses: Cohesive Subgraphs for Social Network Analysis; peeled off as Wang and Cheng, Truss Decomposition
// in Massive Networks). Edges ascend. It takes 36 bytes for each edge, on one goroutine; the time goes with the lists of both ends of
// every edge. The error is the cause of ctx.
func Trusses(ctx context.Context, g *Graph) ([]Edge, error) {
	t := &trusses{ctx: ctx, graph: g, edges: make([]Edge, 0, g.Edges()), numbers: make([]uint32, 2*g.Edges())}
	below := make([]uint32, g.Len()) // vertex → how many edges from below it were numbered
	for v := range Vertex(g.Len()) {
		for i, w := range g.Above(v) {
			number := uint32(len(t.edges))
			t.edges = append(t.edges, Edge{From: v, To: w})
			t.numbers[g.above[v]+uint64(i)] = number
			t.numbers[g.offsets[w]+uint64(below[w])] = number
			below[w]++
		}
	}
	triangles := make([]uint32, len(t.edges))
	for e := range t.edges {
		v, w := t.edges[e].From, t.edges[e].To
		ofV, ofW := t.above(v), t.above(w)
		err := t.common(g.Above(v), g.Above(w), func(i, j int) {
			triangles[e]++
			triangles[ofV[i]]++
			triangles[ofW[j]]++
		})
		if err != nil {
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
	// numbers are those of the edges to the neighbours, beside the graph's lists.
	numbers []uint32
	work    int
}

// peel takes the edges off by the triangles that they are still in.
func (t *trusses) peel(p *peeling) ([]Edge, error) {
	gone := make([]bool, len(t.edges))
	for i := range p.order {
		e := p.order[i]
		t.edges[e].Truss = p.values[e] + 2
		if p.values[e] == 0 {
			continue // in no triangle, so that no other edge's has it
		}
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
	}
	return t.edges, ctxErr(t.ctx)
}

// above are the numbers of the edges to the neighbours above a vertex.
func (t *trusses) above(v Vertex) []uint32 { return t.numbers[t.graph.above[v]:t.graph.offsets[v+1]] }

// triangles yields the other two edges of each triangle of an edge.
func (t *trusses) triangles(e uint32, yield func(a, b uint32)) error {
	g, v, w := t.graph, t.edges[e].From, t.edges[e].To
	ofV, ofW := t.numbers[g.offsets[v]:], t.numbers[g.offsets[w]:]
	return t.common(g.Neighbours(v), g.Neighbours(w), func(i, j int) { yield(ofV[i], ofW[j]) })
}

// common yields the places of what two ascending lists have in common.
func (t *trusses) common(a, b []Vertex, yield func(i, j int)) error {
	if len(a) > len(b) {
		return t.common(b, a, func(i, j int) { yield(j, i) })
	}
	at := 0
	for i, u := range a {
		if at += seek(b[at:], u); at == len(b) {
			break
		}
		if b[at] == u {
			yield(i, at)
		}
	}
	if t.work += len(a) + 1; t.work > lookEvery {
		t.work = 0
		return ctxErr(t.ctx)
	}
	return nil
}
