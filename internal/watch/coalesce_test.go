package watch

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// alike is a small graph that changes, and a pattern that is likely to have automorphisms.
type alike struct {
	*matchtest.Case
	before, after, added, removed []pcsr.Edge
}

// drawAlike draws which edges come and which go, mostly together with those that lead back, and which vertices are read.
func drawAlike(t *rapid.T) *alike {
	c := &alike{Case: matchtest.DrawSymmetric(t)}
	c.Options.Unequal, c.Options.CountOnly = nil, false
	if c.Options.Semantics == bgp.Induced {
		c.Options.Semantics = bgp.Isomorphism
	}
	read := rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "read")
	c.Options.Output = c.Options.Output[:min(read, len(c.Options.Output))]
	together := rapid.IntRange(0, 3).Draw(t, "not together") > 0
	fate := map[pcsr.Edge]int{}
	for _, e := range c.Edges {
		if _, known := fate[e]; known {
			continue
		}
		f := rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "fate")
		if fate[e] = f; together {
			fate[pcsr.Edge{From: e.To, Label: e.Label, To: e.From}] = f
		}
	}
	for _, e := range c.Edges {
		f := fate[e]
		switch f {
		case 1:
			c.added = append(c.added, e)
		case 2:
			c.removed = append(c.removed, e)
		}
		if f != 2 {
			c.after = append(c.after, e)
		}
		if f != 1 {
			c.before = append(c.before, e)
		}
	}
	c.added, c.removed = unique(c.added), unique(c.removed)
	return c
}

func unique(edges []pcsr.Edge) (out []pcsr.Edge) {
	seen := map[pcsr.Edge]bool{}
	for _, e := range edges {
		if !seen[e] {
			seen[e], out = true, append(out, e)
		}
	}
	return out
}

// wanted are how many times more each solution is there after the change.
func (c *alike) wanted() map[string]int64 {
	out := map[string]int64{}
	for sign, edges := range map[int64][]pcsr.Edge{-1: c.before, 1: c.after} {
		of := *c.Case
		of.Edges = edges
		for _, s := range of.Solutions() {
			out[fmt.Sprint(s.Values)] += sign
		}
	}
	maps.DeleteFunc(out, func(_ string, n int64) bool { return n == 0 })
	return out
}

// stand makes the pattern a query that stands.
func (c *alike) stand(t *rapid.T) *standing {
	head := "(COUNT(*) AS ?n)"
	if len(c.Options.Output) > 0 {
		head = "?" + strings.Join(c.Options.Output, " ?")
	}
	parsed, err := parser.Parse("SELECT "+head+" { "+bodyOf(c.Patterns)+"}", parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := newStanding(Query{Parsed: parsed, Semantics: c.Options.Semantics})
	if err != nil || q.again() {
		t.Fatal(err)
	}
	q.resolve(c.Lookup)
	return q
}

// found are the differences that the change brings, and whether a match that was looked for stood for several.
func (c *alike) found(t *rapid.T, by match.Matcher, q *standing, how tuning) (out map[string]int64, coalesced bool) {
	build := *c.Case
	build.Edges = c.before
	from, err := build.Graph()
	if err != nil {
		t.Fatal(err)
	}
	to := from.Change(c.Vertices, c.added, c.removed)
	x := newIndex(c.Lookup)
	x.typeLabel, _ = to.TypeLabel()
	x.add(q)
	g := &graphChange{name: dictionary.None, sides: [2]side{came: {edges: c.added, graph: to}, went: {edges: c.removed, graph: from}}}
	p := &pass{graphs: []*graphChange{g}, tuning: &how, work: map[*standing][]*task{}, open: map[*seed]*task{}}
	if d, ok := by.(*gpu.Device); ok && how.leastApart == 0 {
		p.foresee(d.PrepareLabels)
	}
	p.distribute(x, nil)
	budget := limits.Standalone(1 << 30)
	defer budget.Close()
	workers := schedule.New(1).Open(context.Background(), 0)
	m := &matcher{
		ctx: context.Background(), lookup: c.Lookup, tuning: &how, workers: workers, charge: budget.Meter("matches").Charge,
		pick: func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return by },
	}
	workers.Enter()
	defer workers.Leave()
	out = map[string]int64{}
	for _, tasks := range p.work {
		for _, task := range tasks {
			f, err := m.prepare(task)
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				continue
			}
			m.choose([]*search{f})
			coalesced = coalesced || f.each > 1
			err = f.find(m, 0, f.n, func(b *match.Batch, row int) {
				values := make([]dictionary.ID, len(c.Options.Output))
				for i, v := range c.Options.Output {
					values[i] = task.seed.value(b, row, slices.Index(task.seed.leaf.columns, v), dictionary.None)
				}
				out[fmt.Sprint(values)] += signs[task.at] * f.each * weight(b, row)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	maps.DeleteFunc(out, func(_ string, n int64) bool { return n == 0 })
	return out, coalesced
}

// TestMatchesThatAutomorphismsMakeOfEachOtherAreFoundByOne: what a change brings is what trying every triple finds, under three semantics, on the
// processor and the device, whether edges lead back before, after, in both states or in none.
func TestMatchesThatAutomorphismsMakeOfEachOtherAreFoundByOne(t *testing.T) {
	t.Parallel()
	device, err := OpenDevice()
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	together, all := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		c := drawAlike(rt)
		want, q := c.wanted(), c.stand(rt)
		how := tuned
		how.leastCoalesced, how.leastForeseen = 0, 0
		if rapid.Bool().Draw(rt, "label by label") {
			how.manyEdges = 0
		}
		for _, by := range []match.Matcher{cpu.New(), device} {
			for _, apart := range []int{0, math.MaxInt} {
				how.leastApart = apart
				got, coalesced := c.found(rt, by, q, how)
				if all++; coalesced {
					together++
				}
				if !maps.Equal(got, want) {
					rt.Fatalf("%T, unchanged edges apart from %d on: found %v, want %v\nbefore %v\nafter %v\n%v", by, apart, got, want, c.before, c.after, c.Case)
				}
			}
		}
	})
	if !t.Failed() && together == 0 {
		t.Error("no match stood for another")
	}
	t.Logf("in %d of %d changes matches stood for several", together, all)
}

// TestManyRowsInOrder: those of an input that are in order, in the order that they had, however many goroutines look.
func TestManyRowsInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for _, n := range []int{0, 1, 1000, 5 * siftedEdges} {
		in := &match.Input{Cols: make([][]dictionary.ID, 3), N: n}
		for c := range in.Cols {
			for range n {
				in.Cols[c] = append(in.Cols[c], random.Uint32N(100))
			}
		}
		var want [3][]dictionary.ID
		for row := range n {
			for c := range want {
				if in.Cols[0][row] < in.Cols[2][row] {
					want[c] = append(want[c], in.Cols[c][row])
				}
			}
		}
		got := inOrder(in, &bgp.MatchPlan{Inputs: 3, Order: [][2]int{{0, 2}, {1, 3}}})
		for c := range want {
			if !slices.Equal(got.Cols[c], want[c]) || got.N != len(want[c]) {
				t.Errorf("%d rows: column %d has %d of %d", n, c, len(got.Cols[c]), len(want[c]))
			}
		}
	}
}
