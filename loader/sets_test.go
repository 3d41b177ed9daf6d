package loader

import (
	"context"
	"io"
	"sync/atomic"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestLoadedSetsHoldWhatTheirFilesSay compares real files, read by Read, with the stores that Load makes of them: by
// the number of triples and the sum of their hashes.
func TestLoadedSetsHoldWhatTheirFilesSay(t *testing.T) {
	t.Parallel()
	for set, triples := range map[string]uint64{"lubm1": 100_543, "nomisma": 757_143, "debian12": 1_440_574} {
		t.Run(set, func(t *testing.T) {
			path := dataFile(t, set)
			if testing.Short() && triples > 200_000 {
				t.Skip("short")
			}
			dir := t.TempDir()
			report, err := Load(context.Background(), dir, []Input{{Name: path}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if report.Read != triples || report.Triples != triples {
				t.Errorf("%d read, %d kept, expected %d", report.Read, report.Triples, triples)
			}
			if got, want := storeSum(t, dir), fileSum(t, path); got != want {
				t.Errorf("the store sums up to %x, the file to %x", got, want)
			}
			t.Logf("%.1f bytes a triple, %v", float64(report.StoreBytes)/float64(triples), report.Phases)
		})
	}
}

func fileSum(t *testing.T, path string) (sum uint64) {
	t.Helper()
	sources, err := prepare([]Input{{Name: path}})
	if err != nil {
		t.Fatal(err)
	}
	var r io.ReadCloser
	if r, err = sources[0].open(t.Context(), new(atomic.Int64)); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var line []byte
	err = Read(r, NTriples, "", func(q Quad) error {
		line = line[:0]
		for _, term := range []rdf.Term{q.Subject, q.Predicate, q.Object} {
			line = append(rdf.AppendNTriples(line, term), ' ')
		}
		sum += xxh3.Hash(line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func storeSum(t *testing.T, dir string) (sum uint64) {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var subject, line []byte
	for l := range s.Default.Labels() {
		for v, list := range s.Default.Partition(pcsr.Label(l), pcsr.Out).Lists() {
			subject = append(s.Dictionary.AppendNTriples(subject[:0], v), ' ')
			subject = append(s.Dictionary.AppendNTriples(subject, dictionary.ID(l)), ' ')
			for _, w := range list {
				line = append(s.Dictionary.AppendNTriples(append(line[:0], subject...), w), ' ')
				sum += xxh3.Hash(line)
			}
		}
	}
	return sum
}
