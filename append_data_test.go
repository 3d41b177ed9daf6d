package rdfgpu_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/rdfgpu/rdfgpu"
)

// TestDataSetsInParts splits data sets at random and loads them part by part: the numbers of solutions are those of the
// whole. The queries are those of testdata/sparql and those beside the data, the latter in both semantics.
func TestDataSetsInParts(t *testing.T) {
	t.Parallel()
	data := os.Getenv("RDFGPU_DATA")
	if data == "" {
		t.Skip("RDFGPU_DATA names no folder of data sets")
	}
	for _, set := range []string{"lubm10", "nomisma", "watdiv1m"} {
		t.Run(set, func(t *testing.T) {
			input := filepath.Join(data, set, "data.nt.zst")
			if _, err := os.Stat(input); err != nil {
				t.Skipf("no %s", input)
			}
			store := filepath.Join(t.TempDir(), "store")
			for i, part := range split(t, input, []float64{0.7, 0.2, 0.07, 0.025, 0.0049, 0.0001}) {
				report, err := rdfgpu.Load(context.Background(), store, []string{part}, rdfgpu.LoadOptions{Append: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Log(report)
				if report.Segments != i+1 {
					t.Errorf("%d segments after part %d", report.Segments, i)
				}
			}
			if err := rdfgpu.Verify(store); err != nil {
				t.Fatal(err)
			}
			t.Run("in segments", func(t *testing.T) { checkDataSet(t, data, set, store) })
			report, err := rdfgpu.Compact(context.Background(), store, rdfgpu.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Log(report)
			t.Run("compacted", func(t *testing.T) { checkDataSet(t, data, set, store) })
		})
	}
}

func checkDataSet(t *testing.T, data, set, dir string) {
	store := openStore(t, dir)
	defer store.Close()
	if own := filepath.Join("testdata", "sparql", set); exists(own) {
		checkCounts(t, own, store)
	}
	beside := filepath.Join(data, set)
	if !exists(filepath.Join(beside, "expected.tsv")) {
		return
	}
	expected, err := os.ReadFile(filepath.Join(beside, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(expected)), "\n")[1:] {
		fields := strings.Split(line, "\t")
		query, err := os.ReadFile(filepath.Join(beside, "queries", fields[0]+".rq"))
		if err != nil {
			t.Fatal(err)
		}
		for i, semantics := range []rdfgpu.Semantics{rdfgpu.Homomorphism, rdfgpu.Isomorphism} {
			if fields[1+i] == "-" {
				continue
			}
			if n := count(t, store, string(query), rdfgpu.QueryOptions{Semantics: semantics}); fmt.Sprint(n) != fields[1+i] {
				t.Errorf("%s, %v: %d solutions instead of %s", fields[0], semantics, n, fields[1+i])
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// split distributes the lines of a file over files, at random, with given shares. Lines with blank nodes all go to the
// first: in another file they would be others.
func split(t *testing.T, input string, shares []float64) (files []string) {
	t.Helper()
	f, err := os.Open(input)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacked.Close()
	var writers []*bufio.Writer
	for i := range shares {
		name := filepath.Join(t.TempDir(), fmt.Sprintf("part%d.nt", i))
		part, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer part.Close()
		files, writers = append(files, name), append(writers, bufio.NewWriter(part))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for lines := bufio.NewScanner(unpacked); lines.Scan(); {
		x, i := r.Float64(), 0
		for blank := strings.Contains(lines.Text(), "_:"); !blank && i+1 < len(shares) && x >= shares[i]; i++ {
			x -= shares[i]
		}
		if _, err := fmt.Fprintln(writers[i], lines.Text()); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range writers {
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
