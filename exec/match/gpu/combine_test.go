package gpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// grouped is a match of the paths of three edges in a graph whose rows of some columns may come as one, with weights or once.
func grouped(t testing.TB, g *pcsr.Graph, once bool, columns ...string) *match.Match {
	t.Helper()
	c := matchtest.Case{Vertices: g.Vertices(), Combine: true, Options: bgp.Options{Output: columns, Distinct: once}}
	for i := range 3 {
		c.Patterns = append(c.Patterns, matchtest.Edge(i, i+1, 0))
	}
	plan, err := c.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	return &match.Match{Graph: g, Plan: plan, Weighted: !once, Trace: &match.Trace{}}
}

// pairs is how many solutions there are of each row of one column or two, or 1 where repeats are dropped, and how many rows came.
func pairs(ctx context.Context, on match.Matcher, m *match.Match) (of map[[2]uint32]uint64, rows int, err error) {
	of = map[[2]uint32]uint64{}
	distinct := 0
	err = on.Match(ctx, m, func(b *match.Batch) error {
		if rows += b.N; b.Distinct {
			distinct += b.N
		}
		for r := range b.N {
			var key [2]uint32
			for i, column := range b.Cols {
				key[i] = column[r]
			}
			n := uint64(1)
			if b.Weights != nil {
				n = b.Weights[r]
			}
			if of[key] += n; m.Plan.Once {
				of[key] = 1
			}
		}
		return nil
	})
	if distinct > 0 && (distinct != rows || rows != len(of)) {
		err = errors.Join(err, fmt.Errorf("%d rows of %d are called distinct, %d are", distinct, rows, len(of)))
	}
	return of, rows, err
}

// checkGroups compares the groups of a device with the processor's, and returns how many rows came for one group.
func checkGroups(t *testing.T, d *Device, m *match.Match) float64 {
	t.Helper()
	want, _, err := pairs(context.Background(), cpu.New(), m)
	if err != nil {
		t.Fatal(err)
	}
	got, rows, err := pairs(context.Background(), d, m)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("output %v, once %v: %d groups, want %d (error %v)", m.Plan.Output, m.Plan.Once, len(got), len(want), err)
	}
	t.Logf("output %v, once %v: %+v", m.Plan.Output, m.Plan.Once, m.Trace.Combined)
	return float64(rows) / float64(len(want))
}

var outputs = [][]string{{"v0"}, {"v3"}, {"v0", "v1"}, {"v3", "v0"}, {"v1", "v2"}}

// TestEqualRowsComeAsOne: few groups and many, with weights and without.
func TestEqualRowsComeAsOne(t *testing.T) {
	t.Parallel()
	d := open(t, Options{CombineFrom: 1})
	checkAllGroups(t, d, ring(t, 300).Graph)
}

func TestDeviceMakesEqualRowsOne(t *testing.T) {
	gpu := driver(t)
	for _, vertices := range []int{300, 20_000} {
		checkAllGroups(t, open(t, Options{Driver: gpu, CombineFrom: 1}), ring(t, vertices).Graph)
	}
	checkAllGroups(t, open(t, Options{Driver: gpu, CombineFrom: 1}), hubs(t, 3000, 6000))
}

