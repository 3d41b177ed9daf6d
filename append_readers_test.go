package rdfgpu_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// TestReadersKeepTheStoreThatTheyOpened appends to an open store and compacts it.
func TestReadersKeepTheStoreThatTheyOpened(t *testing.T) {
	t.Parallel()
	const graphs = 300 // more than are opened at once
	var base strings.Builder
	for i := range graphs {
		fmt.Fprintf(&base, "<http://e/s%d> <http://e/p> <http://e/o> <http://e/g%d> .\n<http://e/s%d> <http://e/p> \"%d\" .\n", i, i, i, i)
	}
	dir := filepath.Join(t.TempDir(), "store")
	loadParts(t, dir, false, base.String())
	const all, inGraphs = `SELECT * { ?s <http://e/p> ?o }`, `SELECT * { GRAPH ?g { ?s ?p ?o } }`
	check := func(store *rdfgpu.Store, triples, named uint64) {
		t.Helper()
		if n := count(t, store, all, rdfgpu.QueryOptions{}); n != triples {
			t.Errorf("%d triples instead of %d", n, triples)
		}
		if n := count(t, store, inGraphs, rdfgpu.QueryOptions{}); n != named {
			t.Errorf("%d triples in graphs instead of %d", n, named)
		}
	}
	first := openStore(t, dir)
	defer first.Close()
	for i := range 3 {
		loadParts(t, dir, true, fmt.Sprintf("<http://e/new%d> <http://e/p> <http://e/o> .\n<http://e/new%d> <http://e/p> <http://e/o> <http://e/g7> .\n", i, i))
		check(first, graphs, graphs)
		second := openStore(t, dir)
		check(second, graphs+1+uint64(i), graphs+1+uint64(i))
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
	}
	late := openStore(t, dir)
	defer late.Close()
	if _, err := rdfgpu.Compact(context.Background(), dir, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	check(first, graphs, graphs)
	if n := count(t, late, all, rdfgpu.QueryOptions{}); n != graphs+3 {
		t.Errorf("%d triples", n)
	}
	// late has not opened its named graphs, whose files are gone.
	result, err := late.Query(context.Background(), inGraphs, rdfgpu.QueryOptions{})
	if err == nil {
		_, err = result.Count()
		result.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "the store was replaced since it was opened") {
		t.Errorf("got %v", err)
	}
	third := openStore(t, dir)
	defer third.Close()
	check(third, graphs+3, graphs+3)
}

// TestOpenDuringAppendsAndCompactions opens a store again and again while it changes: it is always one of its states.
func TestOpenDuringAppendsAndCompactions(t *testing.T) {
	t.Parallel()
	const base, adds = 400, 40
	dir := filepath.Join(t.TempDir(), "store")
	line := func(i int) string { return fmt.Sprintf("<http://e/s%d> <http://e/p> <http://e/o%d> .\n", i, i%7) }
	var text strings.Builder
	for i := range base {
		text.WriteString(line(i))
	}
	loadParts(t, dir, false, text.String())
	done := make(chan error, 1)
	go func() {
		for i := range adds {
			options := rdfgpu.LoadOptions{Format: "ntriples", Append: true, Stdin: strings.NewReader(line(base + i))}
			if _, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, options); err != nil {
				done <- err
				return
			}
			if i%8 == 7 {
				if _, err := rdfgpu.Compact(context.Background(), dir, rdfgpu.LoadOptions{}); err != nil {
					done <- err
					return
				}
			}
		}
		done <- nil
	}()
	last, opened := uint64(base), 0
	for running := true; running; opened++ {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
		store := openStore(t, dir)
		n := count(t, store, `SELECT * { ?s <http://e/p> ?o }`, rdfgpu.QueryOptions{})
		if n < last || n > base+adds || !running && n != base+adds {
			t.Fatalf("%d triples after %d", n, last)
		}
		last = n
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("opened %d times", opened)
}
