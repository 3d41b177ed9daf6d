package rdfgpu

import (
	"cmp"
	"context"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// LiveInfo is what updates have left of a store: what is not in its segments yet.
type LiveInfo struct {
	Sequence uint64 `json:"sequence"`
	// Added and Removed are the triples of the delta, Terms its terms, DeltaBytes about the memory that it takes, LogBytes the log's files.
	Added      uint64 `json:"added"`
	Removed    uint64 `json:"removed"`
	Terms      int    `json:"terms"`
	DeltaBytes int64  `json:"deltaBytes"`
	LogBytes   int64  `json:"logBytes"`
	// Waiting is how many updates wait for their turn; Flushes and Compactions how many ended since the store was opened.
	Waiting     int    `json:"waiting"`
	Flushes     uint64 `json:"flushes"`
	Compactions uint64 `json:"compactions"`
	// Failed is why the store takes no updates any more; "" while it does.
	Failed string `json:"failed,omitempty"`
}

// Live describes the delta; ok is false for a store that is read-only.
func (s *Store) Live() (info LiveInfo, ok bool) {
	if !s.live.Writable() {
		return LiveInfo{}, false
	}
	snapshot := s.live.Snapshot()
	defer snapshot.Release()
	d := snapshot.Delta()
	flushes, compactions := s.live.Maintained()
	info = LiveInfo{
		Sequence: snapshot.Sequence(), Added: d.Added, Removed: d.Removed, Terms: d.Terms, DeltaBytes: d.Bytes,
		LogBytes: s.live.LogBytes(), Waiting: s.live.Waiting(), Flushes: flushes, Compactions: compactions,
	}
	if err := s.live.Failed(); err != nil {
		info.Failed = err.Error()
	}
	return info, true
}

// Flush writes the delta as a segment now. It is done by itself when the delta has grown.
func (s *Store) Flush(ctx context.Context) error { return s.live.Flush(ctx) }

// Compact writes everything as one base now, without terms that nothing uses any more; reads and writes go on. It is done by itself
// when there are many segments, or when much was removed. The error wraps ErrReadOnly where the store was not opened for writing.
func (s *Store) Compact(ctx context.Context) error { return s.live.Compact(ctx) }

// live are the options of the store's room.
func (o Options) live() live.Options {
	durability := wal.Durability{Unsynced: o.Durability == Unsynced}
	if o.Durability == Grouped {
		durability.Interval = cmp.Or(o.GroupEvery, defaultGroup)
	}
	return live.Options{Writable: o.Writable, Durability: durability, MaxWaiting: o.MaxWriters}
}

// defaultGroup is how often grouped updates are synced.
const defaultGroup = 5 * time.Millisecond
