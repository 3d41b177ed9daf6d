package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/parser"
)

// TestQueriesOfASmallStoreAreAnswered: every kind of query is written for data that have all that the kinds name, and each of them is a query.
func TestQueriesOfASmallStoreAreAnswered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, store, out := filepath.Join(dir, "data.ttl"), filepath.Join(dir, "store"), filepath.Join(dir, "out")
	if err := os.WriteFile(data, []byte(small()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rdfgpu.Load(t.Context(), store, []string{data}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := rdfgpu.Open(store, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		result, err := s.Query(r.Context(), r.FormValue("query"), rdfgpu.QueryOptions{})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		defer result.Close()
		_, _ = result.Write(w, rdfgpu.CSV)
	}))
	defer server.Close()
	n, err := write(server.URL, out)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Count(kinds, "\t"); n != want {
		t.Errorf("%d queries, and there are %d kinds", n, want)
	}
	files, _ := filepath.Glob(filepath.Join(out, "*.rq"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(string(text), parser.Options{}); err != nil {
			t.Errorf("%s: %v\n%s", filepath.Base(file), err, text)
		}
	}
}

// TestAnErrorOfTheEndpointEndsTheChoice: what it says is told.
func TestAnErrorOfTheEndpointEndsTheChoice(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "not today", http.StatusTeapot) }))
	defer server.Close()
	if _, err := write(server.URL, t.TempDir()); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("error %v", err)
	}
}

// small is a graph of people who know each other, with names, ages, birthdays and some rare predicates.
func small() string {
	var b strings.Builder
	b.WriteString("@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
	for i := range 1200 {
		fmt.Fprintf(&b, ":p%d :knows :p%d, :p%d ; :likes :p%d ; :age %d ; :name \"Person %c\" ; :born \"1990-0%d-01\"^^xsd:date .\n",
			i, i*7%1200, (i+1)%1200, i*5%1200, i%50, 'a'+i%26, 1+i%9)
		if i%100 == 0 {
			for k := range 6 {
				fmt.Fprintf(&b, ":p%d :r%d :p%d, :p%d .\n", i, k, (i+100)%1200, i+2)
			}
		}
	}
	return b.String()
}
