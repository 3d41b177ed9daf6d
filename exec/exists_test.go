package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
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

// TestACountBeginsWithWhatPatternsHangOn: counted by weights, a pattern begins with the vertex that EXISTS and the like hang on, of which only
// those are looked at that have what must exist.
func TestACountBeginsWithWhatPatternsHangOn(t *testing.T) {
	const subjects, objects, each = 6000, 700, 4
	iri := func(kind string, i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("%s%s%d", exampleNS, kind, i)) }
	p, few := rdf.NewIRI(exampleNS+"p"), rdf.NewIRI(exampleNS+"few")
	var quads []quad
	for x := range subjects {
		for k := range each {
			quads = append(quads, quad{subject: iri("x", x), predicate: p, object: iri("a", (x*13+k*k+k)%objects)})
		}
		for k := range x % 100 / 98 * 2 {
			quads = append(quads, quad{subject: iri("x", x), predicate: few, object: iri("b", x+k)})
		}
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	const having = subjects / 100 * 2
	for text, want := range map[string]int{
		"?x :p ?a FILTER EXISTS { ?x :few ?b }":                               each * having,
		"?x :p ?a FILTER NOT EXISTS { ?x :few ?b }":                           each * (subjects - having),
		"?x :p ?a OPTIONAL { ?x :few ?b }":                                    each * (subjects + having),
		"?x :p ?a MINUS { ?x :few ?b }":                                       each * (subjects - having),
		"?x :p ?a FILTER EXISTS { ?x :few ?b } OPTIONAL { ?x :few ?c }":       2 * each * having,
		"?x :p ?a FILTER EXISTS { ?x :few ?b FILTER EXISTS { ?x :p ?c } }":    each * having,
		"?x :p ?a FILTER EXISTS { ?x :few ?b } FILTER EXISTS { ?x :none ?b }": 0,
	} {
		q := parse(t, "PREFIX : <"+exampleNS+"> SELECT (COUNT(*) AS ?n) { "+text+" }")
		plan, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.run(q, onProcessor())
		if err != nil || len(a.rows) != 1 || a.rows[0][0] != integer(want) {
			t.Errorf("%s: %v, error %v instead of %d", text, a, err, want)
		}
		if e := plan.Explain(); want > 0 && !strings.Contains(firstStep(e), "?x: ") {
			t.Errorf("%s begins with %s", text, firstStep(e))
		}
	}
}

// firstStep is the first step of the first match of a plan.
func firstStep(e *exec.Explain) string {
	if len(e.Steps) > 0 {
		return e.Steps[0]
	}
	for _, c := range e.Children {
		if s := firstStep(c); s != "" {
			return s
		}
	}
	return ""
}

// asked are queries with EXISTS that no match takes in.
var asked = []string{
	"SELECT ?x ?v { ?x :integer ?v FILTER EXISTS { ?x :many ?m . ?y :many ?m ; :integer ?w FILTER(?w > ?v) } }",
	"SELECT ?x ?b { ?x :few ?g BIND(EXISTS { ?x :some ?s FILTER(STRLEN(?s) > STRLEN(STR(?x)) - 20) } AS ?b) }",
	"SELECT ?x { ?x :few ?g FILTER(?g = :f0 || EXISTS { { ?x :late 3 } UNION { ?x :many ?m . ?y :many ?m ; :late 5 FILTER(?y != ?x) } }) }",
	"SELECT ?x ?m { ?x :many ?m FILTER NOT EXISTS { { SELECT ?m { ?y :many ?m ; :integer ?w } GROUP BY ?m HAVING(SUM(?w) > 500) } } }",
	"SELECT ?x { ?x :integer ?v FILTER EXISTS { { SELECT ?y ?v { ?y :late ?v FILTER(?v > 3) } LIMIT 100 } FILTER(?y != ?x) } }",
	"SELECT ?x { ?x :integer ?v OPTIONAL { ?x :some ?s } FILTER EXISTS { ?x :many ?m OPTIONAL { ?x :some ?s } ?y :many ?m ; :some ?s FILTER(?y != ?x) } }",
	"SELECT ?g (COUNT(*) AS ?n) { ?x :few ?g ; :integer ?v FILTER EXISTS { ?x :many/^:many ?y . ?y :integer ?w FILTER(?w < ?v) } } GROUP BY ?g",
	"SELECT ?b (COUNT(*) AS ?n) { ?x :integer ?v } GROUP BY (EXISTS { ?x :some ?s FILTER EXISTS { ?y :late ?v FILTER(STR(?y) > STR(?x)) } } AS ?b)",
	"SELECT ?x ?v { ?x :integer ?v } ORDER BY (EXISTS { ?x :some ?s FILTER(STRLEN(?s) > ?v) }) ?v ?x LIMIT 500",
	"SELECT ?x ?w { ?x :late ?v OPTIONAL { ?x :integer ?w FILTER EXISTS { ?x :some ?s FILTER(STRLEN(?s) > ?v) } } }",
	"SELECT ?x { ?x :integer ?v FILTER EXISTS { ?x :many ?m BIND(BNODE(STR(?m)) AS ?b) BIND(BNODE(STR(?m)) AS ?c) FILTER(?b = ?c && ?v > 0) } }",
	"SELECT ?x { ?x :integer ?v FILTER EXISTS { VALUES (?v ?k) { (1 2) (5 6) (7 UNDEF) } ?x :late ?k } }",
	"SELECT ?x { ?x :integer ?v FILTER EXISTS { ?x (:many/^:many)+ ?y . ?y :late ?k FILTER(?k > ?v) } }",
}

// TestGoroutinesThatAskEXISTSFindWhatOneDoes compares rows, of plans that are measured too; what is measured of all goroutines adds up.
func TestGoroutinesThatAskEXISTSFindWhatOneDoes(t *testing.T) {
	m := mixed(t, 4_100)
	for i, text := range asked {
		if leftOut(i) {
			continue
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			q := parse(t, "PREFIX : <"+exampleNS+">\n"+text)
			want, err := m.run(q, unshared())
			if err != nil {
				t.Fatal(err)
			}
			if len(want.rows) == 0 {
				t.Fatal("no rows")
			}
			for name, o := range map[string]exec.Options{"shared": shared(), "found by three": byMany(3), "in pieces": inPieces(3)} {
				got, err := m.run(q, o)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := equalRows(want.rows, got.rows, false); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			p, err := exec.Prepare(t.Context(), q, m, m.dict, shared())
			if err != nil {
				t.Fatal(err)
			}
			p.Analyze()
			rows, err := collect(p)
			if err != nil || len(rows) != len(want.rows) || p.Explain().Rows != uint64(len(rows)) {
				t.Errorf("measured: %d rows, said to be %d, instead of %d, %v", len(rows), p.Explain().Rows, len(want.rows), err)
			}
		})
	}
}
