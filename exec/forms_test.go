package exec_test

import (
	"context"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"pgregory.net/rapid"
)

// TestFormsAnswerAsTheReferenceSays asks what random SELECTs ask in the other forms: how many solutions there are, where nobody reads them, whether there is one
// (ASK), what is made of them (CONSTRUCT), with and without blank nodes, and what there is to tell of them (DESCRIBE).
func TestFormsAnswerAsTheReferenceSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{t: t}
		quads, names := g.dataset()
		draws := []func(*generator) string{(*generator).query, (*generator).query, (*generator).counting, (*generator).nested, (*generator).unlike}
		text := draws[g.pick(len(draws))](g)
		segments, commits := g.split(quads)
		q, m, device := drawn(t, text, segments, commits, names...)
		defer device.Close()
		semantics := g.semantics(q)
		full, offset, limit := unsliced(q, g.loose)
		rows := reference1(quads, names, full, semantics)
		number := len(rows)
		if full != q {
			number = min(max(number-offset, 0), limit)
		}
		construct, ask := *q, *q
		construct.Form, ask.Form = parser.Construct, parser.Ask
		construct.Template = g.template(q.Variables)
		want := constructed(construct.Template, q.Variables, rows)
		describe, described := g.describing(q, m, rows)
		for i, o := range []exec.Options{onProcessor(), inPieces(2), device.options(), unoptimised()} {
			o.Semantics = semantics
			fail := func(format string, args ...any) {
				t.Helper()
				t.Logf("options %d, semantics %d\n%s", i, semantics, reproduce(segments, commits, text))
				t.Fatalf(format, args...)
			}
			o.CountOnly = true
			if n, err := counted(q, m, o); err != nil || n != uint64(number) {
				fail("counted %d solutions (error %v), the reference has %d", n, err, number)
			}
			o.CountOnly = false
			if n, err := counted(q, m, o); err != nil || n != uint64(number) {
				fail("counted %d rows (error %v), the reference has %d", n, err, number)
			}
			if a, err := m.run(&ask, o); err != nil || a.boolean != (number > 0) {
				fail("ASK: %v (error %v), the reference has %d solutions", a, err, number)
			}
			if full != q || parser.VariesEachTime(q.Where) { // which solutions there are is open
				continue
			}
			a, err := m.run(&construct, o)
			if err != nil {
				fail("CONSTRUCT: %v", err)
			}
			if got := triplesOf(a.rows, rows); !slices.Equal(got, want) {
				fail("CONSTRUCT %v\n got: %q\nwant: %q", construct.Template, got, want)
			}
			if describe == nil {
				continue
			}
			if a, err = m.run(describe, o); err != nil {
				fail("DESCRIBE: %v", err)
			}
			if got := once(a.rows); !slices.Equal(got, described) {
				fail("DESCRIBE ?%s\n got: %q\nwant: %q", describe.Describe[0].Variable, got, described)
			}
		}
	})
}

// describing draws which variable a query's solutions are described by, and returns the query that does so and the triples that are told of each value alone; nil where a
// value cannot be named.
func (g *generator) describing(q *parser.Query, m *memory, rows [][]rdf.Term) (*parser.Query, []string) {
	if len(q.Variables) == 0 {
		return nil, nil
	}
	column := g.pick(len(q.Variables))
	var all [][]rdf.Term
	told := map[rdf.Term]bool{}
	for _, row := range rows {
		value := row[column]
		if value.Kind == rdf.BlankNode {
			return nil, nil
		}
		if value.Kind != rdf.IRI || told[value] {
			continue
		}
		told[value] = true
		one, err := parser.Parse("DESCRIBE "+value.String(), parser.Options{})
		if err != nil {
			g.t.Fatal(err)
		}
		a, err := m.run(one, unoptimised())
		if err != nil {
			g.t.Fatal(err)
		}
		all = append(all, a.rows...)
	}
	describe := *q
	describe.Form = parser.Describe
	describe.Describe = []parser.PatternTerm{{Variable: q.Variables[column]}}
	return &describe, once(all)
}

// template draws a CONSTRUCT template over some variables: a triple, or two, of which one may be of a blank node of its own.
func (g *generator) template(variables []string) (out []parser.TriplePattern) {
	one := func() parser.PatternTerm {
		if len(variables) == 0 || g.chance(15) {
			return parser.PatternTerm{Term: node(g.pick(3))}
		}
		return parser.PatternTerm{Variable: g.oneOf(variables...)}
	}
	for range 1 + g.pick(2) {
		t := parser.TriplePattern{Subject: one(), Predicate: parser.PatternTerm{Term: node(4)}, Object: one()}
		if g.chance(20) {
			t.Predicate = one()
		}
		if g.chance(25) {
			t.Subject = parser.PatternTerm{Term: rdf.NewBlank(ownBlank)}
		}
		out = append(out, t)
	}
	return out
}

const ownBlank = "own"

// constructed are the triples that a template makes of some rows, sorted: each once, but those of a blank node of the template's once for each row.
func constructed(template []parser.TriplePattern, variables []string, rows [][]rdf.Term) []string {
	var all [][]rdf.Term
	for _, row := range rows {
		value := func(p parser.PatternTerm) rdf.Term {
			if p.IsVariable() {
				return row[slices.Index(variables, p.Variable)]
			}
			return p.Term
		}
		var of [][]rdf.Term
		for _, t := range template {
			s, p, o := value(t.Subject), value(t.Predicate), value(t.Object)
			if !s.IsZero() && s.Kind != rdf.Literal && p.Kind == rdf.IRI && !o.IsZero() {
				of = append(of, []rdf.Term{s, p, o})
			}
		}
		if len(of) == 2 && slices.Equal(of[0], of[1]) {
			of = of[:1]
		}
		all = append(all, of...)
	}
	return once(all)
}

// triplesOf are triples as constructed has them: a blank node that is in none of the rows is the template's own.
func triplesOf(triples, rows [][]rdf.Term) []string {
	var all [][]rdf.Term
	for _, t := range triples {
		known := slices.ContainsFunc(rows, func(row []rdf.Term) bool { return slices.Contains(row, t[0]) })
		if t[0].Kind == rdf.BlankNode && !known {
			t = []rdf.Term{rdf.NewBlank(ownBlank), t[1], t[2]}
		}
		all = append(all, t)
	}
	return once(all)
}

// once is a table without repeated rows, but for those of the template's own blank nodes.
func once(rows [][]rdf.Term) (out []string) {
	own := rdf.NewBlank(ownBlank)
	for _, row := range rows {
		if key := rowKey(row, nil); row[0] == own || !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}

func unoptimised() exec.Options {
	o := onProcessor()
	o.Unoptimised = true
	return o
}

func counted(q *parser.Query, m *memory, o exec.Options) (uint64, error) {
	p, err := exec.Prepare(context.Background(), q, m, m.dict, o)
	if err != nil {
		return 0, err
	}
	return p.Count(context.Background())
}
