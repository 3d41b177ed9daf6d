package wal

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// MaxPayload is the largest payload of a record, in bytes.
const MaxPayload = 1 << 30

// Log is a log that is open for appending. One process at a time may have it open: its caller holds the store's lock.
// All methods may be called from any goroutine; appends go one after the other.
type Log struct {
	folder   Folder
	fileSize int64
	report   Report

	// appending is held by who writes frames or changes the file that they go to; syncing by who syncs, one at a time: two syncs of
	// a file at once would share the news of a failure, and one of them would not hear it. They are taken in this order.
	appending, syncing sync.Mutex
	dropping           sync.Mutex
	buffer             []byte

	last, synced atomic.Uint64

	mu     sync.Mutex // of what follows; held for moments only
	files  []*logFile // in order; the last is appended to
	broken error      // why nothing can be appended or synced any more
}

// Report is what Open found.
func (l *Log) Report() Report { return l.report }

// Identity tells this log from every other one; it is never 0.
func (l *Log) Identity() uint64 { return l.active().identity }

// First is the lowest sequence that was not dropped.
func (l *Log) First() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.files[0].first
}

// Last is the highest sequence that was appended, First − 1 where there is none.
func (l *Log) Last() uint64 { return l.last.Load() }

// Synced is the highest sequence that is durable.
func (l *Log) Synced() uint64 { return l.synced.Load() }

// Bytes is about what the records take, all files together, without the space that is taken for later ones.
func (l *Log) Bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := int64(0)
	for _, f := range l.files {
		n += f.end - headerBytes
	}
	return n
}

func (l *Log) active() *logFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.files[len(l.files)-1]
}

// usable is why the log takes no more records, nil where it does.
func (l *Log) usable() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// fail breaks the log for good, unless it is broken.
func (l *Log) fail(cause error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = fmt.Errorf("wal: %w: %w", ErrBroken, cause)
	}
	return l.broken
}

// Append writes a record of each payload, in one piece, and returns the sequence of the first. They are in the file
// then, not durable: Sync does that. A payload of no bytes is a record like any other.
//
// After an error none of them is in the log, and where it is not ErrBroken or ErrClosed, appending may go on: on a full
// disk, what was written has been taken back. After ErrBroken, whether they are there shows when the log is opened anew.
func (l *Log) Append(payloads ...[]byte) (first uint64, err error) {
	l.appending.Lock()
	defer l.appending.Unlock()
	if err := l.usable(); err != nil {
		return 0, err
	}
	need := int64(0)
	for _, p := range payloads {
		if len(p) > MaxPayload {
			return 0, fmt.Errorf("wal: %w: %d bytes, %d at most", ErrTooLarge, len(p), MaxPayload)
		}
		need += frameSize(len(p))
	}
	f := l.active()
	if f.end+need > f.limit {
		if f, err = l.makeRoom(need); err != nil {
			return 0, err
		}
	}
	first = l.last.Load() + 1
	if err := l.write(f, first, payloads); err != nil {
		return 0, l.takeBack(f, err)
	}
	return first, nil
}

// largestKept bounds the buffer that is kept for the next frames.
const largestKept = 4 << 20

// write writes records to the file that is appended to.
func (l *Log) write(f *logFile, first uint64, payloads [][]byte) error {
	b := l.buffer[:0]
	synced := l.synced.Load()
	places := make([]place, 0, 8)
	for i, p := range payloads {
		places = append(places, place{first + uint64(i), f.end + int64(len(b))})
		b = appendFrame(b, f.seed, frame{recordFrame, first + uint64(i), synced, p})
	}
	frames := int64(len(b))
	b = f.withZeros(b)
	if cap(b) <= largestKept {
		l.buffer = b
	}
	if _, err := f.file.WriteAt(b, f.end); err != nil {
		return err
	}
	f.zeroed = max(f.zeroed, f.end+int64(len(b)))
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range places {
		f.note(p)
	}
	f.end += frames
	l.last.Store(first + uint64(len(payloads)) - 1)
	return nil
}

// takeBack makes the file end where the last record does, after a write that failed: what was written of it must not
// be found behind a later record. The error tells of both.
func (l *Log) takeBack(f *logFile, cause error) error {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if err := l.usable(); err != nil { // a sync failed meanwhile
		return errors.Join(err, cause)
	}
	f.zeroed = f.end
	err := f.file.Truncate(f.end)
	if err == nil {
		_ = f.file.Allocate(f.limit) // the disk may be full: then the file grows when there is space
		err = f.file.Sync()
	}
	if err != nil {
		return l.fail(errors.Join(cause, err))
	}
	l.synced.Store(l.last.Load())
	return fmt.Errorf("wal: append to %s: %w", f.name, cause)
}

