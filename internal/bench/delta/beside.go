package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// What is done beside readers: so many of them, writers of durable edits, and the share of the triples that is changed before
// a flush and a compaction.
const (
	besideReaders = 2
	besideWriters = 8
	besideShare   = 0.02
)

// readers ask queries of a store, each one after the other without a pause.
type readers struct {
	store   *rdfgpu.Store
	queries []query
}

// while has the readers ask until something is done, and returns how long answers took, ascending.
func (r *readers) while(ctx context.Context, do func(context.Context) error) ([]time.Duration, error) {
	var times [besideReaders][]time.Duration
	var failed [besideReaders]error
	var over atomic.Bool
	var wait sync.WaitGroup
	for i := range times {
		wait.Go(func() {
			for n := i; !over.Load() && failed[i] == nil; n++ {
				elapsed, _, err := ask(ctx, r.store, r.queries[n%len(r.queries)])
				times[i], failed[i] = append(times[i], elapsed), err
			}
		})
	}
	err := do(ctx)
	over.Store(true)
	wait.Wait()
	all := slices.Concat(times[:]...)
	slices.Sort(all)
	return all, errors.Join(append(failed[:], err)...)
}

// beside measures how long queries take alone, beside writers, and beside a flush and a compaction.
func (s *settings) beside(ctx context.Context, queries []query) error {
	d, err := divide(s.data, s.folder, besideShare)
	if err != nil {
		return err
	}
	dir, err := s.load(ctx, "beside.store", d.base)
	if err != nil {
		return err
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{Writable: true, Device: rdfgpu.CPU})
	if err != nil {
		return err
	}
	defer store.Close()
	b := &besides{readers: readers{store, queries}, out: s.out}
	alone := func(ctx context.Context) error { return rest(ctx, s.span) }
	edits := 0
	fmt.Fprintf(s.out, "\n| %d readers beside | s | queries/s | p50, ms | p99, ms | at most, ms |\n|---|---:|---:|---:|---:|---:|\n", besideReaders)
	b.measure(ctx, "nothing", alone)
	b.measure(ctx, fmt.Sprintf("%d writers", besideWriters), func(ctx context.Context) (err error) {
		edits, err = edit(ctx, store, s.span)
		return err
	})
	if err := d.apply(ctx, store); err != nil {
		return err
	}
	b.measure(ctx, "nothing, over a delta", alone)
	b.measure(ctx, "a flush", store.Flush)
	b.measure(ctx, "nothing, over a segment", alone)
	b.measure(ctx, "a compaction", store.Compact)
	b.measure(ctx, "nothing, compacted", alone)
	fmt.Fprintf(s.out, "\nThe writers did %.0f edits of 20 deletions and 22 insertions a second, each synced; the delta had %d changes.\n",
		float64(edits)/s.span.Seconds(), len(d.inserted)+len(d.removed))
	return b.failed
}

// besides are the lines of a table.
type besides struct {
	readers
	out    io.Writer
	failed error
}

// measure prints a line, unless one has failed.
func (b *besides) measure(ctx context.Context, name string, do func(context.Context) error) {
	if b.failed != nil {
		return
	}
	start := time.Now()
	times, err := b.while(ctx, do)
	if err != nil {
		b.failed = fmt.Errorf("beside %s: %w", name, err)
		return
	}
	took := time.Since(start).Seconds()
	fmt.Fprintf(b.out, "| %s | %.2f | %.0f | %.3f | %.3f | %.3f |\n", name, took, float64(len(times))/took,
		milliseconds(times[len(times)/2]), milliseconds(times[len(times)*99/100]), milliseconds(times[len(times)-1]))
}

// rest does nothing for a time.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// edit has the writers edit for a time, each an entity of its own, and returns how many edits were acknowledged.
func edit(ctx context.Context, store *rdfgpu.Store, d time.Duration) (int, error) {
	var edits atomic.Int64
	var failed [besideWriters]error
	var wait sync.WaitGroup
	until := time.Now().Add(d)
	for i := range failed {
		wait.Go(func() {
			for version := 0; failed[i] == nil && time.Now().Before(until); version++ {
				_, failed[i] = store.Update(ctx, editOf(i, version), rdfgpu.UpdateOptions{})
				edits.Add(1)
			}
		})
	}
	wait.Wait()
	return int(edits.Load()), errors.Join(failed[:]...)
}

// editOf is an update that replaces 20 triples of an entity and adds two.
func editOf(entity, version int) string {
	var gone, come strings.Builder
	line := func(b *strings.Builder, property, version int) {
		fmt.Fprintf(b, "<http://rdfgpu.example/bench/beside/%d> <http://rdfgpu.example/bench/beside/p%d> \"%d\" .\n", entity, property, version)
	}
	for property := range 20 {
		line(&gone, property, version)
		line(&come, property, version+1)
	}
	line(&come, 20, version)
	line(&come, 21, version)
	return "DELETE DATA {\n" + gone.String() + "} ;\nINSERT DATA {\n" + come.String() + "}"
}
