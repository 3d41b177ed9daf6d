// Package bunzip unpacks bzip2 on all cores. A file is cut where its blocks begin, which are found by their magic numbers at any bit, and compress/bzip2
// decodes each as a stream of its own. What comes out, and which files are faulty, is as compress/bzip2 has it, but that a stream's last block may be missing
// from what is read before an error, and that a block is refused in which magic numbers occur by chance more than a few times (once is a chance of 2^-48 for
// each bit).
package bunzip

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"runtime"
	"sync"
)

// The magic numbers that a block and the end of a stream begin with, of 48 bits.
const (
	blockMagic = 0x314159265359
	endMagic   = 0x177245385090
	magicBits  = 48
)

const (
	// mostPacked bounds what a block takes: 900,000 symbols of at most 20 bits, and the tables of their codes.
	mostPacked = 5 << 19
	// mostAhead is how much of a block is unpacked before it is read; runs may make more of one.
	mostAhead = 4 << 20
	// mostJoined is how many times a block may go on behind what looks like the begin of another: each time it is unpacked again.
	mostJoined = 4
	// readBytes are read at a time.
	readBytes = 1 << 18
)

// Errors of files that are none.
var (
	errHeader   = errors.New("bunzip: no bzip2 header")
	errChecksum = errors.New("bunzip: the checksum of a stream is wrong")
	errBlock    = errors.New("bunzip: no block begins where one should")
)

var errClosed = errors.New("bunzip: closed")

// Reader is an io.Reader of what was packed.
type Reader struct {
	queue  chan *piece // in the file's order
	blocks chan *piece // to be unpacked
	stop   chan struct{}
	once   sync.Once
	ended  sync.WaitGroup
	texts  sync.Pool // of *[]byte, what pieces are unpacked to
	at     *piece
	stream uint32 // checksum of the stream's blocks
	err    error
}

// NewReader returns a Reader of a file, which may have several streams. It reads ahead, with a goroutine for each core, until the end, an error, or Close.
func NewReader(packed io.Reader) *Reader { return newReader(packed, nil) }

// newReader has blocks also begin at bits for which cut is true, as if there were a magic number.
func newReader(packed io.Reader, cut func(bit int64) bool) *Reader {
	threads := runtime.GOMAXPROCS(0)
	r := &Reader{queue: make(chan *piece, threads), blocks: make(chan *piece, threads), stop: make(chan struct{})}
	for range threads {
		r.ended.Go(r.unpack)
	}
	r.ended.Go(func() {
		defer close(r.queue)
		defer close(r.blocks)
		s := scanner{reader: r, packed: packed, cut: cut}
		if err := s.scan(); err != nil {
			r.put(r.queue, &piece{err: err, ready: closed})
		}
	})
	return r
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Close ends what is read ahead. The file is not read any more when it returns.
func (r *Reader) Close() error {
	r.once.Do(func() { close(r.stop) })
	r.ended.Wait()
	return nil
}

// put hands a piece over; false where the Reader was closed.
func (r *Reader) put(to chan<- *piece, p *piece) bool {
	select {
	case to <- p:
		return true
	case <-r.stop:
		return false
	}
}

// Read reads what was packed.
func (r *Reader) Read(p []byte) (n int, err error) {
	for r.err == nil {
		if r.at == nil {
			r.next()
			continue
		}
		if n, err = r.at.read(p); n > 0 {
			return n, nil
		}
		switch {
		case err == io.EOF:
			r.at.release(&r.texts)
			r.at = nil
		case err != nil:
			r.join(err)
		}
		if len(p) == 0 {
			return 0, nil
		}
	}
	return 0, r.err
}

// next takes the next piece.
func (r *Reader) next() {
	var ok bool
	select {
	case r.at, ok = <-r.queue:
	case <-r.stop:
	}
	select {
	case <-r.stop: // also where both were ready
		r.err = errClosed
		return
	default:
	}
	if !ok {
		r.err = io.EOF
		return
	}
	select {
	case <-r.at.ready:
	case <-r.stop:
		r.err = errClosed
		return
	}
	switch {
	case r.at.err != nil:
		r.err = r.at.err
	case r.at.end:
		if r.stream != r.at.checksum {
			r.err = errChecksum
		}
		r.stream, r.at = 0, nil
	default:
		r.stream = (r.stream<<1 | r.stream>>31) ^ r.at.checksum
	}
}

// join takes the next piece to the one at hand, which could not be unpacked: what it was cut at may have been no magic number.
func (r *Reader) join(why error) {
	p := r.at
	if p.joined++; p.joined > mostJoined {
		r.err = why
		return
	}
	var other *piece
	select {
	case other = <-r.queue:
	case <-r.stop:
		r.err = errClosed
		return
	}
	if other == nil || other.err != nil || other.end || len(p.bits.bytes)+len(other.bits.bytes) > mostPacked {
		r.err = why
		return
	}
	p.bits.append(other.bits)
	p.rest, p.text = bzip2.NewReader(bytes.NewReader(p.bits.stream(p.level))), nil
	if _, err := io.CopyN(io.Discard, p.rest, p.given); err != nil {
		p.failed = why
	}
}
