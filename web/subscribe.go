package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/rdfgpu/rdfgpu"
)

// headerLastEvent says which event a client had last, as net/http keeps it.
const headerLastEvent = "Last-Event-Id"

// standing is what the request of a query that stands says beside the query.
type standing struct {
	// after is the last event that the client has had; nil where it begins.
	after *eventID
	// noSnapshot leaves the solutions out of the first event; anew begins with them where the log does not reach back.
	noSnapshot, anew bool
	// quiet: progress is no event, but where it is the first.
	quiet bool
}

// eventID is what the id of an event says: a commit, and the log that numbers it, "" where that is not said.
type eventID struct {
	sequence uint64
	history  string
}

// String is the id as events have it.
func (id eventID) String() string { return strconv.FormatUint(id.sequence, 10) + "-" + id.history }

// text is the id as it is kept, which names no log where there is none.
func (id eventID) text() string { return strings.TrimSuffix(id.String(), "-") }

// historyLength is the length of the name of a log.
const historyLength = 16

// readEventID reads the id of an event, or a sequence.
func readEventID(text string) (id eventID, err error) {
	number, history, named := strings.Cut(text, "-")
	id.sequence, err = strconv.ParseUint(number, 10, 64)
	if err != nil || named && (len(history) != historyLength || strings.Trim(history, "0123456789abcdef") != "") {
		return id, fmt.Errorf("%q is no id of an event: expected that of an event as it came, or a sequence such as 4711", cutQuery(text, 80))
	}
	id.history = history
	return id, nil
}

func (q *request) setAfter(value string) error {
	id, err := readEventID(value)
	q.stands.after = &id
	return err
}

func (q *request) setSnapshot(value string) error {
	with, err := strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("%q: expected true or false", value)
	}
	q.stands.noSnapshot = !with
	return nil
}

func (q *request) setGone(value string) error {
	if value != "snapshot" && value != "error" {
		return fmt.Errorf("%q: expected snapshot or error", value)
	}
	q.stands.anew = value == "snapshot"
	return nil
}

// goOn reads the header that a client sends which connects again. It comes before the parameter after, which such a client repeats.
func (q *request) goOn(r *http.Request) *Problem {
	if last := r.Header[headerLastEvent]; len(last) > 0 && last[0] != "" {
		if err := q.setAfter(last[0]); err != nil {
			return badRequest("header Last-Event-ID: " + err.Error())
		}
	}
	return nil
}

// options are those of the engine.
func (q *request) watchOptions(s *Server) rdfgpu.WatchOptions {
	o := rdfgpu.WatchOptions{
		Semantics: q.options.Semantics, Base: q.options.Base, DefaultGraphs: q.options.DefaultGraphs, NamedGraphs: q.options.NamedGraphs,
		NoSnapshot: q.stands.noSnapshot, MaxMemory: s.options.SubscriptionMemory, Progress: s.options.Heartbeat,
	}
	if q.stands.after != nil {
		o.After = &q.stands.after.sequence
	}
	return o
}

// serveSubscribe makes a query stand, which comes as those of /sparql do, and answers with a stream of events.
func (s *Server) serveSubscribe(w http.ResponseWriter, r *http.Request) {
	began := arrival(r)
	hold := &hold{budget: s.options.Budget}
	defer hold.release()
	request, problem := s.readRequest(w, r, began, hold, subscribeExtras)
	if problem == nil {
		problem = request.standable(r)
	}
	if problem != nil {
		s.metrics.standing.finished("refused")
		s.fail(w, r, "", problem)
		return
	}
	if request.callback.url != "" {
		s.register(w, r, request)
		return
	}
	x := s.subscription(r, request, began)
	x.to = &listener{subscription: x, w: w}
	x.serve()
}

// standable reads what else is said of a query that is to stand, and says why it cannot.
func (q *request) standable(r *http.Request) *Problem {
	switch {
	case r.Method == http.MethodHead:
		return &Problem{Status: http.StatusMethodNotAllowed, Title: "method not allowed", Hint: "subscribe by GET or POST"}
	case q.update != nil:
		return &Problem{Status: http.StatusBadRequest, Title: "bad request", Detail: "this address takes queries that stand", Hint: "updates go to /update"}
	case q.text == "":
		return badRequest("expected one parameter \"query\", found 0")
	}
	return q.goOn(r)
}
