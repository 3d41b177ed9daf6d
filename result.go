package rdfgpu

import (
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/terms"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/backend"
	"github.com/rdfgpu/rdfgpu/internal/results"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Result is the outcome of a query, read once, by one of Boolean, Count, Batches, Rows, Triples or Write, in one
// goroutine. The query runs while the result is read.
type Result struct {
	store   *Store
	query   *parser.Query
	plan    *exec.Plan
	data    *dataset
	device  *backend.Choice
	watch   *watch
	ctx     context.Context
	cancel  context.CancelFunc
	budget  *limits.Budget
	workers *schedule.Share
	began   time.Time
	timings Timings
	read    bool
	damage  atomic.Pointer[error] // the first that Term met
}

// errRead: a result was read twice.
var errRead = errors.New("rdfgpu: the result has been read already")

// Kind says what the result is.
func (r *Result) Kind() Kind {
	switch r.query.Form {
	case parser.Ask:
		return Boolean
	case parser.Construct, parser.Describe:
		return Triples
	}
	return Solutions
}

// Variables are the names of the columns: those a SELECT exposes, or subject, predicate and object; none for ASK.
func (r *Result) Variables() []string { return r.plan.Variables() }

// Term decodes an ID of this result's batches; the zero Term for dictionary.None, and for a term that is damaged, of
// which Err tells. It may be called from several goroutines.
func (r *Result) Term(id ID) (t Term) {
	err := section.Guard(func() error {
		t = r.plan.Terms().Term(id)
		return nil
	})
	if err != nil {
		r.damage.CompareAndSwap(nil, &err)
	}
	return t
}

// Timings are complete once the result has been read.
func (r *Result) Timings() Timings { return r.timings }

// Close ends the query, if it still runs, and frees what it holds.
func (r *Result) Close() error {
	r.watch.close()
	r.cancel()
	r.budget.Close()
	r.data.Release()
	return nil
}

// once marks the result as read and returns a function that notes the time when reading is done.
func (r *Result) once() (done func(), err error) {
	if r.read {
		return nil, errRead
	}
	r.read = true
	start := time.Now()
	r.watch.enter(running)
	return func() {
		r.watch.enter(idle)
		now := time.Now()
		r.timings.Match = now.Sub(start) - r.timings.Decode - r.timings.Write
		r.timings.Total = now.Sub(r.began)
		spent := r.device.Spent()
		r.timings.Upload, r.timings.Kernels, r.timings.Download = spent.Upload, spent.Kernels, spent.Download
	}, nil
}

// Boolean is the answer of ASK; of another query, whether it has a solution.
func (r *Result) Boolean() (bool, error) {
	done, err := r.once()
	if err != nil {
		return false, err
	}
	defer done()
	answer, err := r.plan.Ask(r.ctx)
	return answer, r.outcome(err)
}

// Count is the number of solutions (or triples).
func (r *Result) Count() (uint64, error) {
	done, err := r.once()
	if err != nil {
		return 0, err
	}
	defer done()
	n, err := r.plan.Count(r.ctx)
	return n, r.outcome(err)
}

// Err is the damage that Term met, if any: the error wraps ErrDamaged.
func (r *Result) Err() error { return r.outcome(nil) }

// outcome is the error that the reader should see: a damaged graph or term before what it led to, a limit before the
// cancellation that it caused.
func (r *Result) outcome(err error) error {
	if damage := r.damage.Load(); damage != nil {
		return *damage
	}
	if r.data.err != nil {
		return r.data.err
	}
	if damage := r.data.Dictionary().Err(); damage != nil {
		return damage
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		if cause := context.Cause(r.ctx); cause != nil {
			return cause
		}
	}
	return err
}

// errStop ends a run whose reader wants no more.
var errStop = errors.New("rdfgpu: stop")

// Batches yields the solutions (or triples) as columns of IDs, one column for each of Variables. A batch is valid
// until the next step of the iteration. An error ends it. IDs below the number of the store's terms are of one term each; a term that the query computes may
// have several, and other ones than in the store.
func (r *Result) Batches() iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		done, err := r.once()
		if err != nil {
			yield(nil, err)
			return
		}
		defer done()
		r.run(r.plan.Run, yield)
	}
}

// factorised yields the solutions in batches as the plan has them, with weights and lists.
func (r *Result) factorised() iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		done, err := r.once()
		if err != nil {
			yield(nil, err)
			return
		}
		defer done()
		r.run(r.plan.RunFactorised, yield)
	}
}

// run yields the batches of a run of the plan.
func (r *Result) run(run func(context.Context, func(*Batch) error) error, yield func(*Batch, error) bool) {
	err := run(r.ctx, func(b *Batch) error {
		start := time.Now()
		r.watch.enter(writing)
		more := yield(b, nil)
		r.watch.enter(running)
		r.timings.Decode += time.Since(start)
		if !more {
			return errStop
		}
		return nil
	})
	if err == errStop {
		return
	}
	if err = r.outcome(err); err != nil {
		yield(nil, err)
	}
}

