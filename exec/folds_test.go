package exec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"pgregory.net/rapid"
)

// paths is a graph of paths whose vertices have numbers: small and large integers, decimals, and values of which some are others.
func paths(t *testing.T) *memory {
	t.Helper()
	var quads []quad
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	add := func(i int, predicate string, object rdf.Term) {
		quads = append(quads, quad{subject: iri(fmt.Sprint("v", i)), predicate: iri(predicate), object: object})
	}
	for i := range 60 {
		for k := 1; k <= 1+i%5; k++ {
			add(i, "p", iri(fmt.Sprint("v", i*k%23)))
			add(i, "n", integer(k%3-1))
			add(i, "large", integer((i-30)*500_000_003_000_000))
			add(i, "typed", rdf.NewTyped(fmt.Sprint(k), rdf.XSD+"int"))
			add(i, "decimal", rdf.NewTyped(fmt.Sprintf("%d.%02d", i-20, k*25%100), rdf.XSDDecimal))
		}
		add(i, "mixed", []rdf.Term{integer(i), rdf.NewTyped("1.50", rdf.XSDDecimal)}[i%2])
		add(i, "double", rdf.NewTyped(fmt.Sprint(i)+".5E0", rdf.XSDDouble))
		add(i, "other", []rdf.Term{integer(i), rdf.NewString("no number")}[i/59])
		add(i, "date", rdf.NewTyped(fmt.Sprintf("20%02d-%02d-%02d", i%7, 1+i%12, 1+i%28), rdf.XSD+"date"))
		add(i, "moment", rdf.NewTyped(fmt.Sprintf("1999-12-31T23:%02d:00-0%d:00", i, i%3), rdf.XSDDateTime))
		add(i, "fine", rdf.NewTyped(fmt.Sprintf("0.%09d", i+1), rdf.XSDDecimal))
		add(i, "huge", rdf.NewTyped(fmt.Sprintf("%d000000000000000000000", i+1), rdf.XSDInteger))
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTheDeviceAddsNumbersUp where a query groups by up to two variables and asks for what exact numbers of one more come to.
func TestTheDeviceAddsNumbersUp(t *testing.T) {
	m := paths(t)
	for _, c := range []struct {
		query string
		folds bool
	}{
		{"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a", true},
		{"SELECT ?a (SUM(?n) AS ?s) (AVG(?n) AS ?m) (COUNT(*) AS ?k) (COUNT(?n) AS ?l) { ?a :p ?b . ?b :large ?n } GROUP BY ?a", true},
		{"SELECT (SUM(?n) AS ?s) (AVG(?n) AS ?m) { ?a :p ?b . ?b :p ?c . ?c :decimal ?n }", true},
		{"SELECT ?a ?c (AVG(?n) AS ?m) { ?a :p ?b . ?b :p ?c . ?b :decimal ?n } GROUP BY ?a ?c", true},
		{"SELECT ?c (SUM(?n) AS ?s) ?a { ?a :p ?b . ?b :p ?c . ?b :mixed ?n } GROUP BY ?c ?a", true},
		{"SELECT ?n (SUM(?k) AS ?s) { ?a :p ?b . ?b :n ?n . ?b :typed ?k } GROUP BY ?n", true},
		{"SELECT ?b (SUM(?n) AS ?s) { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?b :n ?n } GROUP BY ?b", true},
		{"SELECT ?b (SUM(?n) AS ?s) { ?b :n ?n OPTIONAL { ?b :p ?c } } GROUP BY ?b", true},
		{"SELECT ?b (AVG(?n) AS ?s) { ?b :n ?n FILTER EXISTS { ?b :p ?c } FILTER(?n > -1) } GROUP BY ?b HAVING(AVG(?n) > 0.2) ORDER BY ?b", true},
		{"SELECT (SUM(?n) AS ?s) { ?a :p ?b . ?b :p ?a . ?a :large ?n FILTER(?n > 100000000000000000000) }", false},
		{"SELECT ?a ?t { { SELECT ?a ?t { { SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :typed ?n } GROUP BY ?a } BIND(?s * 2 AS ?t) } } } ORDER BY ?s ?a LIMIT 3", true},
		{"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :double ?n } GROUP BY ?a", false},
		{"SELECT ?a (SUM(?n) AS ?s) { ?b :p ?a . ?b :other ?n } GROUP BY ?a", false},
		{"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :fine ?n } GROUP BY ?a", false},
		{"SELECT ?a (AVG(?n) AS ?s) { ?a :p ?b . ?b :huge ?n } GROUP BY ?a", false},
		{"SELECT ?a (SUM(DISTINCT ?n) AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a", false},
		{"SELECT ?a (SUM(?n + 1) AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a", true},
		{"SELECT ?a (SUM(?n) AS ?s) (SUM(?k) AS ?r) { ?a :p ?b . ?b :n ?n . ?b :typed ?k } GROUP BY ?a", false},
		{"SELECT ?a (SUM(?n) AS ?s) (COUNT(DISTINCT ?n) AS ?r) { ?a :p ?b . ?b :n ?n } GROUP BY ?a", false},
		{"SELECT ?a (COUNT(*) AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a", false},
		// Groups by numbers that are computed.
		{"SELECT ?y (COUNT(*) AS ?k) { ?a :p ?b . ?b :date ?t } GROUP BY (YEAR(?t) AS ?y)", true},
		{"SELECT ?y ?m (SUM(?n) AS ?s) { ?a :p ?b . ?b :date ?t ; :n ?n } GROUP BY (YEAR(?t) AS ?y) (MONTH(?t) AS ?m)", true},
		{"SELECT ?h (AVG(?n) AS ?s) (MAX(?n) AS ?g) ?a { ?a :p ?b . ?b :moment ?t ; :mixed ?n } GROUP BY ?a (HOURS(?t) AS ?h)", true},
		{"SELECT ?y (COUNT(*) AS ?k) { ?a :p ?b . ?b :moment ?t BIND(YEAR(?t) AS ?y) } GROUP BY ?y ORDER BY DESC(?k) ?y LIMIT 2", true},
		{"SELECT ?d (COUNT(*) AS ?k) { ?a :p ?b . ?a :date ?t . ?b :date ?u } GROUP BY (ABS(YEAR(?t) - YEAR(?u)) + DAY(?t) AS ?d) HAVING(?d > 2)", true},
		{"SELECT ?b (MIN(?y) AS ?l) (MAX(?y) AS ?g) (COUNT(?t) AS ?k) { ?a :p ?b . ?a :date ?t BIND(YEAR(?t) AS ?y) } GROUP BY ?b", true},
		{"SELECT (MAX(?n + ?m) AS ?g) (AVG(?n + ?m) AS ?s) { ?a :p ?b . ?a :n ?n . ?b :typed ?m }", true},
		{"SELECT ?f (COUNT(*) AS ?k) { ?a :p ?b . ?b :decimal ?n } GROUP BY (FLOOR(?n / 3) AS ?f)", true},
		{"SELECT ?f (COUNT(*) AS ?k) { ?a :p ?b . ?b :typed ?n } GROUP BY (?n / 4 AS ?f)", true},
		{"SELECT ?f (SUM(?n / 8) AS ?k) { ?a :p ?b . ?b :typed ?n } GROUP BY (ROUND(?n / 2) * 5 AS ?f)", true},
		{"SELECT ?k ?l (COUNT(*) AS ?s) { ?a :p ?b . ?b :typed ?n } GROUP BY (?n AS ?k) (?n + 0 AS ?l)", true},
		{"SELECT ?f (COUNT(*) AS ?k) { ?a :p ?b . ?b :typed ?n } GROUP BY (?n / 8 AS ?f)", false},
		{"SELECT ?f (COUNT(*) AS ?k) { ?a :p ?b . ?b :typed ?n } GROUP BY (?n / 3 AS ?f)", false},
		{"SELECT ?f (COUNT(*) AS ?k) { ?a :p ?b . ?b :large ?n } GROUP BY (?n + 1 AS ?f)", false},
		{"SELECT ?f (COUNT(*) AS ?k) { ?a :p ?b . ?b :double ?n } GROUP BY (?n + 1 AS ?f)", false},
		{"SELECT ?b (MIN(?n * 0.5) AS ?l) { ?a :p ?b . ?a :typed ?n } GROUP BY ?b", true},
		{"SELECT ?b (MAX(?n * 1.19) AS ?l) (AVG(?n * 1.19) AS ?s) (COUNT(*) AS ?k) { ?a :p ?b . ?a :decimal ?n } GROUP BY ?b", true},
		{"SELECT (MIN(?n / 4) AS ?l) (MAX(?n / 4) AS ?g) (SUM(?n / 4) AS ?s) { ?a :p ?b . ?a :mixed ?n . ?b :n ?m FILTER(?n > ?m) }", true},
		{"SELECT ?y (MAX(?n - 0.005) AS ?g) (MIN(?n - 0.005) AS ?l) { ?a :p ?b . ?a :decimal ?n . ?b :date ?t } GROUP BY (YEAR(?t) AS ?y) ORDER BY ?y", true},
		{"SELECT ?b (MIN(FLOOR(?n / ?m)) AS ?l) { ?a :p ?b . ?a :decimal ?n . ?b :typed ?m } GROUP BY ?b", true},
		{"SELECT ?b (MIN(?n * 0.5) AS ?l) { ?a :p ?b . ?a :large ?n } GROUP BY ?b", false},
		{"SELECT ?b (MIN(?n * 0.5) AS ?l) { ?a :p ?b . ?a :double ?n } GROUP BY ?b", false},
		{"SELECT ?b (MIN(?n * 0.5) AS ?l) (MAX(?n) AS ?g) { ?a :p ?b . ?a :typed ?n } GROUP BY ?b", false},
		{"SELECT ?b (MIN(-?n) AS ?l) { ?a :p ?b . ?a :decimal ?n } GROUP BY ?b", false},
		{"SELECT ?y (COUNT(*) AS ?k) { ?a :p ?b . ?b :typed ?t } GROUP BY (YEAR(?t) AS ?y)", false},
		{"SELECT ?y (COUNT(*) AS ?k) { ?a :p ?b . ?b :date ?t } GROUP BY (HOURS(?t) AS ?y)", false},
		{"SELECT ?y (COUNT(*) AS ?k) { ?a :p ?b . ?b :date ?t } GROUP BY (YEAR(?t) > 2003 AS ?y)", false},
		{"SELECT ?x (COUNT(*) AS ?k) { ?a :p ?b . ?b :date ?t } GROUP BY (DAY(?t) + MONTH(?t) + YEAR(?t) + HOURS(?t) AS ?x)", false},
		{"SELECT (SUM(?a) AS ?s) { ?a :p ?b . ?b :p ?c }", false},
		// Rows that computed numbers tell apart.
		{"SELECT DISTINCT (FLOOR(?n / 100) AS ?x) { ?a :p ?b . ?b :decimal ?n }", true},
		{"SELECT DISTINCT ?a (YEAR(?t) AS ?y) { ?a :p ?b . ?b :date ?t }", true},
		{"SELECT DISTINCT (?n * ?k AS ?x) ?b { ?a :p ?b . ?b :decimal ?n . ?a :typed ?k } ORDER BY ?x ?b", true},
		{"SELECT DISTINCT (?k AS ?l) (?n + ?k AS ?x) { ?a :p ?b . ?b :n ?n . ?a :typed ?k FILTER(?n < ?k) }", true},
		{"SELECT ?x { { SELECT DISTINCT ?x { ?a :p ?b . ?b :mixed ?n BIND(?n * 2 AS ?x) } } FILTER(?x > 7) }", true},
		{"SELECT (COUNT(*) AS ?c) { { SELECT DISTINCT ?y ?m { ?a :p ?b . ?b :date ?t BIND(YEAR(?t) AS ?y) BIND(MONTH(?t) AS ?m) } } }", true},
		{"SELECT ?f { ?a :p ?b . ?b :decimal ?n } GROUP BY (FLOOR(?n / 3) AS ?f)", true},
		{"SELECT (COUNT(DISTINCT YEAR(?t)) AS ?k) { ?a :p ?b . ?b :date ?t }", true},
		{"SELECT ?a (COUNT(DISTINCT ?n * 2) AS ?k) { ?a :p ?b . ?b :decimal ?n FILTER(?n * 2 < 8) } GROUP BY ?a HAVING(COUNT(DISTINCT ?n * 2) > 1)", true},
		{"SELECT ?y (COUNT(DISTINCT ?a) AS ?k) { ?a :p ?b . ?b :date ?t } GROUP BY (YEAR(?t) AS ?y) ORDER BY DESC(?k) ?y LIMIT 3", true},
		{"SELECT ?b (COUNT(DISTINCT ?x) AS ?k) { ?a :p ?b . ?a :typed ?n . ?b :n ?m BIND(?n + ?m AS ?x) FILTER(?x > ?n) } GROUP BY ?b", true},
		{"SELECT (COUNT(DISTINCT FLOOR(?n / 2)) AS ?k) ?y { ?a :p ?b . ?b :decimal ?n ; :date ?t } GROUP BY (YEAR(?t) AS ?y)", true},
		{"SELECT ?a (COUNT(DISTINCT ?n) AS ?k) { ?a :p ?b . ?b :n ?n } GROUP BY ?a", false},
		{"SELECT (COUNT(DISTINCT ?n + 1) AS ?k) { ?a :p ?b . ?b :double ?n }", false},
		{"SELECT (COUNT(DISTINCT STR(?n)) AS ?k) { ?a :p ?b . ?b :n ?n }", false},
		{"SELECT DISTINCT (?n + 1 AS ?x) { ?a :p ?b OPTIONAL { ?b :n ?n } }", false},
		{"SELECT DISTINCT (?n + 1 AS ?x) { ?b :p ?a . ?b :other ?n }", false},
		{"SELECT DISTINCT (?n + 1 AS ?x) { ?a :p ?b . ?b :double ?n }", false},
		{"SELECT DISTINCT (?n + 1 AS ?x) (?n + 1 AS ?y) { ?a :p ?b . ?b :n ?n }", false},
		{"SELECT DISTINCT ?a ?b (?n + 1 AS ?x) { ?a :p ?b . ?b :n ?n }", false},
		{"SELECT REDUCED (?n + 1 AS ?x) { ?a :p ?b . ?b :n ?n }", false},
	} {
		if got := m.onDevice(t, c.query); got != c.folds {
			t.Errorf("%s: the device added up: %v, want %v", c.query, got, c.folds)
		}
	}
}

// TestTheDeviceFindsExtremes of numbers, also where equal ones of different datatypes have IDs that are not in the order of MIN and MAX.
func TestTheDeviceFindsExtremes(t *testing.T) {
	var quads []quad
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	for i := range 80 {
		v := iri(fmt.Sprint("v", i))
		quads = append(quads, quad{subject: v, predicate: iri("p"), object: iri(fmt.Sprint("v", i*i%11))},
			quad{subject: v, predicate: iri("n"), object: integer(i*37%50 - 20)}, quad{subject: v, predicate: iri("s"), object: rdf.NewString(fmt.Sprint(i))})
	}
	tied := append([]quad{{subject: iri("v1"), predicate: iri("q"), object: rdf.NewTyped("7.0", rdf.XSDDecimal)}}, quads...)
	for _, c := range []struct {
		of    []quad
		query string
		folds bool
	}{
		{quads, "SELECT ?b (MIN(?n) AS ?s) (MAX(?n) AS ?m) { ?a :p ?b . ?a :n ?n } GROUP BY ?b", true},
		{quads, "SELECT (MAX(?n) AS ?m) { ?a :p ?b . ?a :n ?n }", true},
		{quads, "SELECT ?b (MIN(?n) AS ?s) (SUM(?n) AS ?m) (COUNT(?b) AS ?k) { ?a :p ?b . ?c :p ?b . ?a :n ?n } GROUP BY ?b", true},
		{quads, "SELECT ?b (MIN(DISTINCT ?n) AS ?s) { ?a :p ?b . ?a :n ?n } GROUP BY ?b", true},
		{quads, "SELECT ?b (MIN(?n) AS ?s) { ?a :p ?b . ?a :s ?n } GROUP BY ?b", false},
		{tied, "SELECT ?b (MIN(?n) AS ?s) { ?a :p ?b . ?a :n ?n } GROUP BY ?b", true},
		{tied, "SELECT ?b (SUM(?n) AS ?s) { ?a :p ?b . ?a :n ?n } GROUP BY ?b", true},
	} {
		m, err := newMemory(c.of)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.onDevice(t, c.query); got != c.folds {
			t.Errorf("%s: the device folded: %v, want %v", c.query, got, c.folds)
		}
	}
}

// onDevice compares a query's answers on an emulated device with the processor's, and reports whether the device folded rows.
func (m *memory) onDevice(t *testing.T, query string) (folded bool) {
	t.Helper()
	d, err := emulate()
	if err != nil {
		t.Fatal(err)
	}
	answersAs(t, m, query, d)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return d.folded.Load() > 0
}

// figures draws edges and numbers of their ends: of integers alone; of exact numbers; or of all sorts, halves among the fractions, whose sums as floats are the same
// in any order.
func (g *generator) figures() (quads []quad, integers bool) {
	for range 6 + g.pick(14) {
		quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(fmt.Sprintf("%sp%d", exampleNS, g.pick(2))), object: node(g.pick(4))})
	}
	draw := g.exactFigure
	switch g.pick(5) {
	case 0, 1:
		draw, integers = g.integerFigure, true
	case 2:
		draw = g.anyFigure
	}
	for range 1 + g.pick(12) {
		quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(exampleNS + "n"), object: draw()})
	}
	return quads, integers
}

