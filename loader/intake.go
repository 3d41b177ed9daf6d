package loader

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Intake is documents on their way into one graph of a store that is open: what was read of them lies in memory, within
// Options.Memory, and in temporary files beyond. Until Stage it has nothing to do with any store, so the store may be changed
// while a long document is read. Not for concurrent use.
type Intake struct {
	l         *load
	documents int
}

// NewIntake begins an intake of documents whose triples go to a graph; the zero Term is the default graph. Options.Memory, Threads,
// TempDir ("" for the system's folder) and Spill count. Close it.
func NewIntake(graph rdf.Term, options Options) (in *Intake, err error) {
	l := newLoad(nil, options.withDefaults())
	var bits [12]byte
	_, _ = rand.Read(bits[:]) // never fails
	l.blanks = "u" + hex.EncodeToString(bits[:]) + "x"
	if graph.IsZero() {
		return &Intake{l: l}, nil
	}
	key, ok := dictionary.AppendKey(nil, graph)
	if !ok {
		return nil, fmt.Errorf("loader: %w: %q", dictionary.ErrTerm, graph)
	}
	if l.into, err = l.terms.id(key); err != nil {
		l.memory.releaseAll()
		return nil, err
	}
	l.triples.graph = l.into
	return &Intake{l: l}, nil
}

// Read reads one document, on as many cores as its format allows. Its blank nodes are others than those of any store and of other
// documents. base is as in [Read]. After an error, a *SyntaxError where it is a fault in the document, the intake is of no more use.
func (in *Intake) Read(ctx context.Context, r io.Reader, format Format, base string) error {
	l := in.l
	if format == NQuads || format == TriG {
		if err := l.nameGraphs(ctx); err != nil {
			return err
		}
	}
	l.sources = []*source{{Input: Input{Name: "the document", Format: format, Reader: r, Base: base}, number: in.documents}}
	in.documents++
	err := l.timed(Reading, func() error { return l.readAll(ctx) })
	var fault *SyntaxError
	if errors.As(err, &fault) {
		fault.File = ""
		return fault
	}
	return err
}

// Triples is how many were read, repeats included.
func (in *Intake) Triples() uint64 { return uint64(in.l.triples.rows.Load()) }

// Close gives back what the intake holds. It may be called again.
func (in *Intake) Close() error {
	err := errors.Join(in.l.releaseFiles(), in.l.met.release())
	in.l.memory.releaseAll()
	return err
}

// Stage writes what was read as a segment of the store whose lock the caller holds, together with what a snapshot of that store has changed (see
// Flush); where most of the store is new then, as a base. It is no part of the store yet (store.Load.Stage): a Flush over it makes it one. staged is
// nil where nothing changes, and nothing is written then.
//
// replaced is what the graph of the intake had before the snapshot, in which it is cleared; nil where what was read is added to
// the graph. Where remember is set, Met tells afterwards which triples the snapshot had. For all else the intake is at its end, whatever comes.
func (in *Intake) Stage(ctx context.Context, lock *store.Lock, s Snapshot, replaced *pcsr.Graph, remember bool) (staged *store.Manifest, err error) {
	in.l.replaced = replaced
	if remember {
		in.l.met = newMetTriples(in.l)
	}
	in.l.conclude = func(c store.Contents) (err error) {
		staged, err = in.l.target.Stage(c)
		return err
	}
	_, err = in.merge(ctx, lock, s)
	return staged, err
}

func (in *Intake) merge(ctx context.Context, lock *store.Lock, s Snapshot) (Report, error) {
	l := in.l
	l.sources = nil
	if err := l.begin(lock, s); err != nil {
		return Report{}, errors.Join(err, in.Close())
	}
	l.firstScope = l.old.manifest.BlankScope + 1
	l.combine = l.joinSnapshot
	l.work = func(ctx context.Context) (err error) {
		defer func() { err = errors.Join(err, l.releaseFiles()) }()
		return l.merge(ctx)
	}
	return l.finish(ctx, nil)
}

// mostlyNew is how many times as many triples as are there must be added, that it pays to make a new base of all: others may wait for
// it.
const mostlyNew = 4

