package path

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// levels walks closures of one predicate, or of a choice of a few, level by level. A level of many edges is searched on all threads, in
// that direction which is expected to read less (Beamer, Asanović and Patterson, SC 2012): from the frontier along its lists, or from each
// vertex that was not seen yet back along its own, until one of them leads to the frontier.
type levels struct {
	search *Search
	hops   []hop
	// edges and rows are those of all hops: the edges there are to walk, and the vertices that they lead to.
	edges, rows float64
	// walked is how many of the edges were walked, about.
	walked float64
	// front is a bitmap of the frontier, while it is searched backwards.
	front []uint64
	// found are the vertices that each unit has seen first.
	found [][]pcsr.Vertex
	// counted is up to how many vertices seen their memory was counted.
	counted int
}

// hop is a predicate that is walked: the lists that lead on, and those that lead back.
type hop struct{ on, back *pcsr.Partition }

// mostHops is the most predicates that are walked in this way: each is looked at for every vertex.
const mostHops = 16

// hopsOf appends what a step walks; false where it is no choice of predicates.
func hopsOf(hops []hop, step Step, g *pcsr.Graph, d pcsr.Direction) ([]hop, bool) {
	switch s := step.(type) {
	case *labelStep:
		if s.known {
			hops = append(hops, hop{g.Partition(s.label, d), g.Partition(s.label, d.Reverse())})
		}
		return hops, len(hops) <= mostHops
	case *inverseStep:
		return hopsOf(hops, s.of, g, d.Reverse())
	case *alternativeStep:
		hops, ok := hopsOf(hops, s.left, g, d)
		if !ok {
			return nil, false
		}
		return hopsOf(hops, s.right, g, d)
	}
	return nil, false
}

func newLevels(s *Search, hops []hop) *levels {
	l := &levels{search: s, hops: hops}
	for _, h := range hops {
		l.edges += float64(h.on.Edges())
		l.rows += float64(h.back.Rows())
	}
	return l
}

// bytes is what the levels take beside the search's own lists.
func (l *levels) bytes() int64 {
	vertices := 0
	for _, f := range l.found {
		vertices += cap(f)
	}
	return int64(len(l.front))*8 + int64(vertices)*4
}

// walk reports every vertex that walks of one step or more from v end at, each once.
func (l *levels) walk(v pcsr.Vertex, report func(pcsr.Vertex) error) error {
	s := l.search
	s.frontier = append(s.frontier, v)
	l.walked, l.counted = 0, 0
	for frontier := s.frontier; len(frontier) > 0; {
		from := len(s.touched)
		if err := l.level(frontier, report); err != nil {
			return err
		}
		frontier = s.touched[from:]
	}
	return nil
}

// What is counted again after so many vertices more, and the frontiers whose edges nobody estimates.
const (
	countEvery   = 1 << 18
	fewVertices  = 32
	sampledLists = 64
)

// level finds and reports what a frontier leads to.
func (l *levels) level(frontier []pcsr.Vertex, report func(pcsr.Vertex) error) error {
	if len(frontier) < fewVertices {
		return l.along(frontier, report)
	}
	work := l.degrees(frontier)
	if l.search.allowed > 0 && work > float64(l.search.allowed) {
		return errFar
	}
	defer func() { l.walked += work }()
	switch {
	case work < float64(l.search.tuning.LevelEdges):
		return l.along(frontier, report)
	case l.backwards(work) < work:
		return l.up(frontier, report)
	}
	return l.down(frontier, work, report)
}

// degrees is about how many edges lead on from a frontier.
func (l *levels) degrees(frontier []pcsr.Vertex) float64 {
	sum, n := 0, min(sampledLists, len(frontier))
	for i := range n {
		for _, h := range l.hops {
			sum += len(h.on.Neighbours(frontier[i*len(frontier)/n]))
		}
	}
	return float64(sum) * float64(len(frontier)) / float64(n)
}

// backwards is about how many rows and edges are read where so many edges lead on from a frontier and the level is searched
// backwards: all rows, and of the lists of those not seen as much as it takes to meet one of these edges, if that is not all.
func (l *levels) backwards(work float64) float64 {
	unseen := max(0, l.rows-float64(len(l.search.touched)))
	return l.rows + min(unseen*l.edges/work, max(0, l.edges-l.walked))
}

// along walks a frontier's lists one after the other.
func (l *levels) along(frontier []pcsr.Vertex, report func(pcsr.Vertex) error) error {
	s := l.search
	for _, v := range frontier {
		for _, h := range l.hops {
			if err := s.reads(1); err != nil {
				return err
			}
			for list := h.on.Neighbours(v); len(list) > 0; {
				n, from := min(len(list), limits.CheckEvery), len(s.touched)
				if err := s.reads(n); err != nil {
					return err
				}
				for _, w := range list[:n] {
					s.mark(w)
				}
				if err := l.report(from, report); err != nil {
					return err
				}
				list = list[n:]
			}
		}
	}
	return nil
}

