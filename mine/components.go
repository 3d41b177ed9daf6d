package mine

import "context"

// Components gives, for each vertex, the smallest vertex of its connected component, by a search from each that no search has
// reached, on one goroutine. The error is the cause of ctx.
func Components(ctx context.Context, g *Graph) ([]Vertex, error) {
	component := make([]Vertex, g.Len())
	reached := make([]bool, g.Len())
	var waiting []Vertex
	seen := 0
	for v := range component {
		if reached[v] {
			continue
		}
		reached[v], component[v] = true, Vertex(v)
		waiting = append(waiting, Vertex(v))
		for len(waiting) > 0 {
			at := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			for _, w := range g.Neighbours(at) {
				if !reached[w] {
					reached[w], component[w] = true, Vertex(v)
					waiting = append(waiting, w)
				}
			}
			if seen++; seen%lookEvery == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
	}
	return component, ctxErr(ctx)
}

// ctxErr is the cause of a context that has ended.
func ctxErr(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
