package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// Options of a backup.
type Options struct {
	// Linked lets files be the same in the store and in the backup where both lie on one file system.
	Linked bool
	// Store makes what is written a store and not a backup.
	Store bool
	// Progress, when not nil, is called with the bytes that were copied and those that there are.
	Progress func(copied, total int64)
}

// Report is what a backup did.
type Report struct {
	// Sequence is the last commit that the backup has; Commits is how many of them were copied now.
	Sequence, Commits uint64
	Segments          int
	// Bytes are those of the segments, Copied those that were copied or linked now.
	Bytes, Copied int64
}

// attempts bounds how often a backup begins again because the store has removed what it was reading.
const attempts = 100

// Run copies the store in the folder from, as it is at one moment, into the folder to, which must be empty, not be there, or hold
// an earlier backup of the store. The store may be changed meanwhile, by this process or another. The error wraps
// store.ErrOtherBackup, store.ErrBusy where another backup is written there, or store.ErrDamaged.
func Run(ctx context.Context, from, to string, o Options) (Report, error) {
	if _, err := store.ReadManifest(from); err != nil {
		return Report{}, err
	}
	lock, err := store.TakeLock(to)
	if err != nil {
		return Report{}, err
	}
	r := &run{Options: o, from: from, copy: store.Copy{From: from, To: to, Linked: o.Linked}}
	for range attempts {
		if err = r.once(ctx); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, wal.ErrGone) && !errors.Is(err, errOlder) {
			break
		}
	}
	return r.report, errors.Join(err, lock.Release())
}

// run is one backup.
type run struct {
	Options
	from   string
	copy   store.Copy
	report Report
}

// errOlder: the log has a commit whose quads are in files that came after those that were copied.
var errOlder = errors.New("backup: the store has newer files")

// once tries to copy the store. The error is fs.ErrNotExist or wal.ErrGone where the store has removed something meanwhile, errOlder
// where it has written something.
func (r *run) once(ctx context.Context) error {
	m, err := store.ReadManifest(r.from)
	if err != nil {
		return err
	}
	before, err := r.before()
	if err != nil {
		return err
	}
	r.report.Segments, r.report.Bytes = len(m.Segments), m.Bytes()
	if r.Progress != nil {
		r.copy.Progress = r.counted(m.Bytes())
	}
	if err := r.copy.Segments(ctx, m); err != nil {
		return err
	}
	r.report.Copied = r.copy.Copied
	if err := r.copy.Queries(ctx); err != nil {
		return err
	}
	reader, err := r.openLog(m)
	if err != nil {
		return err
	}
	m.Backup, m.Log.ID = !r.Store, ""
	if before != nil {
		m.Log.ID = before.Log.ID
	}
	return r.log(ctx, m, reader)
}

// before is the manifest of the backup that is there; nil where there is none.
func (r *run) before() (*store.Manifest, error) {
	m, err := store.ReadManifest(r.copy.To)
	if errors.Is(err, store.ErrNotStore) {
		return nil, nil
	}
	if err == nil && m.Backup == r.Store {
		err = fmt.Errorf("backup: %s: %w", r.copy.To, store.ErrOtherBackup)
	}
	return m, err
}

// counted adds the bytes up for Progress.
func (r *run) counted(total int64) func(int64) {
	done := int64(0)
	return func(n int64) {
		done += n
		r.Progress(done, total)
	}
}

// openLog opens the log of a store of which that is the manifest; nil where it has none.
func (r *run) openLog(m *store.Manifest) (*wal.Reader, error) {
	if m.Log.ID == "" {
		return nil, nil
	}
	reader, err := wal.OpenReader(filepath.Join(r.from, store.LogFolder), wal.Options{Identity: identity(m.Log)})
	if !errors.Is(err, fs.ErrNotExist) {
		return reader, err
	}
	now, failed := store.ReadManifest(r.from)
	switch {
	case failed != nil:
		return nil, failed
	case now.Checksum == m.Checksum:
		return nil, fmt.Errorf("backup: %s: %w: the log of the store has none of its files", r.from, section.ErrDamaged)
	}
	return nil, err // the store has been replaced meanwhile
}

// log brings the commits that the segments of a manifest do not have, and makes it that of the backup, whose log it names.
func (r *run) log(ctx context.Context, m *store.Manifest, from *wal.Reader) error {
	r.report.Sequence = m.Log.Sequence
	if m.Log.ID != "" && from != nil {
		if goesOn, err := r.extend(ctx, m, from); goesOn || err != nil {
			return err
		}
	}
	m.Log.ID = "" // until the new log is there, the backup has none
	if err := r.copy.Finish(m); err != nil || from == nil {
		return err
	}
	return r.begin(ctx, m, from)
}

func identity(l store.Log) uint64 {
	id, _ := strconv.ParseUint(l.ID, 16, 64)
	return id
}

func (r *run) logFolder() string { return filepath.Join(r.copy.To, store.LogFolder) }

// extend appends to the log that the backup has. It is false where that does not lead to the segments of the manifest, or is of
// another history.
func (r *run) extend(ctx context.Context, m *store.Manifest, from *wal.Reader) (goesOn bool, err error) {
	log, err := wal.Open(r.logFolder(), wal.Options{Identity: identity(m.Log)})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if log.First() > m.Log.Sequence+1 || log.Last() < m.Log.Sequence || !sameRecord(log, from) {
		return false, nil
	}
	if err := r.append(ctx, log, from); err != nil {
		return true, err
	}
	if err := r.copy.Finish(m); err != nil {
		return true, err
	}
	return true, log.Drop(m.Log.Sequence + 1)
}

// sameRecord reports whether the last record of a log is in another one too.
func sameRecord(log *wal.Log, other *wal.Reader) bool {
	first := func(next func(func(wal.Record, error) bool)) []byte {
		for record, err := range next {
			if err == nil {
				return append([]byte{}, record.Payload...)
			}
			break
		}
		return nil
	}
	ours, theirs := first(log.Read(log.Last())), first(other.Read(log.Last()))
	return ours != nil && theirs != nil && bytes.Equal(ours, theirs)
}

// begin makes the log of a backup whose manifest names none.
func (r *run) begin(ctx context.Context, m *store.Manifest, from *wal.Reader) (err error) {
	if err := os.RemoveAll(r.logFolder()); err != nil {
		return err
	}
	log, err := wal.Open(r.logFolder(), wal.Options{First: m.Log.Sequence + 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if err := r.append(ctx, log, from); err != nil {
		return err
	}
	m.Log.ID = fmt.Sprintf("%016x", log.Identity())
	return r.copy.Finish(m)
}

// syncEvery is how many bytes of commits are appended before they are synced.
const syncEvery = 64 << 20

// append copies the commits behind the last one of a log.
func (r *run) append(ctx context.Context, log *wal.Log, from *wal.Reader) error {
	pending := 0
	for record, err := range from.Read(log.Last() + 1) {
		if errors.Is(err, wal.ErrBeyond) { // the files have more
			break
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil && wal.InFiles(record.Payload) {
			err = errOlder
		}
		if err == nil {
			_, err = log.Append(record.Payload)
		}
		if err == nil && pending > syncEvery {
			_, err = log.Sync()
			pending = 0
		}
		if err != nil {
			return err
		}
		pending += len(record.Payload)
		r.report.Commits++
	}
	_, err := log.Sync()
	r.report.Sequence = log.Last()
	return err
}
