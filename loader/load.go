package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Load reads the inputs into the store in dir, replacing what was there once everything has been read and written. It
// leaves either the old store or the new one, whenever it ends. A fault in an input is a [*SyntaxError].
func Load(ctx context.Context, dir string, inputs []Input, options Options) (Report, error) {
	sources, err := prepare(inputs)
	if err != nil {
		return Report{}, err
	}
	target, err := options.begin(dir)
	if err != nil {
		return Report{}, err
	}
	l := newLoad(sources, options.withDefaults())
	l.aim(target)
	if options.Append {
		l.old, err = openOld(dir)
	}
	return l.finish(ctx, err)
}

// load is one load at work.
type load struct {
	options Options
	target  *store.Load
	sources []*source
	memory  *memory
	files   *tempFiles
	report  Report
	start   time.Time

	old        *oldStore // nil where the load replaces it
	firstScope int       // of the inputs' blank nodes
	blanks     string    // in its place, what the labels of an intake begin with
	into       uint32    // the graph of statements that name none: provisional, or defaultGraph
	// work is the load, once all is prepared.
	work func(ctx context.Context) error
	// combine makes what is in the store already, or in a snapshot, part of what was read; done says that the load has ended.
	combine func(ctx context.Context) (done bool, err error)

	// conclude ends the load, with what the files have that it wrote.
	conclude func(store.Contents) error

	// met are the triples of an intake that the store has; nil where nobody will ask.
	met *metTriples

	gone gone // what a flush removes
	// replaced is the graph that an intake replaces, and differs whether it has other triples.
	replaced *pcsr.Graph
	differs  atomic.Bool

	terms   *termTable
	gate    sync.RWMutex // held for reading while the term table is in use, for writing while it is spilled
	runs    *termRuns
	names   *predicates
	triples *tripleList
	classes map[uint32]uint32
	uses    []uint64

	mu      sync.Mutex // of report.Skipped and classes
	read    atomic.Int64
	total   int64
	phase   atomic.Pointer[Phase]
	written atomic.Int64 // keys, for the progress
}

func newLoad(sources []*source, options Options) *load {
	l := &load{options: options, sources: sources, into: defaultGraph, start: time.Now()}
	l.memory = newMemory(options.Threads)
	l.files = &tempFiles{folder: options.TempDir, spill: options.Spill}
	l.terms = newTermTable(l.memory)
	l.names = newPredicates()
	width := 3
	for _, s := range sources {
		l.total += s.size
		if s.Format == NQuads || s.Format == TriG {
			width = 4
		}
	}
	l.triples = &tripleList{memory: l.memory, width: width, graph: defaultGraph, budget: options.Memory / 4, files: l.files}
	l.combine, l.work, l.conclude = l.join, l.run, l.commit
	l.runs = &termRuns{memory: l.memory, files: l.files}
	return l
}

// aim makes a folder that of the load.
func (l *load) aim(target *store.Load) {
	l.target = target
	l.report.Removed = target.Removed()
	if l.options.TempDir == "" {
		l.files.folder = target.Dir()
	}
}

func (l *load) run(ctx context.Context) (err error) {
	stop := l.reportProgress()
	defer stop()
	defer func() { err = errors.Join(err, l.releaseFiles()) }()
	if l.old != nil {
		l.firstScope = l.old.manifest.BlankScope + 1
		if l.old.manifest.NamedGraphs() > 0 || slices.ContainsFunc(l.old.Changed(), isNamed) {
			l.triples.width = 4
		}
	}
	if err := l.timed(Reading, func() error { return l.readAll(ctx) }); err != nil {
		return err
	}
	l.report.Read = uint64(l.triples.rows.Load())
	l.report.InputBytes = l.read.Load()
	return l.merge(ctx)
}

// releaseFiles removes the temporary files.
func (l *load) releaseFiles() error { return errors.Join(l.triples.release(), l.runs.release()) }

