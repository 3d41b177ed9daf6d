package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// receive reads a request's body until a time. Until it is here, its connection counts as unused.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, until time.Time) ([]byte, *Problem) {
	if c := connection(r); c != nil && r.ProtoMajor == 1 {
		c.busy.Store(false)
		defer c.busy.Store(true)
	}
	moving := &movingBody{body: http.MaxBytesReader(w, r.Body, s.options.MaxBody), control: http.NewResponseController(w),
		still: s.options.ReadTimeout, until: until}
	body, err := io.ReadAll(moving)
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return body, nil
	case errors.As(err, &tooLarge):
		return nil, &Problem{Status: http.StatusRequestEntityTooLarge, Title: "request too large",
			Detail: fmt.Sprintf("the body is longer than %d bytes", s.options.MaxBody)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, &Problem{Status: http.StatusRequestTimeout, Title: "request timeout", Detail: "the body was too slow in coming"}
	}
	return nil, badRequest("the body could not be read: " + err.Error())
}

// movingBody is a body that may stand still for a while only, and has to be whole by a time.
type movingBody struct {
	body    io.Reader
	control *http.ResponseController
	still   time.Duration
	until   time.Time
}

// Read reads on.
func (m *movingBody) Read(b []byte) (int, error) {
	deadline := time.Now().Add(m.still)
	if m.until.Before(deadline) {
		deadline = m.until
	}
	m.control.SetReadDeadline(deadline)
	return m.body.Read(b)
}
