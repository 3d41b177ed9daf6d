package gpu

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// TestPagesHoldTheirLists: every list of every page that has room in a buffer is found in the buffer, wherever it lies.
func TestPagesHoldTheirLists(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a := pcsr.Arrays{Rows: uint32(rapid.IntRange(1, 200).Draw(rt, "rows"))}
		single := rapid.Bool().Draw(rt, "one neighbour each")
		for range a.Rows {
			n := 1
			if !single {
				a.Offsets = append(a.Offsets, uint32(len(a.Neighbours)))
				n = rapid.SampledFrom([]int{1, 2, 3, 20, 100}).Draw(rt, "neighbours")
			}
			for range n {
				a.Neighbours = append(a.Neighbours, uint32(len(a.Neighbours))*7)
			}
		}
		if !single {
			a.Offsets = append(a.Offsets, uint32(len(a.Neighbours)))
		}
		d := open(rt, Options{Driver: kernels.Emulate(1 << 20), tuning: tuning{
			page: rapid.SampledFrom([]int64{64, 256, 1024}).Draw(rt, "page"), offsetsInPages: rapid.Bool().Draw(rt, "offsets in pages")}})
		l := &loaded{}
		if err := d.partitions.page(l, a); err != nil {
			rt.Fatal(err)
		}
		p := l.pages
		at, err := d.driver.Alloc(d.pages.bytes)
		if err != nil {
			rt.Fatal(err)
		}
		word := func(at kernels.Address) uint32 {
			var w [1]uint32
			if err := d.partitions.stream.Download(kernels.Bytes(w[:]), at); err != nil {
				rt.Fatal(err)
			}
			return w[0]
		}
		for page := range p.pages() {
			if p.bytes(page) > d.pages.bytes {
				continue
			}
			if _, err := p.send(d.partitions.stream, page, at); err != nil {
				rt.Fatal(err)
			}
			for _, where := range []kernels.Page{p.inBuffer(page, at), p.flat(page)} {
				for row := p.starts[page]; row < p.starts[page+1]; row++ {
					first, end := row, row+1
					if !single {
						first, end = word(where.Offsets+4*kernels.Address(row)), word(where.Offsets+4*kernels.Address(row+1))
					}
					for i := first; i < end; i++ {
						if got := word(where.Neighbours + 4*kernels.Address(i)); got != a.Neighbours[i] {
							rt.Fatalf("page %d, row %d, member %d: %d, want %d", page, row, i-first, got, a.Neighbours[i])
						}
					}
				}
			}
		}
	})
}

// TestPortionsAreGroupedOrScannedFor: rows whose pages do not find room together are counted portion by portion, both ways, also where a portion is left and
// gone on with because the next table is full.
func TestPortionsAreGroupedOrScannedFor(t *testing.T) {
	t.Parallel()
	for _, scanned := range []bool{false, true} {
		for _, rows := range []int{0, 70} {
			d := open(t, Options{tuning: tuning{arena: 300 << 10, inPages: true, page: 512, buffers: 5, scattered: 1 << 20, swept: true, scanned: scanned, rows: rows, Tuning: match.Tuning{AnyCost: true}}})
			m := ring(t, 300)
			m.Trace = &match.Trace{}
			if n, err := d.Count(t.Context(), m); err != nil || n != 300*8*8*8 {
				t.Errorf("scanned %v, %d rows: %d, %v", scanned, rows, n, err)
			}
			several := false
			for _, s := range m.Trace.Steps {
				if i := strings.Index(s.Variant, "over the bus, "); i >= 0 {
					var portions, of int
					_, _ = fmt.Sscanf(s.Variant[i:], "over the bus, %d portions of %d tables", &portions, &of)
					several = several || portions > of
				}
			}
			if !several {
				t.Errorf("scanned %v, %d rows: no table has several portions: %+v", scanned, rows, m.Trace.Steps)
			}
			unpinned(t, d)
		}
	}
}

