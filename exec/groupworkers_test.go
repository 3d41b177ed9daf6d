package exec_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
)

// mixed is a dataset of so many items in three groups and in many, with values of several types; each type of value
// has a predicate of its own.
func mixed(t testing.TB, n int) *memory {
	t.Helper()
	return keep(t, fmt.Sprint("mixed ", n), func() []quad { return mixedQuads(n) })
}

func mixedQuads(n int) []quad {
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	var quads []quad
	for i := range n {
		item := iri(fmt.Sprintf("i%d", i))
		add := func(p string, o rdf.Term) { quads = append(quads, quad{subject: item, predicate: iri(p), object: o}) }
		add("few", iri(fmt.Sprintf("f%d", i*i%3)))
		add("many", iri(fmt.Sprintf("m%d", i*31%(n/2))))
		add("integer", integer(i*7919%1000-300))
		add("large", rdf.NewTyped(fmt.Sprintf("%d", math.MaxInt64-i), rdf.XSDInteger))
		add("decimal", rdf.NewTyped(fmt.Sprintf("%d.%02d", i%50, i%100), rdf.XSDDecimal))
		add("double", rdf.NewTyped(fmt.Sprintf("%d.%de-3", i*13%7001, i), rdf.XSDDouble))
		if i < n*3/4 {
			add("late", integer(i%9))
		} else {
			add("late", rdf.NewTyped(fmt.Sprintf("0.%de0", i), rdf.XSDDouble))
		}
		add("same", rdf.NewTyped([]string{"1", "01", "+1", "001"}[i%4], rdf.XSDInteger))
		if i%3 > 0 {
			add("some", rdf.NewString(fmt.Sprintf("text %d", i%100)))
		}
	}
	return quads
}

var grouped = []string{
	"SELECT ?g (COUNT(*) AS ?a) (COUNT(?s) AS ?b) (COUNT(DISTINCT ?s) AS ?c) { ?x :KEY ?g OPTIONAL { ?x :some ?s } } GROUP BY ?g",
	"SELECT ?g (SUM(?v) AS ?a) (AVG(?v) AS ?b) (MIN(?v) AS ?c) (MAX(?v) AS ?d) { ?x :KEY ?g ; :integer ?v } GROUP BY ?g",
	"SELECT ?g (SUM(?v) AS ?a) (AVG(?v) AS ?b) (MIN(?v) AS ?c) (MAX(?v) AS ?d) { ?x :KEY ?g ; :decimal ?v } GROUP BY ?g",
	"SELECT ?g (SUM(?v) AS ?a) (AVG(?v) AS ?b) (MIN(?v) AS ?c) (MAX(?v) AS ?d) { ?x :KEY ?g ; :double ?v } GROUP BY ?g",
	"SELECT ?g (SUM(?v) AS ?a) (AVG(?v) AS ?b) (MIN(?v) AS ?c) (MAX(?v) AS ?d) { ?x :KEY ?g ; :large ?v } GROUP BY ?g",
	"SELECT ?g (SUM(?v) AS ?a) (AVG(DISTINCT ?v) AS ?b) (MIN(?v) AS ?c) { ?x :KEY ?g ; :late ?v } GROUP BY ?g",
	"SELECT ?g (SUM(DISTINCT ?v) AS ?a) (AVG(DISTINCT ?v) AS ?b) (MAX(DISTINCT ?v) AS ?c) { ?x :KEY ?g ; :integer ?v } GROUP BY ?g",
	"SELECT ?g (MIN(?v) AS ?a) (MAX(?v) AS ?b) (SAMPLE(?v) AS ?c) (SAMPLE(DISTINCT ?x) AS ?d) { ?x :KEY ?g ; :same ?v } GROUP BY ?g",
	"SELECT ?g (GROUP_CONCAT(?v) AS ?a) (COUNT(*) AS ?b) { ?x :KEY ?g ; :integer ?v } GROUP BY ?g",
	"SELECT ?g (SUM(?v) AS ?a) (MIN(?s) AS ?b) (MAX(?s) AS ?c) { ?x :KEY ?g ; :integer ?v OPTIONAL { ?x :some ?s } } GROUP BY ?g",
	"SELECT ?k (COUNT(DISTINCT *) AS ?a) (SUM(?w) AS ?b) { ?x :KEY ?g ; :integer ?v BIND(?v + 1 AS ?w) FILTER(?v > 0) BIND(STR(?g) AS ?k) } GROUP BY ?k",
	"SELECT (COUNT(*) AS ?a) (SUM(?v) AS ?b) (MIN(?v) AS ?c) (COUNT(DISTINCT ?v) AS ?d) { ?x :KEY ?g ; :integer ?v FILTER(?v != 7) }",
	"SELECT ?g (SUM(?v + ?late) AS ?a) (SAMPLE(?v / 2) AS ?b) { ?x :KEY ?g ; :integer ?v ; :late ?late } GROUP BY ?g HAVING (COUNT(*) > 1)",
	"SELECT ?k (COUNT(*) AS ?a) (COUNT(DISTINCT ?v * 2) AS ?b) (SAMPLE(?x) AS ?c) { ?x :KEY ?g ; :integer ?v ; :decimal ?d } GROUP BY (FLOOR(?v / 7) AS ?k)",
	"SELECT ?k ?g (COUNT(DISTINCT ?d / 3) AS ?a) { ?x :KEY ?g ; :late ?v ; :double ?d BIND(?v * 2 AS ?k) } GROUP BY ?g ?k",
	"SELECT ?g ?p (COUNT(*) AS ?a) { ?x :KEY ?g ; ?p ?o } GROUP BY ?g ?p",
}

