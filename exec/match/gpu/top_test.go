package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
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
	of := top.Of
	if of == nil {
		of = &bgp.Formula{Op: bgp.ColumnNumber, Column: top.Column}
	}
	by := func(row [2]uint32) float64 { // small enough to be exact
		n, _ := topNumber(m.Dictionary, of, row).Float64()
		return n
	}
	having := map[float64]int{} // rows of each number
	for row, n := range want {
		having[by(row)] += n
	}
	numbers, ahead, sum := slices.Sorted(maps.Keys(having)), map[float64]int{}, 0 // rows before those of each
	if top.Descending {
		slices.Reverse(numbers)
	}
	for _, n := range numbers {
		ahead[n] = sum
		sum += having[n]
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

// topNumber is what a formula over integers says of a row.
func topNumber(dict *dictionary.Dictionary, f *bgp.Formula, row [2]uint32) *big.Rat {
	switch f.Op {
	case bgp.ColumnNumber:
		return new(big.Rat).SetInt64(dict.Value(row[f.Column]).Int)
	case bgp.ConstantNumber:
		return big.NewRat(f.Int, int64(math.Pow10(int(f.Scale))))
	}
	x := topNumber(dict, f.Args[0], row)
	if len(f.Args) == 1 {
		return unaryValue(f.Op, x)
	}
	return binaryValue(f.Op, x, topNumber(dict, f.Args[1], row))
}

// topFormulas are numbers by which the first rows are told: of few and of very different sizes, with one or both signs, all alike, and too large.
func topFormulas() []*bgp.Formula {
	column := func(c int) *bgp.Formula { return &bgp.Formula{Op: bgp.ColumnNumber, Column: c} }
	constant := func(n int64, scale uint8) *bgp.Formula {
		return &bgp.Formula{Op: bgp.ConstantNumber, Int: n, Scale: scale}
	}
	of := func(op bgp.FormulaOp, args ...*bgp.Formula) *bgp.Formula { return &bgp.Formula{Op: op, Args: args} }
	less := of(bgp.Minus, column(0), column(1))
	large := constant(1_000_000_007, 0)
	return []*bgp.Formula{
		of(bgp.Times, column(0), column(1)), less, of(bgp.Negate, column(1)), of(bgp.Times, less, of(bgp.Times, less, constant(-25, 2))), of(bgp.Floor, of(bgp.Times, column(0), constant(3, 1))),
		of(bgp.Plus, of(bgp.Times, of(bgp.Times, less, less), of(bgp.Times, less, large)), column(0)), of(bgp.Times, of(bgp.Absolute, less), constant(0, 3)),
		of(bgp.Times, of(bgp.Times, large, of(bgp.Times, less, large)), of(bgp.Times, large, large)),
	}
}

// TestNumbersHaveWordsInOrder: of the words of numbers of all sizes none is before that of a smaller number, and those of few bits differ.
func TestNumbersHaveWordsInOrder(t *testing.T) {
	t.Parallel()
	checkWords(t, open(t, Options{}))
}

// checkWords closes the device.
func checkWords(t *testing.T, d *Device) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	var numbers []*big.Int
	for range 4000 {
		n := new(big.Int).SetUint64(r.Uint64())
		n.Rsh(n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(r.Uint64())), uint(2+r.IntN(126)))
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		numbers = append(numbers, n, new(big.Int).Add(n, big.NewInt(1)), new(big.Int).Neg(n))
	}
	slices.SortFunc(numbers, (*big.Int).Cmp)
	results := make([]uint64, 0, 2*len(numbers))
	for _, n := range numbers {
		twice := new(big.Int).Lsh(n, 1)
		twice.Add(twice, big.NewInt(r.Int64N(2)))
		high := new(big.Int).Rsh(twice, 64)
		results = append(results, new(big.Int).Sub(twice, new(big.Int).Lsh(high, 64)).Uint64(), uint64(high.Int64()))
	}
	words := make([]uint32, len(numbers))
	err := d.use(func() error {
		l, err := d.lanes.lane(8<<20, false)
		if err != nil {
			return err
		}
		defer l.release()
		bytes := int64(16 * len(numbers))
		at, err := d.alloc(bytes + int64(4*len(numbers)))
		if err != nil {
			return err
		}
		to := at + kernels.Address(bytes)
		return errors.Join(l.stream.Upload(at, kernels.Bytes(results)), l.stream.Launch(kernels.TopWords, 2, 0, at, to, uint64(len(numbers))),
			l.stream.Download(kernels.Bytes(words), to), l.stream.Synchronize(), d.give(at))
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range numbers[1:] {
		last, word := words[i], words[i+1]
		if word < last || word == math.MaxUint32 || word == last && n.Cmp(numbers[i]) != 0 && n.BitLen() <= kernels.TopWordBits {
			t.Fatalf("%d has the word %d, and %d %d", numbers[i], last, n, word)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
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
		if rapid.Bool().Draw(rt, "computed") {
			top.Of = rapid.SampledFrom(topFormulas()).Draw(rt, "by")
		}
		least = min(least, checkTop(rt, d, topMatch(t, g, tied(t, vertices), top)))
	})
	if !testing.Short() && least > 0.5 {
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
	for i, of := range topFormulas() {
		top := bgp.Top{Of: of, Descending: i%2 == 0, Rows: 10}
		if share := checkTop(t, d, topMatch(t, g, dict, top)); even && i < 6 && share > 0.15 {
			t.Errorf("%d: %g of the rows came", i, share)
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
	checkWords(t, open(t, Options{Driver: gpu}))
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
	for _, of := range []*bgp.Formula{nil, topFormulas()[0]} {
		if ended := endsAtLaunches(t, 8, tuning{rows: 5000, noMailbox: true}, func(ctx context.Context, d *Device) error {
			_, _, err := rowsOf(ctx, d, topMatch(t, g, dict, bgp.Top{Column: 1, Of: of, Rows: 5}))
			return err
		}); ended < 6 {
			t.Errorf("%d runs ended", ended)
		}
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
		s.begin(in)
		s.over(in)
		counts, ids := make([]uint64, kernels.TopBins), []uint32{}
		for range 1 + r.IntN(300) {
			id := in.From + r.Uint32N(uint32(in.Len()))
			ids = append(ids, id)
			counts[s.bin(id)]++
		}
		last, _ := s.last(counts, top.Rows)
		s.narrow(last)
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
