package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
)

// Record is one payload of the log.
type Record struct {
	Sequence uint64
	Payload  []byte
}

// Read gives the records from a sequence up to Last as it is when the reading begins, each checked. A payload is valid
// until the next step. The last step is an error where there is one: ErrGone where from was dropped, ErrDamaged.
// From Last + 1 there is nothing to read; to read from beyond that is ErrBeyond.
func (l *Log) Read(from uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if err := l.read(from, yield); err != nil && !errors.Is(err, errStopped) {
			yield(Record{}, err)
		}
	}
}

// errStopped ends a reading whose reader wants no more.
var errStopped = errors.New("the reader has stopped")

func (l *Log) read(from uint64, yield func(Record, error) bool) error {
	files, start, last, err := l.view(from)
	if err != nil {
		return err
	}
	for i, f := range files {
		upTo := last
		if i+1 < len(files) {
			upTo = files[i+1].first - 1
		}
		if from > upTo { // the log ends before
			return nil
		}
		s, err := openScanner(l.folder, f.name, f.fileHeader, start)
		if errors.Is(err, fs.ErrNotExist) && from < l.First() {
			return gone(from, l.First())
		}
		if err == nil {
			err = s.records(from, upTo, yield)
		}
		if err != nil {
			return err
		}
		from, start = upTo+1, place{upTo + 1, headerBytes}
	}
	return nil
}

// view are the files from the one on that has a sequence, a place in that one to read from, and the last sequence.
func (l *Log) view(from uint64) (files []*logFile, start place, last uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last = l.last.Load()
	if err := readable(from, l.files[0].first, last); err != nil {
		return nil, place{}, 0, err
	}
	i := len(l.files) - 1
	for l.files[i].first > from {
		i--
	}
	return slices.Clone(l.files[i:]), l.files[i].before(from), last, nil
}

func gone(from, first uint64) error {
	return fmt.Errorf("wal: sequence %d: %w: it begins with %d", from, ErrGone, first)
}

// readable says why a log cannot be read from a sequence.
func readable(from, first, last uint64) error {
	if from < first {
		return gone(from, first)
	}
	if from > last+1 {
		return fmt.Errorf("wal: sequence %d: %w, which ends with %d", from, ErrBeyond, last)
	}
	return nil
}

// openScanner opens a file for reading from a place on. Its records close it.
func openScanner(folder Folder, name string, h fileHeader, start place) (*recordScanner, error) {
	in, err := folder.Open(name, false)
	if err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	size, err := in.Size()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wal: %s: %w", name, err), in.Close())
	}
	return &recordScanner{
		scanner: scanner{name: name, in: in, size: size, seed: h.seed, at: start.offset}, expected: start.sequence, file: in,
	}, nil
}

// recordScanner reads the records of one file, which must follow one another.
type recordScanner struct {
	scanner
	expected uint64
	file     File
}

// records gives the records from one sequence to another, which must be there, and closes the file.
func (s *recordScanner) records(from, to uint64, yield func(Record, error) bool) error {
	defer s.file.Close()
	for s.expected <= to {
		r, ok, err := s.record()
		if err != nil {
			return err
		}
		if !ok {
			return damaged(s.name, s.at, "record %d is no whole frame", s.expected)
		}
		if r.Sequence >= from && !yield(r, nil) {
			return errStopped
		}
	}
	return nil
}

// record reads the next record; ok is false where another thing stands there, before which s.at stays.
func (s *recordScanner) record() (r Record, ok bool, err error) {
	at := s.at
	f, v, err := s.next()
	if err != nil || v != good || f.kind != recordFrame || f.sequence != s.expected {
		s.at = at
		return r, false, err
	}
	s.expected++
	return Record{f.sequence, f.payload}, true, nil
}
