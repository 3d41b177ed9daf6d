package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// many is a dataset of so many items with a number, a group and a link each.
func many(t testing.TB, n int) *memory {
	t.Helper()
	return keep(t, fmt.Sprint("many ", n), func() []quad { return manyQuads(n) })
}

func manyQuads(n int) []quad {
	item := func(i int) rdf.Term { return rdf.NewIRI(fmt.Sprintf("%si%d", exampleNS, i)) }
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	var quads []quad
	for i := range n {
		quads = append(quads,
			quad{subject: item(i), predicate: iri("number"), object: integer(i * 7919 % n)},
			quad{subject: item(i), predicate: iri("group"), object: iri(fmt.Sprintf("g%d", i*31%(n/10+1)))},
			quad{subject: item(i), predicate: iri("link"), object: item(i * 17 % n)})
	}
	return quads
}

// spilling are queries whose operators hold much, with what they hold it in. VALUES, subqueries and blank branches
// keep the joins from being matched in one go.
var spilling = []struct{ name, text string }{
	{"a sort", "SELECT ?x ?n { ?x :number ?n } ORDER BY DESC(?n)"},
	{"a sort by a computed number", "SELECT ?x ?n { ?x :number ?n } ORDER BY DESC(?n * 3)"},
	{"a sort by computed numbers that is cut", "SELECT ?x ?n { ?x :number ?n } ORDER BY FLOOR(?n / 7) DESC(?n / 9) OFFSET 30 LIMIT 9000"},
	{"a sort by two keys", "SELECT ?x ?g { ?x :group ?g } ORDER BY ?g DESC(?x)"},
	{"a sort that is cut", "SELECT ?x ?g { ?x :group ?g } ORDER BY ?g ?x OFFSET 300 LIMIT 9000"},
	{"distinct rows", "SELECT DISTINCT ?x ?m { ?x :number ?n BIND(?n + 1 AS ?m) }"},
	{"distinct rows in order", "SELECT DISTINCT ?g ?n { ?x :group ?g . ?x :number ?n } ORDER BY DESC(?g) ?n"},
	{"groups", "SELECT ?m (COUNT(*) AS ?c) (SUM(?n) AS ?s) (COUNT(DISTINCT ?x) AS ?d) { ?x :number ?n BIND(?n / 2 AS ?m) } GROUP BY ?m"},
	{"a hash join", "SELECT ?x ?y ?n { { SELECT ?x (SUM(?n) AS ?s) { ?x :number ?n } GROUP BY ?x } { SELECT ?x (MIN(?z) AS ?y) { ?x :link ?z } GROUP BY ?x } }"},
	{"a hash left join", "SELECT ?x ?s ?y { { SELECT ?x (SUM(?n) AS ?s) { ?x :number ?n } GROUP BY ?x } OPTIONAL { SELECT ?x (MIN(?z) AS ?y) { ?x :link ?z . ?z :number ?k FILTER(?k > 100) } GROUP BY ?x } }"},
	{"a hash minus", "SELECT ?x ?s { { SELECT ?x (SUM(?n) AS ?s) { ?x :number ?n } GROUP BY ?x } MINUS { SELECT ?x (MIN(?z) AS ?y) { ?x :link ?z . ?z :number ?k FILTER(?k > 100) } GROUP BY ?x } }"},
}