// shared are options of queries whose operators give rows to workers, of four threads, from the second batch on.
func shared() exec.Options {
	o := onProcessor()
	o.Workers = schedule.New(4).Open(context.Background(), 0)
	o.Operators = operator.Tuning{ShareFrom: 1, ShareTime: -1, GroupRows: -1}
	return o
}

// unshared are options of queries that run in their caller's goroutine.
func unshared() exec.Options {
	o := onProcessor()
	o.Workers = nil
	return o
}

// TestWorkersGroupAsOneGoroutineDoes compares the groups of workers with those of one goroutine, to the last digit and in
// the same order.
func TestWorkersGroupAsOneGoroutineDoes(t *testing.T) {
	m := mixed(t, 16_000)
	for _, key := range []string{"few", "many"} {
		for i, text := range grouped {
			if leftOut(i + len(key)) {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", key, i), func(t *testing.T) {
				t.Parallel()
				q := parse(t, "PREFIX : <"+exampleNS+">\n"+strings.Replace(text, ":KEY", ":"+key, 1))
				want, err := m.run(q, unshared())
				if err != nil {
					t.Fatal(err)
				}
				for _, memory := range []int64{1 << 30, 400_000} {
					o := shared()
					o.Memory, o.TempDir = memory, t.TempDir()
					got, err := m.run(q, o)
					if memory < 1<<30 && err != nil {
						continue // a DISTINCT that holds too much
					}
					if err != nil {
						t.Fatal(err)
					}
					if err := equalRows(want.rows, got.rows, memory == 1<<30); err != nil {
						t.Errorf("%d bytes: %v", memory, err)
					}
				}
			})
		}
	}
}

// faulty is a dictionary that cannot be read after some time.
type faulty struct {
	exec.TermSource
	left atomic.Int64
}

func (f *faulty) Value(id dictionary.ID) dictionary.Value {
	if f.left.Add(-1) < 0 {
		panic("no value")
	}
	return f.TermSource.Value(id)
}

func TestAFaultOfAWorkerEndsTheQuery(t *testing.T) {
	t.Parallel()
	m := mixed(t, 16_000)
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT ?g (SUM(?v) AS ?a) { ?x :few ?g ; :integer ?v } GROUP BY ?g")
	endsByAFault(t, q, m)
}