// TestTablesLargerThanTheDevice: partial matches of which the columns alone would take many times the memory, with the graph whole on the device and in pages, where
// each table reads pages anew: every row comes, once.
func TestTablesLargerThanTheDevice(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have as many goroutines")
	}
	t.Parallel()
	const n, memory = 2000, 384 << 10
	m := ring(t, n)
	for _, inPages := range []bool{false, true} {
		d := open(t, Options{Driver: kernels.Emulate(64 << 20), Memory: memory, tuning: tuning{inPages: inPages, byPhase: true, page: 4 << 10, Tuning: match.Tuning{AnyCost: true}}})
		before := 4 * 3 * n * 8 * 8 // bytes of a, b and c, of all rows of the step before the last
		if before < 3*memory {
			t.Fatalf("%d bytes of columns are few beside %d of memory", before, memory)
		}
		traced := *m
		traced.Trace = &match.Trace{}
		seen := make([]uint64, n*8*8*8/64)
		err := d.Match(t.Context(), &traced, func(b *match.Batch) error {
			for r := range b.N {
				at := uint32(0)
				for k := 1; k < 4; k++ { // which of eight edges was taken
					at = at<<3 | ((b.Cols[k][r]+n-b.Cols[k-1][r])%n - 1)
				}
				at |= b.Cols[0][r] << 9
				if seen[at/64]>>(at%64)&1 != 0 {
					return fmt.Errorf("row %d comes twice", at)
				}
				seen[at/64] |= 1 << (at % 64)
			}
			return nil
		})
		if err != nil || slices.ContainsFunc(seen, func(w uint64) bool { return w != ^uint64(0) }) {
			t.Errorf("in pages %v: %v, or rows are missing", inPages, err)
		}
		tables := 0
		for _, s := range traced.Trace.Steps {
			if i := strings.Index(s.Variant, "portions of "); i >= 0 {
				of := 0
				_, _ = fmt.Sscanf(s.Variant[i:], "portions of %d tables", &of)
				tables = max(tables, of)
			}
		}
		if inPages && tables < 3 {
			t.Errorf("no step read pages for three tables: %+v", traced.Trace.Steps)
		}
		count(t, d, m, n*8*8*8)
		if used := d.memory.inUse(); used > memory {
			t.Errorf("%d bytes are in use", used)
		}
		unpinned(t, d)
	}
}

// TestQueriesShareTooFewPages: queries whose pages do not find room together are right, and nobody waits for another's.
func TestQueriesShareTooFewPages(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Launches: 8, tuning: tuning{arena: 300 << 10, inPages: true, page: 512, buffers: 5, scattered: 1 << 20, Tuning: match.Tuning{AnyCost: true}}})
	m := ring(t, 300)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				if n, err := d.Count(context.Background(), m); err != nil || n != 300*8*8*8 {
					t.Error(n, err)
				}
			}
		})
	}
	wg.Wait()
	info, err := d.Info()
	if err != nil || info.Pages.Buffers > 5 || info.Pages.Copied == 0 {
		t.Errorf("%+v, %v", info.Pages, err)
	}
	for _, b := range d.pages.buffers {
		if b.pins != 0 {
			t.Errorf("a page is pinned %d times with no query", b.pins)
		}
	}
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

// TestACrowdWaitsForMemory: queries of which not even the smallest tables fit together come one after the other.
func TestACrowdWaitsForMemory(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Memory: 2 * minArena, Launches: 16, tuning: tuning{page: 512, Tuning: match.Tuning{AnyCost: true}}})
	m := ring(t, 300)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if n, err := d.Count(context.Background(), m); err != nil || n != 300*8*8*8 {
				t.Error(n, err)
			}
		})
	}
	wg.Wait()
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

// TestWhoTakesNoRowsHoldsNobodyUp: a query whose rows nobody takes has its tables; another one that finds the rest of the memory full of partitions
// that nobody reads is answered all the same.
func TestWhoTakesNoRowsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Memory: 1 << 20})
	slow, taken, let := ring(t, 300), make(chan struct{}), make(chan struct{})
	done := make(chan error)
	var once sync.Once
	go func() {
		done <- d.Match(context.Background(), slow, func(*match.Batch) error {
			once.Do(func() { close(taken) })
			<-let
			return nil
		})
	}()
	<-taken
	for range 8 {
		if n, err := d.Count(t.Context(), ring(t, 300)); err != nil || n != 300*8*8*8 {
			t.Error(n, err)
		}
	}
	close(let)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// cancelAt is a context and an emulated device of which a call, by its number, cancels it.
func cancelAt(at int) (context.Context, context.CancelFunc, *kernels.Emulation) {
	calls := 0
	ctx, cancel := context.WithCancel(context.Background())
	e := kernels.Emulate(64 << 20)
	e.Fail = func(string) error {
		if calls++; calls == at {
			cancel()
		}
		return nil
	}
	return ctx, cancel, e
}

