package exec_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/naive"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

const exampleNS = "http://example.org/"

// generator draws small datasets and queries with all operators mixed.
type generator struct {
	t     *rapid.T
	fresh int
	inner int // depth inside EXISTS
	// wide also draws what the reference evaluator does not compute.
	wide bool
	// loose: the LIMIT of the query that was drawn leaves a choice.
	loose bool
	// ordered: the query that was drawn says in which order its rows come, all of them.
	ordered bool
	// narrow: patterns are single edges and conditions compare variables, so that most have solutions.
	narrow bool
	// literals are what objects are and conditions compare, of all sorts or of one; none: a few integers and a string.
	literals []rdf.Term
}

// literals are of all sorts: equal by value under different terms, comparable and not, ill-formed.
var literals = func() (list []rdf.Term) {
	for datatype, lexicals := range map[string]string{
		"integer": "0 1 01 +1 2 -1 16777217 x", "byte": "1 128", "decimal": "1.0 1.50 0.5 2.", "double": "1e0 1.5 INF -INF NaN -0 16777217", "float": "1.5 16777216 0.1",
		"boolean": "true 1 false yes", "date": "2000-01-01 2000-01-01Z 2000-01-02+14:00 1999-12-31", "dateTime": "2000-01-01T00:00:00Z 2000-01-01T01:00:00+01:00 2000-01-01T10:00:00",
		"token": "a",
	} {
		for _, lexical := range strings.Fields(lexicals) {
			list = append(list, rdf.NewTyped(lexical, rdf.XSD+datatype))
		}
	}
	list = append(list, rdf.NewString(""), rdf.NewString("a"), rdf.NewString("b"), rdf.NewString("1"), rdf.NewLangString("a", "en"), rdf.NewLangString("a", "EN"),
		rdf.NewLangString("b", "de"), rdf.NewLangString("", "en"))
	slices.SortFunc(list, func(a, b rdf.Term) int { return strings.Compare(a.String(), b.String()) })
	return list
}()

// constant draws a literal.
func (g *generator) constant() string {
	if g.literals == nil {
		return "1"
	}
	return g.literals[g.even(len(g.literals))].String()
}

// derived draws an expression that computes a term from a variable's.
func (g *generator) derived(variable string) string {
	if g.literals != nil {
		return "STR(" + variable + ")"
	}
	return variable + " + 1"
}

func (g *generator) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "n") }

// chance is true in so many of a hundred cases. Ranges of rapid prefer small numbers; bits have no preference.
func (g *generator) chance(percent int) bool {
	n := 0
	for range 7 {
		n *= 2
		if rapid.Bool().Draw(g.t, "bit") {
			n++
		}
	}
	return n*100 < percent*128
}

// even is like pick without a preference, for n up to 128.
func (g *generator) even(n int) int {
	k := 0
	for range 7 {
		k *= 2
		if rapid.Bool().Draw(g.t, "bit") {
			k++
		}
	}
	return k * n / 128
}

func (g *generator) oneOf(list ...string) string { return list[g.pick(len(list))] }

func (g *generator) anyOf(list ...rdf.Term) rdf.Term { return list[g.even(len(list))] }

func integer(n int) rdf.Term { return rdf.NewTyped(strconv.Itoa(n), rdf.XSDInteger) }

func node(i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("%sn%d", exampleNS, i)) }

