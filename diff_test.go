package rdfgpu_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/patch"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// quadsOf reads what a store dumps.
func quadsOf(t interface{ Fatal(...any) }, s *rdfgpu.Store) (quads []rdf.Quad) {
	var text bytes.Buffer
	if _, err := s.Dump(context.Background(), &text, rdfgpu.DumpOptions{}); err != nil {
		t.Fatal(err)
	}
	err := loader.Read(&text, loader.NQuads, "", func(q rdf.Quad) error {
		quads = append(quads, q)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return quads
}

func loadQuads(t interface{ Fatal(...any) }, dir, name, text string) string {
	file, store := filepath.Join(dir, name+".nq"), filepath.Join(dir, name+".store")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := rdfgpu.Load(context.Background(), store, []string{file}, rdfgpu.LoadOptions{Threads: 1}); err != nil {
		t.Fatal(err)
	}
	return store
}

func drawQuads(t *rapid.T, name string) string {
	node := func(what string, kinds ...string) string { return rapid.SampledFrom(kinds).Draw(t, what) }
	lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%s %s %s %s .\n", node("s", "<http://e/a>", "<http://e/b>", "_:x", "_:y", "_:n_x"), node("p", "<http://e/p>", "<http://e/q>"),
			node("o", "<http://e/a>", "_:x", "_:y", "_:z", `"v"`, `"w"@en`, "7"), node("g", "", "<http://e/g>", "_:x"))
	}), 0, 10).Draw(t, name)
	return strings.ReplaceAll(strings.Join(lines, ""), " 7 ", ` "7"^^<http://www.w3.org/2001/XMLSchema#integer> `)
}

// patched applies a patch, which removes only what is there and adds only what is not.
func patched(t *rapid.T, quads []rdf.Quad, text string) (out []rdf.Quad) {
	there := map[rdf.Quad]bool{}
	for _, q := range quads {
		there[q] = true
	}
	for row, err := range patch.Read(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		q := rdf.Quad{Subject: row.Subject, Predicate: row.Predicate, Object: row.Object, Graph: row.Graph}
		switch row.Operation {
		case patch.Insert, patch.Delete:
			if there[q] != (row.Operation == patch.Delete) {
				t.Fatalf("the patch does nothing by %v:\n%s", q, text)
			}
			there[q] = row.Operation == patch.Insert
		}
	}
	for q, is := range there {
		if is {
			out = append(out, q)
		}
	}
	return out
}

// TestAPatchMakesOneStoreTheOther draws pairs of data sets, applies their difference, and compares with a witness.
func TestAPatchMakesOneStoreTheOther(t *testing.T) {
	t.Parallel()
	ctx, n := context.Background(), 0
	rapid.Check(t, func(r *rapid.T) {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(n))
		n++
		if err := os.MkdirAll(dir, 0o755); err != nil {
			r.Fatal(err)
		}
		first := drawQuads(r, "a")
		second := drawQuads(r, "b")
		if rapid.Bool().Draw(r, "renamed") {
			second = strings.NewReplacer("_:x", "_:u", "_:y", "_:x", "_:z", "_:n_n_x").Replace(first)
		}
		a, err := rdfgpu.Open(loadQuads(r, dir, "a", first), rdfgpu.Options{})
		if err != nil {
			r.Fatal(err)
		}
		defer a.Close()
		b, err := rdfgpu.Open(loadQuads(r, dir, "b", second), rdfgpu.Options{})
		if err != nil {
			r.Fatal(err)
		}
		defer b.Close()
		var text bytes.Buffer
		report, err := rdfgpu.Diff(ctx, a, b, &text, rdfgpu.DiffOptions{})
		if err != nil {
			r.Fatal(err)
		}
		if same := isomorphism.Same(quadsOf(r, a), quadsOf(r, b)); same != report.Same() || report.Unsure || report.ByLabel {
			r.Fatalf("%s---\n%sthe same is %v, said is %v\n%s", first, second, same, report, text.String())
		}
		if got := patched(r, quadsOf(r, a), text.String()); !isomorphism.Same(got, quadsOf(r, b)) {
			r.Fatalf("%s---\n%spatched by\n%sis\n%v", first, second, text.String(), got)
		}
	})
}

func TestManyBlankNodesAreComparedByLabel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func(name, text string) *rdfgpu.Store {
		s, err := rdfgpu.Open(loadQuads(t, dir, name, text), rdfgpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	a, b := open("a", "_:x <http://e/p> _:y .\n_:x <http://e/p> \"1\" .\n"), open("b", "_:x <http://e/p> _:z .\n_:x <http://e/p> \"1\" .\n")
	var text bytes.Buffer
	report, err := rdfgpu.Diff(context.Background(), a, b, &text, rdfgpu.DiffOptions{MaxBlank: 1})
	if err != nil || !report.ByLabel || report.Added != 1 || report.Removed != 1 || !strings.Contains(report.String(), "by their labels") {
		t.Errorf("%+v, %v\n%s", report, err, text.String())
	}
	if report, err := rdfgpu.Diff(context.Background(), a, b, &text, rdfgpu.DiffOptions{}); err != nil || !report.Same() {
		t.Errorf("%+v, %v", report, err)
	}
}
