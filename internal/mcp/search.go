package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const searchHelp = `Finds things by what they are called, and gives their IRIs, labels and a class of each, shortest labels first.
By words (the default) every word has to occur in the label, in any case; by prefix the label has to begin so; by iri every word has to
occur in the IRI, or the IRI has to begin so where the text has "://". Of several labels of a thing an English one is shown.`

// searchRows is how many things are shown where nobody says; mostFound is how many are looked for.
const (
	searchRows = 20
	mostFound  = 500
)

// labels are the predicates that things are named by.
var labels = []string{
	"http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/2004/02/skos/core#prefLabel", "http://www.w3.org/2004/02/skos/core#altLabel",
	"http://xmlns.com/foaf/0.1/name", "http://schema.org/name", "https://schema.org/name", "http://purl.org/dc/terms/title",
	"http://purl.org/dc/elements/1.1/title",
}

// labelPath leads from a thing to its labels.
var labelPath = "<" + strings.Join(labels, ">|<") + ">"

type searchInput struct {
	Text     string `json:"text" jsonschema:"words, or the beginning of a label or an IRI"`
	By       string `json:"by,omitempty" jsonschema:"words, prefix or iri"`
	Class    string `json:"class,omitempty" jsonschema:"the IRI of a class that the things have to be of"`
	Language string `json:"language,omitempty" jsonschema:"a language of labels, such as en; labels without one are found too"`
	Limit    int    `json:"limit,omitempty" jsonschema:"things in a page: 20 where none is given, at most 500"`
}

// search is the tool search.
func (s *session) search(ctx context.Context, in searchInput) (*page, error) {
	limit, err := rowsOf(in.Limit, searchRows)
	if err != nil {
		return nil, err
	}
	text, err := in.query()
	if err != nil {
		return nil, err
	}
	p, err := s.ask(ctx, text, rdfgpu.QueryOptions{}, limit)
	if err == nil && len(p.Rows) == 0 {
		p.Note = "nothing is called so: try fewer words, a part of a word, or by iri; the tool schema finds classes and predicates"
	}
	return p, err
}

// query is the search as a query.
func (in *searchInput) query() (string, error) {
	if strings.TrimSpace(in.Text) == "" {
		return "", errors.New("text is empty: expected words, or the beginning of a label or an IRI")
	}
	pattern, key, outside, err := in.pattern()
	if err != nil {
		return "", err
	}
	if in.Class != "" {
		class, err := iriOf(in.Class)
		if err != nil {
			return "", fmt.Errorf("class: %w", err)
		}
		pattern += " ?thing a " + class + " ."
	}
	return fmt.Sprintf(`SELECT ?thing (COALESCE(SAMPLE(?plain), SAMPLE(?name)) AS ?label) (SAMPLE(?type) AS ?class) WHERE {
  { SELECT DISTINCT ?thing ?name WHERE { %s } ORDER BY STRLEN(%s) %[2]s LIMIT %d }
  %[4]sBIND (IF(LANG(?name) IN ("", "en"), ?name, ?nothing) AS ?plain)
  OPTIONAL { ?thing a ?type }
} GROUP BY ?thing ORDER BY MIN(STRLEN(%[2]s)) MIN(%[2]s)`, pattern, key, mostFound, outside), nil
}

// pattern binds ?thing, and ?name where it is found by that, which outside does else; key is what things are ordered by.
func (in *searchInput) pattern() (pattern, key, outside string, err error) {
	switch in.By {
	case "", "words":
		return in.named(contains("LCASE(STR(?name))", in.Text)), "STR(?name)", "", nil
	case "prefix":
		return in.named(fmt.Sprintf("STRSTARTS(LCASE(STR(?name)), %s)", literal(strings.ToLower(in.Text)))), "STR(?name)", "", nil
	case "iri":
		condition := contains("LCASE(STR(?thing))", in.Text)
		if strings.Contains(in.Text, "://") {
			condition = fmt.Sprintf("STRSTARTS(STR(?thing), %s)", literal(strings.Trim(in.Text, "<> ")))
		}
		return fmt.Sprintf("?thing ?p ?o . FILTER (isIRI(?thing) && %s)", condition), "STR(?thing)",
			"OPTIONAL { ?thing " + labelPath + " ?name } ", nil
	}
	return "", "", "", fmt.Errorf("by %q: expected words, prefix or iri", in.By)
}

// named matches things whose label passes a condition.
func (in *searchInput) named(condition string) string {
	if in.Language != "" {
		condition += fmt.Sprintf(` && (LANG(?name) = "" || LANGMATCHES(LANG(?name), %s))`, literal(in.Language))
	}
	return fmt.Sprintf("?thing %s ?name . FILTER (%s)", labelPath, condition)
}

// contains is the condition that every word of a text occurs in a lower-case expression.
func contains(expression, text string) string {
	var tests []string
	for _, word := range strings.Fields(strings.ToLower(text)) {
		tests = append(tests, fmt.Sprintf("CONTAINS(%s, %s)", expression, literal(word)))
	}
	return strings.Join(tests, " && ")
}

func literal(text string) string { return rdf.NewString(strings.ToValidUTF8(text, "\uFFFD")).String() }

// iriOf is an IRI as a query writes it.
func iriOf(text string) (string, error) {
	iri := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "<"), ">")
	bad := strings.ContainsFunc(iri, func(r rune) bool { return r <= ' ' || strings.ContainsRune("<>\"{}|^`\\\uFFFD", r) })
	if bad || strings.HasPrefix(iri, "_:") || strings.Index(iri, ":") < 1 {
		return "", fmt.Errorf("%q is no absolute IRI: expected one such as http://example.org/thing; search finds IRIs by labels", text)
	}
	return "<" + iri + ">", nil
}
