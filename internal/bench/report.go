package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// Row is what every endpoint took for one case: medians in the order of the endpoints; NaN where one failed.
type Row struct {
	Case      Case
	Solutions int64
	Median    []float64 // milliseconds
	Note      string
}

// Report is a finished run.
type Report struct {
	Endpoints []Endpoint
	Rows      []Row
}

// Options are the settings of a run.
type Options struct {
	// Repetitions is how often each case is timed, after one warm-up.
	Repetitions int
	// Timeout bounds one request; Budget bounds the repetitions of one case at one endpoint.
	Timeout, Budget time.Duration
	// Progress receives a line per case; nil is silent.
	Progress func(string)
}

// Run measures all cases at all endpoints. Answers whose number of solutions differs from the expected one, or
// between endpoints, are noted in the row.
func Run(ctx context.Context, endpoints []Endpoint, cases []Case, o Options) (*Report, error) {
	clients := make([]*client, len(endpoints))
	for i, e := range endpoints {
		c, err := newClient(e, o.Timeout)
		if err != nil {
			return nil, err
		}
		defer c.close()
		clients[i] = c
	}
	report := &Report{Endpoints: endpoints}
	for _, c := range cases {
		if err := ctx.Err(); err != nil {
			return report, err
		}
		row := measure(endpoints, clients, c, o)
		report.Rows = append(report.Rows, row)
		if o.Progress != nil {
			o.Progress(fmt.Sprintf("%-24s %-5s %10d  %.3g ms  %s", c.Query, c.Form, row.Solutions, row.Median, row.Note))
		}
	}
	return report, nil
}

func measure(endpoints []Endpoint, clients []*client, c Case, o Options) Row {
	row := Row{Case: c, Solutions: -1, Median: make([]float64, len(clients))}
	times := make([][]float64, len(clients))
	spent := make([]time.Duration, len(clients))
	failed := make([]bool, len(clients))
	for repetition := range o.Repetitions + 1 {
		for i := range clients {
			if repetition%2 == 1 { // who was last goes first: what one leaves behind meets each as often
				i = len(clients) - 1 - i
			}
			client := clients[i]
			if failed[i] || (repetition > 1 && spent[i] > o.Budget) {
				continue
			}
			a, err := client.query(c.Text, accepts[c.Form])
			if err != nil {
				failed[i] = true
				row.Note += fmt.Sprintf("%s: %v; ", endpoints[i].Name, err)
				continue
			}
			spent[i] += a.elapsed
			if repetition > 0 {
				times[i] = append(times[i], float64(a.elapsed.Nanoseconds())/1e6)
			} else {
				row.check(endpoints[i].Name, c, c.solutions(a))
			}
		}
	}
	for i := range clients {
		row.Median[i] = median(times[i])
	}
	return row
}

func (r *Row) check(endpoint string, c Case, n int64) {
	if n < 0 {
		return
	}
	if r.Solutions < 0 {
		r.Solutions = n
	}
	if want := c.Expected; want >= 0 && n != want {
		r.Note += fmt.Sprintf("%s: %d solutions instead of %d; ", endpoint, n, want)
	} else if n != r.Solutions {
		r.Note += fmt.Sprintf("%s: %d solutions; ", endpoint, n)
	}
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	if m := len(v) / 2; len(v)%2 == 1 {
		return v[m]
	} else {
		return (v[m-1] + v[m]) / 2
	}
}

// best returns the fastest of the endpoints after the first, the peers.
func (r Row) best() float64 {
	best := math.NaN()
	for _, m := range r.Median[1:] {
		if math.IsNaN(best) || m < best {
			best = m
		}
	}
	return best
}

// WriteMarkdown writes a table with, for each case, the medians in milliseconds and how many times longer the best
// peer took than the first endpoint, then the geometric mean and the smallest of these ratios for each form.
func (r *Report) WriteMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "| query | form | solutions |")
	for _, e := range r.Endpoints {
		fmt.Fprintf(w, " %s ms |", e.Name)
	}
	if len(r.Endpoints) > 1 {
		fmt.Fprintf(w, " best peer / %s |", r.Endpoints[0].Name)
	}
	fmt.Fprintf(w, "\n|---|---|---:|")
	for range len(r.Endpoints) + min(1, len(r.Endpoints)-1) {
		fmt.Fprintf(w, "---:|")
	}
	fmt.Fprintln(w)
	for _, row := range r.Rows {
		fmt.Fprintf(w, "| %s | %s | %d |", row.Case.Query, row.Case.Form, row.Solutions)
		for _, m := range row.Median {
			fmt.Fprintf(w, " %s |", milliseconds(m))
		}
		if len(r.Endpoints) > 1 {
			fmt.Fprintf(w, " %.2f |", row.best()/row.Median[0])
		}
		fmt.Fprintln(w)
	}
	r.writeSummary(w)
	for _, row := range r.Rows {
		if row.Note != "" {
			fmt.Fprintf(w, "\n- %s %s: %s", row.Case.Query, row.Case.Form, row.Note)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (r *Report) writeSummary(w io.Writer) {
	if len(r.Endpoints) < 2 {
		return
	}
	for _, form := range []Form{TSV, JSON, Count} {
		mean, least, n := r.ratios(form)
		if n > 0 {
			fmt.Fprintf(w, "\n%s, %d queries: best peer / %s is %.2f in the geometric mean, %.2f at the least.\n",
				form, n, r.Endpoints[0].Name, mean, least)
		}
	}
}

// ratios returns the geometric mean and the smallest of best peer / first endpoint over the cases of one form.
func (r *Report) ratios(form Form) (mean, least float64, n int) {
	sum := 0.0
	least = math.Inf(1)
	for _, row := range r.Rows {
		ratio := row.best() / row.Median[0]
		if row.Case.Form != form || math.IsNaN(ratio) {
			continue
		}
		sum += math.Log(ratio)
		least = min(least, ratio)
		n++
	}
	return math.Exp(sum / float64(max(n, 1))), least, n
}

func milliseconds(m float64) string {
	switch {
	case math.IsNaN(m):
		return "–"
	case m < 10:
		return fmt.Sprintf("%.3f", m)
	}
	return fmt.Sprintf("%.1f", m)
}

// WriteCSV writes one line per case and endpoint.
func (r *Report) WriteCSV(w io.Writer) error {
	fmt.Fprintln(w, "endpoint,query,form,solutions,median_ms")
	for _, row := range r.Rows {
		for i, e := range r.Endpoints {
			if _, err := fmt.Fprintf(w, "%s,%s,%s,%d,%s\n", e.Name, row.Case.Query, row.Case.Form, row.Solutions, milliseconds(row.Median[i])); err != nil {
				return err
			}
		}
	}
	return nil
}