// endsByAFault asks a query of a dictionary that panics after 6,000 values: that must be the query's error.
func endsByAFault(t *testing.T, q *parser.Query, m *memory) {
	t.Helper()
	dict := &faulty{TermSource: m.dict}
	dict.left.Store(6000)
	p, err := exec.Prepare(t.Context(), q, m, dict, shared())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := collect(p); err == nil || !strings.Contains(err.Error(), "no value") {
		t.Errorf("the query ended with %v", err)
	}
}

// TestWhoFindsRowsGoesOnWithThem: where a match has several goroutines, each groups its rows or takes them through filters, with functions that are dear or cheap; by the real
// sizes of everything.
func TestWhoFindsRowsGoesOnWithThem(t *testing.T) {
	m := mixed(t, 60_000)
	for i, text := range []string{
		"SELECT (SUM(?v) AS ?a) (COUNT(*) AS ?b) (MIN(?v) AS ?c) (MAX(?v) AS ?d) { ?x :integer ?v ; :many ?g }",
		"SELECT (SUM(STRLEN(CONCAT(STR(?x), STR(?v)))) AS ?a) (AVG(?d) AS ?b) { ?x :decimal ?v ; :double ?d }",
		"SELECT (COUNT(*) AS ?a) (COUNT(DISTINCT ?s) AS ?b) { ?x :some ?s ; :integer ?v FILTER(REGEX(STR(?x), \"7\") && ?v > 0) }",
		"SELECT ?f (SUM(?v * 2) AS ?a) (MAX(STR(?x)) AS ?b) { ?x :few ?f ; :integer ?v } GROUP BY ?f",
		"SELECT ?k (COUNT(*) AS ?a) { ?x :few ?f ; :integer ?v BIND(SUBSTR(STR(?x), 1 + STRLEN(STR(:))) AS ?t) BIND(SUBSTR(?t, 1, 2) AS ?k) } GROUP BY ?k",
		"SELECT ?x ?w { ?x :integer ?v ; :decimal ?d BIND(?v * ?d AS ?w) FILTER(?w > 1000) }",
		"SELECT ?x ?w { ?x :integer ?v ; :some ?s ; :few ?f BIND(CONCAT(STR(?v), ?s) AS ?w) FILTER(isIRI(?x) && !isBlank(?f) && REGEX(?w, \"77\")) }",
		"SELECT DISTINCT (FLOOR(?v / 7) AS ?w) { ?x :integer ?v ; :few ?f }",
		"SELECT ?k (COUNT(*) AS ?a) { ?x :decimal ?d ; :few ?f } GROUP BY (ROUND(?d * 2) AS ?k)",
		"SELECT DISTINCT ?w ?f { ?x :integer ?v ; :few ?f BIND(ABS(?v) / 10 AS ?w) }",
		"SELECT ?x ?w { ?x :integer ?v ; :double ?d BIND(?v * 2 AS ?w) } ORDER BY DESC(?w * 3) ?x LIMIT 500",
		"SELECT ?x ?s { ?x :integer ?v ; :few ?f OPTIONAL { ?x :some ?s } FILTER(!BOUND(?s) || STRLEN(?s) > 6) FILTER(?v != 3) }",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			q := parse(t, "PREFIX : <"+exampleNS+">\n"+text)
			want, err := m.run(q, unshared())
			if err != nil {
				t.Fatal(err)
			}
			for n := range 6 {
				if testing.Short() && n != 1+3*(i%2) {
					continue
				}
				o := onProcessor()
				o.Workers = schedule.New(2+2*(n%3)).Open(t.Context(), 0)
				if n > 2 {
					o.Memory, o.TempDir = 1<<20, t.TempDir()
				}
				got, err := m.run(q, o)
				if err != nil && o.Memory > 0 {
					continue // a DISTINCT that holds too much
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := equalRows(want.rows, got.rows, false); err != nil {
					t.Errorf("run %d: %v", n, err)
				}
			}
		})
	}
}