// dataset draws quads in the default graph and two named graphs.
func (g *generator) dataset() (quads []quad, names []rdf.Term) {
	names = []rdf.Term{node(0), rdf.NewIRI(exampleNS + "g1")}
	nodes, predicates, size := 4, 3, g.pick(14)
	if g.chance(50) { // most patterns have solutions
		nodes, predicates, size = 3, 2, 6+g.pick(14)
	}
	if !g.wide && g.chance(60) {
		g.drawLiterals()
	}
	for range size {
		q := quad{
			subject:   node(g.pick(nodes)),
			predicate: rdf.NewIRI(fmt.Sprintf("%sp%d", exampleNS, g.pick(predicates))),
			object:    node(g.pick(nodes)),
		}
		if g.chance(10) {
			q.predicate = rdf.NewIRI(rdf.RDFType)
		}
		if g.chance(15) {
			q.object = integer(g.pick(3))
		}
		if g.chance(8) {
			q.object = rdf.NewString("a")
		}
		if g.literals != nil && g.chance(60) {
			q.object = g.literals[g.pick(len(g.literals))]
		}
		if g.chance(6) {
			q.subject = rdf.NewIRI(exampleNS + "p0")
		}
		if g.chance(8) {
			q.subject = rdf.NewBlank(g.oneOf("b0", "b1"))
		}
		if g.chance(8) {
			q.object = g.anyOf(rdf.NewBlank("b0"), rdf.NewBlank("b1"), rdf.NewIRI(exampleNS+"p1"), rdf.NewIRI(rdf.RDFType), names[1])
		}
		if g.chance(30) {
			q.graph = names[g.pick(2)]
		}
		quads = append(quads, q)
	}
	return quads, names
}

// drawLiterals draws which literals there are: all, or those of one sort, of which more can be compared.
func (g *generator) drawLiterals() {
	g.literals = literals
	if g.chance(30) {
		return
	}
	one := literals[g.even(len(literals))]
	g.literals = slices.DeleteFunc(slices.Clone(literals), func(t rdf.Term) bool { return !naive.OneSort(one, t) })
}

// values draws quads most of whose objects are literals.
func (g *generator) values() (quads []quad, names []rdf.Term) {
	g.drawLiterals()
	for range 5 + g.even(40) {
		q := quad{subject: node(g.pick(8)), predicate: rdf.NewIRI(fmt.Sprintf("%sp%d", exampleNS, g.pick(2))), object: g.literals[g.even(len(g.literals))]}
		if g.chance(10) {
			q.object = node(g.pick(8))
		}
		quads = append(quads, q)
	}
	return quads, nil
}

// split draws what a dataset was made of: a base, up to three segments that added to it and took from it, and up to two commits since. In
// the end it has the quads; others came and went again.
func (g *generator) split(quads []quad) (segments, commits []edits) {
	segments = make([]edits, 1+g.pick(4))
	if g.chance(60) {
		commits = make([]edits, 1+g.pick(2))
	}
	var all []*edits
	for i := range segments {
		all = append(all, &segments[i])
	}
	for i := range commits {
		all = append(all, &commits[i])
	}
	last := len(all) - 1
	comes := func(q quad, i int) { all[i].added = append(all[i].added, q) }
	goes := func(q quad, i int) { all[i].removed = append(all[i].removed, q) }
	for _, q := range quads {
		i := g.between(0, last)
		comes(q, i)
		if g.chance(40) {
			comes(q, g.between(i, last)) // where it is, if it has not gone
		}
		if i+2 <= last && g.chance(25) {
			gone := g.between(i+1, last-1)
			goes(q, gone)
			comes(q, g.between(gone+1, last))
		}
	}
	if last == 0 || len(quads) == 0 || g.chance(30) {
		return segments, commits
	}
	for range 1 + g.even(6) {
		other := func() quad { return quads[g.even(len(quads))] }
		q := quad{other().subject, other().predicate, other().object, other().graph}
		if g.chance(20) {
			q.predicate = rdf.NewIRI(exampleNS + "p3")
		}
		if !slices.Contains(quads, q) {
			i := g.between(0, last-1)
			comes(q, i)
			goes(q, g.between(i+1, last))
		}
	}
	return segments, commits
}

// between draws a number from low to high.
func (g *generator) between(low, high int) int { return low + g.even(high-low+1) }

func (g *generator) variable() string {
	if g.narrow {
		return "?" + g.oneOf("a", "b", "c", "d", "e", "f")
	}
	return "?" + g.oneOf("a", "b", "c", "d")
}

func (g *generator) resource() string { return fmt.Sprintf(":n%d", g.pick(5)) }

func (g *generator) term() string {
	switch {
	case g.chance(85):
		return g.variable()
	case g.chance(20):
		return "[]"
	}
	return g.resource()
}

func (g *generator) object() string {
	if g.chance(10) {
		return g.oneOf("0", g.constant(), "\"a\"")
	}
	return g.term()
}

