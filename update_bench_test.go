package rdfgpu_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// BenchmarkUpdate inserts a triple with a new subject in each update, from several goroutines, by how it is made durable.
func BenchmarkUpdate(b *testing.B) {
	for name, durability := range map[string]rdfgpu.Durability{"synced": rdfgpu.Synced, "unsynced": rdfgpu.Unsynced} {
		for _, writers := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/%d", name, writers), func(b *testing.B) {
				s := newWritable(b, `<http://e/a> <http://e/p> 1 .`, rdfgpu.Options{Durability: durability})
				var next atomic.Int64
				var all sync.WaitGroup
				b.ResetTimer()
				for range writers {
					all.Go(func() {
						for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
							text := fmt.Sprintf("INSERT DATA { <http://e/s%d> <http://e/p> %d }", n, n)
							if _, err := s.Update(context.Background(), text, rdfgpu.UpdateOptions{}); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
			})
		}
	}
}

// BenchmarkEdit replaces 20 triples of one of 1,024 entities and adds two in each update: the shape of an edit of Wikidata.
func BenchmarkEdit(b *testing.B) {
	const entities = 1024
	s := newWritable(b, `<http://e/a> <http://e/p> 1 .`, rdfgpu.Options{Durability: rdfgpu.Unsynced})
	edit := func(entity, version int) string {
		var gone, come strings.Builder
		for p := range 20 {
			fmt.Fprintf(&gone, "<http://e/%d> <http://e/p%d> %d .\n", entity, p, 31*p+version)
			fmt.Fprintf(&come, "<http://e/%d> <http://e/p%d> %d .\n", entity, p, 31*p+version+1)
		}
		fmt.Fprintf(&come, "<http://e/%d> <http://e/added> %d, \"%d\" .\n", entity, version, version)
		return "DELETE DATA {\n" + gone.String() + "} ; INSERT DATA {\n" + come.String() + "}"
	}
	update := func(text string) {
		if _, err := s.Update(context.Background(), text, rdfgpu.UpdateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	for entity := range entities {
		update(edit(entity, 0))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for n := range b.N {
		update(edit(n%entities, 1+n/entities))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
}

// BenchmarkUpdatesBesideALargeDocument measures how long one update of a triple waits at most while a million triples are added, some of
// which are there already.
func BenchmarkUpdatesBesideALargeDocument(b *testing.B) {
	s := newWritable(b, "", rdfgpu.Options{})
	post := func(n int) {
		body := &lines{n: n, look: func() {}}
		if _, _, err := s.PutGraph(b.Context(), "", body, rdfgpu.GraphOptions{Format: "ntriples"}); err != nil {
			b.Fatal(err)
		}
	}
	post(300_000)
	longest := time.Duration(0)
	for n := 0; b.Loop(); n++ {
		ended := make(chan struct{})
		var writing sync.WaitGroup
		writing.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-ended:
					return
				default:
				}
				start := time.Now()
				if _, err := s.Update(b.Context(), fmt.Sprintf("INSERT DATA { <http://e/s%d> <http://e/p> %d }", n, k), rdfgpu.UpdateOptions{}); err != nil {
					b.Error(err)
				}
				longest = max(longest, time.Since(start))
			}
		})
		post(300_000 + 1_000_000*(n+1))
		close(ended)
		writing.Wait()
	}
	b.ReportMetric(float64(longest.Milliseconds()), "ms-longest")
}
