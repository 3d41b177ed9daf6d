package rdfgpu_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

// lateBy is how much after its limit a query may end in tests: a machine may be busy, and the aim is a tenth of a second.
const lateBy = 10 * time.Second

// TestEveryQueryEndsAtItsLimit is serial: it measures how soon queries end, which take all the machine has.
func TestEveryQueryEndsAtItsLimit(t *testing.T) {
	for _, asked := range hostileStores(t) {
		for _, kept := range hostile.Kept(hostile.EndsInTime) {
			t.Run(asked.name+"/"+kept.Name, func(t *testing.T) {
				began := time.Now()
				err := drain(t.Context(), asked.store, asked.prologue+kept.Query, rdfgpu.QueryOptions{Timeout: 100 * time.Millisecond})
				took := time.Since(began)
				t.Logf("%.0f ms after its limit: %.80v", float64(took-100*time.Millisecond)/1e6, err)
				if took > 100*time.Millisecond+lateBy {
					t.Errorf("ended %v after its beginning", took)
				}
				if took > 100*time.Millisecond && err != nil && !errors.Is(err, rdfgpu.ErrTimeout) && !errors.Is(err, rdfgpu.ErrMemoryLimit) && !errors.Is(err, rdfgpu.ErrUnsupported) {
					t.Errorf("ended with %v", err)
				}
			})
		}
	}
}

// TestEveryQueryEndsWithItsClient: what ends a query's context ends the query.
//
// Serial: it measures how soon queries end, which take all the machine has.
func TestEveryQueryEndsWithItsClient(t *testing.T) {
	tiny := tinyStore(t)
	gone := errors.New("gone")
	stages := []string{"parsing groups", "planning many patterns", "a regular expression", "sorting", "products"}
	asked := 0
	for _, kept := range hostile.Kept(hostile.EndsInTime) {
		if !slices.Contains(stages, kept.Name) {
			continue
		}
		asked++
		ctx, leave := context.WithCancelCause(t.Context())
		time.AfterFunc(50*time.Millisecond, func() { leave(gone) })
		began := time.Now()
		err := drain(ctx, tiny.store, tiny.prologue+kept.Query, rdfgpu.QueryOptions{})
		if took := time.Since(began); took > lateBy || took > time.Second && !errors.Is(err, gone) {
			t.Errorf("%s: ended with %v after %v", kept.Name, err, took)
		}
	}
	if asked != len(stages) {
		t.Errorf("asked %d of %v", asked, stages)
	}
}

// drain writes the whole answer of a query.
func drain(ctx context.Context, store *rdfgpu.Store, text string, options rdfgpu.QueryOptions) error {
	result, err := store.Query(ctx, text, options)
	if err != nil {
		return err
	}
	defer result.Close()
	format := rdfgpu.TSV
	if result.Kind() == rdfgpu.Triples {
		format = rdfgpu.NTriples
	}
	_, err = result.Write(io.Discard, format)
	return err
}

// hostileStore is a store that hostile queries are asked.
type hostileStore struct {
	name     string
	store    *rdfgpu.Store
	prologue string
}

// hostileStores are a store of a few triples and one of many; the latter not in short tests.
func hostileStores(t *testing.T) []hostileStore {
	if testing.Short() {
		return []hostileStore{tinyStore(t)}
	}
	return []hostileStore{tinyStore(t), largeStore(t)}
}

func tinyStore(t *testing.T) hostileStore {
	const predicate = "http://example.org/p"
	return hostileStore{"tiny", load(t, "ntriples", complete(3)), hostile.Prologue(predicate, predicate)}
}

// largeStore is an R-MAT graph of a million edges, whose largest hubs have thousands.
func largeStore(t *testing.T) hostileStore {
	graph, err := generate.RMAT(17, 1_000_000, 0, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "graph.nt")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := graph.WriteNTriples(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{file}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	const predicate = "http://example.org/graph/p0"
	return hostileStore{"large", store, hostile.Prologue(predicate, predicate)}
}
