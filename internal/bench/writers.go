package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// writers are the writing connections of one row.
type writers struct {
	endpoint UpdateEndpoint
	options  UpdateOptions
	checks   []check
	sessions []*writer
	row      UpdateRow
	// least and most bound what each check must find: they differ by updates of which no answer came.
	least, most []int64
}

// writer is one connection: what it sends and what it measured.
type writer struct {
	stream           stream
	updates, queries *client
	times, asked     []time.Duration
	triples          int
	busy, wrong      int
	errors           map[string]int
	note             string
	least, most      []int64
}

func newWriters(e UpdateEndpoint, kind UpdateKind, n int, o UpdateOptions) (*writers, error) {
	streams, checks, err := newStreams(kind, n, o.Seed)
	if err != nil {
		return nil, err
	}
	w := &writers{endpoint: e, options: o, checks: checks, row: UpdateRow{Endpoint: e.Name, Kind: kind, Connections: n}}
	for _, s := range streams {
		updates, err := newClient(e.updates(), o.Timeout)
		if err != nil {
			return nil, err
		}
		queries, err := newClient(e.queries(), o.Timeout)
		if err != nil {
			return nil, err
		}
		w.sessions = append(w.sessions, &writer{
			stream: s, updates: updates, queries: queries, errors: map[string]int{},
			least: make([]int64, len(checks)), most: make([]int64, len(checks)),
		})
	}
	return w, nil
}

func (w *writers) close() {
	for _, s := range w.sessions {
		s.updates.close()
		s.queries.close()
	}
}

// prepare sends what the streams need to be there, from four connections at the most.
func (w *writers) prepare(ctx context.Context) error {
	var wait sync.WaitGroup
	failed := make([]error, len(w.sessions))
	turns := make(chan struct{}, 4)
	for i, s := range w.sessions {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			failed[i] = s.prepare(ctx)
		})
	}
	wait.Wait()
	return errors.Join(failed...)
}

// prepareTries is how often an update that must be there first is sent while the server is busy.
const prepareTries = 100

func (s *writer) prepare(ctx context.Context) error {
	for _, step := range s.stream.prepare() {
		var err error
		for range prepareTries {
			if err = ctx.Err(); err != nil {
				return err
			}
			if _, err = s.updates.send(s.updates.updateRequest(step.text), time.Now().Add(s.updates.timeout)); err == nil || kindOf(err) != "" {
				break
			}
			time.Sleep(backOff)
		}
		if err != nil {
			return err
		}
		s.count(step, acknowledged)
	}
	return nil
}

// phase lets all connections send for a time. An update that is under way at the end is awaited, because the checks
// must know what became of it, but not measured.
func (w *writers) phase(ctx context.Context, duration time.Duration) {
	until := time.Now().Add(duration)
	var wait sync.WaitGroup
	for _, s := range w.sessions {
		wait.Go(func() {
			for ctx.Err() == nil && time.Now().Before(until) {
				s.send(s.stream.next(), until)
			}
		})
	}
	wait.Wait()
}

// send sends one step.
func (s *writer) send(step step, until time.Time) {
	if step.update {
		s.sendUpdate(step, until)
		return
	}
	start := time.Now()
	a, err := s.queries.query(step.text, accepts[TSV])
	end := time.Now()
	c := Case{Query: "explore", Form: TSV, Expected: step.expected}
	switch n := c.solutions(a); {
	case err != nil:
		s.fail("a query", err)
	case step.expected >= 0 && n != step.expected:
		s.wrong++
		s.remark(fmt.Sprintf("%d solutions instead of %d: %s", n, step.expected, step.text))
	case end.Before(until):
		s.asked = append(s.asked, end.Sub(start))
	}
	s.stream.settle(acknowledged)
}

func (s *writer) sendUpdate(step step, until time.Time) {
	request := s.updates.updateRequest(step.text)
	start := time.Now()
	_, err := s.updates.send(request, start.Add(s.updates.timeout))
	end := time.Now()
	o := outcomeOf(err)
	s.count(step, o)
	s.stream.settle(o)
	switch {
	case err != nil:
		s.fail("an update", err)
	case end.Before(until):
		s.times = append(s.times, end.Sub(start))
		s.triples += step.triples
	}
}

// outcomeOf tells what an answer says about an update. A 503 and an answer of the 400s say that nothing was done; an
// error of the server and no answer at all say nothing.
func outcomeOf(err error) outcome {
	var status *statusError
	switch {
	case err == nil:
		return acknowledged
	case errors.As(err, &status) && (status.code/100 == 4 || status.code == http.StatusServiceUnavailable):
		return refused
	}
	return unknown
}

// count moves the bounds of the checks.
func (s *writer) count(step step, o outcome) {
	for i, n := range step.effect {
		if o == acknowledged || o == unknown && n < 0 {
			s.least[i] += n
		}
		if o == acknowledged || o == unknown && n > 0 {
			s.most[i] += n
		}
	}
}

// fail counts a failure and rests, so that the connection does not measure how fast a server refuses.
func (s *writer) fail(what string, err error) {
	if kind := kindOf(err); kind == "" {
		s.busy++
	} else {
		s.errors[kind]++
		s.remark(fmt.Sprintf("%s: %v", what, err))
	}
	time.Sleep(backOff)
}

func (s *writer) remark(note string) {
	if s.note == "" {
		s.note = note
	}
}

// discard forgets latencies, as of a time that is not measured. Failures stay.
func (w *writers) discard() {
	for _, s := range w.sessions {
		s.times, s.asked, s.triples = nil, nil, 0
	}
}

// summarize fills in the row and the bounds of the checks.
func (w *writers) summarize() {
	var times, asked []time.Duration
	triples := 0
	w.row.Errors = map[string]int{}
	for _, s := range w.sessions {
		times, asked = append(times, s.times...), append(asked, s.asked...)
		triples += s.triples
		w.row.Busy += s.busy
		w.row.Wrong += s.wrong
		for kind, n := range s.errors {
			w.row.Errors[kind] += n
		}
		if w.row.Note == "" {
			w.row.Note = s.note
		}
		w.least, w.most = sum(w.least, s.least), sum(w.most, s.most)
	}
	w.row.Updates, w.row.Queries = timesOf(times, w.options.Duration), timesOf(asked, w.options.Duration)
	w.row.Triples = float64(triples) / w.options.Duration.Seconds()
}
