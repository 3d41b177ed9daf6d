package hostile

import (
	"fmt"
	"slices"
	"strings"
)

// Vocabulary is what a store holds, each entry as SPARQL writes it. Blank nodes are left out.
type Vocabulary struct {
	Predicates, Classes []string // most frequent first
	Terms               []string // some subjects and objects that are IRIs
	Literals            []string // some objects
	Graphs              []string // named graphs
}

// What Learn asks for.
const (
	askPredicates = `SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n) ?p LIMIT 24`
	askClasses    = `SELECT ?c (COUNT(*) AS ?n) { ?s a ?c FILTER (isIRI(?c)) } GROUP BY ?c ORDER BY DESC(?n) ?c LIMIT 8`
	askSubjects   = `SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o FILTER (isIRI(?s)) } GROUP BY ?s ORDER BY DESC(?n) ?s LIMIT 24`
	askObjects    = `SELECT ?o (COUNT(*) AS ?n) { ?s ?p ?o FILTER (isIRI(?o)) } GROUP BY ?o ORDER BY DESC(?n) ?o LIMIT 24`
	askLiterals   = `SELECT ?o (COUNT(*) AS ?n) { ?s ?p ?o FILTER (isLITERAL(?o)) } GROUP BY ?o ORDER BY DESC(?n) ?o LIMIT 24`
	askGraphs     = `SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g LIMIT 8`
)

// Learn asks a server that is at rest what its store holds. ask returns the answer to a query as tab-separated values.
func Learn(ask func(query string) (tsv string, err error)) (*Vocabulary, error) {
	v := &Vocabulary{}
	for _, part := range []struct {
		list  *[]string
		query string
	}{
		{&v.Predicates, askPredicates}, {&v.Classes, askClasses}, {&v.Terms, askSubjects}, {&v.Terms, askObjects},
		{&v.Literals, askLiterals}, {&v.Graphs, askGraphs},
	} {
		text, err := ask(part.query)
		if err != nil {
			return nil, fmt.Errorf("hostile: %s: %w", part.query, err)
		}
		*part.list = append(*part.list, firstColumn(text)...)
	}
	return v.complete(), nil
}

// firstColumn is the first column of tab-separated values, without the header.
func firstColumn(tsv string) []string {
	var column []string
	for i, line := range strings.Split(strings.TrimSuffix(tsv, "\n"), "\n") {
		if cell, _, _ := strings.Cut(line, "\t"); i > 0 && cell != "" {
			column = append(column, cell)
		}
	}
	return column
}

// complete puts something where a store has nothing, and every term once.
func (v *Vocabulary) complete() *Vocabulary {
	slices.Sort(v.Terms)
	v.Terms = slices.Compact(v.Terms)
	for _, list := range []*[]string{&v.Predicates, &v.Classes, &v.Terms, &v.Graphs} {
		if len(*list) == 0 {
			*list = []string{"<http://example.org/none>"}
		}
	}
	if len(v.Literals) == 0 {
		v.Literals = []string{`"a"`, "1", `"b"@en`}
	}
	return v
}
