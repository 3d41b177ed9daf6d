package gpu

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
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
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// TestWindowsHoldEveryPageOnce: each page that a link wants is in one of its windows, a window of each link fits the room, and each has its
// turn.
func TestWindowsHoldEveryPageOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		links := rapid.IntRange(1, kernels.MaxGrouped).Draw(t, "links")
		room := rapid.IntRange(0, 200).Draw(t, "room")
		of := &pagedLinks{}
		var wanted [][]int
		var hot []map[int]float64
		together := 0
		for range links {
			v := &view{paging: &paging{starts: make([]uint32, 301)}}
			pages := rapid.SliceOfNDistinct(rapid.IntRange(0, 299), 0, 300, rapid.ID).Draw(t, "pages")
			slices.Sort(pages)
			heats := map[int]float64{}
			for _, p := range pages {
				heats[p] = rapid.Float64Range(0, 1e9).Draw(t, "heat")
			}
			of.views, of.cells, of.links = append(of.views, v), append(of.cells, of.count), append(of.links, uint32(len(of.links)))
			of.count += 300
			wanted, hot = append(wanted, pages), append(hot, heats)
			together += len(pages)
		}
		w := divide(wanted, hot, together, room, rapid.SampledFrom([]int{0, 3 * room / 8}).Draw(t, "stay"), of)
		if w.portions > mostPortions {
			t.Fatalf("%d portions", w.portions)
		}
		if w.portions == 1 {
			return
		}
		for i := range wanted {
			if got := slices.Sorted(slices.Values(slices.Concat(w.of[i]...))); !slices.Equal(got, wanted[i]) {
				t.Fatalf("link %d wants %v, its windows have %v", i, wanted[i], got)
			}
			for n, window := range w.of[i] {
				for _, page := range window {
					if got := w.adds[of.cells[i]+uint32(page)]; got != uint32(n*w.strides[i]) {
						t.Fatalf("page %d of link %d adds %d, its window is %d of stride %d", page, i, got, n, w.strides[i])
					}
				}
			}
		}
		for _, back := range []bool{false, true} {
			turns := w.turns(back)
			slices.Sort(turns)
			for i, portion := range turns {
				if i != portion || len(turns) != w.portions {
					t.Fatalf("the turns are %v of %d portions", turns, w.portions)
				}
			}
		}
	})
}

// TestKeptPagesAreThoseWantedMost: no more than find room, only such as are there or pay, none of those left out hotter; and lists in those are counted.
func TestKeptPagesAreThoseWantedMost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const pages, look = 40, 100
		of, counts := &pagedLinks{}, []uint32{}
		var wanted [][]int
		var hot []map[int]float64
		views := []*view{{paging: &paging{starts: make([]uint32, pages+1)}}, {paging: &paging{starts: make([]uint32, pages+1)}}}
		there, lists := map[pageOf]bool{}, uint64(0)
		for i := range rapid.IntRange(1, kernels.MaxGrouped).Draw(t, "links") {
			v := views[rapid.IntRange(0, 1).Draw(t, "view")]
			for page := range pages {
				v.starts[page+1] = uint32(page+1) * 10 // 72 bytes each
			}
			of.views, of.cells, of.links = append(of.views, v), append(of.cells, of.count), append(of.links, uint32(i))
			of.count += pages
			want, heats := rapid.SliceOfNDistinct(rapid.IntRange(0, pages-1), 0, pages, rapid.ID).Draw(t, "pages"), map[int]float64{}
			counts = append(counts, make([]uint32, pages)...)
			for _, p := range want {
				n := rapid.Uint32Range(1, 9).Draw(t, "rows")
				counts[of.cells[i]+uint32(p)], lists = n, lists+uint64(n)
				heats[p] = float64(7919*p%pages) / 10 // the same for all links of a view
				there[pageOf{v, p}] = p%3 == 0
			}
			wanted, hot = append(wanted, want), append(hot, heats)
		}
		room := rapid.IntRange(0, 2*pages).Draw(t, "room")
		others := rapid.SliceOfN(rapid.Float64Range(0, 5), 0, 2*pages).Draw(t, "of others")
		w, flat := keep(of, counts, wanted, hot, there, slices.Clone(others), room, func(*view) float64 { return look })
		stays, least := map[pageOf]bool{}, math.Inf(1)
		for i, v := range of.views {
			for _, p := range w.of[i][0] {
				stays[pageOf{v, p}], least = true, min(least, hot[i][p])
				lists -= uint64(counts[of.cells[i]+uint32(p)])
			}
		}
		if len(stays) > room || w.portions != 1 || flat.lists != lists || flat.bytes != look*float64(lists) {
			t.Fatalf("%d pages with room for %d, %d portions, %+v, want %d lists", len(stays), room, w.portions, flat, lists)
		}
		for i, v := range of.views {
			for _, p := range wanted[i] {
				pays, before := there[pageOf{v, p}] || hot[i][p]*look >= float64(v.bytes(p)), len(stays)
				for _, h := range others {
					if h > hot[i][p] {
						before++
					}
				}
				if in := stays[pageOf{v, p}]; in && !pays || !in && pays && (before < room || hot[i][p] > least) {
					t.Fatalf("page %d of heat %g stays: %v; it pays: %v; %d of %d stay, of %g at least", p, hot[i][p], in, pays, len(stays), room, least)
				}
			}
		}
	})
}

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
	t.Parallel()
	const n, memory = 4000, 768 << 10
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

