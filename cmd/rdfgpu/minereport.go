package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// minedReport is what was mined.
type minedReport struct {
	What       string   `json:"what"`
	Predicates []string `json:"predicates"`
	Vertices   int      `json:"vertices"`
	Edges      uint64   `json:"edges"`
	// Literals is how many triples were left out because of their objects.
	Literals uint64 `json:"literals"`
	// Count is of what was looked for: of cores all vertices, of trusses all edges.
	Count    uint64         `json:"count"`
	Patterns []minedPattern `json:"patterns,omitempty"`
	// By counts by size or by number.
	By      []minedNumber `json:"by,omitempty"`
	Elapsed time.Duration `json:"elapsedNanoseconds"`
}

// minedPattern is a pattern and how often it was found.
type minedPattern struct {
	Name          string   `json:"name"`
	Edges         string   `json:"pattern"`
	Classes       []string `json:"classes,omitempty"`
	Count         uint64   `json:"count"`
	Automorphisms int      `json:"automorphisms"`
	SPARQL        string   `json:"sparql,omitempty"`
}

// minedNumber says how many there are of a size, or with a number.
type minedNumber struct {
	Value uint64 `json:"value"`
	Count uint64 `json:"count"`
}

// print writes the report.
func (m *miner) print(w io.Writer) error {
	if m.JSON {
		return writeJSON(w, m.report)
	}
	_, err := io.WriteString(w, m.report.String())
	return err
}

// String gives the report in lines.
func (r minedReport) String() string {
	var b strings.Builder
	for _, n := range r.By {
		fmt.Fprintf(&b, "%16d %s\n", n.Count, r.of(n.Value))
	}
	comment := ""
	for _, p := range r.Patterns {
		if p.SPARQL != "" {
			comment = "# "
			fmt.Fprintf(&b, "# %d times %s; solutions: %d for each\n%s\n", p.Count, p.title(), p.Automorphisms, p.SPARQL)
			continue
		}
		fmt.Fprintf(&b, "%16d %s\n", p.Count, p.title())
	}
	if r.By == nil && r.Patterns == nil {
		fmt.Fprintf(&b, "%16d %s\n", r.Count, r.What)
	}
	fmt.Fprintf(&b, "%sin a graph of %d vertices and %d edges (%d triples to literals left out), %.2f s\n", comment, r.Vertices, r.Edges, r.Literals, r.Elapsed.Seconds())
	return b.String()
}

// of names what a number stands for.
func (r minedReport) of(value uint64) string {
	switch r.What {
	case "cores":
		return fmt.Sprintf("vertices of core %d", value)
	case "trusses":
		return fmt.Sprintf("edges of truss %d", value)
	}
	return fmt.Sprintf("%s of %d vertices", r.What, value)
}

// title names a pattern, with its classes where these tell patterns apart.
func (p minedPattern) title() string {
	if p.Classes == nil {
		return p.Name
	}
	parts := []string{p.Edges}
	for i, class := range p.Classes {
		if class != "" {
			parts = append(parts, fmt.Sprintf("?%c a <%s>", 'a'+i, class))
		}
	}
	return fmt.Sprintf("%s (%s)", p.Name, strings.Join(parts, ", "))
}

// distribution counts how often each number occurs. It is safe for concurrent use.
type distribution struct {
	mu     sync.Mutex
	counts map[uint64]uint64
}

func newDistribution() *distribution { return &distribution{counts: map[uint64]uint64{}} }

func (d *distribution) add(value uint64) {
	d.mu.Lock()
	d.counts[value]++
	d.mu.Unlock()
}

// list is the sum of the counts, and these by ascending number.
func (d *distribution) list() (sum uint64, by []minedNumber) {
	for _, value := range slices.Sorted(maps.Keys(d.counts)) {
		by = append(by, minedNumber{value, d.counts[value]})
		sum += d.counts[value]
	}
	return sum, by
}

// rowWriter prints rows, as tab-separated values or as JSON arrays. It is safe for concurrent use.
type rowWriter struct {
	mu   sync.Mutex
	out  *bufio.Writer
	json bool
}

func newRowWriter(w io.Writer, json bool) *rowWriter {
	return &rowWriter{out: bufio.NewWriterSize(w, 1<<16), json: json}
}

// write prints one row of strings and numbers.
func (w *rowWriter) write(cells ...any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.json {
		encoder := json.NewEncoder(w.out)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(cells)
	}
	_, err := fmt.Fprintf(w.out, strings.TrimSuffix(strings.Repeat("%v\t", len(cells)), "\t")+"\n", cells...)
	return err
}

func (w *rowWriter) flush() error { return w.out.Flush() }
