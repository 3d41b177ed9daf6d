package mine

import (
	"context"
	"errors"
	"math/rand"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func drawProgram(t *rapid.T) (p Program) {
	size := rapid.IntRange(1, 4).Draw(t, "size")
	orders := rapid.Bool().Draw(t, "orders")
	like := rapid.SampledFrom([]string{"anything", "clique", "star"}).Draw(t, "like") // vertices of the last two can be exchanged
	for width := 1; width < size; width++ {
		e := drawExtension(t, width)
		if e.Once = false; e.Adjacent == 0 {
			e.Adjacent = Positions(rapid.IntRange(0, width-1).Draw(t, "neighbour"))
			e.Apart &^= e.Adjacent
		}
		if !orders || rapid.Bool().Draw(t, "less order") {
			e.Above, e.Below = 0, 0
		}
		switch like {
		case "clique":
			e.Adjacent, e.Apart = First(width), 0
		case "star":
			others := First(width) &^ Positions(0)
			e = Extension{Adjacent: Positions(0), Apart: e.Apart & others, Above: e.Above & others, Below: e.Below & others}
		}
		p.Extensions = append(p.Extensions, e)
	}
	comparison := rapid.Custom(func(t *rapid.T) Comparison {
		return Comparison{
			rapid.SampledFrom([]Property{OfDegree, OfLabel}).Draw(t, "property"), Relation(rapid.Uint8Range(0, 5).Draw(t, "relation")),
			rapid.Uint32Range(0, 4).Draw(t, "number"),
		}
	})
	for range rapid.IntRange(0, 2).Draw(t, "filters") {
		any := rapid.SliceOfN(comparison, 1, 2).Draw(t, "any")
		for i := range size {
			if rapid.Bool().Draw(t, "filtered") {
				p.Filters = append(p.Filters, Filter{i, any})
			}
		}
	}
	p.Collect = rapid.SampledFrom([]Collect{CountRows, CountPatterns, CountImages}).Draw(t, "collect")
	return p
}

// everyRow calls yield with the rows of a program where vertices have ranks.
func (p Program) everyRow(g *Graph, ranks []int, yield func([]Vertex)) {
	var extend func(row []Vertex)
	extend = func(row []Vertex) {
		for _, f := range p.Filters {
			if at := len(row) - 1; f.Vertex == at && !f.Holds(uint32(g.Degree(row[at])), g.Label(row[at])) {
				return
			}
		}
		if len(row) == len(p.Extensions)+1 {
			yield(row)
			return
		}
		e := p.Extensions[len(row)-1]
		unordered := Extension{Adjacent: e.Adjacent, Apart: e.Apart}
		for v := range Vertex(g.Len()) {
			ordered := true
			for i, w := range row {
				ordered = ordered && (e.Above>>i&1 == 0 || ranks[v] > ranks[w]) && (e.Below>>i&1 == 0 || ranks[v] < ranks[w])
			}
			if ordered && unordered.allows(g, row, v) {
				extend(append(row, v))
			}
		}
	}
	for v := range Vertex(g.Len()) {
		extend([]Vertex{v})
	}
}

// naively is what a program finds, by its definition.
func (p Program) naively(g *Graph, ranks []int, orbits []int) (f Findings) {
	counts, images := map[Pattern]uint64{}, make([]map[Vertex]bool, len(p.Extensions)+1)
	for i := range images {
		images[i] = map[Vertex]bool{}
	}
	p.everyRow(g, ranks, func(row []Vertex) {
		induced := Pattern{Size: len(row)}
		for i, v := range row {
			for j, w := range row[:i] {
				if g.HasEdge(v, w) {
					induced.Edges |= bit(i, j)
				}
			}
			images[orbits[i]][v] = true
		}
		c, _ := induced.Canonical()
		counts[c]++
	})
	for c, n := range counts {
		switch p.Collect {
		case CountRows:
			f.Count += n
		case CountPatterns:
			f.Patterns = append(f.Patterns, Support{Pattern: c, Count: n})
		}
	}
	if p.Collect == CountImages {
		for _, orbit := range orbits {
			f.Images = append(f.Images, uint64(len(images[orbit])))
		}
	}
	return f
}

// matchedIn counts embeddings one by one.
func (p Program) matchedIn(g *Graph) (Findings, error) {
	roles, err := p.Roles()
	if err != nil {
		return Findings{}, err
	}
	program := func(q Pattern) (asked Program) {
		for i := range q.Size {
			if i > 0 {
				var e Extension
				for j := range i {
					if q.HasEdge(i, j) {
						e.Adjacent |= Positions(j)
					}
				}
				asked.Extensions = append(asked.Extensions, e)
			}
			for _, f := range roles[q.Labels[i]] {
				asked.Filters = append(asked.Filters, Filter{i, f.Any})
			}
		}
		return asked
	}
	embeddings := func(q Pattern, at int) (n uint64, images map[Vertex]bool) {
		order := q.connectedOrder()
		images = map[Vertex]bool{}
		program(q.permuted(order)).everyRow(g, nil, func(row []Vertex) {
			n++
			for i, from := range order {
				if from == at {
					images[row[i]] = true
				}
			}
		})
		return n, images
	}
	return p.Matched(func(q Pattern) (uint64, error) {
		n, _ := embeddings(q, 0)
		return n, nil
	}, func(q Pattern, at int) (uint64, error) {
		_, images := embeddings(q, at)
		return uint64(len(images)), nil
	})
}

// connectedOrder is an order in which each vertex but the first has a neighbour before it.
func (p Pattern) connectedOrder() []int {
	order, placed := []int{0}, Positions(0)
	for len(order) < p.Size {
		for i := range p.Size {
			for j := range p.Size {
				if placed>>i&1 == 0 && placed>>j&1 != 0 && p.HasEdge(i, j) {
					order, placed = append(order, i), placed|Positions(i)
				}
			}
		}
	}
	return order
}

func TestProgramsFindWhatTheirDefinitionSaysWhereverTheyRun(t *testing.T) {
	t.Parallel()
	accepted, ordered := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g, p := drawGraph(t, 9).build(3), drawProgram(t)
		form, err := p.form()
		if errors.Is(err, ErrProgram) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if accepted++; len(form.above) > 0 {
			ordered++
		}
		want := p.naively(g, rand.New(rand.NewSource(rapid.Int64().Draw(t, "order"))).Perm(g.Len()), form.orbits)
		got, err := p.Run(context.Background(), g, drawOptions(t))
		if errors.Is(err, ErrMemory) && p.Collect == CountImages {
			got, err = p.Run(context.Background(), g, Options{})
		}
		if err != nil || !got.same(want) {
			t.Fatalf("tables: %+v, want %+v: %v", got, want, err)
		}
		got, err = p.matchedIn(g)
		if errors.Is(err, ErrUnmatched) && p.Collect == CountImages && form.apart != 0 {
			return
		}
		if err != nil || !got.same(want) {
			t.Fatalf("matched: %+v, want %+v: %v", got, want, err)
		}
	})
	t.Logf("%d programs, %d of them with order constraints", accepted, ordered)
}

