package loader

import (
	"bytes"
	"errors"
	"io"
)

// blockSize is how much text one block of a line-based format holds, unless a line is longer.
const blockSize = 1 << 20

// maxLine bounds the length of one line.
const maxLine = 1 << 30

var errLongLine = errors.New("a line is longer than 1 GiB")

// block is a piece of a line-based document that begins and ends at line ends.
type block struct {
	text []byte
	line int64 // number of its first line
}

// blockReader cuts a document into blocks.
type blockReader struct {
	r    io.Reader
	rest []byte // the unfinished line after the last block
	line int64
	eof  bool
}

func newBlockReader(r io.Reader) *blockReader { return &blockReader{r: r, line: 1} }

// next reads a block into buf, which it may grow. It returns io.EOF after the last one.
func (b *blockReader) next(buf []byte) (block, error) {
	buf = append(buf[:0], b.rest...)
	b.rest = b.rest[:0]
	searched := 0
	for !b.eof {
		if len(buf) == cap(buf) {
			if len(buf) > maxLine {
				return block{}, errLongLine
			}
			buf = append(buf, make([]byte, max(blockSize, len(buf)))...)[:len(buf)]
		}
		n, err := b.r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			b.eof = true
		} else if err != nil {
			return block{}, err
		}
		if len(buf) < cap(buf) {
			continue
		}
		if cut := lastLineEnd(buf, searched); cut > 0 {
			b.rest = append(b.rest, buf[cut:]...)
			return b.cut(buf[:cut]), nil
		}
		searched = len(buf)
	}
	if len(buf) == 0 {
		return block{}, io.EOF
	}
	return b.cut(buf), nil
}

func (b *blockReader) cut(text []byte) block {
	if b.line == 1 {
		text = bytes.TrimPrefix(text, byteOrderMark)
	}
	first := b.line
	b.line += lineEnds(text)
	return block{text, first}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// lastLineEnd returns the index after the last line end of buf, of which the first bytes have none; 0 for none.
// A carriage return counts only where no line feed is, and not as the last byte, which may be half a line end.
func lastLineEnd(buf []byte, searched int) int {
	if i := bytes.LastIndexByte(buf[searched:], '\n'); i >= 0 {
		return searched + i + 1
	}
	return bytes.LastIndexByte(buf[:len(buf)-1], '\r') + 1
}

// lineEnds counts LF, CR LF and CR.
func lineEnds(text []byte) int64 {
	n := int64(bytes.Count(text, []byte{'\n'}))
	for {
		i := bytes.IndexByte(text, '\r')
		if i < 0 {
			return n
		}
		text = text[i+1:]
		if len(text) == 0 || text[0] != '\n' {
			n++
		}
	}
}

// nextLine cuts the first line off text; size is its length with its line end.
func nextLine(text []byte) (line []byte, size int) {
	end := bytes.IndexByte(text, '\n')
	size = end + 1
	if end < 0 {
		end, size = len(text), len(text)
	}
	if cr := bytes.IndexByte(text[:end], '\r'); cr >= 0 {
		if cr == end-1 && size > end {
			return text[:cr], size
		}
		return text[:cr], cr + 1
	}
	return text[:end], size
}