func (g *generator) predicate() string {
	switch {
	case g.chance(12):
		return g.variable()
	case g.chance(8):
		return "a"
	}
	if g.chance(4) {
		return ":p3"
	}
	return fmt.Sprintf(":p%d", g.pick(3))
}

func (g *generator) path(depth int) string {
	if depth == 0 || g.chance(30) {
		return fmt.Sprintf(":p%d", g.pick(3))
	}
	switch g.pick(7) {
	case 0:
		return "(" + g.path(depth-1) + "/" + g.path(depth-1) + ")"
	case 1:
		return "(" + g.path(depth-1) + "|" + g.path(depth-1) + ")"
	case 2:
		return "^(" + g.path(depth-1) + ")"
	case 3:
		return "(" + g.path(depth-1) + ")*"
	case 4:
		return "(" + g.path(depth-1) + ")+"
	case 5:
		return "(" + g.path(depth-1) + ")?"
	}
	return g.oneOf("!(:p0)", "!(:p0|^:p1)", "!(^:p2)", "!(a|:p1)")
}

// size draws how many triple patterns stand together: one most of the time, so that there are solutions.
func (g *generator) size() int {
	switch {
	case g.chance(60):
		return 1
	case g.chance(70):
		return 2
	}
	return 3
}

func (g *generator) triples() string {
	if g.narrow && g.chance(80) {
		return g.edge()
	}
	var sb strings.Builder
	for n := g.size(); n > 0; n-- {
		predicate := g.predicate()
		if g.chance(18) {
			predicate = g.path(2)
			if g.wide { // Oxigraph has no zero-length path of a term that is not in the data
				fmt.Fprintf(&sb, "%s %s %s . ", g.variable(), predicate, g.variable())
				continue
			}
		}
		fmt.Fprintf(&sb, "%s %s %s . ", g.term(), predicate, g.object())
	}
	return sb.String()
}

// edge draws a triple pattern that the data are likely to have, or a path of no step or one.
func (g *generator) edge() string {
	label := fmt.Sprintf(":p%d", g.pick(2))
	if g.chance(10) {
		label = g.oneOf(label+"?", "(^"+label+")?")
	}
	return fmt.Sprintf("%s %s %s . ", g.variable(), label, g.variable())
}

// scalar draws an expression that the reference evaluator does not compute.
func (g *generator) scalar(depth int) string {
	if depth == 0 {
		return g.oneOf(g.variable(), g.variable(), "1", "2.5", "\"ab\"", "\"b\"@en", "true")
	}
	a := g.scalar(depth - 1)
	switch g.pick(14) {
	case 0:
		return "STR(" + a + ")"
	case 1:
		return "(" + a + g.oneOf(" + ", " - ", " * ", " / ") + g.scalar(depth-1) + ")"
	case 2:
		return "STRLEN(STR(" + a + "))"
	case 3:
		return "CONCAT(STR(" + a + "), \"x\")"
	case 4:
		return "DATATYPE(" + a + ")"
	case 5:
		return "SUBSTR(STR(" + a + "), 2)"
	case 6:
		return "IF(" + g.expression(0) + ", " + a + ", " + g.scalar(depth-1) + ")"
	case 7:
		return "UCASE(STR(" + a + "))"
	case 8:
		return "(" + a + g.oneOf(" < ", " = ", " >= ", " != ") + g.scalar(depth-1) + ")"
	case 9:
		return "REGEX(STR(" + a + "), \"n[12]$\")"
	case 10:
		return g.oneOf("ABS", "CEIL", "FLOOR", "ROUND", "isNUMERIC", "isLITERAL", "isBLANK", "LANG") + "(" + a + ")"
	case 11:
		return "(" + a + g.oneOf(" IN ", " NOT IN ") + "(1, :n1, " + g.variable() + "))"
	case 12:
		return "COALESCE(" + a + ", " + g.scalar(depth-1) + ")"
	}
	return g.oneOf("xsd:integer", "xsd:decimal", "xsd:double", "xsd:string", "xsd:boolean") + "(" + a + ")"
}