// Rows yields the solutions (or triples) as terms, one for each of Variables, the zero Term where unbound. The slice
// is reused. An error ends the iteration.
func (r *Result) Rows() iter.Seq2[[]Term, error] {
	return func(yield func([]Term, error) bool) {
		row := make([]Term, len(r.Variables()))
		for batch, err := range r.Batches() {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range batch.N {
				for c, column := range batch.Cols {
					row[c] = r.Term(column[i])
				}
				if err := r.Err(); err != nil {
					yield(nil, err)
					return
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// everything is more rows than an answer has.
const everything = math.MaxUint64

// Write writes the result in a format, streaming, and returns the number of solutions or triples written (1 for a
// boolean).
func (r *Result) Write(w io.Writer, format Format) (uint64, error) {
	return r.writeTimed(w, format, everything, nil)
}

// WritePart is Write for the first send solutions or triples, which w has before the rest is counted; it returns how many there are,
// which JSON tells too, as a member "rows" beside the results.
func (r *Result) WritePart(w io.Writer, format Format, send uint64) (uint64, error) {
	return r.writeTimed(w, format, send, nil)
}

// writeTimed writes the first send rows of the result and counts all; seen, where it is not nil, is called with each batch that has
// been written.
func (r *Result) writeTimed(w io.Writer, format Format, send uint64, seen func(*Batch) error) (uint64, error) {
	timed := &timedWriter{w: w}
	n, err := r.write(timed, format, send, seen)
	r.watch.enter(idle)
	r.timings.Write = timed.spent
	r.timings.Decode = max(r.timings.Decode-timed.spent, 0)
	return n, err
}

func (r *Result) write(w io.Writer, format Format, send uint64, seen func(*Batch) error) (uint64, error) {
	if r.Kind() == Boolean {
		answer, err := r.Boolean()
		if err != nil {
			return 0, err
		}
		return 1, results.WriteBoolean(w, format, answer)
	}
	out, err := results.NewWriter(w, format, r.Variables(), decoder{r.plan.Terms(), r.data.Dictionary()},
		results.Options{Prefixes: r.query.Prefixes, Workers: r.workers, Charge: r.charge()})
	if err != nil {
		return 0, err
	}
	rows := uint64(0)
	for batch, err := range r.factorised() {
		if err == nil {
			var n uint64
			n, err = writeFirst(out, batch, send-min(rows, send))
			rows += n
		}
		if err == nil && seen != nil {
			err = seen(batch)
		}
		if err != nil {
			r.workers.Enter()
			out.Abort()
			r.workers.Leave()
			return rows, err
		}
	}
	if send != everything {
		out.Total(rows)
	}
	r.watch.enter(writing)
	r.workers.Enter()
	defer r.workers.Leave()
	return rows, r.outcome(out.Close()) // terms are decoded up to here
}

// writeFirst writes up to most solutions of a batch, and returns how many it has. With the last of them, all that was written is handed on.
func writeFirst(out *results.Writer, batch *Batch, most uint64) (all uint64, err error) {
	all = batch.AllSolutions()
	if all < most {
		return all, out.WriteBatch(batch)
	}
	if most == 0 {
		return all, nil
	}
	var rows Batch
	for part := range batch.Runs(int(min(most, vector.BatchRows))) {
		if part.Factorised() {
			part = part.Enumerate(&rows)
		}
		n := int(min(uint64(part.N), most))
		if err := out.Write(part.Cols, n); err != nil {
			return all, err
		}
		if most -= uint64(n); most == 0 {
			break
		}
	}
	return all, out.Flush()
}

// charge counts what the answer takes on its way, and says why it must end.
func (r *Result) charge() func(bytes int64) error {
	meter := r.budget.Meter("the answer on its way")
	return func(bytes int64) error {
		if err := meter.Charge(bytes); err != nil {
			return err
		}
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		return nil
	}
}

// timedWriter measures the time spent in a writer.
type timedWriter struct {
	w     io.Writer
	spent time.Duration
}

func (t *timedWriter) Write(p []byte) (int, error) {
	start := time.Now()
	n, err := t.w.Write(p)
	t.spent += time.Since(start)
	return n, err
}

// decoder writes the IDs of one query: the store's terms straight from the dictionary, the rest as computed.
type decoder struct {
	terms      *terms.Terms
	dictionary *dictionary.Dictionary
}

// Warm reads what will be needed to decode these terms.
func (d decoder) Warm(ids []ID) {
	if d.terms.Computed() == 0 {
		d.dictionary.Warm(ids)
	}
}

// AppendNTriples appends the term in N-Triples syntax.
func (d decoder) AppendNTriples(dst []byte, id ID) []byte {
	if id < d.terms.Base() {
		return d.dictionary.AppendNTriples(dst, id)
	}
	return d.terms.AppendNTriples(dst, id)
}

// AppendHot is AppendNTriples for the terms of a small answer.
func (d decoder) AppendHot(dst []byte, id ID) []byte {
	if id < d.terms.Base() {
		return d.dictionary.AppendHot(dst, id)
	}
	return d.AppendNTriples(dst, id)
}

// AppendText appends the term's Value, and returns its Sort.
func (d decoder) AppendText(dst []byte, id ID) (text []byte, sort string) {
	if id < d.terms.Base() {
		return d.dictionary.AppendText(dst, id)
	}
	return d.terms.AppendText(dst, id)
}

// Repeats reports whether there may be another ID of the same term.
func (d decoder) Repeats(id ID) bool { return d.terms.Repeats(id) }

// Sequence is that of the last commit that the query reads.
func (r *Result) Sequence() uint64 { return r.data.Sequence() }

// Repeatable reports whether the query means the same each time it is asked of the same data: it asks no SERVICE and calls none
// of NOW, RAND, UUID, STRUUID and BNODE.
func (r *Result) Repeatable() bool { return r.query.Repeatable() }
