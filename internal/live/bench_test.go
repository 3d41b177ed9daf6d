package live_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/live/livetest"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// BenchmarkRecovery opens a store whose log has a million changes that its files do not have: by how many a commit has, of triples that
// come and go again, or of ever new ones.
func BenchmarkRecovery(b *testing.B) {
	const changes = 1 << 20
	triple := func(n int) rdf.Quad {
		return rdf.Quad{
			Subject:   rdf.NewIRI(fmt.Sprint("http://example.org/resource/", n/7)),
			Predicate: rdf.NewIRI(fmt.Sprint("http://example.org/vocabulary#property", n%7)),
			Object:    rdf.NewString(fmt.Sprint("the value of the property is ", n)),
		}
	}
	for _, kind := range []string{"again", "new"} {
		for _, size := range []int{42, 4096} {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				loaded := quads{}
				for n := range 1 << 17 {
					loaded[triple(n)] = true
				}
				folder := newFolder(b, loaded)
				logged(b, folder, changes, size, func(n int) (rdf.Quad, bool) {
					if kind == "new" {
						return triple(1<<17 + n), false
					}
					const often = 1 << 14 // so many, which are there, go and then come
					return triple(8 * (n % often)), n/often%2 == 0
				})
				for b.Loop() {
					s, err := live.Open(context.Background(), folder, live.Options{})
					if err != nil {
						b.Fatal(err)
					}
					if s.Sequence() != changes/uint64(size) {
						b.Fatal(s.Sequence())
					}
					s.Close()
				}
				b.ReportMetric(changes*float64(b.N)/b.Elapsed().Seconds(), "changes/s")
			})
		}
	}
}

// logged commits changes to a store, so many at once, and leaves them in its log. change tells a quad, and whether it comes or goes.
func logged(b *testing.B, folder string, changes, size int, change func(n int) (q rdf.Quad, goes bool)) {
	s, err := live.Open(context.Background(), folder, live.Options{
		Writable: true, Durability: wal.Durability{Unsynced: true}, FlushTriples: 1 << 30, FlushTerms: 1 << 30,
	})
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; n+size <= changes; n += size {
		tx, err := s.Begin(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		var came, went []rdf.Quad
		for i := range size {
			q, goes := change(n + i)
			if goes {
				went = append(went, q)
			} else {
				came = append(came, q)
			}
		}
		if err := tx.Apply(livetest.Quads(b, tx, went), livetest.Quads(b, tx, came)); err != nil {
			b.Fatal(err)
		}
		if _, err := tx.Commit(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