func (g *generator) expression(depth int) string {
	if g.narrow && g.chance(60) {
		return g.comparison()
	}
	if g.wide && g.chance(25) {
		return g.scalar(2)
	}
	if g.literals != nil && g.chance(40) {
		return g.valued()
	}
	if depth == 0 || g.chance(50) {
		switch g.pick(8) {
		case 0:
			return "BOUND(" + g.variable() + ")"
		case 1:
			return "(" + g.variable() + " = " + g.oneOf(g.variable(), g.resource(), g.resource()) + ")"
		case 2:
			return "(" + g.variable() + " != " + g.oneOf(g.variable(), g.resource()) + ")"
		case 3:
			return "(" + g.variable() + g.oneOf(" < ", " > ") + g.oneOf("1", g.variable()) + ")"
		case 4:
			return "sameTerm(" + g.variable() + ", " + g.oneOf(g.variable(), g.resource(), "1") + ")"
		case 5:
			return "isIRI(" + g.variable() + ")"
		case 6:
			return "(COALESCE(" + g.variable() + ", " + g.variable() + ") = " + g.resource() + ")"
		}
		if g.literals != nil {
			return g.valued()
		}
		return "(" + g.variable() + " + 1 > 1)"
	}
	switch g.pick(5) {
	case 0:
		return "(" + g.expression(depth-1) + " && " + g.expression(depth-1) + ")"
	case 1:
		return "(" + g.expression(depth-1) + " || " + g.expression(depth-1) + ")"
	case 2:
		return "(!" + g.expression(depth-1) + ")"
	case 3:
		return "IF(" + g.expression(depth-1) + ", " + g.expression(depth-1) + ", " + g.expression(depth-1) + ")"
	}
	if g.inner > 1 {
		return "BOUND(" + g.variable() + ")"
	}
	g.inner++
	defer func() { g.inner-- }()
	return g.oneOf("EXISTS ", "NOT EXISTS ") + g.group(1)
}

// compared draws a SELECT of literals under conditions on their values, in their order or aggregated.
func (g *generator) compared() string {
	body := fmt.Sprintf("{ ?a %s ?v . %s", g.oneOf(":p0", ":p0", ":p1", "?p"), g.oneOf("", "", "?a :p1 ?w . ", "?b :p0 ?a . ", "OPTIONAL { ?a :p1 ?w } "))
	for range 1 + g.pick(2) {
		body += "FILTER " + g.oneOf(g.valuedOf("?v"), g.valuedOf("?v"), g.valuedOf("?w"), "("+g.valuedOf("?v")+" || "+g.valuedOf("?v")+")") + " "
	}
	body += "} "
	const order = "STR(?v) LANG(?v) DATATYPE(?v) ?a ?w STR(?w) LANG(?w) DATATYPE(?w) ?b ?p "
	prologue := "PREFIX : <" + exampleNS + ">\n"
	switch g.pick(4) {
	case 0:
		return prologue + "SELECT * " + body + "ORDER BY " + g.oneOf("?v ", "DESC(?v) ") + order + g.oneOf("", fmt.Sprintf("LIMIT %d", 1+g.pick(4)))
	case 1:
		return prologue + "SELECT " + g.oneOf("?a ", "") + "(" + g.oneOf("MIN", "MAX") + "(?v) AS ?m) (COUNT(DISTINCT ?v) AS ?n) " + body + "GROUP BY ?a"
	case 2:
		return prologue + "SELECT DISTINCT ?v ?w " + body
	}
	return prologue + "SELECT * " + body
}

// valued draws a condition on values.
func (g *generator) valued() string { return g.valuedOf(g.variable()) }

