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

// quadDrawer draws quads of the default graph and of others.
type quadDrawer struct {
	*rand.Rand
	subjects, predicates, objects int
}

func (r quadDrawer) draw() rdf.Quad {
	q := rdf.Quad{
		Subject: rdf.NewIRI(fmt.Sprint("http://e/s", r.IntN(r.subjects))), Predicate: rdf.NewIRI(fmt.Sprint("http://e/p", r.IntN(r.predicates))),
		Object: rdf.NewString(fmt.Sprint("text ", r.IntN(r.objects))),
	}
	if r.IntN(3) == 0 {
		q.Graph = rdf.NewIRI(fmt.Sprint("http://e/g", r.IntN(3)))
	}
	return q
}

func (r quadDrawer) drawMany(n int) (list []rdf.Quad) {
	for range n {
		list = append(list, r.draw())
	}
	return list
}

// TestALongLogIsReplayed opens a store with a log of many commits, some of them long: terms come in one and are
// spoken of in the next ones, in the default graph and in others, and triples come and go over and over.
func TestALongLogIsReplayed(t *testing.T) {
	r := quadDrawer{rand.New(rand.NewPCG(13, 1)), 40, 4, 40}
	folder := checkReplay(t, r, 4000, func(n int) (went, came []rdf.Quad) {
		went, came = r.drawMany(1), r.drawMany(2)
		if n%500 == 7 {
			came[0].Object = rdf.NewString(strings.Repeat("long ", 80_000+n))
		}
		return went, came
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := live.Open(ctx, folder, live.Options{}); !errors.Is(err, context.Canceled) {
		t.Error("a reading that is to end goes on:", err)
	}
}

// TestALogOfManyChangesIsReplayed opens a store with a log of so many triples that a state is made several times, while the next ones are
// read: they come in one part of the log and go in another.
func TestALogOfManyChangesIsReplayed(t *testing.T) {
	r, commits := quadDrawer{rand.New(rand.NewPCG(13, 2)), 5000, 6, 7}, 50
	if testing.Short() {
		commits = 12
	}
	checkReplay(t, r, commits, func(int) (went, came []rdf.Quad) { return r.drawMany(5000), r.drawMany(5000) })
}

// checkReplay does commits, and opens the store anew with what they are in the log.
func checkReplay(t *testing.T, r quadDrawer, commits int, commit func(n int) (went, came []rdf.Quad)) (folder string) {
	want := quads{}
	for _, q := range r.drawMany(300) {
		want[q] = true
	}
	folder = newFolder(t, want)
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true, Durability: wal.Durability{Unsynced: true}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range commits {
		tx, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		went, came := commit(n)
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
	return folder
}
