// Package bunzip unpacks bzip2 on all cores. A file is cut where its blocks begin, which are found by their magic numbers at any bit, and compress/bzip2
// decodes each as a stream of its own. What comes out, and which files are faulty, is as compress/bzip2 has it, but that a stream's last block may be missing
// from what is read before an error, and that a block is refused in which magic numbers occur by chance more than a few times (once is a chance of 2^-48 for
// each bit).
package bunzip

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
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

// piece is a block, the end of a stream, or an error.
type piece struct {
	ready    chan struct{} // closed when it is unpacked
	bits     bits
	level    byte
	checksum uint32 // of the block, or of the stream
	end      bool
	err      error

	buffer *[]byte   // what is unpacked
	text   []byte    // of it, what is not read
	rest   io.Reader // has what follows; nil: nothing
	failed error     // what follows instead
	given  int64     // bytes that were read
	joined int       // pieces that follow were taken to it
}

// release gives the text's memory back; the piece is read.
func (p *piece) release(texts *sync.Pool) {
	if p.buffer != nil {
		texts.Put(p.buffer)
		p.buffer, p.text = nil, nil
	}
}

func (p *piece) read(to []byte) (n int, err error) {
	switch {
	case len(p.text) > 0:
		n = copy(to, p.text)
		p.text = p.text[n:]
	case p.failed != nil:
		err, p.failed = p.failed, nil
	case p.rest == nil:
		err = io.EOF
	default:
		n, err = p.rest.Read(to)
	}
	p.given += int64(n)
	return n, err
}

// bits are size bits of bytes, from one of the first eight on.
type bits struct {
	bytes []byte
	first uint
	size  int64
}

// word is the 32 bits from a place on.
func (b *bits) word(at int64) (word uint32) {
	for i := range int64(32) {
		bit := int64(b.first) + at + i
		word = word<<1 | uint32(b.bytes[bit>>3]>>(7-bit&7)&1)
	}
	return word
}

// aligned returns the bits from the first bit of a byte on, and room for more; those behind the last are 0.
func (b *bits) aligned(room int) []byte {
	out := make([]byte, (b.size+7)/8, (b.size+7)/8+int64(room))
	for i := range out {
		out[i] = b.bytes[i] << b.first
		if b.first > 0 && i+1 < len(b.bytes) {
			out[i] |= b.bytes[i+1] >> (8 - b.first)
		}
	}
	if extra := uint(b.size & 7); extra > 0 {
		out[len(out)-1] &= 0xFF << (8 - extra)
	}
	return out
}

// append adds bits behind the last.
func (b *bits) append(other bits) {
	out, at := b.aligned(len(other.bytes)+8), b.size
	for i := range other.size {
		bit := int64(other.first) + i
		if at&7 == 0 {
			out = append(out, 0)
		}
		out[at>>3] |= other.bytes[bit>>3] >> (7 - bit&7) & 1 << (7 - at&7)
		at++
	}
	*b = bits{bytes: out, size: at}
}

// stream returns the bits of a block as a stream by itself.
func (b *bits) stream(level byte) []byte {
	var end [10]byte
	for i, shift := 0, 40; shift >= 0; i, shift = i+1, shift-8 {
		end[i] = byte(uint64(endMagic) >> shift)
	}
	binary.BigEndian.PutUint32(end[6:], b.word(magicBits))
	stream := bits{bytes: b.aligned(len(end) + 1), size: b.size}
	stream.append(bits{bytes: end[:], size: 8 * int64(len(end))})
	return append([]byte{'B', 'Z', 'h', level}, stream.bytes...)
}

// unpack unpacks blocks until there are no more.
func (r *Reader) unpack() {
	some := make([]byte, 1<<16)
	for more := true; more; {
		d := decoder{reader: r}
		more = d.unpack(some)
	}
}

// decoder unpacks the beginnings of blocks. To compress/bzip2 they are streams that follow each other, so that it keeps its tables.
type decoder struct {
	reader *Reader
	at     *piece // nil: none was taken
	packed []byte // of its stream, what is left
	last   bool   // no other block is to follow
}

