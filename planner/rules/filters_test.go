package rules

import (
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/scope"
)

// TestFiltersGoNoDeeperThanTheirVariablesAreSeen: what a rule pushes where, as it is written above push.
func TestFiltersGoNoDeeperThanTheirVariablesAreSeen(t *testing.T) {
	for _, c := range []struct{ name, pattern, want string }{
		{"below a projection that exposes what the filter reads",
			`{ SELECT ?y { ?y :q ?b } } FILTER(?y > 1)`, `(project (?y) (filter (> ?y 1) (bgp (?y :q ?b))))`},
		{"not below one that hides a variable of its input",
			`{ SELECT ?y { ?y :q ?b } } FILTER(?y = ?b)`, `(filter (= ?y ?b) (project (?y) (bgp (?y :q ?b))))`},
		{"not below one that has nothing to do with a variable, which is then of the outside",
			`{ SELECT ?y { ?y :q ?b } } FILTER(?y = ?e)`, `(filter (= ?y ?e) (project (?y) (bgp (?y :q ?b))))`},
		{"below one that exposes a variable of the outside",
			`{ SELECT ?y ?e { ?y :q ?b } } FILTER(?y = ?e)`, `(project (?y ?e) (filter (= ?y ?e) (bgp (?y :q ?b))))`},
		{"not with an EXISTS that reads more than is exposed",
			`{ SELECT ?y { ?y :q ?b } } FILTER EXISTS { ?y :q ?e }`,
			`(filter (exists (bgp (?y :q ?e))) (project (?y) (bgp (?y :q ?b))))`},
		{"nor with one that reads it in a condition",
			`{ SELECT ?y { ?y :q ?b } } FILTER EXISTS { { SELECT DISTINCT ?y ?e { ?y :q 1 FILTER(?e = ?y) } } }`,
			`(filter (exists (distinct (project (?y ?e) (filter (= ?e ?y) (bgp (?y :q 1)))))) (project (?y) (bgp (?y :q ?b))))`},
		{"with an EXISTS that hides its own variables",
			`{ SELECT ?y { ?y :q ?b } } FILTER EXISTS { { SELECT ?y { ?y :q ?e } } }`,
			`(project (?y) (filter (exists (project (?y) (bgp (?y :q ?e)))) (bgp (?y :q ?b))))`},
		{"below DISTINCT, as far as the projection",
			`{ SELECT DISTINCT ?y { ?y :q ?b } } FILTER(?y = ?e)`,
			`(distinct (filter (= ?y ?e) (project (?y) (bgp (?y :q ?b)))))`},
		{"not below a group, nor below LIMIT",
			`{ SELECT ?y { ?y :q ?b } GROUP BY ?y } { SELECT ?z { ?z :q ?b } LIMIT 1 } FILTER(?y > 1) FILTER(?z > 1)`,
			`(join (project (?y) (filter (> ?y 1) (group ((?y ?y)) () (bgp (?y :q ?b))))) (filter (> ?z 1) (slice 0 1 (project (?z) (bgp (?z :q ?b))))))`},
		{"not below ORDER BY",
			`{ SELECT ?y { ?y :q ?b } ORDER BY ?b } FILTER(?y > 1)`,
			`(project (?y) (filter (> ?y 1) (order ((asc ?b)) (bgp (?y :q ?b)))))`},
		{"into both branches of a union, in each as deep as it may",
			`{ { SELECT ?y { ?y :q ?b } } UNION { ?y :q ?e } } FILTER(?y = ?e)`,
			`(union (filter (= ?y ?e) (project (?y) (bgp (?y :q ?b)))) (filter (= ?y ?e) (bgp (?y :q ?e))))`},
		{"not below GRAPH that binds what it reads",
			`GRAPH ?g { ?y :q ?b } FILTER(?y = ?g)`, `(filter (= ?y ?g) (graph ?g (bgp (?y :q ?b))))`},
		{"below GRAPH otherwise, but with no EXISTS",
			`GRAPH ?g { ?y :q ?b } FILTER(?y = ?e) FILTER EXISTS { ?y :q 1 }`,
			`(filter (exists (bgp (?y :q 1))) (graph ?g (filter (= ?y ?e) (bgp (?y :q ?b)))))`},
		{"to the left of MINUS, which the right side does not change",
			`?y :q ?b MINUS { ?y :q ?e } FILTER(?y = ?e)`,
			`(minus (filter (= ?y ?e) (bgp (?y :q ?b))) (bgp (?y :q ?e)))`},
		{"not to the left of OPTIONAL that binds what it reads",
			`?y :q ?b OPTIONAL { ?y :q ?e } FILTER(?y = ?e)`,
			`(filter (= ?y ?e) (leftjoin (bgp (?y :q ?b)) (bgp (?y :q ?e))))`},
		{"into an OPTIONAL from its condition, where the left side does not bind what it reads",
			`?y :q ?b OPTIONAL { ?z :q ?e FILTER(?z = ?e) FILTER(?z = ?b) }`,
			`(leftjoin (bgp (?y :q ?b)) (filter (= ?z ?e) (bgp (?z :q ?e))) (= ?z ?b))`},
		{"below BIND of another variable, and with the value of its own",
			`?y :q ?b BIND(?b + 1 AS ?n) FILTER(?y = ?e) FILTER(?n > 1)`,
			`(extend ?n (+ ?b 1) (filter (> (+ ?b 1) 1) (filter (= ?y ?e) (bgp (?y :q ?b)))))`},
		{"not below BIND of a variable that its EXISTS reads",
			`?y :q ?b BIND(?b + 1 AS ?n) FILTER EXISTS { ?y :q ?n }`,
			`(filter (exists (bgp (?y :q ?n))) (extend ?n (+ ?b 1) (bgp (?y :q ?b))))`},
	} {
		q, err := parser.Parse("PREFIX : <:> ASK { "+c.pattern+" }", parser.Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		w := New(t.Context(), scope.New(), false)
		got := strings.NewReplacer("<:q>", ":q", `"1"^^<http://www.w3.org/2001/XMLSchema#integer>`, "1").Replace(parser.FormatNode(w.Rewrite(q.Where)))
		if got != c.want {
			t.Errorf("%s:\n  %s\nbecomes\n  %s\ninstead of\n  %s", c.name, c.pattern, got, c.want)
		}
	}
}

// TestDistinctIsSortedAfter unless ORDER BY reads what is not projected.
func TestDistinctIsSortedAfter(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"SELECT DISTINCT ?x { ?x :q ?y } ORDER BY ?x", "(order ((asc ?x)) (distinct (project (?x) (bgp (?x :q ?y)))))"},
		{"SELECT DISTINCT ?x { ?x :q ?y } ORDER BY ?y", "(distinct (project (?x) (order ((asc ?y)) (bgp (?x :q ?y)))))"},
		{"SELECT DISTINCT ?x { ?x :q ?y } ORDER BY ?z", "(distinct (project (?x) (order ((asc ?z)) (bgp (?x :q ?y)))))"},
		{"SELECT DISTINCT ?x { ?x :q ?y } ORDER BY EXISTS { ?x :q ?x }", "(distinct (project (?x) (order ((asc (exists (bgp (?x :q ?x))))) (bgp (?x :q ?y)))))"},
		{"SELECT DISTINCT ?x { ?x :q ?y } ORDER BY RAND()", "(distinct (project (?x) (order ((asc (RAND))) (bgp (?x :q ?y)))))"},
	} {
		q, err := parser.Parse("PREFIX : <:> "+c.query, parser.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := New(t.Context(), scope.New(), false)
		if got := strings.ReplaceAll(parser.FormatNode(w.Rewrite(q.Where)), "<:q>", ":q"); got != c.want {
			t.Errorf("%s:\n%s\ninstead of\n%s", c.query, got, c.want)
		}
	}
}
