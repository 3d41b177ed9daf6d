package rdfgpu

import (
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/rdfgpu/rdfgpu/internal/results"
)

// Records yields what Write in the format Arrow writes, as record batches in memory of mem, into which it is copied once: for each
// of Variables a column of values and one of kinds, or one column of one boolean. An answer without rows is one batch
// without rows. A batch is
// valid until the next step of the iteration, unless it is retained. An error ends it. A goroutine writes while batches are read; it
// has ended when the iteration has.
func (r *Result) Records(mem memory.Allocator) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		in, out := io.Pipe()
		written := make(chan struct{})
		go func() {
			defer close(written)
			_, err := r.Write(out, Arrow)
			out.CloseWithError(err)
		}()
		defer func() {
			in.CloseWithError(errStop)
			<-written
		}()
		batches, err := results.ReadArrow(in, mem)
		if err != nil {
			yield(nil, err)
			return
		}
		defer batches.Release()
		none := true
		for ; batches.Next(); none = false {
			if !yield(batches.RecordBatch(), nil) {
				return
			}
		}
		if err := batches.Err(); err != nil {
			yield(nil, err)
		} else if none {
			batch := withoutRows(batches.Schema(), mem)
			defer batch.Release()
			yield(batch, nil)
		}
	}
}

// withoutRows is a batch that only tells its columns.
func withoutRows(schema *arrow.Schema, mem memory.Allocator) arrow.RecordBatch {
	columns := make([]arrow.Array, schema.NumFields())
	for i, f := range schema.Fields() {
		columns[i] = array.MakeArrayOfNull(mem, f.Type, 0)
		defer columns[i].Release()
	}
	return array.NewRecordBatch(schema, columns, 0)
}
