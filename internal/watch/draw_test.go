package watch_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// drawing draws data and queries over few terms, so that they meet.
type drawing struct {
	*rapid.T
	// bothWays: edges of a predicate come and go together with those that lead back.
	bothWays bool
}

func (d drawing) number(what string, n int) int { return rapid.IntRange(0, n-1).Draw(d.T, what) }

func (d drawing) chance(percent int) bool { return d.number("chance", 100) < percent }

func (d drawing) oneOf(list ...string) string { return rapid.SampledFrom(list).Draw(d.T, "one") }

const (
	nodes      = 6
	predicates = 3
	classes    = 2
)

func (d drawing) node() string { return fmt.Sprintf("http://e/n%d", d.number("node", nodes)) }

func (d drawing) class() string { return fmt.Sprintf("http://e/C%d", d.number("class", classes)) }

func (d drawing) predicate() string {
	return fmt.Sprintf("http://e/p%d", d.number("predicate", predicates))
}

// quad draws an edge, or a class, mostly of the default graph.
func (d drawing) quad() rdf.Quad {
	q := rdf.Quad{Subject: rdf.NewIRI(d.node()), Predicate: rdf.NewIRI(d.predicate()), Object: rdf.NewIRI(d.node())}
	switch d.number("kind of quad", 8) {
	case 0, 1:
		q.Predicate, q.Object = rdf.NewIRI(rdf.RDFType), rdf.NewIRI(d.class())
	case 2:
		q.Object = rdf.NewTyped(fmt.Sprint(d.number("literal", 4)), rdf.XSDInteger)
	case 3:
		q.Object = rdf.NewIRI(d.predicate()) // a label that is a vertex too
	}
	if d.chance(25) {
		q.Graph = rdf.NewIRI(d.graphName())
	}
	return q
}

func (d drawing) graphName() string { return fmt.Sprintf("http://e/g%d", d.number("graph", 2)) }

// end is a variable of the pattern, or a constant.
func (d drawing) end(vertices int) string {
	switch n := d.number("end", 20); {
	case n < 2:
		return "<" + d.node() + ">"
	case n == 2:
		return "_:b" + fmt.Sprint(d.number("blank", 2))
	}
	return fmt.Sprintf("?v%d", d.number("vertex", vertices))
}

// pattern draws triple patterns of up to 7 vertices, mostly connected.
func (d drawing) pattern(blanks string) string {
	vertices := 1 + d.number("vertices", 7)
	var b strings.Builder
	edges := 1 + d.number("edges", vertices+1)
	for i := range edges {
		from, to := d.end(vertices), d.end(vertices)
		if i > 0 && i < vertices && d.chance(80) {
			from, to = fmt.Sprintf("?v%d", d.number("known", i)), fmt.Sprintf("?v%d", i)
			if d.chance(50) {
				from, to = to, from
			}
		}
		if strings.HasPrefix(from, `"`) {
			from = "?v0"
		}
		switch n := d.number("kind of pattern", 10); {
		case n < 2:
			fmt.Fprintf(&b, "%s a <%s> . ", from, d.class())
		case n == 2:
			fmt.Fprintf(&b, "%s ?l%d %s . ", from, d.number("label", 2), to)
		case n == 3 && d.chance(20):
			fmt.Fprintf(&b, "%s ?v0 %s . ", from, to)
		default:
			fmt.Fprintf(&b, "%s <%s> %s . ", from, d.predicate(), to)
		}
	}
	return strings.ReplaceAll(b.String(), "_:b", "_:"+blanks)
}

// alike are patterns with automorphisms: as pairs of vertices.
var alike = [][][2]int{
	{{0, 1}}, {{0, 1}, {0, 2}}, {{0, 1}, {2, 1}, {3, 1}}, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1}, {1, 2}, {0, 2}}, {{0, 1}, {1, 2}, {2, 3}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
	{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}}, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, {{0, 1}, {0, 2}, {1, 2}, {2, 3}}, {{0, 1}, {1, 0}, {1, 2}, {2, 1}},
}

// symmetric draws a pattern that is likely to have automorphisms, mostly of the predicate whose edges may all lead back.
func (d drawing) symmetric() string {
	var b strings.Builder
	p := d.oneOf(leadsBack, leadsBack, d.predicate())
	for _, e := range alike[d.number("alike", len(alike))] {
		if d.chance(5) {
			p = d.predicate()
		}
		fmt.Fprintf(&b, "?v%d <%s> ?v%d . ", e[0], p, e[1])
	}
	if class := d.class(); d.chance(30) {
		for v := range 1 + d.number("typed", 2) {
			fmt.Fprintf(&b, "?v%d a <%s> . ", v, class)
		}
	}
	return b.String()
}

// counted draws a query of a pattern that is likely to have automorphisms, which mostly counts.
func (d drawing) counted() string {
	body := d.symmetric()
	switch d.number("kind of count", 5) {
	case 0:
		return "SELECT ?v0 (COUNT(*) AS ?n) { " + body + "} GROUP BY ?v0"
	case 1:
		return "SELECT ?v1 { " + body + "}"
	}
	return "SELECT (COUNT(*) AS ?n) { " + body + "}"
}

