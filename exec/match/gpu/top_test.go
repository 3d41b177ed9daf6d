package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// tied is a dictionary whose IDs are integers, three of each: 5, 05 and 005.
func tied(t testing.TB, vertices int) *dictionary.Dictionary {
	t.Helper()
	d := integersOf(t, vertices, func(v int) string { return strings.Repeat("0", v%3) + fmt.Sprint(v/3) })
	if vertices > 5 && d.Value(5).Int != 1 {
		t.Fatal(d.Value(5))
	}
	return d
}

// failing is a test, or a case of a property.
type failing interface {
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
}

// rowsOf are a match's rows of two columns, each with how often it came.
func rowsOf(ctx context.Context, on match.Matcher, m *match.Match) (of map[[2]uint32]int, n int, err error) {
	of = map[[2]uint32]int{}
	err = on.Match(ctx, m, func(b *match.Batch) error {
		n += b.N
		for r := range b.N {
			of[[2]uint32{b.Cols[0][r], b.Cols[1][r]}]++
		}
		return nil
	})
	return of, n, err
}

// topMatch is the match of the paths of three edges, without weights, of which the first rows by a column are asked for.
func topMatch(t testing.TB, g *pcsr.Graph, dict *dictionary.Dictionary, top bgp.Top) *match.Match {
	t.Helper()
	m := grouped(t, g, false, "v0", "v3")
	m.Plan.Combine, m.Weighted, m.Plan.Top, m.Dictionary = false, false, &top, dict
	return m
}

// checkTop compares the rows that a device hands out with the processor's: those that may be among the first are all there, and no others than come. It returns
// the share that came.
func checkTop(t failing, d *Device, m *match.Match) float64 {
	t.Helper()
	want, all, err := rowsOf(context.Background(), cpu.New(), m)
	if err != nil {
		t.Fatal(err)
	}
	got, came, err := rowsOf(context.Background(), d, m)
	if err != nil {
		t.Fatal(err)
	}
	top := m.Plan.Top
	by := func(row [2]uint32) int64 { return m.Dictionary.Value(row[top.Column]).Int }
	before := func(row, other int64) int { // how many rows come before one of another number
		if top.Descending {
			row, other = other, row
		}
		return btoi(row < other)
	}
	ahead := map[int64]int{}
	for row := range want {
		if _, known := ahead[by(row)]; !known {
			sum := 0
			for other, n := range want {
				sum += n * before(by(other), by(row))
			}
			ahead[by(row)] = sum
		}
	}
	for row, n := range want {
		if uint64(ahead[by(row)]) < top.Rows && got[row] != n {
			t.Errorf("%+v: the row %v came %d times, want %d", *top, row, got[row], n)
		}
	}
	for row, n := range got {
		if n > want[row] {
			t.Errorf("%+v: the row %v came %d times of %d", *top, row, n, want[row])
		}
	}
	return float64(came) / float64(max(all, 1))
}

