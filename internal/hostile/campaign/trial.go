package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/hostile"
	"golang.org/x/sync/errgroup"
)

// trial is one server under attack.
type trial struct {
	settings    *settings
	dir         string
	server      *server
	vocabulary  *hostile.Vocabulary
	connections []*connection
	gauge       *gauge
	prober      *prober
	next        atomic.Int64
	finished    atomic.Int64

	mu     sync.Mutex // guards report and kept
	report *storeReport
	kept   map[string]int
}

func newTrial(s *settings, name, dir string) *trial {
	return &trial{settings: s, dir: dir, server: &server{name: name}, kept: map[string]int{},
		report: &storeReport{Store: name, Statuses: map[string]int{}, Shapes: map[string]*shapeReport{}}}
}

// run sends n queries, or soaks, and reports.
func (t *trial) run(ctx context.Context, n int) (*storeReport, error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	base := t.server.rest()
	t.report.Before = base
	began := time.Now()
	var err error
	if t.settings.Soak > 0 {
		err = t.soak(ctx)
	} else {
		err = t.attack(ctx, n)
	}
	t.report.Seconds = time.Since(began).Seconds()
	t.conclude(base)
	if err != nil || ctx.Err() != nil {
		return t.report, err
	}
	return t.report, t.confirm(ctx)
}

// begin learns what the store holds and starts the server.
func (t *trial) begin(ctx context.Context) (err error) {
	if t.server, err = newServer(t.settings, t.server.name, t.dir); err != nil {
		return err
	}
	if err = t.learn(ctx); err != nil {
		return err
	}
	if err = t.server.start(); err != nil {
		return err
	}
	t.gauge = &gauge{server: t.server, bound: t.settings.Memory + t.settings.Memory/10, beyond: t.above, killed: t.kill}
	t.prober = &prober{server: t.server, Statuses: map[int]int{}}
	for i := range t.settings.Connections {
		t.connections = append(t.connections, newConnection(t.server, fmt.Sprintf("127.0.%d.%d", 1+i/250, 1+i%250)))
	}
	return nil
}

// learn asks a server without tight limits, so that the same seed gives the same queries on a busy machine.
func (t *trial) learn(ctx context.Context) error {
	patient := *t.settings
	patient.Timeout, patient.Memory, patient.Server = time.Minute, patient.Watchdog, nil
	s, err := newServer(&patient, t.server.name+"-learn", t.dir)
	if err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	defer s.stop()
	t.vocabulary, err = hostile.Learn(func(query string) (string, error) { return s.ask(ctx, query) })
	return err
}

