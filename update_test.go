package rdfgpu_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// newWritable opens a store of some Turtle for writing.
func newWritable(t testing.TB, turtle string, options rdfgpu.Options) *rdfgpu.Store {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "data.trig")
	if err := os.WriteFile(path, []byte(turtle), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "store")
	if _, err := rdfgpu.Load(context.Background(), folder, []string{path}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	options.Writable = true
	s, err := rdfgpu.Open(folder, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// asked is the answer of a query as TSV.
func asked(t testing.TB, s *rdfgpu.Store, query string) string {
	t.Helper()
	r, err := s.Query(context.Background(), "PREFIX : <http://e/> "+query, rdfgpu.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b strings.Builder
	if _, err := r.Write(&b, rdfgpu.TSV); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func updated(t testing.TB, s *rdfgpu.Store, text string) rdfgpu.UpdateReport {
	t.Helper()
	report, err := s.Update(context.Background(), "PREFIX : <http://e/> "+text, rdfgpu.UpdateOptions{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return report
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	s := newWritable(t, `@prefix : <http://e/> . :a :p :b ; :n 1 . :b :p :c . :g { :a :q 5 }`, rdfgpu.Options{})
	r := updated(t, s, `INSERT DATA { :a :p :d , :b ; :n 2.5 GRAPH :g { :x :q "y"@en } GRAPH :h { _:b :q _:b } }`)
	if r.Sequence != 1 || r.Added != 4 || r.Removed != 0 || len(r.Graphs) != 3 {
		t.Errorf("%+v", r)
	}
	if got := asked(t, s, `SELECT ?o { :a :p ?o } ORDER BY ?o`); got != "?o\n<http://e/b>\n<http://e/d>\n" {
		t.Error(got)
	}
	if got := asked(t, s, `SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }`); got != "?n\n3\n" {
		t.Error(got)
	}
	if got := asked(t, s, `SELECT (SUM(?n) AS ?sum) { ?s :n ?n FILTER(?n > 0.5) }`); got != "?sum\n3.5\n" {
		t.Error(got)
	}
	r = updated(t, s, `DELETE { ?s :p ?o } INSERT { ?o :r ?s . ?s :made [] } WHERE { ?s :p ?o FILTER(?o != :b) }`)
	if r.Added != 4 || r.Removed != 2 {
		t.Errorf("%+v", r)
	}
	if got := asked(t, s, `SELECT ?s ?o { ?s :r ?o } ORDER BY ?s`); got != "?s\t?o\n<http://e/c>\t<http://e/b>\n<http://e/d>\t<http://e/a>\n" {
		t.Error(got)
	}
	r = updated(t, s, `COPY :g TO :k ; DROP GRAPH :g ; INSERT { GRAPH :k { :new :sum ?n } } WHERE { SELECT (COUNT(*) AS ?n) { GRAPH :k { ?s ?p ?o } } }`)
	if r.Added != 3 || r.Removed != 2 {
		t.Errorf("%+v", r)
	}
	if got := asked(t, s, `SELECT ?g ?n { GRAPH ?g { :new :sum ?n } }`); got != "?g\t?n\n<http://e/k>\t2\n" {
		t.Error(got)
	}
	if _, err := s.Update(context.Background(), "DROP GRAPH <http://e/none>", rdfgpu.UpdateOptions{}); !errors.Is(err, rdfgpu.ErrNoGraph) {
		t.Error(err)
	}
	before := asked(t, s, `SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o`)
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := asked(t, s, `SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o`); got != before {
		t.Errorf("after a flush:\n%s\nbefore:\n%s", got, before)
	}
	three := uint64(3)
	if _, err := s.Update(context.Background(), "CLEAR ALL", rdfgpu.UpdateOptions{IfSequence: &three, DryRun: true}); err != nil {
		t.Error(err)
	}
	two := uint64(2)
	if _, err := s.Update(context.Background(), "CLEAR ALL", rdfgpu.UpdateOptions{IfSequence: &two}); !errors.Is(err, rdfgpu.ErrConflict) {
		t.Error(err)
	}
	if got := asked(t, s, `SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o`); got != before {
		t.Errorf("after a dry run:\n%s\nbefore:\n%s", got, before)
	}
}

func TestAppendAndCompactAfterUpdates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	more := filepath.Join(dir, "more.ttl")
	if err := os.WriteFile(more, []byte(`<http://e/a> <http://e/p> <http://e/added>, <http://e/loaded> .`), 0o600); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(dir, "first.ttl")
	if err := os.WriteFile(first, []byte(`<http://e/a> <http://e/p> <http://e/gone>, <http://e/b> .`), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "store")
	ctx := context.Background()
	if _, err := rdfgpu.Load(ctx, folder, []string{first}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	with := func(options rdfgpu.Options, do func(s *rdfgpu.Store)) {
		s, err := rdfgpu.Open(folder, options)
		if err != nil {
			t.Fatal(err)
		}
		do(s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	with(rdfgpu.Options{Writable: true}, func(s *rdfgpu.Store) {
		updated(t, s, `DELETE DATA { :a :p :gone } ; INSERT DATA { :a :p :added }`)
		if _, err := rdfgpu.Load(ctx, folder, []string{more}, rdfgpu.LoadOptions{Append: true}); !errors.Is(err, rdfgpu.ErrBusy) {
			t.Errorf("a store that is open for writing was added to: %v", err)
		}
	})
	if _, err := rdfgpu.Load(ctx, folder, []string{more}, rdfgpu.LoadOptions{Append: true}); err != nil {
		t.Fatal(err)
	}
	want := "?o\n<http://e/added>\n<http://e/b>\n<http://e/loaded>\n"
	check := func(s *rdfgpu.Store) {
		if got := asked(t, s, `SELECT ?o { :a :p ?o } ORDER BY ?o`); got != want || s.Sequence() != 1 {
			t.Errorf("%s at %d", got, s.Sequence())
		}
	}
	with(rdfgpu.Options{}, check)
	if _, err := rdfgpu.Compact(ctx, folder, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	with(rdfgpu.Options{}, check)
	with(rdfgpu.Options{Writable: true}, func(s *rdfgpu.Store) {
		updated(t, s, `DELETE WHERE { :a :p :b }`)
		want, _ = "?o\n<http://e/added>\n<http://e/loaded>\n", check
		if got := asked(t, s, `SELECT ?o { :a :p ?o } ORDER BY ?o`); got != want || s.Sequence() != 2 {
			t.Errorf("%s at %d", got, s.Sequence())
		}
	})
	if err := rdfgpu.Verify(folder); err != nil {
		t.Error(err)
	}
	if _, err := rdfgpu.Load(ctx, folder, []string{first}, rdfgpu.LoadOptions{}); err != nil { // replaces it, log and all
		t.Fatal(err)
	}
	with(rdfgpu.Options{Writable: true}, func(s *rdfgpu.Store) {
		if got := asked(t, s, `SELECT ?o { :a :p ?o } ORDER BY ?o`); got != "?o\n<http://e/b>\n<http://e/gone>\n" || s.Sequence() != 0 {
			t.Errorf("%s at %d", got, s.Sequence())
		}
	})
}

// TestOperationsOnDataSeeThoseBeforeThem: several DELETE DATA and INSERT DATA in one request are done together where that is the
// same, and only there.
func TestOperationsOnDataSeeThoseBeforeThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, left     string
		added, removed uint64
	}{
		{`DELETE DATA { :a :p 1 } ; INSERT DATA { :a :p 1 , 3 }`, "1 2 3", 1, 0},
		{`DELETE DATA { :a :p 1 } ; DELETE DATA { :a :p 2 } ; INSERT DATA { :a :p 2 } ; INSERT DATA { :a :p 3 , 3 }`, "2 3", 1, 1},
		{`INSERT DATA { :a :p 3 } ; DELETE DATA { :a :p 3 , 1 }`, "2", 0, 1},
		{`INSERT DATA { :a :p 3 } ; DELETE DATA { :a :p 3 , 1 } ; INSERT DATA { :a :p 4 } ; DELETE DATA { :a :p 4 } ; INSERT DATA { :a :p 1 }`, "1 2", 0, 0},
		{`DELETE DATA { :a :p 1 } ; INSERT { :a :p ?next } WHERE { SELECT (MAX(?n) + 7 AS ?next) { :a :p ?n } } ; DELETE DATA { :a :p 2 }`, "9", 1, 2},
		{`DELETE DATA { GRAPH :g { :a :p 1 } } ; INSERT DATA { GRAPH :h { :a :p 1 } :a :p 3 }`, "1 2 3", 2, 1},
	} {
		s := newWritable(t, `@prefix : <http://e/> . :a :p 1 , 2 . :g { :a :p 1 , 2 }`, rdfgpu.Options{Durability: rdfgpu.Unsynced})
		r := updated(t, s, c.text)
		if r.Added != c.added || r.Removed != c.removed {
			t.Errorf("%s: %+v", c.text, r)
		}
		if got := asked(t, s, `SELECT ?n { :a :p ?n } ORDER BY ?n`); got != "?n\n"+strings.ReplaceAll(c.left, " ", "\n")+"\n" {
			t.Errorf("%s: %s", c.text, got)
		}
	}
	s := newWritable(t, `<http://e/a> <http://e/p> 1 .`, rdfgpu.Options{Durability: rdfgpu.Unsynced})
	updated(t, s, `INSERT DATA { _:b :q 1 } ; INSERT DATA { _:c :q 1 }`)
	if got := asked(t, s, `SELECT (COUNT(?s) AS ?n) { ?s :q 1 }`); got != "?n\n2\n" {
		t.Error("blank nodes of two operations:", got)
	}
}

// TestCompactionOfAnOpenStore goes on beside the store's readers, and takes all that was committed.
func TestCompactionOfAnOpenStore(t *testing.T) {
	t.Parallel()
	s := newWritable(t, `@prefix : <http://e/> . :a :p 1 , 2 .`, rdfgpu.Options{Durability: rdfgpu.Unsynced})
	for _, text := range []string{`INSERT DATA { :a :p 3 }`, `DELETE DATA { :a :p 1 }`, `INSERT DATA { :b :p "new" }`} {
		updated(t, s, text)
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := asked(t, s, `SELECT ?n { ?s :p ?n } ORDER BY ?n`); got != "?n\n2\n3\n\"new\"\n" {
		t.Error(got)
	}
	if live, _ := s.Live(); live.Compactions != 3 || live.Added+live.Removed != 0 {
		t.Errorf("%+v", live)
	}
}

func TestDurabilityIsReadAsCommandsSayIt(t *testing.T) {
	for _, c := range []struct {
		text  string
		when  rdfgpu.Durability
		every time.Duration
	}{{"sync", rdfgpu.Synced, 0}, {"none", rdfgpu.Unsynced, 0}, {"group", rdfgpu.Grouped, 0}, {"group=300us", rdfgpu.Grouped, 300 * time.Microsecond}} {
		if when, every, err := rdfgpu.ParseDurability(c.text); err != nil || when != c.when || every != c.every {
			t.Errorf("%s: %v, %v, %v", c.text, when, every, err)
		}
	}
	for _, text := range []string{"", "soon", "sync=1s", "none=1s", "group=", "group=0s", "group=-1s", "group=5", "grouped"} {
		if _, _, err := rdfgpu.ParseDurability(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
