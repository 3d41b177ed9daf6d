package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// crowd is the queries that stand, each of which a goroutine reads.
type crowd struct {
	store *rdfgpu.Store
	data  *data
	size  int
	// events are those of the first query.
	events chan event
	failed chan error
	wait   sync.WaitGroup
}

// event is when a change was told, and up to which commit.
type event struct {
	at       time.Time
	sequence uint64
}

func newCrowd(store *rdfgpu.Store, d *data) *crowd {
	return &crowd{store: store, data: d, events: make(chan event, 1<<20), failed: make(chan error, 1)}
}

// grow makes so many queries stand in all.
func (c *crowd) grow(ctx context.Context, size int) error {
	stands := make(chan struct{})
	for ; c.size < size; c.size++ {
		n := c.size
		c.wait.Go(func() { c.read(ctx, n, stands) })
		select {
		case <-stands:
		case err := <-c.failed:
			return err
		}
	}
	return nil
}

// read reads the changes of a query, the first of which tells that it stands.
func (c *crowd) read(ctx context.Context, n int, stands chan<- struct{}) {
	told := false
	for change, err := range c.store.Watch(ctx, c.data.query(n), rdfgpu.WatchOptions{NoSnapshot: true}) {
		switch {
		case err != nil && ctx.Err() == nil:
			select {
			case c.failed <- fmt.Errorf("query %d: %w", n, err):
			default:
			}
			return
		case err != nil:
			return
		case !told:
			told = true
			stands <- struct{}{}
		case n == 0:
			c.events <- event{time.Now(), change.Sequence}
		}
	}
}

// next is when the first query was told of a commit.
func (c *crowd) next(sequence uint64) (time.Time, error) {
	patience := time.NewTimer(time.Minute)
	defer patience.Stop()
	for {
		select {
		case e := <-c.events:
			if e.sequence >= sequence {
				return e.at, nil
			}
		case err := <-c.failed:
			return time.Time{}, err
		case <-patience.C:
			return time.Time{}, fmt.Errorf("nothing was told of commit %d within a minute", sequence)
		}
	}
}
