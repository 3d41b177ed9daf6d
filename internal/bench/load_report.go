package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// String is the row as a line of progress.
func (r LoadRow) String() string {
	return fmt.Sprintf("%-10s %3d connections: %.1f queries/s, p50 %s, p95 %s, p99 %s, 503: %d, errors: %s, wrong: %d  %s",
		r.Endpoint, r.Connections, r.PerSecond, r.P50, r.P95, r.P99, r.Busy, kinds(r.Errors), r.Wrong, r.Note)
}

// kinds lists errors by kind.
func kinds(errors map[string]int) string {
	if len(errors) == 0 {
		return "0"
	}
	var list []string
	for kind, n := range errors {
		list = append(list, fmt.Sprintf("%s ×%d", kind, n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// Failed reports whether a row has an error other than 503 or a wrong answer.
func (r LoadRow) Failed() bool { return len(r.Errors) > 0 || r.Wrong > 0 }

// WriteMarkdown writes a table with a row for each number of connections and endpoint.
func (r *LoadReport) WriteMarkdown(w io.Writer) error {
	first := r.Endpoints[0].Name
	fmt.Fprintf(w, "A mix of %d queries, %d of them checked by their number of solutions, for %s each.\n\n", r.Queries, r.Checked, r.Options.Duration)
	fmt.Fprintf(w, "| connections | endpoint | queries/s | %s / it | p50 ms | p95 ms | p99 ms | 503 | errors | wrong |\n", first)
	fmt.Fprintln(w, "|---:|---|---:|---:|---:|---:|---:|---:|---|---:|")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "| %d | %s | %.1f | %s | %s | %s | %s | %d | %s | %d |\n", row.Connections, row.Endpoint, row.PerSecond,
			ratio(row.Ratio), row.latency(row.P50), row.latency(row.P95), row.latency(row.P99), row.Busy, kinds(row.Errors), row.Wrong)
	}
	for _, row := range r.Rows {
		if row.Note != "" {
			fmt.Fprintf(w, "\n- %s, %d connections: %s", row.Endpoint, row.Connections, row.Note)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// latency is a time in milliseconds, of a row that may have no answer.
func (r LoadRow) latency(d time.Duration) string {
	if r.Answers == 0 {
		return milliseconds(math.NaN())
	}
	return milliseconds(float64(d.Nanoseconds()) / 1e6)
}

func ratio(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}

// WriteCSV writes one line per row.
func (r *LoadReport) WriteCSV(w io.Writer) error {
	fmt.Fprintln(w, "endpoint,connections,answers,queries_per_second,first_to_this,p50_ms,p95_ms,p99_ms,busy,errors,wrong")
	for _, row := range r.Rows {
		errors := 0
		for _, n := range row.Errors {
			errors += n
		}
		if _, err := fmt.Fprintf(w, "%s,%d,%d,%.1f,%s,%s,%s,%s,%d,%d,%d\n", row.Endpoint, row.Connections, row.Answers, row.PerSecond,
			ratio(row.Ratio), row.latency(row.P50), row.latency(row.P95), row.latency(row.P99), row.Busy, errors, row.Wrong); err != nil {
			return err
		}
	}
	return nil
}
