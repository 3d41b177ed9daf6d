package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Lock is the right to change a store, which one process has at a time: for one load, or for as long as it keeps the store
// open for updates. Its methods are safe for concurrent use.
type Lock struct {
	// Disk is where loads of the lock write; nil for the system's.
	Disk *section.Disk

	dir  string
	file *os.File

	mu   sync.Mutex
	busy bool // a load is at work
}

// TakeLock takes the lock of the store dir, which is created when it is not there. ErrBusy when another process has it, or
// another Lock of this one; an error when dir is a folder of something else, or a store of a newer version.
// The log of a store that has been replaced is removed.
func TakeLock(dir string) (*Lock, error) {
	if err := checkTarget(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("store: %s: %w", dir, ErrBusy)
		}
		return nil, fmt.Errorf("store: lock %s: %w", dir, err)
	}
	l := &Lock{dir: dir, file: f}
	if err := l.removeOldLog(); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// removeOldLog removes the log where the manifest says that the store has none: it is that of the store before, if no
// log that nothing was committed to.
func (l *Lock) removeOldLog() error {
	m, err := readManifest(l.dir)
	if err != nil || m.Log.ID != "" {
		return nil // where the manifest cannot be read, nothing can be said
	}
	if err := os.RemoveAll(filepath.Join(l.dir, LogFolder)); err != nil {
		return fmt.Errorf("store: remove an earlier store's log: %w", err)
	}
	return nil
}

// checkTarget refuses folders in which something else lies.
func checkTarget(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, e := range entries {
		switch name := e.Name(); name {
		case manifestFile, manifestFile + temporary, lockFile, queriesFolder, LogFolder:
		default:
			if !generationName.MatchString(name) {
				return fmt.Errorf("store: %s: %w, and not empty: it has %s", dir, ErrNotStore, name)
			}
		}
	}
	if _, err := readManifest(dir); errors.Is(err, ErrVersion) && !errors.Is(err, errOlder) {
		return err
	}
	return nil
}

// Begin makes the folder of the next segment. It removes what earlier loads left behind when they were killed
// (Load.Removed). ErrBusy while another load of this lock is at work.
func (l *Lock) Begin() (*Load, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy {
		return nil, fmt.Errorf("store: %s: %w", l.dir, ErrBusy)
	}
	load := &Load{dir: l.dir, lock: l}
	if err := load.prepare(); err != nil {
		return nil, err
	}
	l.busy = true
	return load, nil
}

// ended lets the next load begin.
func (l *Lock) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = false
}

// StartLog enters a log, at a sequence, in the manifest of a store that has none. Its files may lie in LogFolder by now, but
// no commit may be acknowledged before: of a store without a log they are removed by the next TakeLock.
func (l *Lock) StartLog(log Log) error {
	load, err := l.Begin()
	if err != nil {
		return err
	}
	m := load.Current()
	switch {
	case m == nil:
		err = fmt.Errorf("store: %s: %w", l.dir, ErrNotStore)
	case m.Log.ID != "" || log.ID == "":
		err = fmt.Errorf("store: %s: the log %q cannot take the place of %q", l.dir, log.ID, m.Log.ID)
	default:
		return load.CommitNothing(m.Sources, log)
	}
	return errors.Join(err, load.Abort())
}

// Sync makes the store durable that is in place, after ErrUnsafe.
func (l *Lock) Sync() error { return l.Disk.SyncFolder(l.dir) }

// Release gives the lock back. No load may be at work.
func (l *Lock) Release() error { return l.file.Close() }
