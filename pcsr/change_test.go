package pcsr

import (
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// version is a graph that was changed and the edges that it has to have.
type version struct {
	graph    *Graph
	edges    map[Edge]bool
	vertices int
	labels   int
	// came and went are what the last change is said to have done.
	came, went []Edge
	tuning     changeTuning
}

// drawTuning draws how much is settled, and what is patched and rewritten, in pieces of what size.
func drawTuning(t *rapid.T) changeTuning {
	return changeTuning{
		leastSettled: 8, leastRewritten: rapid.SampledFrom([]int{1 << 12, 1, 6, 30}).Draw(t, "least rewritten"),
		rewriteEdges: rapid.SampledFrom([]int{1 << 16, 1, 7, 40}).Draw(t, "at a time"),
	}
}

// model is that of the version.
func (s *version) model() *model {
	var edges []Edge
	for e := range s.edges {
		edges = append(edges, e)
	}
	return newModel(s.vertices, s.labels, edges)
}

// drawGround draws a graph to be changed: built, read from a file, or an overlay of several.
func drawGround(t *rapid.T, dir func() string) *version {
	split := drawSplit(t)
	s := &version{vertices: split.vertices, labels: split.labels, edges: map[Edge]bool{}, tuning: drawTuning(t)}
	for _, e := range split.edges {
		s.edges[e] = true
	}
	switch kind := rapid.SampledFrom([]string{"built", "file", "overlay", "merge"}).Draw(t, "ground"); {
	case kind == "overlay" || split.labels > 8: // in which labels may be any
		s.graph = split.overlay(t)
	case kind == "merge":
		whole := split.overlay(t)
		s.graph = Merge(whole, s.common(t))
		drawPatching(t, s.graph)
	default:
		g, err := Build(s.vertices, s.labels, split.edges, WithTypeLabel(0))
		if err == nil && kind == "file" {
			g, err = refile(g, filepath.Join(dir(), "graph.pcsr"))
		}
		if err != nil {
			t.Fatal(err)
		}
		s.graph = g
	}
	return s
}

// refile writes a graph to a file and opens that.
func refile(g *Graph, path string) (*Graph, error) {
	w, err := Create(path, g.vertices, g.labels, WithTypeLabel(g.typeLabel))
	if err != nil {
		return nil, err
	}
	for _, l := range g.UsedLabels() {
		for _, d := range []Direction{Out, In} {
			w.Partition(l, d)
			w.Append(g.Partition(l, d).keys())
		}
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	return Open(path)
}

// drawChange draws a change: edges anywhere, of hubs, of new vertices and labels, whole rows and labels that go, and some that change nothing.
func drawChange(t *rapid.T, s *version) (vertices int, added, removed []Edge) {
	vertices = s.vertices
	if rapid.IntRange(0, 3).Draw(t, "grow") == 0 {
		vertices += rapid.IntRange(1, 50).Draw(t, "by")
	}
	there := s.sorted()
	for range rapid.IntRange(0, 4).Draw(t, "kinds") {
		vertex := rapid.IntRange(0, vertices-1)
		label := rapid.IntRange(0, min(vertices, s.labels+1)-1)
		switch kind := rapid.SampledFrom([]string{"hub", "any", "row", "label", "back", "same"}).Draw(t, "kind"); {
		case kind == "any":
			for range rapid.IntRange(1, 12).Draw(t, "added") {
				added = append(added, Edge{Vertex(vertex.Draw(t, "from")), Label(label.Draw(t, "label")), Vertex(vertex.Draw(t, "to"))})
			}
		case kind == "hub":
			hub, l := Vertex(rapid.IntRange(0, min(vertices, 2)-1).Draw(t, "hub")), Label(rapid.IntRange(0, min(s.labels, 2)-1).Draw(t, "label"))
			low, step := vertex.Draw(t, "low"), rapid.IntRange(1, 2).Draw(t, "step")
			out := rapid.IntRange(0, 3).Draw(t, "out") == 0
			if rapid.Bool().Draw(t, "behind") {
				low, vertices = vertices, vertices+rapid.SampledFrom([]int{200, 1, 5}).Draw(t, "by")
			}
			for v := low; v < vertices && v < low+step*rapid.SampledFrom([]int{200, 80, 3}).Draw(t, "length"); v += step {
				if out {
					added = append(added, Edge{hub, l, Vertex(v)})
				} else {
					added = append(added, Edge{Vertex(v), l, hub})
				}
			}
		case len(there) == 0:
		case kind == "row" || kind == "label":
			one := rapid.SampledFrom(there).Draw(t, "one")
			share := rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "left")
			for i, e := range there {
				if (kind == "label" && e.Label == one.Label || e.Label == one.Label && e.To == one.To || e == one) && i%3 >= share {
					removed = append(removed, e)
				}
			}
		case kind == "back":
			for range rapid.IntRange(1, 5).Draw(t, "removed") {
				removed = append(removed, rapid.SampledFrom(there).Draw(t, "gone"))
			}
		default:
			one := rapid.SampledFrom(there).Draw(t, "there")
			added, removed = append(added, one), append(removed, one, Edge{one.To, one.Label, one.From})
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "both ways") == 0 {
		beside := rapid.Bool().Draw(t, "one beside the other")
		added, removed = bothWays(added, beside), bothWays(removed, beside)
	}
	return vertices, added, removed
}

// bothWays are edges and those that lead back, one beside the other or behind all.
func bothWays(edges []Edge, beside bool) (all []Edge) {
	for _, e := range edges {
		all = append(all, e)
		if beside {
			all = append(all, Edge{e.To, e.Label, e.From})
		}
	}
	if !beside {
		for _, e := range edges {
			all = append(all, Edge{e.To, e.Label, e.From})
		}
	}
	return all
}

// sorted are the edges in order.
func (s *version) sorted() []Edge { return sortedEdges(s.edges) }

func sortedEdges(set map[Edge]bool) []Edge {
	edges := make([]Edge, 0, len(set))
	for e := range set {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return edges
}

// change makes the next version.
func (s *version) change(vertices int, added, removed []Edge) *version {
	next := &version{edges: map[Edge]bool{}, vertices: vertices, labels: s.labels, tuning: s.tuning}
	for e := range s.edges {
		next.edges[e] = true
	}
	for _, e := range removed {
		delete(next.edges, e)
	}
	for _, e := range added {
		next.edges[e] = true
		next.labels = max(next.labels, int(e.Label)+1)
	}
	from := s.graph
	if from.live == nil {
		from = from.Change(0, nil, nil)
		from.live.line.tuning = s.tuning
	}
	next.graph, next.came, next.went = from.ChangeNet(vertices, added, removed)
	return next
}

// checkNet compares what the last change is said to have done with what it did.
func (s *version) checkNet(before *version) error {
	came, went := map[Edge]bool{}, map[Edge]bool{}
	for e := range s.edges {
		if !before.edges[e] {
			came[e] = true
		}
	}
	for e := range before.edges {
		if !s.edges[e] {
			went[e] = true
		}
	}
	if !slices.Equal(s.came, sortedEdges(came)) || !slices.Equal(s.went, sortedEdges(went)) {
		return fmt.Errorf("it is said that %v came and %v went; %v came and %v went", s.came, s.went, sortedEdges(came), sortedEdges(went))
	}
	return nil
}

// readHubs makes the lists that changes have made long.
func (s *version) readHubs() {
	for l := range Label(2) {
		for hub := range Vertex(2) {
			s.graph.Partition(l, Out).Neighbours(hub)
			s.graph.Partition(l, In).Neighbours(hub)
		}
	}
}

// TestChangeAgreesWithMaps makes versions of a graph one of the other, some of old ones, settles some, and checks them all at the end, in any
// order and with some use in between.
func TestChangeAgreesWithMaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		ground := drawGround(rt, t.TempDir)
		versions := []*version{ground}
		for range rapid.IntRange(1, 8).Draw(rt, "changes") {
			from := versions[len(versions)-1]
			if rapid.IntRange(0, 5).Draw(rt, "old") == 0 {
				from = rapid.SampledFrom(versions).Draw(rt, "from")
			}
			use(rt, from.model(), from.graph)
			if rapid.Bool().Draw(rt, "read hubs") {
				from.readHubs()
			}
			next := from.change(drawChange(rt, from))
			if err := next.checkNet(from); err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 2).Draw(rt, "settle") == 0 {
				of := next
				if rapid.Bool().Draw(rt, "meanwhile") {
					of = from
				}
				next.graph = next.graph.Adopt(of.graph.Settle())
			}
			versions = append(versions, next)
		}
		for _, s := range rapid.Permutation(versions).Draw(rt, "order") {
			s.check(rt, ground)
		}
		if err := ground.graph.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// check compares every answer with the model's.
func (s *version) check(t *rapid.T, ground *version) {
	m := s.model()
	if s.graph == ground.graph {
		checkUnion(t, m, s.graph)
		return
	}
	check := func(name string, g *Graph) {
		if err := s.checkFacts(g); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkUnion(t, m, g)
	}
	check("changed", s.graph)
	if err := s.checkChanges(ground); err != nil {
		t.Fatal(err)
	}
	switch rapid.IntRange(0, 3).Draw(t, "then") {
	case 0:
		check("merged", Merge(s.graph, s.graph))
	case 1:
		union := Merge(s.graph, s.common(t))
		drawPatching(t, union)
		check("merged with some of its edges", union)
	case 2:
		check("changed again", Merge(s.graph, s.graph).Change(0, nil, nil))
	}
}

// common is a graph of some of the edges.
func (s *version) common(t *rapid.T) *Graph {
	var some []Edge
	for i, e := range s.sorted() {
		if i%5 == 0 {
			some = append(some, e)
		}
	}
	g, err := Build(s.vertices, s.labels, some, WithTypeLabel(0))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// checkFacts checks what is known of labels, and which are in use.
func (s *version) checkFacts(g *Graph) error {
	undirected, loop := map[Label]bool{}, map[Label]bool{}
	for e := range s.edges {
		if _, ok := undirected[e.Label]; !ok {
			undirected[e.Label] = true
		}
		undirected[e.Label] = undirected[e.Label] && s.edges[Edge{e.To, e.Label, e.From}]
		loop[e.Label] = loop[e.Label] || e.From == e.To
	}
	if got, want := g.UsedLabels(), sorted(undirected); !slices.Equal(got, want) {
		return fmt.Errorf("labels %v, want %v", got, want)
	}
	for l, is := range undirected {
		if g.Undirected(l) != is || g.HasLoop(l) != loop[l] {
			return fmt.Errorf("label %d: undirected %v, loop %v", l, g.Undirected(l), g.HasLoop(l))
		}
	}
	if g.Edges() != uint64(len(s.edges)) {
		return fmt.Errorf("%d edges, want %d", g.Edges(), len(s.edges))
	}
	for _, l := range g.UsedLabels() {
		for _, d := range []Direction{Out, In} {
			if err := checkArrays(g.Partition(l, d)); err != nil {
				return fmt.Errorf("label %d %v: %w", l, d, err)
			}
		}
	}
	return nil
}

// checkArrays checks that a partition's arrays have its lists. It stops other loops in the middle.
func checkArrays(p *Partition) error {
	for i := range p.RowVertices() {
		if i%3 == 2 {
			break
		}
	}
	for v := range p.Degrees() {
		if v%5 == 2 {
			break
		}
	}
	for v, list := range p.Lists() {
		if int(v) > len(list) {
			break
		}
	}
	a := p.Arrays()
	flat := &Partition{
		layer: a.Layer, base: a.Base, rows: a.Rows, probes: a.Probes,
		index: a.Index, vertices: a.Vertices, offsets: a.Offsets, neighbours: a.Neighbours,
	}
	if err := flat.verify(1<<31, 1<<32-1); err != nil || int(a.Edges) != p.Edges() || int(a.Rows) != p.Rows() {
		return fmt.Errorf("%d edges in %d rows: %w", a.Edges, a.Rows, err)
	}
	if p.Single() != (a.Offsets == nil) && a.Rows > 0 || a.Layer != chooseLayer(p.AppendVertices(nil, 0, p.Rows())) && p.Layer() == Patched {
		return fmt.Errorf("single %v, layer %v", p.Single(), a.Layer)
	}
	row := 0
	for v, list := range p.Lists() {
		if flat.Vertex(row) != v || !slices.Equal(flat.List(row), list) {
			return fmt.Errorf("row %d is %d with %v, in the arrays %d with %v", row, v, list, flat.Vertex(row), flat.List(row))
		}
		row++
	}
	return nil
}

// checkChanges checks the difference from the ground.
func (s *version) checkChanges(ground *version) error {
	if s.graph.live == nil {
		return nil
	}
	added, removed := s.graph.Changes()
	for range added {
		break
	}
	a, r := s.graph.Changed()
	for _, c := range []struct {
		got  iter.Seq[Edge]
		n    uint64
		a, b *version
	}{{added, a, s, ground}, {removed, r, ground, s}} {
		var want []Edge
		for _, e := range c.a.sorted() {
			if !c.b.edges[e] {
				want = append(want, e)
			}
		}
		if got := slices.Collect(c.got); !slices.Equal(got, want) || c.n != uint64(len(want)) {
			return fmt.Errorf("changes %v (%d), want %v", got, c.n, want)
		}
	}
	return nil
}

// TestChangeBesideReaders reads old and new versions from several goroutines while others are made.
func TestChangeBesideReaders(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ground := drawGround(rt, t.TempDir)
		latest := ground
		published := make(chan *version, 16)
		var wait sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			wait.Go(func() {
				for s := range published {
					m := s.model()
					for _, check := range []func(*Graph) error{m.check, m.checkLabelSets, s.checkFacts} {
						if err := check(s.graph); err != nil && errs[i] == nil {
							errs[i] = err
						}
					}
				}
			})
		}
		for range rapid.IntRange(2, 6).Draw(rt, "changes") {
			for range 3 {
				published <- latest
			}
			settled := latest.graph.Settle()
			latest = latest.change(drawChange(rt, latest))
			latest.graph = latest.graph.Adopt(settled)
		}
		close(published)
		wait.Wait()
		for _, err := range errs {
			if err != nil {
				rt.Fatal(err)
			}
		}
	})
}
