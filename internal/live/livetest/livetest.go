// Package livetest makes what tests of changing stores begin with: a store of some quads, and quads by a transaction's IDs.
package livetest

import (
	"context"
	"iter"
	"os"
	"path/filepath"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// T is a test, or a check of a property.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Load loads a store of some quads. The caller removes it.
func Load(t T, quads iter.Seq[rdf.Quad]) (folder string, remove func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "live")
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for q := range quads {
		for _, term := range []rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
			if !term.IsZero() {
				text = append(rdf.AppendNTriples(text, term), ' ')
			}
		}
		text = append(text, ".\n"...)
	}
	path := filepath.Join(dir, "data.nq")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	inputs, err := loader.Files("", path)
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(dir, "store")
	if _, err := loader.Load(context.Background(), folder, inputs, loader.Options{}); err != nil {
		t.Fatal(err)
	}
	return folder, func() { _ = os.RemoveAll(dir) }
}

// Quads are quads by the IDs of a transaction.
func Quads(t T, tx *live.Transaction, list []rdf.Quad) (out []live.Quad) {
	t.Helper()
	id := func(term rdf.Term) dictionary.ID {
		if term.IsZero() {
			return dictionary.None
		}
		id, err := tx.Intern(term)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, q := range list {
		out = append(out, live.Quad{Graph: id(q.Graph), Subject: id(q.Subject), Predicate: id(q.Predicate), Object: id(q.Object)})
	}
	return out
}
