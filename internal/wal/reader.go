package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"sync"
)

// Reader reads a log that another process, or another part of this one, may be appending to. It changes nothing and
// keeps no file open between reads. For use by any number of goroutines.
type Reader struct {
	folder   Folder
	identity uint64

	mu sync.Mutex
	// end is where a reading came to the end of the last file, which begins with a sequence: the next one, which is
	// likely to begin there, need not look for the place.
	end   place
	first uint64
}

// OpenReader opens the log in dir for reading. The error is fs.ErrNotExist where there is none.
func OpenReader(dir string, o Options) (*Reader, error) {
	folder, err := o.folder(dir, func(dir string) (Folder, error) { return disk(dir), nil })
	if err != nil {
		return nil, err
	}
	r := &Reader{folder: folder}
	err = r.retry(func(firsts []uint64) error {
		h, err := r.header(firsts[0])
		r.identity = h.identity
		return err
	})
	if err == nil && o.Identity != 0 && o.Identity != r.identity {
		err = fmt.Errorf("wal: %w: it is another log", ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// attempts bounds how often a reader looks at the folder again because a file of the list was dropped meanwhile.
const attempts = 100

// retry calls f with the first sequences of the files, again where one of them was dropped meanwhile.
func (r *Reader) retry(f func(firsts []uint64) error) error {
	var err error
	for range attempts {
		var firsts []uint64
		if firsts, _, err = listed(r.folder); err != nil {
			return err
		}
		if len(firsts) == 0 {
			return fmt.Errorf("wal: there is no log: %w", fs.ErrNotExist)
		}
		if err = f(firsts); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

func (r *Reader) header(first uint64) (fileHeader, error) {
	f, err := r.folder.Open(fileName(first), false)
	if err != nil {
		return fileHeader{}, fmt.Errorf("wal: %w", err)
	}
	defer f.Close()
	h, err := readHeader(fileName(first), first, f)
	if err == nil && r.identity != 0 && h.identity != r.identity {
		err = damaged(fileName(first), 16, "the file is one of another log")
	}
	return h, err
}

// Identity is that of the log.
func (r *Reader) Identity() uint64 { return r.identity }

// First is the lowest sequence that has not been dropped by now.
func (r *Reader) First() (first uint64, err error) {
	err = r.retry(func(firsts []uint64) error {
		first = firsts[0]
		return nil
	})
	return first, err
}

// Read gives the records from a sequence to the end, where it is when the reader gets there; else it is like Log.Read.
// It may give records that are not durable yet and would be missing after a power cut.
func (r *Reader) Read(from uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		reading := &reading{Reader: r, next: from, yield: yield}
		err := r.retry(reading.files)
		if err != nil && !errors.Is(err, errStopped) {
			yield(Record{}, err)
		}
	}
}

// reading is one Read of a Reader.
type reading struct {
	*Reader
	next  uint64 // the sequence to give next
	yield func(Record, error) bool
}

// files reads on in the files that the folder had a moment ago, and in those that have come meanwhile.
func (r *reading) files(firsts []uint64) error {
	for {
		i := fileOf(firsts, r.next)
		if i < 0 {
			return gone(r.next, firsts[0])
		}
		if i+1 < len(firsts) {
			if err := r.file(firsts[i], firsts[i+1]-1); err != nil {
				return err
			}
			continue
		}
		err := r.lastFile(firsts[i])
		if err != nil {
			return err
		}
		// The log may have gone on in another file, behind what was the end of this one.
		known := firsts[i]
		if firsts, _, err = listed(r.folder); err != nil || len(firsts) == 0 || firsts[len(firsts)-1] == known {
			return err
		}
	}
}

// file reads a file of which all records are known to be there.
func (r *reading) file(first, last uint64) error {
	h, err := r.header(first)
	if err != nil {
		return err
	}
	s, err := openScanner(r.folder, fileName(first), h, place{first, headerBytes})
	if err != nil {
		return err
	}
	return s.records(r.next, last, r.give)
}

// give hands a record on, and remembers that it did.
func (r *reading) give(record Record, err error) bool {
	r.next = record.Sequence + 1
	return r.yield(record, err)
}

// lastFile reads a file as far as it has been written.
func (r *reading) lastFile(first uint64) error {
	begin := place{first, headerBytes}
	start := r.startIn(first)
	err := r.lastFileFrom(start, first)
	if errors.Is(err, ErrDamaged) && start != begin {
		// Records that were written in part and taken back may have moved the place.
		err = r.lastFileFrom(begin, first)
	}
	return err
}

func (r *reading) lastFileFrom(start place, first uint64) error {
	h, err := r.header(first)
	if err != nil {
		return err
	}
	s, err := openScanner(r.folder, fileName(first), h, start)
	if err != nil {
		return err
	}
	defer s.file.Close()
	for {
		record, ok, err := s.record()
		switch {
		case err != nil:
			return err
		case !ok:
			return r.atEnd(s, first)
		case record.Sequence >= r.next && !r.give(record, nil):
			return errStopped
		}
	}
}

// startIn is a place of the last file from which reading on comes to the next record.
func (r *reading) startIn(first uint64) place {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == first && r.end.sequence <= r.next {
		return r.end
	}
	return place{first, headerBytes}
}

// atEnd looks at what stands behind the last record. Where it is no frame, and a later one says that it was durable, the
// file is damaged, unless it has been written meanwhile.
func (r *reading) atEnd(s *recordScanner, first uint64) error {
	end := place{s.expected, s.at}
	f, v, err := s.next()
	if err == nil && v == bad {
		err = r.suspect(s, end)
	}
	if err != nil {
		return err
	}
	if v == good && f.kind == recordFrame { // it was written while we looked
		s.at = end.offset
	}
	r.mu.Lock()
	r.first, r.end = first, end
	r.mu.Unlock()
	if r.next > end.sequence {
		return readable(r.next, 0, end.sequence-1)
	}
	return nil
}

// suspect looks for later frames behind a place where none begins.
func (r *reading) suspect(s *recordScanner, end place) error {
	s.at = end.offset
	left, err := s.search(end.sequence)
	if err != nil || left.synced < end.sequence {
		return err
	}
	s.at, s.buf = end.offset, nil
	if _, v, err := s.next(); err != nil || v == good {
		return err
	}
	return damaged(s.name, end.offset, "record %d was durable, and is no whole frame", end.sequence)
}
