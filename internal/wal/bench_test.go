package wal_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/wal"
)

func open(b *testing.B) *wal.Log {
	b.Helper()
	l, err := wal.Open(b.TempDir(), wal.Options{})
	must(b, err)
	b.Cleanup(func() { must(b, l.Close()) })
	return l
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{200, 4000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l, p := open(b), payload(1, size)
			b.SetBytes(int64(size))
			for b.Loop() {
				_, err := l.Append(p)
				must(b, err)
				if l.Last()%100_000 == 0 {
					must(b, l.Drop(l.Last()))
				}
			}
		})
	}
}

// BenchmarkCommit: writers append a record and wait for it, each by itself.
func BenchmarkCommit(b *testing.B) {
	for _, durability := range []string{"sync", "group=1ms", "group=5ms", "none"} {
		for _, writers := range []int{1, 8, 64} {
			for _, size := range []int{200, 3000} { // of a triple, of an edit
				b.Run(fmt.Sprintf("%s/%d/%d", durability, writers, size), func(b *testing.B) {
					d, err := wal.ParseDurability(durability)
					must(b, err)
					commits(b, d, writers, size)
				})
			}
		}
	}
}

func commits(b *testing.B, d wal.Durability, writers, size int) {
	l, p := open(b), payload(1, size)
	s := wal.NewSyncer(l, d)
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				n, err := l.Append(p)
				must(b, err)
				must(b, s.Wait(context.Background(), n))
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	must(b, s.Close())
}

// BenchmarkReplay reads records and their transactions: edits of 20 deletions and 22 insertions, and single triples.
func BenchmarkReplay(b *testing.B) {
	for _, changes := range []int{1, 42} {
		b.Run(fmt.Sprint(changes), func(b *testing.B) {
			l := open(b)
			p := edit(changes)
			var batch [][]byte
			for range 1000 {
				batch = append(batch, p)
			}
			for range (1 << 30) / (len(p) * len(batch)) {
				_, err := l.Append(batch...)
				must(b, err)
			}
			b.ResetTimer()
			read, transaction, terms := 0, wal.Transaction{}, 0
			for read < b.N {
				for r, err := range l.Read(1) {
					must(b, err)
					must(b, transaction.Read(r.Payload))
					for c := range transaction.Changes() {
						terms += len(transaction.Key(c.Object))
					}
					if read++; read == b.N {
						break
					}
				}
			}
			b.SetBytes(int64(len(p)))
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "transactions/s")
		})
	}
}

// edit is a transaction of so many changes.
func edit(changes int) []byte {
	b := &wal.Builder{}
	build(b, changes)
	return b.Append(nil, time.Now())
}

func build(b *wal.Builder, changes int) {
	known := map[string]wal.Term{}
	term := func(format string, n int) wal.Term {
		key := fmt.Sprintf(format, n)
		if known[key] == 0 {
			known[key] = b.Term([]byte(key))
		}
		return known[key]
	}
	for i := range changes {
		b.Add(wal.Change{
			Delete: i < changes*20/42, Subject: term("<http://www.wikidata.org/entity/statement/Q64-%032x", i/3),
			Predicate: term("<http://www.wikidata.org/prop/statement/P%d", i%7), Object: term("\"value %d", i),
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	builder, p := &wal.Builder{}, []byte(nil)
	for b.Loop() {
		builder.Reset()
		build(builder, 42)
		p = builder.Append(p[:0], time.Unix(0, 0))
	}
	b.SetBytes(int64(len(p)))
}

// BenchmarkOpen finds the end of a full file, all of it durable.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	l, err := wal.Open(dir, wal.Options{})
	must(b, err)
	fill(b, l, 280_000, 200)
	must(b, l.Close())
	for b.Loop() {
		l, err := wal.Open(dir, wal.Options{})
		must(b, err)
		must(b, l.Close())
	}
}
