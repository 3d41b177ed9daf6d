package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/mine"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// emulated matches on a device whose kernels are their twins in Go, and what that cannot do on the processor.
type emulated struct {
	device    *gpu.Device
	processor match.Matcher
	ran       *atomic.Int64
}

func (e emulated) on(m *match.Match, count bool) match.Matcher {
	if !gpu.Fits(m, count) {
		return e.processor
	}
	e.ran.Add(1)
	traced := *m
	traced.Trace = &match.Trace{}
	*m = traced
	return e.device
}

func (e emulated) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	own := *m
	return e.on(&own, false).Match(ctx, &own, emit)
}

func (e emulated) Count(ctx context.Context, m *match.Match) (uint64, error) {
	own := *m
	return e.on(&own, true).Count(ctx, &own)
}

// drawBothWays draws a store whose triples of :p lead both ways, with two classes.
func drawBothWays(r *rapid.T, t *testing.T) *Store {
	vertices := rapid.IntRange(2, 12).Draw(r, "vertices")
	vertex := rapid.IntRange(0, vertices-1)
	var b strings.Builder
	for range rapid.IntRange(1, 40).Draw(r, "edges") {
		if v, w := vertex.Draw(r, "from"), vertex.Draw(r, "to"); v != w {
			fmt.Fprintf(&b, "<http://e/v%d> <http://e/p> <http://e/v%d> .\n<http://e/v%[2]d> <http://e/p> <http://e/v%[1]d> .\n", v, w)
		}
	}
	fmt.Fprintf(&b, "<http://e/v0> <http://e/p> <http://e/v1> .\n<http://e/v1> <http://e/p> <http://e/v0> .\n")
	for class := range 2 {
		for _, v := range append(rapid.SliceOfN(vertex, 0, 6).Draw(r, "members"), 0) {
			fmt.Fprintf(&b, "<http://e/v%d> a <http://e/C%d> .\n", v, class)
		}
	}
	dir := filepath.Join(t.TempDir(), strconv.Itoa(rapid.Int().Draw(r, "name")))
	if _, err := Load(t.Context(), dir, []string{"-"}, LoadOptions{Format: "turtle", Stdin: strings.NewReader(b.String())}); err != nil {
		r.Fatal(err)
	}
	store, err := Open(dir, Options{})
	if err != nil {
		r.Fatal(err)
	}
	return store
}

// drawMiningProgram draws a program of up to four vertices: paths, stars, cliques and what is between, some of them once only.
func drawMiningProgram(r *rapid.T) (p mine.Program) {
	size := rapid.IntRange(1, 4).Draw(r, "size")
	like := rapid.SampledFrom([]string{"anything", "clique", "star"}).Draw(r, "like")
	once := rapid.Bool().Draw(r, "once")
	for width := 1; width < size; width++ {
		e := mine.Extension{Adjacent: mine.Positions(rapid.IntRange(0, width-1).Draw(r, "neighbour"))}
		others := mine.First(width)
		switch like {
		case "clique":
			e.Adjacent = others
		case "star":
			e.Adjacent = mine.Positions(0)
			others &^= e.Adjacent
		default:
			e.Adjacent |= mine.Places(rapid.Uint32Range(0, uint32(others)).Draw(r, "adjacent"))
			once = false
		}
		e.Apart = mine.Places(rapid.Uint32Range(0, uint32(mine.First(width))).Draw(r, "apart")) &^ e.Adjacent
		if like == "star" && rapid.Bool().Draw(r, "all apart") {
			e.Apart = others
		}
		if once {
			e.Above = others
		}
		p.Extensions = append(p.Extensions, e)
	}
	any := []mine.Comparison{
		{Of: mine.OfLabel, Is: mine.Equal, To: rapid.Uint32Range(0, 2).Draw(r, "label")},
		{Of: mine.OfDegree, Is: mine.GreaterOrEqual, To: rapid.Uint32Range(1, 9).Draw(r, "degree")},
	}
	for i := range size {
		if rapid.IntRange(0, 3).Draw(r, "filtered") == 0 {
			p.Filters = append(p.Filters, mine.Filter{Vertex: i, Any: any[rapid.IntRange(0, 1).Draw(r, "first"):]})
		}
	}
	p.Collect = rapid.SampledFrom([]mine.Collect{mine.CountRows, mine.CountPatterns, mine.CountImages}).Draw(r, "collect")
	return p
}

// TestProgramsFindTheSameInTablesAndByPlans on the processor and a device that is emulated.
func TestProgramsFindTheSameInTablesAndByPlans(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	device, err := gpu.Open(gpu.Options{Driver: kernels.Emulate(64 << 20), CombineFrom: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	processor := cpu.New()
	matchers := map[string]match.Matcher{"device": emulated{device, processor, &ran}, "processor": processor}
	rapid.Check(t, func(r *rapid.T) {
		store := drawBothWays(r, t)
		defer store.Close()
		p := drawMiningProgram(r)
		options := ProgramOptions{MiningOptions: MiningOptions{Edges: []string{":p"}, Classes: []string{"http://e/C0", "http://e/C1"}}, Device: CPU}
		want, err := store.RunProgram(t.Context(), p, options)
		if errors.Is(err, mine.ErrProgram) {
			r.Skip(err)
		}
		if err != nil {
			r.Fatal(err)
		}
		for name, matcher := range matchers {
			snapshot := store.live.Snapshot()
			m := &programMatcher{mined: &Mined{snapshot: snapshot}, speed: 1, matcher: func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return matcher }}
			got, err := m.find(t.Context(), p, options.MiningOptions)
			snapshot.Release()
			if errors.Is(err, mine.ErrUnmatched) && p.Collect == mine.CountImages {
				continue
			}
			if err != nil || !sameFindings(got, want) {
				r.Fatalf("%s: %+v, want %+v of %+v: %v", name, got, want, p, err)
			}
		}
		options.Device = Auto
		if got, err := store.RunProgram(t.Context(), p, options); err != nil || !sameFindings(got, want) {
			r.Fatalf("auto: %+v, want %+v: %v", got, want, err)
		}
	})
	if !testing.Short() && ran.Load() == 0 {
		t.Error("the device matched nothing")
	}
}

func sameFindings(a, b mine.Findings) bool {
	counts := func(f mine.Findings) map[mine.Pattern]uint64 {
		m := map[mine.Pattern]uint64{}
		for _, s := range f.Patterns {
			m[s.Pattern] = s.Count
		}
		return m
	}
	return a.Count == b.Count && slices.Equal(a.Images, b.Images) && maps.Equal(counts(a), counts(b))
}

func TestProgramsOfOtherEdgesRunInTables(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	text := "<http://e/a> <http://e/p> <http://e/b> . <http://e/b> <http://e/q> <http://e/c> ."
	if _, err := Load(t.Context(), dir, []string{"-"}, LoadOptions{Format: "turtle", Stdin: strings.NewReader(text)}); err != nil {
		t.Fatal(err)
	}
	store, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	paths := mine.Program{Extensions: []mine.Extension{{Adjacent: mine.Positions(0)}, {Adjacent: mine.Positions(1)}}}
	for device, want := range map[Device]error{Auto: nil, CPU: nil, GPU: ErrMineOptions} {
		found, err := store.RunProgram(t.Context(), paths, ProgramOptions{Device: device})
		if device == GPU && errors.Is(err, ErrNoDevice) {
			continue
		}
		if !errors.Is(err, want) || err == nil && found.Count != 2 {
			t.Errorf("%s: %+v, %v", device, found, err)
		}
	}
}
