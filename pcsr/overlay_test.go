package pcsr

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// use asks for some things of a graph, so that others are asked for before and after them.
func use(t *rapid.T, m *model, g *Graph) {
	for range rapid.IntRange(0, 3).Draw(t, "uses") {
		d := Direction(rapid.IntRange(0, 1).Draw(t, "direction"))
		l := Label(rapid.IntRange(0, m.labels).Draw(t, "used"))
		switch rapid.IntRange(0, 4).Draw(t, "use") {
		case 0:
			g.Partition(l, d)
		case 1:
			g.Incident(d)
		case 2:
			g.EdgeLabelSets(d)
		case 3:
			g.Signatures()
		case 4:
			g.Edges()
		}
	}
}

func TestOverlayAgreesWithMaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		split := drawSplit(t)
		union := split.overlay(t)
		m := newModel(split.vertices, split.labels, split.edges)
		use(t, m, union)
		checkUnion(t, m, union)
		if err := union.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestMergeAgreesWithMaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vertices, labels, edges := drawEdges(t)
		n := rapid.IntRange(0, 4).Draw(t, "graphs")
		graphs := make([]*Graph, n)
		var all []Edge
		for i := range graphs {
			var some []Edge
			for _, e := range edges {
				if rapid.IntRange(0, 2).Draw(t, "take") == 0 {
					some = append(some, e)
				}
			}
			all = append(all, some...)
			half := len(some) / 2
			var parts []*Graph
			for _, edges := range [][]Edge{some[:half], some[half:]} {
				g, err := Build(vertices, labels, edges, WithTypeLabel(0))
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, g)
			}
			graphs[i] = Merge(parts...)
		}
		if n == 0 {
			vertices, labels = 0, 0
		}
		union := Merge(graphs...)
		drawPatching(t, union)
		checkUnion(t, newModel(vertices, labels, all), union)
	})
}

// checkUnion compares every answer of a union with the model's.
func checkUnion(t *rapid.T, m *model, g *Graph) {
	for range 30 {
		e := Edge{Vertex(rapid.IntRange(0, m.vertices).Draw(t, "from")), Label(rapid.IntRange(0, m.labels).Draw(t, "label")), Vertex(rapid.IntRange(0, m.vertices).Draw(t, "to"))}
		if got, want := g.HasEdge(e.From, e.Label, e.To), m.lists[Out][e.Label][e.From][e.To]; got != want {
			t.Fatalf("has edge %v: %v", e, got)
		}
		if got, want := g.Members(e.To), sorted(m.lists[In][0][e.To]); !slices.Equal(got, want) {
			t.Fatalf("members of %d: %v, want %v", e.To, got, want)
		}
		if got, want := g.Classes(e.From), sorted(m.lists[Out][0][e.From]); !slices.Equal(got, want) {
			t.Fatalf("classes of %d: %v, want %v", e.From, got, want)
		}
	}
	for range 5 {
		if err := m.checkSignature(t, g); err != nil {
			t.Fatal(err)
		}
	}
	low, high := Vertex(rapid.IntRange(0, m.vertices).Draw(t, "low")), Vertex(rapid.IntRange(0, m.vertices).Draw(t, "high"))
	outlines := func(g *Graph) error { return m.checkOutlines(g, low, high) }
	for _, check := range []func(*Graph) error{outlines, m.checkLists, m.checkLabelSets, m.check, outlines, m.checkLists, m.checkLabelSets, verifyWhole} {
		if err := check(g); err != nil {
			t.Fatal(err)
		}
	}
}

