package group

import (
	"errors"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/radix"
)

// errAgain: what several goroutines found depends on the order of the rows, so that they have to be grouped by one.
var errAgain = errors.New("exec: the order of the rows matters")

func (g *Group) Run(x *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	err := g.attempt(x, !x.Single && g.shared(), emit)
	if err == errAgain {
		err = g.attempt(x, false, emit)
	}
	return err
}

// shared reports whether goroutines may share the keys and arguments.
func (g *Group) shared() bool {
	for i := range len(g.Keys) + len(g.Arguments) {
		if !g.evaluator(i).Shared() {
			return false
		}
	}
	return true
}

// attempt groups the input, by several goroutines where that is allowed and worth while. Only they end in errAgain,
// and before anything is emitted.
func (g *Group) attempt(x *operator.Execution, parallel bool, emit func(*vector.Batch) error) error {
	r, err := g.newRun(x, 0)
	if err != nil {
		return err
	}
	defer r.close()
	stages, source := operator.StagesOf(g.Input)
	f := &groupFeed{run: r, own: newGroupRows(g, stages), next: x.Tuning.ShareFrom}
	if !parallel {
		f.next = math.MaxUint64
	} else if len(g.Keys) > 0 && !x.Alone() {
		f.kept = vector.NewRows(g.width())
	}
	defer f.close()
	s := newSingles(g, x, emit)
	f.singles = s
	if on, ok := source.(operator.Aside); ok && parallel && !x.Analyze { // which measures what is emitted
		on.Aside(f.aside)
		defer on.Aside(nil)
		if len(g.Keys) == 0 { // to merge costs nothing
			f.next = 1
		}
	}
	if err := operator.RunSource(x, source, stages, nil, s.or(f.add)); err != nil || s.folded {
		return err
	}
	if err := f.gather(); err != nil {
		return err
	}
	if err := r.finish(emit); err != nil {
		return err
	}
	r.release()
	return nil
}

// groupRows turns batches of the input's source into rows of a run, for one goroutine: the keys' values, the
// arguments' values, the halves of the weights, and then the input's columns.
type groupRows struct {
	op        *Group
	stages    *operator.StageRun
	work      *vector.Rows
	row       vector.Batch
	low, high []dictionary.ID
}

func newGroupRows(g *Group, stages []operator.Stage) *groupRows {
	return &groupRows{op: g, stages: operator.NewStageRun(stages), work: vector.NewRows(len(g.Keys) + len(g.Arguments))}
}

// of returns the rows of a batch, valid until the next call; nil where there are none.
func (w *groupRows) of(x *operator.Execution, b *vector.Batch) (*vector.Batch, error) {
	b, err := w.stages.Apply(x, b)
	if err != nil || b == nil {
		return nil, err
	}
	w.work.Reset()
	for i := range w.work.Cols {
		if w.work.Cols[i], err = w.op.evaluator(i).Values(x, b, w.work.Cols[i]); err != nil {
			return nil, err
		}
	}
	w.row.Cols = append(w.row.Cols[:0], w.work.Cols...)
	if w.op.Weighted {
		w.low, w.high = splitWeights(b, w.low[:0], w.high[:0])
		w.row.Cols = append(w.row.Cols, w.low, w.high)
	}
	w.row.Cols, w.row.N = append(w.row.Cols, b.Cols...), b.N
	return &w.row, nil
}

// run groups rows (groupRows) of one source, or some of them.
type run struct {
	*Group
	x      *operator.Execution
	level  int
	held   *limits.Account
	groups *vector.RowSet
	// first is where the first row of each group stands in the source.
	first   []uint64
	states  []accumulator
	parts   *vector.Partitions
	numbers []uint32
	hashes  []uint64
	weights []uint64
	// full is what a run of some of the rows sets when it holds too much; it does not go on from disk. Nil for all rows.
	full *atomic.Bool
	// merged: the groups are not in the order of their first rows.
	merged bool
	// split has the groups instead, where several goroutines have a part of them each.
	split *groupParts
}

func (g *Group) newRun(x *operator.Execution, level int) (*run, error) {
	r, err := g.newPart(x)
	if err != nil {
		return nil, err
	}
	r.level, r.held = level, x.Memory.Open("group")
	return r, nil
}

