package section

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// Operation is what is asked of a Disk.
type Operation string

// The operations that can fail.
const (
	CreateFile Operation = "create"
	MakeFolder Operation = "mkdir"
	Write      Operation = "write"
	Sync       Operation = "sync"
	SyncFolder Operation = "sync folder"
	Rename     Operation = "rename"
	Remove     Operation = "remove"
)

// Disk is where the files of a store are written. A nil Disk is the system's; tests have one whose operations fail.
type Disk struct {
	// Fault is asked before each operation; its error is the operation's. A write then writes half of its bytes. It is
	// called by several goroutines.
	Fault func(op Operation, path string) error
	// together is what files are flushed by; nil: each by who finishes it.
	together *together
}

// Together is the same disk, on which a Writer that is finished leaves it to others to flush its file, many at the same time: a disk that is asked for many flushes at once
// does them together, and a store may have a file for each of very many graphs. Wait must follow.
func (d *Disk) Together() *Disk {
	out := &Disk{together: &together{places: make(chan struct{}, mostTogether)}}
	if d != nil {
		out.Fault = d.Fault
	}
	return out
}

// mostTogether is how many files are flushed at the same time.
const mostTogether = 64

// together are files that are being flushed and closed.
type together struct {
	places chan struct{}
	files  sync.WaitGroup
	mu     sync.Mutex
	err    error
}

// Wait returns when no finished file of a disk of Together is left to be flushed; its error is that of the first which could not be.
func (d *Disk) Wait() error {
	d.together.files.Wait()
	return d.together.failed()
}

func (t *together) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// finish flushes a file and closes it, or has others do so and tells of those before it that could not be. Where it fails at once, the file is not closed.
func (f *DiskFile) finish() error {
	if f.disk == nil || f.disk.together == nil {
		if err := f.Sync(); err != nil {
			return err
		}
		return f.Close()
	}
	t := f.disk.together
	if err := t.failed(); err != nil {
		return err
	}
	t.places <- struct{}{}
	t.files.Go(func() {
		defer func() { <-t.places }()
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.err == nil {
				t.err = fmt.Errorf("write %s: %w", f.Name(), err)
			}
		}
	})
	return nil
}

func (d *Disk) fault(op Operation, path string) error {
	if d == nil || d.Fault == nil {
		return nil
	}
	if err := d.Fault(op, path); err != nil {
		return &fs.PathError{Op: string(op), Path: path, Err: err}
	}
	return nil
}

// OpenFile is os.OpenFile of a file that is to be written.
func (d *Disk) OpenFile(path string, flag int, mode fs.FileMode) (*DiskFile, error) {
	if err := d.fault(CreateFile, path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, flag, mode)
	if err != nil {
		return nil, err
	}
	return &DiskFile{f, d}, nil
}

// WriteFile writes a file whole; it is on the disk once this returns. Of one that fails nothing stays.
func (d *Disk) WriteFile(path string, text []byte, mode fs.FileMode) error {
	f, err := d.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, d.Remove(path))
	}
	return nil
}

// Nameless makes a file in a folder that vanishes with the process.
func (d *Disk) Nameless(folder string) (*DiskFile, error) {
	if err := d.fault(CreateFile, folder); err != nil {
		return nil, err
	}
	f, err := machine.NamelessFile(folder)
	if err != nil {
		return nil, err
	}
	return &DiskFile{f, d}, nil
}

// Mkdir is os.Mkdir.
func (d *Disk) Mkdir(path string, mode fs.FileMode) error {
	if err := d.fault(MakeFolder, path); err != nil {
		return err
	}
	return os.Mkdir(path, mode)
}

// Rename is os.Rename.
func (d *Disk) Rename(from, to string) error {
	if err := d.fault(Rename, to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Remove is os.Remove.
func (d *Disk) Remove(path string) error {
	if err := d.fault(Remove, path); err != nil {
		return err
	}
	return os.Remove(path)
}

// RemoveAll is os.RemoveAll.
func (d *Disk) RemoveAll(path string) error {
	if err := d.fault(Remove, path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// SyncFolder makes the entries of a folder durable.
func (d *Disk) SyncFolder(path string) error {
	if err := d.fault(SyncFolder, path); err != nil {
		return err
	}
	if err := machine.SyncFolder(path); err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return nil
}

// DiskFile is a file of a Disk.
type DiskFile struct {
	*os.File
	disk *Disk
}

func (f *DiskFile) Write(b []byte) (int, error) {
	if err := f.disk.fault(Write, f.Name()); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

// WriteAt is os.File.WriteAt.
func (f *DiskFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.disk.fault(Write, f.Name()); err != nil {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, err
	}
	return f.File.WriteAt(b, at)
}

// Sync is os.File.Sync.
func (f *DiskFile) Sync() error {
	if err := f.disk.fault(Sync, f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}
