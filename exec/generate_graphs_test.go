package exec_test

import (
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// inGraphs draws quads most of which are in named graphs, some in both.
func (g *generator) inGraphs() (quads []quad, names []rdf.Term) {
	drawn, names := g.dataset()
	for _, q := range drawn {
		if q.graph.IsZero() && g.chance(80) {
			q.graph = names[g.pick(len(names))]
		}
		if quads = append(quads, q); g.chance(25) {
			q.graph = names[g.pick(len(names))]
			quads = append(quads, q)
		}
	}
	return quads, names
}

// fromGraphs draws a query with FROM or FROM NAMED, or both.
func (g *generator) fromGraphs() string {
	text := ""
	switch g.pick(4) {
	case 0:
		text = g.counting()
	case 1:
		text = g.nested()
	default:
		text = g.query()
	}
	var clauses []string
	for len(clauses) == 0 || g.chance(40) {
		clauses = append(clauses, g.oneOf("FROM ", "FROM ", "FROM NAMED ")+g.oneOf(":n0", ":g1", ":n0", ":g1", ":none"))
	}
	if g.chance(50) {
		clauses = []string{"FROM :n0", "FROM :g1"}
	}
	at := strings.Index(text, "{") // of the pattern: what SELECT computes has no braces, but for EXISTS
	if strings.Contains(text[:at], "EXISTS") {
		return text
	}
	return text[:at] + strings.Join(clauses, " ") + " WHERE " + text[at:]
}
