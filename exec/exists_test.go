package exec_test

import (
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// TestEXISTSKnowsItsOutside: which variables of an EXISTS are those of the solution it is asked for, which are its own.
func TestEXISTSKnowsItsOutside(t *testing.T) {
	m, err := readTriG(`:a :q :c . :c :q :b . :n :v 7 .`)
	if err != nil {
		t.Fatal(err)
	}
	var quads []quad
	for _, s := range []string{"a q c", "c q b"} {
		f := strings.Fields(s)
		quads = append(quads, quad{subject: rdf.NewIRI(exampleNS + f[0]), predicate: rdf.NewIRI(exampleNS + f[1]), object: rdf.NewIRI(exampleNS + f[2])})
	}
	quads = append(quads, quad{subject: rdf.NewIRI(exampleNS + "n"), predicate: rdf.NewIRI(exampleNS + "v"), object: integer(7)})
	const outer = "SELECT * { ?c :q ?e "
	for _, c := range []struct {
		name, query string
		want        int
	}{
		{"a condition beside a subquery that hides what it reads", outer + "FILTER EXISTS { { SELECT ?y { ?y :q ?b } } FILTER(?e = ?y) } }", 1},
		{"beside a grouping subquery", outer + "FILTER NOT EXISTS { { SELECT ?y (COUNT(*) AS ?n) { ?y :q ?b } GROUP BY ?y } FILTER(?y = ?e) } }", 1},
		{"beside a subquery with DISTINCT", outer + "FILTER EXISTS { { SELECT DISTINCT ?y { ?y :q ?b } } FILTER(?e = ?y) } }", 1},
		{"beside a subquery with LIMIT", outer + "FILTER EXISTS { { SELECT ?y { ?y :q ?b } ORDER BY ?y LIMIT 1 } FILTER(?c = ?y) } }", 1},
		{"beside a union of subqueries", outer + "FILTER EXISTS { { { SELECT ?y { ?y :q ?b } } UNION { SELECT ?y { ?y :v ?b } } } FILTER(?e = ?y) } }", 1},
		{"in further braces", outer + "FILTER EXISTS { { { { SELECT ?y { ?y :q ?b } } FILTER(?e = ?y) } } } }", 1},
		{"in OPTIONAL", outer + "FILTER EXISTS { ?c :q ?z OPTIONAL { { SELECT ?y { ?y :q ?b } } FILTER(?e = ?y) } FILTER BOUND(?y) } }", 1},
		{"in MINUS", outer + "FILTER EXISTS { ?y :q ?z MINUS { { SELECT ?y { ?y :q ?b } } FILTER(?e = ?y) } } }", 2},
		{"in BIND", outer + "BIND(EXISTS { { SELECT ?y { ?y :q ?b } } FILTER(?e = ?y) } AS ?x) FILTER(?x) }", 1},
		{"an EXISTS beside a subquery", outer + "FILTER EXISTS { { SELECT ?y { ?y :q ?b } } FILTER EXISTS { ?y :q ?z FILTER(?e = ?y) } } }", 1},
		{"a NOT EXISTS beside a subquery", outer + "FILTER EXISTS { { SELECT ?y { ?y :q ?b } } FILTER NOT EXISTS { ?y :q ?z FILTER(?e != ?y) } } }", 1},
		{"a subquery that selects a variable of the outside reads it", outer + "FILTER EXISTS { { SELECT DISTINCT ?y ?e { ?y :q ?b FILTER(?e = ?y) } } } }", 1},
		{"so does one that is sorted", outer + "FILTER EXISTS { { SELECT ?y ?e { ?y :q ?b FILTER(?e = ?y) } ORDER BY ?b } } }", 1},
		{"one that does not select it has its own", outer + "FILTER EXISTS { { SELECT ?y { ?y :q ?b FILTER(?e = ?y) } } } }", 0},
		{"LIMIT takes from all solutions", outer + "FILTER EXISTS { { SELECT ?c { ?c :q ?b } ORDER BY ?c LIMIT 1 } } }", 1},
		{"a condition in braces sees no variable beside them", outer + "FILTER EXISTS { ?c :q ?x { ?y :q ?z FILTER(?x = ?z) } } }", 0},
		{"it is unbound there", outer + "FILTER EXISTS { ?c :q ?x { ?y :q ?z FILTER(!BOUND(?x)) } } }", 2},
		{"nor in braces of an OPTIONAL", outer + "FILTER EXISTS { ?c :q ?x OPTIONAL { { ?y :q ?z FILTER(?x = ?z && ?c = ?c) } } FILTER BOUND(?z) } }", 0},
		{"nor does a nested EXISTS", outer + "FILTER EXISTS { ?c :q ?x { ?y :q ?z FILTER EXISTS { ?x :q :b FILTER(?e = ?e) } FILTER NOT EXISTS { :a :q ?x } } } }", 0},
		{"the solution is seen there", outer + "FILTER EXISTS { ?c :q ?x { ?y :q ?z FILTER(?c = ?y && ?e = ?z) } } }", 2},
		{"a path from a value beside it starts at vertices only",
			"SELECT * { ?c :q ?e FILTER EXISTS { ?c :q ?x VALUES ?k { \"none\" } ?k :p* ?j FILTER(?e = ?e) } }", 0},
		{"a path from a value of the outside starts there", "SELECT * { VALUES ?k { \"none\" } FILTER EXISTS { ?k :p* ?j } }", 1},
		{"one name selected, another hidden", outer + "FILTER EXISTS { { SELECT ?c { ?c :q ?e } } FILTER(?e = :c) } }", 1},
	} {
		q := parse(t, "PREFIX : <"+exampleNS+"> "+c.query)
		if n := len(reference1(quads, nil, q, bgp.Homomorphism)); n != c.want {
			t.Errorf("%s: the reference has %d solutions instead of %d", c.name, n, c.want)
		}
		for _, off := range []bool{false, true} {
			o := onProcessor()
			o.Unoptimised = off
			a, err := m.run(q, o)
			if err != nil || len(a.rows) != c.want {
				t.Errorf("%s, rewriting off %v: %d solutions instead of %d, error %v\n%s", c.name, off, len(a.rows), c.want, err, c.query)
			}
		}
	}
}
