package exec

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/path"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// pathOp walks a property path: one of * + ? and negated property sets (SPARQL 1.1 section 9); sequences,
// alternatives and inverses at the top are joins and unions by then (planner/rules).
type pathOp struct {
	base
	graph  *pcsr.Graph
	search *path.Search
	step   path.Step
	// negated paths count every triple; the closures yield each pair of ends once.
	kind            planner.PathKind
	subject, object pathEnd
}

// pathEnd is one end of a path: a constant, a seed's column or a free variable.
type pathEnd struct {
	variable string
	constant dictionary.ID
	input    int // seed column, -1
	// term: the end stands for a term of the query, for which the zero-length path holds even where the graph does not
	// have it.
	term bool
}

func (e pathEnd) free() bool { return e.variable != "" && e.input < 0 }

// pathRun is one run of a path.
type pathRun struct {
	*pathOp
	x      *execution
	emit   func(*vector.Batch) error
	seeded bool
	cols   [2][]dictionary.ID // subjects and objects found
	origin []uint32
	held   *limits.Account
	// same: both ends are one variable.
	same bool
}

func (p *pathOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := &pathRun{pathOp: p, x: x, emit: emit, seeded: seed != nil, held: x.memory.Open("path")}
	defer r.held.Close()
	r.same = p.subject.variable != "" && p.subject.variable == p.object.variable
	p.search.Serve(x.ctx, r.held)
	if seed == nil {
		if err := r.row(p.subject.constant, p.object.constant, 0); err != nil {
			return err
		}
		return r.flush()
	}
	if p.subject.input >= 0 && p.object.input >= 0 && p.kind != planner.Once {
		if err := r.bySubject(seed); err != nil {
			return err
		}
		return r.flush()
	}
	if p.kind != planner.Once && (p.subject.free() && p.object.input >= 0 || p.object.free() && p.subject.input >= 0) {
		if err := r.bySource(seed); err != nil {
			return err
		}
		return r.flush()
	}
	for i := range seed.N {
		s, o := p.subject.constant, p.object.constant
		if p.subject.input >= 0 {
			s = seed.Cols[p.subject.input][i]
		}
		if p.object.input >= 0 {
			o = seed.Cols[p.object.input][i]
		}
		if err := r.row(s, o, uint32(i)); err != nil {
			return err
		}
	}
	return r.flush()
}

// row walks for one pair of ends, those that are free aside.
func (r *pathRun) row(s, o dictionary.ID, origin uint32) error {
	switch {
	case !r.subject.free() && !r.object.free():
		return r.both(s, o, origin)
	case !r.subject.free():
		return r.from(s, pcsr.Out, origin, r.subject.term)
	case !r.object.free():
		return r.from(o, pcsr.In, origin, r.object.term)
	}
	return r.all(origin)
}

// bySubject looks for paths between the given ends of all rows, walking once from each distinct subject.
func (r *pathRun) bySubject(seed *vector.Batch) error {
	subjects, objects := seed.Cols[r.subject.input], seed.Cols[r.object.input]
	rows := sortedRows(subjects)
	ignore := func(pcsr.Vertex) error { return nil }
	for i := 0; i < len(rows); {
		s, end := subjects[rows[i]], i+1
		for end < len(rows) && subjects[rows[end]] == s {
			end++
		}
		if end-i == 1 || int64(s) >= int64(r.graph.Vertices()) {
			for _, row := range rows[i:end] {
				if err := r.both(s, objects[row], row); err != nil {
					return err
				}
			}
			i = end
			continue
		}
		zero := r.kind == planner.ZeroOrMore || r.kind == planner.ZeroOrOne
		if err := r.search.Closure(r.step, s, pcsr.Out, zero, r.kind != planner.ZeroOrOne, ignore); err != nil {
			return err
		}
		zero = zero && (r.subject.term || r.object.term || r.search.IsNode(s))
		for _, row := range rows[i:end] {
			o := objects[row]
			if o == s && zero || (o != s || r.kind == planner.OneOrMore) && r.search.Saw(o) {
				if err := r.found(s, o, row); err != nil {
					return err
				}
			}
		}
		i = end
	}
	return nil
}

