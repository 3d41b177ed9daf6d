package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// TestLeftoversStayUntilTheManifestIsDurable: the load that was broken off may have renamed it a moment before; after a power cut the
// one before it may be back, which names what lies there.
func TestLeftoversStayUntilTheManifestIsDurable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	writeStore(t, dir, 7, 0)
	left := filepath.Join(dir, "gen-000007")
	must(t, os.Mkdir(left, 0o755))
	lock, err := TakeLock(dir)
	must(t, err)
	lock.Disk = &section.Disk{Fault: func(op section.Operation, _ string) error {
		if op == section.SyncFolder {
			return syscall.EIO
		}
		return nil
	}}
	if _, err := lock.Begin(); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
	lock.Disk = nil
	l, err := lock.Begin()
	must(t, err)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	must(t, errors.Join(l.Abort(), lock.Release()))
}
