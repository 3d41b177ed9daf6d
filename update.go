package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/update"
	"github.com/rdfgpu/rdfgpu/parser"
)

// ParseDurability reads what commands and other languages call a Durability: sync, group, group=5ms (how often is the second result,
// 0 where it is not said) or none.
func ParseDurability(text string) (when Durability, every time.Duration, err error) {
	name, interval, timed := strings.Cut(text, "=")
	switch {
	case text == "sync":
		return Synced, 0, nil
	case text == "none":
		return Unsynced, 0, nil
	case text == "group":
		return Grouped, 0, nil
	case name == "group" && timed:
		if every, err = time.ParseDuration(interval); err == nil && every > 0 {
			return Grouped, every, nil
		}
	}
	return 0, 0, fmt.Errorf("%q is no durability: expected sync, group=5ms or none", text)
}

// Durability says when an update is acknowledged.
type Durability uint8

const (
	// Synced updates are on the disk when they are acknowledged: they survive a power cut. Those that wait at the same time
	// share one sync.
	Synced Durability = iota
	// Grouped updates are synced together, once in Options.GroupEvery, and acknowledged then.
	Grouped
	// Unsynced updates are acknowledged once the operating system has them: they survive the end of the process, and all but
	// those of the last second or so a power cut.
	Unsynced
)

// Errors that an update may end with; test with errors.Is.
var (
	// ErrReadOnly: the store was opened without Options.Writable. ErrBusy: another process has it open for writing.
	ErrReadOnly = live.ErrReadOnly
	ErrBusy     = store.ErrBusy
	// ErrBackup: the folder is a backup, which only Backup changes. ErrOtherBackup: it is none, or one of another store.
	ErrBackup      = live.ErrBackup
	ErrOtherBackup = store.ErrOtherBackup
	// ErrConflict: the store is not at the sequence that the update asked for.
	ErrConflict = errors.New("the store has changed since")
	// ErrWriters: more updates wait for their turn than Options.MaxWriters.
	ErrWriters = live.ErrWaiting
	// ErrFailed: the log could not be written. The store takes no more updates until it is opened anew; the one that got this
	// error may be there then.
	ErrFailed = live.ErrFailed
	// ErrGraphExists and ErrNoGraph: what CREATE, and what DROP, CLEAR, COPY, MOVE, ADD, find where they are not SILENT.
	ErrGraphExists = update.ErrGraphExists
	ErrNoGraph     = update.ErrNoGraph
	// ErrUsing: the request names a data set, and the update has its own.
	ErrUsing = update.ErrUsing
	// ErrLoad wraps why LOAD could not read its document.
	ErrLoad = update.ErrLoad
)

// UpdateOptions are the settings of one update.
type UpdateOptions struct {
	Semantics Semantics
	Device    Device
	// Timeout ends the update with ErrTimeout, and without a trace, so long after Update was called, until it is committed;
	// 0 means none.
	Timeout time.Duration
	// MaxMemory is as in QueryOptions.
	MaxMemory int64
	// Base resolves relative IRIs in an update without BASE.
	Base string
	// UsingGraphs and UsingNamedGraphs are the protocol's data set for the WHERE of all operations; an update that itself
	// has USING, USING NAMED or WITH is then an error (SPARQL 1.1 Protocol, section 2.2.3).
	UsingGraphs, UsingNamedGraphs []string
	// IfSequence, where it is not nil, lets the update begin only while the store is at this sequence; else ErrConflict.
	IfSequence *uint64
	// DryRun does everything but commit: the report tells what would change.
	DryRun bool
}

// UpdateReport is what an update did.
type UpdateReport struct {
	// Sequence is that of the commit; of an update that changed nothing, and of a dry run, the store's.
	Sequence uint64 `json:"sequence"`
	// Added and Removed are the triples that came and went, in all graphs: the difference between before and after.
	Added   uint64        `json:"added"`
	Removed uint64        `json:"removed"`
	Graphs  []GraphChange `json:"graphs,omitempty"`
	Elapsed time.Duration `json:"elapsedNanoseconds"`
}

// GraphChange is what an update did to one graph; the default graph has no name.
type GraphChange struct {
	Graph   string `json:"graph,omitempty"`
	Added   uint64 `json:"added"`
	Removed uint64 `json:"removed"`
}

// Update runs the operations of a SPARQL 1.1 Update as one transaction: each sees what those before it did, others see
// all of it or nothing. It returns once the change is as durable as Options.Durability says. Updates run one after the other; readers
// never wait for them. The error is a *SyntaxError where the text is wrong, or wraps ErrReadOnly, ErrConflict, ErrWriters,
// ErrTimeout, ErrMemoryLimit, ErrNoGraph or ErrGraphExists; nothing has changed then.
func (s *Store) Update(ctx context.Context, text string, options UpdateOptions) (report UpdateReport, err error) {
	ctx, cancel := limited(ctx, options.Timeout)
	defer cancel()
	budget := s.budget.pool.Open(options.MaxMemory)
	defer budget.Close()
	parsed, err := parser.ParseUpdate(ctx, text, parser.Options{Base: options.Base, Charge: budget.Meter("the text of the update and its tree").Charge})
	if err != nil {
		return UpdateReport{}, err
	}
	start := time.Now()
	fetched, err := s.fetchLoads(ctx, parsed, options.IfSequence, budget)
	defer func() { err = errors.Join(err, fetched.close()) }()
	if err != nil {
		return UpdateReport{}, err
	}
	if d := fetched.large(parsed); d != nil && !options.DryRun { // updates go on while its files are written
		report, _, err = d.commit(ctx, false, options.IfSequence)
		report.Elapsed = time.Since(start)
		return report, err
	}
	if edit, ok := update.EditOf(ctx, parsed, s.budgets(options)); ok && options.IfSequence == nil && !options.DryRun {
		return s.edit(ctx, edit, options)
	}
	return s.writeFrom(ctx, fetched.begin, options, func(tx *live.Transaction) error {
		settings, err := s.settings(ctx, options)
		if err != nil {
			return err
		}
		if len(s.options.Loads) > 0 {
			settings.Source = fetched.document
		}
		return update.Run(ctx, tx, parsed, settings)
	})
}

