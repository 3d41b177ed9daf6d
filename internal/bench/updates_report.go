package bench

import (
	"fmt"
	"io"
	"math"
	"time"
)

// String is the row as a line of progress.
func (r UpdateRow) String() string {
	line := fmt.Sprintf("%-6s %3d connections %-10s %.1f updates/s, p50 %s, p99 %s, max %s, 503: %d, errors: %s, wrong: %d, %s",
		r.Kind, r.Connections, r.Endpoint, r.Updates.PerSecond, r.Updates.P50, r.Updates.P99, r.Updates.Max, r.Busy, kinds(r.Errors), r.Wrong, r.verdict())
	if r.Note != "" {
		line += "  " + r.Note
	}
	return line
}

// verdict is what the checks found.
func (r UpdateRow) verdict() string {
	if r.Lost == "" {
		return "exact"
	}
	return r.Lost
}

// WriteMarkdown writes a table of the updates, one of the queries in turn with them and one of the readers beside them.
func (r *UpdateReport) WriteMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "Each row %s, after a quarter of it that was not measured. Check: by queries afterwards, that exactly what was acknowledged is there.\n\n", r.Options.Duration)
	fmt.Fprintf(w, "| updates | connections | endpoint | updates/s | %s / it | triples/s | p50 ms | p99 ms | max ms | 503 | errors | check |\n", r.Endpoints[0].Name)
	fmt.Fprintln(w, "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---|---|")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "| %s | %d | %s | %.1f | %s | %.0f | %s | %d | %s | %s |\n", row.Kind, row.Connections, row.Endpoint,
			row.Updates.PerSecond, ratio(row.Ratio), row.Triples, row.Updates.cells(), row.Busy, kinds(row.Errors), row.verdict())
	}
	r.writeQueries(w)
	r.writeReaders(w)
	for _, row := range r.Rows {
		if row.Note != "" {
			fmt.Fprintf(w, "\n- %s, %d connections, %s: %s", row.Kind, row.Connections, row.Endpoint, row.Note)
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (r *UpdateReport) writeQueries(w io.Writer) {
	header := "\nQueries in turn with the updates, from the same connections:\n\n| updates | connections | endpoint | queries/s | p50 ms | p99 ms | max ms | wrong |\n|---|---:|---|---:|---:|---:|---:|---:|\n"
	for _, row := range r.Rows {
		if row.Queries.N > 0 || row.Wrong > 0 {
			fmt.Fprintf(w, "%s| %s | %d | %s | %.1f | %s | %d |\n", header, row.Kind, row.Connections, row.Endpoint,
				row.Queries.PerSecond, row.Queries.cells(), row.Wrong)
			header = ""
		}
	}
}

func (r *UpdateReport) writeReaders(w io.Writer) {
	if r.Options.Readers == 0 {
		return
	}
	fmt.Fprintf(w, "\nA mix of %d queries from %d other connections, alone and beside the updates:\n\n", len(r.Options.Reads), r.Options.Readers)
	fmt.Fprintln(w, "| updates | connections | endpoint | alone: queries/s | p50 ms | p99 ms | beside: queries/s | p50 ms | p99 ms | errors | wrong |")
	fmt.Fprintln(w, "|---|---:|---|---:|---:|---:|---:|---:|---:|---|---:|")
	for _, row := range r.Rows {
		a, b := row.Alone, row.Beside
		fmt.Fprintf(w, "| %s | %d | %s | %.1f | %s | %s | %.1f | %s | %s | %s | %d |\n", row.Kind, row.Connections, row.Endpoint,
			a.PerSecond, a.latency(a.P50), a.latency(a.P99), b.PerSecond, b.latency(b.P50), b.latency(b.P99), kinds(b.Errors), a.Wrong+b.Wrong)
	}
}

// cells are the latencies as cells of a table.
func (t Times) cells() string {
	return fmt.Sprintf("%s | %s | %s", t.milliseconds(t.P50), t.milliseconds(t.P99), t.milliseconds(t.Max))
}

func (t Times) milliseconds(d time.Duration) string {
	if t.N == 0 {
		return milliseconds(math.NaN())
	}
	return milliseconds(float64(d.Nanoseconds()) / 1e6)
}

// WriteCSV writes one line per row.
func (r *UpdateReport) WriteCSV(w io.Writer) error {
	fmt.Fprintln(w, "kind,connections,endpoint,updates,updates_per_second,first_to_this,triples_per_second,p50_ms,p99_ms,max_ms,"+
		"queries_per_second,query_p50_ms,query_p99_ms,alone_per_second,alone_p50_ms,alone_p99_ms,beside_per_second,beside_p50_ms,beside_p99_ms,busy,errors,wrong,exact")
	for _, row := range r.Rows {
		errors := 0
		for _, n := range row.Errors {
			errors += n
		}
		u, q, a, b := row.Updates, row.Queries, row.Alone, row.Beside
		if _, err := fmt.Fprintf(w, "%s,%d,%s,%d,%.1f,%s,%.0f,%s,%s,%s,%.1f,%s,%s,%.1f,%s,%s,%.1f,%s,%s,%d,%d,%d,%t\n", row.Kind, row.Connections, row.Endpoint,
			u.N, u.PerSecond, ratio(row.Ratio), row.Triples, u.milliseconds(u.P50), u.milliseconds(u.P99), u.milliseconds(u.Max),
			q.PerSecond, q.milliseconds(q.P50), q.milliseconds(q.P99), a.PerSecond, a.latency(a.P50), a.latency(a.P99),
			b.PerSecond, b.latency(b.P50), b.latency(b.P99), row.Busy, errors, row.Wrong, row.Lost == ""); err != nil {
			return err
		}
	}
	return nil
}
