package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func TestServicesAreRefusedUnlessAllowed(t *testing.T) {
	m := many(t, 3)
	q := parse(t, "SELECT * { SERVICE <http://elsewhere/sparql> { ?x ?p ?y } }")
	if _, err := m.run(q, onProcessor()); !errors.Is(err, exec.ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
}

// TestSilentServicesThatMayNotBeAskedBindNothing: one solution, whatever stands in the way.
func TestSilentServicesThatMayNotBeAskedBindNothing(t *testing.T) {
	m := many(t, 3)
	refusing := onProcessor()
	refusing.Service = func(context.Context, string, string, []string, func([]rdf.Term) error) error {
		return exec.ErrUnsupported
	}
	for text, want := range map[string]int{
		"{ SERVICE SILENT <http://elsewhere/sparql> { ?x ?p ?y } }":                                 1,
		"{ ?x :number ?n SERVICE SILENT <http://elsewhere/sparql> { ?x ?p ?y } }":                   3,
		"{ ?x :number ?n OPTIONAL { SERVICE SILENT <http://elsewhere/sparql> { ?x ?p ?y } } }":      3,
		"{ ?x :number ?n MINUS { SERVICE SILENT <http://elsewhere/sparql> { ?x ?p ?y } } }":         3,
		"{ ?x :number ?n FILTER EXISTS { SERVICE SILENT <http://elsewhere/sparql> { ?x ?p ?y } } }": 3,
		"{ ?x :number ?n SERVICE SILENT ?x { ?x ?p ?y } }":                                          3,
		"{ ?x :number ?n SERVICE SILENT ?n { ?x ?p ?y } }":                                          3,
		"{ SERVICE SILENT ?e { ?x ?p ?y } }":                                                        1,
		"{ SERVICE SILENT <http://e/sparql> {} SERVICE SILENT <http://f/sparql> { ?x ?p ?y } }":     1,
	} {
		for _, o := range []exec.Options{onProcessor(), refusing} {
			a, err := m.run(parse(t, "PREFIX : <"+exampleNS+"> SELECT * "+text), o)
			if err != nil {
				t.Errorf("%s: %v", text, err)
			} else if len(a.rows) != want {
				t.Errorf("%s: %d rows, want %d", text, len(a.rows), want)
			}
		}
	}
}

func TestBindingsGoToTheServiceAsValues(t *testing.T) {
	m := many(t, 500)
	var queries []string
	o := onProcessor()
	o.Service = func(_ context.Context, endpoint, query string, variables []string, row func([]rdf.Term) error) error {
		if endpoint == "http://broken/sparql" {
			return errors.New("broken")
		}
		queries = append(queries, query)
		q := parse(t, query)
		a, err := m.run(q, onProcessor())
		if err != nil {
			return err
		}
		for _, r := range a.rows {
			if err := row(r); err != nil {
				return err
			}
		}
		return nil
	}
	for text, want := range map[string]int{
		"SELECT * { ?x :number ?n FILTER(?n < 300) SERVICE <http://elsewhere/sparql> { ?x :link ?y } }":                         300,
		"SELECT * { ?x :number ?n FILTER(?n < 300) OPTIONAL { SERVICE <http://elsewhere/sparql> { ?x :link :i17 } } }":          300,
		"SELECT * { ?x :number ?n FILTER(?n < 7) SERVICE SILENT <http://broken/sparql> { ?x :link ?y } }":                       7,
		"SELECT * { ?x :number 3 SERVICE <http://elsewhere/sparql> { ?x :link ?y } SERVICE <http://e/sparql> { ?y :link ?z } }": 1,
	} {
		queries = nil
		a, err := m.run(parse(t, "PREFIX : <"+exampleNS+">\n"+text), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.rows) != want {
			t.Errorf("%s: %d rows, want %d", text, len(a.rows), want)
		}
		for _, q := range queries {
			if !strings.Contains(q, "VALUES (?") || strings.Count(q, "\n") > 0 {
				t.Errorf("%s: asked without bindings: %.80s", text, q)
			}
		}
	}
	if _, err := m.run(parse(t, "SELECT * { SERVICE <http://broken/sparql> { ?x ?p ?y } }"), o); err == nil {
		t.Error("a broken service that is not SILENT is no error")
	}
}
