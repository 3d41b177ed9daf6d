package modifier

import (
	"container/heap"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// spill writes the rows collected so far as a sorted run.
func (r *sortRun) spill() error {
	if r.rows.N == 0 {
		return nil
	}
	order, err := r.order()
	if err != nil {
		return err
	}
	defer vector.Return(order)
	if r.Limit > 0 {
		order = order[:min(uint64(len(order)), r.Limit)]
	}
	f, err := r.x.Disk.Create(len(r.rows.Cols))
	if err != nil {
		return err
	}
	r.runs = append(r.runs, f)
	for i, row := range order {
		if err := r.x.Ended.Check(i); err != nil {
			return err
		}
		if err := f.Write(r.rows.Cols, int(row)); err != nil {
			return err
		}
	}
	r.Measured.Spilled += f.Rows * int64(f.Width) * 4
	width := len(r.rows.Cols)
	r.rows.Return()
	r.rows = vector.NewRows(width)
	r.held.Hold(0)
	if len(r.runs) >= r.x.Tuning.MaxRuns {
		return r.compactRuns()
	}
	return nil
}

// runCursor is the next row of a sorted run.
type runCursor struct {
	reader *vector.Reader
	batch  *vector.Batch
	row    int
	number int
}

// runHeap orders the runs by their next rows; of equal rows that of the earlier run comes first.
type runHeap struct {
	*sortRun
	cursors []*runCursor
	rows    int // of a run read at a time
}

func (h *runHeap) Len() int { return len(h.cursors) }

func (h *runHeap) Swap(i, j int) { h.cursors[i], h.cursors[j] = h.cursors[j], h.cursors[i] }

func (h *runHeap) Push(c any) { h.cursors = append(h.cursors, c.(*runCursor)) }

func (h *runHeap) Pop() any {
	last := h.cursors[len(h.cursors)-1]
	h.cursors = h.cursors[:len(h.cursors)-1]
	return last
}

func (h *runHeap) Less(i, j int) bool {
	a, b := h.cursors[i], h.cursors[j]
	for k := range h.Keys {
		if o := h.compareKeys(h.key(a.batch.Cols, k), h.key(b.batch.Cols, k), a.row, b.row); o != 0 {
			return o < 0 != h.Descending[k]
		}
	}
	return a.number < b.number
}

// compareKeys compares a key of two rows of batches.
func (r *sortRun) compareKeys(a, b [][]dictionary.ID, row, other int) int {
	if len(a) > 1 {
		x, y := expr.NumberKeyAt(a, row), expr.NumberKeyAt(b, other)
		return r.Comparer.CompareNumberKeys(&x, &y)
	}
	return r.Comparer.Compare(a[0][row], b[0][other])
}

// mergeRows and mergeCells bound how many rows of a run are read at a time.
const (
	mergeRows  = 512
	mergeCells = 8192
)

// rowsOfRun is how many rows of a run are read at a time.
func (r *sortRun) rowsOfRun() int {
	share := r.x.Memory.Limit() / limits.Reserve / int64(8*len(r.runs))
	return int(max(1, min(mergeRows, min(mergeCells, share)/int64(len(r.rows.Cols)))))
}

// compactRuns merges all runs into one.
func (r *sortRun) compactRuns() error {
	f, err := r.x.Disk.Create(len(r.rows.Cols))
	if err != nil {
		return err
	}
	err = r.eachMerged(func(c *runCursor) error { return f.Write(c.batch.Cols, c.row) })
	for _, old := range r.runs {
		old.Close()
	}
	r.runs = append(r.runs[:0], f)
	return err
}

// merge emits the rows of all runs in order.
func (r *sortRun) merge(emit func(*vector.Batch) error) error {
	out := vector.NewRows(len(r.Out))
	var view vector.Batch
	left := r.Limit
	err := limits.Stopping(func(enough error) error {
		return r.eachMerged(func(c *runCursor) error {
			out.AppendRow(r.output(c.batch.Cols), c.row)
			left--
			if out.N < vector.BatchRows && (r.Limit == 0 || left > 0) {
				return nil
			}
			if err := emit(out.Batch(0, out.N, &view)); err != nil {
				return err
			}
			out.Reset()
			if r.Limit > 0 && left == 0 {
				return enough
			}
			return nil
		})
	})
	if err != nil || out.N == 0 {
		return err
	}
	return emit(out.Batch(0, out.N, &view))
}

// eachMerged visits the rows of all runs in order.
func (r *sortRun) eachMerged(visit func(*runCursor) error) error {
	h := &runHeap{sortRun: r, rows: r.rowsOfRun()}
	merging := r.x.Memory.Open("merge of sorted runs")
	defer merging.Close()
	if err := merging.Need(int64(len(r.runs)) * int64(h.rows*len(r.rows.Cols)*8+r.x.Disk.Buffer())); err != nil {
		return err
	}
	for i, f := range r.runs {
		reader, err := f.Reader()
		if err != nil {
			return err
		}
		b, err := reader.Next(h.rows)
		if err != nil {
			return err
		}
		h.cursors = append(h.cursors, &runCursor{reader: reader, batch: b, number: i})
	}
	heap.Init(h)
	for h.Len() > 0 {
		c := h.cursors[0]
		if c.row == 0 {
			if err := r.x.Ended(); err != nil {
				return err
			}
		}
		if err := visit(c); err != nil {
			return err
		}
		if err := r.advance(h, c); err != nil {
			return err
		}
	}
	return nil
}

// advance moves the first cursor of the heap on.
func (r *sortRun) advance(h *runHeap, c *runCursor) error {
	if c.row++; c.row < c.batch.N {
		heap.Fix(h, 0)
		return nil
	}
	b, err := c.reader.Next(h.rows)
	if err != nil {
		return err
	}
	if b == nil {
		heap.Pop(h)
		return nil
	}
	c.batch, c.row = b, 0
	heap.Fix(h, 0)
	return nil
}
