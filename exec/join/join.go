package join

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/eval"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/sideways"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/planner"
)

// Join joins the solutions of its left input with a pattern on the right.
//
// It begins by seeding: the right pattern is matched for the left solutions that are there, which is cheap while
// they are few (sideways information passing). Once more rows came than the pattern alone would cost, the pattern
// is run once into a hash table, which the remaining rows probe. A pattern that cannot be seeded is hashed at once.
type Join struct {
	operator.Base
	Kind   planner.JoinKind
	Left   operator.Operator
	Seeds  *sideways.Side // nil: cannot be seeded
	Hashed *Hashed        // nil: cannot be hashed
	Seeded bool           // the operator has inputs, its batches an Origin
	// Condition filters pairs (LeftJoin's expression); its columns are out and then what else it reads.
	Condition *eval.Predicate
	Merged    int // columns of a pair
}

// run is one run of a join.
type run struct {
	*Join
	x    *operator.Execution
	emit func(*vector.Batch) error

	pending *vector.Rows // left rows to be seeded; the last column is their Origin when the join is seeded itself
	flushAt int
	// most is how many rows are merged, or wait to be, at a time.
	most    int
	held    *limits.Account
	fed     int
	hashing bool

	left    vector.Batch // view of the rows in work
	matched []bool
	li, ri  []uint32
	out     vector.Batch
	view    [][]dictionary.ID
	keep    []uint32
	spilled *vector.Partitions
}

// firstFlush is for how many rows the right pattern is seeded first.
const firstFlush = planner.FewSeeds

func (j *Join) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := &run{Join: j, x: x, emit: emit, hashing: j.Seeds == nil, held: x.Memory.Open("rows on their way through joins")}
	r.pending = vector.NewRows(len(j.Left.Columns()) + 1)
	r.most = x.RowsAtOnce(len(r.pending.Cols) + j.Merged)
	r.flushAt = min(firstFlush, r.most)
	defer r.close()
	if err := operator.Run(j.Left, x, seed, r.add); err != nil {
		return err
	}
	if err := r.flush(); err != nil {
		return err
	}
	if r.spilled != nil {
		return r.joinPartitions()
	}
	return nil
}

func (r *run) close() {
	r.held.Close()
	if r.spilled != nil {
		r.spilled.Close()
	}
}

// add takes a batch of the left input.
func (r *run) add(b *vector.Batch) error {
	if r.hashing {
		return r.probe(b)
	}
	last := len(r.pending.Cols) - 1
	for c := range last {
		r.pending.Cols[c] = append(r.pending.Cols[c], b.Cols[c]...)
	}
	if b.Origin != nil {
		r.pending.Cols[last] = append(r.pending.Cols[last], b.Origin...)
	}
	r.pending.N += b.N
	if r.pending.N < r.flushAt {
		return nil
	}
	r.flushAt = min(2*r.flushAt, operator.MostRows, r.most)
	return r.flush()
}

// flush joins the rows collected so far.
func (r *run) flush() error {
	if r.pending.N == 0 {
		return nil
	}
	if err := r.held.Need(r.pending.Bytes() + vector.Bytes(&r.out)); err != nil {
		return err
	}
	last := len(r.pending.Cols) - 1
	view := &vector.Batch{Cols: r.pending.Cols[:last], N: r.pending.N}
	if r.Seeded {
		view.Origin = r.pending.Cols[last]
	}
	r.fed += r.pending.N
	if !r.hashing && r.fed > planner.FewSeeds && r.Hashed != nil {
		worth, err := r.Hashed.cheaper(r.x, r.fed)
		if err != nil {
			return err
		}
		r.hashing = worth
	}
	var err error
	if r.hashing {
		err = r.probe(view)
	} else {
		err = r.seedWith(view)
	}
	r.pending.Reset()
	return err
}

// seedWith matches the right pattern for the rows of b.
func (r *run) seedWith(b *vector.Batch) error {
	r.begin(b)
	err := r.Seeds.Run(r.x, b, func(right *vector.Batch, side *sideways.Merge) error {
		return r.pairs(right.Cols, right.Origin, nil, right.N, side)
	})
	if err != nil {
		return err
	}
	return r.finish()
}

// probe joins the rows of b with the hash table.
func (r *run) probe(b *vector.Batch) error {
	if err := r.Hashed.build(r.x); err != nil {
		return err
	}
	if r.Hashed.parts != nil {
		return r.spill(b)
	}
	return r.probeTable(b, r.Hashed.table)
}

func (r *run) probeTable(b *vector.Batch, t *vector.Table) error {
	r.begin(b)
	pairs := &vector.Pairs{Left: r.li[:0], Right: r.ri[:0]}
	pairs.Flush = func(li, ri []uint32) error {
		return r.pairs(t.Rows.Cols, li, ri, len(li), &r.Hashed.Spec)
	}
	if err := t.Probe(b, r.Hashed.LeftShared, r.Kind == planner.Minus, pairs); err != nil {
		return err
	}
	if err := pairs.End(); err != nil {
		return err
	}
	r.li, r.ri = pairs.Left, pairs.Right
	return r.finish()
}

// begin starts the pairs of the left rows b.
func (r *run) begin(b *vector.Batch) {
	r.left = *b
	if r.Kind == planner.Inner {
		return
	}
	if cap(r.matched) < b.N {
		r.matched = make([]bool, b.N)
	}
	r.matched = r.matched[:b.N]
	clear(r.matched)
}

