//go:build unix

package machine

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Map maps the first size bytes of a file, to be read; the file may be closed. Unmap ends that.
func Map(file *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

// Unmap ends a mapping of Map; nothing may read it any more.
func Unmap(mapped []byte) error { return unix.Munmap(mapped) }

// WillNeed asks the system to read a mapping ahead: advice.
func WillNeed(mapped []byte) { _ = unix.Madvise(mapped, unix.MADV_WILLNEED) }

// Allocate is memory outside the heap of Go, zero and a multiple of a page; Release gives it back at once.
func Allocate(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// Release gives memory of Allocate back.
func Release(b []byte) error { return unix.Munmap(b) }

// OpenMovable is os.OpenFile for a file that may be renamed and removed while it is open.
func OpenMovable(path string, flags int) (*os.File, error) { return os.OpenFile(path, flags, 0o644) }

// NamelessFile makes a temporary file in a folder ("" is the system's), of which nothing is left however the process ends.
func NamelessFile(folder string) (*os.File, error) {
	f, err := os.CreateTemp(folder, "rdfgpu-*.tmp")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// SyncFolder makes the names in a folder safe.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// DiskFull reports an error of a file for which there was no room.
func DiskFull(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
