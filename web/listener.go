package web

import (
	"encoding/json"
	"net/http"

	"github.com/rdfgpu/rdfgpu"
)

// listener is told by server-sent events.
type listener struct {
	*subscription
	w      http.ResponseWriter
	stream *eventStream // nil until the first event
}

// tell sends an event.
func (l *listener) tell(c *rdfgpu.Change, event, id string) error {
	if l.stream == nil {
		l.name()
		l.stream = openEvents(l.ctx, l.w)
	}
	l.stream.begin(event, id)
	writeChange(l.stream, c, event)
	return l.stream.end()
}

// name says under which id the query is listed.
func (l *listener) name() { setField(l.w, headerQueryID, l.query.ID) }

// rest sends a comment.
func (l *listener) rest() error { return l.stream.comment("nothing new") }

// conclude sends the last event; or a problem, where there was none. An event that has begun is broken off.
func (l *listener) conclude(p *Problem) {
	if l.stream == nil {
		l.name()
		l.server.fail(l.w, l.r, l.query.ID, p)
		return
	}
	defer l.stream.close()
	if l.stream.open {
		panic(http.ErrAbortHandler)
	}
	p.Query = l.query.ID
	text, _ := json.Marshal(p)
	l.stream.farewell(eventEnd, text)
	l.server.metrics.standing.events[eventEnd].Inc()
}

// failed is the error of sending.
func (l *listener) failed() error {
	if l.stream == nil {
		return nil
	}
	return l.stream.err
}

// sent is how long the events were.
func (l *listener) sent() int64 {
	if l.stream == nil {
		return 0
	}
	return l.stream.sent
}
