package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// table collects what was measured of each share.
type table struct {
	w    io.Writer
	rows []*measured
}

func newTable(w io.Writer) *table { return &table{w: w} }

func (t *table) add(m *measured) { t.rows = append(t.rows, m) }

// write prints the table of all queries together, that of each query, and that of what changes take.
func (t *table) write() {
	fmt.Fprintln(t.w, "| share | inserted | removed | updates, s | delta, MB | in the delta: mean, worst | flush, s | flushed: mean, worst | compact, s | compacted: mean, worst |")
	fmt.Fprintln(t.w, "|---:|---:|---:|---:|---:|---|---:|---|---:|---|")
	for _, m := range t.rows {
		fmt.Fprintf(t.w, "| %g %% | %d | %d | %.2f | %.1f | %s | %.2f | %s | %.2f | %s |\n", 100*m.share, m.inserted, m.removed,
			m.changing.Seconds(), float64(m.delta.DeltaBytes)/1e6, m.summary(inDelta), m.flush.Seconds(), m.summary(flushed), m.compact.Seconds(), m.summary(compacted))
	}
	t.writeQueries()
	t.writeLives()
}

// writeQueries prints a line for each query: its time when loaded, without changes, and the ratios in the delta.
func (t *table) writeQueries() {
	fmt.Fprint(t.w, "\n| query | loaded, ms |")
	for _, m := range t.rows {
		fmt.Fprintf(t.w, " %g %% |", 100*m.share)
	}
	fmt.Fprintf(t.w, "\n|---|---:|%s\n", strings.Repeat("---:|", len(t.rows)))
	for i, f := range t.rows[0].figures {
		fmt.Fprintf(t.w, "| %s | %.3f |", f.name, milliseconds(f.loaded))
		for _, m := range t.rows {
			fmt.Fprintf(t.w, " %.2f |", m.figures[i].ratio[inDelta])
		}
		fmt.Fprintln(t.w)
	}
}

// summary is the geometric mean of the ratios in a state, and the largest with its query.
func (m *measured) summary(at state) string {
	sum, worst, name := 0.0, 0.0, ""
	for _, f := range m.figures {
		sum += math.Log(f.ratio[at])
		if f.ratio[at] > worst {
			worst, name = f.ratio[at], f.name
		}
	}
	return fmt.Sprintf("%.2f, %.2f (%s)", math.Exp(sum/float64(len(m.figures))), worst, name)
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
