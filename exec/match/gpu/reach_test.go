package gpu

import (
	"math/rand/v2"
	"slices"
	"strings"
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

// TestNoListOutsideTheReachIsLookedUp: once the pages in a plan's reach are on the device, what lies in host memory is made rubbish, and the count is the
// same.
func TestNoListOutsideTheReachIsLookedUp(t *testing.T) {
	t.Parallel()
	asked := 0
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCase(rt)
		if rapid.Bool().Draw(rt, "classes") {
			c = drawClasses(rt)
		}
		c.Options.CountOnly, c.Options.Output, c.Options.Inputs, c.Seeds = true, nil, nil, nil
		options := drawOptions(rt)
		m, err := c.Match()
		if err != nil || m.Plan.Empty || !readsPagesAlone(m, options.Tuning) {
			return
		}
		options.inPages, options.graphs, options.buffers, options.page, options.scattered, options.byPhase = true, 0, 0, 512, 1<<20, false
		d := open(rt, options)
		m.Trace = &match.Trace{}
		want, err := d.Count(t.Context(), m)
		if err != nil {
			rt.Fatal(err)
		}
		if reached := slices.ContainsFunc(m.Trace.Steps, func(s match.StepTrace) bool { return strings.Contains(s.Variant, "copied before") }); reached {
			asked++
			for _, l := range d.partitions.all {
				for i := 0; l.pages != nil && i < len(l.pages.neighbours); i++ {
					l.pages.neighbours[i] = 0xAAAAAAAA
				}
			}
			if n, err := d.Count(t.Context(), m); err != nil || n != want {
				rt.Fatalf("%d, %v, before %d", n, err, want)
			}
		}
		if err := d.Close(); err != nil || d.memory.inUse() != 0 {
			rt.Fatalf("%v, %d bytes left", err, d.memory.inUse())
		}
	})
	t.Logf("%d asked in one launch", asked)
	if !testing.Short() && asked == 0 {
		t.Error("no plan was asked in one launch")
	}
}

// drawClasses draws a pattern whose vertices have classes, which are ranges of numbers, in a graph of lists of many pages.
func drawClasses(t *rapid.T) *matchtest.Case {
	const classes = 5
	each, n := rapid.IntRange(1, 60).Draw(t, "of each class"), rapid.IntRange(2, 4).Draw(t, "variables")
	start := 2 + classes
	c := &matchtest.Case{Vertices: start + classes*each, Labels: start, TypeLabel: 0}
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for v := range classes * each {
		c.Edges = append(c.Edges, pcsr.Edge{From: uint32(start + v), To: uint32(2 + v/each)})
		for range random.IntN(12) {
			c.Edges = append(c.Edges, pcsr.Edge{From: uint32(start + v), Label: 1, To: uint32(start + random.IntN(classes*each))})
		}
	}
	variable := func(i int) parser.PatternTerm { return parser.PatternTerm{Variable: string('a' + byte(i))} }
	edge := func(from, to parser.PatternTerm, label int) {
		c.Patterns = append(c.Patterns, parser.TriplePattern{Subject: from, Predicate: parser.PatternTerm{Term: matchtest.Term(uint32(label))}, Object: to})
	}
	for i := range n {
		if class := rapid.IntRange(0, classes).Draw(t, "class"); class > 0 {
			edge(variable(i), parser.PatternTerm{Term: matchtest.Term(uint32(1 + class))}, 0)
		}
		if i == 0 {
			continue
		}
		for range rapid.IntRange(1, 2).Draw(t, "edges") {
			ends := []parser.PatternTerm{variable(i), variable(rapid.IntRange(0, i-1).Draw(t, "end"))}
			back := rapid.IntRange(0, 1).Draw(t, "back")
			edge(ends[back], ends[1-back], 1)
		}
	}
	c.Options.Semantics = rapid.SampledFrom([]bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism}).Draw(t, "semantics")
	return c
}

