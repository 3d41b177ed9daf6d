package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// writeTables prints all results as tables of Markdown: one of loading, and one of queries for each kind of graph.
func writeTables(w io.Writer, results []*result) error {
	t := &table{}
	t.row("", results, func(r *result) string { return fmt.Sprintf("%s %d, %s", r.Graph.Kind, r.Graph.Scale, r.Graph.Memory) })
	t.rule(len(results))
	t.row("triples", results, func(r *result) string { return grouped(r.Report.Triples) })
	t.row("terms", results, func(r *result) string { return grouped(uint64(r.Report.Terms)) })
	t.row("wall seconds, generator included", results, func(r *result) string { return number(r.Load.Wall) })
	t.row("M triples/s", results, func(r *result) string { return fmt.Sprintf("%.2f", r.rate(r.Load.Wall)) })
	t.row("processor seconds, generator included", results, func(r *result) string { return number(r.Load.Processor) })
	t.row("… of these the system's", results, func(r *result) string { return number(r.Load.System) })
	t.row("… the generator alone", results, func(r *result) string { return number(r.Generator.Processor) })
	t.row("M triples a processor second, without the generator", results, func(r *result) string {
		return fmt.Sprintf("%.2f", r.rate(r.Load.Processor-r.Generator.Processor))
	})
	for _, phase := range phases(results) {
		t.row(phase+", wall seconds", results, func(r *result) string { return r.phase(phase) })
	}
	t.row("peak memory, MB", results, func(r *result) string { return grouped(uint64(r.Load.Peak / 1e6)) })
	t.row("spilled, MB", results, func(r *result) string { return grouped(uint64(r.Report.Spilled / 1e6)) })
	t.row("bytes written for each byte of the store", results, func(r *result) string {
		return fmt.Sprintf("%.2f", float64(r.Load.Written)/float64(max(r.Info.TotalBytes, 1)))
	})
	t.row("store, MB", results, func(r *result) string { return fmt.Sprintf("%.1f", float64(r.Info.TotalBytes)/1e6) })
	t.row("**bytes a triple**", results, func(r *result) string { return fmt.Sprintf("%.1f", r.perTriple(r.Info.TotalBytes)) })
	t.row("… graph", results, func(r *result) string { return fmt.Sprintf("%.1f", r.perTriple(r.graphBytes())) })
	t.row("… dictionary", results, func(r *result) string {
		return fmt.Sprintf("%.1f", r.perTriple(r.Info.TotalBytes-r.graphBytes()))
	})
	t.row("dictionary, bytes a term", results, func(r *result) string {
		return fmt.Sprintf("%.1f", float64(r.Info.TotalBytes-r.graphBytes())/float64(max(r.Report.Terms, 1)))
	})
	t.row("open, files in the page cache, ms", results, func(r *result) string { return fmt.Sprintf("%.2f", r.Probe.Warm) })
	t.row("open, files not in it, ms", results, func(r *result) string { return number(r.Probe.Cold) })
	t.row("memory after opening, MB", results, func(r *result) string { return grouped(uint64(r.Probe.Resident / 1e6)) })
	for _, kind := range kinds(results) {
		t.queries(kind, results)
	}
	_, err := io.WriteString(w, t.text.String())
	return err
}

// table collects the lines of tables.
type table struct{ text strings.Builder }

func (t *table) row(name string, results []*result, cell func(*result) string) {
	fmt.Fprintf(&t.text, "| %s |", name)
	for _, r := range results {
		fmt.Fprintf(&t.text, " %s |", cell(r))
	}
	t.text.WriteByte('\n')
}

func (t *table) rule(columns int) {
	t.text.WriteString("|---|" + strings.Repeat("---:|", columns) + "\n")
}

// queries adds the table of one kind of graph: warm milliseconds at each scale, rows and the cold run at the largest.
func (t *table) queries(kind string, all []*result) {
	var results []*result
	for _, r := range all {
		again := slices.ContainsFunc(results, func(o *result) bool { return o.Graph.Scale == r.Graph.Scale })
		if r.Graph.Kind == kind && len(r.Probe.Queries) > 0 && !again {
			results = append(results, r)
		}
	}
	if len(results) == 0 {
		return
	}
	last := results[len(results)-1]
	fmt.Fprintf(&t.text, "\n| %s, ms | rows at %d |", kind, last.Graph.Scale)
	for _, r := range results {
		fmt.Fprintf(&t.text, " %s %d |", kind, r.Graph.Scale)
	}
	fmt.Fprintf(&t.text, " first run at %d |\n", last.Graph.Scale)
	t.rule(len(results) + 2)
	for i, q := range last.Probe.Queries {
		fmt.Fprintf(&t.text, "| %s | %s |", q.Name, grouped(q.Rows))
		for _, r := range results {
			fmt.Fprintf(&t.text, " %s |", precise(r.Probe.Queries[i].Warm))
		}
		fmt.Fprintf(&t.text, " %s |\n", precise(q.Cold))
	}
}

func (r *result) rate(seconds float64) float64 {
	return float64(r.Report.Triples) / max(seconds, 1e-9) / 1e6
}

// graphBytes is what the graph takes of the store; the dictionary takes the rest.
func (r *result) graphBytes() (n int64) {
	for part, size := range r.Info.Bytes {
		if strings.HasSuffix(part, ".pcsr") {
			n += size
		}
	}
	return n
}

func (r *result) phase(name string) string {
	for _, p := range r.Report.Phases {
		if p.Name == name {
			return number(p.Elapsed.Seconds())
		}
	}
	return "–"
}

func phases(results []*result) (names []string) {
	for _, r := range results {
		for _, p := range r.Report.Phases {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

func kinds(results []*result) (names []string) {
	for _, r := range results {
		if !slices.Contains(names, r.Graph.Kind) {
			names = append(names, r.Graph.Kind)
		}
	}
	return names
}

// number prints seconds or milliseconds with as many digits as say something.
func number(x float64) string {
	if x < 9.95 {
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

func precise(x float64) string {
	switch {
	case x < 0.0995:
		return fmt.Sprintf("%.3f", x)
	case x < 9.95:
		return fmt.Sprintf("%.2f", x)
	case x < 99.5:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// grouped prints a number with commas.
func grouped(n uint64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
