package path

import (
	"context"
	"math/bits"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Search walks closures of paths by frontiers: breadth first, each vertex once, with a bitmap of those seen.
// It serves one search at a time. A path with closures inside is walked by an automaton, one of predicates alone by levels.
type Search struct {
	graph    *pcsr.Graph
	list     *list // what is searched in place of the graph; nil where that is
	ctx      context.Context
	held     *limits.Account
	seen     []uint64
	frontier []pcsr.Vertex
	next     []pcsr.Vertex
	touched  []pcsr.Vertex
	// read counts vertices since the context was checked last.
	read int
	// allowed is how many may still be read; 0: all.
	allowed int
	// machines are those of the steps with closures inside. machine is that of the step asked for last, and levels what it is walked
	// by where it is of predicates alone; nil for others.
	machines []*machine
	asked    bool
	step     Step
	dir      pcsr.Direction
	machine  *machine
	levels   *levels
	tuning   operator.Tuning
	units    Each
}

// Each does units of work, in any order, several at a time where there are threads for it.
type Each func(units int, do func(unit int) error) error

// NewSearch is a search of a graph, to serve a query.
func NewSearch(g *pcsr.Graph) *Search {
	return &Search{graph: g, units: alone, tuning: operator.Tuning{}.Complete()}
}

// alone is Each of the caller's thread.
func alone(units int, do func(unit int) error) error {
	for unit := range units {
		if err := do(unit); err != nil {
			return err
		}
	}
	return nil
}

// Serve makes what follows end with ctx, and counts what it takes as held.
func (s *Search) Serve(ctx context.Context, held *limits.Account) { s.ctx, s.held = ctx, held }

// Share lets long searches of predicates use the threads of each.
func (s *Search) Share(each Each, tuning operator.Tuning) { s.units, s.tuning = each, tuning }

// Bytes is the memory that the search takes: the bitmap and the lists of vertices seen.
func (s *Search) Bytes() int64 {
	sum := int64(len(s.seen))*8 + int64(cap(s.touched)+cap(s.frontier)+cap(s.next))*4
	if s.levels != nil {
		sum += s.levels.bytes()
	}
	for _, m := range s.machines {
		sum += m.bytes()
	}
	return sum
}

// IsNode reports whether a term is the subject or object of a triple of the graph.
func (s *Search) IsNode(v dictionary.ID) bool {
	if int64(v) >= int64(s.graph.Vertices()) {
		return false
	}
	if s.list != nil {
		_, is := slices.BinarySearch(s.list.nodes, v)
		return is
	}
	return len(s.graph.EdgeLabels(v, pcsr.Out)) > 0 || len(s.graph.EdgeLabels(v, pcsr.In)) > 0
}

// EachNode visits the subjects and objects of the graph, in order.
func (s *Search) EachNode(visit func(dictionary.ID) error) error {
	if s.list != nil {
		return s.each(s.list.nodes, visit)
	}
	if rows := s.graph.IncidentRows(pcsr.Out) + s.graph.IncidentRows(pcsr.In); s.areFew(rows) {
		return s.EachRow([]*pcsr.Partition{s.graph.Incident(pcsr.Out), s.graph.Incident(pcsr.In)}, visit)
	}
	for v := range dictionary.ID(s.graph.Vertices()) {
		if err := s.reads(1); err != nil {
			return err
		}
		if s.IsNode(v) {
			if err := visit(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// areFew reports whether so many vertices are sorted sooner than each ID of the graph is looked at.
func (s *Search) areFew(rows int) bool {
	return float64(rows) <= s.tuning.FewRows*float64(s.graph.Vertices())
}

// EachRow visits the row vertices of some partitions, each once, in order.
func (s *Search) EachRow(parts []*pcsr.Partition, visit func(dictionary.ID) error) error {
	if len(parts) == 1 {
		return s.eachOf(parts[0], visit)
	}
	sum := 0
	for _, p := range parts {
		sum += p.Rows()
	}
	if s.areFew(sum) {
		list := make([]dictionary.ID, 0, sum)
		for _, p := range parts {
			list = p.AppendVertices(list, 0, p.Rows())
		}
		slices.Sort(list)
		return s.each(slices.Compact(list), visit)
	}
	rows := make([]uint64, (s.graph.Vertices()+63)/64)
	for _, p := range parts {
		if err := s.eachOf(p, func(v dictionary.ID) error { rows[v>>6] |= 1 << (v & 63); return nil }); err != nil {
			return err
		}
	}
	for i, word := range rows {
		if err := s.reads(1); err != nil {
			return err
		}
		for ; word != 0; word &= word - 1 {
			if err := visit(dictionary.ID(i<<6 + bits.TrailingZeros64(word))); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachOf visits the row vertices of a partition, in order.
func (s *Search) eachOf(p *pcsr.Partition, visit func(dictionary.ID) error) error {
	var some []dictionary.ID
	for from := 0; from < p.Rows(); from += limits.CheckEvery {
		some = p.AppendVertices(some[:0], from, min(from+limits.CheckEvery, p.Rows()))
		if err := s.each(some, visit); err != nil {
			return err
		}
	}
	return nil
}

// mark reports whether v was not seen before, and remembers it.
func (s *Search) mark(v pcsr.Vertex) bool {
	word, bit := v>>6, uint64(1)<<(v&63)
	if s.seen[word]&bit != 0 {
		return false
	}
	s.seen[word] |= bit
	s.touched = append(s.touched, v)
	return true
}

// Saw reports whether the last closure reached v.
func (s *Search) Saw(v dictionary.ID) bool {
	return int64(v) < int64(s.graph.Vertices()) && s.seen[v>>6]&(1<<(v&63)) != 0
}

// begin readies the search for a new start.
func (s *Search) begin() {
	if s.seen == nil {
		s.seen = borrowBitmap((s.graph.Vertices() + 63) / 64)
	}
	for _, v := range s.touched {
		s.seen[v>>6] = 0
	}
	s.touched, s.frontier, s.next = s.touched[:0], s.frontier[:0], s.next[:0]
}

// Closure reports every vertex that walks of one step (more: of one or more) from v end at, each once, and v itself
// when zero. A vertex beyond the graph has only the walk of no step.
func (s *Search) Closure(step Step, v pcsr.Vertex, d pcsr.Direction, zero, more bool, report func(pcsr.Vertex) error) error {
	inGraph := int64(v) < int64(s.graph.Vertices())
	if zero {
		if err := report(v); err != nil {
			return err
		}
	}
	if !inGraph {
		return nil
	}
	s.begin()
	if zero {
		s.mark(v)
	}
	switch s.ask(step, d); {
	case s.machine != nil:
		return s.walk(s.machine, v, more, report)
	case s.levels != nil && more:
		return s.levels.walk(v, report)
	}
	s.frontier = append(s.frontier, v)
	for len(s.frontier) > 0 {
		for _, u := range s.frontier {
			if err := s.reads(1); err != nil {
				return err
			}
			err := step.neighbours(s, u, d, func(w pcsr.Vertex) error {
				if !s.mark(w) {
					return nil
				}
				s.next = append(s.next, w)
				return report(w)
			})
			if err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		s.frontier, s.next = s.next, s.frontier[:0]
		if err := s.held.Need(s.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// reads counts the vertices that are about to be read, at most limits.CheckEvery, and checks the context now and then. Where no more are allowed the
// error is errFar.
func (s *Search) reads(n int) error {
	if s.allowed > 0 {
		if s.allowed = max(1, s.allowed-n); s.allowed == 1 {
			return errFar
		}
	}
	if s.read += n; s.read < limits.CheckEvery {
		return nil
	}
	s.read = 0
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return nil
}

// each visits the vertices of a list.
func (s *Search) each(list []pcsr.Vertex, visit func(pcsr.Vertex) error) error {
	for len(list) > 0 {
		n := min(len(list), limits.CheckEvery)
		if err := s.reads(n); err != nil {
			return err
		}
		for _, w := range list[:n] {
			if err := visit(w); err != nil {
				return err
			}
		}
		list = list[n:]
	}
	return nil
}

// Reaches reports whether a walk of one (more: one or more) steps leads from v to w.
func (s *Search) Reaches(step Step, v, w pcsr.Vertex, more bool) (bool, error) {
	if int64(w) >= int64(s.graph.Vertices()) {
		return false, nil
	}
	found := false
	err := limits.Stopping(func(enough error) error {
		return s.Closure(step, v, pcsr.Out, false, more, func(u pcsr.Vertex) error {
			if u == w {
				found = true
				return enough
			}
			return nil
		})
	})
	return found, err
}

// Image reports where single walks from v end, once for each walk.
func (s *Search) Image(step Step, v pcsr.Vertex, d pcsr.Direction, report func(pcsr.Vertex) error) error {
	if int64(v) >= int64(s.graph.Vertices()) {
		return nil
	}
	return step.neighbours(s, v, d, report)
}

// Count is the number of single walks from v to w.
func (s *Search) Count(step Step, v, w pcsr.Vertex) (int, error) {
	n := 0
	err := s.Image(step, v, pcsr.Out, func(u pcsr.Vertex) error {
		if u == w {
			n++
		}
		return nil
	})
	return n, err
}