// TestReportOutOfCore measures graphs of which a part has room on the device.
func TestReportOutOfCore(t *testing.T) {
	gpu := driver(t)
	r := matchtest.NewReport(t, "outofcore.md")
	edges := uint64(200_000)
	if s := os.Getenv("RDFGPU_RMAT"); s != "" {
		edges, _ = strconv.ParseUint(s, 10, 64)
	}
	g := rmat(t, edges)
	variable := func(b byte) parser.PatternTerm { return parser.PatternTerm{Variable: string(b)} }
	var patterns []pattern
	add := func(name string, classes []int, edges ...string) {
		p := pattern{name: name}
		for i, c := range classes {
			p.triples = append(p.triples, parser.TriplePattern{Subject: variable('a' + byte(i)), Predicate: term(0), Object: term(uint32(2 + c))})
		}
		for _, e := range edges {
			p.triples = append(p.triples, parser.TriplePattern{Subject: variable(e[0]), Predicate: term(1), Object: variable(e[1])})
		}
		patterns = append(patterns, p)
	}
	add("triangle, no labels", nil, "ab", "bc", "ac")
	for _, q := range rmatPatterns {
		add(q.name, q.classes, q.edges...)
	}
	if only := os.Getenv("RDFGPU_ONLY"); only != "" {
		patterns = slices.DeleteFunc(patterns, func(p pattern) bool { return !regexp.MustCompile(only).MatchString(p.name) })
	}
	d := open(t, Options{Driver: gpu, tuning: tuning{Tuning: match.Tuning{AnyCost: edges < 1_000_000}}})
	details := ""
	r.Head(fmt.Sprintf("R-MAT with %d triples: a part of the partitions on the device", g.Edges()), "query", "share", "whole ms", "times in memory", "MB copied", "GB/s", "last step")
	for _, q := range patterns {
		plan, err := q.plan(g, bgp.Homomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		m := &match.Match{Graph: g, Plan: plan}
		bytes := bytesRead(g, plan)
		squeeze(d, 0)
		inMemory, n := timeInPages(t, d, m, 3)
		r.Row(q.name, fmt.Sprintf("all (%d MB)", bytes>>20), inMemory.ms, 1, 0, 0, "")
		for _, share := range budgets {
			squeeze(d, bytes/share)
			got, again := timeInPages(t, d, m, 3)
			if n != again {
				t.Errorf("%s, 1/%d: %d, in memory %d", q.name, share, again, n)
			}
			r.Row(q.name, fmt.Sprintf("1/%d", share), got.ms, got.ms/inMemory.ms, got.mb, got.mb/got.ms, "")
		}
		for _, other := range []struct {
			name string
			set  func(o *tuning)
		}{
			{"1/4, joined in pages", func(*tuning) {}},
			{"1/4, nothing copied in pages", func(o *tuning) { o.scattered = -1 }},
			{"1/4, every page copied", func(o *tuning) { o.byPhase, o.scattered = true, mostBuffer }},
			{"1/4, rows not grouped", func(o *tuning) { o.byPhase, o.ungrouped = true, true }},
			{"1/4, rows grouped", func(o *tuning) { o.byPhase, o.swept = true, true }},
			{"1/4, rows scanned for", func(o *tuning) { o.byPhase, o.swept, o.scanned = true, true, true }},
			{"1/4, pages by phase", func(o *tuning) { o.byPhase = true }},
			{"1/4, none ahead", func(o *tuning) { o.byPhase, o.noAhead = true, true }},
		} {
			was := d.options.tuning
			other.set(&d.options.tuning)
			d.options.NoDense = true
			squeeze(d, bytes/4)
			got, again := timeInPages(t, d, m, 1)
			if n != again && again != 0 {
				t.Errorf("%s, %s: %d, in memory %d", q.name, other.name, again, n)
			}
			last := ""
			if again != 0 {
				traced := *m
				traced.Trace = &match.Trace{}
				if _, err := d.Count(t.Context(), &traced); err != nil {
					t.Error(err)
				}
				for _, s := range traced.Trace.Steps {
					if s.Candidates > 0 {
						last = s.Variant
					}
				}
			}
			r.Row(q.name, other.name, got.ms, got.ms/inMemory.ms, got.mb, got.mb/got.ms, last)
			d.options.tuning = was
		}
		for _, share := range budgets {
			details += fmt.Sprintf("%s, 1/%d\n%s", q.name, share, stepsInPages(t, d, m, bytes/share))
		}
	}
	r.Details("outofcore-steps.txt", details)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	reportMemories(t, r, gpu, g, patterns[0])
}

// reportMemories measures a query with all memory bounded, that of tables too.
func reportMemories(t *testing.T, r *matchtest.Report, gpu kernels.Driver, g *pcsr.Graph, q pattern) {
	r.Head(q.name+", all memory bounded", "memory MiB", "whole ms", "MB copied", "GB/s")
	plan, err := q.plan(g, bgp.Homomorphism, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, mib := range []int64{8192, 1024, 600, 300, 256} {
		d := open(t, Options{Driver: gpu, Memory: mib << 20})
		m := &match.Match{Graph: g, Plan: plan}
		got, _ := timeInPages(t, d, m, 3)
		took := timing{steps: plan}
		m.Trace = &took.trace
		_, err := d.Count(context.Background(), m)
		r.Say(fmt.Sprintf("%s %v", took.lines(), err))
		r.Row(mib, got.ms, got.mb, got.mb/got.ms)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// partitioned are PBE's patterns, with its times on graph A in milliseconds: in memory, and in four partitions (SEEDS.md beside the graphs); NaN
// where it has none. Edges are undirected; automorphisms of the pattern.
var partitioned = []struct {
	name          string
	edges         []string
	automorphisms uint64
	embeddings    uint64
	whole, parts  float64
}{
	{"triangle", []string{"ab", "bc", "ac"}, 6, 518331, 9.1, 183},
	{"clique of 4", []string{"ab", "ac", "ad", "bc", "bd", "cd"}, 24, 121597, 13.3, 364},
	{"clique of 5", []string{"ab", "ac", "ad", "ae", "bc", "bd", "be", "cd", "ce", "de"}, 120, 73029, 21.6, math.NaN()},
	{"chordal square", []string{"ab", "bc", "cd", "ad", "ac"}, 4, 6247987, 12.0, 630},
	{"square", []string{"ab", "bc", "cd", "ad"}, 8, 18465124, 97.8, math.NaN()},
	{"house", []string{"ab", "bc", "cd", "ad", "ae", "be"}, 2, 1249230724, 168, math.NaN()},
	{"near-clique of 5", []string{"ab", "ac", "ad", "ae", "bc", "bd", "be", "ce"}, 4, 31337275, 28.3, math.NaN()},
}

// TestReportOutOfCoreLabelled checks the labelled and unlabelled graphs with a part of each query's partitions on the device, and measures
// PBE's patterns.
func TestReportOutOfCoreLabelled(t *testing.T) {
	gpu := driver(t)
	folder := benchFolder(t)
	expected := expectedCounts(t, folder)
	r := matchtest.NewReport(t, "outofcore-labelled.md")
	head := []any{"set", "queries", "all in memory: whole ms, mean"}
	for _, share := range budgets {
		head = append(head, fmt.Sprintf("1/%d: times that", share))
	}
	r.Head("Graphs with a part of each query's partitions", head...)
	var chosen, slower [][]any
	for _, set := range benchSets() {
		b := newBench(t, set)
		g := b.graph()
		d := open(t, Options{Driver: gpu})
		logs, chooses := make([]float64, len(budgets)+1), make([]chosenInPages, len(budgets)+1)
		for _, q := range b.patterns {
			plan, err := q.plan(g, bgp.Isomorphism, true)
			if err != nil {
				t.Fatal(err)
			}
			m := &match.Match{Graph: g, Plan: plan}
			processor := processorTime(t, m, expected[set+" "+q.name], 2*time.Second)
			for i, share := range append([]int64{0}, budgets...) {
				squeeze(d, 0)
				if share > 0 {
					squeeze(d, bytesRead(g, plan)/share+1)
				}
				took, n := timeInPages(t, d, m, 1)
				if want := expected[set+" "+q.name]; n != want {
					t.Errorf("%s %s, 1/%d: %d, want %d", set, q.name, share, n, want)
				}
				logs[i] += math.Log(took.ms) / float64(len(b.patterns))
				if chooses[i].add(d, m, took.ms, processor) {
					o := d.Expect(g, plan)
					slower = append(slower, []any{set, q.name, share, took.ms, processor, o.Processor, o.Device, d.Price(g, plan)})
				}
			}
		}
		row := []any{set, len(b.patterns), math.Exp(logs[0])}
		for i := range budgets {
			row = append(row, math.Exp(logs[i+1]-logs[0]))
		}
		r.Row(row...)
		for i, c := range chooses {
			share := "all"
			if i > 0 {
				share = fmt.Sprintf("1/%d", budgets[i-1])
			}
			n := float64(len(b.patterns))
			chosen = append(chosen, []any{set, share, len(b.patterns), c.toDevice, c.asChosen / n, c.onProcessor / n, c.onDevice / n, c.slower, c.toDeviceLast, c.atLast / n, c.slowerLast})
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	r.Head("What auto chooses for them, once the partitions are there", "set", "share", "queries", "to the device", "mean ms as chosen", "all on the processor", "all on the device", "slower as chosen than on the processor, by a fifth and 0.2 ms", "once seen: to the device", "mean ms", "slower")
	for _, row := range chosen {
		r.Row(row...)
	}
	r.Head("Those that are slower as chosen", "set", "query", "share", "device ms", "processor ms", "expected on the processor", "on the device", "over the bus")
	for _, row := range slower {
		r.Row(row...)
	}
	reportPartitioned(t, r, gpu)
}

// chosenInPages adds up what auto chooses for counts, beside what both devices take.
type chosenInPages struct {
	toDevice, slower                int
	asChosen, onProcessor, onDevice float64
	// of choices once both sides that were tried have been seen
	toDeviceLast, slowerLast int
	atLast                   float64
}

// add adds a count that the device took so many milliseconds for, and the processor, where it ends in time, and reports whether it is slower as chosen.
func (c *chosenInPages) add(d *Device, m *match.Match, device, processor float64) (slower bool) {
	there, chosen := choiceOf(d, m.Graph, m.Plan), processor
	if there(Seen{}) {
		c.toDevice++
		chosen = device
	}
	last := processor
	if paysAtLast(there, device, processor) {
		c.toDeviceLast++
		last = device
	}
	if c.atLast += last; last > 1.2*processor+0.2 {
		c.slowerLast++
	}
	if slower = chosen > 1.2*processor+0.2; slower {
		c.slower++
	}
	c.asChosen, c.onProcessor, c.onDevice = c.asChosen+chosen, c.onProcessor+processor, c.onDevice+device
	return slower
}

// processorTime is how many milliseconds all cores take for a count; most where they do not end before.
func processorTime(t *testing.T, m *match.Match, want uint64, most time.Duration) float64 {
	took := math.Inf(1)
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), most)
		begun := time.Now()
		n, err := matchtest.OnThreads(cpu.New(), 0).Count(ctx, m)
		cancel()
		if took = min(took, matchtest.Milliseconds(time.Since(begun))); err != nil {
			return matchtest.Milliseconds(most)
		}
		if n != want {
			t.Errorf("%d on the processor, want %d", n, want)
		}
	}
	return took
}

// TestReportPartitioned measures PBE's patterns alone.
func TestReportPartitioned(t *testing.T) {
	gpu := driver(t)
	reportPartitioned(t, matchtest.NewReport(t, "partitioned.md"), gpu)
}

func reportPartitioned(t *testing.T, r *matchtest.Report, gpu kernels.Driver) {
	g := newBench(t, "A.u").graph()
	r.Head("PBE's patterns on A, whole ms", "pattern", "PBE in memory", "PBE in 4 partitions", "ours in memory", "ours with a quarter", "MB copied")
	d := open(t, Options{Driver: gpu})
	for _, p := range partitioned {
		q := pattern{name: p.name}
		for _, e := range p.edges {
			q.triples = append(q.triples, parser.TriplePattern{Subject: parser.PatternTerm{Variable: e[:1]}, Predicate: term(1), Object: parser.PatternTerm{Variable: e[1:]}})
		}
		plan, err := q.plan(g, bgp.Isomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		m := &match.Match{Graph: g, Plan: plan}
		squeeze(d, 0)
		memory, n := timeInPages(t, d, m, 5)
		squeeze(d, bytesRead(g, plan)/4)
		quarter, again := timeInPages(t, d, m, 5)
		if n != again || n != p.embeddings*p.automorphisms {
			t.Errorf("%s: %d in memory, %d with a quarter, PBE %d times %d", p.name, n, again, p.embeddings, p.automorphisms)
		}
		r.Row(p.name, p.whole, p.parts, memory.ms, quarter.ms, quarter.mb)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// memories are a report's budgets in MiB: those of RDFGPU_MEMORIES, by commas, if there is such a setting.
func memories(t *testing.T, usual string) (all []int64) {
	for s := range strings.SplitSeq(cmp.Or(os.Getenv("RDFGPU_MEMORIES"), usual), ",") {
		mib, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, mib)
	}
	return all
}

// TestReportLUBMOutOfCore measures the queries of LUBM, one at a time and many at once, with less memory than the store takes.
func TestReportLUBMOutOfCore(t *testing.T) {
	gpu := driver(t)
	scale := 5
	if s := os.Getenv("RDFGPU_LUBM"); s != "" {
		scale, _ = strconv.Atoi(s)
	}
	u := &universities{scale: scale}
	g := u.graph(t)
	r := matchtest.NewReport(t, "lubm-outofcore.md")
	var plans []*bgp.MatchPlan
	head := []any{"memory MiB"}
	for _, q := range lubmQueries {
		p, err := bgp.Plan(context.Background(), u.pattern(q.text), g, lookup, bgp.Options{CountOnly: true, Speed: bgp.GPUSpeed})
		if err != nil {
			t.Fatal(err)
		}
		plans, head = append(plans, p), append(head, q.name+" ms")
	}
	r.Head(fmt.Sprintf("LUBM(%d), %d triples, %d MB: counts with all memory bounded", scale, g.Edges(), g.Bytes()>>20), append(head,
		"queries/s at 64", "slowest ms", "MB copied for each", "page hits", "buffers", "MB of partitions", "calls for memory for each", "device MiB in use")...)
	var want []uint64
	c := &counting{Driver: gpu}
	chosen := newChoices(g, plans)
	ways := [][]any{}
	for _, mib := range memories(t, "1048576,2048,1024,512,256") {
		d := open(t, Options{Driver: c, Memory: mib << 20})
		row := []any{mib}
		for i, p := range plans {
			m := &match.Match{Graph: g, Plan: p}
			took, n := timeInPages(t, d, m, 5)
			if row = append(row, took.ms); len(want) == i {
				want = append(want, n)
			}
			if n != want[i] {
				t.Errorf("%s with %d MiB: %d, in memory %d", lubmQueries[i].name, mib, n, want[i])
			}
			chosen.add(t, d, i, mib, took.ms, n)
		}
		ways = append(ways, waysOf(t, d, g, plans, mib, want)...)
		runCrowd(t, d, g, plans, want, 64, time.Second/2)
		before, _ := d.Info()
		c.calls.Store(0)
		took := runCrowd(t, d, g, plans, want, 64, time.Second)
		after, _ := d.Info()
		copied := float64(after.Pages.Copied+after.Copied-before.Pages.Copied-before.Copied) / 1e6 / max(took.rate, 1) // it takes about a second
		hits := float64(after.Pages.Hits-before.Pages.Hits) / max(float64(after.Pages.Hits+after.Pages.Misses-before.Pages.Hits-before.Pages.Misses), 1)
		r.Row(append(row, took.rate, matchtest.Milliseconds(took.slowest), copied, hits, after.Pages.Buffers, after.GraphBytes>>20, float64(c.calls.Load())/max(took.rate, 1), after.Used>>20)...)
		if after.Used > after.Limit {
			t.Errorf("%+v", after)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	chosen.report(r)
	r.Head("L7, each way of access alone", "memory MiB", "way", "whole ms", "MB copied", "GB/s", "of 55, %", "L1 to L7 in turn at 64, queries/s", "MB of pages copied for each", "last step")
	for _, way := range ways {
		r.Row(way...)
	}
	reportServer(t, r, gpu, g, plans, want)
	var all time.Duration
	for _, p := range plans {
		begun := time.Now()
		if _, err := matchtest.OnThreads(cpu.New(), 0).Count(context.Background(), &match.Match{Graph: g, Plan: p}); err != nil {
			t.Error(err)
		}
		all += time.Since(begun)
	}
	r.Say(fmt.Sprintf("The processor answers %.1f of them a second, one at a time on all cores.", float64(len(plans))/all.Seconds()))
}

// waysOf measures the last of some counts, whose pages have no room together, with each way of access alone, beside what is chosen; and a crowd that
// asks for all.
func waysOf(t *testing.T, d *Device, g *pcsr.Graph, plans []*bgp.MatchPlan, mib int64, want []uint64) (rows [][]any) {
	m := &match.Match{Graph: g, Plan: plans[len(plans)-1]}
	if _, paged := d.partitions.away(needsOf(m.Graph, m.Plan)); !paged {
		return nil
	}
	was := d.options.tuning
	for _, way := range []struct {
		name string
		set  func(o *tuning)
	}{
		{"as it is chosen", func(*tuning) {}},
		{"pages by phase", func(o *tuning) { o.byPhase = true }},
		{"pages come and go", func(o *tuning) { o.byPhase, o.swept = true, true }},
		{"pages come and go, none ahead", func(o *tuning) { o.byPhase, o.swept, o.noAhead = true, true, true }},
		{"pages stay, rows not grouped", func(o *tuning) { o.byPhase, o.ungrouped = true, true }},
		{"nothing copied", func(o *tuning) { o.scattered = -1 }},
	} {
		way.set(&d.options.tuning)
		timeInPages(t, d, m, 8) // what was wanted before is forgotten
		took, n := timeInPages(t, d, m, 5)
		if n != want[len(want)-1] {
			t.Errorf("%s with %d MiB: %d, want %d", way.name, mib, n, want[len(want)-1])
		}
		traced := *m
		traced.Trace = &match.Trace{}
		if _, err := d.Count(t.Context(), &traced); err != nil {
			t.Error(err)
		}
		crowded, copied, rate := any("–"), any("–"), took.mb/took.ms
		if !d.options.noAhead && !d.options.ungrouped && d.options.scattered > 0 {
			runCrowd(t, d, g, plans, want, 64, time.Second/2)
			before := d.pages.loaded
			crowd := runCrowd(t, d, g, plans, want, 64, time.Second)
			crowded, copied = crowd.rate, float64(d.pages.loaded-before)/1e6/crowd.rate
		}
		rows = append(rows, []any{mib, way.name, took.ms, took.mb, rate, rate / 0.55, crowded, copied, traced.Trace.Steps[len(traced.Trace.Steps)-1].Variant})
		d.options.tuning = was
	}
	return rows
}

// choices are what auto chooses for plans, beside what both devices take.
type choices struct {
	g     *pcsr.Graph
	plans []*bgp.MatchPlan
	here  []float64 // what the processor takes, in milliseconds, on all cores
	rows  [][]any
}

func newChoices(g *pcsr.Graph, plans []*bgp.MatchPlan) *choices { return &choices{g: g, plans: plans} }

// add notes a plan that the device, with so much memory, counted in so many milliseconds.
func (c *choices) add(t *testing.T, d *Device, i int, mib int64, ms float64, n uint64) {
	m := &match.Match{Graph: c.g, Plan: c.plans[i]}
	if len(c.here) == i {
		var took []float64
		for range 5 {
			begun := time.Now()
			got, err := matchtest.OnThreads(cpu.New(), 0).Count(t.Context(), m)
			if took = append(took, matchtest.Milliseconds(time.Since(begun))); err != nil || got != n {
				t.Errorf("plan %d: %d, on the processor %d, %v", i, n, got, err)
			}
		}
		c.here = append(c.here, matchtest.Median(took))
	}
	o, auto := d.Expect(c.g, c.plans[i]), "cpu"
	if choiceOf(d, c.g, c.plans[i])(Seen{}) {
		auto = "gpu"
	}
	c.rows = append(c.rows, []any{lubmQueries[i].name, mib, o.Processor, o.Device, d.Price(c.g, c.plans[i]), auto, ms, c.here[i]})
}

func (c *choices) report(r *matchtest.Report) {
	r.Head("What auto chooses, once the partitions are there", "query", "memory MiB", "expected on the processor", "on the device", "over the bus", "auto", "device ms", "processor ms")
	for _, row := range c.rows {
		r.Row(row...)
	}
}

// reportServer measures a crowd that reads four times of what the device has, for as many seconds as RDFGPU_SOAK says.
func reportServer(t *testing.T, r *matchtest.Report, gpu kernels.Driver, g *pcsr.Graph, plans []*bgp.MatchPlan, want []uint64) {
	seconds, _ := strconv.Atoi(os.Getenv("RDFGPU_SOAK"))
	if seconds == 0 {
		return
	}
	needs := &needs{graph: g}
	for _, p := range plans {
		for _, of := range needsOf(g, p).parts {
			needs.add(of, looks{})
		}
	}
	bytes := int64(0)
	for _, of := range needs.all() {
		bytes += int64(needs.part(of).Bytes())
	}
	d := open(t, Options{Driver: gpu, Memory: bytes / 4})
	runCrowd(t, d, g, plans, want, 64, 2*time.Second)
	before, _ := d.Info()
	took := runCrowd(t, d, g, plans, want, 64, time.Duration(seconds)*time.Second)
	r.Say(fmt.Sprintf("64 goroutines that read %d MiB with %d MiB of memory for %d s: %.0f queries/s, by tenths of the time %.0f; the slowest %.1f ms; device memory in use %d to %d MiB; the host's, by tenths, %d MiB.",
		bytes>>20, bytes>>22, seconds, took.rate, took.slices, matchtest.Milliseconds(took.slowest), took.least>>20, took.most>>20, took.host))
	info, _ := d.Info()
	r.Say(fmt.Sprintf("In the time %.1f MB of pages were copied for each query; %.0f %% of those wanted were there.", float64(info.Pages.Copied-before.Pages.Copied)/1e6/(took.rate*float64(seconds)),
		100*float64(info.Pages.Hits-before.Pages.Hits)/max(float64(info.Pages.Hits+info.Pages.Misses-before.Pages.Hits-before.Pages.Misses), 1)))
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

type pagedTiming struct{ ms, mb float64 }

// timeInPages counts twice to fill the device, and to have lists made that are wanted again, and then some times more, and takes the median; what was copied is that of one count. 0: it did
// not end in time.
func timeInPages(t *testing.T, d *Device, m *match.Match, times int) (pagedTiming, uint64) {
	var took []float64
	var n uint64
	before := d.pages.loaded
	for i := range times + 2 {
		ctx, cancel := context.WithTimeout(context.Background(), 6*time.Second)
		begun := time.Now()
		got, err := d.Count(ctx, m)
		cancel()
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		if err != nil {
			return pagedTiming{ms: matchtest.Milliseconds(time.Since(begun))}, 0
		}
		n = got
		if i < 2 {
			before = d.pages.loaded
		} else {
			took = append(took, matchtest.Milliseconds(time.Since(begun)))
		}
	}
	return pagedTiming{matchtest.Median(took), float64(d.pages.loaded-before) / float64(times) / 1e6}, n
}

// stepsInPages prints what the steps did with so many bytes for partitions.
func stepsInPages(t *testing.T, d *Device, m *match.Match, bytes int64) string {
	squeeze(d, bytes)
	took := timing{steps: m.Plan}
	traced := *m
	traced.Trace = &took.trace
	for range 2 {
		if _, err := d.Count(context.Background(), &traced); err != nil {
			t.Error(err)
		}
	}
	return took.lines()
}
