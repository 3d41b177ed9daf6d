package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockNow locks a file against all others that are opened on it; errHeld where one has the lock. Closing gives it back.
func lockNow(f *os.File) error {
	const exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), exclusive, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}
