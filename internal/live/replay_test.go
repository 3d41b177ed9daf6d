package live_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/live/livetest"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// TestALongLogIsReplayed opens a store with a log of many commits, some of them long: terms come in one and are
// spoken of in the next ones, in the default graph and in others, and triples come and go over and over.
func TestALongLogIsReplayed(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	draw := func() rdf.Quad {
		q := rdf.Quad{
			Subject: rdf.NewIRI(fmt.Sprint("http://e/s", r.IntN(40))), Predicate: rdf.NewIRI(fmt.Sprint("http://e/p", r.IntN(4))),
			Object: rdf.NewString(fmt.Sprint("text ", r.IntN(40))),
		}
		if r.IntN(3) == 0 {
			q.Graph = rdf.NewIRI(fmt.Sprint("http://e/g", r.IntN(3)))
		}
		return q
	}
	want := quads{}
	for range 300 {
		want[draw()] = true
	}
	folder := newFolder(t, want)
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true, Durability: wal.Durability{Unsynced: true}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4000 {
		tx, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		came, went := []rdf.Quad{draw(), draw()}, []rdf.Quad{draw()}
		if n%500 == 7 {
			came[0].Object = rdf.NewString(strings.Repeat("long ", 80_000+n))
		}
		if err := tx.Apply(livetest.Quads(t, tx, went), livetest.Quads(t, tx, came)); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, q := range went {
			delete(want, q)
		}
		for _, q := range came {
			want[q] = true
		}
	}
	sequence := s.Sequence()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := live.Open(context.Background(), folder, live.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	snapshot := again.Snapshot()
	defer snapshot.Release()
	if got := contents(t, snapshot.State); !maps.Equal(got, want) || snapshot.Sequence() != sequence {
		t.Errorf("at %d of %d: %s", snapshot.Sequence(), sequence, difference(got, want))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := live.Open(ctx, folder, live.Options{}); !errors.Is(err, context.Canceled) {
		t.Error("a reading that is to end goes on:", err)
	}
}
