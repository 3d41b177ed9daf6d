package mine

import (
	"context"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Options are what mining may take.
type Options struct {
	// Threads is how many goroutines work; 0 means one for each core. Workers, where it is not nil, is asked for them instead: the
	// share of a process in which others work too.
	Threads int
	Workers *schedule.Share
	// Memory bounds the tables, the sets of distinct vertices and the neighbourhoods of maximal cliques together, in bytes; 0 means
	// 1 GiB. Tables never need more than they get, only grow in smaller pieces; what would need more fails with ErrMemory. The graph
	// itself is not counted.
	Memory int64
	// Progress, where it is not nil, is told how many of the vertices have been begun with, from several goroutines.
	Progress func(begun, all int)
}

const (
	defaultMemory = 1 << 30
	// partSize is how many vertices a worker takes at a time: few, since one can have a thousand times the work of another.
	partSize = 32
	// columnRows is the most rows of a column, after which its function is called: a column of that size stays in a core's cache.
	columnRows = 1 << 14
	rowBytes   = 12
	// maxColumns is how wide a table may be.
	maxColumns = 32
)

// memory is the bound in bytes.
func (o Options) memory() int64 {
	if o.Memory <= 0 {
		return defaultMemory
	}
	return o.Memory
}

// share is what goroutines are asked for.
func (o Options) share(ctx context.Context) *schedule.Share {
	if o.Workers != nil {
		return o.Workers
	}
	return schedule.New(o.Threads).Open(ctx, o.Threads)
}

// rows is how many rows a column may have where a number of workers have tables as wide as may be: half of the memory.
func (o Options) rows(workers int) int {
	rows := o.memory() / 2 / int64(workers*maxColumns*rowBytes)
	return int(max(1, min(rows, columnRows)))
}

// Run calls work with tables of one column, which together have every vertex of the graph in one row, from several goroutines at once.
// It ends with the first error of work, or with the cause of ctx.
func Run(ctx context.Context, g *Graph, options Options, work func(*Table) error) error {
	share := options.share(ctx)
	share.Enter()
	defer share.Leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := &run{ctx: ctx, graph: g, options: options, share: share, work: work}
	r.tables.fresh = func() *Table { return newTable(r, len(r.tables.all)) }
	r.workers = schedule.Group{Share: share, Failed: func() { r.stopped.Store(true) }}
	r.workers.GoAll(min((g.Len()+partSize-1)/partSize, share.Limit())-1, r.parts)
	r.workers.Do(func() error { return r.parts(nil) })
	if err := r.workers.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// run is the work over all vertices.
type run struct {
	ctx     context.Context
	graph   *Graph
	options Options
	share   *schedule.Share
	work    func(*Table) error
	workers schedule.Group
	next    atomic.Int64 // the first vertex that nobody has taken
	stopped atomic.Bool
	tables  crew[Table]
}

// parts works on one part after the other until there are none, and asks for another worker as long as there are.
func (r *run) parts(w *schedule.Worker) error {
	t := r.tables.take()
	defer r.tables.leave(t)
	for !r.stopped.Load() && (w == nil || w.Keep()) {
		first := int(r.next.Add(partSize)) - partSize
		if first >= r.graph.Len() {
			break
		}
		if r.options.Progress != nil {
			r.options.Progress(first, r.graph.Len())
		}
		if first+partSize < r.graph.Len() {
			r.workers.Go(r.parts)
		}
		t.begin(first, min(first+partSize, r.graph.Len()))
		if err := r.work(t); err != nil {
			return err
		}
		if err := t.look(lookEvery); err != nil {
			return err
		}
	}
	return nil
}