// TestAMatchInPagesEndsWithItsContext at whatever call it is cancelled, and gives all back.
func TestAMatchInPagesEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m := ring(t, 200)
	for at := 1; at < 400; at += 7 {
		ctx, cancel, e := cancelAt(at)
		d := open(t, Options{Driver: e, tuning: tuning{arena: 300 << 10, rows: 50, tile: 5, inPages: true, page: 512, buffers: 6, scattered: 1 << 20, onTheWay: 600, Tuning: match.Tuning{AnyCost: true}}})
		if n, err := d.Count(ctx, m); err == nil && n != 200*8*8*8 {
			t.Errorf("cancelled at call %d: %d", at, n)
		}
		for _, b := range d.pages.buffers {
			if b.pins != 0 || b.of != nil && !b.ready {
				t.Errorf("cancelled at call %d: a page is pinned %d times, ready %v", at, b.pins, b.ready)
			}
		}
		cancel()
		if err := d.Close(); err != nil || d.memory.inUse() != 0 {
			t.Errorf("%v, %d bytes left", err, d.memory.inUse())
		}
	}
}

// squeeze leaves partitions so many bytes of the device, in about 32 pages or of so many bytes, and takes away what is there; 0: all.
func squeeze(d *Device, bytes int64) {
	d.options.graphs = bytes
	for _, r := range d.graphs { // lists that were made where there was room for them
		gone := []kernels.Address{}
		for _, c := range r.cores {
			gone = append(gone, c.at)
		}
		for _, o := range r.orders {
			gone = append(gone, o.lists[0].Offsets)
		}
		for _, q := range r.triangles {
			gone = append(gone, q.Lists)
		}
		clear(r.cores)
		clear(r.orders)
		clear(r.triangles)
		for _, at := range gone {
			_ = d.memory.free(at)
			r.kept = slices.DeleteFunc(r.kept, func(a kernels.Address) bool { return a == at })
		}
	}
	d.pages.close()
	for d.partitions.evict(0) {
	}
	d.pages.bytes = mostBuffer
	for bytes > 0 && d.pages.bytes > leastBuffer && d.pages.bytes*32 > bytes {
		d.pages.bytes /= 2
	}
}

// bytesRead is what the partitions take that a plan reads.
func bytesRead(g *pcsr.Graph, plan *bgp.MatchPlan) (n int64) {
	needs := needsOf(g, plan)
	seen := map[pcsr.Identity]bool{} // one may be needed with the list of its row vertices and without
	for _, of := range needs.all() {
		if part := needs.part(of); !seen[part.Identity()] {
			seen[part.Identity()] = true
			n += int64(part.Bytes())
		}
	}
	return n
}

// budgets are shares of the bytes that a query's partitions take.
var budgets = []int64{2, 4, 8, 16}

// TestDeviceAnswersInPages: all data sets with a part of each query's partitions.
func TestDeviceAnswersInPages(t *testing.T) {
	gpu := driver(t)
	eachSet(t, func(t *testing.T, set *dataSet) {
		d := open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{AnyCost: true}}})
		set.checkInPages(t, d)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func (s *dataSet) checkInPages(t *testing.T, d *Device) {
	begun, counted := time.Now(), 0
	for _, row := range s.rows {
		for semantics, want := range map[bgp.Semantics]string{bgp.Homomorphism: row.count, bgp.Isomorphism: row.isomorphic} {
			n, err := strconv.ParseUint(want, 10, 64)
			if err != nil || n > 100_000_000 {
				continue
			}
			task := &match.Match{Graph: s.store.Default}
			if task.Plan, err = s.plan(row.text, semantics, true); err != nil {
				t.Errorf("%s: %v", row.name, err)
				continue
			}
			for _, share := range budgets {
				squeeze(d, bytesRead(task.Graph, task.Plan)/share+1)
				if got, err := d.Count(context.Background(), task); err != nil || got != n {
					t.Errorf("%s, %v, 1/%d: count %d, want %d, error %v", row.name, semantics, share, got, n, err)
				}
				counted++
			}
			squeeze(d, bytesRead(task.Graph, task.Plan)/4+1)
			if n <= 1_000_000 {
				if err := sameRows(s, d, matchtest.OnThreads(cpu.New(), 0), row.text, semantics, n); err != nil {
					t.Errorf("%s, %v: %v", row.name, semantics, err)
				}
			}
		}
	}
	info, _ := d.Info()
	t.Logf("%s: %d counts right, %v, %d MB of pages copied", s.name, counted, time.Since(begun).Round(time.Millisecond), info.Pages.Copied>>20)
}
