package wal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rdfgpu/rdfgpu/internal/machine"
)

// disk is a folder of the operating system.
type disk string

// openDisk makes the folder where it is not there, and makes that durable.
func openDisk(dir string) (Folder, error) {
	switch err := os.Mkdir(dir, 0o755); {
	case err == nil:
		return disk(dir), disk(filepath.Dir(dir)).Sync()
	case errors.Is(err, os.ErrExist):
		return disk(dir), nil
	default:
		return nil, fmt.Errorf("wal: %w", err)
	}
}

func (d disk) path(name string) string { return filepath.Join(string(d), name) }

func (d disk) Names() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (d disk) Create(name string) (File, error) {
	return d.file(machine.OpenMovable(d.path(name), os.O_RDWR|os.O_CREATE|os.O_TRUNC))
}

func (d disk) Open(name string, write bool) (File, error) {
	if write {
		return d.file(machine.OpenMovable(d.path(name), os.O_RDWR))
	}
	return d.file(machine.OpenMovable(d.path(name), os.O_RDONLY))
}

// file keeps a nil *os.File from becoming a File.
func (disk) file(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

func (d disk) Rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }

func (d disk) Remove(name string) error { return os.Remove(d.path(name)) }

func (d disk) Sync() error { return machine.SyncFolder(string(d)) }

// diskFile is a file of the operating system.
type diskFile struct{ *os.File }

func (f diskFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