func (g *generator) integerFigure() rdf.Term {
	if g.pick(12) == 0 {
		return rdf.NewTyped(fmt.Sprintf("%03d", g.pick(9)), rdf.XSDInteger)
	}
	return integer(g.pick(9) - 4)
}

func (g *generator) exactFigure() rdf.Term {
	n := g.pick(9) - 4
	switch kind := g.pick(12); {
	case kind < 6:
		return g.integerFigure()
	case kind < 10:
		return rdf.NewTyped(fmt.Sprintf("%d.%d", n, g.pick(120)), rdf.XSDDecimal)
	case kind == 10:
		return rdf.NewTyped(fmt.Sprintf("%d", n*1_000_000_000_000_000), rdf.XSD+"long")
	}
	return rdf.NewTyped(fmt.Sprintf("%d%020d", n, n*n), rdf.XSDInteger)
}

func (g *generator) anyFigure() rdf.Term {
	half := fmt.Sprintf("%d.5", g.pick(9)-4)
	return []rdf.Term{g.integerFigure(), rdf.NewTyped(half, rdf.XSDDecimal), rdf.NewTyped(half+"E0", rdf.XSDDouble), rdf.NewString(half)}[g.pick(4)]
}

// foldQuery draws a query that groups by up to two variables and asks for what the numbers of one come to.
func (g *generator) foldQuery() (text string, averages bool) {
	keys := g.oneOf("", "?a", "?b", "?c", "?a ?b", "?c ?a", "?b ?c")
	text = "SELECT " + keys
	for i := range 1 + g.pick(3) {
		of := g.oneOf("SUM(?n)", "SUM(?n)", "AVG(?n)", "MIN(?n)", "MAX(?n)", "COUNT(*)", "COUNT(?n)", "MAX(DISTINCT ?n)", "SUM(DISTINCT ?n)")
		averages = averages || strings.HasPrefix(of, "AVG")
		text += fmt.Sprintf(" (%s AS ?x%d)", of, i)
	}
	text += " { " + g.oneOf("?a", "?b", "?c") + " :n ?n . ?a :p0 ?b . "
	text += g.oneOf("", "?b :p1 ?c . ", "?b :p0 ?c . ", "?c :p1 ?b . ?c :p0 ?d . ", "?b :p0 ?c . ?c :p1 ?a . ", "?a :p1 ?c OPTIONAL { ?b :p0 ?d } ", "FILTER EXISTS { ?b :p1 ?c } ")
	text += g.oneOf("", "", "FILTER(?n > -2) ", "FILTER(?a != ?b) ") + "} "
	if keys != "" {
		text += "GROUP BY " + keys
	}
	ordered := 40
	if keys != "" && g.chance(20) { // by what is hidden, or not
		text = "SELECT " + keys + g.oneOf(" ?t", " ?t ?x0") + " { { " + text + " } BIND(?x0 * 2 AS ?t) }"
		text, ordered = "SELECT * { { "+text+" } }", 90
	}
	text = "PREFIX : <" + exampleNS + "> " + text
	if keys != "" && g.chance(ordered) {
		text += " ORDER BY " + g.oneOf("?x0 ", "DESC(?x0) ") + keys + fmt.Sprintf(" LIMIT %d", 1+g.pick(6))
	}
	return text, averages
}

