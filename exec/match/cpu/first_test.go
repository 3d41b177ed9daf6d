package cpu_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestTheFirstSolutionIsFoundWithoutTheOthers: the kinds of things that have a group, where most have, and one kind whose things have none, by one thread and by several.
func TestTheFirstSolutionIsFoundWithoutTheOthers(t *testing.T) {
	t.Parallel()
	const kinds, kind, group = 5, 0, 1
	others, things := 400_000, 2_000_000
	if testing.Short() {
		others, things = 40_000, 200_000
	}
	c := &matchtest.Case{Vertices: kinds + things + 1, Labels: 2, TypeLabel: -1, Options: bgp.Options{Distinct: true, Output: []string{"v0"}}}
	for i := range things {
		thing, of := pcsr.Vertex(kinds+i), 0
		if i < others {
			of = 1 + i%(kinds-1)
			c.Edges = append(c.Edges, pcsr.Edge{From: thing, Label: group, To: pcsr.Vertex(kinds + things)})
		}
		c.Edges = append(c.Edges, pcsr.Edge{From: thing, Label: kind, To: pcsr.Vertex(of)})
	}
	c.Patterns = []parser.TriplePattern{matchtest.Edge(1, 0, kind), matchtest.Edge(1, 2, group)}
	m, err := c.Match()
	if err != nil {
		t.Fatal(err)
	}
	if read, each := m.Plan.Each(); read != 1 || each < bgp.ManyEach || m.Plan.UntilFirst(m.Plan.Cost) > m.Plan.Cost/2 {
		t.Fatalf("%v solutions are expected behind step %d, at %v of %v", each, read, m.Plan.UntilFirst(m.Plan.Cost), m.Plan.Cost)
	}
	for _, threads := range []int{1, 2, 6} {
		m.Workers, m.Trace = schedule.New(threads).Open(t.Context(), 0), &match.Trace{}
		m.Workers.Enter()
		found := map[pcsr.Vertex]bool{}
		err = cpu.New().Match(t.Context(), m, func(b *match.Batch) error {
			for _, v := range b.Cols[0] {
				found[v] = true
			}
			return nil
		})
		if m.Workers.Leave(); err != nil || len(found) != kinds-1 || found[0] {
			t.Fatalf("%d threads: %v, %v", threads, found, err)
		}
		read := uint64(0)
		for _, s := range m.Trace.Steps {
			read += s.Candidates
		}
		if least := uint64(things - others); read < least || read > least+2000 { // all of the one kind
			t.Errorf("%d threads: %d candidates were read: %+v", threads, read, m.Trace.Steps)
		}
	}
}

// TestTheFirstSolutionsOfAListAreEnoughBelowAnyBranch: a few solutions of each of some lists, whose members have OPTIONAL, EXISTS or NOT EXISTS hanging on them, which stop at
// a number of their own; members are given away while these are looked at. As many rows come as there are solutions, or as are wanted.
func TestTheFirstSolutionsOfAListAreEnoughBelowAnyBranch(t *testing.T) {
	t.Parallel()
	const member, group, thing, good, labels, roots = 0, 1, 2, 3, 4, 6
	rapid.Check(t, func(t *rapid.T) {
		members, things := rapid.IntRange(1, 80).Draw(t, "members"), rapid.IntRange(1, 40).Draw(t, "things")
		first, firstThing := labels+roots, labels+roots+members
		c := &matchtest.Case{Vertices: firstThing + things + 1, Labels: labels, TypeLabel: -1, Options: bgp.Options{Output: []string{"v0"}}}
		add := func(from, label, to int) bool {
			c.Edges = append(c.Edges, pcsr.Edge{From: pcsr.Vertex(from), Label: pcsr.Label(label), To: pcsr.Vertex(to)})
			return true
		}
		draw := rapid.IntRange(0, 99)
		grouped, likely, goods := draw.Draw(t, "grouped"), draw.Draw(t, "likely"), make([]bool, things)
		for i := range goods {
			goods[i] = draw.Draw(t, "good") < likely && add(firstThing+i, good, firstThing+things)
		}
		weight := rapid.SampledFrom([]bgp.Weight{bgp.AtLeastOne, bgp.Some, bgp.None}).Draw(t, "weight")
		total := uint64(0)
		for i := range members {
			add(labels+i%roots, member, first+i)
			inGroup, n := draw.Draw(t, "in a group") <= grouped && add(first+i, group, firstThing+things), uint64(0)
			for k := range things {
				if draw.Draw(t, "has") < 50 && add(first+i, thing, firstThing+k) && goods[k] {
					n++
				}
			}
			switch weight {
			case bgp.Some:
				n = min(n, 1)
			case bgp.None:
				n = 1 - min(n, 1)
			default:
				n = max(n, 1)
			}
			if inGroup {
				total += n
			}
		}
		c.Patterns = []parser.TriplePattern{matchtest.Edge(0, 1, member), matchtest.Edge(1, 2, group)}
		m, err := c.Match()
		if err != nil {
			t.Fatal(err)
		}
		if m.Plan.Empty {
			t.Skip("nothing is matched")
		}
		hung := *c
		hung.Patterns = []parser.TriplePattern{matchtest.Edge(1, 4, thing), matchtest.Edge(4, 5, good)}
		hung.Options = bgp.Options{Inputs: []string{"v1"}, CountOnly: true}
		branch, err := hung.Plan(m.Graph)
		if err != nil {
			t.Fatal(err)
		}
		if branch.Empty {
			t.Skip("nothing hangs")
		}
		slot := slices.IndexFunc(m.Plan.Slots, func(s bgp.Slot) bool { return s.Variable == "v1" })
		m.Plan.Hang(weight, branch, []int{slot}, float64(members))
		m.Limit = uint64(rapid.IntRange(1, 70).Draw(t, "limit"))
		for range 20 {
			n := solutions(t, matchtest.OnThreads(cpu.NewContrary(), rapid.IntRange(1, 6).Draw(t, "threads")), m)
			if want := min(total, m.Limit); n != want {
				t.Fatalf("%d rows, %d solutions, of which %d are wanted", n, total, m.Limit)
			}
		}
	})
}
