package wal

import (
	"errors"
	"fmt"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

var (
	// ErrDamaged says that the log is not what was written: a frame that was durable is wrong, a file or a sequence is
	// missing. The error names file and offset.
	ErrDamaged = section.ErrDamaged
	// ErrVersion says that a log has a format version that this program does not read.
	ErrVersion = section.ErrVersion
	// ErrBroken says that a sync failed, or a write that could not be taken back: nothing more is appended or synced
	// until the log is opened anew. The error wraps the cause.
	ErrBroken = errors.New("the log is broken: open it anew")
	// ErrGone says that a sequence was dropped.
	ErrGone = errors.New("the log does not reach back that far")
	// ErrBeyond says that a log ends before the record that comes before the one to be read.
	ErrBeyond = errors.New("it lies beyond the log")
	// ErrTooLarge says that a payload is longer than MaxPayload.
	ErrTooLarge = errors.New("the payload is too large for the log")
	// ErrClosed says that a log or syncer was closed.
	ErrClosed = errors.New("the log is closed")
	// ErrPayload says that bytes are no transaction.
	ErrPayload = errors.New("not a transaction")
)

// damaged is an ErrDamaged that names a place of a file.
func damaged(file string, offset int64, format string, args ...any) error {
	return fmt.Errorf("wal: %s: offset %d: %w: %s", file, offset, ErrDamaged, fmt.Sprintf(format, args...))
}
