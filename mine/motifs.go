package mine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/bits"
	"slices"
)

// MotifOptions say what motifs are counted as.
type MotifOptions struct {
	// Induced counts the sets of vertices that look exactly like a motif. Otherwise a set counts for every choice of its edges that
	// makes the motif: a triangle has three paths.
	Induced bool
	// Labels tells motifs apart by the labels of their vertices.
	Labels bool
}

// MaxMotif is how many vertices a motif may have.
const MaxMotif = 5

// Motifs counts the connected subgraphs of a size, 2 to MaxMotif, by pattern, the most frequent first; every one once, whatever the
// automorphisms of its pattern. Those of 3 and 4 vertices without labels (of 4 where 8 bytes a vertex fit into the memory) are counted by closed forms, in time that goes with the
// sum over all edges of the smaller degree of their ends. Of others all connected sets of so many vertices are visited: their number,
// and so the time, goes with the power size-1 of the greatest degrees. The error is ErrSize, ErrCount or the cause of ctx.
func Motifs(ctx context.Context, g *Graph, size int, motifs MotifOptions, options Options) ([]Support, error) {
	if err := checkSize(size, 2, MaxMotif); err != nil {
		return nil, err
	}
	var form func(context.Context, *Graph, Options) (map[Pattern]*big.Int, error)
	switch {
	case motifs.Labels:
	case size == 3:
		form = closedOfThree
	case size == 4 && closedAtOnce(g, options) > 0:
		form = closedOfFour
	}
	if form != nil {
		counts, err := form(ctx, g, options)
		if err != nil {
			return nil, err
		}
		if motifs.Induced {
			induce(counts)
		}
		return supportsOf(counts)
	}
	return visited(ctx, g, size, motifs, options)
}

// MotifsBy counts the connected subgraphs of a size, without labels, as Motifs does, by a function that tells how many homomorphisms
// there are from each of ConnectedPatterns: it is asked once for each, in that order. What maps two vertices to one is
// an embedding of a smaller pattern, and is taken off. Homomorphisms are asked for because counting those of a pattern with leaves or
// vertices that cut it takes no visit of each. The error is ErrSize, ErrCount or the function's.
func MotifsBy(size int, induced bool, homomorphisms func(Pattern) (uint64, error)) ([]Support, error) {
	if err := checkSize(size, 2, MaxMotif); err != nil {
		return nil, err
	}
	embeddings, counts := EmbeddingsBy(homomorphisms), map[Pattern]*big.Int{}
	for _, p := range ConnectedPatterns(size) {
		n, err := embeddings(p)
		if err != nil {
			return nil, err
		}
		if p.Size == size {
			counts[p] = new(big.Int).SetUint64(n / uint64(p.Automorphisms()))
		}
	}
	if induced {
		induce(counts)
	}
	return supportsOf(counts)
}

// EmbeddingsBy counts the embeddings of connected patterns without labels by a function that counts homomorphisms, which is asked once for each
// canonical pattern: those of the pattern, and of what it becomes where vertices are made one.
func EmbeddingsBy(homomorphisms func(Pattern) (uint64, error)) func(Pattern) (uint64, error) {
	known := map[Pattern]uint64{}
	var embeddings func(Pattern) (uint64, error)
	embeddings = func(p Pattern) (uint64, error) {
		p, _ = p.Canonical()
		if n, ok := known[p]; ok {
			return n, nil
		}
		n, err := homomorphisms(p)
		if err != nil {
			return 0, err
		}
		p.mergers(func(q Pattern) {
			merged, failed := embeddings(q)
			n, err = n-merged, errors.Join(err, failed)
		})
		if err == nil {
			known[p] = n
		}
		return n, err
	}
	return embeddings
}

// ConnectedPatterns are those of 2 to size vertices without labels, in canonical form, by their numbers of vertices and edges.
func ConnectedPatterns(size int) (all []Pattern) {
	for vertices := 2; vertices <= size; vertices++ {
		all = append(all, byEdges(parts(Clique(vertices)))...)
	}
	return all
}

