package watch

import (
	"context"
	"fmt"
	"math"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// mode is a way in which edges come or go in one batch.
type mode struct {
	name           string
	before         *pcsr.Graph
	added, removed []pcsr.Edge
}

// modes are the ways of some of the edges: all come to a graph without them, all go, or two thirds come and one goes.
func (s *stream) modes(part []pcsr.Edge, without *pcsr.Graph) []mode {
	third := len(part) / 6 * 2
	return []mode{
		{"inserted", without, part, nil}, {"deleted", s.full, nil, part},
		{"mixed 2:1", s.full.Change(s.full.Vertices(), nil, part[third:]), part[third:], part[:third]},
	}
}

// wholeBatches measures the held-out edges in one batch, query by query.
func (s *stream) wholeBatches(r *matchtest.Report, name string, ways []way) {
	for _, mode := range s.modes(s.held, s.rest) {
		r.Head(fmt.Sprintf("%s, %d undirected edges %s", name, len(mode.added)/2+len(mode.removed)/2, mode.name),
			"query", "matches that came, less those that went", "matched by", "changing ms", "matching ms", "whole ms", "RapidFlow ms", "ahead", "matching, the first time, ms")
		for _, w := range ways {
			ahead, n := 0.0, 0
			s.againIn(w, s.queries[0], mode) // the graph before is brought to a device
			for i, q := range s.queries {
				took := s.againIn(w, q, mode)
				whole, peer := took.change+took.matched, s.peer(name, s.names[i], mode.name)
				if peer > 0 {
					ahead, n = ahead+math.Log(peer/whole), n+1
				}
				r.Row(s.names[i], took.net, w.name, took.change, took.matched, whole, peer, peer/whole, took.first)
				s.check(mode.name, i, took)
			}
			if n > 0 {
				r.Say(fmt.Sprintf("\n%s: geometric mean %.2f times ahead.\n", w.name, math.Exp(ahead/float64(n))))
			}
		}
	}
}

func (s *stream) againIn(w way, q *standing, m mode) run {
	return s.again(w, []*standing{q}, m.before, m.added, m.removed)
}

// smallerShares measures a fiftieth and a twentieth of the edges in one batch, query by query; times are those of changing and matching together.
func (s *stream) smallerShares(r *matchtest.Report, name string, ways []way) {
	head := []any{"% of the edges", "", "matched by", "changing ms"}
	for _, q := range s.names {
		head = append(head, q)
	}
	r.Head(name+", other shares of the edges in one batch, whole ms by query", head...)
	for _, percent := range []int{2, 5} {
		part := s.held[:len(s.held)/2*percent/10*2]
		for _, mode := range s.modes(part, s.full.Change(s.full.Vertices(), nil, part)) {
			for _, w := range ways {
				s.againIn(w, s.queries[0], mode) // the graph before is brought to a device
				var changes []float64
				var whole []any
				for _, q := range s.queries {
					took := s.againIn(w, q, mode)
					changes, whole = append(changes, took.change), append(whole, took.change+took.matched)
				}
				r.Row(append([]any{percent, mode.name, w.name, matchtest.Median(changes)}, whole...)...)
			}
		}
	}
}

// smallBatches measures the held-out edges in batches, while all queries stand.
func (s *stream) smallBatches(r *matchtest.Report, name string, w way, sizes []int) {
	r.Head(name+", in batches, all queries at once, "+w.name, "edges in a batch", "", "batches", "matches that came, less those that went", "changing the graph ms", "matched ms", "edges/s", "p50 ms", "p99 ms")
	for _, size := range sizes {
		for _, mode := range s.modes(s.held, s.rest) {
			g, total, all := mode.before, run{}, (len(s.held)/2+size-1)/size
			part := func(edges []pcsr.Edge, i int) []pcsr.Edge {
				return edges[len(edges)/2*i/all*2 : len(edges)/2*(i+1)/all*2]
			}
			var each []float64
			for i := 0; i < all && total.change+total.matched < mostBatches; i++ {
				var took run
				g, took = s.apply(w, s.queries, g, part(mode.added, i), part(mode.removed, i))
				total.net, total.change, total.matched = total.net+took.net, total.change+took.change, total.matched+took.matched
				each = append(each, took.change+took.matched)
			}
			edges := min(len(each)*size, len(s.held)/2)
			p50 := matchtest.Median(each)
			r.Row(size, mode.name, len(each), total.net, total.change, total.matched, float64(edges)/(total.change+total.matched)*1000, p50, each[len(each)*99/100])
			if len(each) == all {
				s.checkAll(mode.name, total)
			}
		}
	}
}

// mostBatches is for how many milliseconds batches of one size are applied.
const mostBatches = 2_000

// checkAll compares what all batches brought together.
func (s *stream) checkAll(mode string, total run) {
	var want int64
	for i, name := range s.names {
		want += int64(s.expected[name] - s.count(i))
	}
	if mode == "deleted" {
		want = -want
	}
	if total.net != want && mode != "mixed 2:1" {
		s.Errorf("%d came in all batches %s, %d are right", total.net, mode, want)
	}
}

// peer is what RapidFlow took, 0 where nobody knows.
func (s *stream) peer(graph, query, mode string) float64 {
	switch took := rapidFlow[graph][query]; mode {
	case "inserted":
		return took[0]
	case "deleted":
		return took[1]
	}
	return 0
}

// check compares counts with those of the graph without the held-out edges.
func (s *stream) check(mode string, i int, took run) {
	want := int64(s.expected[s.names[i]] - s.count(i))
	if mode == "deleted" {
		want = -want
	}
	if took.net != want && mode != "mixed 2:1" {
		s.Errorf("%s, %s: %d came, %d are right", s.names[i], mode, took.net, want)
	}
}

// count is how many solutions a query has without the held-out edges.
func (s *stream) count(i int) uint64 {
	l := s.queries[i].leaves[0]
	plan, err := bgp.Plan(context.Background(), l.node.Patterns, s.rest, matchtest.Lookup, bgp.Options{Semantics: bgp.Isomorphism, CountOnly: true})
	if err != nil {
		s.Fatal(err)
	}
	n, err := matchtest.OnThreads(cpu.New(), 0).Count(context.Background(), &match.Match{Graph: s.rest, Plan: plan})
	if err != nil {
		s.Fatal(err)
	}
	return n
}
