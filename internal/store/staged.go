package store

import (
	"errors"
	"path/filepath"
)

// Stage makes the kept segments and the files written a store that nobody but the holder of the lock knows of, by its manifest: what is
// loaded next under the lock adds to it, until that is committed with it, or Lock.Unstage removes it. A crash leaves the store
// as it was. The files must be finished and on the disk, as for Commit.
func (l *Load) Stage(c Contents) (*Manifest, error) {
	if l.done {
		return nil, errors.New("store: the load has ended")
	}
	s, err := l.finished(c)
	var m *Manifest
	if err == nil {
		m, err = l.manifest(append(l.kept(c.Keep), *s), c.Sources, c.BlankScope, c.Log)
	}
	if err != nil {
		return nil, errors.Join(err, l.Abort())
	}
	l.done = true
	l.lock.stage(m)
	return m, l.release()
}

// OpenStaged maps a store of which nobody else knows.
func OpenStaged(dir string, m *Manifest) (*Store, error) { return openSegments(dir, m) }

// stage makes m what the next load begins from; nil is what lies in the folder.
func (l *Lock) stage(m *Manifest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.staged = m
}

// Unstage removes what was staged and has not been committed. No load may be at work.
func (l *Lock) Unstage() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	staged := l.staged
	if l.staged = nil; staged == nil {
		return nil
	}
	m, err := readManifest(l.dir)
	for i := range staged.Segments {
		if folder := staged.Segments[i].Folder; err == nil && !m.has(folder) {
			err = l.Disk.RemoveAll(filepath.Join(l.dir, folder))
		}
	}
	return err
}
