package exec_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/kernels"
	"pgregory.net/rapid"
)

// TestTheDeviceComputesWithNumbers of several variables: it leaves out rows that fail conditions, and adds up what is computed.
func TestTheDeviceComputesWithNumbers(t *testing.T) {
	m := paths(t)
	doubled := ""
	for i := range 40 {
		doubled += fmt.Sprintf("BIND(?n%d + ?n%d AS ?n%d) ", i, i, i+1)
	}
	for _, c := range []struct {
		query        string
		sifts, folds bool
	}{
		{"SELECT ?a ?b { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n * ?m > 1) }", true, false},
		{"SELECT ?a ?b { ?a :p ?b . ?a :mixed ?n . ?b :decimal ?m FILTER(?n < ?m || ?n * 2.5 - ?m >= 12.25 && !(?m = -?n)) }", true, false},
		{"SELECT ?a ?b ?x { ?a :p ?b . ?a :typed ?n . ?b :n ?m BIND(?n + ?m AS ?x) FILTER(?x != 3) FILTER(?x > ?n) }", true, false},
		{"SELECT DISTINCT ?n { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n > ?m) }", true, false},
		{"SELECT ?a (COUNT(*) AS ?k) { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n > ?m) } GROUP BY ?a", true, true},
		{"SELECT (COUNT(*) AS ?k) { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n > ?m) }", true, true},
		{"SELECT ?a (SUM(?n * ?m) AS ?s) (AVG(?n * ?m) AS ?x) { ?a :p ?b . ?a :typed ?n . ?b :decimal ?m } GROUP BY ?a", true, true},
		{"SELECT (SUM(?x) AS ?s) (COUNT(?n) AS ?k) { ?a :p ?b . ?a :typed ?n . ?b :mixed ?m BIND(2 * ?n - ?m AS ?x) FILTER(?x > 0) }", true, true},
		{"SELECT ?b (SUM(?n) AS ?s) (MAX(?n) AS ?x) { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n + ?m > 1) } GROUP BY ?b ORDER BY ?b", true, true},
		{"SELECT ?b (AVG(?n + 1) AS ?s) { ?b :n ?n OPTIONAL { ?b :p ?c } } GROUP BY ?b HAVING(AVG(?n + 1) > 0.7)", true, true},
		// What is no exact number of 61 bits goes back to the processor.
		{"SELECT (SUM(?n * ?m) AS ?s) { ?a :p ?b . ?a :large ?n . ?b :large ?m }", false, false},
		{"SELECT (SUM(?n * ?m) AS ?s) { ?a :p ?b . ?a :large ?n . ?b :typed ?m }", true, true},
		{"SELECT (SUM(?n * ?m) AS ?s) { ?a :p ?b . ?a :large ?n . ?b :typed ?m OPTIONAL { ?b :p ?c } }", false, false},
		{"SELECT (SUM(0.0001 * ?m * 0.000000000000001 * 0.01) AS ?s) { ?a :p ?b . ?b :typed ?m }", false, false},
		{"SELECT (COUNT(*) AS ?s) { ?a :p ?b . ?a :large ?n . ?b :large ?m FILTER(?n * ?m > ?n + 12) }", true, true},
		{"SELECT (COUNT(*) AS ?s) { ?a :p ?b . ?a :large ?n . ?b :large ?m FILTER(?n * ?m * ?n * ?m > 1) }", true, false},
		{"SELECT ?a ?b { ?a :p ?b . ?a :double ?n . ?b :n ?m FILTER(?n > ?m) }", true, false},
		{"SELECT ?b (SUM(?n + ?m) AS ?s) { ?a :p ?b . ?a :other ?n . ?b :n ?m } GROUP BY ?b", false, false},
		{"SELECT ?b (SUM(?n + ?m) AS ?s) { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?a != ?b) } GROUP BY ?b", true, true},
		{"SELECT (COUNT(*) AS ?s) { ?a :p ?b . ?a :n ?n . ?b :typed ?m FILTER(?m * 0.0001" + strings.Repeat(" * 0.000000000000000001", 14) + " >= ?n) }", false, false},
		{"SELECT (SUM(?m * 0.0001" + strings.Repeat(" * 0.000000000000000001", 14) + ") AS ?s) { ?a :p ?b . ?b :typed ?m }", false, false},
		// Variables that a subselect hides have no numbers above it.
		{"SELECT ?a (SUM(?m) AS ?s) { { SELECT ?a ?n { ?a :p ?b . ?b :n ?n . ?b :typed ?m FILTER(?m > ?n) } } } GROUP BY ?a", true, false},
		{"SELECT ?m (SUM(?n) AS ?s) { { SELECT ?a ?n { ?a :p ?b . ?b :n ?n . ?b :typed ?m FILTER(?m > ?n) } } } GROUP BY ?m", true, false},
		{"SELECT ?a (SUM(?m) AS ?s) { { SELECT ?a ?n { ?a :p ?b . ?b :n ?n . ?b :typed ?m FILTER(?m > ?n) } } BIND(?n + 1 AS ?m) } GROUP BY ?a", true, true},
		{"SELECT ?a ?n { { SELECT ?a ?n { ?a :p ?b . ?b :n ?n . ?b :typed ?m FILTER(?m > ?n) } } FILTER(?m != ?n) }", true, false},
		{"SELECT ?a ?n { { SELECT ?a ?n { ?a :p ?b . ?b :n ?n BIND(?n * 2 AS ?m) FILTER(?m + 3 > ?n) } } BIND(?n + 5 AS ?m) FILTER(?m > ?n) }", false, false},
		// And so does what is too long for the device's code, its constants or its stack, or is computed otherwise.
		{"SELECT (SUM(?n" + strings.Repeat(" + ?m", 40) + ") AS ?s) { ?a :p ?b . ?a :typed ?n . ?b :n ?m }", false, false},
		{"SELECT ?a ?b { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n < ?m" + strings.Repeat(" * ?n", 20) + strings.Repeat(" + ?n", 20) + ") }", false, false},
		{"SELECT ?a ?b { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n < ?m + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19) }", false, false},
		{"SELECT ?a ?b { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n < ?n + (?n + (?n + (?n + (?n + (?n + (?n + (?n + ?m)))))))) }", false, false},
		{"SELECT ?a ?b { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n / ?m > 1) }", true, false},
		{"SELECT ?b (SUM(?n / ?m) AS ?s) { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n > ?m) } GROUP BY ?b", true, false},
		{"SELECT ?b (SUM(?n + ?m) AS ?s) (SUM(?n) AS ?x) { ?a :p ?b . ?a :typed ?n . ?b :n ?m } GROUP BY ?b", false, false},
		{"SELECT (SUM(?n40) AS ?s) { ?a :p ?b . ?b :n ?n0 " + doubled + "}", false, false},
		{"SELECT ?n { ?a :p ?b . ?b :n ?n0 . ?a :typed ?n " + doubled + "FILTER(?n40 > ?n) }", false, false},
		{"SELECT ?b (MAX(?n + ?m) AS ?s) { ?a :p ?b . ?a :typed ?n . ?b :n ?m } GROUP BY ?b", true, true},
	} {
		d, err := emulate()
		if err != nil {
			t.Fatal(err)
		}
		answersAs(t, m, c.query, d)
		if sifts, folds := d.sifted.Load() > 0, d.folded.Load() > 0; sifts != c.sifts || folds != c.folds {
			t.Errorf("%s: the device tested rows: %v, folded: %v", c.query, sifts, folds)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// sort is which numbers a case has.
type sort int

const (
	integersAlone sort = iota
	exactOrNone        // integers, decimals, and what is no number
	binary             // integers, halves and floats, whose sums are the same in any order
)

// numbered draws edges, numbers :n and :m of their ends, and dates :t.
func (g *generator) numbered() (quads []quad, of sort) {
	of = sort(g.pick(3))
	draw := []func() rdf.Term{g.integerFigure, g.oddFigure, g.anyFigure}[of]
	for range 6 + g.pick(14) {
		quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(fmt.Sprintf("%sp%d", exampleNS, g.pick(2))), object: node(g.pick(4))})
	}
	for range 2 + g.pick(20) {
		quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(exampleNS + g.oneOf("n", "m")), object: draw()})
	}
	for range g.pick(6) {
		quads = append(quads, quad{subject: node(g.pick(4)), predicate: rdf.NewIRI(exampleNS + "t"), object: g.anyOf(dates(of != integersAlone)...)})
	}
	return quads, of
}

