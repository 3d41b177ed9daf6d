package loader

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// termRuns are the sorted runs that a term table was spilled to.
type termRuns struct {
	memory  *memory
	files   *tempFiles
	runs    []*termRun
	written int64
}

// termRun is one sorted run, in a nameless file: resources, then literals.
//
// A record is the provisional ID, the length of the key, the length of the sort key (0 where the key sorts by its own
// bytes), the section, the key and the sort key.
type termRun struct {
	file     *tempFile
	literals int64 // where the first literal starts
	size     int64
}

func (r *termRuns) count() int { return len(r.runs) }

const runHeader = 13

// runBuffer is how much of a run is read at a time.
const runBuffer = 1 << 20

// spill writes the terms of the table as one more run, but for those that skip tells.
func (r *termRuns) spill(t *termTable, skip func(id uint32) bool) error {
	resources, literals, err := sortTable(t, skip)
	if err != nil {
		return err
	}
	defer release(t.memory, resources)
	defer release(t.memory, literals)
	f, err := r.files.create()
	if err != nil {
		return err
	}
	run := &termRun{file: f}
	r.runs = append(r.runs, run)
	err = run.write(t, resources)
	if run.literals = run.size; err == nil {
		err = run.write(t, literals)
	}
	if err != nil {
		return fmt.Errorf("loader: spill terms: %w", err)
	}
	r.written += run.size
	return nil
}

// spilledTerms is how many terms are made records of at a time, some megabytes.
const spilledTerms = 1 << 15

// write appends the records of terms: made on all cores, written in order.
func (r *termRun) write(t *termTable, items []item) error {
	parts := (len(items) + spilledTerms - 1) / spilledTerms
	turns := make([]chan struct{}, parts+1)
	for i := range turns {
		turns[i] = make(chan struct{})
	}
	close(turns[0])
	var next atomic.Int64
	return parallel(context.Background(), t.memory.threads, func(ctx context.Context, _ int) error {
		var records []byte
		for i := int(next.Add(1)) - 1; i < parts; i = int(next.Add(1)) - 1 {
			part := items[i*spilledTerms : min((i+1)*spilledTerms, len(items))]
			ref := func(i int) uint64 { return part[i].ref }
			records = records[:0]
			for j, it := range part {
				t.readAhead(j, len(part), ref)
				records = appendRunRecord(records, t.idAt(it.ref), t.keyAt(it.ref))
			}
			select {
			case <-turns[i]:
			case <-ctx.Done():
				return ctx.Err()
			}
			if _, err := r.file.Write(records); err != nil {
				return err
			}
			r.size += int64(len(records))
			close(turns[i+1])
		}
		return nil
	})
}

func appendRunRecord(dst []byte, id uint32, key []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, id)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(key)))
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0)
	dst = append(dst, key...)
	end := len(dst)
	section := dictionary.SectionOf(key)
	if key[0] == '#' || key[0] == '^' {
		dst, section, _ = dictionary.AppendSortKey(dst, key) // a key of ours
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-end))
	dst[at+4] = byte(section)
	return dst
}

// release closes the files, which removes them.
func (r *termRuns) release() (err error) {
	for _, run := range r.runs {
		err = errors.Join(err, run.file.Close())
	}
	r.runs = nil
	return err
}

// order merges the runs: every provisional ID gets the rank of its term, and the terms go, in order, to two files, but for those
// that skip tells.
// Resources and literals are merged side by side.
func (r *termRuns) order(ctx context.Context, predicateKeys []string, skip func(id uint32) bool, limit uint64) (o *termOrder, err error) {
	o = &termOrder{predicates: uint32(len(predicateKeys))}
	if o.rank, err = allocate[uint32](r.memory, int(limit)); err != nil {
		return nil, err
	}
	source, err := newFileSource(r.memory, r.files)
	if err != nil {
		return nil, err
	}
	o.terms = source
	resources := &runMerge{rank: o.rank, out: source.resources, skip: skip, labels: predicateKeys}
	literals := &runMerge{rank: o.rank, out: source.literals, skip: skip, backwards: true}
	err = both(ctx, r.memory.threads, func(ctx context.Context) error {
		return resources.run(ctx, r.readers(func(run *termRun) (from, to int64) { return 0, run.literals }))
	}, func(ctx context.Context) error {
		return literals.run(ctx, r.readers(func(run *termRun) (from, to int64) { return run.literals, run.size }))
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("loader: merge terms: %w", err), source.release())
	}
	r.written += source.resources.size + source.literals.size
	o.resources, o.literals = int(resources.terms), int(literals.terms)
	r.memory.inRanges(len(o.rank), func(from, to int) {
		for i := from; i < to; i++ {
			if n := ^o.rank[i]; n < literals.terms {
				o.rank[i] = resources.terms + n
			}
		}
	})
	for i, id := range resources.pending {
		o.rank[id] = resources.terms + literals.terms + resources.ranks[i]
	}
	return o, nil
}

// readers reads a part of each run.
func (r *termRuns) readers(part func(*termRun) (from, to int64)) (readers []*runReader) {
	for _, run := range r.runs {
		from, to := part(run)
		readers = append(readers, &runReader{file: run.file, at: from, end: to})
	}
	return readers
}
