package rdfgpu_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// TestAPartOfAnAnswerIsItsBeginning, whether one thread writes it or several.
func TestAPartOfAnAnswerIsItsBeginning(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(110))
	const all = 110 * 109
	query := "PREFIX e: <http://example.org/> SELECT * { ?a e:p ?b }"
	whole, rows := written(t, store, query, func(r *rdfgpu.Result, w io.Writer) (uint64, error) { return r.Write(w, rdfgpu.TSV) })
	if rows != all {
		t.Fatalf("%d rows, expected %d", rows, all)
	}
	lines := strings.SplitAfter(whole, "\n")
	for _, send := range []uint64{0, 1, 4096, 4097, all - 1, all, all + 1} {
		part, rows := written(t, store, query, func(r *rdfgpu.Result, w io.Writer) (uint64, error) { return r.WritePart(w, rdfgpu.TSV, send) })
		if want := strings.Join(lines[:1+min(send, all)], ""); rows != all || part != want {
			t.Errorf("the first %d of %d rows: %d bytes, expected %d", send, rows, len(part), len(want))
		}
	}
	part, _ := written(t, store, query, func(r *rdfgpu.Result, w io.Writer) (uint64, error) { return r.WritePart(w, rdfgpu.JSON, 2) })
	if !strings.HasSuffix(part, "\"rows\":11990}\n") || strings.Count(part, "\"a\":") != 2 {
		t.Errorf("two rows in JSON: %s", part)
	}
	graph := "PREFIX e: <http://example.org/> CONSTRUCT WHERE { ?a e:p ?b }"
	part, rows = written(t, store, graph, func(r *rdfgpu.Result, w io.Writer) (uint64, error) { return r.WritePart(w, rdfgpu.Turtle, 1) })
	if rows != all || !strings.Contains(part, " e:p ") {
		t.Errorf("a triple of %d in Turtle: %s", rows, part)
	}
	part, _ = written(t, store, "ASK {}", func(r *rdfgpu.Result, w io.Writer) (uint64, error) { return r.WritePart(w, rdfgpu.TSV, 0) })
	if !strings.Contains(part, "true") {
		t.Errorf("a part of ASK: %q", part)
	}
}

// written is what a function writes of a query's result, and what it returns.
func written(t *testing.T, store *rdfgpu.Store, query string, write func(*rdfgpu.Result, io.Writer) (uint64, error)) (string, uint64) {
	t.Helper()
	r, err := store.Query(t.Context(), query, rdfgpu.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	rows, err := write(r, &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), rows
}