// dates are some that zones bring to other years; strange ones show no date or no time.
func dates(strange bool) []rdf.Term {
	list := slices.Concat(typed("date", "2006-08-23", "2006-01-31Z", "2007-08-01+14:00"),
		typed("dateTime", "2006-12-31T23:30:00-05:00", "2007-01-01T00:30:00+01:00", "2006-08-23T00:00:00", "2007-08-23T11:59:59.5Z"))
	if strange {
		list = append(list, slices.Concat(typed("date", "-0044-03-15"), typed("time", "12:30:00Z"), typed("gYear", "2006"))...)
	}
	return list
}

// oddFigure draws an exact number, or what is none.
func (g *generator) oddFigure() rdf.Term {
	switch g.pick(24) {
	case 0:
		return rdf.NewTyped(fmt.Sprintf("20%02d-01-01", g.pick(30)), rdf.XSD+"date")
	case 1:
		return node(g.pick(4))
	case 2:
		return rdf.NewTyped("five", rdf.XSDInteger)
	case 3:
		return rdf.NewTyped("9223372036854775807", rdf.XSDInteger)
	}
	return g.exactFigure()
}

// number draws an expression over numbers.
func (g *generator) number(depth int, of sort) string {
	switch {
	case depth == 0 || g.chance(30):
		return g.oneOf(append([]string{"?n", "?n", "?m", "?m", "2", "-1", "0.5", "3.250", "?a"}, [...][]string{{"0"}, {"4611686018427387904", "0.000001"}, {"1e0"}}[of]...)...)
	case g.chance(10):
		return "-" + g.oneOf("?n", "?m")
	case g.chance(15):
		return g.oneOf("YEAR", "YEAR", "MONTH", "DAY", "HOURS") + "(?t)"
	case g.chance(15):
		return fmt.Sprintf("%s(%s%s)", g.oneOf("ABS", "FLOOR", "CEIL", "ROUND"), g.number(depth-1, of), g.oneOf("", " / ?m", " / -3", " / 2"))
	case of != binary && g.chance(10):
		return fmt.Sprintf("(%s / %s)", g.number(depth-1, of), g.oneOf("2", "-8", "0.25", "3", "?m"))
	case of == exactOrNone && g.chance(15): // more decimals than a device counts
		return "(" + g.oneOf("?n", "?m", "2") + strings.Repeat(" * 0.000000000000000001", 12+g.pick(4)) + strings.Repeat(" * 0.01", g.pick(3)) + ")"
	}
	return fmt.Sprintf("(%s %s %s)", g.number(depth-1, of), g.oneOf("+", "-", "*", "*"), g.number(depth-1, of))
}