// makeRoom finds space for frames of so many bytes: in another file, or in this one where it has no record.
func (l *Log) makeRoom(need int64) (*logFile, error) {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if err := l.usable(); err != nil {
		return nil, err
	}
	f := l.active()
	limit := max(l.fileSize, headerBytes+need)
	if !f.empty() {
		return l.goOn(f, limit)
	}
	if err := f.file.Allocate(limit); err != nil {
		return nil, fmt.Errorf("wal: %s: %w", f.name, err)
	}
	f.limit = limit
	return f, nil
}

// goOn begins another file. Before it has a record, all of this one are durable: only the last file has a torn tail.
func (l *Log) goOn(f *logFile, limit int64) (*logFile, error) {
	if err := f.file.SyncData(); err != nil {
		return nil, l.fail(err)
	}
	last := l.last.Load()
	l.synced.Store(last)
	next, err := create(l.folder, fileHeader{identity: f.identity, seed: random(), first: last + 1, previous: f.first}, limit)
	if err != nil {
		return nil, err
	}
	if err := l.folder.Sync(); err != nil { // nobody knows whether the file is there after a crash
		return nil, errors.Join(l.fail(err), next.file.Close())
	}
	// The frame that says so hinders nobody where it is lost; it tells when the next file is.
	_, _ = f.file.WriteAt(appendFrame(nil, f.seed, frame{kind: endFrame, sequence: last, synced: last}), f.end)
	_ = f.file.Close() // everything in it is durable
	l.mu.Lock()
	defer l.mu.Unlock()
	f.file = nil
	l.files = append(l.files, next)
	return next, nil
}

// Sync makes durable all that was appended before it was called, and returns the last sequence that is durable. Append
// may go on meanwhile. After an error, always ErrBroken or ErrClosed, nobody knows what of it is on the disk.
func (l *Log) Sync() (synced uint64, err error) {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.mu.Lock()
	f, last, err := l.files[len(l.files)-1], l.last.Load(), l.broken
	l.mu.Unlock()
	if err != nil || last == l.synced.Load() {
		return l.synced.Load(), err
	}
	if err := f.file.SyncData(); err != nil {
		return l.synced.Load(), l.fail(err)
	}
	l.synced.Store(last)
	if l.appending.TryLock() {
		l.mark()
		l.appending.Unlock()
	}
	return last, nil
}

// mark writes behind the last record that it is durable, where that is so: if it is found wrong later, it was damaged
// and not torn. The next record is written over the mark. It needs no sync, and where it cannot be written nothing is lost.
// Those who wait for a sync wait for the mark, too: some microseconds. A mark that was left to a timer instead, for when nothing more comes, made
// 1.02 times as many commits a second from one writer, 1.03 from eight and 0.95 from 64, which is the spread of single runs (BenchmarkCommit).
func (l *Log) mark() {
	f, last := l.active(), l.last.Load()
	if last != l.synced.Load() || f.end+frameBytes > f.limit {
		return
	}
	l.buffer = appendFrame(l.buffer[:0], f.seed, frame{kind: markFrame, sequence: last, synced: last})
	_, _ = f.file.WriteAt(l.buffer, f.end)
}

// Drop removes the files whose records all lie before a sequence; never the last file. Those who read them go on.
func (l *Log) Drop(before uint64) error {
	l.dropping.Lock()
	defer l.dropping.Unlock()
	for {
		f := l.dropFirst(before)
		if f == nil {
			return nil
		}
		err := l.folder.Remove(f.name)
		if err == nil {
			// One after the other, so that no crash leaves a gap.
			err = l.folder.Sync()
		}
		if err != nil {
			return fmt.Errorf("wal: drop %s: %w", f.name, err)
		}
	}
}

// dropFirst takes the first file off the list, where all of it lies before a sequence.
func (l *Log) dropFirst(before uint64) *logFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.files) < 2 || l.files[1].first > before {
		return nil
	}
	f := l.files[0]
	l.files = l.files[1:]
	return f
}

// Close syncs what was appended and closes the log; its error is that of the sync. Those who read go on.
func (l *Log) Close() error {
	l.appending.Lock()
	defer l.appending.Unlock()
	_, err := l.Sync()
	if errors.Is(err, ErrClosed) {
		return nil
	}
	if err == nil {
		l.mark()
	}
	l.syncing.Lock()
	defer l.syncing.Unlock()
	l.close()
	return errors.Join(err, l.closeFile())
}

// close refuses what is asked for from now on.
func (l *Log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken = fmt.Errorf("wal: %w", ErrClosed)
	}
}

// closeFile closes the file that is appended to.
func (l *Log) closeFile() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.files) == 0 {
		return nil
	}
	f := l.files[len(l.files)-1]
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}
