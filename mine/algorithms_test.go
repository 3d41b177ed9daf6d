package mine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// subsets yields every set of vertices of a small graph.
func subsets(g *Graph, yield func(set Places, vertices []Vertex)) {
	for set := Places(1); set < 1<<g.Len(); set++ {
		yield(set, members(set))
	}
}

func clique(g *Graph, vertices []Vertex) bool {
	for i, v := range vertices {
		for _, w := range vertices[:i] {
			if !g.HasEdge(v, w) {
				return false
			}
		}
	}
	return true
}

// collect keeps lists of vertices that come from several goroutines.
type collect struct {
	mu   sync.Mutex
	sets []Places
}

func (c *collect) add(vertices []Vertex) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := Places(0)
	for _, v := range vertices {
		set |= 1 << v
	}
	c.sets = append(c.sets, set)
	return nil
}

// sorted are the sets, ascending: repeats show.
func (c *collect) sorted() []Places {
	slices.Sort(c.sets)
	return c.sets
}

func TestCliquesAreTheSetsThatAreAllAdjacent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, size := drawGraph(t, 9).build(3), rapid.IntRange(2, 6).Draw(t, "size")
		var want, wantMaximal []Places
		subsets(g, func(set Places, vertices []Vertex) {
			if !clique(g, vertices) {
				return
			}
			if len(vertices) == size {
				want = append(want, set)
			}
			for v := range Vertex(g.Len()) {
				if set>>v&1 == 0 && clique(g, append(slices.Clone(vertices), v)) {
					return
				}
			}
			wantMaximal = append(wantMaximal, set)
		})
		ctx, options := context.Background(), drawOptions(t)
		var listed, maximal collect
		n, err := Cliques(ctx, g, size, options)
		if err != nil || n != uint64(len(want)) {
			t.Fatalf("%d cliques, want %d: %v", n, len(want), err)
		}
		if err := EachClique(ctx, g, size, options, listed.add); err != nil || !slices.Equal(listed.sorted(), want) {
			t.Fatalf("listed %b, want %b: %v", listed.sets, want, err)
		}
		err = EachMaximalClique(ctx, g, options, maximal.add)
		switch tooLittle := options.Memory == 1 && len(wantMaximal) > 0; {
		case tooLittle && !errors.Is(err, ErrMemory):
			t.Fatalf("error %v in one byte", err)
		case !tooLittle && (err != nil || !slices.Equal(maximal.sorted(), wantMaximal)):
			t.Fatalf("maximal %b, want %b: %v", maximal.sets, wantMaximal, err)
		}
	})
}

func TestMotifsAreTheConnectedSubgraphs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, size := drawGraph(t, 8).build(3), rapid.IntRange(2, 5).Draw(t, "size")
		motifs := MotifOptions{Induced: rapid.Bool().Draw(t, "induced"), Labels: rapid.Bool().Draw(t, "labels")}
		want := map[Pattern]Support{}
		subsets(g, func(_ Places, vertices []Vertex) {
			if len(vertices) != size {
				return
			}
			whole, withLabels := induced(g, vertices)
			if motifs.Labels {
				whole = withLabels
			}
			for edges := range whole.Edges + 1 {
				p := whole
				p.Edges = edges
				if edges&^whole.Edges != 0 || motifs.Induced && p != whole || !p.Connected() {
					continue
				}
				c, _ := p.Canonical()
				want[c] = Support{Pattern: c, Count: want[c].Count + 1}
			}
		})
		got, err := Motifs(context.Background(), g, size, motifs, drawOptions(t))
		if err != nil || !sameSupports(got, want) {
			t.Fatalf("%+v, want %+v: %v", got, want, err)
		}
	})
}

func TestMotifsByAreMotifs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, size, options := drawGraph(t, 8).build(1), rapid.IntRange(2, MaxMotif).Draw(t, "size"), drawOptions(t)
		asked := map[Pattern]bool{}
		for _, induced := range []bool{false, true} {
			want, err := visited(context.Background(), g, size, MotifOptions{Induced: induced}, options)
			if err != nil {
				t.Fatal(err)
			}
			clear(asked)
			got, err := MotifsBy(size, induced, func(p Pattern) (uint64, error) {
				if c, _ := p.Canonical(); c != p || asked[p] {
					t.Fatalf("%v is not canonical, or was asked for before", p)
				}
				asked[p] = true
				return homomorphisms(g, p), nil
			})
			if err != nil || !slices.EqualFunc(got, want, func(a, b Support) bool { return a.Pattern == b.Pattern && a.Count == b.Count }) {
				t.Fatalf("induced %v: %+v, want %+v: %v", induced, got, want, err)
			}
		}
		failed := errors.New("failed")
		if _, err := MotifsBy(size, false, func(Pattern) (uint64, error) { return 0, failed }); err != failed {
			t.Fatal(err)
		}
	})
}

