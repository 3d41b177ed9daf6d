package gpu

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// counted is a match and how many solutions the processor counts.
type counted struct {
	name string
	*match.Match
	want uint64
}

// bands are patterns in a ring of so many vertices, each of which has edges both ways with the four on each side: in neighbourhoods, with a far vertex, and by paths of
// two edges.
func bands(t *testing.T, n int) (all []counted) {
	t.Helper()
	var edges []pcsr.Edge
	for v := range n {
		for k := 1; k <= 4; k++ {
			a, b := uint32(v), uint32((v+k)%n)
			edges = append(edges, pcsr.Edge{From: a, To: b}, pcsr.Edge{From: b, To: a})
		}
	}
	g, err := pcsr.Build(n, 1, edges)
	if err != nil {
		t.Fatal(err)
	}
	for name, edges := range map[string][]string{
		"clique of 4": {"ab", "ac", "ad", "bc", "bd", "cd"}, "chordal square": {"ab", "bc", "cd", "ad", "ac"}, "house": {"ab", "bc", "cd", "ad", "ae", "be"}, "square": {"ab", "bc", "cd", "ad"},
	} {
		p := pattern{name: name}
		for _, e := range edges {
			p.triples = append(p.triples, parser.TriplePattern{Subject: parser.PatternTerm{Variable: e[:1]}, Predicate: term(0), Object: parser.PatternTerm{Variable: e[1:]}})
		}
		plan, err := p.plan(g, bgp.Isomorphism, true)
		if err != nil {
			t.Fatal(err)
		}
		m := &match.Match{Graph: g, Plan: plan}
		want, err := cpu.New().Count(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, counted{name, m, want})
	}
	return all
}

// isAway reports whether a count that was traced read lists in host memory.
func isAway(trace *match.Trace) bool {
	for _, s := range trace.Steps {
		if strings.Contains(s.Variant, "lists away") {
			return true
		}
	}
	return false
}

// TestListsAreAwayTheSecondTime: the first count of a cheap plan is joined, and makes no lists.
func TestListsAreAwayTheSecondTime(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and others have as many goroutines")
	}
	t.Parallel()
	for _, c := range bands(t, 3000) {
		plan := *c.Plan
		plan.Cost = 20 * float64(c.Graph.Edges())
		m := &match.Match{Graph: c.Graph, Plan: &plan, Trace: &match.Trace{}}
		d := open(t, Options{tuning: tuning{inPages: true}})
		for i := range 3 {
			if n, err := d.Count(t.Context(), m); err != nil || n != c.want || isAway(m.Trace) != (i > 0) {
				t.Errorf("%s, count %d: %d, want %d, %v, %q", c.name, i, n, c.want, err, m.Trace.Steps[0].Variant)
			}
		}
		unpinned(t, d)
	}
}

// TestACountOfListsAwayEndsWithItsContext at whatever call it is cancelled, and gives all back.
func TestACountOfListsAwayEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, c := range bands(t, 150) {
		ended := 0
		for at := 1; at < 60; at += 2 {
			ctx, cancel, e := cancelAt(at)
			d := open(t, Options{Driver: e, tuning: tuning{slice: 1, inPages: true, coreRoom: 2 << 10, Tuning: match.Tuning{AnyCost: true}}})
			n, err := d.Count(ctx, c.Match)
			if err == nil && n != c.want || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at call %d: %d, %v", c.name, at, n, err)
			}
			if err != nil {
				ended++
			}
			cancel()
			if err := d.Close(); err != nil || d.memory.inUse() != 0 {
				t.Errorf("%v, %d bytes left", err, d.memory.inUse())
			}
		}
		if ended < 5 {
			t.Errorf("%s: %d were ended", c.name, ended)
		}
	}
}

