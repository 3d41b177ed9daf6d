package modifier

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/eval"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Sort sorts solutions by the order of SPARQL 1.1, section 15.1; equal ones keep the order they came in.
//
// With a limit it keeps only the best rows. Past the memory limit sorted runs go to files, which are merged. Many rows are sorted
// by all goroutines that the query gets: they share what sorting consists of (order.go, rank.go).
type Sort struct {
	operator.Base
	Input      operator.Operator
	Keys       []eval.Evaluator
	Descending []bool
	Limit      uint64
	Comparer   *expr.Comparer
	// Ahead, where it is not nil, has the match that the rows come from, which begins with the values of the first key in the order of their IDs, look at a bound
	// in its next run: there it is told which of the values are needed no more.
	Ahead func(*match.Bound)
}

// sortRun is one run of a sort. Its rows are the keys' columns and then the output columns.
type sortRun struct {
	*Sort
	x *operator.Execution
	// at is where the columns of each key begin, and where the output columns do.
	at   []int
	rows *vector.Rows
	held *limits.Account
	runs []*vector.File
	// chosen is room for the numbers of rows that are kept (choose).
	chosen []uint32
	// cutoff is set once there are as many rows as are read.
	cutoff atomic.Pointer[cutoff]
	// bound is that of Sort.Ahead; nil where there is none.
	bound *match.Bound
}

func (s *Sort) Run(x *operator.Execution, seed *vector.Batch, emit func(*vector.Batch) error) error {
	at := s.places()
	r := &sortRun{Sort: s, x: x, at: at, rows: vector.NewRows(at[len(s.Keys)] + len(s.Out)), held: x.Memory.Open("sort")}
	defer r.close()
	if s.Ahead != nil {
		r.bound = &match.Bound{}
		s.Ahead(r.bound)
	}
	if err := r.fill(seed); err != nil {
		return err
	}
	if len(r.runs) == 0 {
		return r.emitSorted(emit)
	}
	if err := r.spill(); err != nil {
		return err
	}
	return r.merge(emit)
}

// fill takes the rows with their keys: where none are dropped, from whoever finds them.
func (r *sortRun) fill(seed *vector.Batch) error {
	keys := &sortKeys{Sort: r.Sort, cutoff: &r.cutoff}
	if r.Limit > 0 {
		return operator.RunStage(keys, r.x, seed, r.add)
	}
	found := operator.NewGather(r.x, len(r.rows.Cols), "sort")
	defer found.Close()
	if err := operator.RunStageAside(keys, r.x, seed, r.add, found.Take); err != nil {
		return err
	}
	if err := found.MoveTo(r.rows, r.add); err != nil {
		return err
	}
	return r.hold()
}

// places is where the columns of each key begin, and where the output columns do: one column with the IDs of terms or, where an expression makes numbers, those of
// number keys.
func (s *Sort) places() []int {
	at := make([]int, len(s.Keys)+1)
	for i := range s.Keys {
		width := 1
		if s.Keys[i].IsOrderedAsNumber() {
			width = expr.NumberKeyColumns
		}
		at[i+1] = at[i] + width
	}
	return at
}

// key are the columns of key k among those of rows.
func (r *sortRun) key(cols [][]dictionary.ID, k int) [][]dictionary.ID {
	return cols[r.at[k]:r.at[k+1]]
}

// output are the output columns among those of rows.
func (r *sortRun) output(cols [][]dictionary.ID) [][]dictionary.ID { return cols[r.at[len(r.Keys)]:] }

func (r *sortRun) close() {
	r.held.Close()
	r.rows.Return()
	for _, f := range r.runs {
		f.Close()
	}
}

// topFactor is how many times the wanted rows are collected before the rest is dropped, fewestCut how many at least: what is kept tells which of the
// rows that follow need not be collected.
const (
	topFactor = 4
	fewestCut = 256
)

