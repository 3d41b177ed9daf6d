package bunzip

import (
	"bytes"
	"io"
	"slices"
)

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
