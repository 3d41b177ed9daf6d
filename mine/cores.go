package mine

import "context"

// Cores gives, for each vertex, the greatest k of a k-core that it is in: the largest subgraph in which every vertex has k
// neighbours or more. Vertices are peeled off by ascending degree (Batagelj and Zaversnik, An O(m) Algorithm for Cores
// Decomposition), in the time of reading the graph once, on one goroutine. The error is the cause of ctx.
func Cores(ctx context.Context, g *Graph) ([]uint32, error) {
	p := newPeeling(degrees(g))
	return p.values, p.peel(ctx, g)
}

// degrees are those of all vertices.
func degrees(g *Graph) []uint32 {
	degrees := make([]uint32, g.Len())
	for v := range degrees {
		degrees[v] = uint32(g.Degree(Vertex(v)))
	}
	return degrees
}

// peeling is things in ascending order of values that fall while the smallest are taken off one after the other.
type peeling struct {
	values []uint32
	order  []uint32 // by value
	places []uint32 // thing → its place in order
	starts []uint32 // value → the first place of it
}

// newPeeling sorts by value.
func newPeeling(values []uint32) *peeling {
	most := uint32(0)
	for _, value := range values {
		most = max(most, value)
	}
	p := &peeling{values, make([]uint32, len(values)), make([]uint32, len(values)), make([]uint32, most+2)}
	for _, value := range values {
		p.starts[value+1]++
	}
	for value := range most + 1 {
		p.starts[value+1] += p.starts[value]
	}
	next := append([]uint32(nil), p.starts...)
	for thing, value := range values {
		p.places[thing], p.order[next[value]] = next[value], uint32(thing)
		next[value]++
	}
	return p
}

// peel takes the vertices of a graph off, by their degrees; their values are then their cores.
func (p *peeling) peel(ctx context.Context, g *Graph) error {
	for i := range p.order {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v := p.order[i]
		for _, w := range g.Neighbours(v) {
			p.lower(w, p.values[v])
		}
	}
	return ctxErr(ctx)
}

// lower takes one off the value of a thing, unless it is no greater than that of what is taken off now.
func (p *peeling) lower(thing, least uint32) {
	value := p.values[thing]
	if value <= least {
		return
	}
	first := p.starts[value]
	other, place := p.order[first], p.places[thing]
	p.order[first], p.order[place] = thing, other
	p.places[thing], p.places[other] = first, place
	p.starts[value]++
	p.values[thing]--
}
