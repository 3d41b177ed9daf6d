package updatetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Engine is a graph store that is empty at first.
type Engine interface {
	// Load adds the quads of one document.
	Load(quads []rdf.Quad) error
	// Update does a request as one transaction; base resolves its relative IRIs.
	Update(request, base string) error
	// Quads are all quads, in any order.
	Quads() ([]rdf.Quad, error)
}

// EvaluationTest is a request, and what it makes of a data set.
type EvaluationTest struct {
	// Name is that of the suite's folder and of the test.
	Name string
	// Request is the text of the update, Base the IRI of its file.
	Request, Base string
	Before, After []rdf.Quad
}

// suites are the folders with update evaluation tests and how many each has.
var suites = map[string]int{
	"add": 8, "basic-update": 13, "clear": 4, "copy": 6, "delete": 19, "delete-data": 6, "delete-insert": 9, "delete-where": 6,
	"drop": 4, "move": 6, "update-silent": 13,
}

// EvaluationTests reads the 94 update evaluation tests below the folder of the SPARQL 1.1 suites.
func EvaluationTests(folder string) (tests []EvaluationTest, err error) {
	for suite, count := range suites {
		list, err := readSuite(filepath.Join(folder, suite))
		if err != nil {
			return nil, err
		}
		if len(list) != count {
			return nil, fmt.Errorf("%s has %d tests instead of %d", suite, len(list), count)
		}
		tests = append(tests, list...)
	}
	slices.SortStableFunc(tests, func(a, b EvaluationTest) int { return strings.Compare(a.Name, b.Name) })
	return tests, nil
}

func readSuite(folder string) (tests []EvaluationTest, err error) {
	d, err := ReadDocument(filepath.Join(folder, "manifest.ttl"))
	if err != nil {
		return nil, err
	}
	for _, entry := range d.OfType("UpdateEvaluationTest") {
		action := d.One(entry, "action")
		request := d.One(action, "request")
		text, err := os.ReadFile(filePath(request))
		if err != nil {
			return nil, err
		}
		test := EvaluationTest{Name: filepath.Base(folder) + "/" + LocalName(entry), Request: string(text), Base: request.Value}
		if test.Before, err = d.dataset(action); err != nil {
			return nil, err
		}
		if test.After, err = d.dataset(d.One(entry, "result")); err != nil {
			return nil, err
		}
		tests = append(tests, test)
	}
	return tests, nil
}

// dataset reads the files of a data set: ut:data is its default graph, each ut:graphData a graph and its name.
func (d Document) dataset(of rdf.Term) (quads []rdf.Quad, err error) {
	files := 0
	add := func(file, graph rdf.Term) error {
		list, err := readFile(filePath(file))
		files++
		for _, q := range list {
			q.Graph = graph
			for _, t := range []*rdf.Term{&q.Subject, &q.Object} {
				if t.Kind == rdf.BlankNode { // of this file
					t.Value = fmt.Sprintf("f%d%s", files, t.Value)
				}
			}
			quads = append(quads, q)
		}
		return err
	}
	for _, file := range d.Objects[of]["data"] {
		if err := add(file, rdf.Term{}); err != nil {
			return nil, err
		}
	}
	for _, g := range d.Objects[of]["graphData"] {
		if err := add(d.One(g, "graph"), rdf.NewIRI(d.One(g, "label").Value)); err != nil {
			return nil, err
		}
	}
	return quads, nil
}

// Folder is the folder of the SPARQL 1.1 suites; t is skipped without one.
func Folder(t *testing.T) string {
	t.Helper()
	root := os.Getenv("RDFGPU_W3C")
	if root == "" {
		t.Skip("RDFGPU_W3C does not name the folder of the W3C tests")
	}
	return filepath.Join(root, "sparql", "sparql11")
}

// RunEvaluation runs all update evaluation tests, each in a store that open makes.
func RunEvaluation(t *testing.T, open func(t *testing.T) Engine) {
	tests, err := EvaluationTests(Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.Name, func(t *testing.T) {
			if err := test.Run(open(t)); err != nil {
				t.Errorf("%v\n%s", err, test.Request)
			}
		})
	}
}

// Run does the test's request in an empty store.
func (e *EvaluationTest) Run(engine Engine) error {
	if err := engine.Load(e.Before); err != nil {
		return err
	}
	if err := engine.Update(e.Request, e.Base); err != nil {
		return err
	}
	got, err := engine.Quads()
	if err != nil {
		return err
	}
	return Compare(got, e.After)
}

// Compare says in which quads two data sets differ that are not the same up to blank nodes.
func Compare(got, want []rdf.Quad) error {
	if isomorphism.Same(got, want) {
		return nil
	}
	return fmt.Errorf("the store has\n%sinstead of\n%s", Format(got), Format(want))
}

// Format writes quads as sorted lines of N-Quads.
func Format(quads []rdf.Quad) string {
	var lines []string
	for _, q := range quads {
		line := fmt.Sprint(q.Subject, " ", q.Predicate, " ", q.Object)
		if !q.Graph.IsZero() {
			line += " " + q.Graph.String()
		}
		lines = append(lines, line+" .\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}
