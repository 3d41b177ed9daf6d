package updatetest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Namespace is that of all IRIs that are drawn.
const Namespace = "http://example.org/"

// drawer draws data sets and requests over a few terms, so that most patterns have solutions.
type drawer struct{ t *rapid.T }

// DrawQuads draws up to 15 quads in the default graph and the graphs g0 to g2, with blank nodes.
func DrawQuads(t *rapid.T) (quads []rdf.Quad) {
	d := drawer{t}
	for range d.pick(16) {
		q := rdf.Quad{Subject: d.node(), Predicate: rdf.NewIRI(Namespace + d.of("p0", "p1")), Object: d.node()}
		if d.pick(4) == 0 {
			q.Object = rdf.NewTyped(fmt.Sprint(d.pick(3)), rdf.XSDInteger)
		}
		if d.pick(2) == 0 {
			q.Graph = rdf.NewIRI(Namespace + d.of("g0", "g1", "g2"))
		}
		quads = append(quads, q)
	}
	return quads
}

// DrawRequest draws a request of up to four operations, of all kinds but LOAD. Its patterns hold what the naive evaluator
// computes and leave no choice; its operations may fail where they are not SILENT.
func DrawRequest(t *rapid.T) string {
	d := drawer{t}
	var list []string
	for range 1 + d.pick(4) {
		list = append(list, d.operation())
	}
	return "PREFIX : <" + Namespace + ">\n" + strings.Join(list, " ;\n")
}

func (d drawer) pick(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "n") }

func (d drawer) of(list ...string) string { return list[d.pick(len(list))] }

func (d drawer) node() rdf.Term {
	if d.pick(4) == 0 {
		return rdf.NewBlank(d.of("b0", "b1"))
	}
	return rdf.NewIRI(Namespace + d.of("n0", "n1", "n2", "g0"))
}

func (d drawer) operation() string {
	silent := d.of("", "SILENT ")
	switch d.pick(12) {
	case 0:
		return "INSERT DATA " + d.quads(d.constant, d.newNode)
	case 1:
		return "DELETE DATA " + d.quads(d.constant, d.constant)
	case 2:
		return "DELETE WHERE " + d.quads(d.term, d.term)
	case 3:
		return d.of("CLEAR ", "DROP ") + silent + d.of("DEFAULT", "NAMED", "ALL", "GRAPH "+d.graph(), "GRAPH "+d.graph())
	case 4:
		return "CREATE " + silent + "GRAPH " + d.graph()
	case 5, 6:
		return d.of("COPY ", "MOVE ", "ADD ") + silent + d.of("DEFAULT", d.graph()) + " TO " + d.of("DEFAULT", "GRAPH "+d.graph())
	}
	return d.modify()
}

func (d drawer) modify() string {
	var b strings.Builder
	if d.pick(3) == 0 {
		b.WriteString("WITH " + d.graph() + " ")
	}
	clauses := d.pick(3)
	if clauses != 0 {
		b.WriteString("DELETE " + d.quads(d.term, d.term) + " ")
	}
	if clauses != 1 {
		b.WriteString("INSERT " + d.quads(d.term, d.templateNode) + " ")
	}
	for range d.pick(4) / 2 {
		b.WriteString(d.of("USING ", "USING NAMED ") + d.graph() + " ")
	}
	return b.String() + "WHERE " + d.group(2)
}

// quads draws a template or data of terms and of what may also be a new node.
func (d drawer) quads(term, node func() string) string {
	var b strings.Builder
	for range 1 + d.pick(3) {
		graph, end := "", ""
		if d.pick(3) == 0 {
			graph, end = "GRAPH "+d.graph()+" { ", "} "
			if name := term(); strings.HasPrefix(name, "?") {
				graph = "GRAPH " + name + " { "
			}
		}
		predicate := d.of(":p0", ":p1")
		if name := term(); strings.HasPrefix(name, "?") && d.pick(3) == 0 {
			predicate = name
		}
		fmt.Fprintf(&b, "%s%s %s %s . %s", graph, node(), predicate, d.of(node(), node(), d.of("0", "1", "2")), end)
	}
	return "{ " + b.String() + "}"
}

func (d drawer) graph() string    { return d.of(":g0", ":g1", ":g2") }
func (d drawer) constant() string { return d.of(":n0", ":n1", ":n2", ":g0") }
func (d drawer) variable() string { return d.of("?a", "?b", "?c") }

func (d drawer) term() string {
	if d.pick(4) == 0 {
		return d.constant()
	}
	return d.variable()
}

// newNode draws a constant or a blank node. Labels are used once: two INSERT DATA may not have the same.
func (d drawer) newNode() string { return d.of(d.constant(), d.constant(), "[]", "[ :p0 1 ]") }

func (d drawer) templateNode() string { return d.of(d.term(), d.term(), d.term(), "_:x") }

// group draws a group graph pattern so deep.
func (d drawer) group(depth int) string {
	var b strings.Builder
	for range 1 + d.pick(2) {
		b.WriteString(d.element(depth) + " ")
	}
	if d.pick(4) == 0 {
		b.WriteString("FILTER(" + d.condition(depth) + ") ")
	}
	return "{ " + b.String() + "}"
}

func (d drawer) element(depth int) string {
	if depth == 0 || d.pick(2) == 0 {
		return d.triple()
	}
	switch d.pick(8) {
	case 0:
		return "OPTIONAL " + d.group(depth-1)
	case 1:
		return d.group(depth-1) + " UNION " + d.group(depth-1)
	case 2:
		return "MINUS " + d.group(depth-1)
	case 3, 4:
		return "GRAPH " + d.of(d.graph(), d.graph(), d.variable()) + " " + d.group(depth-1)
	case 5:
		return "BIND(" + d.of(d.variable()+" + 1", d.constant(), "1") + " AS " + d.of("?d", "?e") + ")"
	case 6:
		return "VALUES " + d.variable() + " { " + d.constant() + " " + d.of("UNDEF", "1", d.constant()) + " }"
	}
	return "{ SELECT ?a (COUNT(*) AS ?c) " + d.group(depth-1) + " GROUP BY ?a }"
}

func (d drawer) triple() string {
	predicate := d.of(":p0", ":p1", ":p0|:p1", ":p0/:p1", "^:p0", ":p1*", d.variable())
	return d.term() + " " + predicate + " " + d.of(d.term(), d.term(), "1", "[]") + " ."
}

func (d drawer) condition(depth int) string {
	if depth > 0 && d.pick(3) == 0 {
		return d.of("EXISTS ", "NOT EXISTS ") + d.group(depth-1)
	}
	return d.of("BOUND("+d.variable()+")", d.variable()+" = "+d.term(), d.variable()+" != "+d.term(), d.variable()+" < 2", "ISIRI("+d.variable()+")")
}
