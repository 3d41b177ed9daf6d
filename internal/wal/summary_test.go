package wal_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/wal"
)

func TestASummaryIsReadAsATransactionWithoutChanges(t *testing.T) {
	at := time.Unix(1700000000, 42)
	for _, s := range []wal.Summary{
		{},
		{Segment: "gen-000004"},
		{Segment: "gen-000004", Graphs: []wal.GraphSummary{{Added: 10_000_000}}},
		{Segment: "gen-000004", Graphs: []wal.GraphSummary{{Key: []byte("<http://e/g"), Added: 1, Removed: 2}, {Removed: 1 << 40}, {Key: []byte("_:b"), Removed: 5}}},
	} {
		payload := s.Append([]byte{}, at)
		r, err := wal.ReadTransaction(payload)
		if err != nil {
			t.Fatal(err)
		}
		if !r.InFiles() || r.Segment() != s.Segment || !r.Time.Equal(at) {
			t.Errorf("%+v became %q at %s", s, r.Segment(), r.Time)
		}
		var graphs []wal.GraphSummary
		for g := range r.Graphs() {
			read := wal.GraphSummary{Added: uint64(g.Added), Removed: uint64(g.Removed)}
			if g.Graph != wal.DefaultGraph {
				read.Key = r.Key(g.Graph)
			}
			graphs = append(graphs, read)
		}
		if !slices.EqualFunc(graphs, s.Graphs, func(a, b wal.GraphSummary) bool {
			return string(a.Key) == string(b.Key) && a.Added == b.Added && a.Removed == b.Removed
		}) {
			t.Errorf("%+v became %+v", s.Graphs, graphs)
		}
		for c := range r.Changes() {
			t.Error("a change:", c)
		}
		for n := range payload {
			if _, err := wal.ReadTransaction(payload[:n]); !errors.Is(err, wal.ErrPayload) {
				t.Errorf("%d bytes of %d: %v", n, len(payload), err)
			}
		}
	}
}
