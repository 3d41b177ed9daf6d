package events

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// ErrTooLong: an event is longer than a Reader takes.
var ErrTooLong = errors.New("events: the event is too long")

// Event is one event of a stream.
type Event struct {
	// Name is what the event says that it is; "message" where it does not.
	Name string
	// ID is the last one that the stream has given, by this event or one before; "" where it has given none.
	ID   string
	Data string
}

// Reader reads the events of a stream. It is not safe for concurrent use.
type Reader struct {
	in    *bufio.Reader
	limit int
	// skip: a line feed that comes next belongs to the line before. begun: the stream's first line was read.
	skip, begun bool
	line        []byte

	name  string
	data  bytes.Buffer
	full  bool // there is data, though it may be empty
	id    string
	retry time.Duration
}

// NewReader reads a stream whose events have at most limit bytes of data, and whose lines have at most as many.
func NewReader(in io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 32<<10), limit: limit}
}

// Retry is how long the stream wants a client to wait before it connects again; 0 where it does not say.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next reads the next event that has data. The error is io.EOF where the stream has ended, also in the middle of an event, which then is
// none; it wraps ErrTooLong, or is that of reading.
func (r *Reader) Next() (Event, error) {
	r.forget()
	for {
		if err := r.readLine(); err != nil {
			return Event{}, err
		}
		if len(r.line) > 0 {
			if err := r.field(); err != nil {
				return Event{}, err
			}
			continue
		}
		if r.full {
			e := Event{Name: r.name, ID: r.id, Data: r.data.String()}
			if e.Name == "" {
				e.Name = "message"
			}
			return e, nil
		}
		r.forget()
	}
}

// forget begins an event.
func (r *Reader) forget() {
	r.name, r.full = "", false
	r.data.Reset()
}

// field takes the line in.
func (r *Reader) field() error {
	name, value, _ := bytes.Cut(r.line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		r.name = string(value)
	case "data":
		return r.append(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = string(value)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			r.retry = time.Duration(ms) * time.Millisecond
		}
	}
	return nil
}

// append adds a line to the data.
func (r *Reader) append(line []byte) error {
	if r.full {
		r.data.WriteByte('\n')
	}
	if r.full = true; r.data.Len()+len(line) > r.limit {
		return fmt.Errorf("%w: more than %d bytes", ErrTooLong, r.limit)
	}
	r.data.Write(line)
	return nil
}

// fieldNames is more than the longest name of a field takes in a line.
const fieldNames = 16

var byteOrderMark = []byte("\uFEFF")

// readLine reads a line without its end: LF, CR or both.
func (r *Reader) readLine() error {
	r.line = r.line[:0]
	for {
		piece, err := r.piece()
		if err != nil {
			return err
		}
		end := bytes.IndexAny(piece, "\r\n")
		if end < 0 {
			end = len(piece)
		}
		if len(r.line)+end > r.limit+fieldNames {
			return fmt.Errorf("%w: a line has more than %d bytes", ErrTooLong, r.limit)
		}
		r.line = append(r.line, piece[:end]...)
		if end == len(piece) {
			r.in.Discard(end)
			continue
		}
		r.skip = piece[end] == '\r'
		r.in.Discard(end + 1)
		if !r.begun {
			r.begun, r.line = true, bytes.TrimPrefix(r.line, byteOrderMark)
		}
		return nil
	}
}

// piece is what lies ready, at least a byte, without the line feed that belongs to the line before.
func (r *Reader) piece() ([]byte, error) {
	for {
		if _, err := r.in.Peek(1); err != nil {
			return nil, err
		}
		piece, _ := r.in.Peek(r.in.Buffered())
		if !r.skip {
			return piece, nil
		}
		r.skip = false
		if piece[0] != '\n' {
			return piece, nil
		}
		r.in.Discard(1)
	}
}
