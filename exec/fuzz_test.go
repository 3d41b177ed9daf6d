package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/parser"
)

// FuzzQuery runs whatever the parser accepts: no fault of ours, and nothing that does not end with its context.
func FuzzQuery(f *testing.F) {
	m, err := readTriG(`:a :p :b , :c ; :age 3 , "x"@en ; a :C . :b :p :a ; :q _:z . _:z :age 2.5 , "2020-01-01"^^<` +
		`http://www.w3.org/2001/XMLSchema#date> . :g { :a :p :a . :c :q :d }`)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range spilling {
		f.Add(c.text)
	}
	for _, text := range []string{
		"SELECT * { ?x (:p|^:q)* ?y OPTIONAL { ?y :age ?n FILTER(?n > 2 && EXISTS { ?x ?p ?n MINUS { ?x a ?c } }) } }",
		"CONSTRUCT { ?x :r [ :s ?y ] } { GRAPH ?g { ?x ?p ?y } VALUES (?x ?g) { (:a UNDEF) (UNDEF :g) } }",
		"DESCRIBE ?x { ?x :q/:age ?n BIND(BNODE(\"a\") AS ?b) }", "ASK FROM :g { ?x !(:p|^a) ?y }",
		"SELECT (GROUP_CONCAT(DISTINCT STR(?y); SEPARATOR=\",\") AS ?s) (AVG(?n) AS ?a) { ?x :p ?y { SELECT ?y (SAMPLE(?m) AS ?n) { ?y :age ?m } GROUP BY ?y } } GROUP BY ?x HAVING(COUNT(*) > 0) ORDER BY ?s LIMIT 3 OFFSET 1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parser.Parse(text, parser.Options{Base: exampleNS, Prefixes: map[string]string{"": exampleNS}, MaxLength: 4000})
		if err != nil {
			return
		}
		for _, memory := range []int64{0, 1} {
			o := onProcessor()
			o.Memory, o.MaxRows = memory, 100_000
			p, err := exec.Prepare(t.Context(), q, m, m.dict, o)
			if err == nil {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				_, err = p.Count(ctx)
				cancel()
			}
			if err != nil && strings.Contains(err.Error(), "internal fault") {
				var s interface{ Stack() string }
				errors.As(err, &s)
				t.Fatalf("%v\n%s\n%s", err, text, s.Stack())
			}
		}
	})
}
