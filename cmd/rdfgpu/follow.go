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

// follower has a server answer from what a store's folder holds, as load and compact change it.
type follower struct {
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
	failed := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !f.store.Replaced() {
			continue
		}
		if err := f.turn(); err == nil {
			failed = ""
		} else if err.Error() != failed {
			failed = err.Error()
			f.log.Error("the store has changed, but cannot be opened: still serving it as it was", "error", err)
		}
	}
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
	f.log.Info("the store has changed: serving it as it is now", "triples", info.Triples)
	return err
}

// close waits for the stores that were replaced and closes the last.
func (f *follower) close() error {
	f.rests.Wait()
	return f.store.Close()
}
