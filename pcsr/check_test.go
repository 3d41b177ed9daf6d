package pcsr

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/section"
)

// TestChangedBytesGiveErrorsAndNoWrongLists reads mapped graphs of every row layer after bytes of them were changed:
// whatever is read is right, or is refused.
func TestChangedBytesGiveErrorsAndNoWrongLists(t *testing.T) {
	const vertices, labels = 4000, 5
	rng := rand.New(rand.NewPCG(5, 5))
	edges := make([]Edge, 9000)
	for i := range edges {
		edges[i] = Edge{Vertex(rng.IntN(vertices)), Label(rng.IntN(labels)), Vertex(rng.IntN(vertices / 8))}
	}
	right := newModel(vertices, labels, edges)
	for layer := range layers {
		if layer == Range {
			continue // it has no index, and others get it where it fits
		}
		t.Run(layer.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "graph")
			w, err := Create(path, vertices, labels, WithTypeLabel(0), WithLayer(layer))
			if err != nil {
				t.Fatal(err)
			}
			if err := writeEdges(w, labels, edges); err != nil {
				t.Fatal(err)
			}
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for range 12 {
				bad, at := bytes.Clone(good), rng.IntN(len(good))
				bad[at] ^= byte(1 + rng.IntN(255))
				if err := os.WriteFile(path, bad, 0o644); err != nil {
					t.Fatal(err)
				}
				g, err := Open(path)
				if err == nil {
					err = section.Guard(func() error { return right.check(g) })
					if all := g.CheckAll(context.Background()); !errors.Is(all, section.ErrDamaged) {
						t.Errorf("byte %d: %v", at, all)
					}
					if closed := g.Close(); closed != nil {
						t.Fatal(closed)
					}
				}
				if err != nil && (!errors.Is(err, section.ErrDamaged) || !strings.Contains(err.Error(), path)) {
					t.Errorf("byte %d: %v", at, err)
				}
			}
			if err := os.WriteFile(path, good, 0o644); err != nil {
				t.Fatal(err)
			}
			g, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			if err := right.check(g); err != nil {
				t.Fatal(err)
			}
			if err := g.CheckAll(context.Background()); err != nil || g.file.Unchecked() {
				t.Fatal(err)
			}
		})
	}
}