// unpack unpacks blocks until one has an error or is too long, or there are no more, which it reports. some is memory to be used.
func (d *decoder) unpack(some []byte) (more bool) {
	rest := bzip2.NewReader(d)
	for {
		n, err := rest.Read(some)
		if d.at == nil {
			return false
		}
		d.at.text = append(d.at.text, some[:n]...)
		switch {
		case err != nil:
			d.at.failed = err
			d.finish()
			return true
		case len(d.at.text) >= mostAhead:
			d.last, d.at.rest = true, rest
			d.finish()
			return true
		}
	}
}

// ReadByte is called for the byte behind a stream when all of its block was read.
func (d *decoder) ReadByte() (byte, error) {
	if len(d.packed) == 0 && !d.next() {
		return 0, io.EOF
	}
	b := d.packed[0]
	d.packed = d.packed[1:]
	return b, nil
}

// Read is not called by compress/bzip2.
func (d *decoder) Read([]byte) (int, error) { panic("bunzip: bytes are read one by one") }

// next takes the next block; false where none is to follow. A block that nothing came of is too short: its tables or its symbols go on behind it.
func (d *decoder) next() bool {
	if d.last || d.at != nil && len(d.at.text) == 0 {
		return false
	}
	if d.at != nil {
		d.finish()
	}
	select {
	case d.at = <-d.reader.blocks: // nil: closed
	case <-d.reader.stop:
	}
	if d.at == nil {
		return false
	}
	d.at.buffer, _ = d.reader.texts.Get().(*[]byte)
	if d.at.buffer == nil {
		d.at.buffer = new([]byte)
	}
	d.at.text, d.packed = (*d.at.buffer)[:0], d.at.bits.stream(d.at.level)
	return true
}

// finish hands the block over to who reads it.
func (d *decoder) finish() {
	*d.at.buffer = d.at.text
	close(d.at.ready)
	d.at = nil
}

// scanner cuts a file into pieces. Places are bytes of the file.
type scanner struct {
	reader *Reader
	packed io.Reader
	cut    func(bit int64) bool

	data []byte // what was read, but for what was dropped
	base int64  // where data begins
	keep int64  // where what is still needed begins
	done bool   // all is read
}

// fill reads on; io.EOF is the end.
func (s *scanner) fill() error {
	select {
	case <-s.reader.stop:
		return errClosed
	default:
	}
	if s.done {
		return io.EOF
	}
	if gone := s.keep - s.base; gone >= readBytes {
		s.data, s.base = append(s.data[:0], s.data[gone:]...), s.keep
	}
	at := len(s.data)
	s.data = slices.Grow(s.data, readBytes)[:at+readBytes]
	n, err := io.ReadFull(s.packed, s.data[at:])
	s.data = s.data[:at+n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.done = true
		if n > 0 {
			err = nil
		} else {
			err = io.EOF
		}
	}
	return err
}

