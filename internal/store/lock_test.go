package store

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

func TestALoadThatComesToNothingLeavesNothing(t *testing.T) {
	root := t.TempDir()
	for _, c := range []struct{ name, dir, gone string }{
		{"a new name", "new.store", "new.store"},
		{"folders above it too", "a/b/new.store", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := Begin(filepath.Join(root, c.dir))
			must(t, err)
			must(t, l.Abort())
			if _, err := os.Stat(filepath.Join(root, c.gone)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is there still: %v", c.gone, err)
			}
		})
	}
	t.Run("a folder that was there stays", func(t *testing.T) {
		dir := t.TempDir()
		l, err := Begin(dir)
		must(t, err)
		must(t, l.Abort())
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	})
	t.Run("a store that has come to be stays", func(t *testing.T) {
		dir := filepath.Join(root, "made.store")
		lock, err := TakeLock(dir)
		must(t, err)
		l, err := lock.Begin()
		must(t, err)
		must(t, l.Commit(writeFiles(t, l, 3, 0)))
		must(t, lock.Release())
		checkStore(t, dir, 3, 0)
	})
	t.Run("what somebody put beside it stays", func(t *testing.T) {
		dir := filepath.Join(root, "shared.store")
		l, err := Begin(dir)
		must(t, err)
		must(t, os.Mkdir(filepath.Join(dir, queriesFolder), 0o755))
		must(t, l.Abort())
		if _, err := os.Stat(filepath.Join(dir, queriesFolder)); err != nil {
			t.Error(err)
		}
	})
}

// TestNothingIsMadeWithinAStore: a folder within it would keep the store from being changed.
func TestNothingIsMadeWithinAStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.store")
	l, err := Begin(dir)
	must(t, err)
	must(t, l.Commit(writeFiles(t, l, 3, 0)))
	for _, inside := range []string{"b", "b/c", "gen-000001/b"} {
		if lock, err := TakeLock(filepath.Join(dir, inside)); err == nil {
			t.Errorf("%s may be made: %v", inside, lock.Release())
		}
		if _, err := os.Stat(filepath.Join(dir, "b")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", inside, err)
		}
	}
	lock, err := TakeLock(dir)
	must(t, err)
	must(t, lock.Release())
}

// TestALockThatGoesAwayIsHeldByOne takes and releases the lock of a folder that comes and goes, and so do those above it.
func TestALockThatGoesAwayIsHeldByOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "c", "d", "new.store")
	var holders, taken atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				lock, err := TakeLock(dir)
				if errors.Is(err, ErrBusy) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if taken.Add(1); holders.Add(1) > 1 {
					t.Error("two have the lock")
				}
				holders.Add(-1)
				if err := lock.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if taken.Load() == 0 {
		t.Error("nobody got the lock")
	}
}

// TestALockWhoseFolderCannotBeMade: a link that leads nowhere is there and is no folder, however often one tries.
func TestALockWhoseFolderCannotBeMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new.store")
	must(t, os.Symlink("nowhere", dir))
	if lock, err := TakeLock(dir); err == nil {
		t.Errorf("it was taken: %v", lock.Release())
	}
}
