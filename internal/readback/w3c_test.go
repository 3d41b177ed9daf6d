package readback

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/results"
	"github.com/rdfgpu/rdfgpu/loader"
)

var extensions = map[loader.Format]string{loader.NTriples: "nt", loader.NQuads: "nq", loader.Turtle: "ttl", loader.TriG: "trig"}

// documents calls do with each document of a W3C suite and with what the loader reads there, or why it reads nothing.
func documents(t *testing.T, folder string, format loader.Format, do func(name string, text []byte, triples []Triple, err error)) {
	t.Helper()
	root := os.Getenv("RDFGPU_W3C")
	if root == "" {
		t.Skip("RDFGPU_W3C does not name the folder of the W3C tests")
	}
	files, _ := filepath.Glob(filepath.Join(root, "rdf", "rdf11", folder, "*."+extensions[format]))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var triples []Triple
		err = loader.Read(bytes.NewReader(text), format, "http://base.example/"+filepath.Base(file), func(q loader.Quad) error {
			triples = append(triples, Triple{q.Subject, q.Predicate, q.Object})
			return nil
		})
		do(filepath.Base(file), text, triples, err)
	}
	if len(files) < 50 {
		t.Errorf("%d documents in %s", len(files), folder)
	}
}

// TestW3CDocumentsReadBack writes what the loader reads of the suites in each format that can be read back.
func TestW3CDocumentsReadBack(t *testing.T) {
	for folder, format := range map[string]loader.Format{
		"rdf-n-triples": loader.NTriples, "rdf-n-quads": loader.NQuads, "rdf-turtle": loader.Turtle, "rdf-trig": loader.TriG,
	} {
		documents(t, folder, format, func(name string, _ []byte, triples []Triple, err error) {
			for _, format := range formats {
				if err != nil || len(triples) == 0 {
					continue
				}
				if err := graph(triples).Check(write(t, format, triples), format); err != nil {
					t.Errorf("%s as %s: %v", name, format, err)
				}
			}
		})
	}
}

// TestTheLibraryReadsNTriplesAsTheLoaderDoes has both readers read the suite, faults included.
func TestTheLibraryReadsNTriplesAsTheLoaderDoes(t *testing.T) {
	documents(t, "rdf-n-triples", loader.NTriples, func(name string, text []byte, triples []Triple, err error) {
		switch found := graph(triples).Check(text, results.NTriples); {
		case err == nil && found != nil:
			t.Errorf("%s: %v", name, found)
		case err != nil && found == nil:
			t.Errorf("%s: the loader refuses it (%v)", name, err)
		}
	})
}
