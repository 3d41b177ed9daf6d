package loader

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// loaded is a store of a whole data set, and how long loading it took.
func loaded(b *testing.B, set string) (dir string, report Report) {
	b.Helper()
	dir = filepath.Join(b.TempDir(), "store")
	report, err := Load(context.Background(), dir, []Input{{Name: dataFile(b, set)}}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	return dir, report
}

// change adds random edges to the default graph, whose ends are often terms that are new, and removes some that are there.
func (e *edited) change(added, terms, removed int) {
	r := rand.New(rand.NewPCG(1, 2))
	old := e.Dictionary().Len()
	for i := range terms {
		e.id(rdf.NewIRI(fmt.Sprintf("http://example.org/resource/%d", i)))
	}
	labels := e.files.Default.UsedLabels()
	var came, went []pcsr.Edge
	for i := range added {
		edge := pcsr.Edge{From: pcsr.Vertex(r.IntN(old)), Label: labels[r.IntN(len(labels))], To: pcsr.Vertex(r.IntN(old))}
		if i < 2*terms {
			edge.To = pcsr.Vertex(old + i/2)
		}
		came = append(came, edge)
	}
	for _, l := range labels {
		for v, list := range e.files.Default.Partition(l, pcsr.Out).Lists() {
			if r.Uint64N(e.files.Default.Edges()) < uint64(removed) {
				went = append(went, pcsr.Edge{From: v, Label: l, To: list[0]})
			}
		}
	}
	came = slices.DeleteFunc(came, func(edge pcsr.Edge) bool { return e.files.Default.HasEdge(edge.From, edge.Label, edge.To) })
	e.graphs[dictionary.None] = e.files.Default.Change(e.Dictionary().Len(), came, went)
	e.sequence++
}

// peak is the most memory that a load has held, outside the heap.
func peak(l *load) (stop func() int64) {
	var most atomic.Int64
	done := make(chan bool)
	go func() {
		for tick := time.Tick(time.Millisecond); ; <-tick {
			select {
			case done <- true:
				return
			default:
				most.Store(max(most.Load(), l.memory.held.Load()))
			}
		}
	}()
	return func() int64 {
		<-done
		return most.Load()
	}
}

func measure(b *testing.B, lock *store.Lock, s Snapshot, write func(*load, context.Context) (Report, error), o Options) Report {
	b.Helper()
	l, err := newSnapshotLoad(lock, s, o)
	if err != nil {
		b.Fatal(err)
	}
	stop := peak(l)
	report, err := write(l, context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(stop())/(1<<20), "MiB")
	b.ReportMetric(report.Elapsed.Seconds(), "s")
	return report
}

// BenchmarkFlush writes a million triples with 200,000 new terms, and 100,000 that are gone, as a segment of WatDiv 1 M.
func BenchmarkFlush(b *testing.B) {
	for b.Loop() {
		dir, _ := loaded(b, "watdiv1m")
		e := openEdited(b, dir)
		e.change(1_000_000, 200_000, 100_000)
		lock, err := store.TakeLock(dir)
		must(b, err)
		report := measure(b, lock, e, (*load).flush, Options{})
		b.ReportMetric(float64(report.Triples-report.Kept), "added")
		must(b, lock.Release())
		e.close()
	}
}

// BenchmarkRebuild compacts a state of WatDiv 10 M with a million triples added and 100,000 removed, beside the load of the
// same data set.
func BenchmarkRebuild(b *testing.B) {
	for _, threads := range []int{0, 1} {
		b.Run(fmt.Sprintf("threads %d", threads), func(b *testing.B) {
			for b.Loop() {
				dir, first := loaded(b, "watdiv10m")
				e := openEdited(b, dir)
				e.change(1_000_000, 200_000, 100_000)
				lock, err := store.TakeLock(dir)
				must(b, err)
				report := measure(b, lock, e, func(l *load, ctx context.Context) (Report, error) { return l.rebuild(ctx, nil) }, Options{Threads: threads})
				b.ReportMetric(report.Elapsed.Seconds()/first.Elapsed.Seconds(), "of-load")
				must(b, lock.Release())
				e.close()
			}
		})
	}
}