// newPart is a run whose memory somebody else counts.
func (g *Group) newPart(x *operator.Execution) (*run, error) {
	r := &run{Group: g, x: x, groups: vector.NewRowSet(len(g.Keys), x.Ended)}
	for i := range g.Aggregates {
		state, err := g.Aggregates[i].accumulator(x, g.first())
		if err != nil {
			return nil, err
		}
		r.states = append(r.states, state)
	}
	r.join()
	return r, nil
}

// join has aggregates of one argument compute it once.
func (r *run) join() {
	for i, a := range r.Aggregates {
		if a.Like == 0 {
			continue
		}
		f, _ := r.states[i].(*foldAccumulator)
		first, _ := r.states[a.Like-1].(*foldAccumulator)
		if f != nil && first != nil {
			f.of.Follow(first.of)
		}
	}
}

// finish emits the groups of the rows that came, and then groups those that it had to put aside.
func (r *run) finish(emit func(*vector.Batch) error) error {
	if len(r.Keys) == 0 && r.groups.Rows.N == 0 {
		r.groups.Add(nil, 0, 0)
	}
	if err := r.emit(emit); err != nil || r.parts == nil {
		return err
	}
	r.groups, r.first, r.states, r.split = nil, nil, nil, nil
	r.held.Hold(0)
	for _, f := range r.parts.Files {
		r.Measured.Spilled += f.Rows * int64(f.Width) * 4
		if f.Rows == 0 {
			continue
		}
		if err := r.groupFile(f, emit); err != nil {
			return err
		}
	}
	return nil
}

// groupFile groups rows that were put aside.
func (r *run) groupFile(f *vector.File, emit func(*vector.Batch) error) error {
	next, err := r.newRun(r.x, r.level+1)
	if err != nil {
		return err
	}
	defer next.close()
	if err := f.Read(r.x.Checked(func(b *vector.Batch) error { return next.add(b, 0) })); err != nil {
		return err
	}
	return next.finish(emit)
}

func (r *run) close() {
	r.held.Close()
	if r.parts != nil {
		r.parts.Close()
	}
}

// release gives the memory of the groups back, which have been emitted.
func (r *run) release() {
	if r.split != nil {
		for _, part := range r.split.runs {
			part.groups.Release()
		}
	} else if r.groups != nil {
		r.groups.Release()
	}
}

// add takes rows into their groups; the first of them is row at of the source.
func (r *run) add(b *vector.Batch, at uint64) error {
	r.hashes = vector.HashRows(r.hashes, b.Cols, vector.AllColumns(len(r.Keys)), b.N)
	if err := r.take(b, places{first: at}); err != nil {
		return err
	}
	return r.account()
}

// take takes rows, of which hashes has the hashes, into their groups.
func (r *run) take(b *vector.Batch, at places) error {
	r.numbers = r.numbers[:0]
	if r.parts == nil {
		r.number(b, at)
	} else {
		var err error
		if b, err = r.putAside(b); err != nil {
			return err
		}
	}
	if r.Weighted {
		at := r.Group.first() - 2
		r.weights = joinWeights(b.Cols[at], b.Cols[at+1], r.weights[:0])
		b = &vector.Batch{Cols: b.Cols, N: b.N, Weights: r.weights}
	}
	in := groupedRows{n: r.groups.Rows.N, groups: r.numbers, rows: b, at: at}
	for i, state := range r.states {
		in.ids = r.Aggregates[i].values(b, len(r.Keys))
		state.add(&in)
	}
	return nil
}

// number finds the groups of rows.
func (r *run) number(b *vector.Batch, at places) {
	if len(r.Keys) == 0 && r.groups.Rows.N == 1 {
		r.numbers = append(r.numbers, make([]uint32, b.N)...)
		return
	}
	for i := range b.N {
		n, fresh := r.groups.Add(b.Cols, i, r.hashes[i])
		if fresh {
			r.begin(at.of(i))
		}
		r.numbers = append(r.numbers, n)
	}
}

