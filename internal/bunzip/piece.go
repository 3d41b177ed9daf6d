package bunzip

import (
	"io"
	"sync"
)

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
