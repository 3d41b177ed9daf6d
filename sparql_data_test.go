package rdfgpu_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// TestSPARQLOverDataSets answers the queries of testdata/sparql/SET over the data set of that name under RDFGPU_DATA and
// compares the numbers of solutions with those of other engines (testdata/sparql/README.md).
func TestSPARQLOverDataSets(t *testing.T) {
	t.Parallel()
	data := os.Getenv("RDFGPU_DATA")
	if data == "" {
		t.Skip("RDFGPU_DATA names no folder of data sets")
	}
	expected, err := filepath.Glob("testdata/sparql/*/expected.tsv")
	if err != nil || len(expected) == 0 {
		t.Fatal("no testdata/sparql/*/expected.tsv")
	}
	for _, file := range expected {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if testing.Short() && filepath.Base(dir) == "watdiv10m" {
				t.Skip("a set of eleven million triples")
			}
			input := filepath.Join(data, filepath.Base(dir), "data.nt.zst")
			if _, err := os.Stat(input); err != nil {
				t.Skipf("no %s", input)
			}
			checkCounts(t, dir, loadDataSet(t, input))
		})
	}
}

func loadDataSet(t *testing.T, input string) *rdfgpu.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := rdfgpu.Load(context.Background(), dir, []string{input}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// checkCounts answers every query of dir, twice: writing all solutions, and counting them only.
func checkCounts(t *testing.T, dir string, store *rdfgpu.Store) {
	counts := readCounts(t, filepath.Join(dir, "expected.tsv"))
	queries, err := filepath.Glob(filepath.Join(dir, "*.rq"))
	if err != nil || len(queries) != len(counts) {
		t.Errorf("%d queries and %d expected counts in %s", len(queries), len(counts), dir)
	}
	for _, file := range queries {
		name := strings.TrimSuffix(filepath.Base(file), ".rq")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		written := answer(t, store, string(text), func(r *rdfgpu.Result) (uint64, error) { return r.Write(io.Discard, rdfgpu.TSV) })
		counted := answer(t, store, string(text), (*rdfgpu.Result).Count)
		if want := counts[name]; written != want || counted != want {
			t.Errorf("%s: %d solutions written and %d counted instead of %d", name, written, counted, want)
		}
	}
}

func answer(t *testing.T, store *rdfgpu.Store, query string, read func(*rdfgpu.Result) (uint64, error)) uint64 {
	t.Helper()
	r, err := store.Query(context.Background(), query, rdfgpu.QueryOptions{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	defer r.Close()
	n, err := read(r)
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	return n
}

// readCounts reads lines of a query's name and its number of solutions.
func readCounts(t *testing.T, file string) map[string]uint64 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts := map[string]uint64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if counts[fields[0]], err = strconv.ParseUint(fields[1], 10, 64); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return counts
}
