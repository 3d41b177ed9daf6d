package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// state is at what stage the changes are.
type state int

const (
	inDelta state = iota
	flushed
	compacted
	states
)

var stateNames = [states]string{"in the delta", "flushed", "compacted"}

// figure is what a query took in each state, as a ratio to a store that was loaded from the same triples.
type figure struct {
	name  string
	ratio [states]float64
	// loaded is what it took there.
	loaded time.Duration
}

// measured is what was measured of one share.
type measured struct {
	share             float64
	inserted, removed int
	changing          time.Duration // all updates
	delta             rdfgpu.LiveInfo
	life              life
	flush, compact    time.Duration
	figures           []figure
}

// measure changes a store and compares it, at each stage, with one that was loaded from the same triples.
func (s *settings) measure(ctx context.Context, share float64, queries []query) (*measured, error) {
	d, err := divide(s.data, s.folder, share)
	if err != nil {
		return nil, err
	}
	dir, err := s.load(ctx, "changed.store", d.base)
	if err != nil {
		return nil, err
	}
	loadedDir, err := s.load(ctx, "loaded.store", d.result)
	if err != nil {
		return nil, err
	}
	loaded, err := rdfgpu.Open(loadedDir, rdfgpu.Options{Device: rdfgpu.CPU})
	if err != nil {
		return nil, err
	}
	defer loaded.Close()
	m := &measured{share: share, inserted: len(d.inserted), removed: len(d.removed), figures: make([]figure, len(queries))}
	if err := s.changed(ctx, m, dir, d, loaded, queries); err != nil {
		return nil, err
	}
	start := time.Now()
	if _, err := rdfgpu.Compact(ctx, dir, rdfgpu.LoadOptions{}); err != nil {
		return nil, err
	}
	m.compact = time.Since(start)
	if m.life.base, err = bytesOfFiles(dir); err != nil {
		return nil, err
	}
	store, err := openWritable(dir)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	return m, s.compare(ctx, m, compacted, store, loaded, queries)
}

// changed makes the changes, and compares before and after a flush.
func (s *settings) changed(ctx context.Context, m *measured, dir string, d *division, loaded *rdfgpu.Store, queries []query) error {
	store, err := openWritable(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	heap, start := bytesOfHeap(), time.Now()
	if err := d.apply(ctx, store); err != nil {
		return err
	}
	m.changing = time.Since(start)
	time.Sleep(time.Second) // what changed partitions call for in the background
	m.delta, _ = store.Live()
	m.life.heap = bytesOfHeap() - heap
	if m.delta.Flushes > 0 {
		fmt.Fprintf(os.Stderr, "delta: share %g: the delta was flushed by itself, so that it is smaller than that\n", m.share)
	}
	if err := s.compare(ctx, m, inDelta, store, loaded, queries); err != nil {
		return err
	}
	files, err := bytesOfFiles(dir)
	if err != nil {
		return err
	}
	start = time.Now()
	if err := store.Flush(ctx); err != nil {
		return err
	}
	m.flush = time.Since(start)
	if m.life.segment, err = bytesOfFiles(dir); err != nil {
		return err
	}
	m.life.segment -= files
	return s.compare(ctx, m, flushed, store, loaded, queries)
}

// apply inserts and removes.
func (d *division) apply(ctx context.Context, store *rdfgpu.Store) error {
	update := func(text string) error {
		_, err := store.Update(ctx, text, rdfgpu.UpdateOptions{})
		return err
	}
	if err := batches("INSERT", d.inserted, update); err != nil {
		return err
	}
	return batches("DELETE", d.removed, update)
}

// compare fills in a column of the figures.
func (s *settings) compare(ctx context.Context, m *measured, at state, store, loaded *rdfgpu.Store, queries []query) error {
	for i, q := range queries {
		times, err := s.inTurn(ctx, []*rdfgpu.Store{store, loaded}, q)
		if err != nil {
			return fmt.Errorf("%s: %w", stateNames[at], err)
		}
		m.figures[i].name = q.name
		m.figures[i].loaded = times[1]
		m.figures[i].ratio[at] = float64(times[0]) / float64(times[1])
	}
	fmt.Fprintf(os.Stderr, "delta: share %g, %s\n", m.share, stateNames[at])
	return nil
}

// replay fills a log, by inserting and removing the same triples over and over, copies the store as a crash would leave
// it and opens the copy.
func (s *settings) replay(ctx context.Context) error {
	d, err := divide(s.data, s.folder, 0.01)
	if err != nil {
		return err
	}
	dir, err := s.load(ctx, "logged.store", d.base)
	if err != nil {
		return err
	}
	store, err := openWritable(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	changes := 0
	verbs := []string{"INSERT", "DELETE"}
	for round := 0; ; round++ {
		live, _ := store.Live()
		if live.LogBytes >= s.log {
			break
		}
		changes += len(d.inserted)
		if err := batches(verbs[round%2], d.inserted, func(text string) error {
			_, err := store.Update(ctx, text, rdfgpu.UpdateOptions{})
			return err
		}); err != nil {
			return err
		}
	}
	return s.reopen(store, dir, changes)
}

func (s *settings) reopen(store *rdfgpu.Store, dir string, changes int) error {
	live, _ := store.Live()
	crashed := filepath.Join(s.folder, "crashed.store")
	if err := os.RemoveAll(crashed); err != nil {
		return err
	}
	if err := os.CopyFS(crashed, os.DirFS(dir)); err != nil {
		return err
	}
	start := time.Now()
	opened, err := openWritable(crashed)
	if err != nil {
		return err
	}
	took := time.Since(start)
	defer opened.Close()
	if opened.Sequence() != store.Sequence() {
		return fmt.Errorf("the log was replayed to sequence %d of %d", opened.Sequence(), store.Sequence())
	}
	fmt.Fprintf(s.out, "\nOpened a store with %.0f MB of log, %d transactions with %d changes, in %.2f s.\n",
		float64(live.LogBytes)/1e6, live.Sequence, changes, took.Seconds())
	return nil
}
