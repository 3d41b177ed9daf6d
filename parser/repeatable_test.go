package parser

import "testing"

func TestWhichQueriesAreRepeatable(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT * { ?s ?p ?o FILTER(?o > 1) } ORDER BY ?o LIMIT 3": true,
		"DESCRIBE <http://e/a>":                                                                         true,
		"CONSTRUCT { [] ?p ?o } WHERE { ?s ?p ?o }":                                                     true,
		"SELECT (SHA1(STR(?o)) AS ?h) { ?s ?p ?o }":                                                     true,
		"SELECT (NOW() AS ?t) {}":                                                                       false,
		"SELECT * { ?s ?p ?o FILTER(?o < NOW()) }":                                                      false,
		"SELECT * { ?s ?p ?o BIND(STR(UUID()) AS ?u) }":                                                 false,
		"SELECT * { ?s ?p ?o BIND(STRUUID() AS ?u) }":                                                   false,
		"SELECT * { ?s ?p ?o BIND(BNODE() AS ?u) }":                                                     false,
		"SELECT * { ?s ?p ?o } ORDER BY RAND()":                                                         false,
		"SELECT (SUM(?o * RAND()) AS ?r) { ?s ?p ?o }":                                                  false,
		"SELECT ?h { ?s ?p ?o } GROUP BY (HOURS(NOW()) AS ?h)":                                          false,
		"SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING(COUNT(*) > RAND())":                                  false,
		"SELECT * { SERVICE <http://e/> { ?s ?p ?o } }":                                                 false,
		"SELECT * { { SELECT * { ?a ?b ?c OPTIONAL { ?s ?p ?o FILTER(?o = RAND()) } } } }":              false,
		"ASK { ?s ?p ?o FILTER NOT EXISTS { ?s ?p ?x FILTER EXISTS { ?x ?y ?z FILTER(NOW() > ?z) } } }": false,
		"ASK { ?s ?p ?o FILTER EXISTS { ?s ?p ?x } }":                                                   true,
	} {
		q, err := Parse(text, Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := q.Repeatable(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
