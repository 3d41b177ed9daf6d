package rdfgpu_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// BenchmarkQuery answers queries of the Nomisma set end to end, as TSV, each once before it is timed, so with plans kept and pages of the store read; beside the mean of
// the times it reports the one in the middle. With RDFGPU_STORE and RDFGPU_QUERIES set it uses that store and that folder's .rq files instead.
func BenchmarkQuery(b *testing.B) {
	dir, queries := os.Getenv("RDFGPU_STORE"), os.Getenv("RDFGPU_QUERIES")
	if dir == "" {
		dir, queries = filepath.Join(b.TempDir(), "nomisma"), "testdata/nomisma/queries"
		_, err := rdfgpu.Load(context.Background(), dir, []string{"testdata/nomisma/nomisma.nt.zst"}, rdfgpu.LoadOptions{})
		if err != nil {
			b.Fatal(err)
		}
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	files, err := filepath.Glob(filepath.Join(queries, "*.rq"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no queries in %s", queries)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(filepath.Base(file), func(b *testing.B) {
			answer := func() {
				r, err := store.Query(context.Background(), string(text), rdfgpu.QueryOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := r.Write(io.Discard, rdfgpu.TSV); err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
			answer()
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				answer()
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "median-ns")
		})
	}
}

// BenchmarkFormats writes the same rows (some 1.5 million of four columns of the Nomisma set, or of RDFGPU_STORE) in several
// formats.
func BenchmarkFormats(b *testing.B) {
	dir := os.Getenv("RDFGPU_STORE")
	if dir == "" {
		dir = filepath.Join(b.TempDir(), "nomisma")
		if _, err := rdfgpu.Load(context.Background(), dir, []string{"testdata/nomisma/nomisma.nt.zst"}, rdfgpu.LoadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	for _, format := range []rdfgpu.Format{rdfgpu.TSV, rdfgpu.Arrow, rdfgpu.JSON} {
		b.Run(string(format), func(b *testing.B) {
			rows := uint64(0)
			for b.Loop() {
				r, err := store.Query(context.Background(), "SELECT * { ?s ?p ?o ; a ?c }", rdfgpu.QueryOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if rows, err = r.Write(io.Discard, format); err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
			b.ReportMetric(float64(rows), "rows")
		})
	}
}

// planned are queries of lubm1 with more than one pattern to plan.
var planned = []string{
	"SELECT * { ?x a ub:GraduateStudent ; ub:memberOf ?d OPTIONAL { ?x ub:advisor ?a OPTIONAL { ?a ub:teacherOf ?c } } OPTIONAL { ?x ub:emailAddress ?e } }",
	"SELECT * { { ?x ub:advisor ?a . ?a ub:worksFor ?d . ?x ub:takesCourse ?c } UNION { ?x ub:advisor ?a . ?a ub:worksFor ?d . ?d ub:subOrganizationOf ?u } }",
	"SELECT * { ?x ub:worksFor ?d FILTER NOT EXISTS { ?x ub:teacherOf ?c . ?y ub:takesCourse ?c } MINUS { ?x ub:headOf ?d } }",
	"SELECT * { ?x ub:worksFor ?d FILTER EXISTS { { SELECT ?x (COUNT(*) AS ?n) { ?x ub:teacherOf ?c } GROUP BY ?x } FILTER(?n > 1) } }",
	"SELECT ?d (COUNT(*) AS ?n) { ?x ub:memberOf ?d . ?x ub:takesCourse ?c . ?c ^ub:teacherOf ?t FILTER(REGEX(STR(?d), '3')) } GROUP BY ?d ORDER BY DESC(?n) LIMIT 5",
	"SELECT * { { SELECT ?d (COUNT(*) AS ?n) { ?x ub:memberOf ?d } GROUP BY ?d } ?d ub:subOrganizationOf+ ?u . ?y ub:worksFor ?d VALUES ?u { <http://www.University0.edu> } }",
	"SELECT DISTINCT ?x { ?x ub:advisor ?a . ?y ub:advisor ?b BIND(STR(?a) AS ?s) FILTER(?s < 'x' && ?x != ?y) }",
}

// BenchmarkPlan plans the queries of a set, without running them; one operation is all of them. It needs RDFGPU_DATA.
func BenchmarkPlan(b *testing.B) {
	data := os.Getenv("RDFGPU_DATA")
	if data == "" {
		b.Skip("RDFGPU_DATA names no folder of data sets")
	}
	for _, set := range []string{"watdiv1m", "lubm1"} {
		var texts []string
		files, _ := filepath.Glob(filepath.Join(data, set, "queries", "*.rq"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		store := loaded(b, filepath.Join(data, set, "data.nt.zst"))
		b.Run(set, func(b *testing.B) { benchmarkPlan(b, store, texts) })
		if set != "lubm1" {
			continue
		}
		for i, text := range planned {
			text = "PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#> " + text
			b.Run(fmt.Sprintf("shape%d", i), func(b *testing.B) { benchmarkPlan(b, store, []string{text}) })
		}
	}
}

func benchmarkPlan(b *testing.B, store *rdfgpu.Store, texts []string) {
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			r, err := store.Query(context.Background(), text, rdfgpu.QueryOptions{})
			if err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	}
}

// loaded is a store of one file, closed with the benchmark.
func loaded(b *testing.B, file string) *rdfgpu.Store {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "store")
	if _, err := rdfgpu.Load(context.Background(), dir, []string{file}, rdfgpu.LoadOptions{}); err != nil {
		b.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	return store
}
