package live_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// TestChangesAreToldWhileTheStoreIsCompacted: those of a commit with files, of two graphs that it cleared before, to the last once the first was told.
func TestChangesAreToldWhileTheStoreIsCompacted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	quad := rdf.Quad{Subject: rdf.NewIRI("http://e/s"), Predicate: rdf.NewIRI("http://e/p"), Object: rdf.NewIRI("http://e/o")}
	inGraph := quad
	inGraph.Graph = rdf.NewIRI("http://e/g")
	s, err := live.Open(ctx, newFolder(t, quads{quad: true, inGraph: true}), live.Options{Writable: true, FlushTriples: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tx, err := s.BeginWithFiles(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Abort()
	const each = 5
	for _, graph := range []rdf.Term{{}, inGraph.Graph} {
		name, ok := tx.Find(graph)
		if !ok {
			name = dictionary.None
		}
		if err := tx.Clear(name); err != nil { // its old file is not opened for the new state
			t.Fatal(err)
		}
		in, err := s.NewIntake(graph)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		var text strings.Builder
		for i := range each {
			fmt.Fprintf(&text, "<http://e/s%d> <http://e/p> <http://e/o> .\n", i)
		}
		if err := in.Loader().Read(ctx, strings.NewReader(text.String()), loader.NTriples, ""); err != nil {
			t.Fatal(err)
		}
		if err := tx.TakeIn(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	report, err := tx.Commit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, err := range s.FileChanges(report.Sequence) {
		if err != nil {
			t.Fatal(err)
		}
		if told++; told == 1 {
			if err := s.Compact(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := 2*each + 2; told != want {
		t.Errorf("%d changes are told, want %d", told, want)
	}
}
