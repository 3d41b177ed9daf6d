package pcsr

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// model is the graph as maps of sets: what every encoding must agree with.
type model struct {
	vertices, labels int
	lists            [2]map[Label]map[Vertex]map[Vertex]bool
}

func newModel(vertices, labels int, edges []Edge) *model {
	m := &model{vertices: vertices, labels: labels}
	for d := range m.lists {
		m.lists[d] = map[Label]map[Vertex]map[Vertex]bool{}
	}
	put := func(d Direction, l Label, a, b Vertex) {
		if m.lists[d][l] == nil {
			m.lists[d][l] = map[Vertex]map[Vertex]bool{}
		}
		if m.lists[d][l][a] == nil {
			m.lists[d][l][a] = map[Vertex]bool{}
		}
		m.lists[d][l][a][b] = true
	}
	for _, e := range edges {
		put(Out, e.Label, e.From, e.To)
		put(In, e.Label, e.To, e.From)
	}
	return m
}

func sorted[V any](set map[Vertex]V) []Vertex {
	list := make([]Vertex, 0, len(set))
	for v := range set {
		list = append(list, v)
	}
	slices.Sort(list)
	return list
}

func (m *model) edgeLabels(v Vertex, d Direction) []Label {
	var labels []Label
	for l, rows := range m.lists[d] {
		if len(rows[v]) > 0 {
			labels = append(labels, l)
		}
	}
	slices.Sort(labels)
	return labels
}

// check compares every answer of the graph with the model's.
func (m *model) check(g *Graph) error {
	if g.Vertices() != m.vertices || g.Labels() != m.labels {
		return fmt.Errorf("%d vertices, %d labels; want %d, %d", g.Vertices(), g.Labels(), m.vertices, m.labels)
	}
	edges := uint64(0)
	for l := range m.labels + 1 {
		if l > 8 && m.lists[Out][Label(l)] == nil && !g.HasLabel(Label(l)) {
			continue
		}
		for _, d := range []Direction{Out, In} {
			if err := m.checkPartition(g.Partition(Label(l), d), Label(l), d); err != nil {
				return fmt.Errorf("label %d %v: %w", l, d, err)
			}
		}
		edges += uint64(g.Partition(Label(l), Out).Edges())
	}
	if edges != g.Edges() {
		return fmt.Errorf("%d edges, partitions have %d", g.Edges(), edges)
	}
	for v := range Vertex(m.vertices + 2) {
		for _, d := range []Direction{Out, In} {
			if got, want := g.EdgeLabels(v, d), m.edgeLabels(v, d); !slices.Equal(got, want) {
				return fmt.Errorf("edge labels of %d %v: %v, want %v", v, d, got, want)
			}
		}
	}
	return nil
}

func (m *model) checkPartition(p *Partition, l Label, d Direction) error {
	rows := sorted(m.lists[d][l])
	if p.Rows() != len(rows) {
		return fmt.Errorf("%d rows, want %d", p.Rows(), len(rows))
	}
	if got := slices.Collect(p.RowVertices()); !slices.Equal(got, rows) {
		return fmt.Errorf("%v: row vertices %v, want %v", p.Layer(), got, rows)
	}
	for low := 0; low <= len(rows); low += 1 + len(rows)/3 {
		high := min(len(rows), low+2)
		if got := p.AppendVertices(nil, low, high); !slices.Equal(got, rows[low:high]) {
			return fmt.Errorf("%v: vertices of rows %d to %d: %v, want %v", p.Layer(), low, high, got, rows[low:high])
		}
	}
	if len(rows) > 0 {
		if first, last := p.Ends(); first != rows[0] || last != rows[len(rows)-1] {
			return fmt.Errorf("%v: rows from %d to %d, want %d to %d", p.Layer(), first, last, rows[0], rows[len(rows)-1])
		}
	}
	for _, step := range []int{1, 2, 5, 40} {
		if err := checkKept(p, rows, m.vertices+300, step); err != nil {
			return err
		}
	}
	edges, row := 0, 0
	for v, n := range p.Degrees() {
		if v != rows[row] || n != len(m.lists[d][l][v]) {
			return fmt.Errorf("%v: row %d is %d of degree %d", p.Layer(), row, v, n)
		}
		row++
	}
	if row != len(rows) {
		return fmt.Errorf("%v: %d degrees, want %d", p.Layer(), row, len(rows))
	}
	for v := range Vertex(m.vertices + 300) {
		row, ok := p.Row(v)
		want := sorted(m.lists[d][l][v])
		if ok != (len(want) > 0) {
			return fmt.Errorf("%v: vertex %d has a row: %v", p.Layer(), v, ok)
		}
		if ok && (rows[row] != v || p.Vertex(row) != v || p.Degree(row) != len(want)) {
			return fmt.Errorf("%v: vertex %d is in row %d, whose vertex is %d", p.Layer(), v, row, p.Vertex(row))
		}
		if got := p.Neighbours(v); !slices.Equal(got, want) || ok && !slices.Equal(p.List(row), want) {
			return fmt.Errorf("%v: neighbours of %d: %v, want %v", p.Layer(), v, got, want)
		}
		if p.Has(v) != ok || p.degreeOf(v) != len(want) || p.RowFrom(v) != searchFrom(rows, v) {
			return fmt.Errorf("%v: vertex %d: a row %v, degree %d, %d rows before", p.Layer(), v, p.Has(v), p.degreeOf(v), p.RowFrom(v))
		}
		if w := v * 7 % Vertex(m.vertices+1); p.contains(v, w) != Contains(want, w) {
			return fmt.Errorf("%v: %d is a neighbour of %d: %v", p.Layer(), w, v, p.contains(v, w))
		}
		edges += len(want)
	}
	if _, ok := p.Row(noVertex); ok {
		return fmt.Errorf("%v: the number that no vertex has is found", p.Layer())
	}
	if edges != p.Edges() {
		return fmt.Errorf("%d edges, want %d", p.Edges(), edges)
	}
	return nil
}

