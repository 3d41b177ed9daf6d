//go:build !linux

package wal

// Allocate does nothing: files grow as they are written.
func (f diskFile) Allocate(int64) error { return nil }

func (f diskFile) SyncData() error { return f.Sync() }
