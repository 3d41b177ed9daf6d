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
	store := openTiny(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		q := hostile.New(hostile.Bytes(b), vocabulary).Query()
		ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
		defer cancel()
		began := time.Now()
		result, err := store.Query(ctx, q.Text(), rdfgpu.QueryOptions{Timeout: timeLimit, MaxMemory: memoryLimit})
		if err == nil {
			format := rdfgpu.JSON
			if result.Kind() == rdfgpu.Triples {
				format = rdfgpu.NTriples
			}
			_, err = result.Write(io.Discard, format)
			result.Close()
		}
		if took := time.Since(began); took > generous*timeLimit {
			t.Errorf("%s took %v: %s", q.Shape, took, q.Text())
		}
		if err != nil && strings.Contains(err.Error(), "internal fault") {
			t.Errorf("%s: %v: %s", q.Shape, err, q.Text())
		}
	})
}
