package parser_test

import (
	"context"
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

func ExampleParseUpdate() {
	u, err := parser.ParseUpdate(context.Background(), `PREFIX : <http://e/>
		INSERT DATA { :a :knows _:b . _:b :name "Bo" GRAPH :g { :a a :Person } } ;
		WITH :g DELETE { ?s a :Person } WHERE { ?s a :Person }`, parser.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range u.Operations {
		switch o := o.(type) {
		case *parser.InsertData:
			for q := range o.Data.All() {
				fmt.Printf("%v %v %v in (%v)\n", q.Subject, q.Predicate, q.Object, q.Graph)
			}
		case *parser.Modify:
			fmt.Println(o.Start(), o.With, len(o.Delete), parser.FormatNode(o.Where))
		}
	}
	// Output:
	// <http://e/a> <http://e/knows> _:ub in ()
	// _:ub <http://e/name> "Bo" in ()
	// <http://e/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Person> in (<http://e/g>)
	// {3 3} <http://e/g> 1 (bgp (?s <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Person>))
}
