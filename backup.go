package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/backup"
)

// BackupOptions are the settings of a backup.
type BackupOptions struct {
	// Copy has every file copied, also where the store and its backup lie on one file system and could share files, which are
	// never changed: then damage of the one's disk is not that of the other.
	Copy bool
	// Progress, when not nil, is called with the bytes of files that were copied, and those that there are.
	Progress func(copied, total int64)
}

// BackupReport is what a backup did.
type BackupReport struct {
	// Sequence is the last commit that the backup has, Commits how many of these were copied now beside the files.
	Sequence uint64 `json:"sequence"`
	Commits  uint64 `json:"commits"`
	Segments int    `json:"segments"`
	// Bytes are those of all files, Copied those of the files that the backup did not have.
	Bytes   int64         `json:"bytes"`
	Copied  int64         `json:"copiedBytes"`
	Elapsed time.Duration `json:"elapsedNanoseconds"`
}

// Backup copies the store in dir, as it is at one moment and with all that was acknowledged before, into the folder to. Where
// that holds an earlier backup of the store, only what is new is copied, and the backup is then the newer one. Any process may have
// the store open, and change it. A backup can be opened for reading. Interrupted, it leaves the backup that was there, or a
// later state of it. The error wraps ErrOtherBackup, ErrBusy, ErrDamaged or the context's.
func Backup(ctx context.Context, dir, to string, options BackupOptions) (BackupReport, error) {
	return copyStore(ctx, dir, to, backup.Options{Linked: !options.Copy, Progress: options.Progress})
}

func copyStore(ctx context.Context, from, to string, options backup.Options) (BackupReport, error) {
	began := time.Now()
	r, err := backup.Run(ctx, from, to, options)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return BackupReport{
		Sequence: r.Sequence, Commits: r.Commits, Segments: r.Segments, Bytes: r.Bytes, Copied: r.Copied, Elapsed: time.Since(began),
	}, err
}

// Restore makes a store of the backup in the folder from, in dir, which must not be there yet. All of it is checked before it gets
// its name (Verify). Interrupted, it leaves a folder beside dir that the next Restore goes on with.
func Restore(ctx context.Context, from, dir string, options BackupOptions) (BackupReport, error) {
	began := time.Now()
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		return BackupReport{}, errors.Join(fmt.Errorf("rdfgpu: %s is there already: a backup is restored into a folder of its own", dir), err)
	}
	growing := filepath.Clean(dir) + ".restoring"
	report, err := copyStore(ctx, from, growing, backup.Options{Linked: !options.Copy, Store: true, Progress: options.Progress})
	if err == nil {
		err = Verify(growing)
	}
	if err == nil {
		err = replays(growing, report.Sequence)
	}
	if err == nil {
		err = os.Rename(growing, dir)
	}
	report.Elapsed = time.Since(began)
	return report, err
}

// replays checks that a store has the commits up to a sequence.
func replays(dir string, sequence uint64) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	if got := s.Sequence(); got != sequence {
		err = fmt.Errorf("rdfgpu: %s: %w: it has the commits up to %d, not %d", dir, ErrDamaged, got, sequence)
	}
	return errors.Join(err, s.Close())
}
