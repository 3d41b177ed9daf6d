package gpu

import (
	"slices"
	"time"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// handOut emits the rows of the output columns.
func (q *query) handOut(state *kernels.State) error {
	rows := state.Rows
	if limit := q.task.Limit; limit > 0 {
		rows = min(rows, limit-q.done)
	}
	q.done += rows
	if rows == 0 {
		return nil
	}
	if len(q.out) == 0 {
		return emitMany(rows, q.emit)
	}
	if state.InMailbox != 0 {
		data := q.lane.mailbox()[kernels.Size[kernels.State]():]
		return q.emitColumns(data, int(state.Rows), int(rows))
	}
	if q.selects(rows) {
		if done, err := q.handOutTop(state); done || err != nil {
			return err
		}
	}
	return q.handOutColumns(q.out, rows)
}

// handOutColumns emits rows of columns on the device.
func (q *query) handOutColumns(out []kernels.Address, rows uint64) error {
	begun := time.Now()
	staging, err := q.lane.staging()
	if err != nil {
		return err
	}
	step := stagingBytes / 4 / len(out)
	for first := 0; first < int(rows); first += step {
		if err := q.ctx.Err(); err != nil {
			return err
		}
		n := min(step, int(rows)-first)
		for i, column := range out {
			if err := q.lane.stream.Download(staging[4*step*i:][:4*n], column+4*kernels.Address(first)); err != nil {
				return err
			}
		}
		if err := q.lane.stream.Synchronize(); err != nil {
			return err
		}
		if q.trace != nil {
			q.trace.Download += time.Since(begun)
		}
		if err := q.emitColumns(staging, step, n); err != nil {
			return err
		}
		begun = time.Now()
	}
	return nil
}

// emitColumns emits n rows that lie column by column, stride rows apart.
func (q *query) emitColumns(data []byte, stride, n int) error {
	column := func(i int) []uint32 { return unsafe.Slice((*uint32)(unsafe.Pointer(&data[4*stride*i])), n) }
	b := match.Batch{N: n, Cols: q.columnsOf(column), Passed: q.passed, Distinct: q.eachOnce()}
	if q.Plan.Inputs > 0 {
		b.Origin = column(len(q.output) - 1)
	}
	if i := slices.Index(q.output, q.weightLow()); i >= 0 {
		q.weights = q.weights[:0]
		for r, low := range column(i) {
			q.weights = append(q.weights, uint64(column(i + 1)[r])<<32|uint64(low))
		}
		b.Weights = q.weights
	}
	return q.emitParts(&b)
}

// columnsOf are the columns of a batch, of those of the output.
func (q *query) columnsOf(column func(i int) []dictionary.ID) [][]dictionary.ID {
	cols := make([][]dictionary.ID, len(q.Plan.Output))
	for i, slot := range q.Plan.Output {
		cols[i] = column(slices.Index(q.output, slot))
	}
	return cols
}

// emitRows is the most rows that are emitted at once: those who take them look at the time between two batches, and have workers do some each.
const emitRows = match.BatchRows

// emitParts emits a batch in parts of emitRows.
func (q *query) emitParts(b *match.Batch) error {
	if b.N <= emitRows {
		return q.emit(b)
	}
	part := match.Batch{Cols: make([][]dictionary.ID, len(b.Cols)), Distinct: b.Distinct, Tally: b.Tally, Passed: b.Passed}
	for from := 0; from < b.N; from += emitRows {
		to := min(from+emitRows, b.N)
		part.N = to - from
		for i, column := range b.Cols {
			if column != nil {
				part.Cols[i] = column[from:to]
			}
		}
		if b.Origin != nil {
			part.Origin = b.Origin[from:to]
		}
		if b.Weights != nil {
			part.Weights = b.Weights[from:to]
		}
		if err := q.emit(&part); err != nil {
			return err
		}
		if err := q.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