// checkOutlines checks what is told without merging, with low and high as bounds.
func (m *model) checkOutlines(g *Graph, low, high Vertex) error {
	for _, l := range append(slices.Clone(g.UsedLabels()), Label(m.labels)) {
		var rows [2]int
		edges := 0
		for _, d := range []Direction{Out, In} {
			vertices := sorted(m.lists[d][l])
			rows[d], edges = len(vertices), 0
			o := g.Outline(l, d)
			for v := range Vertex(m.vertices + 2) {
				want := sorted(m.lists[d][l][v])
				edges += len(want)
				if got := g.Neighbours(v, l, d); !slices.Equal(got, want) {
					return fmt.Errorf("neighbours of %d by %d %v: %v, want %v", v, l, d, got, want)
				}
				if n := g.Degree(v, l, d); n != len(want) || (o.Degree(v) > 0) != (n > 0) || o.Degree(v) < n {
					return fmt.Errorf("degree of %d by %d %v: %d and %d, want %d", v, l, d, n, o.Degree(v), len(want))
				}
			}
			if err := checkRows(o, vertices); err != nil {
				return fmt.Errorf("label %d %v: %w", l, d, err)
			}
			if err := checkRows(o.Between(low, high), Between(vertices, low, high)); err != nil && (high == 0 || low < high) {
				return fmt.Errorf("label %d %v from %d to %d: %w", l, d, low, high, err)
			}
		}
		if e, out, in := g.Counts(l); e != edges || out != rows[Out] || in != rows[In] || g.LabelEdges(l) != edges {
			return fmt.Errorf("label %d has %d edges of %d subjects, %d objects; want %d, %d, %d", l, e, out, in, edges, rows[Out], rows[In])
		}
	}
	return nil
}

// checkRows compares the rows of an outline with the vertices that it has to have.
func checkRows(o Outline, want []Vertex) error {
	var all []Vertex
	for i := range o.Rows() {
		all = append(all, o.Vertex(i))
		if v := o.Near(i); !Contains(want, v) {
			return fmt.Errorf("vertex %d near row %d has no row", v, i)
		}
	}
	slices.Sort(all)
	if got := slices.Compact(all); !slices.Equal(got, want) || !slices.Equal(o.Vertices(), want) {
		return fmt.Errorf("rows %v and %v, want %v", got, o.Vertices(), want)
	}
	for i, v := range want {
		if i > 0 && o.Next(want[i-1]+1, noVertex) != v || o.Next(v, noVertex) != v {
			return fmt.Errorf("row vertex %d is not the next one", v)
		}
	}
	first, last, ok := o.Span()
	if ok != (len(want) > 0) || ok && (first != want[0] || last != want[len(want)-1]) {
		return fmt.Errorf("rows from %d to %d (%v), want %v", first, last, ok, want)
	}
	return nil
}

// verifyWhole is Verify, and of the partitions as they were merged.
func verifyWhole(g *Graph) error {
	for _, l := range g.UsedLabels() {
		for _, d := range []Direction{Out, In} {
			if err := g.Partition(l, d).verify(g.Vertices(), g.Vertices()); err != nil {
				return fmt.Errorf("label %d %v: %w", l, d, err)
			}
		}
	}
	return g.Verify()
}