// readsPagesAlone reports whether a plan reads lists of partitions by links of steps alone, which depend on a slot.
func readsPagesAlone(m *match.Match, tuning match.Tuning) bool {
	l := match.Lower(m, true, tuning)
	if l.Never || l.Input != nil || len(m.Plan.Branches) > 0 {
		return false
	}
	for _, s := range l.Steps {
		fixed := func(l match.List) bool {
			if l.Kind == match.Fixed {
				return len(s.Lists) > 1 || !isGapless(l.Members)
			}
			return l.Link.Kind != bgp.Neighbours && l.Kind == match.Dynamic
		}
		if len(s.Plan.Checks) > 0 || slices.ContainsFunc(s.Lists, fixed) || !s.Plan.Signature.IsZero() {
			return false
		}
	}
	return true
}

// chain is a graph of four classes of so many vertices, each with edges to some of the next class, and a plan of paths through the classes from a first to a
// last one.
func chain(t *testing.T, each, first, last int) *match.Match {
	t.Helper()
	const classes = 4
	start := 2 + classes // behind the labels and the classes
	var edges []pcsr.Edge
	for v := range classes * each {
		edges = append(edges, pcsr.Edge{From: uint32(start + v), To: uint32(2 + v/each)})
		for k := range 6 {
			if to := v/each*each + each + (v*5+k)%each; to < classes*each {
				edges = append(edges, pcsr.Edge{From: uint32(start + v), Label: 1, To: uint32(start + to)})
			}
		}
	}
	g, err := pcsr.Build(start+classes*each, 2+classes, edges, pcsr.WithTypeLabel(0))
	if err != nil {
		t.Fatal(err)
	}
	variable := func(i int) parser.PatternTerm { return parser.PatternTerm{Variable: string('a' + byte(i))} }
	p := pattern{}
	for i := first; i <= last; i++ {
		p.triples = append(p.triples, parser.TriplePattern{Subject: variable(i), Predicate: term(0), Object: term(uint32(2 + i))})
		if i < last {
			p.triples = append(p.triples, parser.TriplePattern{Subject: variable(i), Predicate: term(1), Object: variable(i + 1)})
		}
	}
	plan, err := p.plan(g, bgp.Homomorphism, true)
	if err != nil {
		t.Fatal(err)
	}
	return &match.Match{Graph: g, Plan: plan}
}

// TestPagesInReachComeBeforeTheFirstStep: of a partition that does not fit, those of the classes that a plan asks for, once; it runs in one launch then.
func TestPagesInReachComeBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	const each = 2000
	e := kernels.Emulate(64 << 20)
	launches := 0
	e.Fail = func(call string) error {
		if call == "launch" {
			launches++
		}
		return nil
	}
	d := open(t, Options{Driver: e, tuning: tuning{slice: time.Minute, arena: 300 << 10, inPages: true, page: 4 << 10, buffers: 20, scattered: 1 << 20, Tuning: match.Tuning{AnyCost: true}}})
	m := chain(t, each, 1, 2)
	bytes := int64(4 * 6 * each)
	m.Trace = &match.Trace{}
	for i := range 3 {
		before := d.pages.loaded
		launches = 0
		if n, err := d.Count(t.Context(), m); err != nil || n != 6*each {
			t.Fatalf("%d, %v", n, err)
		}
		copied := d.pages.loaded - before
		if i == 0 && (copied < bytes/2 || copied > 2*bytes) || i > 0 && (copied > 0 || launches != 1) {
			t.Errorf("count %d copied %d bytes in %d launches; the lists take %d: %+v", i, copied, launches, bytes, m.Trace.Steps)
		}
	}
	all := chain(t, each, 0, 3) // its pages do not find room together
	launches = 0
	if n, err := d.Count(t.Context(), all); err != nil || n != 6*6*6*each || launches < 4 {
		t.Errorf("%d in %d launches, %v", n, launches, err)
	}
	unpinned(t, d)
}