func (g *generator) valuedOf(v string) string {
	op := func() string { return g.oneOf(" = ", " < ", " <= ", " > ", " >= ", " != ") }
	switch g.pick(11) {
	case 0:
		return "(" + g.constant() + op() + v + ")"
	case 1:
		return "(" + v + op() + g.variable() + ")"
	case 2, 3:
		return "(" + v + g.oneOf(" > ", " >= ") + g.constant() + " && " + v + g.oneOf(" < ", " <= ") + g.constant() + ")"
	case 4:
		return "(" + v + g.oneOf(" IN (", " NOT IN (") + g.constant() + ", " + g.constant() + ", :n1))"
	case 5:
		return g.oneOf("isNumeric(", "isLiteral(", "!isLiteral(", "(", "isIRI(", "!isIRI(", "isBlank(", "!isBlank(") + v + ")"
	case 6:
		tag := func() string { return g.oneOf("\"en\"", "\"EN\"", "\"de\"", "\"\"", "\"fr\"", "\"*\"", "\"e\"") }
		return g.oneOf("(LANG("+v+") = "+tag()+")", "("+tag()+" = LANG("+v+"))", "(LANG("+v+") IN ("+tag()+", "+tag()+"))", "langMatches(LANG("+v+"), "+tag()+")",
			"(LANG("+v+") = "+tag()+" || LANG("+v+") = "+tag()+")", "(LANG("+v+") != "+tag()+")")
	case 7:
		text := g.oneOf("", "a", "b", "ab", "1", "2000", "t", "http:", "true", "\U0010FFFF", "-", "x")
		of := "(" + g.oneOf(v, "STR("+v+")")
		if g.chance(30) {
			return g.oneOf("(STR("+v+") = \""+text+"\")", "(\""+text+"\" = STR("+v+"))", "(STR("+v+") IN (\""+text+"\", \"a\"))", "(STR("+v+") = \"http://example.org/n1\")")
		}
		return g.oneOf("", "", "!") + g.oneOf("STRSTARTS"+of+", \""+text+"\")", "REGEX"+of+", \"^"+text+"\")")
	case 8:
		year := g.oneOf("1999", "2000", "2001", "99999999999999", "-1")
		return g.oneOf("(YEAR("+v+")"+op()+year+")", "("+year+op()+"YEAR("+v+"))", "(YEAR("+v+") >= 2000 && YEAR("+v+") < "+year+")")
	}
	return "(" + v + op() + g.constant() + ")"
}

// comparison draws a condition that is true of some solutions and false of others.
func (g *generator) comparison() string {
	if g.literals != nil && g.chance(30) {
		return g.valued()
	}
	a, b := g.variable(), g.variable()
	return g.oneOf("("+a+" = "+b+")", "("+a+" = "+b+")", "("+a+" != "+b+")", "BOUND("+a+")", "!BOUND("+a+")", "sameTerm("+a+", "+b+")",
		"("+a+g.oneOf(" IN ", " NOT IN ")+g.oneOf("()", "("+b+", :n1)", "(:n0, :n1)")+")")
}

// group draws a group graph pattern.
func (g *generator) group(depth int) string {
	var sb strings.Builder
	sb.WriteString("{ ")
	if g.chance(85) {
		sb.WriteString(g.triples())
	}
	for range g.pick(3) {
		sb.WriteString(g.element(depth))
	}
	sb.WriteString("} ")
	return sb.String()
}

func (g *generator) element(depth int) string {
	if depth == 0 {
		return g.oneOf(g.triples(), "FILTER "+g.expression(0)+" ")
	}
	switch g.pick(12) {
	case 0, 1:
		return "OPTIONAL " + g.group(depth-1)
	case 2:
		return g.group(depth-1) + "UNION " + g.group(depth-1)
	case 3:
		return "MINUS " + g.group(depth-1)
	case 4, 5:
		return "FILTER " + g.expression(2) + " "
	case 6:
		g.fresh++
		if g.wide {
			return fmt.Sprintf("BIND(%s AS ?x%d) ", g.scalar(2), g.fresh)
		}
		return fmt.Sprintf("BIND(%s AS ?x%d) ", g.oneOf(g.variable(), g.expression(0), g.constant(), g.derived(g.variable())), g.fresh)
	case 7:
		return "GRAPH " + g.oneOf(":n0", ":g1", ":none", "?a", "?g") + " " + g.group(depth-1)
	case 8:
		return fmt.Sprintf("VALUES (%s %s) { (%s UNDEF) (%s %s) } ", "?a", "?b", g.resource(), g.oneOf("UNDEF", g.resource()), g.resource())
	case 9:
		return "{ " + g.subquery(depth-1) + "} "
	case 10:
		return g.group(depth - 1)
	}
	return g.triples()
}

