package bunzip

import (
	"compress/bzip2"
	"io"
)

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