// truth draws a condition on numbers.
func (g *generator) truth(depth int, of sort) string {
	switch {
	case depth > 0 && g.chance(30):
		return fmt.Sprintf("(%s %s %s)", g.truth(depth-1, of), g.oneOf("&&", "||"), g.truth(depth-1, of))
	case depth > 0 && g.chance(15):
		return "!" + g.truth(depth-1, of)
	}
	left, right := g.number(depth, of), g.number(depth, of)
	if g.chance(20) {
		left += " / " + g.oneOf("?m", "?n", "(?n * ?m)", "0.7")
	}
	if g.chance(10) {
		right += " / " + g.oneOf("?m", "-3")
	}
	return fmt.Sprintf("(%s %s %s)", left, g.oneOf("<", "<=", ">", ">=", "=", "!="), right)
}

// siftQuery draws a query that tests numbers and adds up what is computed of them.
func (g *generator) siftQuery(of sort) (text string, averages bool) {
	keys := g.oneOf("", "?a", "?b", "?n", "?a ?b", "?c ?a")
	number := g.number(2, of)
	text = "PREFIX : <" + exampleNS + "> SELECT "
	grouped, computed := g.chance(70), ""
	if grouped {
		if text += keys; len(keys) < 3 && g.chance(50) {
			text, computed = text+" ?k", fmt.Sprintf(" (%s AS ?k)", g.oneOf(g.number(1, of), g.number(2, of), "YEAR(?t)", "FLOOR(?n / 2)"))
		}
		for i := range 1 + g.pick(2) {
			one := g.oneOf("SUM(%s)", "SUM(%s)", "AVG(%s)", "COUNT(*)", "SUM(?n)", "SUM(?x)", "SUM(?x2)", "MIN(?n)", "MAX(?m)", "MIN(%s)", "MAX(%s)", "COUNT(?x)")
			averages = averages || strings.HasPrefix(one, "AVG")
			if strings.Contains(one, "%") {
				one = fmt.Sprintf(one, number)
			}
			text += fmt.Sprintf(" (%s AS ?y%d)", one, i)
		}
	} else {
		text += g.oneOf("", "", "DISTINCT ") + g.oneOf("?a ?n", "?n ?m", "?a ?b ?x", "?m")
	}
	body := "?a :n ?n . " + g.oneOf("?a", "?b", "?c") + " :m ?m . ?a :p0 ?b . " + g.oneOf("", "?b :p1 ?c . ", "?b :p0 ?c . ?c :p1 ?d . ", "?a :p1 ?c OPTIONAL { ?b :p0 ?d } ")
	if strings.Contains(computed, "?t") || g.chance(20) {
		body += g.oneOf("?a", "?b") + " :t ?t . "
	}
	body += g.conditions(of)
	if g.chance(25) { // some variables are hidden, and may be bound again
		body = "{ SELECT " + g.oneOf("?a ?n", "?b ?m", "?a ?b ?m ?n", "?a ?x ?m", "?n", "?c ?n ?a") + " { " + body + "} } "
		if g.chance(30) {
			body += fmt.Sprintf("BIND(%s AS ?x2) ", g.number(1, of))
		}
		body += g.conditions(of)
	}
	text += " { " + body
	if text += "} "; grouped && keys+computed != "" {
		text += "GROUP BY " + keys + computed
	}
	return text, averages
}

