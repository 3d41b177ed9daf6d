package path

import (
	"cmp"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Path walks a property path: one of * + ? and negated property sets (SPARQL 1.1 section 9); sequences,
// alternatives and inverses at the top are joins and unions by then (planner/rules).
type Path struct {
	operator.Base
	Graph  *pcsr.Graph
	Search *Search
	Step   Step
	// negated paths count every triple; the closures yield each pair of ends once.
	Kind            planner.PathKind
	Subject, Object End
	// Weighted: the consumer reads Batch.Weights. There is no seed then.
	Weighted bool
	// Limit is how many rows are read at most; 0 means all.
	Limit uint64
	// Searchers may find a device for searches; nil: there is none.
	Searchers Searchers
	// last is the last run, whose memory the next one uses; nil while there is none.
	last *run
	// closures are what devices search, by direction, once made says that they were asked for.
	closures [2]*match.Closure
	made     [2]bool
}

// End is one end of a path: a constant, a seed's column or a free variable.
type End struct {
	Variable string
	Constant dictionary.ID
	Input    int // seed column, -1
	// Term: the end stands for a term of the query, for which the zero-length path holds even where the graph does not
	// have it.
	Term bool
}

func (e End) free() bool { return e.Variable != "" && e.Input < 0 }

// run is one run of a path.
type run struct {
	*Path
	x      *operator.Execution
	emit   func(*vector.Batch) error
	seeded bool
	cols   [2][]dictionary.ID // subjects and objects found
	origin []uint32
	// weights are those of the rows, where they have some.
	weights []uint64
	starts  []dictionary.ID // some of the vertices that walks begin at
	held    *limits.Account
	// same: both ends are one variable.
	same bool
	// searchers are the runs beside this one that search from other vertices; nil for none.
	searchers *searchers
	// together is what searches from many vertices; nil before the first.
	together *together
}

func (p *Path) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := p.newRun()
	*r = run{Path: p, x: x, emit: emit, seeded: seed != nil, held: x.Memory.Open("path"), cols: r.cols, origin: r.origin, weights: r.weights, starts: r.starts}
	defer r.close()
	r.same = p.Subject.Variable != "" && p.Subject.Variable == p.Object.Variable
	p.Search.Serve(x.Ctx, r.held)
	p.Search.Share(x.Each, x.Tuning)
	if err := r.walkAll(seed); err != nil {
		return err
	}
	if err := r.flushAll(); err != nil {
		return err
	}
	r.release()
	p.last = r
	return nil
}

// newRun is a run, in the memory of the last.
func (p *Path) newRun() (r *run) {
	if r, p.last = p.last, nil; r == nil {
		r = &run{}
	}
	return r
}

// release gives back what the run, which has come to its end, and those beside it have borrowed.
func (r *run) release() {
	r.Search.release()
	if r.searchers != nil {
		for _, w := range r.searchers.all[1:] {
			w.Search.release()
		}
	}
}

// walkAll walks for all rows of the seed.
func (r *run) walkAll(seed *vector.Batch) error {
	p := r.Path
	switch {
	case seed == nil:
		return r.row(p.Subject.Constant, p.Object.Constant, 0)
	case p.Kind == planner.Once:
	case p.Subject.Input >= 0 && p.Object.Input >= 0:
		return r.bySubject(seed)
	case p.Subject.free() && p.Object.Input >= 0 || p.Object.free() && p.Subject.Input >= 0:
		return r.bySource(seed)
	}
	for i := range seed.N {
		s, o := p.Subject.Constant, p.Object.Constant
		if p.Subject.Input >= 0 {
			s = seed.Cols[p.Subject.Input][i]
		}
		if p.Object.Input >= 0 {
			o = seed.Cols[p.Object.Input][i]
		}
		if err := r.row(s, o, uint32(i)); err != nil {
			return err
		}
	}
	return nil
}

// row walks for one pair of ends, those that are free aside.
func (r *run) row(s, o dictionary.ID, origin uint32) error {
	switch {
	case !r.Subject.free() && !r.Object.free():
		return r.both(s, o, origin)
	case !r.Subject.free():
		return r.alone(s, pcsr.Out, origin, r.Subject.Term)
	case !r.Object.free():
		return r.alone(o, pcsr.In, origin, r.Object.Term)
	}
	return r.all(origin)
}

