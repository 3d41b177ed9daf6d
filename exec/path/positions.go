package path

import (
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// positions is the automaton of a path without negated sets in which each predicate is a state, that of having walked it last (Glushkov, 1961): it
// has no transitions that walk nothing. Sets of positions are bits.
type positions struct {
	graph  *pcsr.Graph
	of     []match.PartitionKey
	follow []uint64
}

// mostPositions is the most predicates of a path that is searched so.
const mostPositions = 64

// fragment is a part of a path: the positions that its walks begin and end with, and whether one of them walks nothing.
type fragment struct {
	first, last uint64
	nullable    bool
}

// none reports whether no walk takes the fragment.
func (f fragment) none() bool { return f.first == 0 && !f.nullable }

// closureOf is the closure of a step, walked in a direction, as a device searches it; nil where that is more than it can.
func closureOf(step Step, g *pcsr.Graph, d pcsr.Direction) *match.Closure {
	p := &positions{graph: g}
	all, ok := p.add(step, d)
	if !ok || all.first == 0 {
		return nil
	}
	p.repeat(all)
	return p.closure(all)
}

// add adds a step; false where there is a negated set in it, or too much.
func (p *positions) add(s Step, d pcsr.Direction) (fragment, bool) {
	switch s := s.(type) {
	case *labelStep:
		return p.label(s, d)
	case *inverseStep:
		return p.add(s.of, d.Reverse())
	case *sequenceStep:
		left, right := s.left, s.right
		if d == pcsr.In {
			left, right = right, left
		}
		a, ok := p.add(left, d)
		b, also := p.add(right, d)
		return p.sequence(a, b), ok && also
	case *alternativeStep:
		a, ok := p.add(s.left, d)
		b, also := p.add(s.right, d)
		return fragment{a.first | b.first, a.last | b.last, a.nullable || b.nullable}, ok && also
	case *closureStep:
		f, ok := p.add(s.step, d)
		if s.more {
			p.repeat(f)
		}
		f.nullable = f.nullable || s.zero
		return f, ok
	}
	return fragment{}, false
}

func (p *positions) label(s *labelStep, d pcsr.Direction) (fragment, bool) {
	if !s.known || p.graph.Outline(s.label, d).Edges() == 0 {
		return fragment{}, true
	}
	n := len(p.of)
	if n == mostPositions {
		return fragment{}, false
	}
	p.of, p.follow = append(p.of, match.PartitionKey{Label: s.label, Direction: d}), append(p.follow, 0)
	return fragment{first: 1 << n, last: 1 << n}, true
}

// connect lets positions follow others.
func (p *positions) connect(last, first uint64) {
	for ; last != 0; last &= last - 1 {
		p.follow[bits.TrailingZeros64(last)] |= first
	}
}

func (p *positions) repeat(f fragment) { p.connect(f.last, f.first) }

func (p *positions) sequence(a, b fragment) fragment {
	if a.none() || b.none() {
		return fragment{}
	}
	p.connect(a.last, b.first)
	out := fragment{a.first, b.last, a.nullable && b.nullable}
	if a.nullable {
		out.first |= b.first
	}
	if b.nullable {
		out.last |= a.last
	}
	return out
}

// closure makes states of the positions that walks get to: one of those that the same follow, and that walks end with or not.
func (p *positions) closure(all fragment) *match.Closure {
	c := &match.Closure{Graph: p.graph}
	state, of := make([]int, len(p.of)), []int{}
	for reached := p.reached(all.first); reached != 0; reached &= reached - 1 {
		x := bits.TrailingZeros64(reached)
		at := slices.IndexFunc(of, func(y int) bool { return p.follow[x] == p.follow[y] && all.last>>x&1 == all.last>>y&1 })
		if at < 0 {
			at, of = len(of), append(of, x)
			if at < match.MostStates {
				c.Ending |= uint32(all.last>>x&1) << at
			}
		}
		state[x] = at
	}
	c.States = len(of)
	lead := func(from int, to uint64) {
		for ; to != 0; to &= to - 1 {
			x := bits.TrailingZeros64(to)
			if h := (match.Hop{PartitionKey: p.of[x], From: from, To: state[x]}); !slices.Contains(c.Hops, h) {
				c.Hops = append(c.Hops, h)
			}
		}
	}
	lead(c.States, all.first)
	for i, x := range of {
		lead(i, p.follow[x])
	}
	if c.States > match.MostStates || len(c.Hops) > match.MostHops || c.Ending == 0 {
		return nil
	}
	return c
}

// reached are the positions that walks which begin with some of them get to.
func (p *positions) reached(first uint64) uint64 {
	for before := uint64(0); before != first; {
		before = first
		for x := range p.follow {
			if first>>x&1 != 0 {
				first |= p.follow[x]
			}
		}
	}
	return first
}
