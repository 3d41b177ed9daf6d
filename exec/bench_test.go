package exec_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// million is a dataset of a million items, built once.
var million = sync.OnceValue(func() *memory { return many(&testing.B{}, 1_000_000) })

// BenchmarkOperators runs each operator over a million rows; what the matcher takes is in "match".
func BenchmarkOperators(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"match", "SELECT ?x ?n { ?x :number ?n }"},
		{"filter", "SELECT ?x { ?x :number ?n . ?x :link ?y FILTER(?n + 1 < 500000) }"},
		{"filter-range", "SELECT ?x { ?x :number ?n . ?x :link ?y FILTER(?n < 500000) }"},
		{"bind", "SELECT ?x ?m { ?x :number ?n BIND(?n > 10 AS ?m) }"},
		{"distinct-few", "SELECT DISTINCT ?g { ?x :group ?g . ?x :number ?n }"},
		{"distinct-many", "SELECT DISTINCT ?x ?g { ?x :group ?g }"},
		{"group-few", "SELECT ?g (SUM(?n) AS ?s) { ?x :group ?g . ?x :number ?n } GROUP BY ?g"},
		{"group-many", "SELECT ?x (SUM(?n) AS ?s) { ?x :number ?n } GROUP BY ?x"},
		{"group-count", "SELECT ?g (COUNT(*) AS ?c) { ?x :group ?g . ?x :number ?n } GROUP BY ?g"},
		{"group-weighted", "SELECT ?g (COUNT(?n) AS ?c) { ?x :group ?g . ?x :link ?y . ?y :number ?n FILTER(isIRI(?g)) } GROUP BY ?g"},
		{"group-pairs", "SELECT ?g (COUNT(*) AS ?c) { ?x :group ?g . ?y :group ?g } GROUP BY ?g"},
		{"exists-many", "SELECT ?x { ?x :number ?n FILTER(?n < 500) FILTER EXISTS { ?x :group ?g . ?y :group ?g } }"},
		{"sort-numbers", "SELECT ?x ?n { ?x :number ?n } ORDER BY ?n"},
		{"sort-iris", "SELECT ?x ?y { ?x :link ?y } ORDER BY ?y"},
		{"top-10", "SELECT ?x ?n { ?x :number ?n } ORDER BY DESC(?n) LIMIT 10"},
		{"hash-join", "SELECT ?x ?n { { SELECT * { ?x :link ?y } OFFSET 1 } { SELECT * { ?y :number ?n } OFFSET 1 } }"},
		{"product", "SELECT ?x ?y { ?x :group :g3 . ?x :number ?n . ?y :group :g5 . ?y :number ?m . ?l :link ?y . ?k :link ?l . ?k :number ?o }"},
		{"product-costly", "SELECT ?x ?y { ?x :group ?g . ?g ^:group ?z . ?z :number 5 . ?y :number 7 . ?y :group/^:group/:link/:group/^:group/:link/:number 17 . }"},
		{"optional", "SELECT ?x ?n { ?x :link ?y OPTIONAL { ?y :number ?n FILTER(?n < 500000) } }"},
		{"minus", "SELECT ?x { ?x :link ?y MINUS { ?y :number ?n FILTER(?n < 500000) } }"},
		{"not-exists", "SELECT ?x { ?x :link ?y FILTER NOT EXISTS { ?y :number ?n FILTER(?n < 500000) } }"},
		{"path", "SELECT ?y { :i1 :link* ?y }"},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := million()
			q := parse(b, "PREFIX : <"+exampleNS+">\n"+c.text)
			b.ReportAllocs()
			for b.Loop() {
				p, err := exec.Prepare(b.Context(), q, m, m.dict, onProcessor())
				if err != nil {
					b.Fatal(err)
				}
				rows := 0
				if err := p.Run(b.Context(), func(batch *vector.Batch) error { rows += batch.N; return nil }); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(rows), "rows")
			}
		})
	}
}

// BenchmarkPathInSequence walks a closure from the few nodes that many solutions lead to.
func BenchmarkPathInSequence(b *testing.B) {
	m := many(b, 2000)
	q := parse(b, "PREFIX : <"+exampleNS+"> SELECT * { ?x :group/(^:group/:link/:group)+ ?h }")
	for b.Loop() {
		p, err := exec.Prepare(b.Context(), q, m, m.dict, onProcessor())
		if err == nil {
			_, err = p.Count(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNestedClosures walks closures inside a closure along a chain: all of them reach the same nodes.
func BenchmarkNestedClosures(b *testing.B) {
	var quads []quad
	for i := range 2000 {
		node := func(i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("%si%d", exampleNS, i)) }
		for _, p := range []string{"p", "q"} {
			quads = append(quads, quad{subject: node(i), predicate: rdf.NewIRI(exampleNS + p), object: node(i + 1)})
		}
	}
	m, err := newMemory(quads)
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range []string{"(:p/:q*)*", "(:p*/:q+)+", "((:p|:q/:q)/(:p/:q*)?)*", "(:p/:q)*"} {
		b.Run(path, func(b *testing.B) {
			q := parse(b, "PREFIX : <"+exampleNS+"> SELECT ?y { :i1 "+path+" ?y }")
			for b.Loop() {
				p, err := exec.Prepare(b.Context(), q, m, m.dict, onProcessor())
				if err == nil {
					_, err = p.Count(b.Context())
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
