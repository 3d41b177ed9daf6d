package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/events"
)

// farewellTime is how long the event that says why there are no more may take.
const farewellTime = time.Second

// eventStream is a response of events on its way: each leaves at once. Errors stay; the first is err.
type eventStream struct {
	ctx     context.Context
	w       http.ResponseWriter
	control *http.ResponseController
	out     *events.Writer
	// open: an event has begun and not ended. last: what is written is the last event, for which ctx need not go on.
	open, last bool
	sent       int64
	err        error

	// unwatch ends the watch over ctx; mu guards over, which is set when the connection is not the stream's any more.
	unwatch func() bool
	mu      sync.Mutex
	over    bool
}

// openEvents sends the header of a stream. Once ctx ends, nothing is sent any more but a farewell.
func openEvents(ctx context.Context, w http.ResponseWriter) *eventStream {
	e := &eventStream{ctx: ctx, w: w, control: http.NewResponseController(w)}
	e.out = events.NewWriter(passing{e})
	setField(w, "Content-Type", "text/event-stream")
	setField(w, "Cache-Control", "no-store")
	setField(w, "X-Accel-Buffering", "no") // nginx would keep events back
	_ = e.control.SetReadDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	e.unwatch = context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.over {
			_ = e.control.SetWriteDeadline(time.Now().Add(farewellTime))
		}
	})
	return e
}

// close leaves the connection alone from here on.
func (e *eventStream) close() {
	if !e.unwatch() {
		e.mu.Lock()
		e.over = true
		e.mu.Unlock()
	}
}

// passing is the way to the client.
type passing struct{ *eventStream }

// Write sends bytes.
func (p passing) Write(b []byte) (n int, err error) {
	e := p.eventStream
	if e.err == nil && !e.last {
		e.err = context.Cause(e.ctx)
	}
	if e.err != nil {
		return 0, e.err
	}
	n, e.err = e.w.Write(b)
	e.sent += int64(n)
	return n, e.err
}

func (e *eventStream) begin(name, id string) {
	e.open = true
	e.out.Begin(name, id)
}

// Write adds to the data of the event that has begun.
func (e *eventStream) Write(data []byte) (int, error) { return e.out.Write(data) }

// end sends what is left of an event.
func (e *eventStream) end() error { return e.flushed(e.out.End()) }

// comment lets the client, and what is between, know that the stream goes on.
func (e *eventStream) comment(text string) error { return e.flushed(e.out.Comment(text)) }

func (e *eventStream) flushed(err error) error {
	if err == nil {
		err = e.control.Flush()
	}
	if e.err == nil {
		e.err = err
	}
	e.open = err != nil
	return err
}

// farewell sends the last event.
func (e *eventStream) farewell(name string, data []byte) {
	if e.err == nil {
		e.last = true
		e.out.Begin(name, "")
		_, _ = e.out.Write(data)
		_ = e.end()
	}
}