// settings are those of an update's operations.
func (s *Store) settings(ctx context.Context, options UpdateOptions) (update.Options, error) {
	device, err := s.backends.Choose(options.Device)
	if err != nil {
		return update.Options{}, err
	}
	settings := update.Options{
		Query: exec.Options{
			Semantics: options.Semantics, Matcher: device.Matcher, Searchers: device.Searcher, Speed: device.Speed(), ShallowBranches: device.ShallowBranches(), TempDir: s.options.TempDir, Base: options.Base,
			Now: time.Now(), Service: s.options.service(), Workers: s.pool.Open(ctx, s.options.Threads),
		},
		Budget: s.budgets(options),
		Using:  options.UsingGraphs, UsingNamed: options.UsingNamedGraphs,
	}
	return settings, nil
}

// budgets opens the memory of an update's operations.
func (s *Store) budgets(options UpdateOptions) func() *limits.Budget {
	return func() *limits.Budget { return s.budget.pool.Open(options.MaxMemory) }
}

// edit commits an edit, together with others that wait.
func (s *Store) edit(ctx context.Context, edit live.Edit, options UpdateOptions) (UpdateReport, error) {
	began := time.Now()
	if _, err := s.backends.Choose(options.Device); err != nil {
		return UpdateReport{}, err
	}
	done, err := s.live.Edit(ctx, edit)
	report := reportOf(done)
	report.Elapsed = time.Since(began)
	return report, causeOf(ctx, err)
}

// write runs a transaction.
func (s *Store) write(ctx context.Context, options UpdateOptions, do func(tx *live.Transaction) error) (UpdateReport, error) {
	return s.writeFrom(ctx, s.live.Begin, options, do)
}

// writeFrom runs a transaction that begin begins.
func (s *Store) writeFrom(
	ctx context.Context, begin func(context.Context) (*live.Transaction, error), options UpdateOptions, do func(tx *live.Transaction) error,
) (report UpdateReport, err error) {
	began := time.Now()
	tx, err := begin(ctx)
	if err != nil {
		return report, err
	}
	defer tx.Abort()
	err = section.Guard(func() error {
		if err := atSequence(tx.Began(), options.IfSequence); err != nil {
			return err
		}
		if err := do(tx); err != nil {
			return err
		}
		report, err = finish(ctx, tx, options.DryRun)
		return err
	})
	if failed := tx.Withdraw(ctx); failed != nil {
		return UpdateReport{}, failed
	}
	report.Elapsed = time.Since(began)
	return report, causeOf(ctx, err)
}

// causeOf is why the context ended, where that is what an error is of.
func causeOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// finish commits a transaction, or tells what it would do.
func finish(ctx context.Context, tx *live.Transaction, dry bool) (UpdateReport, error) {
	end := func() (live.Report, error) { return tx.Commit(ctx) }
	if dry {
		end = tx.Changes
	}
	done, err := end()
	return reportOf(done), err
}

// reportOf tells what a transaction did.
func reportOf(done live.Report) UpdateReport {
	report := UpdateReport{Sequence: done.Sequence}
	for _, g := range done.Graphs {
		report.Added += g.Added
		report.Removed += g.Removed
		report.Graphs = append(report.Graphs, GraphChange{Graph: g.Graph.Value, Added: g.Added, Removed: g.Removed})
	}
	return report
}

// Quad is a triple in a graph; the zero Graph is the default graph.
type Quad = rdf.Quad

// Transaction is a set of changes that become visible together. It is not safe for concurrent use; other updates wait
// until it ends, by Commit or Rollback, one of which must be called. Blank nodes are those of the store with the same labels.
type Transaction struct {
	tx *live.Transaction
}

// Begin waits for its turn and starts a transaction.
func (s *Store) Begin(ctx context.Context) (*Transaction, error) {
	tx, err := s.live.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &Transaction{tx}, nil
}

// Insert adds quads that are not there yet.
func (t *Transaction) Insert(quads ...Quad) error { return update.Insert(t.tx, quads) }

// Delete removes those of the quads that are there.
func (t *Transaction) Delete(quads ...Quad) error { return update.Delete(t.tx, quads) }

// Clear removes a graph's triples; the zero Term is the default graph.
func (t *Transaction) Clear(graph Term) error { return update.Clear(t.tx, graph) }

// Commit makes the changes visible, as durable as Options.Durability says.
func (t *Transaction) Commit(ctx context.Context) (report UpdateReport, err error) {
	began := time.Now()
	err = section.Guard(func() error {
		report, err = finish(ctx, t.tx, false)
		return err
	})
	report.Elapsed = time.Since(began)
	return report, err
}

// Rollback drops the changes; after Commit it does nothing.
func (t *Transaction) Rollback() { t.tx.Abort() }

// Sequence is the number of the last commit that readers see: 0 for a store that was never updated.
func (s *Store) Sequence() uint64 { return s.live.Sequence() }

// WaitFor returns once readers see the commit of a sequence.
func (s *Store) WaitFor(ctx context.Context, sequence uint64) error {
	return s.live.WaitFor(ctx, sequence)
}
