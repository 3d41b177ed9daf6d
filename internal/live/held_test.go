package live_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestASnapshotReadsGraphsThatWereReplaced: what is first read of a snapshot after the files were written anew is there, also where there
// are more named graphs than are opened at once; its files go once nobody reads them.
func TestASnapshotReadsGraphsThatWereReplaced(t *testing.T) {
	want := quads{}
	for i := range 300 {
		want[rdf.Quad{Subject: rdf.NewIRI("http://e/s"), Predicate: rdf.NewIRI("http://e/p"), Object: rdf.NewIRI("http://e/o"), Graph: rdf.NewIRI(fmt.Sprint("http://e/g", i))}] = true
	}
	folder := newFolder(t, want)
	s, err := live.Open(context.Background(), folder, live.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	held := s.Snapshot()
	for i, rewrite := range []func(context.Context) error{s.Flush, s.Compact, s.Flush, s.Compact} { // the compaction reads what the flush has opened
		err := insert(s, rdf.NewIRI(fmt.Sprint("http://e/new", i)))
		if err == nil {
			err = rewrite(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := contents(t, held.State); !maps.Equal(got, want) {
		t.Errorf("%d quads, want %d", len(got), len(want))
	}
	if got := segments(t, folder); len(got) != 2 {
		t.Errorf("%v while a snapshot is held", got)
	}
	held.Release()
	if got := segments(t, folder); len(got) != 1 {
		t.Errorf("%v are left", got)
	}
	held = s.Snapshot()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	held.Release() // when another process may have the lock
	if got := segments(t, folder); len(got) != 1 {
		t.Errorf("%v are left", got)
	}
}

// segments are the folders of a store's segments.
func segments(t *testing.T, folder string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folder, "gen-*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestAStateIsGoneBackFromWhileAnotherFollowsIt, which the race detector watches: both copy its table of graphs.
func TestAStateIsGoneBackFromWhileAnotherFollowsIt(t *testing.T) {
	s, err := live.Open(context.Background(), newFolder(t, quads{}), live.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var back sync.WaitGroup
	for i := range 50 {
		held := s.Snapshot()
		back.Go(func() {
			defer held.Release()
			if _, _, err := held.Before(held.Sequence()); err != nil {
				t.Error(err)
			}
		})
		if err := insert(s, rdf.NewIRI(fmt.Sprint("http://e/", i))); err != nil {
			t.Fatal(err)
		}
	}
	back.Wait()
}
