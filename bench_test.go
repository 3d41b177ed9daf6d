package rdfgpu_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// BenchmarkQuery answers queries of the Nomisma set end to end, as TSV. With RDFGPU_STORE and RDFGPU_QUERIES set it
// uses that store and that folder's .rq files instead.
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
			for b.Loop() {
				r, err := store.Query(context.Background(), string(text), rdfgpu.QueryOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := r.Write(io.Discard, rdfgpu.TSV); err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
		})
	}
}