// report reports what was seen from the from-th vertex on, and counts it.
func (l *levels) report(from int, report func(pcsr.Vertex) error) error {
	s := l.search
	if len(s.touched) >= l.counted {
		if err := s.held.Need(s.Bytes()); err != nil {
			return err
		}
		l.counted = len(s.touched) + countEvery
	}
	for _, w := range s.touched[from:] {
		if err := report(w); err != nil {
			return err
		}
	}
	return nil
}

// Units of work: of about so many edges or of so many rows, and how many there are before what they found is reported.
const (
	unitEdges  = 16 << 10
	unitRows   = 4 << 10
	roundUnits = 256
)

// down walks a frontier's lists, about so many edges, on all threads.
func (l *levels) down(frontier []pcsr.Vertex, work float64, report func(pcsr.Vertex) error) error {
	size := max(1, int(unitEdges*float64(len(frontier))/work))
	return l.rounds(len(frontier), size, report, func(low, high int, found []pcsr.Vertex) ([]pcsr.Vertex, error) {
		for _, v := range frontier[low:high] {
			for _, h := range l.hops {
				var err error
				if found, err = l.reaching(h.on.Neighbours(v), found); err != nil {
					return found, err
				}
			}
		}
		return found, nil
	})
}

// reaching appends those of a list that were not seen before.
func (l *levels) reaching(list, found []pcsr.Vertex) ([]pcsr.Vertex, error) {
	for len(list) > 0 {
		n := min(len(list), limits.CheckEvery)
		for _, w := range list[:n] {
			if l.first(w) {
				found = append(found, w)
			}
		}
		if list = list[n:]; l.search.ctx.Err() != nil {
			return found, context.Cause(l.search.ctx)
		}
	}
	return found, nil
}

// up looks at all vertices not seen, whether one of their lists leads back to the frontier, on all threads.
func (l *levels) up(frontier []pcsr.Vertex, report func(pcsr.Vertex) error) error {
	if l.front == nil {
		l.front = borrowBitmap(len(l.search.seen))
	}
	for _, v := range frontier {
		l.front[v>>6] |= 1 << (v & 63)
	}
	defer func() {
		for _, v := range frontier {
			l.front[v>>6] = 0
		}
	}()
	for _, h := range l.hops {
		err := l.rounds(h.back.Rows(), unitRows, report, func(low, high int, found []pcsr.Vertex) ([]pcsr.Vertex, error) {
			return l.meeting(h.back, low, high, found)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// meeting appends those of a partition's rows low … high-1 that were not seen and have a neighbour in the frontier.
func (l *levels) meeting(p *pcsr.Partition, low, high int, found []pcsr.Vertex) ([]pcsr.Vertex, error) {
	var room [512]pcsr.Vertex
	for ; low < high; low += len(room) {
		if l.search.ctx.Err() != nil {
			return found, context.Cause(l.search.ctx)
		}
		for i, v := range p.AppendVertices(room[:0], low, min(high, low+len(room))) {
			if !l.seen(v) && l.meets(p.List(low+i)) && l.first(v) {
				found = append(found, v)
			}
		}
	}
	return found, nil
}

// meets reports whether one of some vertices is in the frontier.
func (l *levels) meets(list []pcsr.Vertex) bool {
	for _, w := range list {
		if l.front[w>>6]&(1<<(w&63)) != 0 {
			return true
		}
	}
	return false
}

// seen reports whether v was seen before, while other threads see vertices.
func (l *levels) seen(v pcsr.Vertex) bool {
	return atomic.LoadUint64(&l.search.seen[v>>6])&(1<<(v&63)) != 0
}

// first reports whether v was not seen before, and remembers it.
func (l *levels) first(v pcsr.Vertex) bool {
	bit := uint64(1) << (v & 63)
	return !l.seen(v) && atomic.OrUint64(&l.search.seen[v>>6], bit)&bit == 0
}

// rounds does work on 0 … n-1, size of these a unit, and reports what it has found round by round.
func (l *levels) rounds(
	n, size int, report func(pcsr.Vertex) error, work func(low, high int, found []pcsr.Vertex) ([]pcsr.Vertex, error),
) error {
	for begin := 0; begin < n; begin += size * roundUnits {
		end := min(n, begin+size*roundUnits)
		units := (end - begin + size - 1) / size
		for len(l.found) < units {
			l.found = append(l.found, nil)
		}
		for unit := range l.found {
			l.found[unit] = l.found[unit][:0]
		}
		failed := l.search.units(units, func(unit int) (err error) {
			low := begin + unit*size
			l.found[unit], err = work(low, min(end, low+size), l.found[unit])
			return err
		})
		from := len(l.search.touched)
		for _, f := range l.found { // also where units have failed: begin takes back what is marked
			l.search.touched = append(l.search.touched, f...)
		}
		if failed != nil {
			return failed
		}
		if err := l.report(from, report); err != nil {
			return err
		}
	}
	return nil
}