// begin notes where the first row of a new group stood.
func (r *run) begin(at uint64) {
	r.first, _ = vector.Room(r.first, 1, nil)
	r.first = append(r.first, at)
}

// putAside writes the rows of unknown groups to files and returns the others.
func (r *run) putAside(b *vector.Batch) (*vector.Batch, error) {
	var known []uint32
	for i := range b.N {
		n, _, ok := r.groups.Find(b.Cols, i, r.hashes[i])
		if !ok {
			if err := r.parts.Of(r.hashes[i]).Write(b.Cols, i); err != nil {
				return nil, err
			}
			continue
		}
		r.numbers, known = append(r.numbers, n), append(known, uint32(i))
	}
	return vector.Select(&vector.Batch{}, &vector.Batch{Cols: b.Cols, N: b.N}, known), nil
}

// values are the argument's values in rows whose keys are k columns.
func (a *Aggregate) values(b *vector.Batch, k int) []dictionary.ID {
	if a.Argument < 0 {
		return nil
	}
	return b.Cols[k+a.Argument]
}

// bytes is the memory that the groups take.
func (r *run) bytes() int64 {
	bytes := r.groups.Bytes() + int64(cap(r.first))*8
	for _, s := range r.states {
		bytes += s.bytes()
	}
	return bytes
}

// account counts the memory and starts putting rows of new groups aside when there is too much.
func (r *run) account() error {
	bytes := r.bytes()
	if r.held.Hold(bytes) || r.parts != nil && r.level <= vector.MaxLevel {
		return nil
	}
	if r.full != nil {
		r.full.Store(true)
		return nil
	}
	if len(r.Keys) == 0 || r.level > vector.MaxLevel {
		return r.held.Need(bytes)
	}
	var err error
	r.parts, err = r.x.Disk.Partition(r.width(), r.level)
	return err
}

// merge takes over the groups of a run of other rows of the same source.
func (r *run) merge(of *run) {
	numbers := make([]uint32, of.groups.Rows.N)
	for i := range numbers {
		if r.x.Ended.Check(i) != nil {
			return // what was found is not emitted any more
		}
		n, fresh := r.groups.Add(of.groups.Rows.Cols, i, of.groups.Hashes[i])
		if fresh {
			r.begin(of.first[i])
		} else {
			r.first[n] = min(r.first[n], of.first[i])
		}
		numbers[i] = n
	}
	for i, state := range r.states {
		if r.x.Ended.Over() {
			return
		}
		state.merge(of.states[i], r.groups.Rows.N, numbers)
	}
	r.merged = true
}

// picked are the output columns of all groups.
func (r *run) picked() (*vector.Rows, error) {
	n := r.groups.Rows.N
	all := append([][]dictionary.ID(nil), r.groups.Rows.Cols...)
	for _, s := range r.states {
		if c, ok := s.(counting); ok && c.overflowed(n) {
			return nil, vector.ErrTooMany
		}
		all = append(all, s.results(n))
		if err := r.x.Ended(); err != nil {
			return nil, err
		}
	}
	out := &vector.Rows{N: n}
	for _, c := range r.Pick {
		out.Cols = append(out.Cols, all[c])
	}
	return out, nil
}

// emit hands out the groups in the order of their first rows.
func (r *run) emit(emit func(*vector.Batch) error) error {
	if r.split != nil {
		return r.split.emit(emit)
	}
	n := r.groups.Rows.N
	out, err := r.picked()
	if err != nil {
		return err
	}
	if r.merged && n > 1 { // that of all rows has no first one
		order := r.inOrder()
		for c, col := range out.Cols {
			out.Cols[c] = vector.Gather(make([]dictionary.ID, 0, n), col, order)
		}
	}
	return out.Emit(emit)
}

// inOrder are the groups in the order of their first rows.
func (r *run) inOrder() []uint32 {
	n := r.groups.Rows.N
	width := bits.Len(uint(n))
	keys := make([]uint64, 2*n)
	for i := range n {
		keys[i] = r.first[i]<<width | uint64(i) // there are no 2^40 rows
	}
	out := make([]uint32, n)
	for i, k := range radix.Sort(keys[:n], keys[n:]) {
		out[i] = uint32(k & (1<<width - 1))
	}
	return out
}
