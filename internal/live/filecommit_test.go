package live_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/wal"
)

// TestALargeGraphIsClearedWithFiles clears a graph while files can be written, and while they cannot.
func TestALargeGraphIsClearedWithFiles(t *testing.T) {
	for _, occupied := range []bool{false, true} {
		initial, kept := quads{}, rdf.Quad{Subject: rdf.NewIRI("http://e/s"), Predicate: rdf.NewIRI("http://e/p"), Object: rdf.NewString("0")}
		for i := range 100 {
			q := kept
			q.Object = rdf.NewString(fmt.Sprint(i))
			initial[q] = true
		}
		s, err := live.Open(context.Background(), newFolder(t, initial), live.Options{Writable: true, LargeClear: 100})
		if err != nil {
			t.Fatal(err)
		}
		end := func() {}
		if occupied {
			end = s.Occupy()
		}
		tx, err := s.Begin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := tx.Clear(dictionary.None); err != nil {
			t.Fatal(err)
		}
		id := func(term rdf.Term) dictionary.ID {
			id, _ := tx.Find(term)
			return id
		}
		if err := tx.Apply(nil, []live.Quad{{Graph: dictionary.None, Subject: id(kept.Subject), Predicate: id(kept.Predicate), Object: id(kept.Object)}}); err != nil {
			t.Fatal(err)
		}
		report, err := tx.Commit(context.Background())
		end()
		if err != nil || fmt.Sprint(report) != fmt.Sprint(live.Report{Sequence: 1, Graphs: []live.GraphReport{{Removed: 99}}}) {
			t.Errorf("%+v: %v", report, err)
		}
		for record, err := range s.Records(1) {
			if err != nil || wal.InFiles(record.Payload) == occupied {
				t.Errorf("occupied %v: a record of %d bytes: %v", occupied, len(record.Payload), err)
			}
		}
		snapshot := s.Snapshot()
		if got := contents(t, snapshot.State); len(got) != 1 || !got[kept] {
			t.Error(got)
		}
		snapshot.Release()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
