package wal

import (
	"errors"
	"fmt"
	"io"
)

// scanner reads the frames of one file, one after the other.
type scanner struct {
	name string
	in   io.ReaderAt
	size int64 // of the file
	seed uint64
	at   int64 // where the next frame begins

	buf   []byte
	start int64 // where buf begins in the file
}

// readAhead is how much a scanner reads at once.
const readAhead = 256 << 10

// verdict is what a scanner met where a frame should begin.
type verdict uint8

const (
	good    verdict = iota
	nothing         // zeros, or the end of the file
	bad             // anything else
)

// next reads the frame at s.at and steps behind it if it is good. Its payload is valid until the next call. An error is
// one of reading; then nothing can be said of the frame.
func (s *scanner) next() (frame, verdict, error) {
	head, err := s.bytes(frameBytes)
	switch {
	case err != nil:
		return frame{}, bad, err
	case isZero(head):
		return frame{}, nothing, nil
	case len(head) < frameBytes:
		return frame{}, bad, nil
	}
	f, length, ok := decodeHead(head, s.seed)
	size := frameSize(length)
	if !ok || size > s.size-s.at {
		return frame{}, bad, nil
	}
	b, err := s.bytes(size)
	if err != nil || int64(len(b)) < size || !whole(b, s.seed) {
		return frame{}, bad, err
	}
	f.payload = b[frameBytes : frameBytes+length]
	s.at += size
	return f, good, nil
}

// bytes are the n bytes at s.at, fewer where the file ends before.
func (s *scanner) bytes(n int64) ([]byte, error) {
	n = max(0, min(n, s.size-s.at))
	from := s.at - s.start
	if from >= 0 && from+n <= int64(len(s.buf)) {
		return s.buf[from : from+n], nil
	}
	size := max(n, min(readAhead, s.size-s.at))
	if c := int64(cap(s.buf)); c < size || c > max(4*size, 16*readAhead) { // a large record leaves no large buffer behind
		s.buf = make([]byte, size)
	}
	got, err := s.in.ReadAt(s.buf[:size], s.at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("wal: %s: %w", s.name, err)
	}
	s.buf, s.start = s.buf[:got], s.at
	return s.buf[:min(n, int64(got))], nil
}

// remains is what lies in a file from a place on where no good frame begins.
type remains struct {
	records int    // good records of later sequences
	synced  uint64 // the highest sequence that a good frame of them says was durable
	end     int64  // where the zeros begin that the file ends with
}

// search looks for frames of sequences from expected on, behind s.at.
func (s *scanner) search(expected uint64) (r remains, err error) {
	r.end = s.at
	// The copy reads single frames, and leaves the buffer that is searched as it is.
	one := &scanner{name: s.name, in: s.in, size: s.size, seed: s.seed}
	for s.at < s.size {
		b, err := s.bytes(int64(len(zeros)))
		if err != nil {
			return r, err
		}
		if len(b) == 0 { // the file was cut meanwhile
			break
		}
		if isZero(b) {
			s.at += int64(len(b))
			continue
		}
		if b = b[:min(alignment, len(b))]; isZero(b) {
			s.at += alignment
			continue
		}
		r.end = s.at + int64(len(b))
		one.at = s.at
		if f, ok, err := s.plausible(one); err != nil {
			return r, err
		} else if ok && f.sequence >= expected {
			r.synced = max(r.synced, f.synced)
			if f.kind == recordFrame {
				r.records++
			}
			s.at, r.end = one.at, one.at
			continue
		}
		s.at += alignment
	}
	return r, nil
}

// plausible reads the frame at s.at with another scanner where it looks like one.
func (s *scanner) plausible(one *scanner) (frame, bool, error) {
	head, err := s.bytes(frameBytes)
	if err != nil || len(head) < frameBytes {
		return frame{}, false, err
	}
	if _, _, ok := decodeHead(head, s.seed); !ok {
		return frame{}, false, nil
	}
	f, v, err := one.next()
	return f, v == good, err
}

// readHeader reads and checks the header of a file, which must be the one that its name says.
func readHeader(name string, first uint64, in io.ReaderAt) (fileHeader, error) {
	b := make([]byte, headerUsed)
	n, err := in.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fileHeader{}, fmt.Errorf("wal: %s: %w", name, err)
	}
	h, err := decodeHeader(name, b[:n])
	if err == nil && h.first != first {
		return h, damaged(name, 32, "the file begins with sequence %d", h.first)
	}
	return h, err
}