// homomorphisms counts by trying every vertex for every vertex.
func homomorphisms(g *Graph, p Pattern) (n uint64) {
	var chosen []Vertex
	var choose func()
	choose = func() {
		at := len(chosen)
		if at == p.Size {
			n++
			return
		}
		for v := range Vertex(g.Len()) {
			fits := true
			for i, w := range chosen {
				fits = fits && (!p.HasEdge(at, i) || g.HasEdge(v, w))
			}
			if fits {
				chosen = append(chosen, v)
				choose()
				chosen = chosen[:at]
			}
		}
	}
	choose()
	return n
}

// remains takes off, until there are none, what has less than it should, and returns what is left.
func remains[T comparable](all []T, enough func(thing T, left []T) bool) []T {
	left := slices.Clone(all)
	for {
		before := len(left)
		now := slices.Clone(left)
		left = slices.DeleteFunc(left, func(thing T) bool { return !enough(thing, now) })
		if len(left) == before {
			return left
		}
	}
}

func TestCoresAreWhatRemains(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 12).build(3)
		want := make([]uint32, g.Len())
		for k := range uint32(g.Len()) {
			all := make([]Vertex, g.Len())
			for v := range all {
				all[v] = Vertex(v)
			}
			for _, v := range remains(all, func(v Vertex, left []Vertex) bool {
				return len(intersect(nil, g.Neighbours(v), left)) >= int(k)
			}) {
				want[v] = k
			}
		}
		if got, err := Cores(context.Background(), g); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, want %v: %v", got, want, err)
		}
	})
}

func TestTrussesAreWhatRemains(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 10).build(3)
		var want, all []Edge
		for v := range Vertex(g.Len()) {
			for _, w := range g.Above(v) {
				all = append(all, Edge{From: v, To: w})
			}
		}
		want = slices.Clone(all)
		for k := uint32(2); int(k) <= g.Len(); k++ {
			for _, e := range remains(all, func(e Edge, left []Edge) bool { return triangles(g, e, left) >= int(k)-2 }) {
				want[slices.Index(all, e)].Truss = k
			}
		}
		if got, err := Trusses(context.Background(), g); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, want %v: %v", got, want, err)
		}
	})
}

// triangles counts those of an edge with other edges.
func triangles(g *Graph, e Edge, among []Edge) (n int) {
	has := func(v, w Vertex) bool { return slices.Contains(among, Edge{From: min(v, w), To: max(v, w)}) }
	for v := range Vertex(g.Len()) {
		if has(v, e.From) && has(v, e.To) {
			n++
		}
	}
	return n
}

func TestComponentsAreWhatIsReached(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 12).build(1)
		want := make([]Vertex, g.Len())
		for v := range want {
			want[v] = Vertex(v)
		}
		for range want {
			for v := range want {
				for _, w := range g.Neighbours(Vertex(v)) {
					want[v] = min(want[v], want[w])
				}
			}
		}
		if got, err := Components(context.Background(), g); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, want %v: %v", got, want, err)
		}
	})
}

func TestAlgorithmsEndWithTheirContextAndRefuseSizes(t *testing.T) {
	t.Parallel()
	g := path(100)
	ctx, cancel := context.WithCancel(context.Background())
	_, few := Cliques(ctx, g, 1, Options{})
	_, many := Motifs(ctx, g, MaxMotif+1, MotifOptions{}, Options{})
	if few == nil || many == nil {
		t.Errorf("sizes out of range: %v, %v", few, many)
	}
	cancel()
	_, cores := Cores(ctx, g)
	_, trusses := Trusses(ctx, g)
	_, components := Components(ctx, g)
	_, cliques := Cliques(ctx, g, 3, Options{})
	for _, err := range []error{cores, trusses, components, cliques, EachMaximalClique(ctx, g, Options{}, nil)} {
		if err != context.Canceled {
			t.Errorf("error %v", err)
		}
	}
}