// merge makes a store, or a segment of one, of what was read.
func (l *load) merge(ctx context.Context) (err error) {
	if l.old != nil {
		if done, err := l.combine(ctx); done || err != nil {
			return err
		}
	}
	labels, keys := l.names.sorted(l.uses, l.old.first(), l.old.label)
	var order *termOrder
	err = l.timed(SortingTerms, func() (err error) {
		order, err = l.orderTerms(ctx, keys)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, order.terms.release()) }()
	var position, groups []uint32
	err = l.timed(OrderingTerms, func() (err error) {
		position, groups, err = arrange(ctx, l.triples, order, labels, l.classes)
		if err == nil {
			order.toFinal(l.memory, position)
		}
		return err
	})
	if err != nil {
		return err
	}
	var contents store.Contents
	err = l.timed(WritingTriples, func() error {
		return both(ctx, l.options.Threads, func(ctx context.Context) error {
			return l.writeTerms(ctx, order, keys, position, groups)
		}, func(ctx context.Context) (err error) {
			contents, err = l.writeTriples(ctx, order, labels)
			return err
		})
	})
	if err != nil {
		return err
	}
	l.report.SpilledBytes = l.triples.size + l.runs.written
	if l.same(order, contents) {
		return l.timed(Committing, l.leave)
	}
	return l.timed(Committing, func() error { return l.conclude(contents) })
}

// orderTerms sorts the terms and, where they were spilled, merges the runs.
func (l *load) orderTerms(ctx context.Context, keys []string) (order *termOrder, err error) {
	limit := l.terms.limit()
	if l.old != nil {
		limit = max(limit, uint64(l.old.borrowedFrom)+uint64(len(l.old.borrowed)))
	}
	if l.runs.count() == 0 {
		order, err = orderTable(l.terms, keys, l.old.skips, limit)
	} else {
		if err := l.spillTerms(); err != nil {
			return nil, err
		}
		l.terms.release()
		l.report.TermRuns = l.runs.count()
		order, err = l.runs.order(ctx, keys, l.old.skips, limit)
	}
	if err != nil {
		return nil, err
	}
	l.settle(order)
	if err := l.checkSize(order); err != nil {
		return nil, errors.Join(err, order.terms.release())
	}
	return order, nil
}

// checkSize refuses a store with more terms than IDs.
func (l *load) checkSize(order *termOrder) error {
	if uint64(order.first)+uint64(order.size()) >= uint64(dictionary.None) {
		return fmt.Errorf("loader: %w", errTooManyTerms)
	}
	return nil
}

// toFinal makes the ranks IDs: predicates, resources by position, literals; the terms of the store keep theirs.
func (o *termOrder) toFinal(m *memory, position []uint32) {
	resources, terms, all := uint32(o.resources), uint32(o.resources+o.literals), uint32(o.size())
	m.inRanges(len(o.rank), func(from, to int) {
		first, predicates := o.first, o.first+o.predicates
		for i := from; i < to; i++ {
			switch r := o.rank[i]; {
			case r < resources:
				o.rank[i] = predicates + position[r]
			case r < terms:
				o.rank[i] = predicates + r
			case r < all:
				o.rank[i] = first + r - terms
			default:
				o.rank[i] = r - all
			}
		}
	})
}

