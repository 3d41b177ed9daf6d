package exec

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/planner"
)

// joinOp joins the solutions of its left input with a pattern on the right.
//
// It begins by seeding: the right pattern is matched for the left solutions that are there, which is cheap while
// they are few (sideways information passing). Once more rows came than the pattern alone would cost, the pattern
// is run once into a hash table, which the remaining rows probe. A pattern that cannot be seeded is hashed at once.
type joinOp struct {
	base
	kind   planner.JoinKind
	left   operator
	seeds  *seededSide // nil: cannot be seeded
	hashed *hashedSide // nil: cannot be hashed
	seeded bool        // the operator has inputs, its batches an Origin
	// condition filters pairs (LeftJoin's expression); its columns are out and then what else it reads.
	condition *predicate
	merged    int // columns of a pair
}

// joinRun is one run of a join.
type joinRun struct {
	*joinOp
	x    *execution
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

func (j *joinOp) run(x *execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	r := &joinRun{joinOp: j, x: x, emit: emit, hashing: j.seeds == nil, held: x.memory.Open("rows on their way through joins")}
	r.pending = vector.NewRows(len(j.left.columns()) + 1)
	r.most = x.rowsAtOnce(len(r.pending.Cols) + j.merged)
	r.flushAt = min(firstFlush, r.most)
	defer r.close()
	if err := measured(j.left, x, seed, r.add); err != nil {
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

func (r *joinRun) close() {
	r.held.Close()
	if r.spilled != nil {
		r.spilled.Close()
	}
}

// add takes a batch of the left input.
func (r *joinRun) add(b *vector.Batch) error {
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
	r.flushAt = min(2*r.flushAt, MostRows, r.most)
	return r.flush()
}

// flush joins the rows collected so far.
func (r *joinRun) flush() error {
	if r.pending.N == 0 {
		return nil
	}
	if err := r.held.Need(r.pending.Bytes() + vector.Bytes(&r.out)); err != nil {
		return err
	}
	last := len(r.pending.Cols) - 1
	view := &vector.Batch{Cols: r.pending.Cols[:last], N: r.pending.N}
	if r.seeded {
		view.Origin = r.pending.Cols[last]
	}
	r.fed += r.pending.N
	if !r.hashing && r.fed > planner.FewSeeds && r.hashed != nil {
		worth, err := r.hashed.cheaper(r.x, r.fed)
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
func (r *joinRun) seedWith(b *vector.Batch) error {
	r.begin(b)
	err := r.seeds.run(r.x, b, func(right *vector.Batch, side *mergeSpec) error {
		return r.pairs(right.Cols, right.Origin, nil, right.N, side)
	})
	if err != nil {
		return err
	}
	return r.finish()
}

// probe joins the rows of b with the hash table.
func (r *joinRun) probe(b *vector.Batch) error {
	if err := r.hashed.build(r.x); err != nil {
		return err
	}
	if r.hashed.parts != nil {
		return r.spill(b)
	}
	return r.probeTable(b, r.hashed.table)
}

func (r *joinRun) probeTable(b *vector.Batch, t *vector.Table) error {
	r.begin(b)
	pairs := &vector.Pairs{Left: r.li[:0], Right: r.ri[:0]}
	pairs.Flush = func(li, ri []uint32) error {
		return r.pairs(t.Rows.Cols, li, ri, len(li), &r.hashed.spec)
	}
	if err := t.Probe(b, r.hashed.leftShared, r.kind == planner.Minus, pairs); err != nil {
		return err
	}
	if err := pairs.End(); err != nil {
		return err
	}
	r.li, r.ri = pairs.Left, pairs.Right
	return r.finish()
}

// begin starts the pairs of the left rows b.
func (r *joinRun) begin(b *vector.Batch) {
	r.left = *b
	if r.kind == planner.Inner {
		return
	}
	if cap(r.matched) < b.N {
		r.matched = make([]bool, b.N)
	}
	r.matched = r.matched[:b.N]
	clear(r.matched)
}

// pairs takes pairs of rows: left row li[i] and right row ri[i] (or i, when ri is nil).
func (r *joinRun) pairs(right [][]dictionary.ID, li, ri []uint32, n int, side *mergeSpec) error {
	if err := r.x.ended(); err != nil {
		return err
	}
	if len(side.checks) > 0 {
		li, ri = r.check(right, li, ri, n, side.checks)
		n = len(li)
	}
	if n == 0 {
		return nil
	}
	if r.kind == planner.Minus || r.kind == planner.Left && r.condition == nil {
		for _, l := range li {
			r.matched[l] = true
		}
	}
	if r.kind == planner.Minus {
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
func (r *joinRun) merge(right [][]dictionary.ID, li, ri []uint32, from, to int, side *mergeSpec) error {
	if ri != nil {
		ri = ri[from:to]
	} else if from > 0 {
		right = r.from(right, from)
	}
	li = li[from:to]
	r.gather(right, li, ri, to-from, side.merge)
	if r.condition != nil {
		keep, err := r.condition.filter(r.x, &r.out, r.keep[:0])
		if err != nil {
			return err
		}
		r.keep = keep
		if r.kind == planner.Left {
			for _, k := range keep {
				r.matched[li[k]] = true
			}
		}
		vector.Compact(&r.out, keep)
	}
	return r.send()
}

// from views columns from a row on.
func (r *joinRun) from(cols [][]dictionary.ID, row int) [][]dictionary.ID {
	r.view = r.view[:0]
	for _, col := range cols {
		r.view = append(r.view, col[row:])
	}
	return r.view
}

// send emits the output columns of the merged rows.
func (r *joinRun) send() error {
	if r.out.N == 0 {
		return nil
	}
	b := vector.Batch{Cols: r.out.Cols[:len(r.joinOp.out)], N: r.out.N, Origin: r.out.Origin}
	return r.emit(&b)
}

// check drops the pairs that bind a shared variable to different terms.
func (r *joinRun) check(right [][]dictionary.ID, li, ri []uint32, n int, checks []columnPair) ([]uint32, []uint32) {
	outL, outR := make([]uint32, 0, n), make([]uint32, 0, n)
next:
	for i := range n {
		l, rr := li[i], uint32(i)
		if ri != nil {
			rr = ri[i]
		}
		for _, c := range checks {
			a, b := r.left.Cols[c.left][l], right[c.right][rr]
			if a != b && a != dictionary.None && b != dictionary.None {
				continue next
			}
		}
		outL, outR = append(outL, l), append(outR, rr)
	}
	return outL, outR
}

// gather writes the merged columns of the pairs to r.out.
func (r *joinRun) gather(right [][]dictionary.ID, li, ri []uint32, n int, merge []columnPair) {
	r.size(len(merge))
	for c, m := range merge {
		col := r.out.Cols[c][:0]
		switch {
		case m.left < 0 && m.right < 0:
			col = append(col, vector.Unbound(n)...)
		case m.left < 0 && ri == nil:
			col = append(col, right[m.right][:n]...)
		case m.left < 0:
			col = vector.Gather(col, right[m.right], ri)
		default:
			col = vector.Gather(col, r.left.Cols[m.left], li)
			if m.right >= 0 {
				fillUnbound(col, right[m.right], ri)
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
func (r *joinRun) size(width int) {
	if cap(r.out.Cols) < width {
		r.out.Cols = make([][]dictionary.ID, width)
	}
	r.out.Cols = r.out.Cols[:width]
}

func (r *joinRun) origin(li []uint32) {
	if !r.seeded {
		r.out.Origin = nil
		return
	}
	r.out.Origin = vector.Gather(r.out.Origin[:0], r.left.Origin, li)
}

// finish emits the left rows without a partner, where the kind of join wants them.
func (r *joinRun) finish() error {
	if r.kind == planner.Inner {
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
func (r *joinRun) loneSpec() []columnPair {
	lone := make([]columnPair, len(r.joinOp.out))
	for i, l := range indexes(r.joinOp.left.columns(), r.joinOp.out) {
		lone[i] = columnPair{int32(l), -1}
	}
	return lone
}