// bytes returns n bytes from a place on, valid until the next call; fewer at the end of the file.
func (s *scanner) bytes(at int64, n int) ([]byte, error) {
	for int64(len(s.data)) < at-s.base+int64(n) {
		if err := s.fill(); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	rest := s.data[min(at-s.base, int64(len(s.data))):]
	return rest[:min(n, len(rest))], nil
}

// scan hands over the pieces of all streams.
func (s *scanner) scan() error {
	for first := true; ; first = false {
		header, err := s.bytes(s.keep, 4)
		switch {
		case err != nil:
			return err
		case len(header) == 0 && !first:
			return nil
		case len(header) < 4:
			return io.ErrUnexpectedEOF
		case !isHeader(header):
			return errHeader
		}
		s.keep += 4
		if err := s.stream(header[3]); err != nil {
			return err
		}
	}
}

func isHeader(b []byte) bool {
	return len(b) == 4 && b[0] == 'B' && b[1] == 'Z' && b[2] == 'h' && b[3] >= '1' && b[3] <= '9'
}

// places are the values of two bytes in the middle of a magic number that begins at any of eight bits.
var places = func() (there [1 << 16]bool) {
	for _, magic := range []uint64{blockMagic, endMagic} {
		for shift := range 8 {
			there[magic<<shift>>16&0xFFFF] = true
		}
	}
	return there
}()

// stream hands over the blocks of a stream, which begin at keep, and its end, behind which keep is then.
func (s *scanner) stream(level byte) error {
	head, err := s.bytes(s.keep, magicBits/8)
	if err != nil {
		return err
	}
	if len(head) < magicBits/8 {
		return io.ErrUnexpectedEOF
	}
	var window uint64
	for _, b := range head {
		window = window<<8 | uint64(b)
	}
	from := 8 * s.keep // the bit where the block begins
	switch window {
	case endMagic:
		if ended, err := s.end(from); ended || err != nil {
			return err
		}
		return errHeader
	case blockMagic:
	default:
		return errBlock
	}
	for at := s.keep + magicBits/8; ; {
		chunk, err := s.bytes(at, readBytes)
		if err != nil {
			return err
		}
		if len(chunk) == 0 {
			return io.ErrUnexpectedEOF
		}
		for _, b := range chunk {
			window = window<<8 | uint64(b)
			at++
			if places[window>>16&0xFFFF] || s.cut != nil {
				ended, moved, err := s.cuts(level, &from, window, at)
				if ended || err != nil {
					return err
				}
				if moved {
					break // chunk is not valid any more
				}
			}
		}
		if at-s.keep > mostPacked {
			return errBlock
		}
	}
}

// cuts hands over the block that begins at a bit if another one, or the end of the stream, begins at one of the last eight bits at which a magic number
// could, of which the last byte is before at. moved: more was read.
func (s *scanner) cuts(level byte, from *int64, window uint64, at int64) (ended, moved bool, err error) {
	for shift := 7; shift >= 0; shift-- {
		begins, magic := 8*at-int64(shift)-magicBits, window>>shift&(1<<magicBits-1)
		if begins <= *from || magic != blockMagic && magic != endMagic && (s.cut == nil || !s.cut(begins)) {
			continue
		}
		if begins < *from+magicBits+32 {
			continue // a block is longer
		}
		block := piece{ready: make(chan struct{}), level: level, bits: s.cutOut(*from, begins)}
		if magic == endMagic {
			moved = true
			if ended, err = s.isEnd(begins); err != nil {
				return false, false, err
			} else if !ended {
				continue
			}
		}
		block.checksum = block.bits.word(magicBits)
		if !s.reader.put(s.reader.queue, &block) || !s.reader.put(s.reader.blocks, &block) {
			return false, false, errClosed
		}
		*from, s.keep = begins, begins>>3
		if ended {
			_, err = s.end(begins)
			return true, true, err
		}
	}
	return false, moved, nil
}

// cutOut copies bits.
func (s *scanner) cutOut(from, to int64) bits {
	return bits{bytes: bytes.Clone(s.data[from>>3-s.base : (to+7)>>3-s.base]), first: uint(from & 7), size: to - from}
}

// behind is the byte behind the end of a stream that begins at a bit.
func behind(begins int64) int64 { return (begins + magicBits + 32 + 7) >> 3 }

// isEnd reports whether there is the end of a stream at a bit: nothing, or another stream, is behind it.
func (s *scanner) isEnd(begins int64) (bool, error) {
	from := begins >> 3
	rest, err := s.bytes(from, int(behind(begins)-from)+4)
	if err != nil || int64(len(rest)) < behind(begins)-from {
		return false, err
	}
	next := rest[behind(begins)-from:]
	return len(next) == 0 || isHeader(next), nil
}

// end hands over the end of a stream, if there is one at a bit.
func (s *scanner) end(begins int64) (bool, error) {
	ended, err := s.isEnd(begins)
	if !ended || err != nil {
		return false, err
	}
	last := s.cutOut(begins, begins+magicBits+32)
	s.keep = behind(begins)
	if !s.reader.put(s.reader.queue, &piece{ready: closed, end: true, checksum: last.word(magicBits)}) {
		return false, errClosed
	}
	return true, nil
}