// leadsBack is the predicate whose edges all lead back in some data.
const leadsBack = "http://e/p2"

// bothWays adds to quads those that lead back.
func bothWays(quads []rdf.Quad) []rdf.Quad {
	for _, q := range quads {
		if q.Predicate.Value == leadsBack && q.Object.Kind == rdf.IRI {
			q.Subject, q.Object = q.Object, q.Subject
			quads = append(quads, q)
		}
	}
	return quads
}

// pair is a quad, and the one that leads back where it comes with it.
func (d drawing) pair(q rdf.Quad) []rdf.Quad {
	if d.bothWays {
		return bothWays([]rdf.Quad{q})
	}
	return []rdf.Quad{q}
}

// condition is a filter.
func (d drawing) condition() string {
	return "FILTER (" + d.oneOf("?v0 != ?v1", "?v0 = <http://e/n1>", "isIRI(?v1)", "?v1 > 1", "bound(?v2)", "str(?v0) < str(?v1)") + ") "
}

// group is what stands between the braces of a query that is linear.
func (d drawing) group(blanks string) string {
	body := d.pattern(blanks)
	switch d.number("kind of group", 10) {
	case 0:
		body += d.condition()
	case 1:
		body += "BIND (" + d.oneOf("str(?v0)", "?v1 + 1", "?v0", "1") + " AS ?w) "
	case 2:
		body += "VALUES (?v0 ?x) { (<http://e/n1> 1) (<http://e/n2> 2) (UNDEF 3) (<http://e/n1> 1) } "
	case 3:
		body = "GRAPH <" + d.graphName() + "> { " + body + d.oneOf("", d.condition()) + "} "
	case 4:
		body = "GRAPH ?g { " + body + "} "
	case 5:
		body = "{ SELECT " + d.oneOf("?v0", "?v0 ?v1", "*") + " { " + body + "} } " + d.oneOf("", d.condition())
	}
	return body
}

// other is what stands there of a query that is not.
func (d drawing) other() string {
	body := d.pattern("o")
	switch d.number("kind of query", 6) {
	case 0:
		return body + "OPTIONAL { " + d.pattern("q") + "} "
	case 1:
		return body + "FILTER NOT EXISTS { ?v0 <" + d.predicate() + "> ?v1 } "
	case 2:
		return body + "MINUS { ?v0 <" + d.predicate() + "> ?z } "
	case 3:
		return "?v0 <" + d.predicate() + ">" + d.oneOf("+", "*", "/<http://e/p0>*") + " ?v1 "
	case 4:
		return body + "{ SELECT ?v0 (COUNT(*) AS ?n) { ?v0 ?p ?o } GROUP BY ?v0 } "
	}
	return body + "GRAPH ?g { OPTIONAL { ?v0 <" + d.predicate() + "> ?z } } "
}

// grouped draws an aggregating query over a group that is linear.
func (d drawing) grouped(body string) string {
	by := d.oneOf("", "?v0", "?v0 ?v1", "?w")
	var list []string
	for i := range 1 + d.number("aggregates", 3) {
		argument := d.oneOf("?v0", "?v1", "?v2", "?v1 + 1", "DISTINCT ?v1", "DISTINCT ?v2")
		a := d.oneOf("COUNT", "SUM", "MIN", "MAX") + "(" + argument + ")"
		list = append(list, "("+d.oneOf("COUNT(*)", a, a, "COUNT(*) + "+a, "COALESCE("+a+", 7)")+fmt.Sprint(" AS ?n", i, ")"))
	}
	text := "SELECT " + d.oneOf("", by) + " " + strings.Join(list, " ") + " { " + body + "} "
	if by != "" {
		text += "GROUP BY " + by + " "
	}
	return text + d.oneOf("", "", "HAVING (COUNT(*) > 1) ", "ORDER BY ?n0")
}

// query draws a SELECT; linear says which kind.
func (d drawing) query(linear bool) string {
	var body string
	switch {
	case linear && d.chance(30):
		return d.counted()
	case !linear:
		body = d.other()
	case d.chance(20):
		body = "{ " + d.group("a") + "} UNION { " + d.group("b") + "} "
	default:
		body = d.group("a")
	}
	if linear && d.chance(25) {
		return d.grouped(body)
	}
	if !linear && d.chance(30) {
		return "SELECT ?v0 (COUNT(?v1) AS ?n) (MAX(?v2) AS ?m) { " + body + "} GROUP BY ?v0"
	}
	kinds := []string{"", "", "DISTINCT "}
	if linear {
		kinds = append(kinds, "REDUCED ")
	}
	return "SELECT " + d.oneOf(kinds...) + d.oneOf("*", "?v0 ?v1", "?v1", "?v0 ?v2 ?w ?g") + " { " + body + "} " + d.oneOf("", "", "ORDER BY ?v0")
}
