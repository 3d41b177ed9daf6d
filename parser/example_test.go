package parser_test

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/parser"
)

func ExampleParse() {
	q, err := parser.Parse(`SELECT ?name { ?p foaf:name ?name FILTER(?name > "M") }`, parser.Options{
		Prefixes: map[string]string{"foaf": "http://xmlns.com/foaf/0.1/"},
	})
	fmt.Println(err, q.Variables)
	fmt.Println(parser.FormatNode(q.Where))

	_, err = parser.Parse("SELECT ?name {\n  ?p foaf:name }", parser.Options{})
	fmt.Println(err)
	// Output:
	// <nil> [name]
	// (project (?name) (filter (> ?name "M") (bgp (?p <http://xmlns.com/foaf/0.1/name> ?name))))
	// line 2, column 16: unexpected "}", expected a variable, an IRI, a literal or a blank node
}
