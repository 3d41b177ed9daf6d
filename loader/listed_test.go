package loader

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// TestOfVeryManyListsSomeGraphsAreKept: those that are let go of are the same when they are asked for again, and whoever has one goes on to read it.
func TestOfVeryManyListsSomeGraphsAreKept(t *testing.T) {
	t.Parallel()
	const graphs, kept = 5000, 4096
	var text bytes.Buffer
	for g := range graphs {
		for i := range 1 + g%5 {
			fmt.Fprintf(&text, "<http://e/s%d> <http://e/p%d> <http://e/o%d> <http://e/g%d> .\n", g%7, i%2, i, g)
		}
	}
	dir, file := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "graphs.nq")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), dir, []Input{{Name: file}}, Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if names := s.NamedGraphs(); len(names) != graphs || len(s.Unlisted()) > 0 {
		t.Fatalf("%d graphs, %d are no lists", len(names), len(s.Unlisted()))
	}
	same := func(name dictionary.ID, g *pcsr.Graph) {
		list, _ := s.Listed(name)
		var edges []pcsr.Edge
		for _, l := range g.UsedLabels() {
			for v, to := range g.Partition(l, pcsr.Out).Lists() {
				for _, w := range to {
					edges = append(edges, pcsr.Edge{From: v, Label: l, To: w})
				}
			}
		}
		if !slices.Equal(edges, list) || !g.Listed() {
			t.Errorf("graph %d has %v, listed are %v", name, edges, list)
		}
	}
	held := make([]*pcsr.Graph, graphs)
	for range 2 {
		var each sync.WaitGroup
		for at := range 2 {
			each.Go(func() {
				for i := at; i < graphs; i += 2 {
					g, err := s.Named(s.NamedGraphs()[i])
					if err != nil {
						t.Error(err)
						return
					}
					same(s.NamedGraphs()[i], g)
					held[i] = g
				}
			})
		}
		each.Wait()
		if n := len(s.Opened()); n != kept+1 {
			t.Fatalf("%d graphs are kept", n)
		}
		for i, g := range held {
			same(s.NamedGraphs()[i], g)
		}
	}
	if err := s.Verify(); err != nil {
		t.Error(err)
	}
	if n := len(s.Opened()); n != kept+1 {
		t.Errorf("%d graphs are kept of those that were verified", n)
	}
}
