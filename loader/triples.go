package loader

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/internal/section"
	"golang.org/x/sync/errgroup"
)

// A row of the triple list is subject, predicate number and object, and, where some input can name graphs, the graph:
// provisional IDs all but the predicate.
const (
	rowSubject = iota
	rowPredicate
	rowObject
	rowGraph
)

// defaultGraph stands in a row for the default graph.
const defaultGraph = ^uint32(0)

// chunkRows is how many rows one chunk of the triple list holds.
const chunkRows = 1 << 19

// tripleList holds what was read, in chunks: in memory as long as these fit, then in a file. Its order means nothing.
type tripleList struct {
	memory *memory
	width  int    // numbers in a row
	graph  uint32 // of all rows, where these have no number for it: provisional, or defaultGraph
	budget int64  // bytes that chunks in memory may take
	files  *tempFiles

	mu     sync.Mutex
	free   [][]uint32 // memory of chunks that went to the file
	chunks []chunk
	held   int64
	file   *tempFile
	size   int64 // of the file
	rows   atomic.Int64
}

// chunk is a piece of the list: in memory, or at a place of the file.
type chunk struct {
	rows  []uint32
	place int64
	count int // numbers
}

// fresh returns an empty chunk to fill and add.
func (l *tripleList) fresh() ([]uint32, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		b := l.free[n-1]
		l.free = l.free[:n-1]
		return b[:0], nil
	}
	b, err := allocate[uint32](l.memory, chunkRows*l.width)
	return b[:0], err
}

// add takes a chunk of fresh over.
func (l *tripleList) add(rows []uint32) error {
	if len(rows) == 0 {
		release(l.memory, rows)
		return nil
	}
	l.rows.Add(int64(len(rows) / l.width))
	size := int64(cap(rows)) * 4
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held+size <= l.budget {
		l.held += size
		l.chunks = append(l.chunks, chunk{rows: rows, count: len(rows)})
		return nil
	}
	if l.file == nil {
		f, err := l.files.create()
		if err != nil {
			return err
		}
		l.file = f
	}
	place := l.size
	l.chunks = append(l.chunks, chunk{place: place, count: len(rows)})
	l.size += int64(len(rows)) * 4
	l.mu.Unlock() // others need not wait for the write
	_, err := l.file.WriteAt(bytesOf(rows), place)
	l.mu.Lock()
	l.free = append(l.free, rows)
	return err
}

// each calls do for every chunk, on all cores; worker tells them apart. The rows must not be changed or kept.
func (l *tripleList) each(ctx context.Context, do func(worker int, rows []uint32) error) error {
	return l.eachChunk(ctx, func(worker int, _ *chunk, rows []uint32) error { return do(worker, rows) })
}

// eachChunk is each for those that change chunks: it hands out every chunk once, with its rows, read back where they
// were spilled.
func (l *tripleList) eachChunk(ctx context.Context, do func(worker int, c *chunk, rows []uint32) error) error {
	var next atomic.Int64
	return parallel(ctx, l.memory.threads, func(ctx context.Context, worker int) error {
		var buffer []uint32
		for i := int(next.Add(1)) - 1; i < len(l.chunks); i = int(next.Add(1)) - 1 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c := &l.chunks[i]
			rows := c.rows
			if rows == nil {
				if buffer == nil {
					buffer = make([]uint32, chunkRows*l.width)
				}
				rows = buffer[:c.count]
				if _, err := l.file.ReadAt(bytesOf(rows), c.place); err != nil {
					return err
				}
			}
			if err := do(worker, c, rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// filter drops the rows that keep does not want, on all cores; the rest stay where they are.
func (l *tripleList) filter(ctx context.Context, keep func(worker int, row []uint32) (bool, error)) error {
	return l.eachChunk(ctx, func(worker int, c *chunk, rows []uint32) error {
		kept := rows[:0]
		for at := 0; at < len(rows); at += l.width {
			row := rows[at : at+l.width]
			if ok, err := keep(worker, row); err != nil {
				return err
			} else if ok {
				kept = append(kept, row...)
			}
		}
		l.rows.Add(-int64(len(rows)-len(kept)) / int64(l.width))
		c.count = len(kept)
		if c.rows != nil {
			c.rows = kept
			return nil
		}
		_, err := l.file.WriteAt(bytesOf(kept), c.place)
		return err
	})
}

// graphOf is the graph of a row of the list: provisional, or defaultGraph.
func (l *tripleList) graphOf(row []uint32) uint32 {
	if l.width > rowGraph {
		return row[rowGraph]
	}
	return l.graph
}

// widened is the list with rows that name their graph, for rows of other graphs to come; the list itself is given back. Nobody may be
// adding to it.
func (l *tripleList) widened(ctx context.Context) (*tripleList, error) {
	if l.width > rowGraph {
		return l, nil
	}
	wide := &tripleList{memory: l.memory, width: rowGraph + 1, budget: l.budget, files: l.files}
	err := l.each(ctx, func(_ int, rows []uint32) error {
		named, err := wide.fresh()
		if err != nil {
			return err
		}
		for ; len(rows) > 0; rows = rows[l.width:] {
			named = append(append(named, rows[:l.width]...), l.graph)
		}
		return wide.add(named)
	})
	return wide, errors.Join(err, l.release())
}

// release gives memory and file back.
func (l *tripleList) release() error {
	for _, c := range l.chunks {
		release(l.memory, c.rows)
	}
	for _, rows := range l.free {
		release(l.memory, rows)
	}
	l.chunks, l.free = nil, nil
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// bytesOf is the memory of numbers, in the machine's byte order: only for files that this process reads again.
func bytesOf[T number](numbers []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers)*int(unsafe.Sizeof(t)))
}

// parallel runs n copies of do and waits for them. The first error cancels the context of the others. A store that
// turns out to be damaged is an error.
func parallel(ctx context.Context, n int, do func(ctx context.Context, worker int) error) error {
	group, within := errgroup.WithContext(ctx)
	for worker := range n {
		group.Go(func() error {
			return section.Guard(func() error { return do(within, worker) })
		})
	}
	err := group.Wait()
	if ctx.Err() != nil { // then copies end without an error, or with one that does not know the cause
		return context.Cause(ctx)
	}
	return err
}

// both runs two functions like parallel, side by side where there are threads for both.
func both(ctx context.Context, threads int, first, second func(ctx context.Context) error) error {
	do := []func(ctx context.Context) error{first, second}
	var next atomic.Int64
	return parallel(ctx, min(threads, len(do)), func(ctx context.Context, _ int) error {
		for i := int(next.Add(1)) - 1; i < len(do); i = int(next.Add(1)) - 1 {
			if err := do[i](ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