// bySubject looks for paths between the given ends of all rows, walking once from each distinct subject.
func (r *run) bySubject(seed *vector.Batch) error {
	subjects, objects := seed.Cols[r.Subject.Input], seed.Cols[r.Object.Input]
	rows, starts := sortedRows(subjects)
	return r.many(len(starts)-1, func(r *run, i int) error {
		rows := rows[starts[i]:starts[i+1]]
		s := subjects[rows[0]]
		if len(rows) == 1 || int64(s) >= int64(r.Graph.Vertices()) {
			for _, row := range rows {
				if err := r.both(s, objects[row], row); err != nil {
					return err
				}
			}
			return nil
		}
		return r.toObjects(s, objects, rows)
	})
}

// toObjects walks once from a subject and finds the objects of some rows among the vertices reached.
func (r *run) toObjects(s dictionary.ID, objects []dictionary.ID, rows []uint32) error {
	zero := r.Kind == planner.ZeroOrMore || r.Kind == planner.ZeroOrOne
	ignore := func(pcsr.Vertex) error { return nil }
	if err := r.Search.Closure(r.Step, s, pcsr.Out, zero, r.Kind != planner.ZeroOrOne, ignore); err != nil {
		return err
	}
	zero = zero && (r.Subject.Term || r.Object.Term || r.Search.IsNode(s))
	for _, row := range rows {
		o := objects[row]
		if o == s && zero || (o != s || r.Kind == planner.OneOrMore) && r.Search.Saw(o) {
			if err := r.found(s, o, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// bySource walks once from each distinct given end, the other end being free.
func (r *run) bySource(seed *vector.Batch) error {
	given, d := r.Subject, pcsr.Out
	if given.free() {
		given, d = r.Object, pcsr.In
	}
	sources := seed.Cols[given.Input]
	rows, starts := sortedRows(sources)
	from := func(i int) source { return source{sources[rows[starts[i]]], rows[starts[i]:starts[i+1]]} }
	return r.search(len(starts)-1, from, d, given.Term)
}

// alone walks from one given end in a direction.
func (r *run) alone(v dictionary.ID, d pcsr.Direction, origin uint32, constant bool) error {
	return r.search(1, func(int) source { return source{v, []uint32{origin}} }, d, constant)
}

// fromFor walks from one given end for several rows.
func (r *run) fromFor(v dictionary.ID, d pcsr.Direction, rows []uint32, constant bool) error {
	if r.onlyCounts(d) {
		n := uint64(0)
		if err := r.walk(v, d, constant, func(dictionary.ID) error { n++; return nil }); err != nil {
			return err
		}
		return r.counted(source{v, rows}, d, n)
	}
	if len(rows) == 1 {
		return r.from(v, d, rows[0], constant)
	}
	var ends []dictionary.ID
	err := r.walk(v, d, constant, func(w dictionary.ID) error { ends = append(ends, w); return nil })
	if err == nil {
		err = r.held.Need(r.Search.Bytes() + int64(cap(ends))*4)
	}
	if err != nil {
		return err
	}
	return r.ended(source{v, rows}, d, ends)
}

// sortedRows returns the row numbers of a column by its values, and where those of each value start; last, where all end.
func sortedRows(col []dictionary.ID) (rows, starts []uint32) {
	rows = make([]uint32, len(col))
	for i := range rows {
		rows[i] = uint32(i)
	}
	slices.SortStableFunc(rows, func(a, b uint32) int { return cmp.Compare(col[a], col[b]) })
	for i, row := range rows {
		if i == 0 || col[row] != col[rows[i-1]] {
			starts = append(starts, uint32(i))
		}
	}
	return rows, append(starts, uint32(len(rows)))
}

// both looks for a path between two given ends.
func (r *run) both(s, o dictionary.ID, origin uint32) error {
	if r.Kind == planner.Once {
		n, err := r.Search.Count(r.Step, s, o)
		for range n {
			if err := r.found(s, o, origin); err != nil {
				return err
			}
		}
		return err
	}
	zero := (r.Kind == planner.ZeroOrMore || r.Kind == planner.ZeroOrOne) && s == o &&
		(r.Subject.Term || r.Object.Term || r.Search.IsNode(s))
	if !zero {
		if !r.Search.IsNode(s) || !r.Search.IsNode(o) {
			return nil
		}
		hit, err := r.Search.Reaches(r.Step, s, o, r.Kind != planner.ZeroOrOne)
		if err != nil || !hit {
			return err
		}
	}
	return r.found(s, o, origin)
}

// from walks from one given end in a direction and adds the pairs with the other ends.
func (r *run) from(v dictionary.ID, d pcsr.Direction, origin uint32, constant bool) error {
	return r.walk(v, d, constant, func(w dictionary.ID) error { return r.pair(v, w, d, origin) })
}

// pair adds the ends v and w of a walk in a direction.
func (r *run) pair(v, w dictionary.ID, d pcsr.Direction, origin uint32) error {
	if d == pcsr.Out {
		return r.found(v, w, origin)
	}
	return r.found(w, v, origin)
}

// walk reports where walks from a given end in a direction lead.
func (r *run) walk(v dictionary.ID, d pcsr.Direction, constant bool, report func(dictionary.ID) error) error {
	if r.Kind == planner.Once {
		return r.Search.Image(r.Step, v, d, report)
	}
	zero := r.Kind == planner.ZeroOrMore || r.Kind == planner.ZeroOrOne
	if zero && !constant && !r.Search.IsNode(v) {
		return nil
	}
	return r.Search.Closure(r.Step, v, d, zero, r.Kind != planner.ZeroOrOne, report)
}

// all walks from every vertex of the graph that it may lead from, in the direction in which what is not read is only counted.
func (r *run) all(origin uint32) error {
	d := pcsr.Out
	if r.Kind != planner.Once && r.onlyCounts(pcsr.In) && !r.onlyCounts(pcsr.Out) {
		d = pcsr.In
	}
	starts, rows := r.starts[:0], []uint32{origin}
	walk := func() error {
		defer func() { starts = starts[:0] }()
		if r.same {
			return r.many(len(starts), func(r *run, i int) error { return r.around(starts[i], origin) })
		}
		return r.search(len(starts), func(i int) source { return source{starts[i], rows} }, d, false)
	}
	visit := func(v dictionary.ID) error {
		if starts = append(starts, v); len(starts) < vector.BatchRows {
			return nil
		}
		return walk()
	}
	err := r.eachStart(d, visit)
	if err == nil {
		err = walk()
	}
	r.starts = starts
	return err
}

// eachStart visits the vertices that the path can be walked from in a direction.
func (r *run) eachStart(d pcsr.Direction, visit func(dictionary.ID) error) error {
	if (r.Kind == planner.OneOrMore || r.Kind == planner.Once) && r.Search.list == nil {
		if starts, ok := r.Step.Starts(r.Graph, d); ok {
			return r.Search.EachRow(starts, visit)
		}
	}
	return r.Search.EachNode(visit)
}

// around walks from one of all vertices back to it.
func (r *run) around(v dictionary.ID, origin uint32) error {
	if r.Kind == planner.Once {
		return r.both(v, v, origin)
	}
	return r.loop(v, origin)
}

// loop reports v when a path leads from it to itself.
func (r *run) loop(v dictionary.ID, origin uint32) error {
	if r.Kind == planner.OneOrMore {
		hit, err := r.Search.Reaches(r.Step, v, v, true)
		if err != nil || !hit {
			return err
		}
	}
	return r.found(v, v, origin)
}

// found adds one pair of ends.
func (r *run) found(s, o dictionary.ID, origin uint32) error {
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

func (r *run) flush() error {
	if len(r.origin) == 0 {
		return nil
	}
	if err := r.x.Ended(); err != nil {
		return err
	}
	b := vector.Batch{N: len(r.origin)}
	if r.Weighted {
		b.Weights = r.weights
	}
	for _, v := range r.Out {
		if v == r.Subject.Variable {
			b.Cols = append(b.Cols, r.cols[0])
		} else {
			b.Cols = append(b.Cols, r.cols[1])
		}
	}
	if r.seeded {
		b.Origin = r.origin
	}
	err := r.emit(&b)
	r.cols[0], r.cols[1], r.origin, r.weights = r.cols[0][:0], r.cols[1][:0], r.origin[:0], r.weights[:0]
	return err
}
