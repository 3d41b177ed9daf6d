package mine

import (
	"fmt"
	"strings"
)

// Query is the SPARQL query whose solutions are the embeddings of the pattern, ?a ?b … being its vertices: for each instance as many
// as the pattern has automorphisms. predicates are the IRIs of the edges, as they were taken for
// the graph; none: all but rdf:type. Induced embeddings have no
// edges beside the pattern's. Labels are the places, from 1, of classes, whose first that a vertex is of was its label.
func (p Pattern) Query(predicates, classes []string, induced bool) string {
	var b strings.Builder
	b.WriteString("SELECT DISTINCT")
	for i := range p.Size {
		fmt.Fprintf(&b, " ?%c", 'a'+i)
	}
	b.WriteString(" {\n")
	for i := range p.Size {
		p.writeClass(&b, i, classes)
	}
	path := eitherWay(predicates)
	for i := range p.Size {
		for j := i + 1; j < p.Size; j++ {
			switch {
			case p.HasEdge(i, j):
				fmt.Fprintf(&b, "  ?%c %s ?%c .\n", 'a'+i, path, 'a'+j)
			case induced:
				fmt.Fprintf(&b, "  FILTER NOT EXISTS { ?%c %s ?%c }\n", 'a'+i, path, 'a'+j)
			}
			fmt.Fprintf(&b, "  FILTER (?%c != ?%c)\n", 'a'+i, 'a'+j)
		}
		fmt.Fprintf(&b, "  FILTER (!isLiteral(?%c))\n", 'a'+i)
	}
	b.WriteString("}\n")
	return b.String()
}

const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

// eitherWay is a property path along any of the predicates, or all but rdf:type, in both directions.
func eitherWay(predicates []string) string {
	if len(predicates) == 0 {
		return "!(<" + rdfType + ">|^<" + rdfType + ">)"
	}
	steps := make([]string, 0, 2*len(predicates))
	for _, iri := range predicates {
		steps = append(steps, "<"+iri+">", "^<"+iri+">")
	}
	return "(" + strings.Join(steps, "|") + ")"
}

// writeClass says of which class a vertex is, and of which it is not.
func (p Pattern) writeClass(b *strings.Builder, i int, classes []string) {
	for number, class := range classes {
		switch label := p.Labels[i]; {
		case label == Label(number+1):
			fmt.Fprintf(b, "  ?%c a <%s> .\n", 'a'+i, class)
			return
		default:
			fmt.Fprintf(b, "  FILTER NOT EXISTS { ?%c a <%s> }\n", 'a'+i, class)
		}
	}
}
