package gpu

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// expecting returns the match with a plan that expects so many rows of every step.
func expecting(m *match.Match, rows float64) *match.Match {
	plan := *m.Plan
	plan.Cost = rows
	plan.Steps = append(plan.Steps[:0:0], plan.Steps...)
	for i := range plan.Steps {
		plan.Steps[i].EstimatedRows = rows
	}
	return &match.Match{Graph: m.Graph, Plan: &plan}
}

func count(t *testing.T, d *Device, m *match.Match, want uint64) {
	t.Helper()
	if n, err := d.Count(context.Background(), m); err != nil || n != want {
		t.Fatalf("%d solutions, want %d, error %v", n, want, err)
	}
}

func TestTablesAreAsLargeAsTheEstimateAsks(t *testing.T) {
	d := open(t, Options{Driver: kernels.Emulate(1 << 30)})
	m := ring(t, 300)
	p := d.lanes
	count(t, d, expecting(m, 10), 300*8*8*8)
	if got := p.idleBytes(); got != p.small {
		t.Errorf("a small query leaves %d bytes, want %d", got, p.small)
	}
	d.blocks = 1000 // so many blocks can use large tables
	count(t, d, expecting(m, 1_000_000), 300*8*8*8)
	if got := p.idleBytes(); got != p.small+p.large {
		t.Errorf("a large query leaves %d bytes, want %d more", got-p.small, p.large)
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

func TestIdleMemoryIsGivenBack(t *testing.T) {
	d := open(t, Options{Driver: kernels.Emulate(1 << 30), Keep: 20 * time.Millisecond})
	m := ring(t, 20)
	d.blocks = 1000
	count(t, d, expecting(m, 1e9), 20*8*8*8)
	if got := d.lanes.idleBytes(); got != d.lanes.large {
		t.Fatalf("%d bytes are idle, want %d", got, d.lanes.large)
	}
	for begun := time.Now(); d.lanes.idleBytes() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("%d bytes are still held", d.lanes.idleBytes())
		}
	}
	count(t, d, expecting(m, 1e9), 20*8*8*8)
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

func TestManyLargeQueriesShareTheMemory(t *testing.T) {
	d := open(t, Options{Driver: kernels.Emulate(128 << 20)})
	d.blocks = 1000
	m := expecting(ring(t, 100), 1e9)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if n, err := d.Count(context.Background(), m); err != nil || n != 100*8*8*8 {
				t.Error(n, err)
			}
		})
	}
	wg.Wait()
	p := d.lanes
	if most := p.most + 16*p.small; p.taken > most || p.taken != p.idleBytes() {
		t.Errorf("arenas of %d bytes, %d of them idle, %d allowed", p.taken, p.idleBytes(), most)
	}
}

func TestTablesThatAreTooSmallGrow(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Driver: kernels.Emulate(1 << 30), tuning: tuning{rows: 500, tile: 100, slice: 200}})
	d.blocks = 1000
	m := expecting(ring(t, 300), 1)
	m.Trace = &match.Trace{}
	count(t, d, m, 300*8*8*8)
	if got, want := d.lanes.idleBytes(), 4*d.lanes.small; got < want {
		t.Errorf("%d bytes are idle, want %d at least", got, want)
	}
	if last := m.Trace.Steps[len(m.Trace.Steps)-1]; last.Variant != "counted" && last.Candidates != 300*8*8*8 {
		t.Errorf("the trace tells of %d candidates", last.Candidates)
	}
}

func TestWithoutRoomForLargerTablesTheSmallOnesStay(t *testing.T) {
	t.Parallel()
	e := kernels.Emulate(1 << 30)
	d := open(t, Options{Driver: e, tuning: tuning{rows: 500, tile: 100, slice: 200}})
	d.blocks = 1000
	first := true
	e.Fail = func(call string) error {
		if call == "alloc" && !first && d.lanes.taken > d.lanes.small {
			return kernels.ErrOutOfMemory
		}
		first = false
		return nil
	}
	count(t, d, expecting(ring(t, 300), 1), 300*8*8*8)
	if got := d.lanes.idleBytes(); got != d.lanes.small {
		t.Errorf("%d bytes are idle, want %d", got, d.lanes.small)
	}
}

func TestAQueryThatFailsWhileItsTablesGrowGivesAllBack(t *testing.T) {
	t.Parallel()
	e := kernels.Emulate(1 << 30)
	d := open(t, Options{Driver: e, tuning: tuning{rows: 500, tile: 100, slice: 200}})
	d.blocks = 1000
	m := expecting(ring(t, 300), 1)
	count(t, d, ring(t, 20), 20*8*8*8)
	launched, broken := false, errors.New("the bus is broken")
	e.Fail = func(call string) error {
		switch {
		case call == "launch":
			launched = true
		case call == "upload" && launched:
			return broken
		}
		return nil
	}
	if _, err := d.Count(context.Background(), m); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if p := d.lanes; p.taken != p.idleBytes() || len(d.permits) != 0 {
		t.Errorf("%d bytes of tables, %d of them idle, %d permits", p.taken, p.idleBytes(), len(d.permits))
	}
}

func TestAQueryWaitsForItsTurnNoLongerThanItsContext(t *testing.T) {
	d := open(t, Options{Launches: 1})
	d.permits <- struct{}{} // somebody else's launch
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := d.Count(ctx, ring(t, 20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	<-d.permits
	count(t, d, ring(t, 20), 20*8*8*8)
}

// TestTablesDoNotGrowOnceRowsAreHandedOut: what came out before would come out again. The first rows fill the output, and only later ones
// have so many candidates that a table is much too small for them.
func TestTablesDoNotGrowOnceRowsAreHandedOut(t *testing.T) {
	t.Parallel()
	const low, high = 1500, 30
	var edges []pcsr.Edge
	for v := range uint32(low) {
		edges = append(edges, pcsr.Edge{From: v, To: (v + 1) % low})
		for k := range uint32(5) {
			edges = append(edges, pcsr.Edge{From: v, Label: 1, To: (v + k) % low})
		}
	}
	for v := range uint32(high * high) {
		edges = append(edges, pcsr.Edge{From: low + v/high, To: low + v%high}, pcsr.Edge{From: low + v/high, Label: 1, To: low + v/high})
	}
	g, err := pcsr.Build(low+high, 2, edges)
	if err != nil {
		t.Fatal(err)
	}
	c := matchtest.Case{Vertices: low + high, Options: bgp.Options{Output: []string{"v0", "v1", "v2", "v3"}}}
	c.Patterns = []parser.TriplePattern{matchtest.Edge(0, 1, 0), matchtest.Edge(1, 2, 0), matchtest.Edge(2, 3, 1)}
	plan, err := c.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	d, n := open(t, Options{Driver: kernels.Emulate(1 << 30), tuning: tuning{rows: 1250, tile: 50, blocks: 1, slice: 200}}), 0
	m := expecting(&match.Match{Graph: g, Plan: plan}, 1)
	if err := d.Match(context.Background(), m, func(b *match.Batch) error { n += b.N; return nil }); err != nil {
		t.Fatal(err)
	}
	if want := 5*low + high*high*high; n != want {
		t.Errorf("%d rows came, want %d", n, want)
	}
}