// sharing draws a union whose branches have triple patterns in common.
func (g *generator) sharing() string {
	common := fmt.Sprintf("%s :p0 ?b . ?b :p%d ?c . ", g.oneOf("?a", ":n1"), g.pick(3))
	var branches []string
	for range 2 + g.pick(2) {
		branches = append(branches, fmt.Sprintf("{ %s ?%s %s %s . %s} ", common, g.oneOf("a", "b", "c"), g.predicate(), g.object(), g.oneOf("", g.triples())))
	}
	return "SELECT " + g.oneOf("*", "?a ?c", "DISTINCT ?b", "(COUNT(*) AS ?n)") + " { " + strings.Join(branches, "UNION ") + g.oneOf("", "FILTER "+g.expression(1), g.triples()) + "}"
}

// nested draws a SELECT of EXISTS and sub-SELECTs in each other, most of them with solutions.
func (g *generator) nested() string {
	g.narrow = true
	condition := g.exists(2)
	if g.chance(20) {
		condition = fmt.Sprintf("(%s %s %s)", g.comparison(), g.oneOf("&&", "||"), condition)
	}
	what := g.oneOf("*", "*", "DISTINCT ?a", "?b ?c")
	end := g.oneOf("FILTER "+condition, "FILTER "+condition, "BIND("+condition+" AS ?x)")
	if g.chance(25) {
		end = g.member(2) + end
	}
	return "PREFIX : <" + exampleNS + ">\nSELECT " + what + " { " + g.edge() + g.oneOf("", g.edge()) + end + "}"
}

// query draws a SELECT whose solutions have no prescribed order.
func (g *generator) query() string {
	prologue := "PREFIX : <" + exampleNS + ">\n"
	if g.wide {
		prologue += "PREFIX xsd: <" + rdf.XSD + ">\n"
	}
	switch {
	case g.chance(5):
		v := g.oneOf("?s", "?p", "?o")
		return prologue + fmt.Sprintf("SELECT %s (COUNT(*) AS ?n) (COUNT(DISTINCT %s) AS ?m) { %s %s %s } GROUP BY %s", v,
			g.oneOf("?s", "?p", "?o"), g.oneOf("?s", "?s", "?o", "[]"), g.oneOf("?p", ":p0", ":p1", "a"), g.oneOf("?o", "?o", ":n1"), v)
	case g.chance(8):
		v := g.variable()
		return prologue + fmt.Sprintf("SELECT %s (COUNT(*) AS ?n) (COUNT(%s) AS ?m) (COUNT(DISTINCT %s) AS ?d) { %s } GROUP BY %s", v,
			g.oneOf("?a", "?b", g.derived("?c")), g.variable(), g.oneOf(g.triples(), g.triples()+"FILTER "+g.expression(1),
				"{ "+g.triples()+"} UNION { "+g.triples()+"}", g.triples()+"BIND("+v+" = :n1 AS ?c)"), v)
	case g.chance(6):
		return prologue + g.sharing()
	case g.chance(10):
		return prologue + g.subquery(2)
	case g.chance(15):
		return g.nested()
	case g.chance(6):
		g.loose = true
		return prologue + "SELECT " + g.oneOf("", "DISTINCT ") + g.oneOf("*", "?a ?b", "?c") + " " + g.group(2) + g.oneOf("", "ORDER BY ?a ") + fmt.Sprintf("LIMIT %d OFFSET %d", g.pick(6), g.pick(4))
	case g.chance(15):
		return prologue + "SELECT DISTINCT " + g.oneOf("?a ?b", "?c", "*") + " " + g.group(2)
	case g.chance(15):
		return prologue + "SELECT ?a ?b " + g.group(2) + " ORDER BY ?a"
	}
	return prologue + "SELECT " + g.oneOf("*", "?a ?b ?c ?d", "?a", "?b ?d") + " " + g.group(2)
}

// semantics draws any of the semantics that give a query a meaning.
func (g *generator) semantics(q *parser.Query) bgp.Semantics {
	s := bgp.Semantics(g.pick(4))
	if s.CheckAll(q.Where) != nil {
		return bgp.Isomorphism
	}
	return s
}