// checkAllGroups closes the device.
func checkAllGroups(t *testing.T, d *Device, g *pcsr.Graph) {
	t.Helper()
	for _, once := range []bool{false, true} {
		for _, columns := range outputs {
			if each := checkGroups(t, d, grouped(t, g, once, columns...)); each != 1 {
				t.Errorf("output %v, once %v: %.2f rows a group", columns, once, each)
			}
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if left := d.memory.inUse(); left != 0 {
		t.Errorf("%d bytes of device memory are left after Close", left)
	}
}

// TestWithoutMemoryForLargerTablesGroupsAreHandedOut, some of them several times; where not even a small table fits, rows are.
func TestWithoutMemoryForLargerTablesGroupsAreHandedOut(t *testing.T) {
	t.Parallel()
	g := ring(t, 300).Graph
	most := 0.0
	memories := []int64{700 << 10, 1 << 20, 2 << 20}
	if testing.Short() {
		memories = memories[:1]
	}
	for _, memory := range memories {
		d := open(t, Options{Memory: memory, CombineFrom: 1, tuning: tuning{rows: 1000}})
		for _, columns := range outputs {
			most = max(most, checkGroups(t, d, grouped(t, g, false, columns...)))
			checkGroups(t, d, grouped(t, g, true, columns...))
		}
		if used := d.memory.inUse(); used > memory {
			t.Errorf("%d bytes are in use of %d", used, memory)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if most == 1 {
		t.Error("every group came once: no table was too small")
	}
}

func TestQueriesCombineAtTheSameTime(t *testing.T) {
	t.Parallel()
	d := open(t, Options{CombineFrom: 1, tuning: tuning{arena: 300 << 10}})
	g := ring(t, 200).Graph
	want, _, err := pairs(context.Background(), cpu.New(), grouped(t, g, false, "v0", "v1"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		m := grouped(t, g, false, "v0", "v1")
		wg.Go(func() {
			if got, _, err := pairs(context.Background(), d, m); err != nil || !maps.Equal(got, want) {
				t.Errorf("%d groups, want %d (error %v)", len(got), len(want), err)
			}
		})
	}
	wg.Wait()
}

var errBroken = errors.New("the bus is broken")

// endsAt runs a match on an emulated device whose launch number at, from 0, fails or has the context cancelled, and expects that all memory is
// given back. want is how that ends.
func endsAt(t *testing.T, at int, cancels bool, tuned tuning, run func(context.Context, *Device) error) (made int, err, want error) {
	t.Helper()
	e := kernels.Emulate(64 << 20)
	d := open(t, Options{Driver: e, CombineFrom: 1, tuning: tuned})
	ctx, cancel := context.WithCancel(context.Background())
	e.Fail = func(call string) error {
		if call != "launch" {
			return nil
		}
		if made++; made == at+1 && cancels {
			cancel()
		} else if made == at+1 {
			return errBroken
		}
		return nil
	}
	err = run(ctx, d)
	cancel()
	e.Fail = nil
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("launch %d: %d bytes are left after Close (error %v)", at, d.memory.inUse(), err)
	}
	if want = errBroken; cancels {
		want = context.Canceled
	}
	return made, err, want
}

// endsAtLaunches is endsAt each of the first launches, by failing and by being cancelled, and returns how many runs ended with an error: those that made the launch.
func endsAtLaunches(t *testing.T, launches int, tuned tuning, run func(context.Context, *Device) error) (ended int) {
	t.Helper()
	for at := range launches {
		for _, cancels := range []bool{false, true} {
			made, err, want := endsAt(t, at, cancels, tuned, run)
			if (made > at && !cancels || made > at+1) && !errors.Is(err, want) {
				t.Errorf("launch %d: error %v after %d launches", at, err, made)
			}
			if err != nil {
				ended++
			}
		}
	}
	return ended
}

// TestCombiningEnds between two launches where the context does, and where the device fails, and gives back what it has taken.
func TestCombiningEnds(t *testing.T) {
	t.Parallel()
	g := ring(t, 300).Graph
	step := 1
	if testing.Short() {
		step = 9
	}
	for at := 0; at < 40; at += step {
		for _, cancels := range []bool{false, true} {
			made, err, want := endsAt(t, at, cancels, tuning{rows: 20_000, slice: 5}, func(ctx context.Context, d *Device) error {
				_, _, err := pairs(ctx, d, grouped(t, g, false, "v0", "v3"))
				return err
			})
			if !errors.Is(err, want) || made != at+1 {
				t.Errorf("launch %d: error %v after %d launches", at, err, made)
			}
		}
	}
}

// checkSums adds weights near and beyond 64 bits up, by groups that are kept near a block and others.
func checkSums(t *testing.T, d *Device) {
	t.Helper()
	weights := []uint64{1, 7, 1 << 32, 1<<32 - 1, 1 << 63, math.MaxUint64, math.MaxUint64 - 1}
	const rows, groups = 40_000, 3000
	columns := make([][]uint32, 4)
	want := map[[2]uint32]uint64{}
	for r := range uint32(rows) {
		key := [2]uint32{r % groups, r % 2}
		w := weights[key[0]%uint32(len(weights))]
		if key[0]%5 == 0 && r >= groups {
			w = 0
		}
		for i, v := range []uint32{key[0], key[1], uint32(w), uint32(w >> 32)} {
			columns[i] = append(columns[i], v)
		}
		sum, carry := bits.Add64(want[key], w, 0)
		if want[key] = sum; carry != 0 || want[key] == math.MaxUint64 {
			want[key] = math.MaxUint64
		}
	}
	got := map[[2]uint32]uint64{}
	err := d.use(func() error { return combineColumns(d, columns, got) })
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%d groups, want %d (error %v)", len(got), len(want), err)
		for key, n := range want {
			if got[key] != n {
				t.Fatalf("%v: %d, want %d", key, got[key], n)
			}
		}
	}
}

// combineColumns makes groups of rows of two columns and the halves of their weights.
func combineColumns(d *Device, columns [][]uint32, into map[[2]uint32]uint64) error {
	l, err := d.lanes.lane(1<<20, false)
	if err != nil {
		return err
	}
	defer l.release()
	m := &match.Match{Plan: &bgp.MatchPlan{Output: []int{0, 1}}}
	q := &query{task: m, permit: permit{permits: d.permits}, join: &join{
		ctx: context.Background(), d: d, lane: l, shape: &shape{Lowering: &match.Lowering{Plan: m.Plan}, output: []int{0, 1, 3, 4}, weighted: true},
	}}
	q.emit = func(b *match.Batch) error {
		for r, w := range b.Weights {
			key := [2]uint32{b.Cols[0][r], b.Cols[1][r]}
			if _, known := into[key]; known {
				return fmt.Errorf("the group %v came twice", key)
			}
			into[key] = w
		}
		return nil
	}
	for _, column := range columns {
		at, err := l.arena.take(int64(4 * len(column)))
		if err != nil {
			return err
		}
		if err := l.stream.Upload(at, kernels.Bytes(column)); err != nil {
			return err
		}
		q.out = append(q.out, at)
	}
	if err := q.beginCombining(100); err != nil {
		return err
	}
	if err := q.groups.takeRows(uint64(len(columns[0]))); err != nil {
		return err
	}
	return errors.Join(q.groups.handOut(true), q.groups.close())
}

func TestSumsOfWeightsStopAtTheLargestNumber(t *testing.T) {
	t.Parallel()
	d := open(t, Options{})
	checkSums(t, d)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeviceSumsWeights(t *testing.T) { checkSums(t, open(t, Options{Driver: driver(t)})) }
