package loader

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const manifestNS = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"

// TestW3CSuites runs the RDF 1.1 test suites of the formats, whole.
func TestW3CSuites(t *testing.T) {
	t.Parallel()
	root := os.Getenv("RDFGPU_W3C")
	if root == "" {
		t.Skip("RDFGPU_W3C does not name the folder of the W3C tests")
	}
	for _, suite := range []struct {
		folder string
		format Format
		base   string
		tests  int
	}{
		{"rdf-n-triples", NTriples, "", 70},
		{"rdf-n-quads", NQuads, "", 87},
		{"rdf-turtle", Turtle, "https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-turtle/", 313},
		{"rdf-trig", TriG, "https://w3c.github.io/rdf-tests/rdf/rdf11/rdf-trig/", 356},
	} {
		t.Run(string(suite.format), func(t *testing.T) {
			dir := filepath.Join(root, "rdf", "rdf11", suite.folder)
			n := 0
			for _, test := range readManifest(t, filepath.Join(dir, "manifest.ttl")) {
				n++
				t.Run(test.name, func(t *testing.T) { runW3C(t, dir, suite.format, suite.base, test) })
			}
			if n != suite.tests {
				t.Errorf("the manifest has %d tests, expected %d", n, suite.tests)
			}
		})
	}
}

type w3cTest struct{ name, kind, action, result string }

func readManifest(t *testing.T, path string) []w3cTest {
	const base = "m:///"
	tests := map[string]*w3cTest{}
	for _, q := range readFile(t, path, Turtle, base+"manifest.ttl") {
		name := q.Subject.Value
		test := tests[name]
		if test == nil {
			test = &w3cTest{name: name[strings.IndexByte(name, '#')+1:]}
			tests[name] = test
		}
		value := strings.TrimPrefix(q.Object.Value, base)
		switch q.Predicate.Value {
		case rdf.RDFType:
			test.kind = value
		case manifestNS + "action":
			test.action = value
		case manifestNS + "result":
			test.result = value
		}
	}
	var out []w3cTest
	for _, test := range tests {
		if test.action != "" {
			out = append(out, *test)
		}
	}
	return out
}

func readFile(t *testing.T, path string, format Format, base string) []Quad {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	quads, err := readAll(data, format, base)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return quads
}

func readAll(data []byte, format Format, base string) (quads []Quad, err error) {
	err = Read(bytes.NewReader(data), format, base, func(q Quad) error {
		quads = append(quads, q)
		return nil
	})
	return quads, err
}

func runW3C(t *testing.T, dir string, format Format, base string, test w3cTest) {
	data, err := os.ReadFile(filepath.Join(dir, test.action))
	if err != nil {
		t.Fatal(err)
	}
	quads, err := readAll(data, format, base+test.action)
	if strings.Contains(test.kind, "Negative") {
		var fault *SyntaxError
		if !errors.As(err, &fault) {
			t.Fatalf("accepted, with %d quads and error %v", len(quads), err)
		}
		if fault.Line < 1 || fault.Column < 1 {
			t.Fatalf("no position in %v", fault)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(test.kind, "Eval") {
		if want := readFile(t, filepath.Join(dir, test.result), NQuads, ""); !isomorphism.Same(quads, want) {
			t.Fatalf("got\n%v\nwant\n%v", quads, want)
		}
	}
}
