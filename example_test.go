package rdfgpu_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdfgpu/rdfgpu"
)

const people = `
<http://example.org/ada> <http://example.org/knows> <http://example.org/bob> .
<http://example.org/bob> <http://example.org/knows> <http://example.org/cyd> .
<http://example.org/cyd> <http://example.org/knows> <http://example.org/ada> .
<http://example.org/ada> <http://example.org/name> "Ada" .
<http://example.org/bob> <http://example.org/name> "Bob" .
`

// open loads people into a temporary store.
func open() (*rdfgpu.Store, func()) {
	dir, err := os.MkdirTemp("", "rdfgpu-example-")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "people")
	_, err = rdfgpu.Load(context.Background(), path, []string{"-"}, rdfgpu.LoadOptions{
		Format: "ntriples", Stdin: strings.NewReader(people),
	})
	if err != nil {
		log.Fatal(err)
	}
	store, err := rdfgpu.Open(path, rdfgpu.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return store, func() { store.Close(); os.RemoveAll(dir) }
}

func ExampleStore_Query() {
	store, done := open()
	defer done()
	result, err := store.Query(context.Background(),
		`SELECT ?who ?name { ?who <http://example.org/name> ?name } ORDER BY ?name`, rdfgpu.QueryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	for row, err := range result.Rows() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row[0], row[1].Value)
	}
	// Output:
	// <http://example.org/ada> Ada
	// <http://example.org/bob> Bob
}

func ExampleQueryOptions_semantics() {
	store, done := open()
	defer done()
	for _, semantics := range []rdfgpu.Semantics{rdfgpu.Homomorphism, rdfgpu.Isomorphism} {
		result, err := store.Query(context.Background(),
			`SELECT * { ?a <http://example.org/knows> ?b . ?c <http://example.org/knows> ?b }`,
			rdfgpu.QueryOptions{Semantics: semantics, CountOnly: true})
		if err != nil {
			log.Fatal(err)
		}
		n, err := result.Count()
		fmt.Println(semantics, n, err)
		result.Close()
	}
	// Output:
	// homomorphism 3 <nil>
	// isomorphism 0 <nil>
}

func ExampleResult_Batches() {
	store, done := open()
	defer done()
	result, err := store.Query(context.Background(), `SELECT ?s ?o { ?s <http://example.org/knows> ?o }`, rdfgpu.QueryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	rows := 0
	for batch, err := range result.Batches() {
		if err != nil {
			log.Fatal(err)
		}
		rows += len(batch.Cols[0]) // IDs; result.Term decodes one
	}
	fmt.Println(rows)
	// Output: 3
}

func ExampleResult_Write() {
	store, done := open()
	defer done()
	result, err := store.Query(context.Background(), `ASK { ?s <http://example.org/knows> ?s }`, rdfgpu.QueryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer result.Close()
	if _, err := result.Write(os.Stdout, rdfgpu.JSON); err != nil {
		log.Fatal(err)
	}
	// Output: {"head":{},"boolean":false}
}

func ExampleCompact() {
	dir, err := os.MkdirTemp("", "rdfgpu-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "people")
	ctx := context.Background()
	base := rdfgpu.LoadOptions{Format: "ntriples", Stdin: strings.NewReader(people)}
	if _, err := rdfgpu.Load(ctx, path, []string{"-"}, base); err != nil {
		log.Fatal(err)
	}
	more := rdfgpu.LoadOptions{Format: "ntriples", Append: true, Stdin: strings.NewReader(
		`<http://example.org/cyd> <http://example.org/name> "Cyd" .`)}
	added, err := rdfgpu.Load(ctx, path, []string{"-"}, more)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(added.Added, "added,", added.Triples, "in all,", added.Segments, "segments")
	compacted, err := rdfgpu.Compact(ctx, path, rdfgpu.LoadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(compacted.Triples, "in all,", compacted.Segments, "segment")
	// Output:
	// 1 added, 6 in all, 2 segments
	// 6 in all, 1 segment
}
