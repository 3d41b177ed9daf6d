package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// UpdateEndpoint is an engine that takes updates, posted as application/sparql-update to one address, and answers
// queries at another or the same.
type UpdateEndpoint struct {
	Name          string
	Update, Query string
}

func (e UpdateEndpoint) updates() Endpoint { return Endpoint{e.Name, e.Update} }
func (e UpdateEndpoint) queries() Endpoint { return Endpoint{e.Name, e.Query} }

// UpdateOptions are the settings of a load of updates.
type UpdateOptions struct {
	// Kinds are what is sent, one after another, each from each number of connections.
	Kinds       []UpdateKind
	Connections []int
	// Readers is how many connections ask Reads, first alone and then beside the writers; 0 for none.
	Readers int
	Reads   []Case
	// Duration is how long each row is measured, after a quarter of it that is not.
	Duration time.Duration
	// Timeout bounds one request.
	Timeout time.Duration
	// Seed fixes what is sent. A second run against the same data needs another.
	Seed uint64
	// Progress receives a line per finished row; nil is silent.
	Progress func(string)
}

// Times are latencies of whole answers, from sending to the last byte.
type Times struct {
	N             int
	PerSecond     float64
	P50, P99, Max time.Duration
}

// UpdateRow is what one endpoint did for one kind of updates and number of connections.
type UpdateRow struct {
	Endpoint    string
	Kind        UpdateKind
	Connections int
	// Updates are those that were acknowledged in the time, Triples how many triples they inserted and removed a second.
	Updates Times
	Triples float64
	// Queries are those that the writing connections sent in turn with their updates.
	Queries Times
	// Alone and Beside are the reading connections, before the writers began and beside them.
	Alone, Beside LoadRow
	// Busy is the number of answers with status 503, Wrong of queries with another number of solutions than expected.
	Busy, Wrong int
	// Errors are the other failures by kind: "timeout", "connection", "status 500" and the like.
	Errors map[string]int
	// Note is the first error or wrong answer.
	Note string
	// Lost is what the checks found that was not as acknowledged, "" if all was.
	Lost string
	// Ratio is this row's updates a second of the first endpoint, divided by this endpoint's.
	Ratio float64
}

// Failed reports whether a row has an error other than 503, a wrong answer or a check that failed.
func (r UpdateRow) Failed() bool {
	return len(r.Errors) > 0 || r.Wrong > 0 || r.Lost != "" || r.Alone.Failed() || r.Beside.Failed()
}

// UpdateReport is a finished load of updates.
type UpdateReport struct {
	Endpoints []UpdateEndpoint
	Options   UpdateOptions
	Rows      []UpdateRow
}

// Updates sends each endpoint the same updates from each number of connections, endpoints taking turns, and asks at the
// end of each row whether exactly what was acknowledged is there. An error is one of the settings, or an endpoint that
// holds updates of this seed already.
func Updates(ctx context.Context, endpoints []UpdateEndpoint, o UpdateOptions) (*UpdateReport, error) {
	if o.Readers > 0 && len(o.Reads) == 0 {
		return nil, errors.New("bench: no query for the readers")
	}
	report := &UpdateReport{Endpoints: endpoints, Options: o}
	for _, kind := range o.Kinds {
		for _, n := range o.Connections {
			if err := report.measure(ctx, kind, n); err != nil {
				return report, err
			}
		}
	}
	return report, nil
}

// measure appends a row for each endpoint.
func (r *UpdateReport) measure(ctx context.Context, kind UpdateKind, n int) error {
	var first float64
	for i, e := range r.Endpoints {
		if err := ctx.Err(); err != nil {
			return err
		}
		w, err := newWriters(e, kind, n, r.Options)
		if err != nil {
			return err
		}
		row, err := w.run(ctx)
		w.close()
		if err != nil {
			return err
		}
		if i == 0 {
			first = row.Updates.PerSecond
		}
		row.Ratio = first / row.Updates.PerSecond
		r.Rows = append(r.Rows, row)
		if r.Options.Progress != nil {
			r.Options.Progress(row.String())
		}
	}
	return nil
}

// run checks that nothing is there, writes what the streams need, and measures readers, then writers with readers
// beside them. An endpoint that does not take what the streams need has a row that says so.
func (w *writers) run(ctx context.Context) (UpdateRow, error) {
	if err := w.checkEmpty(); err != nil {
		return w.row, err
	}
	if err := w.prepare(ctx); err != nil {
		w.row.Errors, w.row.Note, w.row.Lost = map[string]int{"first data": 1}, err.Error(), "not done"
		return w.row, ctx.Err()
	}
	w.phase(ctx, w.options.Duration/4)
	w.discard()
	if w.options.Readers > 0 {
		row, err := w.read(ctx)
		if err != nil {
			return w.row, err
		}
		w.row.Alone = row
	}
	beside := make(chan LoadRow, 1)
	go func() {
		defer close(beside)
		if w.options.Readers > 0 {
			row, _ := w.read(ctx) // its URL was good a moment ago
			beside <- row
		}
	}()
	w.phase(ctx, w.options.Duration)
	w.row.Beside = <-beside
	w.summarize()
	w.row.Lost = w.checkAcknowledged()
	return w.row, nil
}

// read asks the readers' queries for the duration.
func (w *writers) read(ctx context.Context) (LoadRow, error) {
	l, err := newLoad(w.endpoint.queries(), w.options.Reads, LoadOptions{
		Duration: w.options.Duration, Timeout: w.options.Timeout, Seed: w.options.Seed,
	})
	if err != nil {
		return LoadRow{}, err
	}
	return l.run(ctx, w.options.Readers), nil
}

// checkEmpty fails where an earlier run has left something.
func (w *writers) checkEmpty() error {
	for _, c := range w.checks {
		n, err := w.count(c)
		if err != nil {
			return fmt.Errorf("bench: %s, %s: %w", w.endpoint.Name, c.name, err)
		}
		if n != 0 {
			return fmt.Errorf("bench: %s holds %s updates of seed %d from %d connections already: take another --seed",
				w.endpoint.Name, w.row.Kind, w.options.Seed, w.row.Connections)
		}
	}
	return nil
}

// checkAcknowledged compares the checks' numbers with what was acknowledged.
func (w *writers) checkAcknowledged() string {
	var lost string
	for i, c := range w.checks {
		n, err := w.count(c)
		least, most := w.least[i], w.most[i]
		switch {
		case err != nil:
			lost += fmt.Sprintf("%s: %v; ", c.name, err)
		case n < least || n > most:
			lost += fmt.Sprintf("%s: %d instead of %s; ", c.name, n, interval(least, most))
		}
	}
	return lost
}

func interval(least, most int64) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// count asks one check.
func (w *writers) count(c check) (int64, error) {
	client, err := newClient(w.endpoint.queries(), w.options.Timeout)
	if err != nil {
		return 0, err
	}
	defer client.close()
	a, err := client.query(c.query, accepts[Count])
	if err != nil {
		return 0, err
	}
	return max(Case{Form: Count}.solutions(a), 0), nil // a sum of nothing may have no value
}

// timesOf summarizes latencies.
func timesOf(all []time.Duration, elapsed time.Duration) Times {
	t := Times{N: len(all), PerSecond: float64(len(all)) / elapsed.Seconds()}
	if len(all) == 0 {
		return t
	}
	slices.Sort(all)
	at := func(share float64) time.Duration { return all[int(share*float64(len(all)-1))] }
	t.P50, t.P99, t.Max = at(0.5), at(0.99), all[len(all)-1]
	return t
}