func TestWhatSpillsAnswersAsWhatDoesNot(t *testing.T) {
	m := many(t, 20_000)
	for _, c := range spilling {
		t.Run(c.name, func(t *testing.T) {
			q := parse(t, "PREFIX : <"+exampleNS+">\n"+c.text)
			o := onProcessor()
			want, err := m.run(q, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Memory, o.TempDir = 220_000, t.TempDir()
			o.Operators.MaxRuns = 3
			p, err := exec.Prepare(t.Context(), q, m, m.dict, o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := collect(p)
			if err != nil {
				t.Fatal(err)
			}
			if spilled(p.Explain()) == 0 {
				t.Errorf("nothing went to disk")
			}
			if err := equalRows(want.rows, got, isOrdered(q.Where)); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(o.TempDir); len(left) > 0 {
				t.Errorf("%d files are left behind", len(left))
			}
		})
	}
}

func spilled(e *exec.Explain) int64 {
	sum := e.Spilled
	for _, c := range e.Children {
		sum += spilled(c)
	}
	return sum
}

func collect(p *exec.Plan) (rows [][]rdf.Term, err error) {
	err = p.Run(context.Background(), func(b *vector.Batch) error {
		for r := range b.N {
			row := make([]rdf.Term, len(b.Cols))
			for c, col := range b.Cols {
				row[c] = p.Terms().Term(col[r])
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

func equalRows(want, got [][]rdf.Term, ordered bool) error {
	w, g := tally(want), tally(got)
	if ordered {
		w, g = nil, nil
		for _, r := range want {
			w = append(w, rowKey(r, nil))
		}
		for _, r := range got {
			g = append(g, rowKey(r, nil))
		}
	}
	if len(w) != len(g) {
		return fmt.Errorf("%d rows, want %d", len(g), len(w))
	}
	for i := range w {
		if w[i] != g[i] {
			return fmt.Errorf("row %d is %s, want %s", i, g[i], w[i])
		}
	}
	return nil
}

func TestTheMemoryLimitNamesTheOperator(t *testing.T) {
	m := many(t, 20_000)
	o := onProcessor()
	o.Memory = 300_000
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT (COUNT(DISTINCT ?n) AS ?c) { ?x :number ?n }")
	_, err := m.run(q, o)
	if !errors.Is(err, limits.ErrMemory) {
		t.Fatalf("error %v, want ErrMemoryLimit", err)
	}
	for _, want := range []string{"in group", "293.0 KiB", "--query-memory"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: says nothing of %s", err, want)
		}
	}
}

func TestLimitsAndEarlyStops(t *testing.T) {
	m := many(t, 20_000)
	prologue := "PREFIX : <" + exampleNS + "> "
	q := parse(t, prologue+"SELECT ?x ?y { ?x :link ?y . ?y :group ?g . ?z :group ?g }")
	o := onProcessor()
	o.MaxRows = 10
	if _, err := m.run(q, o); !errors.Is(err, limits.ErrRows) {
		t.Errorf("error %v, want ErrRowLimit", err)
	}
	stop := errors.New("enough")
	p, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context(), func(*vector.Batch) error { return stop }); err != stop {
		t.Errorf("error %v, want the consumer's", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	for _, text := range []string{"SELECT * { ?x :link* ?y }", "SELECT * { ?x :number ?n } ORDER BY ?n", "SELECT DISTINCT ?g { ?x :group ?g }",
		"SELECT (COUNT(*) AS ?n) { { SELECT * { ?x :link ?y } OFFSET 1 } { SELECT * { ?z :link ?u } OFFSET 1 } { SELECT * { ?v :link ?w } OFFSET 1 } }"} {
		p, err := exec.Prepare(t.Context(), parse(t, prologue+text), m, m.dict, onProcessor())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(ctx, func(*vector.Batch) error { return nil }); err != stop {
			t.Errorf("%s: error %v, want the cause of the cancellation", text, err)
		}
	}
}

// TestLimitIsAPartOfTheWhole: which solutions LIMIT keeps is open, how many and that they are solutions is not.
func TestLimitIsAPartOfTheWhole(t *testing.T) {
	m := many(t, 3_000)
	for _, pattern := range []string{
		"{ ?x :link ?y . ?y :group ?g }", "{ ?x :link ?y OPTIONAL { ?y :group ?g FILTER(?g = :g3) } }",
		"{ { ?x :link ?y } UNION { ?x :group ?y } }", "{ ?x :link+ ?y . ?y :group :g3 }",
	} {
		whole, err := m.run(parse(t, "PREFIX : <"+exampleNS+"> SELECT * "+pattern), onProcessor())
		if err != nil {
			t.Fatal(err)
		}
		all := tally(whole.rows)
		for _, limit := range []int{0, 1, 17, 4096, len(all) + 5} {
			q := parse(t, fmt.Sprintf("PREFIX : <%s> SELECT * %s OFFSET 3 LIMIT %d", exampleNS, pattern, limit))
			part, err := m.run(q, onProcessor())
			if err != nil {
				t.Fatal(err)
			}
			if want := min(limit, max(0, len(all)-3)); len(part.rows) != want {
				t.Errorf("%s: %d rows with LIMIT %d, want %d", pattern, len(part.rows), limit, want)
			}
			for _, r := range part.rows {
				if _, ok := slices.BinarySearch(all, rowKey(r, nil)); !ok {
					t.Errorf("%s: %s is no solution", pattern, rowKey(r, nil))
				}
			}
		}
	}
}

func TestAskAndCount(t *testing.T) {
	m := many(t, 1_000)
	for text, want := range map[string]uint64{
		"SELECT * { ?x :link ?y }":                                  1000,
		"SELECT DISTINCT ?g { ?x :group ?g }":                       101,
		"SELECT * { ?x :link ?y OPTIONAL { ?y :none ?z } }":         1000,
		"SELECT * { { ?x :link ?y } UNION { ?x :group ?y } }":       2000,
		"SELECT ?x { ?x :number ?n FILTER(?n < 10) } LIMIT 7":       7,
		"SELECT (COUNT(*) AS ?n) { ?x :number ?k FILTER(?k < 10) }": 1,
		"CONSTRUCT { ?g :has _:b } WHERE { ?x :group ?g }":          1000,
		"CONSTRUCT { ?g a :Group } WHERE { ?x :group ?g }":          101,
		"DESCRIBE :i1 :i2":                                             6,
		"DESCRIBE ?x { ?x :number 5 }":                                 3,
		"SELECT * { ?x :number 5 FILTER EXISTS { ?x :link ?y } }":      1,
		"SELECT * { ?x :number 5 FILTER NOT EXISTS { ?x :link ?y } }":  0,
		"SELECT * { ?x :link ?y MINUS { ?x :number ?n FILTER(?n>9) }}": 10,
	} {
		q := parse(t, "PREFIX : <"+exampleNS+">\n"+text)
		for _, countOnly := range []bool{false, true} {
			o := onProcessor()
			o.CountOnly = countOnly
			p, err := exec.Prepare(t.Context(), q, m, m.dict, o)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := p.Count(t.Context()); n != want || err != nil {
				t.Errorf("%s: count %d (%v), want %d", text, n, err, want)
			}
		}
		if q.Form != parser.Select {
			continue
		}
		ask := *q
		ask.Form = parser.Ask
		p, err := exec.Prepare(t.Context(), &ask, m, m.dict, onProcessor())
		if err != nil {
			t.Fatal(err)
		}
		if found, err := p.Ask(t.Context()); found != (want > 0) || err != nil {
			t.Errorf("ASK %s: %v (%v)", text, found, err)
		}
	}
}

// TestACrossProductEndsWithItsContext: a join that finds pairs without end looks at the context.
func TestACrossProductEndsWithItsContext(t *testing.T) {
	m := many(t, 20_000)
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT (COUNT(*) AS ?n) { { SELECT * { ?x :link ?y } OFFSET 1 } { SELECT * { ?z :link ?u } OFFSET 1 } { SELECT * { ?v :link ?w } OFFSET 1 } }")
	p, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.Run(ctx, func(*vector.Batch) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline's", err)
	}
}