// visited counts motifs by visiting each.
func visited(ctx context.Context, g *Graph, size int, motifs MotifOptions, options Options) ([]Support, error) {
	found := NewAggregation(g, Measures{Labels: motifs.Labels})
	var extend func(t *Table) error
	extend = func(t *Table) error {
		if t.Width() < size {
			return t.Extend(Extension{Once: true}, extend)
		}
		return t.Aggregate(found)
	}
	if err := Run(ctx, g, options, extend); err != nil {
		return nil, err
	}
	supports := found.Supports()
	if motifs.Induced {
		return supports, nil
	}
	counts := map[Pattern]*big.Int{}
	for _, s := range supports {
		counts[s.Pattern] = new(big.Int).SetUint64(s.Count)
	}
	span(counts)
	return supportsOf(counts)
}

// supportsOf are patterns by their counts, those that are not there left out, the most frequent first.
func supportsOf(counts map[Pattern]*big.Int) (supports []Support, err error) {
	for p, n := range counts {
		switch {
		case !n.IsUint64():
			return nil, fmt.Errorf("%w: %s, %v", ErrCount, p.Name(), n)
		case n.Sign() > 0:
			supports = append(supports, Support{Pattern: p, Count: n.Uint64()})
		}
	}
	slices.SortFunc(supports, func(a, b Support) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), a.Pattern.compare(b.Pattern))
	})
	return supports, nil
}

// span makes, of how often vertices look like each pattern, how often it is found among their edges: a pattern with all vertices
// of another and some of its edges is found there once for each choice of edges that gives it.
func span(counts map[Pattern]*big.Int) {
	for _, p := range byEdges(counts) { // the fewest first: what is added to has no other to go to
		for q, times := range parts(p) {
			if counts[q] == nil {
				counts[q] = new(big.Int)
			}
			if q != p {
				counts[q].Add(counts[q], new(big.Int).Mul(counts[p], big.NewInt(times)))
			}
		}
	}
}

// induce undoes span: of how often patterns are found among edges it makes how often vertices look exactly so.
func induce(counts map[Pattern]*big.Int) {
	for _, p := range slices.Backward(byEdges(counts)) { // the most first: nothing is left to be taken off those
		for q, times := range parts(p) {
			if q != p {
				counts[q].Sub(counts[q], new(big.Int).Mul(counts[p], big.NewInt(times)))
			}
		}
	}
}

// byEdges lists patterns by their number of edges.
func byEdges[T any](patterns map[Pattern]T) []Pattern {
	return slices.SortedFunc(maps.Keys(patterns), func(a, b Pattern) int {
		return cmp.Or(cmp.Compare(a.EdgeCount(), b.EdgeCount()), a.compare(b))
	})
}

// parts counts the connected patterns that a pattern becomes when edges are left out.
func parts(p Pattern) map[Pattern]int64 {
	counts := map[Pattern]int64{}
	for edges := p.Edges; edges != 0; edges = (edges - 1) & p.Edges {
		q := p
		q.Edges = edges
		if bits.OnesCount32(edges) >= p.Size-1 && q.Connected() {
			c, _ := q.Canonical()
			counts[c]++
		}
	}
	return counts
}

// mergers yields, in canonical form, the smaller pattern that each way to make one of some vertices gives, of which no two are adjacent.
func (p Pattern) mergers(yield func(Pattern)) {
	var become [MaxPattern]int // of vertices, those of the merger
	var merge func(next int, q Pattern)
	merge = func(next int, q Pattern) {
		if next == p.Size {
			if q.Size < p.Size {
				c, _ := q.Canonical()
				yield(c)
			}
			return
		}
		var adjacent uint32
		for i := range next {
			if p.HasEdge(next, i) {
				adjacent |= 1 << become[i]
			}
		}
		for at := range q.Size + 1 {
			if adjacent>>at&1 != 0 {
				continue
			}
			merged := q
			merged.Size = max(q.Size, at+1)
			for other := range q.Size {
				if adjacent>>other&1 != 0 {
					merged.Edges |= bit(at, other)
				}
			}
			become[next] = at
			merge(next+1, merged)
		}
	}
	merge(0, Pattern{})
}