// checkLabelSets checks that vertices have the same number exactly when they have the same labels, and Incident.
func (m *model) checkLabelSets(g *Graph) error {
	for _, d := range []Direction{Out, In} {
		seen := map[string]int{}
		var rows []Vertex
		for v := range Vertex(m.vertices + 2) {
			labels := m.edgeLabels(v, d)
			set, ok := g.EdgeLabelSet(v, d)
			if ok != (len(labels) > 0) || !slices.Equal(g.EdgeLabels(v, d), labels) {
				return fmt.Errorf("labels of %d %v: %v, want %v", v, d, g.EdgeLabels(v, d), labels)
			}
			if !ok {
				continue
			}
			rows = append(rows, v)
			if was, ok := seen[fmt.Sprint(labels)]; ok && was != set {
				return fmt.Errorf("labels %v %v are set %d and set %d", labels, d, was, set)
			}
			seen[fmt.Sprint(labels)] = set
			if !slices.Equal(g.EdgeLabelSets(d).List(set), labels) {
				return fmt.Errorf("set %d %v: %v, want %v", set, d, g.EdgeLabelSets(d).List(set), labels)
			}
		}
		if err := checkRows(g.IncidentOutline(d), rows); err != nil {
			return fmt.Errorf("vertices with edges %v: %w", d, err)
		}
		if n := g.IncidentRows(d); n != len(rows) {
			return fmt.Errorf("%d vertices with edges %v, want %d", n, d, len(rows))
		}
		incident := g.Incident(d)
		if got := slices.Collect(incident.RowVertices()); !slices.Equal(got, rows) || !incident.Single() {
			return fmt.Errorf("vertices with edges %v: %v, want %v", d, got, rows)
		}
		for row, v := range rows {
			if set, _ := g.EdgeLabelSet(v, d); incident.List(row)[0] != Vertex(set) {
				return fmt.Errorf("vertex %d %v has set %d and set %d", v, d, set, incident.List(row)[0])
			}
		}
		if incident.Rows() > 0 {
			if err := incident.verify(m.vertices, g.EdgeLabelSets(d).Rows()); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestOverlayAtOnce uses a union from several goroutines, none of which has merged anything.
func TestOverlayAtOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		split := drawSplit(t)
		union := split.overlay(t)
		m := newModel(split.vertices, split.labels, split.edges)
		var wait sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wait.Go(func() {
				checks := []func(*Graph) error{m.checkLabelSets, m.check, verifyWhole}
				for k := range checks {
					if err := checks[(k+i)%len(checks)](union); err != nil {
						errs[i] = err
						return
					}
				}
				union.Signatures()
			})
		}
		wait.Wait()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestOverlayKeepsPartitions checks that what is not added to costs nothing: partitions of one graph are that graph's.
func TestOverlayKeepsPartitions(t *testing.T) {
	base, err := Build(10, 3, []Edge{{3, 0, 4}, {3, 1, 5}, {4, 2, 5}})
	if err != nil {
		t.Fatal(err)
	}
	added, err := Build(12, 12, []Edge{{3, 1, 11}, {11, 10, 3}})
	if err != nil {
		t.Fatal(err)
	}
	union := Overlay(12, segmentsOf(base, added)...)
	for l, g := range map[Label]*Graph{0: base, 2: base, 10: added} {
		for _, d := range []Direction{Out, In} {
			if union.Partition(l, d) != g.Partition(l, d) {
				t.Errorf("label %d %v is not the partition of the only graph that has it", l, d)
			}
		}
	}
	if got := union.Partition(1, Out).Neighbours(3); !slices.Equal(got, []Vertex{5, 11}) {
		t.Errorf("neighbours %v", got)
	}
	if got := union.Partition(1, Out); got != union.Partition(1, Out) {
		t.Error("a partition is merged twice")
	}
	if union.Edges() != 5 || union.HasLabel(9) || !union.HasLabel(10) {
		t.Errorf("%d edges, labels %v", union.Edges(), union.UsedLabels())
	}
	overlapping := Overlay(12, segmentsOf(base, base)...)
	if overlapping.Verify() == nil {
		t.Error("Verify takes graphs with common edges")
	}
}

// checkLists compares the lists that are read without making partitions with the model's.
func (m *model) checkLists(g *Graph) error {
	for l := range Label(m.labels + 1) {
		for _, d := range []Direction{Out, In} {
			got := map[Vertex]map[Vertex]bool{}
			for v, list := range g.Lists(l, d) {
				if got[v] == nil {
					got[v] = map[Vertex]bool{}
				}
				for _, w := range list {
					if got[v][w] || !m.lists[d][l][v][w] {
						return fmt.Errorf("label %d %v: the edge of %d and %d comes twice or is not there", l, d, v, w)
					}
					got[v][w] = true
				}
			}
			for v, want := range m.lists[d][l] {
				if len(got[v]) != len(want) {
					return fmt.Errorf("label %d %v: vertex %d has %d neighbours, not %d", l, d, v, len(got[v]), len(want))
				}
			}
		}
	}
	return nil
}
