package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// receive reads a request's body, of at most limit bytes, until a time. Until it is here, its connection counts as unused.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, limit int64, until time.Time, hold *hold) (string, *Problem) {
	if c := connection(r); c != nil && r.ProtoMajor == 1 {
		c.busy.Store(false)
		defer c.busy.Store(true)
	}
	body, problem := s.openBody(w, r, until)
	if problem != nil {
		return "", problem
	}
	defer body.Close()
	var text strings.Builder
	read := &measured{body: body, hold: hold}
	piece := int64(largestPiece)
	if length := r.ContentLength; length > 0 && !body.packed {
		if err := hold.reach(min(length, limit)); err != nil {
			return "", problemOf(r.Context(), err)
		}
		text.Grow(int(min(length, limit)))
		piece = min(piece, length, max(leastPiece, length/8))
	}
	if body.packed || r.ContentLength < 0 || r.ContentLength > limit { // net/http reads no more of a body than its length
		read.body = http.MaxBytesReader(w, body, limit)
	}
	var err error
	if piece <= leastPiece {
		room := pieces.Get().(*[leastPiece]byte)
		_, err = io.CopyBuffer(&text, read, room[:piece])
		pieces.Put(room)
	} else {
		_, err = io.CopyBuffer(&text, read, make([]byte, piece))
	}
	if err != nil {
		return "", bodyProblem(w, r, err)
	}
	return text.String(), nil
}

// pieces are buffers for bodies of one piece.
var pieces = sync.Pool{New: func() any { return new([leastPiece]byte) }}

// leastPiece and largestPiece are how much of a body is read at once, if it has as much.
const leastPiece, largestPiece = 4 << 10, 32 << 10

// measured counts a body as it is read.
type measured struct {
	body io.Reader
	hold *hold
	read int64
}

// Read reads on.
func (m *measured) Read(b []byte) (int, error) {
	n, err := m.body.Read(b)
	m.read += int64(n)
	if bodyCopies*m.read > m.hold.taken {
		if full := m.hold.reach(m.read + holdStep); full != nil {
			return n, full
		}
	}
	return n, err
}

// bodyProblem is why a body could not be read.
func bodyProblem(w http.ResponseWriter, r *http.Request, err error) *Problem {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &Problem{Status: http.StatusRequestEntityTooLarge, Title: "request too large",
			Detail: fmt.Sprintf("the body is longer than %d bytes", tooLarge.Limit)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return &Problem{Status: http.StatusRequestTimeout, Title: "request timeout", Detail: "the body was too slow in coming"}
	case errors.Is(err, rdfgpu.ErrMemoryLimit):
		return problemOf(r.Context(), err)
	}
	return badRequest("the body could not be read: " + err.Error())
}

// movingBody is a body that may stand still for a while only, and has to be whole by a time.
type movingBody struct {
	body    io.Reader
	control http.ResponseController
	still   time.Duration
	until   time.Time
	set     time.Time // the deadline of reads that the connection has
	late    bool      // it was read once after its time, for what lay ready
}

// Read reads on.
func (m *movingBody) Read(b []byte) (int, error) {
	now := time.Now()
	deadline := now.Add(m.still)
	if m.until.Before(deadline) {
		deadline = m.until
	}
	if late := now.Add(leastTime); deadline.Before(late) && !m.late {
		deadline, m.late = late, true
	}
	if later := deadline.Sub(m.set); later < 0 || later > m.still/64 { // else it is not worth setting
		m.control.SetReadDeadline(deadline)
		m.set = deadline
	}
	return m.body.Read(b)
}
