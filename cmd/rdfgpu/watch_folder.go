package main

import (
	"context"
	"fmt"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// lookInterval is how often a folder is looked at.
const lookInterval = 500 * time.Millisecond

// folderWatch follows the log of a store in a folder, which another process may write.
type folderWatch struct {
	*watchCommand
	text string
	out  *changePrinter
	// history is the log that after is of; after is the last commit that was told, nil where nothing was.
	history string
	after   *uint64
	told    bool
}

// followFolder prints what changes in a folder.
func (c *watchCommand) followFolder(env *environment, text string, out *changePrinter) error {
	f := &folderWatch{watchCommand: c, text: text, out: out, after: c.From}
	for {
		if err := f.look(env.ctx); err != nil {
			return err
		}
	}
}

// look tells what has changed, and waits until something has again. Of a store that is open for reading the log is read as it was when
// that was opened.
func (f *folderWatch) look(ctx context.Context) error {
	budget := f.budget()
	store, err := rdfgpu.Open(f.Store, rdfgpu.Options{Budget: budget})
	if err != nil {
		return err
	}
	opened := &governed{store, budget.Govern()}
	defer opened.Close()
	if err := f.tell(ctx, store); err != nil {
		return err
	}
	return f.await(ctx, store)
}

// tell prints the difference to what was told before. A store that was never written has no commits that anybody could go on after.
func (f *folderWatch) tell(ctx context.Context, store *rdfgpu.Store) error {
	before := f.history
	f.history = store.History()
	var err error
	switch {
	case f.told && before == "":
		f.after = nil
	case f.told && before != f.history:
		err = fmt.Errorf("%s: %w: the store was loaded anew", f.Store, rdfgpu.ErrLogGone)
	}
	if err == nil {
		err = f.first(ctx, store)
	}
	if isGone(err) && f.Anew {
		f.after = nil
		return f.first(ctx, store)
	}
	if isGone(err) {
		return fmt.Errorf("%w; --anew goes on with all solutions", err)
	}
	return err
}

// first prints the first change of a store: it is whole, because nothing changes in a store that is open for reading.
func (f *folderWatch) first(ctx context.Context, store *rdfgpu.Store) error {
	semantics, err := rdfgpu.ParseSemantics(f.Semantics)
	if err != nil {
		return err
	}
	options := rdfgpu.WatchOptions{
		Semantics: semantics, After: f.after, NoSnapshot: !f.Snapshot && !f.told, MaxMemory: int64(f.QueryMemory), Progress: lookInterval,
	}
	for change, err := range store.Watch(ctx, f.text, options) {
		if err != nil {
			return err
		}
		return f.print(&change)
	}
	return nil
}

func (f *folderWatch) print(c *rdfgpu.Change) error {
	e := &changeEvent{
		name: changedEvent, sequence: c.Sequence, way: c.Way.String(), variables: c.Variables, added: repeatedRows(c.Added), removed: repeatedRows(c.Removed),
	}
	switch c.Way {
	case rdfgpu.SnapshotChange:
		e.name, e.anew = snapshotEvent, f.told
	case rdfgpu.ProgressChange:
		e.name = progressEvent
	}
	if f.history != "" {
		e.id = fmt.Sprintf("%d-%s", c.Sequence, f.history)
	}
	f.after, f.told = &c.Sequence, true
	return f.out.print(e)
}

// repeatedRows are the terms of solutions, each as often as it counts.
func repeatedRows(rows []rdfgpu.ChangedRow) (list [][]rdfgpu.Term) {
	for _, r := range rows {
		for range r.Count {
			list = append(list, r.Terms)
		}
	}
	return list
}

// await waits until there is a later commit, or another store.
func (f *folderWatch) await(ctx context.Context, store *rdfgpu.Store) error {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := store.Present(); err != nil {
			return err
		}
		if store.Replaced() || f.hasLater(store) {
			return nil
		}
	}
}

// hasLater reports whether the log goes on; what is wrong with it, opening the store will tell.
func (f *folderWatch) hasLater(store *rdfgpu.Store) bool {
	for _, err := range store.Log(*f.after + 1) {
		return err == nil
	}
	return false
}