// pairs takes pairs of rows: left row li[i] and right row ri[i] (or i, when ri is nil).
func (r *run) pairs(right [][]dictionary.ID, li, ri []uint32, n int, side *sideways.Merge) error {
	if err := r.x.Ended(); err != nil {
		return err
	}
	if len(side.Checks) > 0 {
		li, ri = r.check(right, li, ri, n, side.Checks)
		n = len(li)
	}
	if n == 0 {
		return nil
	}
	if r.Kind == planner.Minus || r.Kind == planner.Left && r.Condition == nil {
		for _, l := range li {
			r.matched[l] = true
		}
	}
	if r.Kind == planner.Minus {
		return nil
	}
	for from := 0; from < n; from += r.most {
		to := min(from+r.most, n)
		if err := r.merge(right, li, ri, from, to, side); err != nil {
			return err
		}
	}
	return nil
}

// merge emits the pairs from … to that the condition allows.
func (r *run) merge(right [][]dictionary.ID, li, ri []uint32, from, to int, side *sideways.Merge) error {
	if ri != nil {
		ri = ri[from:to]
	} else if from > 0 {
		right = r.from(right, from)
	}
	li = li[from:to]
	r.gather(right, li, ri, to-from, side.Columns)
	if r.Condition != nil {
		keep, err := r.Condition.Filter(r.x, &r.out, r.keep[:0])
		if err != nil {
			return err
		}
		r.keep = keep
		if r.Kind == planner.Left {
			for _, k := range keep {
				r.matched[li[k]] = true
			}
		}
		vector.Compact(&r.out, keep)
	}
	return r.send()
}

// from views columns from a row on.
func (r *run) from(cols [][]dictionary.ID, row int) [][]dictionary.ID {
	r.view = r.view[:0]
	for _, col := range cols {
		r.view = append(r.view, col[row:])
	}
	return r.view
}

// send emits the output columns of the merged rows.
func (r *run) send() error {
	if r.out.N == 0 {
		return nil
	}
	b := vector.Batch{Cols: r.out.Cols[:len(r.Join.Out)], N: r.out.N, Origin: r.out.Origin}
	return r.emit(&b)
}

// check drops the pairs that bind a shared variable to different terms.
func (r *run) check(right [][]dictionary.ID, li, ri []uint32, n int, checks []sideways.ColumnPair) ([]uint32, []uint32) {
	outL, outR := make([]uint32, 0, n), make([]uint32, 0, n)
next:
	for i := range n {
		l, rr := li[i], uint32(i)
		if ri != nil {
			rr = ri[i]
		}
		for _, c := range checks {
			a, b := r.left.Cols[c.Left][l], right[c.Right][rr]
			if a != b && a != dictionary.None && b != dictionary.None {
				continue next
			}
		}
		outL, outR = append(outL, l), append(outR, rr)
	}
	return outL, outR
}

// gather writes the merged columns of the pairs to r.out.
func (r *run) gather(right [][]dictionary.ID, li, ri []uint32, n int, merge []sideways.ColumnPair) {
	r.size(len(merge))
	for c, m := range merge {
		col := r.out.Cols[c][:0]
		switch {
		case m.Left < 0 && m.Right < 0:
			col = append(col, vector.Unbound(n)...)
		case m.Left < 0 && ri == nil:
			col = append(col, right[m.Right][:n]...)
		case m.Left < 0:
			col = vector.Gather(col, right[m.Right], ri)
		default:
			col = vector.Gather(col, r.left.Cols[m.Left], li)
			if m.Right >= 0 {
				fillUnbound(col, right[m.Right], ri)
			}
		}
		r.out.Cols[c] = col
	}
	r.out.N = n
	r.origin(li)
}

// fillUnbound replaces unbound values by those of the right row.
func fillUnbound(col, right []dictionary.ID, ri []uint32) {
	for i, id := range col {
		if id != dictionary.None {
			continue
		}
		if ri == nil {
			col[i] = right[i]
		} else {
			col[i] = right[ri[i]]
		}
	}
}

// size makes r.out width columns wide. Columns are the run's own: compact works in place.
func (r *run) size(width int) {
	if cap(r.out.Cols) < width {
		r.out.Cols = make([][]dictionary.ID, width)
	}
	r.out.Cols = r.out.Cols[:width]
}

func (r *run) origin(li []uint32) {
	if !r.Seeded {
		r.out.Origin = nil
		return
	}
	r.out.Origin = vector.Gather(r.out.Origin[:0], r.left.Origin, li)
}

// finish emits the left rows without a partner, where the kind of join wants them.
func (r *run) finish() error {
	if r.Kind == planner.Inner {
		return nil
	}
	alone := r.keep[:0]
	for i, m := range r.matched {
		if !m {
			alone = append(alone, uint32(i))
		}
	}
	r.keep = alone
	if len(alone) == 0 {
		return nil
	}
	lone := r.loneSpec()
	for from := 0; from < len(alone); from += r.most {
		some := alone[from:min(from+r.most, len(alone))]
		r.gather(nil, some, nil, len(some), lone)
		if err := r.send(); err != nil {
			return err
		}
	}
	return nil
}

// loneSpec merges left rows with nothing.
func (r *run) loneSpec() []sideways.ColumnPair {
	lone := make([]sideways.ColumnPair, len(r.Join.Out))
	for i, l := range operator.Indexes(r.Join.Left.Columns(), r.Join.Out) {
		lone[i] = sideways.ColumnPair{Left: int32(l), Right: -1}
	}
	return lone
}
