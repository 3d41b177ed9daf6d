package rdfgpu_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// ofManyGraphs are queries that each ask something of all of very many graphs.
var ofManyGraphs = []struct{ name, text string }{
	{"two patterns", "SELECT ?g ?s ?o { GRAPH ?g { ?s <http://e/p1> ?o . ?s <http://e/p2> ?x } }"},
	{"count", "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"},
	{"count by graph", "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY DESC(?n) LIMIT 10"},
	{"optional", "SELECT ?g ?s ?o { GRAPH ?g { ?s <http://e/p1> ?o OPTIONAL { ?s <http://e/p2> ?x } } }"},
	{"filter", "SELECT ?g ?s ?o { GRAPH ?g { ?s <http://e/p1> ?o FILTER(STRENDS(STR(?o), \"77\")) } }"},
	{"names", "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }"},
	{"by object", "SELECT * { GRAPH ?g { ?s ?p <http://e/o77> } }"},
	{"graphs with", "SELECT * { GRAPH ?g { ?s <http://e/p1> <http://e/o77> } GRAPH ?g { ?x ?p ?o } }"},
	{"graph to graph", "SELECT ?h ?y ?z { GRAPH <http://e/g50> { ?x ?p ?y } GRAPH ?h { ?z ?q ?y } }"},
	{"minus", "SELECT ?g ?s ?o { GRAPH ?g { ?s <http://e/p1> ?o MINUS { ?s <http://e/p2> ?x } } }"},
	{"not exists", "SELECT ?g ?s ?o { GRAPH ?g { ?s <http://e/p1> ?o FILTER NOT EXISTS { ?s <http://e/p2> ?x } } }"},
	{"path", "SELECT ?g ?s ?o { GRAPH ?g { ?s <http://e/p1>+ ?o } }"},
	{"path of any length", "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s <http://e/p1>* ?o } }"},
	{"path to object", "SELECT * { GRAPH ?g { ?s (<http://e/p1>|<http://e/p2>)+ <http://e/o77> } }"},
	{"objects", "SELECT * { VALUES ?o { <http://e/o77> <http://e/o78> } GRAPH ?g { ?s ?p ?o } }"},
	{"limit", "SELECT * { GRAPH ?g { ?s ?p ?o } } LIMIT 10"},
}

// writeManyGraphs writes graphs of ten triples of three subjects each as N-Quads.
func writeManyGraphs(path string, graphs int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w, r := bufio.NewWriter(f), rand.New(rand.NewPCG(1, 2))
	for g := range graphs {
		for k := range 10 {
			fmt.Fprintf(w, "<http://e/s%d_%d> <http://e/p%d> <http://e/o%d> <http://e/g%d> .\n", g, k%3, r.IntN(8), r.IntN(5*graphs/2), g)
		}
	}
	return w.Flush()
}

// BenchmarkManyGraphs loads and asks a store of very many small graphs: RDFGPU_GRAPHS of them, 20,000 without. RDFGPU_KEEP names a folder in which the N-Quads and the queries
// stay, for other engines.
func BenchmarkManyGraphs(b *testing.B) {
	graphs := 20_000
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_GRAPHS")); err == nil {
		graphs = n
	}
	keep := os.Getenv("RDFGPU_KEEP")
	if keep == "" {
		keep = b.TempDir()
	}
	quads, dir := filepath.Join(keep, "graphs.nq"), filepath.Join(b.TempDir(), "store")
	if err := writeManyGraphs(quads, graphs); err != nil {
		b.Fatal(err)
	}
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			if _, err := rdfgpu.Load(context.Background(), dir, []string{quads}, rdfgpu.LoadOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	var store *rdfgpu.Store
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			if store != nil {
				store.Close()
			}
			var err error
			if store, err = rdfgpu.Open(dir, rdfgpu.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	defer store.Close()
	for _, q := range ofManyGraphs {
		if err := os.WriteFile(filepath.Join(keep, q.name+".rq"), []byte(q.text), 0o644); err != nil {
			b.Fatal(err)
		}
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				r, err := store.Query(context.Background(), q.text, rdfgpu.QueryOptions{Device: rdfgpu.CPU})
				if err == nil {
					_, err = r.Write(io.Discard, rdfgpu.TSV)
				}
				if err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
		})
	}
}
