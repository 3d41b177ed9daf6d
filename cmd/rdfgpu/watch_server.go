package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/events"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// Pauses before a server is asked again, and the longest event that is read.
const (
	leastPause = 100 * time.Millisecond
	mostPause  = 10 * time.Second
	mostEvent  = 1 << 30
)

// serverWatch follows a query that stands at a server, over as many connections as it takes.
type serverWatch struct {
	*watchCommand
	env    *environment
	server *remote
	text   string
	out    *changePrinter
	// last is the id of the last event; told says that there was one.
	last string
	told bool
	// heard is when the server was heard last; pause is how long to wait before it is asked again.
	heard time.Time
	pause time.Duration
}

// followServer prints what a server tells.
func (c *watchCommand) followServer(env *environment, text string, out *changePrinter) error {
	server, err := c.remote(c.Store)
	if err != nil {
		return err
	}
	f := &serverWatch{watchCommand: c, env: env, server: server, text: text, out: out, heard: time.Now(), pause: leastPause}
	if c.From != nil {
		f.last = strconv.FormatUint(*c.From, 10)
	}
	for {
		err := f.listen()
		if !f.mayTryAgain(err) {
			return hinted(err)
		}
		if err := f.wait(err); err != nil {
			return err
		}
	}
}

// hinted says which flag helps.
func hinted(err error) error {
	var refused *refusal
	if errors.As(err, &refused) && refused.Status == http.StatusGone {
		refused.Hint = "--anew goes on with all solutions"
	}
	return err
}

// listen reads one connection to its end, and returns why that came.
func (f *serverWatch) listen() error {
	ctx, cancel := context.WithCancelCause(f.env.ctx)
	defer cancel(nil)
	silent := time.AfterFunc(f.Silence, func() {
		cancel(fmt.Errorf("%s: %w: nothing was heard for %v", f.server.address.Host, errSilent, f.Silence))
	})
	defer silent.Stop()
	response, err := f.ask(ctx)
	if err != nil {
		return cause(ctx, err)
	}
	defer response.Body.Close()
	stream := events.NewReader(&alive{response.Body, func() {
		f.heard = time.Now()
		silent.Reset(f.Silence)
	}}, mostEvent)
	for {
		event, err := stream.Next()
		if err == nil {
			err = f.take(event)
		}
		if err != nil {
			f.pause = max(f.pause, min(stream.Retry(), mostPause))
			return cause(ctx, err)
		}
	}
}

// errSilent: a server sends nothing, not even that there is nothing.
var errSilent = errors.New("silence")

// cause is why reading failed: what ended the context, where something did.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// alive tells of every piece that is read.
type alive struct {
	in   io.Reader
	tell func()
}

// Read reads on.
func (a *alive) Read(b []byte) (int, error) {
	n, err := a.in.Read(b)
	if n > 0 {
		a.tell()
	}
	return n, err
}

// ask makes the query stand after the last event.
func (f *serverWatch) ask(ctx context.Context) (*http.Response, error) {
	parameters := url.Values{"semantics": {f.Semantics}}
	if !f.Snapshot && !f.told {
		parameters.Set("snapshot", "false")
	}
	if f.Anew {
		parameters.Set("gone", "snapshot")
	}
	header := http.Header{"Content-Type": {"application/sparql-query"}, "Accept": {"text/event-stream, application/problem+json"}}
	if f.last != "" {
		header.Set("Last-Event-ID", f.last)
	}
	return f.server.ask(ctx, http.MethodPost, "subscribe", parameters, strings.NewReader(f.text), header)
}

// take prints an event.
func (f *serverWatch) take(event events.Event) error {
	if event.Name == endEvent {
		return readEnd(f.server.address.Host, event.Data)
	}
	e, err := readChange(event)
	if err != nil || e == nil {
		return err
	}
	e.anew = e.name == snapshotEvent && f.told
	if e.anew {
		fmt.Fprintf(f.env.stderr, "rdfgpu: beginning anew with commit %d: the rows with = are all that is there\n", e.sequence)
	}
	if err := f.out.print(e); err != nil {
		return err
	}
	f.last, f.told, f.pause = event.ID, true, leastPause
	return nil
}

// readEnd is why a server tells no more.
func readEnd(host, data string) error {
	e := &refusal{server: host}
	if err := json.Unmarshal([]byte(data), &e.Problem); err != nil {
		return fmt.Errorf("%s: an event that is no JSON: %w", host, err)
	}
	return e
}

// readChange reads what an event tells; nil where it is one that nobody knows.
func readChange(event events.Event) (*changeEvent, error) {
	if event.Name != snapshotEvent && event.Name != changedEvent && event.Name != progressEvent {
		return nil, nil
	}
	var data struct {
		Sequence       uint64
		Way            string
		Added, Removed json.RawMessage
	}
	if err := json.Unmarshal([]byte(event.Data), &data); err != nil {
		return nil, fmt.Errorf("an event that is no JSON: %w", err)
	}
	e := &changeEvent{name: event.Name, id: event.ID, sequence: data.Sequence, way: data.Way}
	var err error
	if e.variables, e.added, err = readRows(data.Added); err == nil {
		_, e.removed, err = readRows(data.Removed)
	}
	return e, err
}

func readRows(text json.RawMessage) (variables []string, rows [][]rdfgpu.Term, err error) {
	if text == nil {
		return nil, nil, nil
	}
	table, err := results.Read(strings.NewReader(string(text)), results.JSON)
	if err != nil {
		return nil, nil, err
	}
	return table.Variables, table.Rows, nil
}

// mayTryAgain reports whether a server may tell on after an error: one that was heard before, unless it refuses, or says what cannot be read.
func (f *serverWatch) mayTryAgain(err error) bool {
	var refused *refusal
	switch {
	case f.env.ctx.Err() != nil || !f.told || errors.Is(err, errEnough):
		return false
	case errors.As(err, &refused):
		return refused.Status == http.StatusServiceUnavailable || refused.Status == http.StatusTooManyRequests || refused.Status == http.StatusBadGateway
	}
	var network net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errSilent) || errors.As(err, &network)
}

// wait waits before the server is asked again, each time longer, unless it has not been heard for too long.
func (f *serverWatch) wait(err error) error {
	if f.GiveUp > 0 && time.Since(f.heard) > f.GiveUp {
		return fmt.Errorf("%s was not heard for %v: %w", f.server.address.Host, f.GiveUp, err)
	}
	pause := time.Duration(float64(f.pause) * (0.75 + rand.Float64()/2))
	f.pause = min(2*f.pause, mostPause)
	select {
	case <-time.After(pause):
		return nil
	case <-f.env.ctx.Done():
		return f.env.ctx.Err()
	}
}
