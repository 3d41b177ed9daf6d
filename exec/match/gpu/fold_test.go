package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"strconv"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// integersOf is a dictionary whose IDs are integers, in the order of their values, as they are written for each.
func integersOf(t testing.TB, vertices int, written func(v int) string) *dictionary.Dictionary {
	t.Helper()
	var terms []rdf.Term
	for v := range vertices {
		terms = append(terms, rdf.NewTyped(written(v), rdf.XSDInteger))
	}
	d, err := dictionary.FromTerms(terms)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// lessTen is a dictionary whose IDs are integers, those below some number minus ten.
func lessTen(t testing.TB, vertices int) *dictionary.Dictionary {
	t.Helper()
	d := integersOf(t, vertices, func(v int) string { return strconv.Itoa(v - 10) })
	if d.Value(0).Int != -10 {
		t.Fatal(d.Value(0))
	}
	return d
}

// foldedMatch is the match of the paths of three edges of a graph, of which the numbers of the last column are asked for by the others.
func foldedMatch(t testing.TB, g *pcsr.Graph, dict *dictionary.Dictionary, once bool, columns ...string) *match.Match {
	t.Helper()
	m := grouped(t, g, once, columns...)
	f := &bgp.Fold{Value: len(columns) - 1, Sums: !once, Extremes: true}
	for i := range len(columns) - 1 {
		f.Keys = append(f.Keys, bgp.FoldKey{Column: i})
	}
	m.Plan.Fold, m.Dictionary = f, dict
	return m
}

// foldOf is what the numbers of each group come to, added up here, or as they came where the matcher has folded them.
func foldOf(ctx context.Context, on match.Matcher, m *match.Match) (of map[[2]uint32]figure, folded bool, err error) {
	sums, of := map[[2]uint32]*big.Int{}, map[[2]uint32]figure{}
	f := m.Plan.Fold
	err = on.Match(ctx, m, func(b *match.Batch) error {
		if folded = folded || b.Folds != nil; folded && b.Folds == nil {
			return errors.New("rows came beside groups")
		}
		for r := range b.N {
			var key [2]uint32
			for i, c := range f.Keys {
				key[i] = b.Cols[c.Column][r]
			}
			if folded {
				got := figure{}
				if f.Extremes {
					got.least, got.greatest = b.Folds.Least[r], b.Folds.Greatest[r]
				}
				if f.Sums {
					got.count, got.sum = b.Folds.Counts[r], strconv.FormatInt(int64(b.Folds.Low[r]), 10)
				}
				if _, known := of[key]; known {
					return fmt.Errorf("the group %v came twice", key)
				}
				of[key] = got
				continue
			}
			passes := true
			for _, w := range m.Plan.Where {
				passes = passes && integerOf(w, b, r) != 0
			}
			if b.Passed && !passes {
				return errors.New("a row has passed that does not")
			}
			if !passes {
				continue
			}
			id, n, value := dictionary.ID(0), uint64(1), int64(0)
			switch {
			case f.Value >= 0:
				id = b.Cols[f.Value][r]
				value = int64(id) - 10
			case f.Of != nil:
				value = integerOf(f.Of, b, r)
			}
			if b.Weights != nil {
				n = b.Weights[r]
			}
			now, known := of[key]
			if !known {
				now, sums[key] = figure{least: id, greatest: id}, new(big.Int)
			}
			if now.least, now.greatest = min(now.least, id), max(now.greatest, id); !f.Extremes {
				now.least, now.greatest = 0, 0
			}
			if f.Sums {
				now.count += n
				sums[key].Add(sums[key], new(big.Int).Mul(big.NewInt(value), new(big.Int).SetUint64(n)))
				now.sum = sums[key].String()
			}
			of[key] = now
		}
		return nil
	})
	return of, folded, err
}

// integerOf is what a formula over columns of a batch comes to, whose IDs stand for the integers from -10 on; a truth is 0 or 1.
func integerOf(f *bgp.Formula, b *match.Batch, row int) int64 {
	truth := map[bool]int64{true: 1}
	var args []int64
	for _, a := range f.Args {
		args = append(args, integerOf(a, b, row))
	}
	switch f.Op {
	case bgp.ColumnNumber:
		return int64(b.Cols[f.Column][row]) - 10
	case bgp.ConstantNumber:
		return f.Int
	case bgp.Plus:
		return args[0] + args[1]
	case bgp.Times:
		return args[0] * args[1]
	case bgp.Less:
		return truth[args[0] < args[1]]
	}
	panic("no such operation here")
}

// tested is a folded match whose rows must pass a condition on two columns, or of which products are added up, or rows counted.
func tested(t testing.TB, g *pcsr.Graph, dict *dictionary.Dictionary, kind int, columns ...string) *match.Match {
	t.Helper()
	m := foldedMatch(t, g, dict, false, columns...)
	column := func(c int) *bgp.Formula { return &bgp.Formula{Op: bgp.ColumnNumber, Column: c} }
	ten := &bgp.Formula{Op: bgp.ConstantNumber, Int: 10}
	last := len(columns) - 1
	sum := &bgp.Formula{Op: bgp.Plus, Args: []*bgp.Formula{column(0), column(last)}}
	m.Plan.Where = []*bgp.Formula{{Op: bgp.Less, Args: []*bgp.Formula{ten, sum}}}
	switch f := m.Plan.Fold; kind {
	case 1:
		f.Value, f.Extremes, f.Of = -1, false, &bgp.Formula{Op: bgp.Times, Args: []*bgp.Formula{column(0), column(last)}}
	case 2:
		f.Value, f.Extremes = -1, false
	}
	return m
}

var foldColumns = [][]string{{"v3"}, {"v0", "v3"}, {"v3", "v1"}, {"v0", "v1", "v3"}, {"v3", "v0", "v2"}}

// checkFold compares the numbers of a device with those of the processor's rows, and reports whether the device folded.
func checkFold(t *testing.T, d *Device, m *match.Match) (folded bool) {
	t.Helper()
	want, _, err := foldOf(context.Background(), cpu.New(), m)
	if err != nil {
		t.Fatal(err)
	}
	got, folded, err := foldOf(context.Background(), d, m)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("output %v, once %v: %d groups, want %d (error %v)%s", m.Plan.Output, m.Plan.Once, len(got), len(want), err, firstDifference(got, want))
	}
	return folded
}

