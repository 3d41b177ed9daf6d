package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// lookedUp is the match of the paths of three edges of a graph, whose rows of some columns are looked up by the first or the first two in a random table, and counted
// by the last where fold is set.
func lookedUp(t testing.TB, g *pcsr.Graph, r *rand.Rand, kind bgp.LookupKind, fold bool, columns ...string) *match.Match {
	t.Helper()
	m := grouped(t, g, false, columns...)
	m.Plan.Combine = false
	l := bgp.TableLookup{Kind: kind}
	table := &match.Table{N: r.IntN(4 * g.Vertices())}
	for c := range min(2, len(columns)) {
		l.Columns = append(l.Columns, c)
		var column []uint32
		for range table.N {
			column = append(column, r.Uint32N(uint32(g.Vertices())))
		}
		table.Cols = append(table.Cols, column)
	}
	for range table.N * r.IntN(2) {
		table.Weights = append(table.Weights, 1+r.Uint64N(3))
	}
	m.Plan.Lookups, m.Tables = []bgp.TableLookup{l}, []*match.Table{table}
	if fold {
		m.Plan.Fold, m.Dictionary = &bgp.Fold{Value: -1, Sums: true, Keys: []bgp.FoldKey{{Column: len(columns) - 1}}}, lessTen(t, g.Vertices())
	}
	return m
}

// times is how often the row of a table comes that has the values of a row of a match.
func times(table *match.Table) map[[2]uint32]uint64 {
	of := map[[2]uint32]uint64{}
	for r := range table.N {
		n := uint64(1)
		if table.Weights != nil {
			n = table.Weights[r]
		}
		var key [2]uint32
		for c, column := range table.Cols {
			key[c] = column[r]
		}
		of[key] += n
	}
	return of
}

// ofMatch makes a match's table the different rows of another's, which come from the device where that runs it.
func ofMatch(t testing.TB, g *pcsr.Graph, m *match.Match, once bool) {
	t.Helper()
	columns := [][]string{{"v1"}, {"v2", "v0"}}[len(m.Tables[0].Cols)-1]
	of := grouped(t, g, once, columns...)
	m.Tables[0] = &match.Table{Cols: m.Tables[0].Cols, Of: of}
}

// there is a table as it is, or of the rows of its match.
func there(table *match.Table) (*match.Table, error) {
	if table.Of == nil {
		return table, nil
	}
	out := &match.Table{Cols: make([][]uint32, len(table.Cols))}
	different := map[string]bool{}
	err := cpu.New().Match(context.Background(), table.Of, func(b *match.Batch) error {
		for r := range b.N {
			var row []uint32
			for _, column := range b.Cols {
				row = append(row, column[r])
			}
			if text := fmt.Sprint(row); table.Of.Plan.Once && different[text] {
				continue
			} else {
				different[text] = true
			}
			for c, id := range row {
				out.Cols[c] = append(out.Cols[c], id)
			}
			n := uint64(1)
			if b.Weights != nil {
				n = b.Weights[r]
			}
			out.Weights = append(out.Weights, n)
			out.N++
		}
		return nil
	})
	return out, err
}

// looked is how often each row comes, or each value of the last column where the match is folded; on the processor rows are looked up here.
func looked(on match.Matcher, m *match.Match) (of map[string]uint64, err error) {
	of = map[string]uint64{}
	rows, err := there(m.Tables[0])
	if err != nil {
		return nil, err
	}
	l, table := m.Plan.Lookups[0], times(rows)
	_, device := on.(*Device)
	fold := m.Plan.Fold
	err = on.Match(context.Background(), m, func(b *match.Batch) error {
		if device && fold != nil && b.Folds == nil {
			return errors.New("rows that were to be folded came")
		}
		for r := range b.N {
			n := uint64(1)
			if b.Weights != nil {
				n = b.Weights[r]
			}
			if device && fold != nil {
				of[fmt.Sprint(b.Cols[fold.Keys[0].Column][r])] += b.Folds.Counts[r]
				continue
			}
			var key [2]uint32
			for i, c := range l.Columns {
				key[i] = b.Cols[c][r]
			}
			if there := table[key]; !device {
				n = map[bgp.LookupKind]uint64{bgp.Has: n * min(there, 1), bgp.HasNot: n * (1 - min(there, 1)), bgp.HasTimes: n * there, bgp.HasTimesOrOne: n * max(there, 1)}[l.Kind]
			}
			var row []uint32
			for _, column := range b.Cols {
				row = append(row, column[r])
			}
			if fold != nil {
				row = row[len(row)-1:]
			}
			text := fmt.Sprint(row)
			if n > 0 {
				of[map[bool]string{true: fmt.Sprint(row[0]), false: text}[fold != nil]] += n
			}
		}
		return nil
	})
	return of, err
}

// checkLookups closes the device.
func checkLookups(t *testing.T, d *Device, g *pcsr.Graph) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	for _, columns := range [][]string{{"v3"}, {"v0", "v3"}, {"v1", "v3", "v0"}} {
		for _, kind := range []bgp.LookupKind{bgp.Has, bgp.HasNot, bgp.HasTimes, bgp.HasTimesOrOne} {
			for i := range 4 {
				fold := i%2 == 1
				m := lookedUp(t, g, r, kind, fold, columns...)
				if i > 1 {
					ofMatch(t, g, m, kind < bgp.HasTimes)
				}
				want, err := looked(cpu.New(), m)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := looked(d, m); err != nil || !maps.Equal(got, want) {
					t.Errorf("output %v, %v, folded %v: %d rows, want %d (error %v)", columns, kind, fold, len(got), len(want), err)
				}
			}
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%d bytes are left after Close (error %v)", d.memory.inUse(), err)
	}
}

func TestRowsAreLookedUp(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		checkLookups(t, open(t, Options{tuning: tuning{rows: 500, sifted: 100}}), ring(t, 20).Graph)
		return
	}
	checkLookups(t, open(t, Options{}), ring(t, 150).Graph)
	checkLookups(t, open(t, Options{tuning: tuning{rows: 500, sifted: 100}}), hubs(t, 200, 150))
}

func TestDeviceLooksRowsUp(t *testing.T) {
	gpu := driver(t)
	checkLookups(t, open(t, Options{Driver: gpu}), ring(t, 300).Graph)
	checkLookups(t, open(t, Options{Driver: gpu}), hubs(t, 200, 150))
}

// TestWithoutMemoryForTablesNothingIsLookedUp, and nothing is emitted.
func TestWithoutMemoryForTablesNothingIsLookedUp(t *testing.T) {
	t.Parallel()
	g := ring(t, 150).Graph
	refused := 0
	for memory := int64(280 << 10); memory < 1<<20; memory += 120 << 10 {
		d := open(t, Options{Memory: memory, tuning: tuning{rows: 1000}})
		m := lookedUp(t, g, rand.New(rand.NewPCG(1, 1)), bgp.HasTimes, false, "v0", "v3")
		want, err := looked(cpu.New(), m)
		if err != nil {
			t.Fatal(err)
		}
		switch got, err := looked(d, m); {
		case errors.Is(err, match.ErrNotLookedUp):
			if refused++; len(got) > 0 {
				t.Error("rows came before")
			}
		case err != nil || !maps.Equal(got, want):
			t.Errorf("%d bytes: %d rows, want %d (error %v)", memory, len(got), len(want), err)
		}
		if err := d.Close(); err != nil || d.memory.inUse() != 0 {
			t.Errorf("%d bytes are left (error %v)", d.memory.inUse(), err)
		}
	}
	if refused == 0 {
		t.Error("there was always memory")
	}
}