// joinSnapshot is join for a snapshot: what it has changed becomes part of the segment too.
func (l *load) joinSnapshot(ctx context.Context) (done bool, err error) {
	if err := l.timed(Comparing, func() error { return l.compareWith(ctx, l.replaced) }); err != nil {
		return false, err
	}
	added := uint64(l.triples.rows.Load())
	if added == 0 && l.replaced == nil {
		return true, l.timed(Committing, l.leave)
	}
	var edges []oldEdges
	if l.replaced == nil && added/mostlyNew > l.old.manifest.Triples {
		l.old.keepFirst(0)
		edges, err = l.old.allEdges()
	} else {
		edges, err = l.changes(ctx)
	}
	if err != nil {
		return false, err
	}
	return false, l.timed(TakingOver, func() error {
		into, known := l.intoKnown()
		if slices.ContainsFunc(edges, func(e oldEdges) bool { return !known || e.name != into }) {
			if err := l.nameGraphs(ctx); err != nil {
				return err
			}
		}
		return l.takeOver(ctx, edges)
	})
}

// nameGraphs makes room in the rows for graphs other than that of the intake.
func (l *load) nameGraphs(ctx context.Context) (err error) {
	l.triples, err = l.triples.widened(ctx)
	return err
}

// intoKnown is the graph of an intake by the IDs of the snapshot, which may have no term for it.
func (l *load) intoKnown() (name uint32, known bool) {
	if l.into == defaultGraph {
		return defaultGraph, true
	}
	name = l.old.known[l.into]
	return name - 1, name > 0
}

// hasInto reports whether the snapshot has triples of the graphs that the rows are of.
func (l *load) hasInto() (bool, error) {
	name, known := l.intoKnown()
	switch {
	case l.triples.width > rowGraph:
		return true, nil
	case !known:
		return false, nil
	}
	g, err := l.old.Graph(name) // dictionary.None is defaultGraph
	return g != nil && g.Edges() > 0, err
}

// compareWith looks terms and rows up in the snapshot, and drops the rows that it has. Where the rows replace a graph, it looks
// whether that has them all.
func (l *load) compareWith(ctx context.Context, replaced *pcsr.Graph) error {
	if err := l.resolveRuns(ctx); err != nil {
		return err
	}
	if err := l.resolve(ctx); err != nil {
		return err
	}
	if err := l.resolvePredicates(); err != nil {
		return err
	}
	if replaced == nil {
		if has, err := l.hasInto(); err != nil || !has {
			return err
		}
		return l.dropKnown(ctx)
	}
	name, _ := l.intoKnown() // a graph that has triples has a name
	return l.triples.each(ctx, func(_ int, rows []uint32) error {
		f := &edgeFinder{old: l.old, triples: l.triples, graphs: map[uint32]*pcsr.Graph{name: replaced}}
		for ; len(rows) > 0 && !l.differs.Load(); rows = rows[l.triples.width:] {
			known, err := f.find(rows[:l.triples.width])
			if err != nil {
				return err
			}
			if !known {
				l.differs.Store(true)
			}
		}
		return nil
	})
}

// resolveRuns looks the terms of spilled runs up in the old store.
func (l *load) resolveRuns(ctx context.Context) (err error) {
	o, runs := l.old, l.runs.runs
	if o.known, err = grown(l.memory, o.known, int(l.terms.limit())); err != nil {
		return err
	}
	var next atomic.Int64
	return parallel(ctx, min(l.options.Threads, len(runs)), func(ctx context.Context, _ int) error {
		for i := int(next.Add(1)) - 1; i < len(runs); i = int(next.Add(1)) - 1 {
			if err := o.resolveRun(ctx, runs[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (o *oldStore) resolveRun(ctx context.Context, run *termRun) error {
	r := &runReader{file: run.file, end: run.size}
	for n := 0; ; n++ {
		switch err := r.next(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case n%stride == 0 && ctx.Err() != nil:
			return ctx.Err()
		}
		if id, ok := o.Dictionary().LookupKey(r.key); ok {
			o.known[r.id] = id + 1
		}
	}
}

// same reports whether the rows, which were written, replace a graph of the same triples.
func (l *load) same(order *termOrder, written store.Contents) bool {
	if l.replaced == nil || l.differs.Load() {
		return false
	}
	triples := written.DefaultTriples
	if l.into != defaultGraph {
		triples = 0
		if i := slices.IndexFunc(written.Named, func(g store.NamedContents) bool { return g.ID == order.rank[l.into] }); i >= 0 {
			triples = written.Named[i].Triples
		}
	}
	return triples == l.replaced.Edges()
}

// leave ends a load that changes nothing.
func (l *load) leave() error {
	l.report.Unchanged = true
	return l.target.Abort()
}