// checkFolds closes the device, which is to fold.
func checkFolds(t *testing.T, d *Device, g *pcsr.Graph) {
	t.Helper()
	dict := lessTen(t, g.Vertices())
	for _, columns := range foldColumns {
		for _, once := range []bool{false, true} {
			if !checkFold(t, d, foldedMatch(t, g, dict, once, columns...)) {
				t.Errorf("output %v, once %v: not folded", columns, once)
			}
		}
		for kind := range 3 {
			if g.Vertices() > 400 || len(columns)%2 == 0 { // the processor's rows are looked at one by one
				break
			}
			if !checkFold(t, d, tested(t, g, dict, kind, columns...)) {
				t.Errorf("output %v, tested and %d: not folded", columns, kind)
			}
			m := tested(t, g, dict, kind, columns...)
			d.numbers.refuse(summed(m.Plan))
			if checkFold(t, d, m) {
				t.Errorf("output %v, tested and %d: folded, though refused", columns, kind)
			}
			clear(d.numbers.others)
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%d bytes are left after Close (error %v)", d.memory.inUse(), err)
	}
}

func TestRowsAreFolded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		checkFolds(t, open(t, Options{CombineFrom: 1, tuning: tuning{rows: 1000}}), ring(t, 30).Graph)
		return
	}
	checkFolds(t, open(t, Options{CombineFrom: 1}), ring(t, 300).Graph)
	checkFolds(t, open(t, Options{CombineFrom: 1, tuning: tuning{rows: 1000}}), hubs(t, 200, 150))
}

func TestDeviceAddsUpWhatItMatches(t *testing.T) {
	gpu := driver(t)
	for _, vertices := range []int{300, 20_000} {
		checkFolds(t, open(t, Options{Driver: gpu, CombineFrom: 1}), ring(t, vertices).Graph)
	}
	checkFolds(t, open(t, Options{Driver: gpu, CombineFrom: 1}), hubs(t, 3000, 6000))
	checkFolds(t, open(t, Options{Driver: gpu, CombineFrom: 1}), hubs(t, 200, 150))
}

// TestWithoutMemoryForSumsRowsAreHandedOut, all of them.
func TestWithoutMemoryForSumsRowsAreHandedOut(t *testing.T) {
	t.Parallel()
	g := ring(t, 150).Graph
	dict := lessTen(t, g.Vertices())
	folded := map[bool]int{}
	step := int64(500 << 10)
	if testing.Short() {
		step *= 4
	}
	for memory := int64(600 << 10); memory < 4<<20; memory += step {
		d := open(t, Options{Memory: memory, CombineFrom: 1, tuning: tuning{rows: 1000}})
		for _, columns := range foldColumns[1:4] {
			folded[checkFold(t, d, foldedMatch(t, g, dict, false, columns...))]++
		}
		if used := d.memory.inUse(); used > memory {
			t.Errorf("%d bytes are in use of %d", used, memory)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if folded[true] == 0 || folded[false] == 0 {
		t.Errorf("folded by the device or not: %v", folded)
	}
}

// TestFoldingEnds where the context does, and where the device fails, and gives back what it has taken.
func TestFoldingEnds(t *testing.T) {
	t.Parallel()
	g := ring(t, 100).Graph
	dict := lessTen(t, g.Vertices())
	if ended := endsAtLaunches(t, 14, tuning{rows: 20_000}, func(ctx context.Context, d *Device) error {
		_, _, err := foldOf(ctx, d, foldedMatch(t, g, dict, false, "v0", "v2", "v3"))
		return err
	}); ended < 6 {
		t.Errorf("%d runs ended", ended)
	}
}

// TestQueriesFoldAtTheSameTime with tables of numbers that they share, and of which those that nobody uses go.
func TestQueriesFoldAtTheSameTime(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Driver: kernels.Emulate(256 << 20), CombineFrom: 1, tuning: tuning{arena: 300 << 10}})
	g := ring(t, 100).Graph
	dicts := []*dictionary.Dictionary{lessTen(t, g.Vertices()), lessTen(t, g.Vertices())}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { checkFold(t, d, foldedMatch(t, g, dicts[i%2], false, "v0", "v3")) })
	}
	wg.Wait()
	if n := len(d.numbers.all); n != 2 {
		t.Errorf("%d tables, want 2", n)
	}
	for range 2 {
		if err := d.Forget(); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.numbers.bytes(); n != 0 {
		t.Errorf("%d bytes of tables are kept", n)
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%d bytes are left after Close (error %v)", d.memory.inUse(), err)
	}
}
