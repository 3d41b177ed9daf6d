package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// LoadOptions are the settings of a load.
type LoadOptions struct {
	// Connections are the numbers of kept-alive connections, one after another.
	Connections []int
	// Duration is how long each number of connections asks each endpoint.
	Duration time.Duration
	// Timeout bounds one request.
	Timeout time.Duration
	// Seed fixes the order of the queries, the same for every endpoint.
	Seed uint64
	// Progress receives a line per finished row; nil is silent.
	Progress func(string)
}

// LoadRow is what one endpoint did for one number of connections.
type LoadRow struct {
	Endpoint    string
	Connections int
	// Answers is the number of whole answers, PerSecond the same by the time that passed.
	Answers   int
	PerSecond float64
	// P50, P95 and P99 are latencies of whole answers, from sending (or connecting, where the server had closed the
	// connection) to the last byte.
	P50, P95, P99 time.Duration
	// Busy is the number of answers with status 503, Wrong of those with another number of solutions than expected.
	Busy, Wrong int
	// Errors are the other failures by kind: "timeout", "connection", "status 500" and the like.
	Errors map[string]int
	// Note is the first error or wrong answer.
	Note string
	// Ratio is the first endpoint's PerSecond, for as many connections, divided by this one's.
	Ratio float64
}

// LoadReport is a finished load.
type LoadReport struct {
	Endpoints []Endpoint
	Options   LoadOptions
	// Queries is the size of the mix, Checked how many of them are checked by their number of solutions.
	Queries, Checked int
	Rows             []LoadRow
}

// Load asks each endpoint the same mix of queries, in one shuffled order over and over, from each number of
// connections; endpoints take turns. Before, each endpoint answers the mix once, for a while, unmeasured.
func Load(ctx context.Context, endpoints []Endpoint, cases []Case, o LoadOptions) (*LoadReport, error) {
	report := &LoadReport{Endpoints: endpoints, Options: o, Queries: len(cases)}
	if len(cases) == 0 {
		return nil, errors.New("bench: no query to ask")
	}
	mix := slices.Clone(cases)
	rand.New(rand.NewPCG(o.Seed, 1)).Shuffle(len(mix), func(i, j int) { mix[i], mix[j] = mix[j], mix[i] })
	for _, c := range mix {
		if c.Expected >= 0 && c.Form != JSON {
			report.Checked++
		}
	}
	for _, e := range endpoints {
		l, err := newLoad(e, mix, o)
		if err != nil {
			return nil, err
		}
		l.warm(ctx)
	}
	for _, n := range o.Connections {
		var first float64
		for i, e := range endpoints {
			if err := ctx.Err(); err != nil {
				return report, err
			}
			l, err := newLoad(e, mix, o)
			if err != nil {
				return nil, err
			}
			row := l.run(ctx, n)
			if i == 0 {
				first = row.PerSecond
			}
			row.Ratio = first / row.PerSecond
			report.Rows = append(report.Rows, row)
			if o.Progress != nil {
				o.Progress(row.String())
			}
		}
	}
	return report, nil
}

// load is one endpoint under one number of connections.
type load struct {
	endpoint Endpoint
	mix      []Case
	requests [][]byte
	options  LoadOptions
	until    time.Time
	next     atomic.Int64

	mu  sync.Mutex // guards row and all
	row LoadRow
	all []time.Duration
}

func newLoad(e Endpoint, mix []Case, o LoadOptions) (*load, error) {
	c, err := newClient(e, o.Timeout)
	if err != nil {
		return nil, err
	}
	l := &load{endpoint: e, mix: mix, options: o, row: LoadRow{Endpoint: e.Name, Errors: map[string]int{}}}
	for _, q := range mix {
		l.requests = append(l.requests, c.request(q.Text, accepts[q.Form]))
	}
	return l, nil
}

