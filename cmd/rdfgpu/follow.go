package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/web"
)

// followInterval is how often a server looks whether its store was changed.
const followInterval = time.Second

// follower watches a store's folder: it tells the server when the store is gone, and where turns, has it answer from what load and
// compact made of it.
type follower struct {
	turns  bool
	open   func() (*rdfgpu.Store, error)
	store  *rdfgpu.Store
	server *web.Server
	log    *slog.Logger
	rests  sync.WaitGroup // stores that were replaced and are still in use
}

// follow looks for changes until ctx ends.
func (f *follower) follow(ctx context.Context) {
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		f.server.Trouble(f.look())
	}
}

// look turns to a store that was replaced. The error is what is wrong in the folder.
func (f *follower) look() error {
	if err := f.store.Present(); err != nil {
		return err
	}
	if f.turns && f.store.Replaced() {
		return f.turn()
	}
	return nil
}

// turn opens the store as it is now; the one before is closed when its last query has ended.
func (f *follower) turn() error {
	next, err := f.open()
	if err != nil {
		return err
	}
	old, rested := f.store, f.server.Turn(web.StoreEngine(next))
	f.store = next
	f.rests.Go(func() {
		<-rested
		if err := old.Close(); err != nil {
			f.log.Error("closing the store as it was", "error", err)
		}
	})
	info, err := next.Info()
	if err != nil {
		f.log.Error("the store is damaged: queries that meet the damage fail", "error", err)
	}
	f.log.Info("the store has changed: serving it as it is now", "triples", info.Triples)
	return nil
}

// close waits for the stores that were replaced and closes the last.
func (f *follower) close() error {
	f.rests.Wait()
	return f.store.Close()
}
