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
		f.Keys = append(f.Keys, i)
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
				key[i] = b.Cols[c][r]
			}
			if folded {
				got := figure{least: b.Folds.Least[r], greatest: b.Folds.Greatest[r]}
				if f.Sums {
					got.count, got.sum = b.Folds.Counts[r], strconv.FormatInt(int64(b.Folds.Low[r]), 10)
				}
				if _, known := of[key]; known {
					return fmt.Errorf("the group %v came twice", key)
				}
				of[key] = got
				continue
			}
			id, n := b.Cols[f.Value][r], uint64(1)
			if b.Weights != nil {
				n = b.Weights[r]
			}
			now, known := of[key]
			if !known {
				now, sums[key] = figure{least: id, greatest: id}, new(big.Int)
			}
			now.least, now.greatest = min(now.least, id), max(now.greatest, id)
			if f.Sums {
				now.count += n
				sums[key].Add(sums[key], new(big.Int).Mul(big.NewInt(int64(id)-10), new(big.Int).SetUint64(n)))
				now.sum = sums[key].String()
			}
			of[key] = now
		}
		return nil
	})
	return of, folded, err
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
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%d bytes are left after Close (error %v)", d.memory.inUse(), err)
	}
}

func TestRowsAreFolded(t *testing.T) {
	t.Parallel()
	checkFolds(t, open(t, Options{CombineFrom: 1}), ring(t, 300).Graph)
	checkFolds(t, open(t, Options{CombineFrom: 1, tuning: tuning{rows: 1000}}), hubs(t, 200, 150))
}

func TestDeviceAddsUpWhatItMatches(t *testing.T) {
	gpu := driver(t)
	for _, vertices := range []int{300, 20_000} {
		checkFolds(t, open(t, Options{Driver: gpu, CombineFrom: 1}), ring(t, vertices).Graph)
	}
	checkFolds(t, open(t, Options{Driver: gpu, CombineFrom: 1}), hubs(t, 3000, 6000))
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
