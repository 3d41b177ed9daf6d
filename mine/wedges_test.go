package mine

import (
	"context"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawKinds is a graph of some hundred edges whose vertices have many labels, so that a label has more spokes than a word has bits.
func drawKinds(t *rapid.T) *Labelled {
	labels := rapid.IntRange(1, 90).Draw(t, "labels")
	vertices := rapid.Uint32Range(2, 60).Draw(t, "vertices")
	vertex := rapid.Uint32Range(0, vertices-1)
	predicates := make([]iter.Seq2[uint32, uint32], rapid.IntRange(1, 3).Draw(t, "predicates"))
	for p := range predicates {
		pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]uint32 {
			return [2]uint32{vertex.Draw(t, "from") % 6, vertex.Draw(t, "to")}
		}), 1, 60).Draw(t, "edges")
		predicates[p] = func(yield func(a, b uint32) bool) {
			for _, pair := range pairs {
				if !yield(pair[0], pair[1]) {
					return
				}
			}
		}
	}
	members := make([]iter.Seq[uint32], labels)
	for label := range members {
		members[label] = slices.Values(rapid.SliceOfN(vertex, 0, 2).Draw(t, "members"))
	}
	g, err := BuildLabelled(context.Background(), predicates, members, rapid.Bool().Draw(t, "directed"))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestWedgesHaveTheSupportThatEachHasAlone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		g := drawKinds(t)
		asked := FrequentOptions{Support: rapid.Uint64Range(1, 3).Draw(t, "support"), Measure: MinimumImages, Edges: 2}
		if g.Len() == 0 {
			t.Skip("no edges")
		}
		found, err := Frequent(ctx, g, asked, drawOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		ways, err := newWays(ctx, g, asked, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := &growth{ways: ways, frequent: asked, options: Options{Threads: 1}}
		want := s.sort(ways.patterns())
		if err := s.grow(ctx, want, true); err != nil {
			t.Fatal(err)
		}
		alone, err := s.measure(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, s.sort(alone)...)
		if !slices.EqualFunc(found, want, FrequentPattern.same) {
			t.Fatalf("%v, want %v", found, want)
		}
	})
}

func (f FrequentPattern) same(o FrequentPattern) bool {
	return f.Pattern.compare(o.Pattern) == 0 && f.Support == o.Support && f.Automorphisms == o.Automorphisms && f.Error == o.Error
}

func TestDigitsCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var d [2]digits
		var want [64]uint64
		for i, word := range rapid.SliceOfN(rapid.Uint64(), 0, 300).Draw(t, "words") {
			d[i%2].add(word)
			for bit := range want {
				want[bit] += word >> bit & 1
			}
		}
		d[0].join(&d[1])
		for bit, n := range want {
			if got := d[0].count(bit); got != n {
				t.Fatalf("bit %d: %d, want %d", bit, got, n)
			}
		}
	})
}

func TestWedgesOfTooManyKindsAreMeasuredOneByOne(t *testing.T) {
	t.Parallel()
	kinds := make([]kind, 3000)
	for i := range kinds {
		kinds[i] = kind{0, 0, Label(i)}
	}
	g := &Labelled{classes: len(kinds), out: make([]rows, 1)}
	if newWedges(g, kinds) != nil {
		t.Error("3,000 ways on from one label were taken")
	}
}
