package exec

import (
	"cmp"
	"errors"
	"math"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// errAgain: what several goroutines found depends on the order of the rows, so that they have to be grouped by one.
var errAgain = errors.New("exec: the order of the rows matters")

func (g *groupOp) run(x *execution, _ *Batch, emit func(*Batch) error) error {
	err := g.attempt(x, !x.options.Unoptimised && g.plain(), emit)
	if err == errAgain {
		err = g.attempt(x, false, emit)
	}
	return err
}

// plain reports whether goroutines may share the keys and arguments.
func (g *groupOp) plain() bool {
	for i := range len(g.keys) + len(g.arguments) {
		if !g.evaluator(i).plain() {
			return false
		}
	}
	return true
}

// attempt groups the input, by several goroutines where that is allowed and worth while. Only they end in errAgain,
// and before anything is emitted.
func (g *groupOp) attempt(x *execution, parallel bool, emit func(*Batch) error) error {
	r, err := g.newRun(x, 0)
	if err != nil {
		return err
	}
	defer r.close()
	stages, source := stagesOf(g.input)
	f := &groupFeed{run: r, own: newGroupRows(g, stages), next: x.options.Operators.ShareFrom}
	if !parallel {
		f.next = math.MaxUint64
	}
	defer f.close()
	if err := runSource(x, source, stages, nil, f.add); err != nil {
		return err
	}
	if err := f.gather(); err != nil {
		return err
	}
	return r.finish(emit)
}

// groupRows turns batches of the input's source into rows of a groupRun, for one goroutine: the keys' values, the
// arguments' values, the halves of the weights, and then the input's columns.
type groupRows struct {
	op        *groupOp
	stages    *stageRun
	work      *columns
	row       Batch
	low, high []dictionary.ID
}

func newGroupRows(g *groupOp, stages []stage) *groupRows {
	return &groupRows{op: g, stages: newStageRun(stages), work: newColumns(len(g.keys) + len(g.arguments))}
}

// of returns the rows of a batch, valid until the next call; nil where there are none.
func (w *groupRows) of(x *execution, b *Batch) (*Batch, error) {
	b, err := w.stages.apply(x, b)
	if err != nil || b == nil {
		return nil, err
	}
	w.work.reset()
	for i := range w.work.cols {
		if w.work.cols[i], err = w.op.evaluator(i).values(x, b, w.work.cols[i]); err != nil {
			return nil, err
		}
	}
	w.row.Cols = append(w.row.Cols[:0], w.work.cols...)
	if w.op.weighted {
		w.low, w.high = splitWeights(b, w.low[:0], w.high[:0])
		w.row.Cols = append(w.row.Cols, w.low, w.high)
	}
	w.row.Cols, w.row.N = append(w.row.Cols, b.Cols...), b.N
	return &w.row, nil
}

// groupRun groups rows (groupRows) of one source, or some of them.
type groupRun struct {
	*groupOp
	x      *execution
	level  int
	held   *account
	groups *rowSet
	// first is where the first row of each group stands in the source.
	first   []uint64
	states  []accumulator
	parts   *partitions
	numbers []uint32
	hashes  []uint64
	weights []uint64
	// full is what a run of some of the rows sets when it holds too much; it does not go on from disk. Nil for all rows.
	full *atomic.Bool
	// merged: the groups are not in the order of their first rows.
	merged bool
}

func (g *groupOp) newRun(x *execution, level int) (*groupRun, error) {
	r := &groupRun{groupOp: g, x: x, level: level, held: x.memory.open("group"), groups: x.rowSet(len(g.keys))}
	for i := range g.aggregates {
		state, err := g.aggregates[i].accumulator(x, g.first())
		if err != nil {
			return nil, err
		}
		r.states = append(r.states, state)
	}
	return r, nil
}

// finish emits the groups of the rows that came, and then groups those that it had to put aside.
func (r *groupRun) finish(emit func(*Batch) error) error {
	if len(r.keys) == 0 && r.groups.rows.n == 0 {
		r.groups.add(nil, 0, 0)
	}
	if err := r.emit(emit); err != nil || r.parts == nil {
		return err
	}
	r.groups, r.first, r.states = nil, nil, nil
	r.held.hold(0)
	for _, f := range r.parts.files {
		r.measured.Spilled += f.rows * int64(f.width) * 4
		if f.rows == 0 {
			continue
		}
		if err := r.groupFile(f, emit); err != nil {
			return err
		}
	}
	return nil
}

// groupFile groups rows that were put aside.
func (r *groupRun) groupFile(f *spillFile, emit func(*Batch) error) error {
	next, err := r.newRun(r.x, r.level+1)
	if err != nil {
		return err
	}
	defer next.close()
	if err := f.read(r.x.heeding(func(b *Batch) error { return next.add(b, 0) })); err != nil {
		return err
	}
	return next.finish(emit)
}

func (r *groupRun) close() {
	r.held.close()
	if r.parts != nil {
		r.parts.close()
	}
}

// add takes rows into their groups; the first of them is row at of the source.
func (r *groupRun) add(b *Batch, at uint64) error {
	k := len(r.keys)
	r.hashes = hashRows(r.hashes, b.Cols, allColumns(k), b.N)
	r.numbers = r.numbers[:0]
	if r.parts == nil {
		r.number(b, at)
	} else {
		var err error
		if b, err = r.putAside(b); err != nil {
			return err
		}
	}
	if r.weighted {
		at := r.groupOp.first() - 2
		r.weights = joinWeights(b.Cols[at], b.Cols[at+1], r.weights[:0])
		b = &Batch{Cols: b.Cols, N: b.N, Weights: r.weights}
	}
	in := groupedRows{n: r.groups.rows.n, groups: r.numbers, rows: b, at: at}
	for i, state := range r.states {
		in.ids = r.aggregates[i].values(b, k)
		state.add(&in)
	}
	return r.account()
}

// number finds the groups of rows.
func (r *groupRun) number(b *Batch, at uint64) {
	for i := range b.N {
		n, fresh := r.groups.add(b.Cols, i, r.hashes[i])
		if fresh {
			r.first = append(r.first, at+uint64(i))
		}
		r.numbers = append(r.numbers, n)
	}
}

// putAside writes the rows of unknown groups to files and returns the others.
func (r *groupRun) putAside(b *Batch) (*Batch, error) {
	var known []uint32
	for i := range b.N {
		n, _, ok := r.groups.find(b.Cols, i, r.hashes[i])
		if !ok {
			if err := r.parts.of(r.hashes[i]).write(b.Cols, i); err != nil {
				return nil, err
			}
			continue
		}
		r.numbers, known = append(r.numbers, n), append(known, uint32(i))
	}
	return selectRows(&Batch{}, &Batch{Cols: b.Cols, N: b.N}, known), nil
}

// values are the argument's values in rows whose keys are k columns.
func (a *aggregate) values(b *Batch, k int) []dictionary.ID {
	if a.argument < 0 {
		return nil
	}
	return b.Cols[k+a.argument]
}

// bytes is the memory that the groups take.
func (r *groupRun) bytes() int64 {
	bytes := r.groups.bytes() + int64(cap(r.first))*8
	for _, s := range r.states {
		bytes += s.bytes()
	}
	return bytes
}

// account counts the memory and starts putting rows of new groups aside when there is too much.
func (r *groupRun) account() error {
	bytes := r.bytes()
	if r.held.hold(bytes) || r.parts != nil && r.level <= maxSpillLevel {
		return nil
	}
	if r.full != nil {
		r.full.Store(true)
		return nil
	}
	if len(r.keys) == 0 || r.level > maxSpillLevel {
		return r.held.need(bytes)
	}
	var err error
	r.parts, err = createPartitions(r.x, r.width(), r.level)
	return err
}

// merge takes over the groups of a run of other rows of the same source.
func (r *groupRun) merge(of *groupRun) {
	numbers := make([]uint32, of.groups.rows.n)
	for i := range numbers {
		if r.x.look(i) != nil {
			return // what was found is not emitted any more
		}
		n, fresh := r.groups.add(of.groups.rows.cols, i, of.groups.hashes[i])
		if fresh {
			r.first = append(r.first, of.first[i])
		} else {
			r.first[n] = min(r.first[n], of.first[i])
		}
		numbers[i] = n
	}
	for i, state := range r.states {
		if r.x.over() {
			return
		}
		state.merge(of.states[i], r.groups.rows.n, numbers)
	}
	r.merged = true
}

// emit hands out the groups in the order of their first rows.
func (r *groupRun) emit(emit func(*Batch) error) error {
	n := r.groups.rows.n
	all := append([][]dictionary.ID(nil), r.groups.rows.cols...)
	for _, s := range r.states {
		all = append(all, s.results(n))
		if err := r.x.alive(); err != nil {
			return err
		}
	}
	out := &columns{n: n}
	for _, c := range r.pick {
		out.cols = append(out.cols, all[c])
	}
	if r.merged {
		order := allRows(n)
		inOrder := func(a, b uint32) int { return cmp.Compare(r.first[a], r.first[b]) }
		if err := sortHeeding(order, inOrder, &heed{ended: r.x.ended}); err != nil {
			return err
		}
		for c, col := range out.cols {
			out.cols[c] = gather(make([]dictionary.ID, 0, n), col, order)
		}
	}
	return out.emit(emit)
}

// allRows numbers n rows.
func allRows(n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}