// attack sends n hostile queries from every connection at once, watched by the gauge and the prober.
func (t *trial) attack(ctx context.Context, n int) error {
	if chosen := len(t.settings.Files) + len(t.settings.Only); chosen > 0 {
		n = chosen
	}
	return t.watched(ctx, func(ctx context.Context, c *connection, _ int) error {
		for ctx.Err() == nil {
			i := int(t.next.Add(1) - 1)
			if i >= n {
				return nil
			}
			q, err := t.task(i)
			if err != nil {
				return err
			}
			if err := t.ask(ctx, c, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// watched runs do for every connection, with the gauge, the prober and a line of progress beside them.
func (t *trial) watched(ctx context.Context, do func(context.Context, *connection, int) error) error {
	watch, stop := context.WithCancel(ctx)
	var watchers sync.WaitGroup
	watchers.Go(func() { t.gauge.run(watch) })
	watchers.Go(func() { t.prober.run(watch) })
	watchers.Go(func() { t.progress(watch) })
	workers, working := errgroup.WithContext(ctx)
	for i, c := range t.connections {
		workers.Go(func() error {
			defer c.close()
			return do(working, c, i)
		})
	}
	err := workers.Wait()
	stop()
	watchers.Wait()
	return err
}

// task makes the i-th query of a campaign.
func (t *trial) task(i int) (*task, error) {
	if len(t.settings.Files) > 0 {
		text, err := os.ReadFile(t.settings.Files[i%len(t.settings.Files)])
		if err != nil {
			return nil, err
		}
		q := plain(string(text))
		q.Shape, q.Header = t.settings.Files[i%len(t.settings.Files)], http.Header{"Accept": {"*/*"}}
		return &task{Index: i, Text: string(text), query: q}, nil
	}
	if len(t.settings.Only) > 0 {
		i = t.settings.Only[i%len(t.settings.Only)]
	}
	q := hostile.New(hostile.Random(t.settings.Seed, uint64(i)), t.vocabulary).Query()
	if q.Leave > 0 {
		q.Tree = &hostile.Node{Open: mark(i), Parts: []*hostile.Node{q.Tree}}
	}
	return &task{Index: i, Text: q.Text(), query: q}, nil
}

// mark is a comment by which a query is found in the server's list of queries.
func mark(i int) string { return fmt.Sprintf("#left-%d-\n", i) }

// ask sends one query, judges the answer and counts it.
func (t *trial) ask(ctx context.Context, c *connection, q *task) error {
	a := c.ask(ctx, q, nil)
	if ctx.Err() != nil {
		return nil
	}
	t.count(q, a)
	if a.Left {
		return t.left(q, c.generation)
	}
	return t.verdict(c, q, a, false)
}

// verdict keeps what is wrong with an answer, and replaces a server that does not come back by itself.
func (t *trial) verdict(c *connection, q *task, a answer, waits bool) error {
	kind, detail := t.settings.judge(q, a, waits)
	if kind == tooLate && t.heldUp(q, a) {
		return nil
	}
	if kind == noAnswer {
		time.Sleep(100 * time.Millisecond) // a process takes a while to end
	}
	if kind == noAnswer && t.server.dead(c.generation) {
		kind = died
	}
	if kind == tooLate || kind == endless {
		detail += fmt.Sprintf("; our own clock up to %.0f ms late meanwhile", milliseconds(t.gauge.latest(time.Now().Add(-a.Elapsed))))
	}
	if kind != "" {
		t.add(violation{Kind: kind, Status: a.Status, Milliseconds: milliseconds(a.Elapsed), Detail: detail}, q)
	}
	if kind == endless || a.Err != "" && t.server.dead(c.generation) {
		return t.server.replace(c.generation)
	}
	return nil
}

// heldUp reports whether an answer would have come in time, had the host not given the machine's processors to others since the query's
// limit, and counts it.
func (t *trial) heldUp(q *task, a answer) bool {
	late := a.Elapsed - t.settings.limitOf(q)
	taken := t.gauge.stolen(time.Now().Add(-late - stolenBefore))
	if late-taken > t.settings.Grace {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.report.HeldUp++
	t.report.HeldUpMost = max(t.report.HeldUpMost, milliseconds(a.Elapsed))
	return true
}

// left checks that a query ends once its client has left; time that the host gives to others does not count.
func (t *trial) left(q *task, generation int) error {
	before := stolen()
	time.Sleep(t.settings.Grace)
	time.Sleep(stolen() - before)
	address, now := t.server.at()
	if now != generation {
		return nil
	}
	began := time.Now()
	if running(address, strings.TrimSpace(mark(q.Index))) {
		t.add(violation{Kind: stayed, Detail: fmt.Sprintf("still there %v after its client left; our own clock up to %.0f ms late meanwhile",
			(t.settings.Grace + time.Since(began)).Round(time.Millisecond), milliseconds(t.gauge.latest(began.Add(-t.settings.Grace))))}, q)
	}
	return nil
}

// running reports whether a query with a mark is in the server's list.
func running(address, mark string) bool {
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + address + "/api/queries")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return strings.Contains(string(text), mark)
}

// underWay lists the hostile queries that are asked now.
func (t *trial) underWay() (list []*task) {
	for _, c := range t.connections {
		if q := c.asking.Load(); q != nil && q.known == nil {
			list = append(list, q)
		}
	}
	return list
}

func (t *trial) above(bytes int64) {
	t.add(violation{Kind: memory, Megabytes: bytes >> 20, Detail: "under way when memory rose above the budget"}, t.underWay()...)
}

func (t *trial) kill(bytes int64) {
	t.add(violation{Kind: killed, Megabytes: bytes >> 20, Detail: "under way when the watchdog ended the server"}, t.underWay()...)
}

// progressInterval is how often a line says how far it is.
const progressInterval = 10 * time.Second

func (t *trial) progress(ctx context.Context) {
	for began := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(progressInterval):
		}
		t.mu.Lock()
		violations := len(t.report.Violations)
		t.mu.Unlock()
		fmt.Fprintf(os.Stderr, "%s: %v, %d answers, %d MB, %d violations\n", t.server.name, time.Since(began).Round(time.Second),
			t.finished.Load(), anonymous(t.server.pid())>>20, violations)
	}
}
