package rdfgpu_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu"
)

// contentsOf is what a snapshot has, sorted.
func contentsOf(t rapid.TB, s *rdfgpu.Snapshot) string {
	r, err := s.Query(context.Background(), `SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }`, rdfgpu.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b strings.Builder
	if _, err := r.Write(&b, rdfgpu.TSV); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestAStoreAsItWas: whatever is updated, flushed and compacted, the state after each commit that the log goes back to is the one that
// readers saw then, and a snapshot stays as it is.
func TestAStoreAsItWas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		e := copyInto(t, nil, 0)
		defer e.store.Close()
		at := func(sequence uint64) (*rdfgpu.Snapshot, error) { return e.store.At(sequence) }
		var seen []string // by sequence
		kept := uint64(0) // from where on the log has all commits
		var held []*rdfgpu.Snapshot
		defer func() {
			for _, s := range held {
				s.Close()
			}
		}()
		check := func(s *rdfgpu.Snapshot, request string) {
			if got := contentsOf(r, s); got != seen[s.Sequence()] {
				r.Fatalf("%s: commit %d had\n%s\nand not\n%s", request, s.Sequence(), seen[s.Sequence()], got)
			}
		}
		note := func() {
			now, err := at(e.store.Sequence())
			if err != nil {
				r.Fatal(err)
			}
			if now.Sequence() == uint64(len(seen)) {
				seen = append(seen, contentsOf(r, now))
			}
			held = append(held, now)
		}
		note()
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			request := rapid.SampledFrom([]string{"update", "update", "update", "flush", "compact"}).Draw(r, "step")
			switch request {
			case "flush":
				if err := e.store.Flush(context.Background()); err != nil {
					r.Fatal(err)
				}
				kept = e.store.Sequence()
			case "compact":
				if err := e.store.Compact(context.Background()); err != nil {
					r.Fatal(err)
				}
				kept = e.store.Sequence()
			default:
				request = updates{r}.request()
				_, _ = e.store.Update(context.Background(), request, rdfgpu.UpdateOptions{}) // it may be wrong
			}
			note()
			sequence := rapid.Uint64Range(0, uint64(len(seen))-1).Draw(r, "sequence")
			s, err := at(sequence)
			switch {
			case err == nil:
				check(s, request)
				held = append(held, s)
			case sequence >= kept || !errors.Is(err, rdfgpu.ErrLogGone):
				r.Fatalf("%s: commit %d of %d, kept from %d on: %v", request, sequence, len(seen)-1, kept, err)
			}
			check(held[rapid.IntRange(0, len(held)-1).Draw(r, "held")], request)
		}
		if _, err := at(uint64(len(seen))); !errors.Is(err, rdfgpu.ErrLogBeyond) {
			r.Fatal(err)
		}
	})
}
