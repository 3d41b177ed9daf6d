package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// Lock is the right to change a store, which one process has at a time: for one load, or for as long as it keeps the store
// open for updates. Its methods are safe for concurrent use.
type Lock struct {
	// Disk is where loads of the lock write; nil for the system's.
	Disk *section.Disk

	dir  string
	file *os.File
	// made are the folders that TakeLock made, dir last; none where dir was there.
	made []string

	mu   sync.Mutex
	busy bool // a load is at work
	// staged is what the next load begins from in place of what lies in the folder; nil where nothing is staged.
	staged *Manifest
	// kept counts, by folder, the stores that still read a segment; released is set by Release.
	kept     map[string]int
	released bool
	// unsafe: the manifest in place is not known to be durable (ErrUnsafe), and the one before it may be needed.
	unsafe bool
}

// TakeLock takes the lock of the store dir, which is created when it is not there. ErrBusy when another process has it, or
// another Lock of this one; an error when dir is a folder of something else, or a store of a newer version.
// The log of a store that has been replaced is removed.
func TakeLock(dir string) (*Lock, error) {
	if err := checkTarget(dir); err != nil {
		return nil, err
	}
	l := &Lock{dir: dir, made: missing(dir)}
	if err := l.take(); err != nil {
		return nil, err
	}
	if err := l.removeOldLog(); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// missing are the folders that must be made so that dir is there, the outermost first.
func missing(dir string) (list []string) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, os.ErrNotExist) {
			slices.Reverse(list)
			return list
		}
		list = append(list, at)
	}
}

// errHeld says that another file holds the lock of a name.
var errHeld = errors.New("the file is locked")

// attempts bounds how often take makes a folder that goes away again. One that is a link to nowhere can never be made, and looks the same.
const attempts = 1000

// take takes the lock, whose file may be another by then.
func (l *Lock) take() error {
	path := filepath.Join(l.dir, lockFile)
	for {
		f, err := l.openFile(path)
		if err != nil {
			return fmt.Errorf("store: %w", err)
		}
		if err = lockNow(f); err == nil && isThere(f, path) {
			l.file = f
			return nil
		}
		f.Close()
		switch {
		case errors.Is(err, errHeld):
			return fmt.Errorf("store: %s: %w", l.dir, ErrBusy)
		case err != nil:
			return fmt.Errorf("store: lock %s: %w", l.dir, err)
		}
	}
}

// openFile makes the folder and opens the lock's file in it. A lock that is released removes both, and the folders above that were made
// for it: whatever has just been found, or made, may be gone again, and then it is made anew.
func (l *Lock) openFile(path string) (f *os.File, err error) {
	for range attempts {
		if err = os.MkdirAll(l.dir, 0o755); err == nil {
			f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		}
		if !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrExist) {
			break
		}
	}
	return f, err
}

// isThere reports whether a path still names the open file.
func isThere(f *os.File, path string) bool {
	open, err := f.Stat()
	named, missing := os.Stat(path)
	return err == nil && missing == nil && os.SameFile(open, named)
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

// checkInside refuses folders within a store, which could not be changed any more: its folder would hold something else.
func checkInside(dir string) error {
	at, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for up := filepath.Dir(at); up != at; at, up = up, filepath.Dir(up) {
		if _, err := readManifest(up); err == nil {
			return fmt.Errorf("store: %s lies in the folder of the store %s: choose a place outside of it", dir, up)
		}
	}
	return nil
}

// checkTarget refuses folders in which something else lies.
func checkTarget(dir string) error {
	if err := checkInside(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, e := range entries {
		switch name := e.Name(); name {
		case manifestFile, manifestFile + temporary, lockFile, queriesFolder, hooksFolder, LogFolder:
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
	load := &Load{dir: l.dir, lock: l, disk: l.Disk.Together()}
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
func (l *Lock) Sync() error {
	err := l.Disk.SyncFolder(l.dir)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsafe = err != nil
	return err
}

// Keep leaves the segments of an open store where they are when loads of this lock replace them: named graphs may be opened late
// (openedAtOnce). forget ends that and removes those that nobody needs any more; after Release the next load does.
func (l *Lock) Keep(s *Store) (forget func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = map[string]int{}
	}
	for i := range s.manifest.Segments {
		l.kept[s.manifest.Segments[i].Folder]++
	}
	return func() { l.forget(s.manifest) }
}

func (l *Lock) forget(m *Manifest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var free []string
	for i := range m.Segments {
		folder := m.Segments[i].Folder
		if l.kept[folder]--; l.kept[folder] == 0 {
			delete(l.kept, folder)
			free = append(free, folder)
		}
	}
	now, err := readManifest(l.dir)
	free = slices.DeleteFunc(free, func(folder string) bool { return now.has(folder) || l.staged.has(folder) })
	if err != nil || l.released || l.unsafe {
		return
	}
	for _, folder := range free {
		_ = l.Disk.RemoveAll(filepath.Join(l.dir, folder)) // what cannot be removed now is removed by the next load
	}
}

// keeps reports whether a store reads the segment in a folder.
func (l *Lock) keeps(folder string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept[folder] > 0
}

// Release gives the lock back. No load may be at work. Folders that were made for the lock, and in which no store has come to be,
// are removed.
func (l *Lock) Release() error {
	l.mu.Lock()
	l.released = true
	l.mu.Unlock()
	entries, err := os.ReadDir(l.dir)
	if len(l.made) == 0 || err != nil || len(entries) != 1 || entries[0].Name() != lockFile {
		return l.file.Close()
	}
	path := filepath.Join(l.dir, lockFile)
	held := os.Remove(path) // while nobody else can have it, where the system lets open files be removed
	err = l.file.Close()
	if held != nil {
		_ = os.Remove(path)
	}
	for _, dir := range slices.Backward(l.made) {
		_ = os.Remove(dir) // unless something has come into it
	}
	return err
}
