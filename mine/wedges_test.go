package mine

import (
	"context"
	"iter"
	"math/rand"
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

func TestLabelPairsCountAsAMapDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32())
		var pairs labelPairs
		want := map[[2]Label]labelPair{}
		for range rapid.IntRange(0, 600).Draw(t, "times") {
			n := labelPair{labels.Draw(t, "from"), labels.Draw(t, "to"), rapid.Uint64Range(1, 9).Draw(t, "vertices"), rapid.Uint64Range(0, 9).Draw(t, "edges")}
			pairs.add(n)
			sum := want[[2]Label{n.from, n.to}]
			want[[2]Label{n.from, n.to}] = labelPair{n.from, n.to, sum.vertices + n.vertices, sum.edges + n.edges}
		}
		for pair, n := range want {
			if got := pairs.of(pair[0], pair[1]); got != n {
				t.Fatalf("%v, want %v", got, n)
			}
		}
		if none := pairs.of(50, 50); pairs.taken != len(want) || want[[2]Label{50, 50}] == (labelPair{}) && none.vertices != 0 {
			t.Fatalf("%d pairs, want %d", pairs.taken, len(want))
		}
	})
}

func TestManyThreadsFindWhatOneDoes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const vertices, labels = 4_000, 5 // several blocks of vertices
	for seed := range int64(2) {
		random := rand.New(rand.NewSource(seed))
		var members [labels][]uint32
		for v := range uint32(vertices) {
			for range 1 + random.Intn(2) {
				label := random.Intn(labels)
				members[label] = append(members[label], v)
			}
		}
		var classes []iter.Seq[uint32]
		for _, m := range members {
			classes = append(classes, slices.Values(m))
		}
		predicates := []iter.Seq2[uint32, uint32]{scattered(random, vertices, 9_000), scattered(random, vertices, 6_000)}
		g, err := BuildLabelled(ctx, predicates, classes, seed%2 == 0)
		if err != nil {
			t.Fatal(err)
		}
		asked := FrequentOptions{Support: 400, Edges: 3}
		want, err := Frequent(ctx, g, asked, Options{Threads: 1})
		if err != nil || len(want) == 0 {
			t.Fatal(want, err)
		}
		found, err := Frequent(ctx, g, asked, Options{Threads: 16})
		if err != nil || !slices.EqualFunc(found, want, FrequentPattern.same) {
			t.Errorf("seed %d: %v, want %v, %v", seed, found, want, err)
		}
	}
}
