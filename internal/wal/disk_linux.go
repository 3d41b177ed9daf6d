package wal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Allocate takes the space where the file system can promise it; elsewhere files grow as they are written.
func (f diskFile) Allocate(size int64) error {
	err := f.call("fallocate", func(fd int) error { return unix.Fallocate(fd, 0, 0, size) })
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

func (f diskFile) SyncData() error { return f.call("fdatasync", unix.Fdatasync) }

// call repeats a call that a signal broke off: the runtime sends its threads signals.
func (f diskFile) call(name string, call func(fd int) error) error {
	err := call(int(f.Fd()))
	for err == unix.EINTR {
		err = call(int(f.Fd()))
	}
	if err != nil {
		return &os.PathError{Op: name, Path: f.Name(), Err: err}
	}
	return nil
}
