package path

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Searchers says who searches a closure from so many vertices more, each of which is expected to walk so many edges; nil: the processor.
type Searchers func(c *match.Closure, sources int, edges float64) match.Searcher

// lookSources is from how many of the vertices to search from the processor looks how far walks lead, before a device is asked (operator.Tuning.LookEdges).
const lookSources = 16

// errFar ends a search that walks more edges than it may.
var errFar = errors.New("path: far")

// source is a vertex to search from, and the rows of the seed that have it.
type source struct {
	vertex dictionary.ID
	rows   []uint32
}

// search walks from each of n vertices in a direction, where that pays on a device.
func (r *run) search(n int, from func(i int) source, d pcsr.Direction, constant bool) error {
	walk := func(r *run, i int) error { s := from(i); return r.fromFor(s.vertex, d, s.rows, constant) }
	c := r.closure(d)
	if c == nil || n == 0 {
		return r.many(n, walk)
	}
	left, edges, err := r.look(n, from, d, constant, c)
	if err != nil || len(left) == 0 {
		return err
	}
	walkLeft := func(r *run, i int) error { return walk(r, left[i]) }
	on := r.Searchers(c, len(left), edges)
	if on == nil && r.paysTogether(len(left), edges, c, d) {
		return r.countTogether(left, from, c, d, constant)
	}
	if on == nil {
		return r.many(len(left), walkLeft)
	}
	done, err := r.hand(on, c, left, from, d, constant)
	if errors.Is(err, match.ErrNotSearched) {
		return r.many(len(left)-done, func(r *run, i int) error { return walkLeft(r, done+i) })
	}
	return err
}

// closure is the path as a device searches it in a direction; nil where the processor does.
func (p *Path) closure(d pcsr.Direction) *match.Closure {
	if p.Searchers == nil || p.Limit > 0 || p.Kind != planner.OneOrMore && p.Kind != planner.ZeroOrMore {
		return nil
	}
	if !p.made[d] {
		p.made[d] = true
		if p.closures[d] = closureOf(p.Step, p.Graph, d); p.closures[d] != nil {
			p.closures[d].Zero = p.Kind == planner.ZeroOrMore
		}
	}
	return p.closures[d]
}

// look walks from some of n vertices as far as that is near, and returns which are left, and how many edges each is expected to walk.
func (r *run) look(n int, from func(i int) source, d pcsr.Direction, constant bool, c *match.Closure) (left []int, edges float64, err error) {
	next, looks, far := 0, min(n, lookSources), c.Edges()
	if r.x.Tuning.LookEdges < 0 {
		looks, edges = 0, far
	}
	for i := range n {
		if next >= looks || i < next*n/looks {
			left = append(left, i)
			continue
		}
		next++
		s := from(i)
		walked, err := r.near(s, d, constant)
		if errors.Is(err, errFar) {
			left, walked, err = append(left, i), far, nil
		}
		if edges += walked / float64(looks); err != nil {
			return nil, 0, err
		}
	}
	return left, edges, nil
}

// near walks from a vertex unless that is far, and returns how many edges that were.
func (r *run) near(s source, d pcsr.Direction, constant bool) (edges float64, err error) {
	var ends []dictionary.ID
	r.Search.allowed = r.x.Tuning.LookEdges
	err = r.walk(s.vertex, d, constant, func(w dictionary.ID) error { ends = append(ends, w); return nil })
	edges = float64(r.x.Tuning.LookEdges - r.Search.allowed)
	if r.Search.allowed = 0; err != nil {
		return edges, err
	}
	return edges, r.ended(s, d, ends)
}