// warm asks the mix once, no longer than a quarter of a measurement takes.
func (l *load) warm(ctx context.Context) {
	l.until = time.Now().Add(l.options.Duration / 4)
	s := l.session()
	defer s.client.close()
	for range l.mix {
		if ctx.Err() != nil || !s.ask() {
			return
		}
	}
}

// run asks from n connections until the time is over.
func (l *load) run(ctx context.Context, n int) LoadRow {
	begin := time.Now()
	l.until = begin.Add(l.options.Duration)
	if end, ok := ctx.Deadline(); ok && end.Before(l.until) {
		l.until = end
	}
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			s := l.session()
			defer s.client.close()
			for ctx.Err() == nil && s.ask() {
			}
			s.hand()
		})
	}
	wait.Wait()
	l.row.Connections = n
	l.row.summarize(l.all, min(time.Since(begin), l.options.Duration))
	return l.row
}

// session is one connection and what it measured.
type session struct {
	*load
	client *client
	times  []time.Duration
	busy   int
	wrong  int
	errors map[string]int
	note   string
}

func (l *load) session() *session {
	c, _ := newClient(l.endpoint, l.options.Timeout) // newLoad has checked the URL
	return &session{load: l, client: c, errors: map[string]int{}}
}

// backOff is how long a connection rests after a failure, so that it does not measure how fast a server refuses.
const backOff = 10 * time.Millisecond

// ask sends the next query of the mix; it reports false once the time is over. What is under way then is left out.
func (s *session) ask() bool {
	start := time.Now()
	if !start.Before(s.until) {
		return false
	}
	i := int(s.next.Add(1)-1) % len(s.mix)
	deadline := start.Add(s.options.Timeout)
	if s.until.Before(deadline) {
		deadline = s.until
	}
	a, err := s.client.send(s.requests[i], deadline)
	end := time.Now()
	switch {
	case err != nil && (!end.Before(s.until) || deadline.Equal(s.until) && errors.Is(err, os.ErrDeadlineExceeded)):
		return false // the poller's clock may be a little ahead of ours
	case err != nil:
		s.fail(s.mix[i], err)
		time.Sleep(min(backOff, s.until.Sub(end)))
	case !s.right(s.mix[i], a):
		s.wrong++
	default:
		s.times = append(s.times, end.Sub(start))
	}
	return true
}

// right checks an answer by its number of solutions, where that is known.
func (s *session) right(c Case, a answer) bool {
	n := c.solutions(a)
	if n < 0 || c.Expected < 0 || n == c.Expected {
		return true
	}
	if s.note == "" {
		s.note = fmt.Sprintf("%s %s: %d solutions instead of %d", c.Query, c.Form, n, c.Expected)
	}
	return false
}

func (s *session) fail(c Case, err error) {
	kind := kindOf(err)
	if kind == "" {
		s.busy++
		return
	}
	s.errors[kind]++
	if s.note == "" {
		s.note = fmt.Sprintf("%s %s: %v", c.Query, c.Form, err)
	}
}

// kindOf names a failure; "" is a 503.
func kindOf(err error) string {
	var status *statusError
	switch {
	case errors.As(err, &status) && status.code == http.StatusServiceUnavailable:
		return ""
	case errors.As(err, &status):
		return fmt.Sprintf("status %d", status.code)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	}
	return "connection"
}

// hand adds what the connection measured to the row.
func (s *session) hand() {
	l := s.load
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, s.times...)
	l.row.Busy += s.busy
	l.row.Wrong += s.wrong
	for kind, n := range s.errors {
		l.row.Errors[kind] += n
	}
	if l.row.Note == "" {
		l.row.Note = s.note
	}
}

// summarize fills in rate and latencies.
func (r *LoadRow) summarize(times []time.Duration, elapsed time.Duration) {
	r.Answers = len(times)
	r.PerSecond = float64(len(times)) / elapsed.Seconds()
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	at := func(share float64) time.Duration { return times[int(share*float64(len(times)-1))] }
	r.P50, r.P95, r.P99 = at(0.5), at(0.95), at(0.99)
}
