package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

var _ match.Matcher = (*Device)(nil)

// open opens an emulated device.
func open(t interface {
	Fatal(...any)
	Helper()
}, options Options) *Device {
	t.Helper()
	if options.Driver == nil {
		options.Driver = kernels.Emulate(64 << 20)
	}
	d, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drawOptions draws settings that split the work in all ways.
func drawOptions(t *rapid.T) Options {
	return Options{CombineFrom: rapid.SampledFrom([]uint64{1, 5}).Draw(t, "combine from"), tuning: tuning{
		Tuning: match.Tuning{
			KeepRanges:   rapid.IntRange(0, 3).Draw(t, "no class cuts") == 0,
			NoLeaves:     rapid.IntRange(0, 3).Draw(t, "no leaves") == 0,
			NoOrder:      rapid.IntRange(0, 3).Draw(t, "no order") == 0,
			AnyCost:      true,
			NoSharing:    rapid.IntRange(0, 3).Draw(t, "no sharing") == 0,
			NoDense:      rapid.IntRange(0, 1).Draw(t, "no neighbourhoods") == 0,
			NoSums:       rapid.IntRange(0, 3).Draw(t, "no sums") == 0,
			SumLevels:    rapid.IntRange(0, 1).Draw(t, "sum levels"),
			DeepPrice:    rapid.SampledFrom([]float64{0, 1e-9, 1e9}).Draw(t, "deep price"),
			TripleLevels: rapid.SampledFrom([]int{0, 3, 99}).Draw(t, "triple levels"),
		},
		rows:           rapid.SampledFrom([]int{1, 2, 3, 7, 20, 100, 1000}).Draw(t, "rows"),
		tile:           rapid.SampledFrom([]int{1, 2, 5, 1024}).Draw(t, "tile"),
		blocks:         rapid.IntRange(1, 4).Draw(t, "blocks"),
		parts:          rapid.IntRange(0, 3).Draw(t, "parts of the grid"),
		partsFrom:      rapid.IntRange(0, 1).Draw(t, "parts from"),
		hostDriven:     rapid.IntRange(0, 3).Draw(t, "host driven") == 0,
		noBitmaps:      rapid.Bool().Draw(t, "no bitmaps"),
		signatures:     rapid.Bool().Draw(t, "signatures"),
		few:            rapid.SampledFrom([]int{1, 1 << 16}).Draw(t, "few"),
		noMailbox:      rapid.IntRange(0, 3).Draw(t, "no mailbox") == 0,
		arena:          512 << 10,
		inPages:        rapid.Bool().Draw(t, "in pages"),
		offsetsInPages: rapid.Bool().Draw(t, "offsets in pages"),
		graphs:         rapid.SampledFrom([]int64{0, 0, 1, 8 << 10}).Draw(t, "memory for graphs"),
		buffers:        rapid.SampledFrom([]int{0, 1, 2, 4, 6, 10}).Draw(t, "buffers"),
		page:           rapid.SampledFrom([]int64{64, 128, 512}).Draw(t, "page"),
		scattered:      rapid.SampledFrom([]int64{-1, 1, 50, 1 << 20}).Draw(t, "scattered"),
		noAhead:        rapid.IntRange(0, 3).Draw(t, "none ahead") == 0,
		swept:          rapid.Bool().Draw(t, "swept"),
		scanned:        rapid.IntRange(0, 3).Draw(t, "scanned") == 0,
		byPhase:        rapid.Bool().Draw(t, "pages by phase"),
		lightRoot:      rapid.SampledFrom([]int{1, 2, 4, 64}).Draw(t, "light root"),
		splitRoot:      rapid.SampledFrom([]int{1, 2, 256}).Draw(t, "split root"),
		denseWork:      rapid.SampledFrom([]int{1, 3, 2048}).Draw(t, "dense work"),
		farCut:         rapid.SampledFrom([]int{1, 3}).Draw(t, "far cut"),
	}}
}

// drawCase draws a case whose labels lie close together or far apart, so that their numbers are a range, indexed or
// searched, and whose edges lie in one graph or in several that are overlaid, or that is changed until it has them.
func drawCase(t *rapid.T) *matchtest.Case {
	c := rapid.SampledFrom([]func(*rapid.T) *matchtest.Case{matchtest.Draw, matchtest.Draw, matchtest.DrawInduced, matchtest.DrawRowEdges}).Draw(t, "case")(t)
	if n := rapid.SampledFrom([]int{1, 1, 1, 7, 2000}).Draw(t, "spread"); n > 1 {
		c.Spread(n)
	}
	c.Parts = rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "parts")
	c.Changes = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "changes")
	c.Combine = rapid.Bool().Draw(t, "combine")
	return c
}

func TestRandomPatternsMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCase(rt)
		options := drawOptions(rt)
		options.slice = time.Duration(rapid.SampledFrom([]int{1, 3, 1e9}).Draw(rt, "slice"))
		d := open(t, options)
		if err := matchtest.Check(d, c); err != nil {
			rt.Fatal(err)
		}
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
		if left := d.memory.inUse(); left != 0 {
			rt.Fatalf("%d bytes of device memory are left after Close", left)
		}
	})
}

func TestOrderedPatternsMatchAsByBruteForce(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(*rapid.T) *matchtest.Case{
		"any": drawCase, "symmetric": matchtest.DrawSymmetric,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				c := draw(rt)
				matchtest.DrawOrder(rt, c)
				d := open(t, drawOptions(rt))
				defer d.Close()
				if err := matchtest.Check(d, c); err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}

// ring is a graph of n vertices, each with an edge to the next few, and a plan of paths of three edges in it.
func ring(t testing.TB, n int) *match.Match {
	t.Helper()
	var edges []pcsr.Edge
	for v := range n {
		for k := 1; k <= 8; k++ {
			edges = append(edges, pcsr.Edge{From: uint32(v), To: uint32((v + k) % n)})
		}
	}
	g, err := pcsr.Build(n, 1, edges)
	if err != nil {
		t.Fatal(err)
	}
	variable := func(name string) parser.PatternTerm { return parser.PatternTerm{Variable: name} }
	edge := parser.PatternTerm{Term: matchtest.Term(0)}
	c := matchtest.Case{Vertices: n, Labels: 1, TypeLabel: -1, Options: bgp.Options{Output: []string{"a", "b", "c", "d"}}}
	for _, p := range [][2]string{{"a", "b"}, {"b", "c"}, {"c", "d"}} {
		c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: variable(p[0]), Predicate: edge, Object: variable(p[1])})
	}
	plan, err := c.Plan(g)
	if err != nil {
		t.Fatal(err)
	}
	return &match.Match{Graph: g, Plan: plan}
}

func TestASmallMemoryIsEnough(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Memory: 1 << 20})
	m := ring(t, 600)
	rows := 0
	if err := d.Match(context.Background(), m, func(b *match.Batch) error { rows += b.N; return nil }); err != nil {
		t.Fatal(err)
	}
	if want := 600 * 8 * 8 * 8; rows != want {
		t.Errorf("%d rows, want %d", rows, want)
	}
	if used := d.memory.inUse(); used > 1<<20 {
		t.Errorf("%d bytes are in use, more than the limit", used)
	}
}

func TestAGraphLargerThanTheMemoryStaysOnTheHost(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Memory: 320 << 10})
	m := ring(t, 4000)
	n, err := d.Count(context.Background(), m)
	if err != nil || n != 4000*8*8*8 {
		t.Fatal(n, err)
	}
	info, err := d.Info()
	if err != nil || info.HostBytes == 0 || info.Used > info.Limit {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestQueriesRunAtTheSameTime(t *testing.T) {
	t.Parallel()
	d := open(t, Options{tuning: tuning{arena: 300 << 10}})
	m := ring(t, 300)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			rows := 0
			err := d.Match(context.Background(), m, func(b *match.Batch) error { rows += b.N; return nil })
			if err != nil || rows != 300*8*8*8 {
				t.Error(rows, err)
			}
		})
	}
	wg.Wait()
}

// endingAtLaunch is a context that ends with a launch of a device, which are counted.
func endingAtLaunch(last int) (ctx context.Context, e *kernels.Emulation, launches *int) {
	ctx, cancel := context.WithCancel(context.Background())
	e, launches = kernels.Emulate(64<<20), new(int)
	e.Fail = func(call string) error {
		if call == "launch" {
			if *launches++; *launches == last {
				cancel()
			}
		}
		return nil
	}
	return ctx, e, launches
}

