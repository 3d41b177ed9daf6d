package match

import (
	"math"
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Vertices of the tail are counted by sizes of sets, which do not tell whether there are edges between them. So where there must not be one, it is first
// let be, and then the solutions that have it are taken away again:
//
//	count(P without the edge) = count(P, whatever the edge) − count(P with the edge)
//
// and so on for each two vertices of the tail, and for what is taken away; or a pattern is counted with a tail of one vertex, where that is expected to
// cost less. What is left are counts in which edges must be there, must not be there (between others than those of the tail), or may; isomorphic ones are one.
// Where one of them is more than 64 bits hold, so is the sum taken to be, though it may be less.

// mostTerms bounds the patterns that are counted for a sum, and those that were looked at and cannot be.
const mostTerms = 40

// term is a pattern, by edges that must be there and must not be there, and how it is counted: by own, less the others by their places, all of which stand
// before it.
type term struct {
	near, absent [mostDense]uint8
	colors       [mostDense]uint64
	own          *Dense
	cost         float64 // of own
	less         []int
}

// denseSum are the terms of a sum.
type denseSum struct {
	*denseFinder
	label   pcsr.Label
	anyCost bool
	all     []term
	// unsolved are terms that cannot be counted.
	unsolved []term
}

// findSum writes a count as a sum.
func (d *denseFinder) findSum(label pcsr.Label, anyCost bool) bool {
	if d.absent == [mostDense]uint8{} {
		return d.findTerm(label, anyCost)
	}
	s, whole := denseSum{denseFinder: d, label: label, anyCost: anyCost}, newTerm(d.near, d.absent)
	one := s.find(&whole, false, 0)
	if one != nil && (one.best.Outer || len(one.best.Levels) < d.tuning.SumLevels) {
		d.best = one.best
		return true
	}
	last, ok := s.add(whole, one)
	if !ok {
		return false
	}
	times := s.times(s.all[last].less)
	d.best = s.all[last].own
	for i := range times {
		if times[i] != 0 {
			s.all[i].own.Times = times[i]
			d.best.Rest = append(d.best.Rest, s.all[i].own)
		}
	}
	return true
}

// solve finds how a pattern is counted, and its place; false where it cannot be, or there are too many.
func (s *denseSum) solve(t term) (place int, ok bool) {
	same := func(other term) bool { return t.maps(&other, s.n, nil) }
	if place = slices.IndexFunc(s.all, same); place >= 0 {
		return place, true
	}
	if len(s.all) >= mostTerms || len(s.unsolved) >= mostTerms || slices.ContainsFunc(s.unsolved, same) {
		return 0, false
	}
	if place, ok = s.add(t, s.find(&t, false, 0)); !ok {
		s.unsolved = append(s.unsolved, t)
	}
	return place, ok
}

// add decides how a pattern that is not there yet is counted, whole being the one count that was found for it, if there is one, and returns its place; false
// where it cannot be counted, or too many would be taken away.
func (s *denseSum) add(t term, whole *denseFinder) (place int, ok bool) {
	s.density(s.label)
	best := math.Inf(1)
	if whole != nil {
		t.own, t.cost = whole.best, s.termCost(whole.best)
		best = t.cost
	}
	for most := mostTail; most > 1; most-- {
		loose := s.find(&t, true, most)
		if loose == nil {
			break
		}
		most = loose.tail()
		less, own, ok := s.release(&t, loose)
		if !ok {
			continue
		}
		if cost := s.termCost(own); cost+s.costs(less) < best {
			t.own, t.cost, t.less, best = own, cost, less, cost+s.costs(less)
		}
	}
	if t.own == nil {
		return 0, false
	}
	s.all = append(s.all, t)
	return len(s.all) - 1, true
}

// find looks for a count; the pattern itself may be refused for its cost.
func (s *denseSum) find(t *term, loose bool, most int) *denseFinder {
	f := &denseFinder{Lowering: s.Lowering, n: s.n, near: t.near, absent: t.absent, loose: loose, most: most, stats: s.stats, tuning: s.tuning}
	if !f.findTerm(s.label, s.anyCost || t.near != s.near) {
		return nil
	}
	s.stats = f.stats
	return f
}

// release lets each two vertices of a tail be neighbours that must not be, and solves what is then to be taken away; false where that is nothing, or cannot be
// solved.
func (s *denseSum) release(t *term, f *denseFinder) (less []int, own *Dense, ok bool) {
	tail, size := uint8(0), f.tail()
	for _, slot := range f.best.Slots[f.n-size:] {
		tail |= 1 << slot
	}
	for {
		v, w, any := f.absentIn(tail)
		if !any {
			break
		}
		f.absent[v] &^= 1 << w
		f.absent[w] &^= 1 << v
		with := f.near
		with[v] |= 1 << w
		with[w] |= 1 << v
		i, ok := s.solve(newTerm(with, f.absent))
		if !ok {
			return nil, nil, false
		}
		less = append(less, i)
	}
	return less, f.best, len(less) > 0 && f.lay(size)
}

// times is how often each term is counted, where some are to be taken away.
func (s *denseSum) times(less []int) []int64 {
	out := make([]int64, len(s.all))
	for _, i := range less {
		out[i]--
	}
	for i := len(out) - 1; i >= 0; i-- {
		for _, other := range s.all[i].less {
			out[other] -= out[i]
		}
	}
	return out
}

// costs is what some terms cost together.
func (s *denseSum) costs(less []int) (cost float64) {
	for i, n := range s.times(less) {
		if n != 0 {
			cost += s.all[i].cost
		}
	}
	return cost
}

// tail is how many vertices are at the end.
func (d *denseFinder) tail() int { return d.n - 1 - len(d.best.Levels) }

// absentIn are two of some vertices that must not be neighbours, if there are any.
func (d *denseFinder) absentIn(set uint8) (v, w int, any bool) {
	for v := range d.n {
		if both := d.absent[v] & set; set>>v&1 != 0 && both != 0 {
			return v, bits.TrailingZeros8(both), true
		}
	}
	return 0, 0, false
}

// newTerm is a pattern with its vertices' colors: those that an exchange of isomorphic patterns takes to each other have the same (Weisfeiler and Leman's
// refinement, three rounds, in which neighbours' colors are added up).
func newTerm(near, absent [mostDense]uint8) term {
	t := term{near: near, absent: absent}
	for range 3 {
		was := t.colors
		for v := range was {
			c := 3*was[v] + 1
			for w, of := range was {
				of = (of + 5) * (of + 7)
				c += of * (1299721*uint64(near[v]>>w&1) + 15485863*uint64(absent[v]>>w&1))
			}
			t.colors[v] = c
		}
	}
	return t
}

// maps reports whether the n vertices may be exchanged so that one pattern becomes another, the first being exchanged for those of image.
func (t *term) maps(other *term, n int, image []int) bool {
	v := len(image)
	if v == n {
		return true
	}
	taken := 0
	for _, w := range image {
		taken |= 1 << w
	}
	for to := range n {
		same := taken>>to&1 == 0 && t.colors[v] == other.colors[to]
		for w := 0; w < v && same; w++ {
			same = t.near[v]>>w&1 == other.near[to]>>image[w]&1 && t.absent[v]>>w&1 == other.absent[to]>>image[w]&1
		}
		if same && t.maps(other, n, append(image, to)) {
			return true
		}
	}
	return false
}
