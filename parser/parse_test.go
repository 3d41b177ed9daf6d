package parser

import "testing"

const benchQuery = `PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX ex: <http://example.org/ns#>
SELECT ?person ?name ?friend WHERE {
  ?person rdf:type foaf:Person .
  ?person foaf:name ?name .
  ?person foaf:knows ?friend .
  ?friend ex:worksFor ?company .
  ?company ex:locatedIn ex:Berlin .
  ?company rdf:type ex:Startup .
}`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(benchQuery, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
