package gpu

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// tallied is a match of which the different rows of two columns are counted by one of them.
func tallied(t testing.TB, g *pcsr.Graph, by int, columns ...string) *match.Match {
	t.Helper()
	m := grouped(t, g, true, columns...)
	m.Plan.Tally = by + 1
	return m
}

// tally is how many different rows a match has of each value, counted here, or as they came where the matcher has counted them.
func tally(ctx context.Context, on match.Matcher, m *match.Match) (of map[uint32]uint64, counted bool, err error) {
	of = map[uint32]uint64{}
	seen := map[[2]uint32]bool{}
	by := m.Plan.Tally - 1
	err = on.Match(ctx, m, func(b *match.Batch) error {
		if b.Tally && (b.Distinct || b.Cols[1-by] != nil) || !b.Tally && counted {
			return errors.New("a batch of numbers has rows too")
		}
		counted = b.Tally
		for r := range b.N {
			v := b.Cols[by][r]
			if b.Tally {
				if of[v] != 0 {
					return errors.New("a value came twice")
				}
				of[v] = b.Weights[r]
			} else if key := [2]uint32{b.Cols[0][r], b.Cols[1][r]}; !seen[key] {
				seen[key] = true
				of[v]++
			}
		}
		return nil
	})
	return of, counted, err
}

// checkTally compares the numbers of a device with those of the processor's rows, and reports whether the device counted.
func checkTally(t *testing.T, d *Device, m *match.Match) (counted bool) {
	t.Helper()
	want, _, err := tally(context.Background(), cpu.New(), m)
	if err != nil {
		t.Fatal(err)
	}
	got, counted, err := tally(context.Background(), d, m)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("output %v by %d: %d values, want %d (error %v)", m.Plan.Output, m.Plan.Tally, len(got), len(want), err)
	}
	return counted
}

var tallyOutputs = [][]string{{"v0", "v1"}, {"v3", "v0"}, {"v1", "v2"}, {"v0", "v3"}}

// checkTallies closes the device, which is to count.
func checkTallies(t *testing.T, d *Device, g *pcsr.Graph) {
	t.Helper()
	for _, columns := range tallyOutputs {
		for by := range 2 {
			if !checkTally(t, d, tallied(t, g, by, columns...)) {
				t.Errorf("output %v by %d: not counted", columns, by)
			}
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%d bytes are left after Close (error %v)", d.memory.inUse(), err)
	}
}

func TestDifferentRowsAreCounted(t *testing.T) {
	t.Parallel()
	checkTallies(t, open(t, Options{CombineFrom: 1}), ring(t, 300).Graph)
	checkTallies(t, open(t, Options{CombineFrom: 1, tuning: tuning{rows: 1000}}), hubs(t, 200, 150))
}

func TestDeviceCountsDifferentRows(t *testing.T) {
	gpu := driver(t)
	for _, vertices := range []int{300, 20_000} {
		checkTallies(t, open(t, Options{Driver: gpu, CombineFrom: 1}), ring(t, vertices).Graph)
	}
	checkTallies(t, open(t, Options{Driver: gpu, CombineFrom: 1}), hubs(t, 3000, 6000))
}

// TestWithoutMemoryForNumbersRowsAreHandedOut, whole.
func TestWithoutMemoryForNumbersRowsAreHandedOut(t *testing.T) {
	t.Parallel()
	g := ring(t, 300).Graph
	counted := map[bool]int{}
	step := int64(200 << 10)
	if testing.Short() {
		step *= 8
	}
	for memory := int64(600 << 10); memory < 3<<20; memory += step {
		d := open(t, Options{Memory: memory, CombineFrom: 1, tuning: tuning{rows: 1000}})
		for _, columns := range tallyOutputs {
			counted[checkTally(t, d, tallied(t, g, 0, columns...))]++
		}
		if used := d.memory.inUse(); used > memory {
			t.Errorf("%d bytes are in use of %d", used, memory)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if counted[true] == 0 || counted[false] == 0 {
		t.Errorf("counted by the device or not: %v", counted)
	}
}

// TestCountingDifferentRowsEnds where the context does, and where the device fails, and gives back what it has taken.
func TestCountingDifferentRowsEnds(t *testing.T) {
	t.Parallel()
	g := ring(t, 100).Graph
	if ended := endsAtLaunches(t, 12, tuning{rows: 20_000}, func(ctx context.Context, d *Device) error {
		_, _, err := tally(ctx, d, tallied(t, g, 0, "v0", "v3"))
		return err
	}); ended < 6 {
		t.Errorf("%d runs ended", ended)
	}
}
