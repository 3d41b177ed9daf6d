package dictionary_test

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func ExampleDictionary_ValueRange() {
	d, err := dictionary.FromTerms([]rdf.Term{
		rdf.NewIRI("http://example.org/alice"),
		rdf.NewTyped("7", rdf.XSDInteger),
		rdf.NewTyped("42", rdf.XSDInteger),
		rdf.NewTyped("7.5", rdf.XSDDecimal),
		rdf.NewString("Alice"),
	}, rdf.NewIRI("http://example.org/age"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for id := range dictionary.ID(d.Len()) {
		fmt.Println(id, d.Term(id))
	}
	fmt.Println(d.ValueRange(dictionary.IsLess, rdf.NewTyped("1e1", rdf.XSDDouble)))
	// Output:
	// 0 <http://example.org/age>
	// 1 <http://example.org/alice>
	// 2 "7"^^<http://www.w3.org/2001/XMLSchema#integer>
	// 3 "7.5"^^<http://www.w3.org/2001/XMLSchema#decimal>
	// 4 "42"^^<http://www.w3.org/2001/XMLSchema#integer>
	// 5 "Alice"
	// [{2 4}] true
}