func (l *load) writeTerms(ctx context.Context, order *termOrder, keys []string, position, groups []uint32) error {
	w, err := dictionary.CreateOn(l.target.Disk(), l.target.Dir())
	if err != nil {
		return err
	}
	for _, k := range keys {
		if _, err = w.Predicate([]byte(k)); err != nil {
			break
		}
	}
	if err == nil {
		err = order.terms.writeResources(ctx, w, position, groups)
	}
	if err == nil {
		err = order.terms.writeLiterals(ctx, w)
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Finish()
}

func (l *load) writeTriples(ctx context.Context, order *termOrder, labels []uint32) (store.Contents, error) {
	cells, names, err := countCells(ctx, l.triples, order.rank, labels, l.uses)
	if err != nil {
		return store.Contents{}, err
	}
	e := &edgeWriter{
		triples: l.triples, final: order.rank, labels: labels, cells: cells, budget: l.options.Memory / 2,
		vertices: int(order.first) + order.size(), labelCount: int(order.predicates),
		path: func(graph int) string {
			if graph == 0 {
				return l.target.DefaultPath()
			}
			return l.target.NamedPath(graph - 1)
		},
		listed: l.target.ListsPath(), listFrom: l.options.listFrom, step: func(n int) { l.written.Add(int64(n)) }, options: []pcsr.Option{pcsr.OnDisk(l.target.Disk())},
	}
	if l.old != nil && l.old.keep > 0 { // labels of an added segment may be any IDs
		e.labelCount = e.vertices
	}
	if t := labels[typeNumber]; int(t) < e.vertices {
		e.options = append(e.options, pcsr.WithTypeLabel(t))
	} else if t, ok := l.old.typeLabel(); ok {
		e.options = append(e.options, pcsr.WithTypeLabel(t))
	}
	if err := e.write(ctx, names); err != nil {
		return store.Contents{}, err
	}
	contents := store.Contents{
		Sources: l.sourceNames(), BlankScope: max(0, l.firstScope+len(l.sources)-1), Log: l.old.log(), Terms: order.size(),
		Predicates: int(order.predicates), LatePredicates: l.old.latePredicates(labels), DefaultTriples: e.graphs[0].edges,
	}
	contents.Removed, contents.Cleared = l.gone.removed, l.gone.cleared
	if l.old != nil {
		contents.Keep = l.old.keep
	}
	for i, id := range names.ids {
		contents.Named = append(contents.Named, store.NamedContents{ID: id, Triples: e.graphs[i+1].edges, First: e.graphs[i+1].first})
	}
	return contents, nil
}

// sourceNames are those of the store with the inputs.
func (l *load) sourceNames() (names []string) {
	if l.old != nil {
		names = append(names, l.old.manifest.Sources...)
	}
	for _, s := range l.sources {
		names = append(names, s.Name)
	}
	return names
}

func (l *load) commit(contents store.Contents) error {
	if err := l.target.Commit(contents); err != nil {
		return err
	}
	m := l.target.Current()
	l.report.WrittenBytes = m.Segments[contents.Keep].Bytes()
	if l.old != nil {
		old := l.old.manifest
		l.report.Kept = old.Triples - l.gone.triples
		l.report.Merged = len(old.Segments) - contents.Keep
	}
	l.describe(m)
	return nil
}

// finish runs the load unless there was an error before, and gives back what it holds.
func (l *load) finish(ctx context.Context, err error) (Report, error) {
	if err == nil {
		err = section.Guard(func() error { return l.work(ctx) }) // it reads the old store
	}
	if err != nil {
		err = errors.Join(err, l.target.Abort())
	}
	err = errors.Join(err, l.old.close())
	l.memory.releaseAll()
	l.report.Elapsed = time.Since(l.start)
	return l.report, err
}

// describe reports what the store is now.
func (l *load) describe(m *store.Manifest) {
	r := &l.report
	r.Triples, r.Terms, r.Predicates, r.StoreBytes, r.Segments = m.Triples, m.Terms, m.Predicates, m.Bytes(), len(m.Segments)
	r.NamedGraphs = m.NamedGraphs()
}

// timed runs a phase.
func (l *load) timed(phase Phase, do func() error) error {
	l.phase.Store(&phase)
	start := time.Now()
	err := do()
	l.report.Phases = append(l.report.Phases, PhaseTime{phase, time.Since(start)})
	return err
}

// progressInterval is the time between two calls of Options.Progress.
const progressInterval = 200 * time.Millisecond

// reportProgress calls Options.Progress until stop is called.
func (l *load) reportProgress() (stop func()) {
	if l.options.Progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.options.Progress(l.progress())
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}

// shareOfReading is about how much of a load's time reading takes.
const shareOfReading = 0.6

func (l *load) progress() Progress {
	p := Progress{
		Phase: *l.phase.Load(), Triples: uint64(l.triples.rows.Load()),
		Bytes: l.read.Load(), TotalBytes: l.total, Elapsed: time.Since(l.start),
	}
	share := 0.0
	switch {
	case p.Phase == Reading && l.total > 0:
		share = shareOfReading * float64(p.Bytes) / float64(l.total)
	case p.Phase == WritingTriples:
		share = 0.8 + 0.2*float64(l.written.Load())/float64(max(2*p.Triples, 1))
	case p.Phase != Reading && p.Phase != TakingOver:
		share = shareOfReading + 0.1
	}
	if share > 0.02 && share < 1 {
		p.Remaining = time.Duration(float64(p.Elapsed) * (1 - share) / share)
	}
	return p
}