// mostCollected is how many rows are collected before all but the best are dropped: from the second time on as many as are worth several goroutines,
// where there are some.
func (r *sortRun) mostCollected() uint64 {
	limit := min(r.Limit, math.MaxInt64/topFactor) // more than there ever are, and no overflow
	if r.bound != nil && r.cutoff.Load() == nil {
		return limit
	}
	if r.cutoff.Load() == nil || r.x.Alone() {
		return max(fewestCut, topFactor*limit)
	}
	return topFactor * (limit + vector.BatchRows)
}

// add takes rows with their keys.
func (r *sortRun) add(b *vector.Batch) error {
	if err := r.rows.AppendBatch(b, r.x.Ended); err != nil {
		return err
	}
	if r.Limit > 0 && uint64(r.rows.N) > r.mostCollected() {
		if err := r.cut(); err != nil {
			return err
		}
	}
	return r.hold()
}

// hold counts the memory of the rows, and writes them to a file when it is too much.
func (r *sortRun) hold() error {
	// Sorting takes a row number and ranks for each key beside the rows; numbers are sorted in three words each.
	if !r.held.Hold(r.rows.Bytes() + int64(r.rows.N)*int64(8+16*len(r.Keys)+12*(r.at[len(r.Keys)]-len(r.Keys)))) {
		return r.spill()
	}
	return nil
}

// cut keeps the best rows, and maybe some more.
func (r *sortRun) cut() error {
	if r.choose() {
		return nil
	}
	order, err := r.order()
	if err != nil {
		return err
	}
	defer vector.Return(order)
	order = order[:min(uint64(len(order)), r.Limit)]
	for c, col := range r.rows.Cols {
		if r.rows.Cols[c], err = r.gathered(col, order); err != nil {
			return err
		}
		vector.Return(col)
	}
	r.rows.N = len(order)
	if uint64(len(order)) == r.Limit && len(r.Keys) > 0 {
		r.end(len(order) - 1)
	}
	return nil
}

// end says that no row is needed which is worse than one, by the first key.
func (r *sortRun) end(row int) {
	r.cutoff.Store(r.newCutoff(row))
	if r.bound != nil {
		r.bound.Beat(r.Comparer.Beaten(r.rows.Cols[0][row], sign(r.Descending[0])))
	}
}

// batchesEach is how many batches of sorted rows are made at a time for each goroutine.
const batchesEach = 4

// emitSorted emits the rows in order; many are picked by all goroutines, some batches at a time.
func (r *sortRun) emitSorted(emit func(*vector.Batch) error) error {
	r.choose()
	order, err := r.order()
	if err != nil {
		return err
	}
	defer vector.Return(order)
	if r.Limit > 0 {
		order = order[:min(uint64(len(order)), r.Limit)]
	}
	view := &vector.Batch{Cols: r.output(r.rows.Cols), N: r.rows.N}
	outs := make([]vector.Batch, r.batchesAtOnce(len(order)))
	r.held.Hold(r.rows.Bytes() + int64(len(order))*4 + int64(len(outs)*vector.BatchRows*4*len(view.Cols)))
	for some := range slices.Chunk(order, len(outs)*vector.BatchRows) {
		parts := slices.Collect(slices.Chunk(some, vector.BatchRows))
		if err := r.units(len(parts), func(i int) error { vector.Select(&outs[i], view, parts[i]); return nil }); err != nil {
			return err
		}
		for i := range parts {
			if err := emit(&outs[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// batchesAtOnce is how many batches of so many sorted rows are made at a time: they take a sixteenth of what the query may hold, at
// most.
func (r *sortRun) batchesAtOnce(rows int) int {
	if !r.shares(rows) {
		return 1
	}
	size := r.x.Memory.Limit() / 16 / int64(4*vector.BatchRows*max(1, len(r.Out)))
	return int(max(1, min(int64(batchesEach*r.x.Copies()), size)))
}

// sign is that of the terms that come after one in an order: Comparer.Beaten's.
func sign(descending bool) int {
	if descending {
		return 1
	}
	return -1
}
