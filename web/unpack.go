package web

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is the most that a sender's compressor may look back, in bytes (RFC 9659): what unpacking its body takes.
const maxWindow = 8 << 20

// payload is the body of a request as it is read: unpacked by its Content-Encoding, in no more memory than that takes.
type payload struct {
	sent movingBody
	open func(io.Reader) (io.ReadCloser, error) // nil: nothing is unpacked
	out  io.ReadCloser                          // nil until open was called
	// packed: the body was compressed.
	packed bool
	// err is the first error that reading met, but for the end of the body.
	err error
}

// openBody is a request's body, unpacked, which may come until a time; the caller closes it.
func (s *Server) openBody(w http.ResponseWriter, r *http.Request, until time.Time) (*payload, *Problem) {
	coding := strings.ToLower(strings.TrimSpace(headerOf(r, "Content-Encoding")))
	open, known := unpackers[coding]
	if !known {
		w.Header().Set("Accept-Encoding", "gzip, zstd")
		return nil, &Problem{Status: http.StatusUnsupportedMediaType, Title: "unsupported content encoding",
			Detail: fmt.Sprintf("%q is no Content-Encoding of this server", coding), Expected: []string{"gzip", "zstd", "identity"}}
	}
	p := &payload{open: open, packed: open != nil}
	p.sent = movingBody{body: r.Body, control: *http.NewResponseController(w), still: s.options.ReadTimeout, until: until}
	if c := connection(r); c != nil && r.ProtoMajor == 1 {
		p.sent.set = c.readLimit()
	}
	return p, nil
}

// unpackers are the compressions of a body, by their names in Content-Encoding.
var unpackers = map[string]func(io.Reader) (io.ReadCloser, error){
	"": nil, "identity": nil, "gzip": unpackGzip, "x-gzip": unpackGzip, "zstd": unpackZstd,
}

func unpackGzip(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }

func unpackZstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// Read reads on; the first Read opens the compressor, which may wait for the client.
func (p *payload) Read(b []byte) (n int, err error) {
	if p.err != nil {
		return 0, p.err
	}
	switch {
	case p.open == nil:
		n, err = p.sent.Read(b)
	case p.out == nil:
		if p.out, err = p.open(&p.sent); err != nil {
			p.out, p.err = nil, err
			return 0, err
		}
		fallthrough
	default:
		n, err = p.out.Read(b)
	}
	if err != nil && err != io.EOF {
		p.err = err
	}
	return n, err
}

// Close frees what unpacking took.
func (p *payload) Close() error {
	if p.out != nil {
		return p.out.Close()
	}
	return nil
}