func TestACancelledMatchEndsBetweenTwoLaunches(t *testing.T) {
	ctx, e, launches := endingAtLaunch(3)
	d := open(t, Options{Driver: e, tuning: tuning{slice: 1, tile: 1}})
	if _, err := d.Count(ctx, ring(t, 300)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if *launches != 3 {
		t.Errorf("%d launches", *launches)
	}
}

// TestAnErrorFromEmitEndsTheMatch and comes back as it is, whatever the rows went through: who stops a match knows it by that.
func TestAnErrorFromEmitEndsTheMatch(t *testing.T) {
	t.Parallel()
	d := open(t, Options{CombineFrom: 1})
	full := errors.New("disk full")
	g := ring(t, 300).Graph
	for name, m := range map[string]*match.Match{
		"rows": ring(t, 300), "groups": grouped(t, g, true, "v0"), "looked up": lookedUp(t, g, rand.New(rand.NewPCG(1, 1)), bgp.HasNot, false, "v0", "v3"),
		"folded": lookedUp(t, g, rand.New(rand.NewPCG(1, 1)), bgp.HasNot, true, "v0", "v3"), "selected": topMatch(t, g, tied(t, g.Vertices()), bgp.Top{Column: 1, Rows: 5}),
	} {
		called := false
		err := d.Match(context.Background(), m, func(*match.Batch) error { called = true; return full })
		if err != full || !called {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if n, err := d.Count(context.Background(), ring(t, 20)); err != nil || n == 0 {
		t.Errorf("the next query: %d, %v", n, err)
	}
}

func TestADeviceThatFailsIsLost(t *testing.T) {
	t.Parallel()
	e := kernels.Emulate(64 << 20)
	d := open(t, Options{Driver: e})
	m := ring(t, 20)
	e.Fail = func(call string) error {
		if call == "synchronize" {
			return kernels.ErrLost
		}
		return nil
	}
	if _, err := d.Count(context.Background(), m); !errors.Is(err, ErrDeviceLost) {
		t.Errorf("error %v", err)
	}
	e.Fail = nil
	if _, err := d.Count(context.Background(), m); !errors.Is(err, ErrDeviceLost) || !d.Lost() {
		t.Errorf("error %v after the loss", err)
	}
}

func TestOpenWithoutAGPUSaysSo(t *testing.T) {
	d, err := Open(Options{})
	if err == nil {
		t.Skipf("there is a GPU: %s", d.Name())
	}
	if !errors.Is(err, ErrNoDevice) {
		t.Errorf("error %v", err)
	}
	t.Log(err)
}

func TestLargeArraysArriveWhole(t *testing.T) {
	t.Parallel()
	d := open(t, Options{Driver: kernels.Emulate(1 << 30)})
	p, s := d.partitions, &storage{}
	words := make([]uint32, sendBytes/3+12345)
	for i := range words {
		words[i] = uint32(i) * 2654435761
	}
	at, err := p.copyWords(s, words)
	if err != nil {
		t.Fatal(err)
	}
	back := make([]uint32, len(words))
	if err := p.stream.Download(kernels.Bytes(back), at); err != nil || !slices.Equal(back, words) {
		t.Errorf("the copy differs (error %v)", err)
	}
	if err := s.release(d, d.memory.free); err != nil {
		t.Error(err)
	}
}

func TestWidePatternsMatch(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have as many goroutines")
	}
	d := open(t, Options{Driver: kernels.Emulate(1 << 30)})
	for _, n := range []int{1, 2, 31, 47, 48, 49, 63, 64, 65} {
		if err := matchtest.CheckWide(d, n); err != nil {
			t.Error(err)
		}
	}
}

// TestADeviceMayBeClosedAgain: with tables that are kept, which a timer would free, and without.
func TestADeviceMayBeClosedAgain(t *testing.T) {
	t.Parallel()
	for _, used := range []bool{false, true} {
		d := open(t, Options{Keep: time.Hour})
		if used {
			count(t, d, ring(t, 300), 300*8*8*8)
		}
		for range 3 {
			if err := d.Close(); err != nil || d.memory.inUse() != 0 {
				t.Errorf("%v, %d bytes left", err, d.memory.inUse())
			}
		}
	}
}