// TestRandomFirstRows selects in random graphs, by numbers of which some are equal, with tables of all sizes and partitions in pages.
func TestRandomFirstRows(t *testing.T) {
	t.Parallel()
	least := 1.0
	rapid.Check(t, func(rt *rapid.T) {
		vertices := rapid.IntRange(3, 40).Draw(rt, "vertices")
		var edges []pcsr.Edge
		for range rapid.IntRange(1, 60).Draw(rt, "edges") {
			from, to := rapid.IntRange(0, vertices-1).Draw(rt, "from"), rapid.IntRange(0, vertices-1).Draw(rt, "to")
			edges = append(edges, pcsr.Edge{From: pcsr.Vertex(from), To: pcsr.Vertex(to)})
		}
		g, err := pcsr.Build(vertices, 1, edges)
		if err != nil {
			rt.Fatal(err)
		}
		options := drawOptions(rt)
		options.tuning.noMailbox = true
		d := open(rt, options)
		defer d.Close()
		top := bgp.Top{
			Column: rapid.IntRange(0, 1).Draw(rt, "column"), Descending: rapid.Bool().Draw(rt, "descending"),
			Rows: uint64(rapid.SampledFrom([]int{1, 2, 5, 20}).Draw(rt, "rows")),
		}
		least = min(least, checkTop(rt, d, topMatch(t, g, tied(t, vertices), top)))
	})
	if least > 0.5 {
		t.Errorf("at least %g of the rows came", least)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// checkTops closes the device. Where the rows are even, few come.
func checkTops(t *testing.T, d *Device, g *pcsr.Graph, even bool) {
	t.Helper()
	dict := tied(t, g.Vertices())
	least := 1.0
	for _, top := range []bgp.Top{{Column: 0, Descending: false, Rows: 1}, {Column: 1, Descending: true, Rows: 10}, {Column: 0, Descending: true, Rows: 100}, {Column: 1, Descending: false, Rows: 3000}, {Column: 1, Descending: false, Rows: 1 << 40}} {
		share := checkTop(t, d, topMatch(t, g, dict, top))
		least = min(least, share)
		if even && top.Rows < 200 && share > 0.5 {
			t.Errorf("%+v: %g of the rows came", top, share)
		}
	}
	if even && least > 0.1 || least == 1 {
		t.Errorf("at least %g of the rows came", least)
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%d bytes are left after Close (error %v)", d.memory.inUse(), err)
	}
}

func TestFirstRowsAreSelected(t *testing.T) {
	t.Parallel()
	checkTops(t, open(t, Options{CombineFrom: 1, tuning: tuning{noMailbox: true}}), ring(t, 100).Graph, true)
	checkTops(t, open(t, Options{CombineFrom: 1, tuning: tuning{noMailbox: true, rows: 5000, blocks: 2}}), hubs(t, 200, 150), false)
}

func TestDeviceSelectsFirstRows(t *testing.T) {
	gpu := driver(t)
	checkTops(t, open(t, Options{Driver: gpu, CombineFrom: 1, tuning: tuning{noMailbox: true}}), ring(t, 3000).Graph, true)
	checkTops(t, open(t, Options{Driver: gpu, CombineFrom: 1, tuning: tuning{noMailbox: true, rows: 100_000}}), hubs(t, 2000, 3000), false)
}

// TestRowsInNoOrderComeAll, and the device remembers that.
func TestRowsInNoOrderComeAll(t *testing.T) {
	t.Parallel()
	g := ring(t, 100).Graph
	for name, term := range map[string]func(v int) rdf.Term{
		"names": func(v int) rdf.Term { return rdf.NewIRI(fmt.Sprint("http://e/", v)) },
		"numbers and names": func(v int) rdf.Term {
			return []rdf.Term{rdf.NewIRI(fmt.Sprint("http://e/", v)), rdf.NewTyped(fmt.Sprint(v), rdf.XSDInteger)}[v%2]
		},
	} {
		var terms []rdf.Term
		for v := range g.Vertices() {
			terms = append(terms, term(v))
		}
		dict, err := dictionary.FromTerms(terms)
		if err != nil {
			t.Fatal(err)
		}
		d := open(t, Options{CombineFrom: 1, tuning: tuning{noMailbox: true}})
		m := topMatch(t, g, dict, bgp.Top{Column: 1, Rows: 3})
		if share := checkTop(t, d, m); share != 1 {
			t.Errorf("%s: %g of the rows came", name, share)
		}
		if d.numbers.known(m.Plan).Top != nil {
			t.Errorf("%s: the device would try again", name)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSelectingEnds where the context does, and where the device fails, and gives back what it has taken.
func TestSelectingEnds(t *testing.T) {
	t.Parallel()
	g := ring(t, 60).Graph
	dict := tied(t, g.Vertices())
	if ended := endsAtLaunches(t, 8, tuning{rows: 5000, noMailbox: true}, func(ctx context.Context, d *Device) error {
		_, _, err := rowsOf(ctx, d, topMatch(t, g, dict, bgp.Top{Column: 1, Rows: 5}))
		return err
	}); ended < 6 {
		t.Errorf("%d runs ended", ended)
	}
}

// TestBinsCover random ranges of IDs: what is selected is what comes up to the bound.
func TestBinsCover(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	dict := tied(t, 9000)
	for range 300 {
		in := dictionary.Range{From: r.Uint32N(4000), To: 4001 + r.Uint32N(4999)}
		top := &bgp.Top{Descending: r.IntN(2) == 0, Rows: uint64(1 + r.IntN(50))}
		s := &selection{Top: &kernels.Top{}, q: &query{task: &match.Match{Dictionary: dict}, join: &join{shape: &shape{Lowering: &match.Lowering{Plan: &bgp.MatchPlan{Top: top}}}}}}
		s.over(in)
		counts, ids := make([]uint64, kernels.TopBins), []uint32{}
		for range 1 + r.IntN(300) {
			id := in.From + r.Uint32N(uint32(in.Len()))
			ids = append(ids, id)
			counts[s.bin(id)]++
		}
		s.narrow(counts)
		inside := 0
		for _, id := range ids {
			inside += btoi(s.Low <= id && id <= s.High)
		}
		if uint64(inside) < min(top.Rows, uint64(len(ids))) {
			t.Fatalf("%+v of %v: %d of %d", *top, in, inside, len(ids))
		}
		for _, outside := range []uint32{s.Low - 1, s.High + 1} {
			edge := min(max(outside, s.Low), s.High)
			if in.Contains(outside) && dict.Value(outside).Int == dict.Value(edge).Int {
				t.Fatalf("%+v of %v: %d is left out, which is as much as %d", *top, in, outside, edge)
			}
		}
	}
}
