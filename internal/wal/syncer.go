package wal

import (
	"context"
	"time"
)

// Durability says when a record counts as committed. The zero Durability is sync.
type Durability struct {
	// Unsynced: committed when it is appended, and synced within a second; a power cut may lose the last second, a
	// killed process loses nothing.
	Unsynced bool
	// Interval is how much time lies between two syncs at least, so that more records share one; 0 for none.
	Interval time.Duration
}

// ParseDurability reads "sync", "group=5ms" (any duration of package time) or "none".
func ParseDurability(text string) (Durability, error) { panic("to be built") }

// String is what ParseDurability reads.
func (d Durability) String() string { panic("to be built") }

// Syncer syncs a log in a goroutine of its own, as long as there is something to sync, one sync at a time: what is
// appended during one sync shares the next.
type Syncer struct{}

// NewSyncer starts the goroutine. Nobody else should sync the log.
func NewSyncer(l *Log, d Durability) *Syncer { panic("to be built") }

// Wait returns when a record that was appended is committed (Durability), at once where it is. The error is ErrBroken,
// ErrClosed or the context's; then the record may or may not be there after a crash. Any number of goroutines may wait.
func (s *Syncer) Wait(ctx context.Context, sequence uint64) error { panic("to be built") }

// Start begins a sync of what was appended without waiting for it, earlier than the first Wait would.
func (s *Syncer) Start() { panic("to be built") }

// Close syncs what was appended and ends the goroutine. Those who wait for what was appended before are answered; later
// ones get ErrClosed. It does not close the log.
func (s *Syncer) Close() error { panic("to be built") }
