package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeData writes triples of a small graph, and two queries over it.
func writeData(t *testing.T, triples int) (data, queries string) {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	for i := range triples {
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p%d> <http://e/s%d> .\n", i%97, i%3, i*7%1009)
	}
	data, queries = filepath.Join(dir, "data.nt"), filepath.Join(dir, "queries")
	write(t, data, text.String())
	write(t, filepath.Join(queries, "all.rq"), "SELECT * { ?s ?p ?o }")
	write(t, filepath.Join(queries, "path.rq"), "SELECT * { ?a <http://e/p0> ?b . ?b <http://e/p1> ?c }")
	return data, queries
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func lineCount(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

func TestADivisionPutsEachTripleWhereItBelongs(t *testing.T) {
	const n, share = 20_000, 0.1
	data, _ := writeData(t, n)
	d, err := divide(data, t.TempDir(), share)
	if err != nil {
		t.Fatal(err)
	}
	if base := lineCount(t, d.base); base+len(d.inserted) != n {
		t.Errorf("%d lines at first and %d inserted are not %d", base, len(d.inserted), n)
	}
	if result := lineCount(t, d.result); result+len(d.removed) != n {
		t.Errorf("%d lines in the end and %d removed are not %d", result, len(d.removed), n)
	}
	for _, drawn := range [][][]byte{d.inserted, d.removed} {
		if got := float64(len(drawn)) / n; math.Abs(got-share) > share/4 {
			t.Errorf("a share of %g instead of %g", got, share)
		}
	}
}

func TestChangedStoresAnswerAsLoadedOnes(t *testing.T) {
	data, queries := writeData(t, 3_000)
	var out strings.Builder
	s := settings{
		data: data, queries: queries, folder: t.TempDir(), shares: []float64{0, 0.2},
		repetitions: 2, budget: time.Second, log: 1 << 17, updates: 3, span: 50 * time.Millisecond, out: &out,
	}
	if err := s.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 20 % |", "| path |", "touches all 3 predicates", "| a compaction |", "| new terms |", "Opened a store with "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
}
