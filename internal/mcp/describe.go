package mcp

import (
	"context"
	"fmt"

	"github.com/rdfgpu/rdfgpu"
)

const describeHelp = `What is known about one thing: how many triples lead out of it and into it, by predicate, and the triples themselves, those
out of it first, with a label of what they lead to.`

// mostTriples is how many triples of a thing are looked at in each direction.
const mostTriples = 1000

type describeInput struct {
	IRI   string `json:"iri" jsonschema:"the IRI of the thing"`
	Limit int    `json:"limit,omitempty" jsonschema:"triples in a page: 50 where none is given, at most 500"`
}

// description is what is known about a thing.
type description struct {
	Counts  []predicateCount `json:"counts" jsonschema:"triples by direction and predicate, most first"`
	Triples *page            `json:"triples" jsonschema:"direction, predicate, the term at the other end and its label"`
}

type predicateCount struct {
	Direction string `json:"direction" jsonschema:"out: the thing is the subject; in: it is the object"`
	Predicate string `json:"predicate"`
	Triples   string `json:"triples"`
}

// describe is the tool describe.
func (s *session) describe(ctx context.Context, in describeInput) (*description, error) {
	limit, err := rowsOf(in.Limit, defaultRows)
	if err != nil {
		return nil, err
	}
	iri, err := iriOf(in.IRI)
	if err != nil {
		return nil, err
	}
	d := &description{}
	if d.Counts, err = s.counts(ctx, iri); err != nil {
		return nil, err
	}
	if len(d.Counts) == 0 {
		return nil, fmt.Errorf("no triple has %s as its subject or object: search finds IRIs by labels", iri)
	}
	d.Triples, err = s.ask(ctx, fmt.Sprintf(`SELECT ?direction ?predicate ?term (MIN(STR(?name)) AS ?label) WHERE {
  { SELECT ("out" AS ?direction) ?predicate ?term WHERE { %s ?predicate ?term } LIMIT %d }
  UNION
  { SELECT ("in" AS ?direction) ?predicate ?term WHERE { ?term ?predicate %[1]s } LIMIT %[2]d }
  OPTIONAL { ?term %s ?name }
} GROUP BY ?direction ?predicate ?term ORDER BY DESC(?direction) ?predicate ?term`, iri, mostTriples, labelPath), rdfgpu.QueryOptions{}, limit)
	return d, err
}

// counts are the triples of a thing by direction and predicate.
func (s *session) counts(ctx context.Context, iri string) ([]predicateCount, error) {
	p, err := s.ask(ctx, fmt.Sprintf(`SELECT ?direction ?predicate ?n WHERE {
  { SELECT ("out" AS ?direction) ?predicate (COUNT(*) AS ?n) WHERE { %s ?predicate ?o } GROUP BY ?predicate }
  UNION
  { SELECT ("in" AS ?direction) ?predicate (COUNT(*) AS ?n) WHERE { ?s ?predicate %[1]s } GROUP BY ?predicate }
} ORDER BY DESC(?n) ?predicate`, iri), rdfgpu.QueryOptions{}, mostRows)
	if err != nil {
		return nil, err
	}
	counts := make([]predicateCount, 0, len(p.Rows))
	for _, row := range p.Rows {
		counts = append(counts, predicateCount{Direction: lexical(row[0]), Predicate: row[1], Triples: lexical(row[2])})
	}
	return counts, nil
}