// conditions draws what a number is bound to, or nothing, and up to two conditions.
func (g *generator) conditions(of sort) (text string) {
	if g.chance(40) {
		text += fmt.Sprintf("BIND(%s AS ?x) ", g.number(1, of))
	}
	for range g.pick(3) {
		text += fmt.Sprintf("FILTER(%s) ", g.oneOf(g.truth(1, of), g.truth(1, of), "?n > ?m", "?a != ?b", "?x > 1"))
	}
	return text
}

// TestNumbersAreComputedTheSame compares queries that compute with numbers of random graphs on a device with the processor and, of integers, with the reference evaluator.
func TestNumbersAreComputedTheSame(t *testing.T) {
	sifted, folded := 0, 0
	for range 5 { // few of a hundred are folded, so that by chance none is
		rapid.Check(t, func(t *rapid.T) {
			g := &generator{t: t}
			quads, of := g.numbered()
			text, averages := g.siftQuery(of)
			d := g.sameOnDevice(t, quads, text, of == integersAlone && !averages)
			sifted, folded = sifted+int(d.sifted.Load()), folded+int(d.folded.Load())
		})
		if sifted > 0 && folded > 0 {
			break
		}
	}
	if !testing.Short() && (sifted == 0 || folded == 0) {
		t.Errorf("the device tested rows of %d matches and folded %d batches", sifted, folded)
	}
}