// TestCountsOfListsAwayFailAndGiveAllBack at whatever call the device refuses.
func TestCountsOfListsAwayFailAndGiveAllBack(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	step := 2
	if testing.Short() {
		step = 7
	}
	for _, c := range bands(t, 150) {
		for at := 1; at < 60; at += step {
			calls := 0
			e := kernels.Emulate(64 << 20)
			e.Fail = func(string) error {
				if calls++; calls == at {
					return refused
				}
				return nil
			}
			d, err := Open(Options{Driver: e, tuning: tuning{inPages: true, coreRoom: 2 << 10, Tuning: match.Tuning{AnyCost: true}}})
			if err != nil {
				continue
			}
			if n, err := d.Count(t.Context(), c.Match); err == nil && n != c.want || err != nil && !errors.Is(err, refused) {
				t.Errorf("%s, call %d refused: %d, %v", c.name, at, n, err)
			}
			e.Fail = nil
			if n, err := d.Count(t.Context(), c.Match); err != nil || n != c.want {
				t.Errorf("%s, after call %d was refused: %d, %v", c.name, at, n, err)
			}
			if err := d.Close(); err != nil || d.memory.inUse() != 0 {
				t.Errorf("%v, %d bytes left", err, d.memory.inUse())
			}
		}
	}
}

// TestCountsOfListsAwayShareTooLittleMemory: all are right, whatever finds room.
func TestCountsOfListsAwayShareTooLittleMemory(t *testing.T) {
	t.Parallel()
	all := bands(t, 3000)
	d := open(t, Options{Memory: 800 << 10, Launches: 8, tuning: tuning{page: 512, inPages: true, Tuning: match.Tuning{AnyCost: true}}})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 2 {
				c := all[i%len(all)]
				if n, err := d.Count(context.Background(), c.Match); err != nil || n != c.want {
					t.Errorf("%s: %d, want %d, %v", c.name, n, c.want, err)
				}
			}
		})
	}
	wg.Wait()
	unpinned(t, d)
}

// TestDamageMetInListsAwayNamesItsFile: with bytes of a mapped graph changed, counts are right or refused by the file's name, and give all back.
func TestDamageMetInListsAwayNamesItsFile(t *testing.T) {
	t.Parallel()
	all := bands(t, 1500)
	refused := 0
	eachDamage(t, all[0].Graph, 24, func(g *pcsr.Graph, path string, at int) {
		for _, c := range all {
			d := open(t, Options{tuning: tuning{inPages: true, page: 512, coreRoom: 4 << 10, Tuning: match.Tuning{AnyCost: true}}})
			n, err := d.Count(t.Context(), &match.Match{Graph: g, Plan: c.Plan})
			switch {
			case err == nil && n != c.want:
				t.Errorf("%s, byte %d: %d, want %d", c.name, at, n, c.want)
			case err != nil && (!errors.Is(err, section.ErrDamaged) || !strings.Contains(err.Error(), path)):
				t.Errorf("%s, byte %d: %v", c.name, at, err)
			case err != nil:
				refused++
			}
			unpinned(t, d)
		}
	})
	if refused == 0 {
		t.Error("none was refused")
	}
}

// TestListsAreMadeBesideTheProcessor: what is not there has a price, and Prepare makes it; the first count has it then.
func TestListsAreMadeBesideTheProcessor(t *testing.T) {
	t.Parallel()
	all := bands(t, 2000)
	triangles, found := ringTriangles(t, 2000)
	for _, c := range append(all, counted{"triangles", triangles, found}) {
		d := open(t, Options{tuning: tuning{inPages: true, Tuning: match.Tuning{AnyCost: true}}})
		if price := d.Price(c.Graph, c.Plan); price < listsMaking*float64(c.Graph.Edges())/2 {
			t.Errorf("%s: %g before any list is made", c.name, price)
		}
		d.Prepare(c.Graph, c.Plan)
		<-d.ahead.done
		if price := d.Price(c.Graph, c.Plan); price != 0 || len(d.partitions.all) > 0 {
			t.Errorf("%s: %g with the lists made, %d partitions are there", c.name, price, len(d.partitions.all))
		}
		m := &match.Match{Graph: c.Graph, Plan: c.Plan, Trace: &match.Trace{}}
		if n, err := d.Count(t.Context(), m); err != nil || n != c.want || c.name != "triangles" && !isAway(m.Trace) {
			t.Errorf("%s: %d, want %d, %v", c.name, n, c.want, err)
		}
		unpinned(t, d)
	}
}
