package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newStoreServer serves a real store of some thousand triples.
func newStoreServer(t *testing.T) *Server {
	t.Helper()
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p%d> <http://e/o%d> .\n<http://e/s%d> <http://e/name> \"name %d\" .\n", i, i%7, i%100, i, i)
	}
	path := filepath.Join(t.TempDir(), "data.nt")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return serveFile(t, path).(*Server)
}

// TestARealQueryStopsWhenItsClientHangsUp is serial: it measures how soon a query ends.
func TestARealQueryStopsWhenItsClientHangsUp(t *testing.T) {
	s := newStoreServer(t)
	server := listen(t, s)
	queries := map[string]string{
		"that sends rows":   "SELECT * WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }",
		"that only counts":  `SELECT (COUNT(*) AS ?n) WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER (STR(?b) < STR(?d)) }`,
		"that sorts":        "SELECT * WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f } ORDER BY ?b ?d",
		"that groups":       "SELECT ?b (COUNT(DISTINCT ?d) AS ?n) WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f } GROUP BY ?b",
		"that walks a path": "SELECT (COUNT(*) AS ?n) WHERE { ?a (!<http://x>)* ?b . ?c (!<http://x>)* ?d . ?e ?r ?f FILTER(?a < ?d) }",
	}
	for name, query := range queries {
		t.Run(name, func(t *testing.T) {
			ctx, hangUp := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer hangUp()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/sparql?query="+url.QueryEscape(query), nil)
			if err != nil {
				t.Fatal(err)
			}
			if response, err := http.DefaultClient.Do(request); err == nil {
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			if ctx.Err() == nil {
				t.Fatal("the query ended by itself")
			}
			waitFor(t, 100*time.Millisecond, func() bool { return s.queries.len() == 0 })
		})
	}
}

// TestHostileQueriesAreRefusedOrLimited is serial: some of its queries must be answered within their limit.
func TestHostileQueriesAreRefusedOrLimited(t *testing.T) {
	s := newStoreServer(t)
	var list strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&list, ",\"x%d\"", i)
	}
	cases := []struct {
		name, query string
		status      int
	}{
		{"a cartesian product", "SELECT (COUNT(*) AS ?n) WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER (STR(?b) < STR(?d) && STR(?d) < STR(?f)) }", 504},
		{"deep nesting", "SELECT * WHERE " + strings.Repeat("{", 100_000) + strings.Repeat("}", 100_000), 400},
		{"brackets in an expression", "SELECT (" + strings.Repeat("(", 400_000) + "1", 400},
		{"a long IN list", `SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o FILTER (?o IN ("y"` + list.String() + ")) }", 200},
		{"a regular expression that explodes elsewhere", `SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o FILTER REGEX(STR(?o), "(a+)+$") }`, 200},
		{"a long query", "SELECT * WHERE { ?s ?p \"" + strings.Repeat("x", 3<<20) + "\" }", 400},
		{"another server", "SELECT * WHERE { SERVICE <http://169.254.169.254/> { ?s ?p ?o } }", 501},
		{"a file", "SELECT * FROM <file:///etc/passwd> WHERE { ?s ?p ?o }", 200},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			w := do(s, "POST", "/sparql?timeout=2s", c.query, "Content-Type: application/sparql-query")
			if w.Code != c.status || strings.Contains(w.Body.String(), "root:") {
				t.Errorf("%d %.300s, want %d", w.Code, w.Body, c.status)
			}
			if spent := time.Since(start); spent > 20*time.Second {
				t.Errorf("it took %s", spent)
			}
		})
	}
}

func TestRowsWithoutColumnsAreNoParquet(t *testing.T) {
	t.Parallel()
	s := newStoreServer(t)
	w := do(s, "GET", "/sparql?query="+url.QueryEscape("SELECT * { <http://e/a> <http://e/p> <http://e/b> }"), "", "Accept: application/vnd.apache.parquet")
	if w.Code != http.StatusNotAcceptable || !strings.Contains(w.Body.String(), "select a variable") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