// same compares findings, patterns in any order.
func (f Findings) same(o Findings) bool {
	counts := func(f Findings) map[Pattern]uint64 {
		m := map[Pattern]uint64{}
		for _, s := range f.Patterns {
			m[s.Pattern] = s.Count
		}
		return m
	}
	return f.Count == o.Count && reflect.DeepEqual(counts(f), counts(o)) && len(f.Images) == len(o.Images) && (len(f.Images) == 0 || reflect.DeepEqual(f.Images, o.Images))
}

func TestProgramsThatDependOnTheOrderOfVerticesAreRefused(t *testing.T) {
	t.Parallel()
	path := []Extension{{Adjacent: Positions(0)}, {Adjacent: Positions(1), Above: Positions(1)}}
	clique := make([]Extension, MaxPattern-1)
	for i := range clique {
		clique[i] = Extension{Adjacent: First(i + 1), Above: First(i + 1)}
	}
	for _, c := range []struct {
		name    string
		program Program
		err     error
	}{
		{"an end above the middle", Program{Extensions: path}, ErrProgram},
		{"two ends, one of them filtered", Program{
			Extensions: []Extension{{Adjacent: Positions(0)}, {Adjacent: Positions(1), Above: Positions(0)}}, Filters: []Filter{{0, []Comparison{{OfLabel, Equal, 1}}}},
		}, ErrProgram},
		{"a vertex beside none", Program{Extensions: []Extension{{}}}, ErrProgram},
		{"a filter of no vertex", Program{Filters: []Filter{{Vertex: 1}}}, ErrProgram},
		{"too many vertices", Program{Extensions: make([]Extension, MaxPattern)}, ErrProgram},
		{"a position that is not there", Program{Extensions: []Extension{{Adjacent: Positions(1)}}}, ErrExtension},
		{"a clique of eight, once", Program{Extensions: clique}, nil},
	} {
		if _, err := c.program.form(); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
		}
	}
}