// ended adds what walks from a vertex end at.
func (r *run) ended(s source, d pcsr.Direction, ends []dictionary.ID) error {
	if r.onlyCounts(d) {
		return r.counted(s, d, uint64(len(ends)))
	}
	for _, row := range s.rows {
		for _, w := range ends {
			if err := r.pair(s.vertex, w, d, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// onlyCounts reports whether nobody reads which vertices walks in a direction end at.
func (r *run) onlyCounts(d pcsr.Direction) bool {
	end := r.Object
	if d == pcsr.In {
		end = r.Subject
	}
	return !r.same && !slices.Contains(r.Out, end.Variable)
}

// counted adds n equal rows for a vertex that walks begin at.
func (r *run) counted(s source, d pcsr.Direction, n uint64) error {
	if n == 0 {
		return nil
	}
	times := n
	if r.Weighted {
		times = 1
	}
	for _, row := range s.rows {
		for range times {
			if r.Weighted {
				r.weights = append(r.weights, n)
			}
			if err := r.pair(s.vertex, s.vertex, d, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// Searches from many vertices are done together from so many on, where these would walk each edge so many times on average; several are done at the same
// time, from fewer vertices each where there are few.
const (
	fewTogether   = 16
	togetherShare = 4
	togetherParts = 16
)

// paysTogether reports whether counting where walks from n vertices more end pays for 64 of them at a time, each of which is expected to walk so many
// edges, and whether there is memory for that.
func (r *run) paysTogether(n int, edges float64, c *match.Closure, d pcsr.Direction) bool {
	if n < fewTogether || !r.onlyCounts(d) || edges*float64(min(n, match.MostSources)) < togetherShare*c.Edges() {
		return false
	}
	parts := int64(min(togetherParts, (n+match.MostSources-1)/match.MostSources))
	return parts*togetherBytes*int64(c.States)*int64(r.Graph.Vertices()) < r.x.Memory.Limit()/8
}

// countTogether counts where walks from the vertices that are left end.
func (r *run) countTogether(left []int, from func(i int) source, c *match.Closure, d pcsr.Direction, constant bool) error {
	size := min(match.MostSources, max(fewTogether, len(left)/togetherParts))
	return r.each((len(left)+size-1)/size, 1, func(r *run, part int) error {
		some, others := r.inGraph(left[part*size:min(len(left), (part+1)*size)], from, c, constant)
		if r.together == nil || r.together.c != c {
			if err := r.held.Need(r.Search.Bytes() + togetherBytes*int64(c.States)*int64(r.Graph.Vertices())); err != nil {
				return err
			}
			r.together = newTogether(r.Search, c)
		}
		counts := make([]uint64, len(some))
		if err := r.together.count(vertices(some), counts); err != nil {
			return err
		}
		for i, s := range some {
			if err := r.counted(s, d, counts[i]); err != nil {
				return err
			}
		}
		return r.walkEach(others, d, constant)
	})
}

// inGraph are the vertices that walks may begin at, and the others, from which there is the walk of no hop, or none; of jobs.
func (r *run) inGraph(jobs []int, from func(i int) source, c *match.Closure, constant bool) (some, others []source) {
	for _, i := range jobs {
		s := from(i)
		if int64(s.vertex) < int64(r.Graph.Vertices()) && (!c.Zero || constant || r.Search.IsNode(s.vertex)) {
			some = append(some, s)
		} else {
			others = append(others, s)
		}
	}
	return some, others
}

func vertices(all []source) []pcsr.Vertex {
	out := make([]pcsr.Vertex, len(all))
	for i, s := range all {
		out[i] = s.vertex
	}
	return out
}

// walkEach walks from vertices one after the other.
func (r *run) walkEach(all []source, d pcsr.Direction, constant bool) error {
	for _, s := range all {
		if err := r.fromFor(s.vertex, d, s.rows, constant); err != nil {
			return err
		}
	}
	return nil
}

// hand has a device search from the vertices that are left, and returns from how many it has.
func (r *run) hand(on match.Searcher, c *match.Closure, left []int, from func(i int) source, d pcsr.Direction, constant bool) (done int, err error) {
	if r.x.Analyze && r.Measured.Trace == nil {
		r.Measured.Trace = &match.Trace{}
	}
	for done < len(left) {
		next := min(len(left), done+match.MostSources)
		some, others := r.inGraph(left[done:next], from, c, constant)
		if err := r.askFor(on, c, some, d); err != nil {
			return done, err
		}
		if err := r.walkEach(others, d, constant); err != nil {
			return done, err
		}
		done = next
	}
	return done, nil
}

// askFor has a device search from some vertices.
func (r *run) askFor(on match.Searcher, c *match.Closure, some []source, d pcsr.Direction) error {
	if len(some) == 0 {
		return nil
	}
	c.Sources, c.Trace = vertices(some), nil
	if r.x.Analyze {
		c.Trace = &match.Trace{}
	}
	var tell func(source int, from pcsr.Vertex, words []uint32) error
	if !r.onlyCounts(d) {
		tell = func(source int, from pcsr.Vertex, words []uint32) error { return r.tell(some[source], d, from, words) }
	}
	counts, err := on.Search(r.x.Ctx, c, tell)
	if err != nil && r.x.Ctx.Err() != nil {
		return context.Cause(r.x.Ctx)
	}
	if c.Trace != nil && err == nil {
		r.Measured.Trace.Add(c.Trace)
	}
	for i := range counts {
		if err == nil && tell == nil {
			err = r.counted(some[i], d, counts[i])
		}
	}
	return err
}

// tell adds what walks from a vertex end at: bits of words from a vertex on.
func (r *run) tell(s source, d pcsr.Direction, from pcsr.Vertex, words []uint32) error {
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			w := from + pcsr.Vertex(32*i+bits.TrailingZeros32(word))
			for _, row := range s.rows {
				if err := r.pair(s.vertex, w, d, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
