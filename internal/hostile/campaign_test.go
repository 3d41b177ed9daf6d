//go:build !race

package hostile_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

// TestHostileQueriesEndAtTheirLimits is a short campaign; internal/hostile/campaign runs long ones.
func TestHostileQueriesEndAtTheirLimits(t *testing.T) {
	queries := uint64(300)
	if testing.Short() {
		queries = 50
	}
	s := newSession(t)
	v := s.learn()
	for i := range queries {
		q := hostile.New(hostile.Random(4, i), v).Query()
		q.Stall = 0
		s.check(q.Shape, q)
	}
}

// FuzzHostile lets the fuzzer choose what the grammar draws: no query may meet a fault of ours or run on beyond its limit.
func FuzzHostile(f *testing.F) {
	for i := range uint64(50) {
		b := make([]byte, 64)
		for j, source := 0, hostile.Random(5, i); j < len(b); j++ {
			b[j] = byte(source.IntN(256))
		}
		f.Add(b)
	}
	store, heap := openTiny(f), watchHeap(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		q := hostile.New(hostile.Bytes(b), vocabulary).Query()
		heap.begin(q.Text())
		ended := make(chan error, 1)
		go func() { ended <- answer(store, q.Text()) }()
		select {
		case err := <-ended:
			if err != nil && strings.Contains(err.Error(), "internal fault") {
				t.Errorf("%s: %v: %s", q.Shape, err, q.Text())
			}
		case <-time.After(generous * timeLimit):
			t.Fatalf("%s: no end after %v: %s", q.Shape, generous*timeLimit, q.Text())
		}
	})
}

// answer answers a query within the limits, for nobody to read.
func answer(store *rdfgpu.Store, query string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	result, err := store.Query(ctx, query, rdfgpu.QueryOptions{Timeout: timeLimit, MaxMemory: memoryLimit})
	if err != nil {
		return err
	}
	defer result.Close()
	format := rdfgpu.JSON
	if result.Kind() == rdfgpu.Triples {
		format = rdfgpu.NTriples
	}
	_, err = result.Write(io.Discard, format)
	return err
}