// keyedQuery draws a query that groups by computed numbers, with what a device may do of it more often than not.
func (g *generator) keyedQuery(of sort) (text string, averages bool) {
	number := g.oneOf("?n", "?m", "?n + ?m", "?n * 2", "YEAR(?t)", "DAY(?t) - ?n", "FLOOR(?m / 2)", "?n * 0.5", "1.25 - ?m", "?n * ?m / 4", "FLOOR(?n / ?m)", g.number(1, of))
	text = "PREFIX : <" + exampleNS + "> SELECT ?k "
	groups := fmt.Sprintf("(%s AS ?k)", g.oneOf("YEAR(?t)", "YEAR(?t)", "MONTH(?t) + ?n", "FLOOR(?n / 2)", "CEIL(?n / 0.3)", "ROUND(?n / ?m)", "?n / 4", "-?n", "?n * ?m", "ABS(?m)", g.number(1, of)))
	if g.chance(40) {
		groups, text = g.oneOf("?a ", "?b ")+groups, text+"?l "
		groups = strings.Replace(groups, " ", " AS ?l) ", 1)
		groups = "(" + groups
	}
	for i := range 1 + g.pick(3) {
		one := g.oneOf("SUM(%s)", "MIN(%s)", "MAX(%s)", "AVG(%s)", "COUNT(*)", "COUNT(*)")
		averages = averages || strings.HasPrefix(one, "AVG")
		if strings.Contains(one, "%") {
			one = fmt.Sprintf(one, number)
		}
		text += fmt.Sprintf("(%s AS ?y%d) ", one, i)
	}
	body := "?a :p0 ?b . ?" + g.oneOf("a", "b") + " :n ?n . "
	if strings.Contains(text+groups, "?m") {
		body += "?" + g.oneOf("a", "b") + " :m ?m . "
	}
	if strings.Contains(text+groups, "?t") {
		body += "?" + g.oneOf("a", "b") + " :t ?t . "
	}
	text += "{ " + body + g.oneOf("", "", "OPTIONAL { ?b :p1 ?d } ", "FILTER(?n > -2) ", "FILTER(?a != ?b) ") + "} GROUP BY " + groups
	if of == integersAlone && g.chance(50) { // others may be equal and different terms
		order := g.oneOf("?y0 ", "DESC(?y0) ", "?k ", "DESC(?k) ") + "?k " + strings.Repeat("?l ", strings.Count(groups, "?l"))
		text += " ORDER BY " + order + fmt.Sprintf("LIMIT %d", 1+g.pick(6))
	}
	return text, averages
}

// TestGroupsByComputedNumbersAreTheSame compares groups of random graphs on a device with the processor and, of integers, with the reference evaluator.
func TestGroupsByComputedNumbersAreTheSame(t *testing.T) {
	folded, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		quads, of := g.numbered()
		text, averages := g.keyedQuery(of)
		d := g.sameOnDevice(t, quads, text, of == integersAlone && !averages && !strings.Contains(text, "LIMIT"))
		all++
		folded += min(1, int(d.folded.Load()))
	})
	if !testing.Short() && all >= 100 && folded < all/50 {
		t.Errorf("the device folded rows of %d matches of %d", folded, all)
	}
}

