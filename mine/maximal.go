package mine

import (
	"context"
	"slices"
)

// EachMaximalClique calls each with every clique that is in no larger one, from several goroutines at once and in no order. The slice
// is valid during the call. An error of each ends it. Vertices without edges are in no graph, so a clique has at least two.
//
// Bron and Kerbosch's search with Tomita's pivots begins at each vertex in the order of their cores (Eppstein, Löffler and Strash,
// Listing All Maximal Cliques in Sparse Graphs in Near-optimal Time), with the vertices of later ones as candidates: at most
// as many as the greatest core. There can be 3^(n/3) such cliques.
func EachMaximalClique(ctx context.Context, g *Graph, options Options, each func([]Vertex) error) error {
	order, err := degeneracy(ctx, g)
	if err != nil {
		return err
	}
	return Run(ctx, g, options, func(t *Table) error {
		s := &maximalSearch{table: t, each: each}
		for row := range t.Len() {
			v := t.Row(row)[0]
			later := func(w Vertex) bool { return order[w] > order[v] }
			candidates := slices.DeleteFunc(slices.Clone(g.Neighbours(v)), func(w Vertex) bool { return !later(w) })
			done := slices.DeleteFunc(slices.Clone(g.Neighbours(v)), later)
			if err := s.search([]Vertex{v}, candidates, done); err != nil {
				return err
			}
		}
		return nil
	})
}

// degeneracy is the place of each vertex in an order in which the cores peel off.
func degeneracy(ctx context.Context, g *Graph) ([]uint32, error) {
	p := newPeeling(degrees(g))
	return p.places, p.peel(ctx, g)
}

// maximalSearch is one worker's.
type maximalSearch struct {
	table *Table
	each  func([]Vertex) error
}

// search extends a clique by candidates, each adjacent to all of it; the vertices done are adjacent to it as well, but what has
// them was found. Both ascend.
func (s *maximalSearch) search(clique, candidates, done []Vertex) error {
	if len(candidates) == 0 {
		if len(done) > 0 {
			return nil
		}
		return s.each(clique)
	}
	g := s.table.Graph()
	if err := s.table.look(len(candidates) * (len(candidates) + len(done))); err != nil {
		return err
	}
	pivot := s.pivot(candidates, done)
	for _, v := range subtract(slices.Clone(candidates), g.Neighbours(pivot)) {
		deeper := append(clique[:len(clique):len(clique)], v)
		err := s.search(deeper, intersect(nil, candidates, g.Neighbours(v)), intersect(nil, done, g.Neighbours(v)))
		if err != nil {
			return err
		}
		candidates = subtract(slices.Clone(candidates), []Vertex{v})
		done = slices.Insert(slices.Clone(done), from(done, v), v)
	}
	return nil
}

// pivot is the vertex with the most neighbours among the candidates: a maximal clique has it, or something apart from it.
func (s *maximalSearch) pivot(candidates, done []Vertex) (best Vertex) {
	most := -1
	var common []Vertex
	for _, list := range [2][]Vertex{candidates, done} {
		for _, v := range list {
			if common = intersect(common[:0], candidates, s.table.Graph().Neighbours(v)); len(common) > most {
				best, most = v, len(common)
			}
		}
	}
	return best
}
