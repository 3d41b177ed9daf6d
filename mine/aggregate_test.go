package mine

import (
	"context"
	"errors"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAggregateCountsPatternsAndTheirImages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, size := drawGraph(t, 8).build(3), rapid.IntRange(1, 4).Draw(t, "size")
		measures := Measures{Labels: rapid.Bool().Draw(t, "labels"), Images: rapid.Bool().Draw(t, "images")}
		a := NewAggregation(g, measures)
		options := drawOptions(t)
		options.Memory = max(options.Memory, 1<<20)
		step := drawExtension(t, 1)
		var extend func(t *Table) error
		extend = func(t *Table) error {
			if t.Width() < size {
				return t.Extend(Extension{Adjacent: step.Adjacent, Once: step.Once}, extend)
			}
			return t.Aggregate(a)
		}
		if err := Run(context.Background(), g, options, extend); err != nil {
			t.Fatal(err)
		}
		if got, want := a.Supports(), naiveSupports(g, size, measures, Extension{Adjacent: step.Adjacent, Once: step.Once}); !sameSupports(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}

func sameSupports(got []Support, want map[Pattern]Support) bool {
	found := map[Pattern]Support{}
	for _, s := range got {
		found[s.Pattern] = s
	}
	return len(found) == len(got) && maps.Equal(found, want)
}

// naiveSupports counts rows, and for images puts the vertices of each under every isomorphism into sets.
func naiveSupports(g *Graph, size int, measures Measures, e Extension) map[Pattern]Support {
	rows := [][]Vertex{{}}
	for range size {
		var longer [][]Vertex
		for _, row := range rows {
			for v := range Vertex(g.Len()) {
				if len(row) == 0 || e.allows(g, row, v) {
					longer = append(longer, append(slices.Clone(row), v))
				}
			}
		}
		rows = longer
	}
	supports, images := map[Pattern]Support{}, map[Pattern][]map[Vertex]bool{}
	for _, row := range rows {
		p, q := induced(g, row)
		if measures.Labels {
			p = q
		}
		c, _ := p.Canonical()
		s := supports[c]
		s.Pattern, s.Count = c, s.Count+1
		supports[c] = s
		everyOrder(size, func(order []int) {
			if p.permuted(order) != c {
				return
			}
			if images[c] == nil {
				images[c] = make([]map[Vertex]bool, size)
			}
			for i, from := range order {
				if images[c][i] == nil {
					images[c][i] = map[Vertex]bool{}
				}
				images[c][i][row[from]] = true
			}
		})
	}
	for c, sets := range images {
		if s := supports[c]; measures.Images {
			s.Images = uint64(len(sets[0]))
			for _, set := range sets {
				s.Images = min(s.Images, uint64(len(set)))
			}
			supports[c] = s
		}
	}
	return supports
}

// everyOrder yields all permutations of n positions.
func everyOrder(n int, yield func([]int)) {
	var choose func(order []int)
	choose = func(order []int) {
		if len(order) == n {
			yield(order)
		}
		for i := range n {
			if !slices.Contains(order, i) {
				choose(append(order, i))
			}
		}
	}
	choose(nil)
}

func TestIsomorphicPatternsHaveOneCanonicalForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 5).Draw(t, "size")
		draw := func() Pattern {
			p := Pattern{Size: size, Edges: rapid.Uint32Range(0, 1<<(size*(size-1)/2)-1).Draw(t, "edges")}
			for i := range size {
				p.Labels[i] = rapid.Uint32Range(0, 1).Draw(t, "label")
			}
			return p
		}
		p := draw()
		c, order := p.Canonical()
		if p.permuted(order) != c {
			t.Fatalf("%v by %v is not %v", p, order, c)
		}
		q := p.permuted(rand.Perm(size))
		if rapid.Bool().Draw(t, "another") {
			q = draw()
		}
		isomorphic, automorphisms := false, 0
		everyOrder(size, func(order []int) {
			isomorphic = isomorphic || p.permuted(order) == q
			if p.permuted(order) == p {
				automorphisms++
			}
		})
		if d, _ := q.Canonical(); (c == d) != isomorphic {
			t.Fatalf("%v and %v isomorphic: %t; canonical %v and %v", p, q, isomorphic, c, d)
		}
		if p.Automorphisms() != automorphisms {
			t.Fatalf("%v has %d automorphisms, said %d", p, automorphisms, p.Automorphisms())
		}
	})
}

func TestAggregateRefusesWhatItCannotHold(t *testing.T) {
	t.Parallel()
	g := path(20000)
	a := NewAggregation(g, Measures{Images: true})
	if err := Run(context.Background(), g, Options{Memory: 4096}, func(t *Table) error { return t.Aggregate(a) }); !errors.Is(err, ErrMemory) {
		t.Errorf("too many vertices: %v", err)
	}
	var deeper func(t *Table) error
	deeper = func(t *Table) error {
		if t.Width() > MaxPattern {
			return t.Aggregate(a)
		}
		return t.Extend(Extension{Once: true}, deeper)
	}
	if err := Run(context.Background(), g, Options{}, deeper); !errors.Is(err, ErrPattern) {
		t.Errorf("rows of nine: %v", err)
	}
}

// path is so many vertices in a row.
func path(vertices uint32) *Graph {
	return Build(func(yield func(a, b uint32) bool) {
		for v := range vertices - 1 {
			if !yield(v, v+1) {
				return
			}
		}
	}, nil)
}