// apartQuery draws a query that tells rows apart by computed numbers, as SELECT DISTINCT or groups of which nothing is asked.
func (g *generator) apartQuery(of sort) string {
	draw := func() string {
		return g.oneOf("YEAR(?t)", "MONTH(?t) + ?n", "FLOOR(?n / 2)", "CEIL(?n / 0.3)", "?n / 4", "-?n", "?n * ?m", "ABS(?m)", g.number(1, of))
	}
	columns, bound := "?x", fmt.Sprintf("BIND(%s AS ?x) ", draw())
	switch g.pick(4) {
	case 0:
		columns = g.oneOf("?a ?x", "?x ?b", "?n ?x", "?x ?m")
	case 1:
		columns, bound = "?x ?y", bound+fmt.Sprintf("BIND(%s AS ?y) ", g.oneOf(draw(), "?x + 1", "?x", "?n"))
	}
	body := "?a :p0 ?b . ?" + g.oneOf("a", "b") + " :n ?n . "
	if strings.Contains(columns+bound, "?m") {
		body += "?" + g.oneOf("a", "b") + " :m ?m . "
	}
	if strings.Contains(bound, "?t") {
		body += g.oneOf("?a :t ?t . ", "?b :t ?t . ", "OPTIONAL { ?a :t ?t } ")
	}
	body += g.oneOf("", "", "OPTIONAL { ?b :p1 ?d } ", "FILTER(?n > -2) ", "FILTER(?a != ?b) ", "FILTER(?n * 2 > ?n) ") + bound
	text := fmt.Sprintf("SELECT DISTINCT %s { %s}", columns, body)
	switch g.pick(7) {
	case 0:
		key := g.oneOf("", "", "?b", "(FLOOR(?n / 2) AS ?z)", "(?n * 2 AS ?z)", "(?x AS ?z)")
		text = fmt.Sprintf("{ %s}", body)
		if key != "" {
			text += " GROUP BY " + key
		}
		text = fmt.Sprintf("SELECT %s (COUNT(DISTINCT %s) AS ?k) %s", map[bool]string{true: "?z"}[strings.Contains(key, "?z")], g.oneOf(draw(), "?x * 2", "?x", "?a"), text)
		if !strings.Contains(body, ":m ?m") { // or ?m is nothing
			text = strings.ReplaceAll(text, "?m", "?n")
		}
	case 4:
		text = fmt.Sprintf("SELECT %s { %s} GROUP BY %s", columns, body, columns)
	case 1:
		text = fmt.Sprintf("SELECT * { { %s } %s}", text, g.oneOf("", "FILTER(?x > 1) ", "BIND(?x * 2 AS ?z) ", "?c :n ?x . "))
	case 2:
		text = fmt.Sprintf("SELECT (COUNT(*) AS ?k) (COUNT(?x) AS ?l) { { %s } }", text)
	case 3:
		text += " ORDER BY " + columns
		if of == integersAlone && !strings.ContainsAny(columns, "nmy") { // others may be equal and different terms
			text += fmt.Sprintf(" LIMIT %d", 1+g.pick(6))
		}
	}
	return "PREFIX : <" + exampleNS + "> " + text
}

// TestComputedNumbersTellRowsApartTheSame compares different rows of random graphs on a device with the processor and with the reference evaluator.
func TestComputedNumbersTellRowsApartTheSame(t *testing.T) {
	folded, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		quads, of := g.numbered()
		text := g.apartQuery(of)
		d := g.sameOnDevice(t, quads, text, of == integersAlone && !strings.Contains(text, "LIMIT"))
		all++
		folded += min(1, int(d.folded.Load()))
	})
	if !testing.Short() && all >= 100 && folded < all/20 {
		t.Errorf("the device folded rows of %d matches of %d", folded, all)
	}
}

// topQuery draws a query that wants the first rows by a number that is computed. The other conditions put all terms in an order.
func (g *generator) topQuery(of sort) string {
	number := g.oneOf("?n", "-?n", "?n * ?m", "?n - ?m", "ABS(?m)", "?n / 4", "YEAR(?t)", "YEAR(?t) * ?n", g.number(1, of), g.number(2, of))
	body := "?a :p0 ?b . ?" + g.oneOf("a", "b") + " :n ?n . ?" + g.oneOf("a", "b") + " :m ?m . "
	if strings.Contains(number, "?t") {
		body += g.oneOf("?a :t ?t . ", "?b :t ?t . ", "OPTIONAL { ?a :t ?t } ")
	}
	body += g.oneOf("", "", "?b :p1 ?c . ", "OPTIONAL { ?b :p1 ?c } ", "FILTER EXISTS { ?b :p1 ?c } ", "{ SELECT DISTINCT ?b { ?b :p1 ?c . ?c :n ?k } } ") + g.conditions(of)
	columns := "?a ?b ?n ?m"
	switch g.pick(3) {
	case 0:
		body, number = body+fmt.Sprintf("BIND(%s AS ?y) ", number), "?y"
	case 1:
		columns, number = columns+fmt.Sprintf(" (%s AS ?y)", number), "?y"
	}
	if number = "(" + number + ") "; g.chance(50) {
		number = "DESC" + number
	}
	text := fmt.Sprintf("SELECT %s { %s} ORDER BY %s?a ?b STR(?n) STR(DATATYPE(?n)) STR(?m) STR(DATATYPE(?m)) LIMIT %d", columns, body, number, 1+g.pick(1+g.pick(4)))
	if g.chance(20) {
		text += " OFFSET 2"
	}
	if g.chance(20) {
		text = fmt.Sprintf("SELECT * { { %s } FILTER(?n > -3) }", text)
	}
	return "PREFIX : <" + exampleNS + "> " + text
}

