package mine

import (
	"cmp"
	"context"
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
// automorphisms of its pattern. All connected sets of so many vertices are visited: their number, and so the time, goes with
// the power size-1 of the greatest degrees. The error is ErrSize, or the cause of ctx.
func Motifs(ctx context.Context, g *Graph, size int, motifs MotifOptions, options Options) ([]Support, error) {
	if err := checkSize(size, 2, MaxMotif); err != nil {
		return nil, err
	}
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
	if !motifs.Induced {
		supports = spanning(supports)
	}
	return supports, nil
}

// spanning makes, of how often vertices look like each pattern, how often it is found among their edges: a pattern with all vertices
// of another and some of its edges is found there once for each choice of edges that gives it.
func spanning(induced []Support) (supports []Support) {
	counts := map[Pattern]uint64{}
	for _, s := range induced {
		for p, times := range parts(s.Pattern) {
			counts[p] += times * s.Count
		}
	}
	for p, n := range counts {
		supports = append(supports, Support{Pattern: p, Count: n})
	}
	slices.SortFunc(supports, func(a, b Support) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), a.Pattern.compare(b.Pattern))
	})
	return supports
}

// parts counts the connected patterns that a pattern becomes when edges are left out.
func parts(p Pattern) map[Pattern]uint64 {
	counts := map[Pattern]uint64{}
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