// checkKept checks which of every so many vertices have a row.
func checkKept(p *Partition, rows []Vertex, limit, step int) error {
	var asked, want []Vertex
	for v := step / 2; v < limit; v += step {
		if asked = append(asked, Vertex(v)); Contains(rows, Vertex(v)) {
			want = append(want, Vertex(v))
		}
	}
	got, where := p.KeepRows([]Vertex{7}, asked), slices.Clone(asked)
	if !slices.Equal(got[1:], want) || !slices.Equal(p.KeepRows(where[:0], where), want) {
		return fmt.Errorf("%v: of every %d vertices %v and %v have rows, want %v", p.Layer(), step, got[1:], where, want)
	}
	return nil
}

// drawEdges draws a graph whose labels are of several sorts: dense, sparse, contiguous and single-valued.
func drawEdges(t *rapid.T) (vertices, labels int, edges []Edge) {
	labels = rapid.IntRange(1, 6).Draw(t, "labels")
	vertices = labels + rapid.SampledFrom([]int{0, 1, 7, 40, 700, 3000}).Draw(t, "more vertices")
	pick := rapid.IntRange(0, vertices-1)
	for l := range labels {
		low := pick.Draw(t, "low")
		span := rapid.IntRange(1, vertices-low).Draw(t, "span")
		n := rapid.IntRange(0, 120).Draw(t, "edges")
		step := rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "step")
		for i := range n {
			from := low + i*step%span
			if step == 0 {
				from = low + rapid.IntRange(0, span-1).Draw(t, "from")
			}
			edges = append(edges, Edge{Vertex(from), Label(l), Vertex(pick.Draw(t, "to"))})
		}
	}
	return vertices, labels, edges
}

func TestGraphAgreesWithMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, labels, edges := drawEdges(t)
		options := []Option{WithTypeLabel(0)}
		if layer := Layer(rapid.IntRange(0, int(layers)).Draw(t, "layer")); layer < layers {
			options = append(options, WithLayer(layer))
		}
		each := rapid.SampledFrom([]int{1, 7, 30, keysEach}).Draw(t, "keys for a goroutine")
		options = append(options, func(s *settings) { s.each = each })
		g, err := Build(vertices, labels, edges, options...)
		if rapid.Bool().Draw(t, "by label") {
			used, keys, split := splitKeys(vertices, labels, edges)
			if split != nil {
				t.Fatal(split)
			}
			g, err = BuildKeys(vertices, labels, used, keys, options...)
		}
		if err != nil {
			t.Fatal(err)
		}
		m := newModel(vertices, labels, edges)
		if err := m.check(g); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			e := Edge{Vertex(rapid.IntRange(0, vertices).Draw(t, "from")), Label(rapid.IntRange(0, labels).Draw(t, "label")), Vertex(rapid.IntRange(0, vertices).Draw(t, "to"))}
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
	})
}

func TestBuildRefusesEdgesOutside(t *testing.T) {
	for name, e := range map[string]Edge{
		"the subject is no vertex": {5, 0, 0},
		"the object is no vertex":  {0, 0, 5},
		"the label is no label":    {0, 2, 0},
	} {
		if _, err := Build(5, 2, []Edge{e}); err == nil {
			t.Error(name)
		}
		if _, err := BuildKeys(5, 2, []Label{e.Label}, [][]uint64{{edgeKey(e.From, e.To)}}); err == nil {
			t.Error(name, "by label")
		}
	}
	if _, err := BuildKeys(5, 2, []Label{1, 0}, make([][]uint64, 2)); err == nil {
		t.Error("labels do not ascend")
	}
}

func TestLayerRule(t *testing.T) {
	every := func(n, step int) (list []Vertex) {
		for i := range n {
			list = append(list, Vertex(7+i*step))
		}
		return list
	}
	for name, c := range map[string]struct {
		vertices []Vertex
		want     Layer
	}{
		"no rows":                    {nil, Range},
		"contiguous":                 {every(1000, 1), Range},
		"dense":                      {every(1000, 2), Bitmap},
		"one in a hundred":           {every(1000, 100), Bitmap},
		"one in a thousand":          {every(1000, 1000), Hash},
		"a few, far from each other": {every(20, 1000), List},
	} {
		if got := chooseLayer(c.vertices); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