// TestFirstRowsByComputedNumbersAreTheSame compares the first rows of random graphs on a device with the processor and, of integers, with the reference evaluator.
func TestFirstRowsByComputedNumbersAreTheSame(t *testing.T) {
	selected, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		quads, of := g.numbered()
		for _, q := range quads { // more rows, of which some are not among the first
			q.subject = node(g.pick(4))
			quads = append(quads, q)
		}
		text := g.topQuery(of)
		d := g.sameOnDevice(t, quads, text, of == integersAlone)
		all++
		selected += min(1, int(d.combined.Load()))
	})
	if !testing.Short() && all >= 100 && selected < all/50 {
		t.Errorf("the device selected rows of %d matches of %d", selected, all)
	}
}

// TestSiftingIsExplained behind the steps of the match.
func TestSiftingIsExplained(t *testing.T) {
	m := paths(t)
	for query, want := range map[string][]string{
		"SELECT ?a ?b { ?a :p ?b . ?a :typed ?n . ?b :n ?m FILTER(?n * ?m > 1.50) FILTER(?n < ?m) }":               {"where ?n < ?m, 1.5 < (?n * ?m), of exact numbers"},
		"SELECT ?a (SUM(?n * -2.25) AS ?s) { ?a :p ?b . ?a :typed ?m . ?b :n ?n FILTER(?n + 1 = ?m) } GROUP BY ?a": {"where (?n + 1) = ?m, of exact numbers", "?n * -2.25: added up by ?a, where all are exact numbers"},
		"SELECT ?a (COUNT(*) AS ?k) { ?a :p ?b . ?b :n ?n ; :mixed ?m FILTER(?n < ?m) } GROUP BY ?a":               {"rows counted by ?a, where all are exact numbers"},
		"SELECT ?a (COUNT(*) AS ?k) { ?a :p ?b { SELECT DISTINCT ?b { ?b :n ?n . ?b :p ?c } } } GROUP BY ?a": {
			"look up ?b in the solutions of the second pattern, or else join", "?b in the table", "rows counted by ?a",
		},
	} {
		text := m.explained(t, query)
		for _, line := range want {
			if !strings.Contains(text, line) {
				t.Errorf("%s\n%s\nhas not: %s", query, text, line)
			}
		}
	}
}

// TestWhatHasNoCodeIsMatchedOnce: rows whose formula the device has no code for are as many launches as those of an expression that it does not know.
func TestWhatHasNoCodeIsMatchedOnce(t *testing.T) {
	m := paths(t)
	count := func(query string) (launches int) {
		e := kernels.Emulate(64 << 20)
		e.Fail = func(call string) error {
			if call == "launch" {
				launches++
			}
			return nil
		}
		device, err := gpu.Open(gpu.Options{Driver: e, CombineFrom: 1})
		if err != nil {
			t.Fatal(err)
		}
		d := &emulated{Device: device}
		answersAs(t, m, query, d)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if d.folded.Load() > 0 {
			t.Errorf("%s: folded", query)
		}
		return launches
	}
	const from = ") AS ?s) { ?a :p ?b . ?a :typed ?n . ?b :n ?m }"
	for _, long := range []string{"?n + (?n + (?n + (?n + (?n + (?n + (?n + (?n + ?m)))))))", "0.0001 * ?m * 0.000000000000001 * 0.01 * ?n"} {
		// A launch ends early on a slow machine, and rows may be combined in one or in two, as the grid's blocks come: the least of as many runs as make both the same.
		want, got := math.MaxInt, math.MaxInt
		for try := 0; try < 12 || got != want && try < 60; try++ {
			want = min(want, count("SELECT (SUM(?n / ?m"+from))
			got = min(got, count("SELECT (SUM("+long+from))
		}
		if got != want {
			t.Errorf("%s: %d launches, not %d", long, got, want)
		}
	}
}
