package mine

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"
)

// EachMaximalClique calls each with every clique that is in no larger one, from several goroutines at once and in no order. The slice
// is valid during the call. An error of each ends it. Vertices without edges are in no graph, so a clique has at least two.
//
// Bron and Kerbosch's search with Tomita's pivots begins at each vertex in the order of their cores (Eppstein, Löffler and Strash,
// Listing All Maximal Cliques in Sparse Graphs in Near-optimal Time), with the vertices of later ones as candidates: at most
// as many as the greatest core, whose neighbourhoods among each other are rows of bits. There can be 3^(n/3) such cliques. Each goroutine has a
// bit for each of a vertex's later neighbours and each of its neighbours that is adjacent to one; where they do not fit into half of
// Options.Memory together, the error wraps ErrMemory.
func EachMaximalClique(ctx context.Context, g *Graph, options Options, each func([]Vertex) error) error {
	order, err := degeneracy(ctx, g)
	if err != nil {
		return err
	}
	var taken atomic.Int64
	return Run(ctx, g, options, func(t *Table) error {
		s := &maximalSearch{table: t, each: each, taken: &taken, memory: options.memory() / 2}
		defer func() { taken.Add(-s.held) }()
		for row := range t.Len() {
			v := t.Row(row)[0]
			if err := s.begin(v, func(w Vertex) bool { return order[w] > order[v] }); err != nil {
				return err
			}
			if s.candidates == 0 {
				continue // what has v was found: all its neighbours are earlier
			}
			if err := s.search(0, s.levels[0].candidates, s.levels[0].done); err != nil {
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

// maximalSearch is one worker's, in the neighbourhood of one vertex: its later neighbours are numbered from 0, then the earlier ones.
type maximalSearch struct {
	table *Table
	each  func([]Vertex) error

	clique     []Vertex // that is grown
	neighbours []Vertex // by number
	candidates int      // how many are later
	words      int      // of a row
	rows       []uint64 // neighbour → which of the later ones are adjacent to it
	levels     []maximalLevel
	common     []Vertex

	held, memory int64         // bytes, and how many all searches may have
	taken        *atomic.Int64 // what all searches have
}

// maximalLevel is the space of one depth of the search.
type maximalLevel struct {
	candidates []uint64 // that may extend the clique
	done       []int32  // adjacent to all of the clique, but what has them was found
}

// begin numbers the neighbours of a vertex and finds who of them is adjacent to which of the later ones; earlier ones that are to none of
// them are left out, for they are adjacent to no larger clique.
func (s *maximalSearch) begin(v Vertex, later func(Vertex) bool) error {
	g := s.table.Graph()
	s.clique, s.neighbours, s.rows = append(s.clique[:0], v), s.neighbours[:0], s.rows[:0]
	for _, w := range g.Neighbours(v) {
		if later(w) {
			s.neighbours = append(s.neighbours, w)
		}
	}
	s.candidates = len(s.neighbours)
	s.words = (s.candidates + 63) / 64
	if err := s.level(0); err != nil {
		return err
	}
	l := &s.levels[0]
	l.done = l.done[:0]
	for i := range s.candidates {
		l.candidates[i/64] |= 1 << (i % 64)
		if _, err := s.addRow(s.neighbours[i]); err != nil {
			return err
		}
	}
	for _, w := range g.Neighbours(v) {
		if later(w) {
			continue
		}
		adjacent, err := s.addRow(w)
		if err != nil {
			return err
		}
		if !adjacent {
			s.rows = s.rows[:len(s.rows)-s.words]
			continue
		}
		l.done = append(l.done, int32(len(s.neighbours)))
		s.neighbours = append(s.neighbours, w)
	}
	return nil
}

// need counts memory that is about to be taken.
func (s *maximalSearch) need(bytes int) error {
	s.held += int64(bytes)
	if s.taken.Add(int64(bytes)) > s.memory {
		return fmt.Errorf("%w: %d bytes were allowed for the neighbourhoods of maximal cliques, of all threads", ErrMemory, s.memory)
	}
	return nil
}

// addRow marks which of the candidates are neighbours of a vertex, and reports whether any is.
func (s *maximalSearch) addRow(w Vertex) (adjacent bool, err error) {
	from := len(s.rows)
	if grown := from + s.words - cap(s.rows); grown > 0 {
		grown = max(grown, cap(s.rows)/4)
		if err := s.need(8 * grown); err != nil {
			return false, err
		}
		s.rows = slices.Grow(s.rows, cap(s.rows)+grown-from)
	}
	s.rows = s.rows[:from+s.words]
	row := s.rows[from:]
	clear(row)
	candidates := s.neighbours[:s.candidates]
	s.common = intersect(s.common[:0], candidates, s.table.Graph().Neighbours(w))
	at := 0
	for _, u := range s.common {
		for candidates[at] != u {
			at++
		}
		row[at/64] |= 1 << (at % 64)
	}
	return len(s.common) > 0, nil
}

func (s *maximalSearch) row(i int32) []uint64 { return s.rows[int(i)*s.words : (int(i)+1)*s.words] }

// level makes the space of a depth, without candidates.
func (s *maximalSearch) level(depth int) error {
	if depth == len(s.levels) {
		s.levels = append(s.levels, maximalLevel{})
	}
	l := &s.levels[depth]
	if grown := s.words - cap(l.candidates); grown > 0 {
		if err := s.need(8 * grown); err != nil {
			return err
		}
		l.candidates = make([]uint64, s.words)
	}
	l.candidates = l.candidates[:s.words]
	clear(l.candidates)
	return nil
}

// search extends the clique by candidates, each adjacent to all of it.
func (s *maximalSearch) search(depth int, candidates []uint64, done []int32) error {
	left := count(candidates)
	if left == 0 {
		if len(done) > 0 {
			return nil
		}
		return s.each(s.clique)
	}
	if err := s.table.look((left + len(done)) * s.words); err != nil {
		return err
	}
	pivot, most := s.pivot(candidates, done)
	if most == left {
		return nil // something done is adjacent to all that may come
	}
	if err := s.level(depth + 1); err != nil {
		return err
	}
	apart := s.row(pivot)
	for w := range candidates {
		for rest := candidates[w] &^ apart[w]; rest != 0; rest &= rest - 1 {
			i := int32(64*w + bits.TrailingZeros64(rest))
			next := &s.levels[depth+1]
			for k, word := range s.row(i) {
				next.candidates[k] = candidates[k] & word
			}
			next.done = next.done[:0]
			room := cap(next.done)
			for _, d := range done {
				if s.row(d)[w]>>(i%64)&1 != 0 {
					next.done = append(next.done, d)
				}
			}
			if grown := cap(next.done) - room; grown > 0 {
				if err := s.need(4 * grown); err != nil {
					return err
				}
			}
			s.clique = append(s.clique, s.neighbours[i])
			if err := s.search(depth+1, next.candidates, next.done); err != nil {
				return err
			}
			s.clique = s.clique[:len(s.clique)-1]
			candidates[w] &^= 1 << (i % 64)
			done = append(done, i)
		}
	}
	s.levels[depth].done = done // it may have moved
	return nil
}

// pivot is what is adjacent to the most candidates, and to how many: a maximal clique has it, or something apart from it.
func (s *maximalSearch) pivot(candidates []uint64, done []int32) (best int32, most int) {
	most = -1
	try := func(i int32) {
		n := 0
		for k, word := range s.row(i) {
			n += bits.OnesCount64(candidates[k] & word)
		}
		if n > most {
			best, most = i, n
		}
	}
	for _, d := range done {
		try(d)
	}
	for w, rest := range candidates {
		for ; rest != 0; rest &= rest - 1 {
			try(int32(64*w + bits.TrailingZeros64(rest)))
		}
	}
	return best, most
}

// count is how many bits are set.
func count(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}
