package mine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// facts are the edges of a labelled graph, and who is in which class.
type facts struct {
	edges    []fact
	members  [][]uint32
	directed bool
}

type fact struct{ from, predicate, to uint32 }

func drawFacts(t *rapid.T) (f facts) {
	vertices := rapid.Uint32Range(2, 7).Draw(t, "vertices")
	predicates := rapid.Uint32Range(1, 2).Draw(t, "predicates")
	for range rapid.IntRange(1, 11).Draw(t, "edges") {
		f.edges = append(f.edges, fact{
			rapid.Uint32Range(0, vertices).Draw(t, "from"), rapid.Uint32Range(0, predicates-1).Draw(t, "predicate"),
			rapid.Uint32Range(0, vertices).Draw(t, "to"),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "classes") {
		f.members = append(f.members, rapid.SliceOf(rapid.Uint32Range(0, vertices+1)).Draw(t, "members"))
	}
	f.directed = rapid.Bool().Draw(t, "directed")
	return f
}

func (f facts) build() *Labelled {
	predicates := make([]iter.Seq2[uint32, uint32], 2)
	for p := range predicates {
		predicates[p] = func(yield func(a, b uint32) bool) {
			for _, e := range f.edges {
				if e.predicate == uint32(p) && !yield(e.from, e.to) {
					return
				}
			}
		}
	}
	var members []iter.Seq[uint32]
	for _, m := range f.members {
		members = append(members, slices.Values(m))
	}
	g, err := BuildLabelled(context.Background(), predicates, members, f.directed)
	if err != nil {
		panic(err)
	}
	return g
}

// simple are the edges without loops and repeats, the smaller end first where there are no directions.
func (f facts) simple() []fact {
	there := map[fact]bool{}
	for _, e := range f.edges {
		if !f.directed {
			e.from, e.to = min(e.from, e.to), max(e.from, e.to)
		}
		if e.from != e.to {
			there[e] = true
		}
	}
	return slices.Collect(maps.Keys(there))
}

// labelings are all ways to choose one label for each vertex.
func (f facts) labelings(vertices []uint32) (all [][]Label) {
	all = [][]Label{{}}
	for _, v := range vertices {
		var own []Label
		for i, m := range f.members {
			if slices.Contains(m, v) {
				own = append(own, Label(i+1))
			}
		}
		if own == nil {
			own = []Label{NoLabel}
		}
		var longer [][]Label
		for _, labels := range all {
			for _, l := range own {
				longer = append(longer, append(slices.Clone(labels), l))
			}
		}
		all = longer
	}
	return all
}

// naive is a pattern by its smallest text, and what stands for each place of it.
type naive struct {
	instances uint64
	images    []map[uint32]bool
	parts     []string // of one edge less that are connected
}

func (n *naive) measured(m Measure) uint64 {
	if m == Instances {
		return n.instances
	}
	least := len(n.images[0])
	for _, image := range n.images {
		least = min(least, len(image))
	}
	return uint64(least)
}

// text writes a pattern with its vertices in an order, its edges sorted.
func text(vertices []uint32, labels []Label, edges []fact, order []int, directed bool) string {
	place := map[uint32]int{}
	var parts []string
	for i, from := range order {
		place[vertices[from]] = i
		parts = append(parts, fmt.Sprint("l", labels[from]))
	}
	var arcs []string
	for _, e := range edges {
		a, b := place[e.from], place[e.to]
		if !directed {
			a, b = min(a, b), max(a, b)
		}
		arcs = append(arcs, fmt.Sprint(a, "-", e.predicate, "-", b))
	}
	slices.Sort(arcs)
	return strings.Join(append(parts, arcs...), " ")
}

// smallest is the least text of all orders, and the orders that have it.
func smallest(vertices []uint32, labels []Label, edges []fact, directed bool) (least string, orders [][]int) {
	everyOrder(len(vertices), func(order []int) {
		switch s := text(vertices, labels, edges, order, directed); {
		case orders == nil || s < least:
			least, orders = s, [][]int{slices.Clone(order)}
		case s == least:
			orders = append(orders, slices.Clone(order))
		}
	})
	return least, orders
}

// ends are the vertices of edges; connected reports whether each is reached from the first.
func ends(edges []fact) (vertices []uint32, connected bool) {
	reached := map[uint32]bool{}
	for i := range len(edges) + 1 {
		for _, e := range edges {
			if i == 0 {
				vertices = append(vertices, e.from, e.to)
				reached[vertices[0]] = true
			}
			if reached[e.from] || reached[e.to] {
				reached[e.from], reached[e.to] = true, true
			}
		}
	}
	slices.Sort(vertices)
	vertices = slices.Compact(vertices)
	return vertices, len(vertices) == len(reached)
}

// patterns finds all patterns of a number of edges in a graph.
func (f facts) patterns(size int) map[string]*naive {
	all, edges := map[string]*naive{}, f.simple()
	for choice := range uint32(1) << len(edges) {
		if bits.OnesCount32(choice) != size {
			continue
		}
		var chosen []fact
		for i, e := range edges {
			if choice>>i&1 != 0 {
				chosen = append(chosen, e)
			}
		}
		vertices, connected := ends(chosen)
		if !connected {
			continue
		}
		for _, labels := range f.labelings(vertices) {
			least, orders := smallest(vertices, labels, chosen, f.directed)
			n := all[least]
			if n == nil {
				n = &naive{parts: f.parts(vertices, labels, chosen)}
				for range vertices {
					n.images = append(n.images, map[uint32]bool{})
				}
				all[least] = n
			}
			n.instances++
			for _, order := range orders {
				for i, from := range order {
					n.images[i][vertices[from]] = true
				}
			}
		}
	}
	return all
}

// parts are the texts of the connected patterns of one edge less.
func (f facts) parts(vertices []uint32, labels []Label, edges []fact) (parts []string) {
	for i := range edges {
		rest := slices.Delete(slices.Clone(edges), i, i+1)
		if len(rest) == 0 {
			continue
		}
		left, connected := ends(rest)
		if !connected {
			continue
		}
		var own []Label
		for _, v := range left {
			own = append(own, labels[slices.Index(vertices, v)])
		}
		part, _ := smallest(left, own, rest, f.directed)
		parts = append(parts, part)
	}
	return parts
}

// textOf writes a pattern that was found as the naive ones are written.
func textOf(p LabelledPattern, directed bool) string {
	vertices, edges := make([]uint32, len(p.Labels)), make([]fact, len(p.Arcs))
	for i := range vertices {
		vertices[i] = uint32(i)
	}
	for i, a := range p.Arcs {
		edges[i] = fact{uint32(a.From), a.Predicate, uint32(a.To)}
	}
	least, _ := smallest(vertices, p.Labels, edges, directed)
	return least
}

func TestFrequentPatternsAreAllThatAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := drawFacts(t)
		frequent := FrequentOptions{
			Support: rapid.Uint64Range(1, 4).Draw(t, "support"), Edges: rapid.IntRange(1, 4).Draw(t, "size"),
			Measure: rapid.SampledFrom([]Measure{MinimumImages, Instances}).Draw(t, "measure"),
		}
		if len(f.simple()) > 9 {
			frequent.Edges = min(frequent.Edges, 3)
		}
		want := map[string]uint64{}
		for size := 1; size <= frequent.Edges; size++ {
			for text, n := range f.patterns(size) {
				grown := !slices.ContainsFunc(n.parts, func(part string) bool { return want[part] == 0 })
				if support := n.measured(frequent.Measure); support >= frequent.Support && (grown || frequent.Measure == MinimumImages) {
					want[text] = support
				}
			}
		}
		found, err := Frequent(context.Background(), f.build(), frequent, drawOptions(t))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]uint64{}
		for _, p := range found {
			got[textOf(p.Pattern, f.directed)] = p.Support
		}
		if !maps.Equal(got, want) || len(found) != len(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestSampledSupportIsWithinItsError(t *testing.T) {
	t.Parallel()
	const hubs = 300
	g := stars(hubs)
	for sample, exact := range map[int]bool{0: true, 1000: true, 30: false, 97: false} {
		found, err := Frequent(context.Background(), g, FrequentOptions{Support: 1, Edges: 3, Sample: sample}, Options{Threads: 1})
		i := slices.IndexFunc(found, func(p FrequentPattern) bool { return slices.Equal(p.Pattern.Labels, []Label{1, 2, 2, 2}) })
		if err != nil || i < 0 {
			t.Fatal(found, err)
		}
		p := found[i]
		if off := max(p.Support, hubs/3) - min(p.Support, hubs/3); off > p.Error || exact != (p.Error == 0) {
			t.Errorf("sample of %d: %+v, and it is %d", sample, p, hubs/3)
		}
	}
}

// stars has hubs, label 1, with neighbours of label 2: every third three, the others one.
func stars(hubs uint32) *Labelled {
	var edges [][2]uint32
	members := make([]iter.Seq[uint32], 2)
	members[0] = func(yield func(uint32) bool) {
		for hub := uint32(0); hub < hubs && yield(hub); hub++ {
		}
	}
	rims := hubs
	for hub := range hubs {
		for i := uint32(0); i <= hub%3/2*2; i++ {
			edges = append(edges, [2]uint32{hub, rims})
			rims++
		}
	}
	members[1] = func(yield func(uint32) bool) {
		for v := hubs; v < rims && yield(v); v++ {
		}
	}
	g, err := BuildLabelled(context.Background(), []iter.Seq2[uint32, uint32]{func(yield func(a, b uint32) bool) {
		for _, e := range edges {
			if !yield(e[0], e[1]) {
				return
			}
		}
	}}, members, false)
	if err != nil {
		panic(err)
	}
	return g
}

func TestFrequentEndsWithItsContextAndRefusesSizes(t *testing.T) {
	t.Parallel()
	g := stars(3)
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Frequent(ctx, g, FrequentOptions{Edges: MaxArcs + 1}, Options{}); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if _, err := Frequent(ctx, g, FrequentOptions{Edges: 1, Measure: "all"}, Options{}); !errors.Is(err, ErrMeasure) {
		t.Error(err)
	}
	ways, err := newWays(ctx, g, FrequentOptions{Support: 1}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	growing := &growth{ways: ways}
	level := make([]FrequentPattern, 1000)
	for i := range level {
		level[i].Pattern = LabelledPattern{Labels: []Label{1, 2}, Arcs: []Arc{{0, 1, 0}}}
	}
	cancel()
	if err := growing.grow(ctx, level, true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Frequent(ctx, g, FrequentOptions{Edges: 1}, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := BuildLabelled(ctx, nil, nil, true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