// bySource walks once from each distinct given end, the other end being free.
func (r *pathRun) bySource(seed *vector.Batch) error {
	given, d := r.subject, pcsr.Out
	if given.free() {
		given, d = r.object, pcsr.In
	}
	sources := seed.Cols[given.input]
	rows := sortedRows(sources)
	var ends []dictionary.ID
	for i := 0; i < len(rows); {
		v, end := sources[rows[i]], i+1
		for end < len(rows) && sources[rows[end]] == v {
			end++
		}
		if end-i == 1 {
			if err := r.from(v, d, rows[i], given.term); err != nil {
				return err
			}
			i = end
			continue
		}
		ends = ends[:0]
		err := r.walk(v, d, given.term, func(w dictionary.ID) error { ends = append(ends, w); return nil })
		if err == nil {
			err = r.held.Need(r.search.Bytes() + int64(cap(ends))*4)
		}
		if err != nil {
			return err
		}
		for ; i < end; i++ {
			for _, w := range ends {
				if err := r.pair(v, w, d, rows[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sortedRows returns the row numbers of a column by its values.
func sortedRows(col []dictionary.ID) []uint32 {
	rows := make([]uint32, len(col))
	for i := range rows {
		rows[i] = uint32(i)
	}
	slices.SortStableFunc(rows, func(a, b uint32) int { return cmp.Compare(col[a], col[b]) })
	return rows
}

// both looks for a path between two given ends.
func (r *pathRun) both(s, o dictionary.ID, origin uint32) error {
	if r.kind == planner.Once {
		n, err := r.search.Count(r.step, s, o)
		for range n {
			if err := r.found(s, o, origin); err != nil {
				return err
			}
		}
		return err
	}
	zero := (r.kind == planner.ZeroOrMore || r.kind == planner.ZeroOrOne) && s == o &&
		(r.subject.term || r.object.term || r.search.IsNode(s))
	if !zero {
		if !r.search.IsNode(s) || !r.search.IsNode(o) {
			return nil
		}
		hit, err := r.search.Reaches(r.step, s, o, r.kind != planner.ZeroOrOne)
		if err != nil || !hit {
			return err
		}
	}
	return r.found(s, o, origin)
}

// from walks from one given end in a direction and adds the pairs with the other ends.
func (r *pathRun) from(v dictionary.ID, d pcsr.Direction, origin uint32, constant bool) error {
	return r.walk(v, d, constant, func(w dictionary.ID) error { return r.pair(v, w, d, origin) })
}

// pair adds the ends v and w of a walk in a direction.
func (r *pathRun) pair(v, w dictionary.ID, d pcsr.Direction, origin uint32) error {
	if d == pcsr.Out {
		return r.found(v, w, origin)
	}
	return r.found(w, v, origin)
}

// walk reports where walks from a given end in a direction lead.
func (r *pathRun) walk(v dictionary.ID, d pcsr.Direction, constant bool, report func(dictionary.ID) error) error {
	if r.kind == planner.Once {
		return r.search.Image(r.step, v, d, report)
	}
	zero := r.kind == planner.ZeroOrMore || r.kind == planner.ZeroOrOne
	if zero && !constant && !r.search.IsNode(v) {
		return nil
	}
	return r.search.Closure(r.step, v, d, zero, r.kind != planner.ZeroOrOne, report)
}

// all walks from every vertex of the graph.
func (r *pathRun) all(origin uint32) error {
	visit := func(v dictionary.ID) error {
		if r.same {
			if r.kind == planner.Once {
				return r.both(v, v, origin)
			}
			return r.loop(v, origin)
		}
		return r.from(v, pcsr.Out, origin, false)
	}
	if r.kind == planner.OneOrMore || r.kind == planner.Once {
		if starts, ok := r.step.Starts(r.graph, pcsr.Out); ok {
			return r.search.EachRow(starts, visit)
		}
	}
	return r.search.EachNode(visit)
}

// loop reports v when a path leads from it to itself.
func (r *pathRun) loop(v dictionary.ID, origin uint32) error {
	if r.kind == planner.OneOrMore {
		hit, err := r.search.Reaches(r.step, v, v, true)
		if err != nil || !hit {
			return err
		}
	}
	return r.found(v, v, origin)
}

// found adds one pair of ends.
func (r *pathRun) found(s, o dictionary.ID, origin uint32) error {
	if r.same && s != o {
		return nil
	}
	r.cols[0], r.cols[1] = append(r.cols[0], s), append(r.cols[1], o)
	r.origin = append(r.origin, origin)
	if len(r.origin) < vector.BatchRows {
		return nil
	}
	return r.flush()
}

func (r *pathRun) flush() error {
	if len(r.origin) == 0 {
		return nil
	}
	if err := r.x.ended(); err != nil {
		return err
	}
	b := vector.Batch{N: len(r.origin)}
	for _, v := range r.out {
		if v == r.subject.variable {
			b.Cols = append(b.Cols, r.cols[0])
		} else {
			b.Cols = append(b.Cols, r.cols[1])
		}
	}
	if r.seeded {
		b.Origin = r.origin
	}
	err := r.emit(&b)
	r.cols[0], r.cols[1], r.origin = r.cols[0][:0], r.cols[1][:0], r.origin[:0]
	return err
}
