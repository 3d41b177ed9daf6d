package mine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// drawOptions bounds the memory so that columns have one row, a few, or all.
func drawOptions(t *rapid.T) Options {
	return Options{Threads: rapid.IntRange(1, 3).Draw(t, "threads"), Memory: rapid.SampledFrom([]int64{1, 1 << 12, 0}).Draw(t, "memory")}
}

func drawExtension(t *rapid.T, width int) (e Extension) {
	places := func(not Places, name string) Places {
		return Places(rapid.Uint32Range(0, uint32(First(width))).Draw(t, name)) &^ not
	}
	e.Adjacent = places(0, "adjacent")
	e.Apart = places(e.Adjacent, "apart") & places(0, "less apart")
	e.Above = places(0, "above") & places(0, "less above")
	e.Below = places(e.Above, "below") & places(0, "less below")
	e.Once = e.Adjacent == 0 && rapid.Bool().Draw(t, "once")
	return e
}

// allows is the definition of an extension.
func (e Extension) allows(g *Graph, row []Vertex, v Vertex) bool {
	touches, first := false, -1
	for i, w := range row {
		edge := g.HasEdge(v, w)
		if v == w || e.Adjacent>>i&1 != 0 && !edge || e.Apart>>i&1 != 0 && edge || e.Above>>i&1 != 0 && v < w || e.Below>>i&1 != 0 && v > w {
			return false
		}
		if edge && !touches {
			touches, first = true, i
		}
	}
	if !touches || e.Once && v < row[0] {
		return e.Adjacent != 0 && !e.Once
	}
	return !e.Once || !slices.ContainsFunc(row[first+1:], func(w Vertex) bool { return w > v })
}

func TestExtendFindsWhatTheDefinitionAllows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, 9).build(3)
		var steps []Extension
		for width := range 4 - rapid.IntRange(0, 3).Draw(t, "steps left out") {
			steps = append(steps, drawExtension(t, width+1))
		}
		odd := func(row []Vertex) bool { return (row[0]+row[len(row)-1])%3 != 1 }
		var want [][]Vertex
		for v := range Vertex(g.Len()) {
			want = append(want, []Vertex{v})
		}
		for _, e := range steps {
			var longer [][]Vertex
			for _, row := range want {
				for v := range Vertex(g.Len()) {
					if e.allows(g, row, v) && odd(append(slices.Clone(row), v)) {
						longer = append(longer, append(slices.Clone(row), v))
					}
				}
			}
			want = longer
		}
		var mu sync.Mutex
		var got [][]Vertex
		var extend func(t *Table) error
		extend = func(t *Table) error {
			if t.Width() <= len(steps) {
				return t.Extend(steps[t.Width()-1], func(t *Table) error { return errors.Join(t.Filter(odd), extend(t)) })
			}
			mu.Lock()
			defer mu.Unlock()
			for row := range t.Len() {
				got = append(got, slices.Clone(t.Row(row)))
			}
			return nil
		}
		if err := Run(context.Background(), g, drawOptions(t), extend); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(got, slices.Compare)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("steps %+v: %v, want %v", steps, got, want)
		}
	})
}

func TestAConnectedSetIsMetOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g, size := drawGraph(t, 8).build(3), rapid.IntRange(2, 5).Draw(t, "size")
		var mu sync.Mutex
		got := map[Places]int{}
		var extend func(t *Table) error
		extend = func(t *Table) error {
			if t.Width() < size {
				return t.Extend(Extension{Once: true}, extend)
			}
			mu.Lock()
			defer mu.Unlock()
			for row := range t.Len() {
				set := Places(0)
				for _, v := range t.Row(row) {
					set |= 1 << v
				}
				got[set]++
			}
			return nil
		}
		if err := Run(context.Background(), g, drawOptions(t), extend); err != nil {
			t.Fatal(err)
		}
		for set := range First(g.Len()) + 1 {
			want := 0
			if p, _ := induced(g, members(set)); len(members(set)) == size && p.Connected() {
				want = 1
			}
			if got[set] != want {
				t.Fatalf("set %b met %d times, want %d", set, got[set], want)
			}
		}
	})
}

// members are the vertices of a set.
func members(set Places) (vertices []Vertex) {
	for v := range Vertex(32) {
		if set>>v&1 != 0 {
			vertices = append(vertices, v)
		}
	}
	return vertices
}

// induced is what vertices look like.
func induced(g *Graph, vertices []Vertex) (unlabelled, withLabels Pattern) {
	p := Pattern{Size: len(vertices)}
	if p.Size > MaxPattern {
		return p, p
	}
	for i, v := range vertices {
		for j, w := range vertices[:i] {
			if g.HasEdge(v, w) {
				p.Edges |= bit(i, j)
			}
		}
	}
	q := p
	for i, v := range vertices {
		q.Labels[i] = g.Label(v)
	}
	return p, q
}

func TestMiningEndsWithItsContextAndItsErrors(t *testing.T) {
	t.Parallel()
	g := Build(func(yield func(a, b uint32) bool) {
		for a := range uint32(300) {
			for b := range a {
				if !yield(a, b) {
					return
				}
			}
		}
	}, nil)
	ctx, cancel := context.WithCancelCause(context.Background())
	wrong := errors.New("enough")
	if err := Run(ctx, g, Options{}, func(t *Table) error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("error of work: %v", err)
	}
	var deeper func(t *Table) error
	deeper = func(t *Table) error {
		cancel(wrong)
		return t.Extend(Extension{Adjacent: First(t.Width())}, deeper)
	}
	if err := Run(ctx, g, Options{Threads: 2}, deeper); !errors.Is(err, wrong) {
		t.Errorf("cause of the context: %v", err)
	}
	for _, c := range []struct {
		name string
		e    Extension
		want error
	}{
		{"a position that is not there", Extension{Adjacent: Positions(1)}, ErrExtension},
		{"adjacent and apart", Extension{Adjacent: 1, Apart: 1}, ErrExtension},
		{"above and below", Extension{Above: 1, Below: 1}, ErrExtension},
		{"once with positions", Extension{Adjacent: 1, Once: true}, ErrExtension},
	} {
		if err := Run(context.Background(), g, Options{}, func(t *Table) error { return t.Extend(c.e, nil) }); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
