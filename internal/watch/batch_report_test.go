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
