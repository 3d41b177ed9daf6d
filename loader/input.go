package loader

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"

	"github.com/rdfgpu/rdfgpu/internal/bunzip"
)

// Input is one document to load.
type Input struct {
	// Name is the path of a file, or what to call Reader in messages.
	Name string
	// Format is the syntax; "" tells it from the name.
	Format Format
	// Reader is read in place of the file when it is set; it is unpacked as the name says.
	Reader io.Reader
	// Base resolves relative IRIs; "" stands for the file's own URL.
	Base string
}

// Files makes inputs of paths. "-" is the standard input; format is that of paths which do not tell it by their name
// and must be given for the standard input.
func Files(format Format, paths ...string) ([]Input, error) {
	if format != "" {
		var err error
		if format, err = ParseFormat(string(format)); err != nil {
			return nil, err
		}
	}
	var inputs []Input
	for _, path := range paths {
		in := Input{Name: path}
		if path == "-" {
			in.Name, in.Reader = "stdin", os.Stdin
			if format == "" {
				return nil, fmt.Errorf("loader: standard input: %w: give the format: ntriples, nquads, turtle, trig or rdfxml", ErrFormat)
			}
			in.Format = format
		} else if _, _, err := Detect(path); err != nil {
			if format == "" {
				return nil, err
			}
			in.Format = format
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// source is an input made ready to be read.
type source struct {
	Input
	number      int // in the order in which the inputs were given
	compression Compression
	size        int64 // of the file, packed; 0 when it is not known
}

// prepare checks all inputs before any of them is read.
func prepare(inputs []Input) ([]*source, error) {
	if len(inputs) == 0 {
		return nil, errors.New("loader: nothing to load")
	}
	var sources []*source
	for i, in := range inputs {
		s := &source{Input: in, number: i}
		format, compression, err := Detect(in.Name)
		if s.Format == "" {
			s.Format = format
			if err != nil {
				return nil, err
			}
		}
		s.compression = compression
		if s.Reader == nil {
			info, err := os.Stat(in.Name)
			if err != nil {
				return nil, fmt.Errorf("loader: %w", err)
			}
			if info.IsDir() {
				return nil, fmt.Errorf("loader: %s is a folder", in.Name)
			}
			if info.Mode().IsRegular() {
				s.size = info.Size()
			}
			if s.Base == "" {
				s.Base = fileURL(in.Name)
			}
		}
		sources = append(sources, s)
	}
	return sources, nil
}

func fileURL(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("file://")
	for _, c := range []byte(filepath.ToSlash(abs)) {
		if ascii[c]&charIRI == 0 || c == '%' || c == '?' || c == '#' || c >= 0x80 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (s *source) lines() bool { return s.Format == NTriples || s.Format == NQuads }

// open returns the unpacked text of the input, counting the packed bytes in read. It is of use until ctx ends.
func (s *source) open(ctx context.Context, read *atomic.Int64) (*openSource, error) {
	r := &openSource{source: s, packed: &countingReader{r: s.Reader, count: read}}
	if s.Reader == nil {
		f, err := os.Open(s.Name)
		if err != nil {
			return nil, fmt.Errorf("loader: %w", err)
		}
		r.packed.r = f
		r.close = append(r.close, func() { f.Close() }) // read only
	}
	if err := r.unpack(); err != nil {
		r.Close()
		return nil, r.named(r.fault(err))
	}
	return r, nil
}

// openSource is a file and what unpacks it.
type openSource struct {
	*source
	packed   *countingReader
	unpacked io.Reader
	broken   *unpackError // what unpacking met
	close    []func()
}

// Read reads the unpacked text.
func (o *openSource) Read(p []byte) (int, error) {
	n, err := o.unpacked.Read(p)
	if err != nil && err != io.EOF {
		err = o.fault(err)
	}
	return n, err
}

// fault tells a fault of what is packed from others: of reading it, of what its unpacking would take, and of the end of ctx.
func (o *openSource) fault(err error) error {
	if o.compression == Plain || o.packed.failed.Load() || errors.Is(err, zstd.ErrWindowSizeExceeded) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	o.broken = &unpackError{o.compression, err.Error()}
	return o.broken
}

// named is an error of reading the input, with the input's name. Where the input could not be unpacked, that is the error, and
// not what its text lacks then.
func (o *openSource) named(err error) error {
	var text *SyntaxError
	var packed *unpackError
	switch isText := errors.As(err, &text); {
	case isText && o.broken == nil:
		return fmt.Errorf("loader: %w", named(err, o.Name))
	case isText, errors.As(err, &packed):
		err = o.broken
	}
	return fmt.Errorf("loader: %s: %w", o.Name, err)
}

// zstdWindow is the largest window that a zstd file may ask for: that of zstd --long=27, and its default limit.
const zstdWindow = 128 << 20

func (o *openSource) unpack() error {
	switch o.compression {
	case Gzip:
		z, err := pgzip.NewReader(bufio.NewReaderSize(o.packed, 1<<18))
		if err != nil {
			return err
		}
		o.unpacked = z
		o.close = append(o.close, func() { z.Close() })
	case Zstd:
		z, err := zstd.NewReader(o.packed, zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderConcurrency(0))
		if err != nil {
			return err
		}
		o.unpacked = z
		o.close = append(o.close, z.Close)
	case Bzip2:
		z := bunzip.NewReader(o.packed)
		o.unpacked = z
		o.close = append(o.close, func() { z.Close() })
	default:
		o.unpacked = o.packed
	}
	return nil
}

func (o *openSource) Close() error {
	for i := len(o.close) - 1; i >= 0; i-- {
		o.close[i]()
	}
	return nil
}

// countingReader counts what is read, and remembers that reading failed.
type countingReader struct {
	r      io.Reader
	count  *atomic.Int64
	failed atomic.Bool
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.count.Add(int64(n))
	if err != nil && err != io.EOF {
		c.failed.Store(true)
	}
	return n, err
}
