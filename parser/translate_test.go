package parser

import (
	"strings"
	"testing"
)

func TestAlgebra(t *testing.T) {
	const prologue = "BASE <http://b/> PREFIX : <> "
	short := strings.NewReplacer("<http://b/", "<", "<http://www.w3.org/2001/XMLSchema#", "<xsd:",
		"<http://www.w3.org/1999/02/22-rdf-syntax-ns#", "<rdf:")
	for _, c := range []struct{ name, query, want string }{
		{"a basic graph pattern goes on over filters",
			`SELECT * { ?s :p ?o FILTER(?o > 1) ?o :q 2 , "x"@en }`,
			`(project (?s ?o) (filter (> ?o "1"^^<xsd:integer>) (bgp (?s <p> ?o) (?o <q> "2"^^<xsd:integer>) (?o <q> "x"@en))))`},
		{"filters of a group are one conjunction",
			`SELECT ?s { FILTER(?a) ?s ?p ?o FILTER(?b) }`,
			`(project (?s) (filter (&& ?a ?b) (bgp (?s ?p ?o))))`},
		{"the filter of an optional group becomes its condition",
			`ASK { ?s :p ?o OPTIONAL { ?s :q ?x FILTER(?x < ?o) } }`,
			`(leftjoin (bgp (?s <p> ?o)) (bgp (?s <q> ?x)) (< ?x ?o))`},
		{"the filter of a group inside an optional group stays there",
			`ASK { ?s :p ?o OPTIONAL { { ?s :q ?x FILTER(?x < ?o) } } }`,
			`(leftjoin (bgp (?s <p> ?o)) (filter (< ?x ?o) (bgp (?s <q> ?x))))`},
		{"an optional group at the start joins the unit",
			`ASK { OPTIONAL { ?s :q ?x } }`, `(leftjoin (bgp) (bgp (?s <q> ?x)))`},
		{"unions associate to the left and join",
			`ASK { ?s :p ?o { ?s :a ?x } UNION { ?s :b ?x } UNION {} }`,
			`(join (bgp (?s <p> ?o)) (union (union (bgp (?s <a> ?x)) (bgp (?s <b> ?x))) (bgp)))`},
		{"minus keeps the left variables only",
			`SELECT * { ?s :p ?o MINUS { ?s :q ?x } ?s :r ?y }`,
			`(project (?s ?o ?y) (join (minus (bgp (?s <p> ?o)) (bgp (?s <q> ?x))) (bgp (?s <r> ?y))))`},
		{"bind ends the basic graph pattern",
			`SELECT * { ?s :p ?o BIND(?o + 1 AS ?z) ?s :q ?z }`,
			`(project (?s ?o ?z) (join (extend ?z (+ ?o "1"^^<xsd:integer>) (bgp (?s <p> ?o))) (bgp (?s <q> ?z))))`},
		{"values inline and at the end",
			`SELECT * { ?s :p ?o VALUES (?o ?k) { (1 UNDEF) (:x true) } } VALUES ?s { <y> }`,
			`(project (?s ?o ?k) (join (join (bgp (?s <p> ?o)) (table (?o ?k) (row "1"^^<xsd:integer> UNDEF) (row <x> "true"^^<xsd:boolean>))) (table (?s) (row <y>))))`},
		{"graph and service",
			`ASK { GRAPH ?g { ?s :p ?o } SERVICE SILENT <e> { ?s :q "a\"b", 'c'@en, "d"^^:t FILTER(?s<-1) } }`,
			`(join (graph ?g (bgp (?s <p> ?o))) (service silent <e> "{ ?s <q> \"a\\\"b\" , 'c'@en , \"d\"^^<t> FILTER ( ?s < -1 ) }"))`},
		{"sequences and inverses become triples",
			`ASK { ?a :p/^:q/:r ?b }`, `(bgp (?a <p> ?_:p1) (?_:p2 <q> ?_:p1) (?_:p2 <r> ?b))`},
		{"alternatives become unions",
			`ASK { ?a :p|(:q/:r) ?b }`, `(union (bgp (?a <p> ?b)) (bgp (?a <q> ?_:p1) (?_:p1 <r> ?b)))`},
		{"repetition stays a path",
			`ASK { ?a ^(:p+) ?b . ?b (:p/^:q|:r)*/:s ?c }`,
			`(join (join (bgp (?_:p1 <s> ?c)) (path ?b (+ <p>) ?a)) (path ?b (* (| (/ <p> (^ <q>)) <r>)) ?_:p1))`},
		{"negated property sets",
			`ASK { ?a !(:p|^a) ?b . ?b !() ?c }`, `(join (path ?a (! <p> ^<rdf:type>) ?b) (path ?b (!) ?c))`},
		{"blank nodes and collections",
			`ASK { [ :p _:x ] :q (1 ?y) . _:x :r [] }`,
			`(bgp (?_:a6 <p> ?_:ux) (?_:l21 <rdf:first> "1"^^<xsd:integer>) (?_:l21 <rdf:rest> ?_:l23) (?_:l23 <rdf:first> ?y) (?_:l23 <rdf:rest> <rdf:nil>) (?_:a6 <q> ?_:l21) (?_:ux <r> ?_:a36))`},
		{"aggregates",
			`SELECT ?k (COUNT(DISTINCT ?x) + 1 AS ?n) { ?k :p ?x } GROUP BY ?k HAVING (SUM(?x) > 1 && ?x) ORDER BY DESC(COUNT(DISTINCT ?x)) ?n LIMIT 5 OFFSET 2`,
			`(slice 2 5 (project (?k ?n) (order ((desc ?_:s3) (asc ?n)) (extend ?n (+ ?_:s3 "1"^^<xsd:integer>) (filter (&& (> ?_:s1 "1"^^<xsd:integer>) ?_:s2) (group ((?k ?k)) ((?_:s1 SUM ?x) (?_:s2 SAMPLE ?x) (?_:s3 COUNT distinct ?x)) (bgp (?k <p> ?x))))))))`},
		{"an aggregate without GROUP BY makes one group",
			`SELECT (COUNT(*) AS ?n) (GROUP_CONCAT(?x; SEPARATOR="; ") AS ?c) { ?k :p ?x }`,
			`(project (?n ?c) (extend ?c ?_:s2 (extend ?n ?_:s1 (group () ((?_:s1 COUNT *) (?_:s2 GROUP_CONCAT ?x "; ")) (bgp (?k <p> ?x))))))`},
		{"behind GROUP BY, SELECT may name an expression as a variable of the pattern is named",
			`SELECT (123 AS ?z) (COUNT(?z) AS ?x) { ?k :p ?x , ?z } GROUP BY ?k`,
			`(project (?z ?x) (extend ?x ?_:s1 (extend ?z "123"^^<xsd:integer> (group ((?k ?k)) ((?_:s1 COUNT ?z)) (bgp (?k <p> ?x) (?k <p> ?z))))))`},
		{"and behind an aggregate",
			`SELECT (SUM(?x) AS ?x) { ?k :p ?x } HAVING(?x > 1) ORDER BY ?x`,
			`(project (?x) (order ((asc ?x)) (extend ?x ?_:s2 (filter (> ?_:s1 "1"^^<xsd:integer>) (group () ((?_:s1 SAMPLE ?x) (?_:s2 SUM ?x)) (bgp (?k <p> ?x)))))))`},
		{"keys by expression",
			`SELECT ?d { ?k :p ?x } GROUP BY (YEAR(?x) AS ?d) STR(?k)`,
			`(project (?d) (group ((?d (YEAR ?x)) (?_:g1 (STR ?k))) () (bgp (?k <p> ?x))))`},
		{"a subquery hides what it does not project",
			`SELECT * { { SELECT DISTINCT ?x { ?x :p ?y } ORDER BY ?y LIMIT 1 } ?x :q ?z }`,
			`(project (?x ?z) (join (slice 0 1 (distinct (project (?x) (order ((asc ?y)) (bgp (?x <p> ?y)))))) (bgp (?x <q> ?z))))`},
		{"exists",
			`ASK { ?x :p ?y FILTER NOT EXISTS { ?x :q ?y FILTER EXISTS { ?y :r ?x } } }`,
			`(filter (not exists (filter (exists (bgp (?y <r> ?x))) (bgp (?x <q> ?y)))) (bgp (?x <p> ?y)))`},
		{"operators by precedence",
			`ASK { FILTER(!?a || ?b = 1 + 2 * -?c -3*4 && ?d NOT IN (1, 2) || :f(?x, DISTINCT)) }`, ``},
		{"signed numbers after an operand subtract",
			`ASK { FILTER(!?a || ?b = 1 + 2 * -?c -3*4 && ?d NOT IN (1)) }`,
			`(filter (|| (! ?a) (&& (= ?b (- (+ "1"^^<xsd:integer> (* "2"^^<xsd:integer> (unary- ?c))) (* "3"^^<xsd:integer> "4"^^<xsd:integer>))) (NOT IN ?d "1"^^<xsd:integer>))) (bgp))`},
		{"numbers keep their form",
			`ASK { VALUES ?x { 1 -1 +1.50 .5 1e6 -1.E-3 } }`,
			`(table (?x) (row "1"^^<xsd:integer>) (row "-1"^^<xsd:integer>) (row "+1.50"^^<xsd:decimal>) (row ".5"^^<xsd:decimal>) (row "1e6"^^<xsd:double>) (row "-1.E-3"^^<xsd:double>))`},
		{"strings and escapes",
			`ASK { VALUES ?x { 'a\tb' """c"d
"e""" "\u0041\U0001F600" '''f''g''' "h"^^:t } }`,
			`(table (?x) (row "a	b") (row "c\"d\n\"e") (row "A😀") (row "f''g") (row "h"^^<t>))`},
		{"construct keeps only the template's variables",
			`CONSTRUCT { ?s :p [] } WHERE { ?s ?p ?o } LIMIT 3`, `(slice 0 3 (project (?s) (bgp (?s ?p ?o))))`},
		{"describe", `DESCRIBE <x> ?y { ?y :p ?z }`, `(project (?y) (bgp (?y <p> ?z)))`},
		{"local names with escapes",
			`PREFIX e: <http://e/> ASK { e:a\,b e:%41c:d e:x.y . e:1 a e: }`,
			`(bgp (<http://e/a,b> <http://e/%41c:d> <http://e/x.y>) (<http://e/1> <rdf:type> <http://e/>))`},
	} {
		q, err := Parse(prologue+c.query, Options{})
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: accepted", c.name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := short.Replace(FormatNode(q.Where))
		if got = shiftBlanks(got, len(prologue)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// shiftBlanks counts the places in the names of blank nodes from the end of the prologue.
func shiftBlanks(s string, by int) string {
	for i := by; i < 200; i++ {
		for _, sort := range []string{"_:a", "_:l"} {
			s = strings.ReplaceAll(s, sort+itoa(i), sort+itoa(i-by))
		}
	}
	return s
}

func TestQueryParts(t *testing.T) {
	q, err := Parse(`PREFIX : <http://b/> CONSTRUCT WHERE { ?s :p _:x }`, Options{})
	if err != nil || q.Form != Construct || len(q.Template) != 1 || q.Template[0].Object.Term.Value != "ux" {
		t.Errorf("CONSTRUCT WHERE: %+v %v", q, err)
	}
	q, err = Parse(`SELECT ?x FROM <a> FROM NAMED <b> FROM NAMED </c> { ?x ?y ?z }`, Options{Base: "http://h/d/"})
	if err != nil || len(q.From) != 1 || q.From[0] != "http://h/d/a" || q.FromNamed[1] != "http://h/c" {
		t.Errorf("dataset: %+v %v", q, err)
	}
	q, err = Parse(`DESCRIBE * { ?x foaf:p ?z }`, Options{Prefixes: map[string]string{"foaf": "http://f/"}})
	if err != nil || len(q.Describe) != 2 || q.Describe[1].Variable != "z" {
		t.Errorf("DESCRIBE: %+v %v", q, err)
	}
}
