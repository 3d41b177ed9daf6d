package live_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestMuchIsLaidAnew: a label of which much was changed is settled beside transactions, and nothing is lost by it.
func TestMuchIsLaidAnew(t *testing.T) {
	quad := func(n int) rdf.Quad {
		return rdf.Quad{Subject: rdf.NewIRI(fmt.Sprintf("http://e/s%d", n)), Predicate: rdf.NewIRI("http://e/p"), Object: rdf.NewIRI(fmt.Sprintf("http://e/o%d", n%100))}
	}
	want := quads{}
	for n := range 20_000 {
		want[quad(n)] = true
	}
	s, err := live.Open(context.Background(), newFolder(t, want), live.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for step := range 30 {
		tx, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var add, remove []live.Quad
		id := func(term rdf.Term) dictionary.ID {
			id, err := tx.Intern(term)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		for n := range 1000 {
			in, out := quad(20_000+1000*step+n), quad(500*step+n)
			add = append(add, live.Quad{Graph: dictionary.None, Subject: id(in.Subject), Predicate: id(in.Predicate), Object: id(in.Object)})
			remove = append(remove, live.Quad{Graph: dictionary.None, Subject: id(out.Subject), Predicate: id(out.Predicate), Object: id(out.Object)})
			want[in] = true
			delete(want, out)
		}
		if err := tx.Apply(remove, add); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Commit(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	settled := func() bool {
		snapshot := s.Snapshot()
		defer snapshot.Release()
		return !snapshot.Default().Unsettled()
	}
	for end := time.Now().Add(30 * time.Second); !settled(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is not laid anew")
		}
	}
	snapshot := s.Snapshot()
	defer snapshot.Release()
	if got := contents(t, snapshot.State); !maps.Equal(got, want) {
		t.Error(difference(got, want))
	}
}
