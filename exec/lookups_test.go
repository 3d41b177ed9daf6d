package exec_test

import (
	"fmt"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"pgregory.net/rapid"
)

// TestTheDeviceLooksRowsUp in tables of the solutions of another pattern, where a join asks no more of these.
func TestTheDeviceLooksRowsUp(t *testing.T) {
	var quads []quad
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	for i := range 40 {
		for k := 1; k <= 1+i%4; k++ {
			quads = append(quads, quad{subject: iri(fmt.Sprint("v", i)), predicate: iri("p"), object: iri(fmt.Sprint("v", (i*k+k)%40))})
			if k == 2 {
				quads = append(quads, quad{subject: iri(fmt.Sprint("v", (i+k)%40)), predicate: iri("q"), object: iri(fmt.Sprint("v", i*i%40))})
			}
		}
		quads = append(quads, quad{subject: iri(fmt.Sprint("v", i)), predicate: iri("n"), object: integer(i % 7)})
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query string
		looks bool
	}{
		{"SELECT ?a ?b { ?a :p ?b { SELECT DISTINCT ?b { ?b :q ?c . ?c :p ?d } } }", true},
		{"SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b { SELECT DISTINCT ?b { ?b :q ?c . ?c :p ?d } } } GROUP BY ?a", true},
		{"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?a :n ?n { SELECT ?b (COUNT(*) AS ?k) { ?b :q ?c . ?c :p ?d } GROUP BY ?b } } GROUP BY ?a", true},
		{"SELECT ?a ?c { ?a :p ?b . ?b :p ?c MINUS { ?a :p ?d . ?d :p ?e . ?e :q ?c } }", true},
		{"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c MINUS { ?a :p ?d . ?d :p ?e . ?e :q ?c } }", true},
		{"SELECT ?a ?c { ?a :p ?b . ?b :p ?c MINUS { ?a :p ?d . ?d :q ?c } }", false}, // a branch, as the next is
		{"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c MINUS { ?a :p ?d . ?d :q ?c } }", false},
		{"SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c { ?a :q ?c } UNION { ?c :q ?a } UNION { ?a :p ?d . ?d :q ?c } } GROUP BY ?a", true},
		{"SELECT ?b (COUNT(*) AS ?n) { ?a :p ?b OPTIONAL { ?a :p ?d . ?d :p ?e . ?e :q ?b } } GROUP BY ?b", true},
		{"SELECT ?b (COUNT(*) AS ?n) { ?a :p ?b OPTIONAL { ?a :p ?d . ?d :q ?b } } GROUP BY ?b", false},
		{"SELECT ?b (COUNT(?n) AS ?k) (SUM(?n * 2) AS ?s) { ?a :p ?b . ?a :n ?n OPTIONAL { { ?a :q ?b } UNION { ?b :p ?a } } FILTER(?n > 1 || ?n * 3 < 2) } GROUP BY ?b", true},
		{"SELECT DISTINCT ?a { ?a :p ?b { SELECT ?b (COUNT(*) AS ?k) { ?b :q ?c . ?c :p ?d } GROUP BY ?b HAVING(COUNT(*) > 2) } }", true},
		{"SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b { SELECT ?b { ?x :p ?b } GROUP BY ?b HAVING(COUNT(*) > 2) } } GROUP BY ?a", true},
		{"SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b { SELECT ?b { ?x :p ?b . ?x :q ?y } GROUP BY ?b HAVING(COUNT(*) <= 2) } } GROUP BY ?a", true},
		{"SELECT ?a ?b { ?a :p ?b { SELECT DISTINCT ?b { ?b :q ?c . ?c :p ?d } } } ORDER BY ?a ?b LIMIT 5", true},
		{"SELECT ?a ?b { ?a :p ?b { SELECT DISTINCT ?b { ?b :q ?c . ?c :p ?d } } } LIMIT 1000", false},
		{"SELECT ?a ?b ?k { ?a :p ?b { SELECT ?b (COUNT(*) AS ?k) { ?b :q ?c . ?c :p ?d } GROUP BY ?b } }", false},
		{"SELECT ?a ?b { ?a :p ?b { ?b :q ?c } UNION { ?c :q ?b } }", false},
		{"SELECT ?a ?b { ?a :p ?b OPTIONAL { ?a :p ?d . ?d :q ?b } }", false},
	} {
		d, err := emulate()
		if err != nil {
			t.Fatal(err)
		}
		answersAs(t, m, c.query, d)
		if looks := d.lookedUp.Load() > 0; looks != c.looks {
			t.Errorf("%s: looked up on the device: %v", c.query, looks)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// joinQuery draws a query in which rows of a pattern meet those of another, of which few variables or none are asked for.
func (g *generator) joinQuery() string {
	pattern := g.oneOf("?a :p0 ?b . ", "?a :p0 ?b . ?b :p1 ?c . ", "?a :p0 ?b . ?a :n ?n . ", "?a :p0 ?b . ?b :p0 ?c . ?c :n ?n . ")
	other := g.oneOf("?a :p1 ?d . ?d :p0 ?b . ", "?b :p1 ?d . ?d :p0 ?e . ", "?a :p0 ?e . ?e :p0 ?b . ?b :p1 ?f . ", "{ ?b :p1 ?d } UNION { ?d :p0 ?b } ", "?a :p1 ?b ", "{ ?a :p1 ?b } UNION { ?a :p0 ?b . ?b :p0 ?a } UNION { ?b :p1 ?b . ?a :p0 ?e } ",
		"?b :n ?n FILTER(?n > 0) ", "?b :p1* ?a ", "VALUES (?a ?b) { (:n0 :n1) (:n1 :n1) (:n0 :n1) (:n2 :n0) } ")
	switch g.pick(6) {
	case 0:
		pattern += "{ SELECT DISTINCT " + g.oneOf("?a ?b", "?b", "?b ?d") + " { " + other + "} } "
	case 1:
		key := g.oneOf("?a ?b", "?b", "?a")
		pattern += "{ SELECT " + key + " (COUNT(*) AS ?k) { " + other + "} GROUP BY " + key + g.oneOf("", " HAVING(COUNT(*) > 1)", " HAVING(COUNT(*) >= 2)", " HAVING(COUNT(*) <= 1)", " HAVING(COUNT(*) = 2)", " HAVING(COUNT(*) > 1 && COUNT(*) < 3)") + " } "
	case 2:
		pattern += "MINUS { " + other + "} "
	case 3:
		pattern += "OPTIONAL { " + other + "} "
	case 4:
		pattern += "{ " + other + "} "
	default:
		pattern = "{ SELECT DISTINCT ?a ?b { " + other + "} } " + pattern
	}
	pattern += g.oneOf("", "", "FILTER(?a != ?b) ", "FILTER(?n + ?n > 1) ", "OPTIONAL { ?a :p1 ?g } ")
	switch g.pick(5) {
	case 0:
		return "SELECT " + g.oneOf("?a ?b", "?a", "DISTINCT ?b", "?c ?a ?n", "?k ?b") + " { " + pattern + "}"
	case 1:
		return "SELECT (COUNT(*) AS ?x) { " + pattern + "}"
	}
	key := g.oneOf("?a", "?b", "?a ?b", "?n")
	return "SELECT " + key + " (" + g.oneOf("COUNT(*)", "SUM(?n)", "COUNT(?n)", "SUM(?n * 2)", "COUNT(DISTINCT ?b)") + " AS ?x) { " + pattern + "} GROUP BY " + key
}

// TestRowsAreLookedUpTheSame compares joins of random graphs on a device with the processor and the reference evaluator.
func TestRowsAreLookedUpTheSame(t *testing.T) {
	looked, folded := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		var quads []quad
		for range 6 + g.pick(24) {
			quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(fmt.Sprintf("%sp%d", exampleNS, g.pick(2))), object: node(g.pick(4))})
		}
		for range g.pick(8) {
			quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(exampleNS + "n"), object: integer(g.pick(5) - 2)})
		}
		d := g.sameOnDevice(t, quads, "PREFIX : <"+exampleNS+"> "+g.joinQuery(), true)
		looked, folded = looked+int(d.lookedUp.Load()), folded+int(d.folded.Load())
	})
	if !testing.Short() && (looked == 0 || folded == 0) {
		t.Errorf("the device looked up rows of %d matches and folded %d batches", looked, folded)
	}
}