// TestFiguresComeToTheSame compares what numbers of random graphs come to on a device with the processor, and integers' sums with the reference evaluator.
func TestFiguresComeToTheSame(t *testing.T) {
	folded := 0
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		quads, integers := g.figures()
		text, averages := g.foldQuery()
		d := g.sameOnDevice(t, quads, text, integers && !averages)
		folded += int(d.folded.Load())
	})
	if !testing.Short() && folded == 0 {
		t.Error("the device folded nothing")
	}
}

// sameOnDevice compares a query's answers on an emulated device, which it returns closed, with the processor, and with the reference evaluator where that is asked for.
func (g *generator) sameOnDevice(t *rapid.T, quads []quad, text string, refer bool) *emulated {
	segments, commits := g.split(quads)
	if g.chance(50) {
		segments, commits = []edits{{added: quads}}, nil
	}
	q, m, device := drawn(t, text, segments, commits)
	defer device.Close()
	semantics := g.semantics(q)
	o := onProcessor()
	o.Semantics = semantics
	a, err := m.run(q, o)
	if err != nil {
		t.Fatal(err)
	}
	want := tally(a.rows)
	if refer {
		if reference := tally(reference1(quads, nil, q, semantics)); !slices.Equal(reference, want) {
			t.Fatalf("%s\n the processor:\n  %s\n the reference:\n  %s", reproduce(segments, commits, text), strings.Join(want, "\n  "), strings.Join(reference, "\n  "))
		}
	}
	for range 2 { // once more with what the device knows by then
		o = device.options()
		o.Semantics = semantics
		if a, err = m.run(q, o); err != nil {
			t.Fatal(err)
		}
		if got := tally(a.rows); !slices.Equal(got, want) {
			t.Fatalf("%s\n got:\n  %s\n want:\n  %s", reproduce(segments, commits, text), strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
	return device
}

// TestTheDeviceSelectsFirstRows of many, by numbers and strings of one segment; the answers are the processor's.
func TestTheDeviceSelectsFirstRows(t *testing.T) {
	var quads []quad
	iri := func(name string, i int) rdf.Term { return rdf.NewIRI(fmt.Sprint(exampleNS, name, i)) }
	for i := range 12_000 {
		add := func(predicate string, object rdf.Term) {
			quads = append(quads, quad{subject: iri("v", i), predicate: rdf.NewIRI(exampleNS + predicate), object: object})
		}
		add("p", iri("v", i*7919%12_000))
		add("n", integer(i*i%10_007))
		add("s", rdf.NewString(fmt.Sprint(i*31%9973)))
		add("d", []rdf.Term{integer(i % 100), rdf.NewTyped(fmt.Sprintf("%d.0", i%100), rdf.XSDDecimal), rdf.NewTyped(fmt.Sprintf("%d.5E0", i%100), rdf.XSDDouble)}[i%3])
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query   string
		selects bool
	}{
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY ?n ?b LIMIT 10", true},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY DESC(?n) DESC(?b) LIMIT 100 OFFSET 50", true},
		{"SELECT ?b ?s { ?a :p ?b . ?a :s ?s } ORDER BY DESC(?s) ?b LIMIT 7", true},
		{"SELECT ?b ?s { ?a :p ?b . ?a :d ?s } ORDER BY ?s ?b LIMIT 300", true},
		{"SELECT ?b { ?a :p ?b . ?a :n ?n } ORDER BY DESC(?n) ?b LIMIT 3", true},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY ?b ?n LIMIT 10", false},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY STR(?n) ?b LIMIT 10", false},
		{"SELECT ?b (STR(?n) AS ?s) { ?a :p ?b . ?a :n ?n } ORDER BY DESC(?n) ?b LIMIT 3", true},
		// By numbers that are computed.
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY (?n + 1) ?b LIMIT 10", true},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n . ?b :n ?m } ORDER BY DESC(?n * ?m) ?b LIMIT 10 OFFSET 5", true},
		{"SELECT ?b (?n - ?m AS ?x) { ?a :p ?b . ?a :n ?n . ?b :n ?m } ORDER BY ?x ?b LIMIT 100", true},
		{"SELECT ?b ?x ?s { ?a :p ?b . ?a :n ?n . ?b :s ?s BIND(ABS(5000.5 - ?n) * -0.001 AS ?x) FILTER(?n > 7) } ORDER BY DESC(?x) ?b LIMIT 10", true},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n . ?b :n ?m FILTER(?n + 100 < ?m) } ORDER BY DESC(?n) ?b LIMIT 10", true},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n . ?b :n ?m FILTER(?n + 100 < ?m) } ORDER BY DESC(?n - ?m) ?b LIMIT 10", true},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY (?n / 7) ?b LIMIT 10", false},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n FILTER(STR(?n) != STR(?b)) } ORDER BY (?n + 1) ?b LIMIT 10", false},
		{"SELECT ?b ?s { ?a :p ?b . ?a :d ?s } ORDER BY (?s + 1) ?b LIMIT 300", false},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY (?n * 0) ?b LIMIT 10", false},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY ?n ?b", false},
		{"SELECT ?b ?n { ?a :p ?b . ?a :n ?n } ORDER BY ?n ?b LIMIT 9000", false},
	} {
		d, err := emulate()
		if err != nil {
			t.Fatal(err)
		}
		answersAs(t, m, c.query, d)
		if got := d.rows.Load() < 6000; got != c.selects {
			t.Errorf("%s: %d rows came", c.query, d.rows.Load())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFoldsAndFirstRowsAreExplained behind the steps of the match.
func TestFoldsAndFirstRowsAreExplained(t *testing.T) {
	m := paths(t)
	for query, want := range map[string]string{
		"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a":                              "?n: added up by ?a, where all are exact numbers",
		"SELECT (SUM(?n) AS ?s) (MIN(?n) AS ?l) { ?a :p ?b . ?b :n ?n }":                             "?n: added up, least and greatest, where all are exact numbers",
		"SELECT ?a ?b (MAX(?n) AS ?s) { ?a :p ?b . ?b :p ?c . ?c :n ?n } GROUP BY ?a ?b":             "?n: least and greatest by ?a, ?b, where all are exact numbers",
		"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a ORDER BY DESC(?s) ?a LIMIT 3": "?n: added up by ?a, the first 3 by the sum, where all are exact numbers",
		"SELECT ?y (COUNT(*) AS ?s) { ?a :p ?b . ?b :date ?t } GROUP BY (YEAR(?t) AS ?y)":            "rows counted by year(?t), where all are exact numbers",
		"SELECT DISTINCT ?a (?n * 2 AS ?x) { ?a :p ?b . ?b :n ?n }":                                  "told apart by ?a, ?n * 2, where all are exact numbers",
		"SELECT ?a { ?a :p ?b . ?b :n ?n . ?a :decimal ?m } ORDER BY DESC(?n * ?m) ?a LIMIT 10":      "the first 10 by ?n * ?m, and those that may be, where all are exact numbers",
		"SELECT ?a ?n { ?a :p ?b . ?b :n ?n } ORDER BY DESC(?n) ?a LIMIT 10 OFFSET 5":                "the first 15 by ?n, and those that may be, where its values are in order",
	} {
		if text := m.explained(t, query); !strings.Contains(text, want) {
			t.Errorf("%s\n%s\nhas not: %s", query, text, want)
		}
	}
}

// explained is how a query is explained that runs on an emulated device.
func (m *memory) explained(t *testing.T, query string) string {
	t.Helper()
	d, err := emulate()
	if err != nil {
		t.Fatal(err)
	}
	p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> "+query), m, m.dict, d.options())
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := p.Explain().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return text.String()
}

// TestFirstGroupsAreChosenByTheirNumbers: of groups that a device has folded only those become terms that may be among the first; the answers are the processor's.
func TestFirstGroupsAreChosenByTheirNumbers(t *testing.T) {
	m := paths(t)
	for _, query := range []string{
		"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a ORDER BY DESC(?s) ?a LIMIT 5",
		"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :large ?n } GROUP BY ?a ORDER BY ?s ?a LIMIT 7 OFFSET 2",
		"SELECT ?a (AVG(?n) AS ?s) { ?a :p ?b . ?b :decimal ?n } GROUP BY ?a ORDER BY ?s ?a LIMIT 3",
		"SELECT ?a (AVG(?n) AS ?s) (COUNT(*) AS ?k) { ?a :p ?b . ?b :mixed ?n } GROUP BY ?a ORDER BY DESC(?k) DESC(?s) ?a LIMIT 10",
		"SELECT ?a { ?a :p ?b . ?b :mixed ?n } GROUP BY ?a ORDER BY AVG(?n) ?a LIMIT 10",
		"SELECT ?a (SUM(?n * ?n) AS ?s) { ?a :p ?b . ?b :decimal ?n } GROUP BY ?a ORDER BY DESC(?s) ?a LIMIT 10",
		"SELECT ?a (SUM(?n) + 1 AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a ORDER BY DESC(?s) ?a LIMIT 5",
		"SELECT ?a (SUM(?n) AS ?s) { ?a :p ?b . ?b :n ?n } GROUP BY ?a ORDER BY DESC(?s) ?a LIMIT 1000",
	} {
		if !m.onDevice(t, query) {
			t.Errorf("%s: not folded", query)
		}
	}
}
