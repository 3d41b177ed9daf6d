package rdfgpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/internal/update"
	"github.com/rdfgpu/rdfgpu/loader"
)

// documents are what a request brings for one graph. They are read before it takes its turn to write, so that nobody waits for who
// sends them: as texts, or, where these are large together, by an intake.
type documents struct {
	store  *Store
	graph  Term
	base   string
	budget *limits.Budget

	texts  []text
	length int64 // of all texts
	intake *live.Intake
}

// text is one document in memory.
type text struct {
	format  loader.Format
	content []byte
}

// defaultLarge is Options.LargeDocument where that is 0: some hundred thousand triples. Below, a commit of its own files, with
// their syncs, takes longer than the log does.
const defaultLarge = 16 << 20

func (s *Store) newDocuments(graph Term, base string, budget *limits.Budget) *documents {
	return &documents{store: s, graph: graph, base: base, budget: budget}
}

// read takes one document.
func (d *documents) read(ctx context.Context, document Document) error {
	format, err := loader.ParseFormat(document.Format)
	if err != nil {
		return err
	}
	if d.intake != nil {
		return d.take(ctx, document.Body, format)
	}
	head, whole, err := d.head(document.Body)
	if err != nil {
		return err
	}
	if whole {
		d.texts = append(d.texts, text{format, head})
		return nil
	}
	if err := d.begin(ctx); err != nil {
		return err
	}
	return d.take(ctx, io.MultiReader(bytes.NewReader(head), document.Body), format)
}

// take has the intake read a text. A full disk of temporary files is a limit like that on all of them.
func (d *documents) take(ctx context.Context, body io.Reader, format loader.Format) error {
	err := d.intake.Loader().Read(ctx, body, format, d.base)
	if machine.DiskFull(err) {
		return fmt.Errorf("rdfgpu: the disk of the temporary files is full (%v): %w", err, ErrSpillLimit)
	}
	return err
}

// head reads a document up to the length from which on all of them together are large.
func (d *documents) head(body io.Reader) (head []byte, whole bool, err error) {
	large := d.store.options.LargeDocument
	if large <= 0 {
		large = defaultLarge
	}
	var b bytes.Buffer
	n, err := io.CopyN(&b, &charged{body, d.budget.Meter("the text of documents").Charge}, large-d.length)
	d.length += n
	if err == io.EOF {
		return b.Bytes(), true, nil
	}
	return b.Bytes(), false, err
}

// charged counts what is read.
type charged struct {
	io.Reader
	charge func(int64) error
}

// Read reads on.
func (c *charged) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if full := c.charge(textCopies * int64(n)); full != nil {
		return n, full
	}
	return n, err
}

// textCopies is how many times its length a text takes while its buffer grows.
const textCopies = 2

// begin begins an intake with the texts that are here.
func (d *documents) begin(ctx context.Context) (err error) {
	if err := d.budget.Meter("large documents").Charge(d.store.intakeMemory()); err != nil {
		return err
	}
	if d.intake, err = d.store.live.NewIntake(d.graph); err != nil {
		return err
	}
	for _, t := range d.texts {
		if err := d.take(ctx, bytes.NewReader(t.content), t.format); err != nil {
			return err
		}
	}
	d.texts = nil
	return nil
}

// intakeMemory is what an intake may hold: a part of what queries may.
func (s *Store) intakeMemory() int64 {
	if live := s.budget.Usage().Live; live > 0 {
		return min(mostIntake, live/4)
	}
	return mostIntake
}

const mostIntake = 512 << 20

func (d *documents) close() error {
	if d.intake == nil {
		return nil
	}
	return d.intake.Close()
}

// commit adds the documents to their graph, or replaces it with them. existed tells whether it had triples.
func (d *documents) commit(ctx context.Context, replace bool, wanted *uint64) (report UpdateReport, existed bool, err error) {
	began := func(state *live.State) error {
		if err := atSequence(state, wanted); err != nil {
			return err
		}
		existed, err = hasGraph(state, d.graph)
		return err
	}
	if d.intake != nil {
		merged, err := d.intake.Commit(ctx, replace, began)
		if err != nil && ctx.Err() != nil && !errors.Is(err, ErrFailed) {
			err = context.Cause(ctx)
		}
		return reportOf(merged), existed, err
	}
	report, err = d.store.write(ctx, UpdateOptions{}, func(tx *live.Transaction) error {
		if err := began(tx.State()); err != nil {
			return err
		}
		for i, t := range d.texts {
			if err := update.Put(tx, d.graph, replace && i == 0, d.budget, func(emit func(Quad) error) error {
				return loader.Read(bytes.NewReader(t.content), t.format, d.base, emit)
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return report, existed, err
}

// atSequence is ErrConflict where a state is not at the sequence that is wanted; nil is any.
func atSequence(state *live.State, wanted *uint64) error {
	if wanted != nil && *wanted != state.Sequence() {
		return fmt.Errorf("%w: it is at %d, not at %d", ErrConflict, state.Sequence(), *wanted)
	}
	return nil
}

// put reads documents, and then commits them.
func (s *Store) put(ctx context.Context, graph Term, base string, body Document, options GraphOptions) (report UpdateReport, existed bool, err error) {
	start := time.Now()
	if err := s.mayChange(options.IfSequence); err != nil {
		return report, false, err
	}
	budget := s.budget.pool.Open(0)
	defer budget.Close()
	d := s.newDocuments(graph, base, budget)
	defer func() { err = errors.Join(err, d.close()) }()
	for next := body; err == nil; {
		if err = d.read(ctx, next); err == nil {
			next, err = options.next()
		}
	}
	if err != io.EOF {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return report, false, err
	}
	report, existed, err = d.commit(ctx, options.Replace, options.IfSequence)
	report.Elapsed = time.Since(start)
	return report, existed, err
}

// next is the next document; io.EOF where there is none.
func (o *GraphOptions) next() (Document, error) {
	if o.Next == nil {
		return Document{}, io.EOF
	}
	return o.Next()
}

// mayChange refuses what will be refused once all has been read.
func (s *Store) mayChange(wanted *uint64) error {
	if !s.live.Writable() {
		return ErrReadOnly
	}
	if err := s.live.Failed(); err != nil {
		return err
	}
	if now := s.Sequence(); wanted != nil && *wanted < now {
		return fmt.Errorf("%w: it is at %d, not at %d", ErrConflict, now, *wanted)
	}
	return nil
}
