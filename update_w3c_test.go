package rdfgpu_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/updatetest"
	"github.com/rdfgpu/rdfgpu/loader"
)

// writableEngine is a store for the W3C's tests of updates.
type writableEngine struct {
	t     *testing.T
	store *rdfgpu.Store
}

// newEngine opens an empty store, or one of some quads, for writing.
func newEngine(t *testing.T, quads []rdf.Quad) *rdfgpu.Store {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "data.nq")
	var text []byte
	for _, q := range quads {
		for _, term := range []rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
			if !term.IsZero() {
				text = append(rdf.AppendNTriples(text, term), ' ')
			}
		}
		text = append(text, ".\n"...)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "store")
	if _, err := rdfgpu.Load(context.Background(), folder, []string{path}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := rdfgpu.Open(folder, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (e *writableEngine) Load(quads []rdf.Quad) error {
	e.store = newEngine(e.t, quads)
	return nil
}

func (e *writableEngine) Update(text, base string) error {
	_, err := e.store.Update(context.Background(), text, rdfgpu.UpdateOptions{Base: base})
	return err
}

func (e *writableEngine) Quads() (quads []rdf.Quad, err error) {
	var text bytes.Buffer
	if _, err := e.store.Dump(context.Background(), &text, rdfgpu.DumpOptions{}); err != nil {
		return nil, err
	}
	err = loader.Read(&text, loader.NQuads, "", func(q rdf.Quad) error {
		quads = append(quads, q)
		return nil
	})
	return quads, err
}

func TestW3CUpdateEvaluation(t *testing.T) {
	t.Parallel()
	updatetest.RunEvaluation(t, func(t *testing.T) updatetest.Engine { return &writableEngine{t: t} })
}
