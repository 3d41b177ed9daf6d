package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// ErrOtherBackup says that a folder holds something else than earlier backups of the same store.
var ErrOtherBackup = errors.New("the folder holds something else than a backup of this store: choose another one")

// system is the disk that copies go to.
var system *section.Disk

// ReadManifest reads the manifest of the store in dir, as it is now.
func ReadManifest(dir string) (*Manifest, error) { return readManifest(dir) }

// Copy brings the segments of a store into the folder of another one that is no older, or of none yet: a backup. Begin it with
// the folder's lock held.
type Copy struct {
	From, To string
	// Linked lets files be the same file in both folders, where they lie on one file system: they are never changed.
	Linked bool
	// Progress, when not nil, is told of the bytes that are copied.
	Progress func(bytes int64)
	// Copied is how many bytes were copied or linked.
	Copied int64
}

// Segments copies the segments of a manifest that the folder does not have. The error is fs.ErrNotExist where the store has
// removed one meanwhile, and ErrOtherBackup where the folder has another one of the same name.
func (c *Copy) Segments(ctx context.Context, m *Manifest) error {
	there, err := readManifest(c.To)
	if err != nil && !errors.Is(err, ErrNotStore) {
		return err
	}
	for i := range m.Segments {
		s := &m.Segments[i]
		if there != nil && there.has(s.Folder) {
			if err := there.sameSegment(s); err != nil {
				return fmt.Errorf("store: %s: %w", c.To, err)
			}
			continue
		}
		if err := c.segment(ctx, s); err != nil {
			return err
		}
	}
	return system.SyncFolder(c.To)
}

// sameSegment compares the files of a segment with those of the manifest's segment of that name.
func (m *Manifest) sameSegment(s *Segment) error {
	i := slices.IndexFunc(m.Segments, func(other Segment) bool { return other.Folder == s.Folder })
	if !slices.Equal(m.Segments[i].AllFiles(), s.AllFiles()) {
		return fmt.Errorf("%w: %s differs", ErrOtherBackup, s.Folder)
	}
	return nil
}

// segment copies one segment. What an earlier copy left of it is removed: no manifest names it.
func (c *Copy) segment(ctx context.Context, s *Segment) error {
	folder := filepath.Join(c.To, s.Folder)
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, f := range s.AllFiles() {
		if err := c.file(ctx, filepath.Join(c.From, s.Folder, f.Name), filepath.Join(folder, f.Name), f.Bytes); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		c.Copied += f.Bytes
	}
	return system.SyncFolder(folder)
}

func (c *Copy) file(ctx context.Context, from, to string, size int64) (err error) {
	if c.Linked {
		if err = os.Link(from, to); err == nil || errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, &watched{ctx, in, c.Progress})
	if err == nil && n != size {
		err = damaged(from, fmt.Errorf("it has %d bytes, not %d", n, size))
	}
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// watched ends with its context, and tells how much was read.
type watched struct {
	ctx  context.Context
	in   io.Reader
	tell func(int64)
}

// Read reads on.
func (w *watched) Read(b []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	n, err := w.in.Read(b)
	if w.tell != nil {
		w.tell(int64(n))
	}
	return n, err
}

// Queries copies the example queries that are not there yet.
func (c *Copy) Queries(ctx context.Context) error {
	entries, err := os.ReadDir(filepath.Join(c.From, queriesFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(c.To, queriesFolder), 0o755)
	}
	for _, e := range entries {
		info, e2 := e.Info()
		if err = errors.Join(err, e2); err != nil {
			break
		}
		if !info.Mode().IsRegular() {
			continue
		}
		to := filepath.Join(c.To, queriesFolder, e.Name())
		if err = os.RemoveAll(to); err == nil {
			err = c.file(ctx, filepath.Join(c.From, queriesFolder, e.Name()), to, info.Size())
		}
	}
	return err
}

// Finish makes m the manifest of the folder, and removes the segments that it does not name.
func (c *Copy) Finish(m *Manifest) (err error) {
	if m.Checksum, err = m.sum(); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := replaceManifest(system, c.To, m); err != nil {
		return err
	}
	if err := system.SyncFolder(c.To); err != nil {
		return err
	}
	(&Load{dir: c.To, lock: &Lock{}, current: m}).removeOld()
	return nil
}
