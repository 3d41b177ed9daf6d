package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// unmerged are queries whose joins cannot be matched in one go; loose: the order of their rows depends on how
// they come in batches.
var unmerged = []struct {
	name, text string
	loose      bool
}{
	{"a join", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } { SELECT ?x ?g { ?x :many ?g } OFFSET 1 } }", false},
	{"a join of two variables", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } { SELECT ?x ?v ?g { ?x :many ?g ; :integer ?v } OFFSET 1 } }", false},
	{"several partners", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } { SELECT ?y ?v { ?y :integer ?v } OFFSET 1 } }", false},
	{"many partners", "SELECT * { { SELECT ?x ?g { ?x :few ?g } LIMIT 40 } { SELECT ?y ?g { ?y :few ?g } OFFSET 1 } }", false},
	{"many partners of few rows", "SELECT * { { SELECT ?x ?o { ?x :few|:integer ?o } OFFSET 1 } { SELECT ?y ?o { ?y :few|:integer ?o } LIMIT 60 } }", false},
	{"no partner", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } { SELECT ?v ?g { ?v :many ?g } OFFSET 1 } }", false},
	{"no variable in common", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } { SELECT ?y { ?y :few :f1 } LIMIT 5 } }", false},
	{"a left join", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } OPTIONAL { SELECT ?x ?s { ?x :some ?s } OFFSET 1 } }", false},
	{"a left join with a condition", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } OPTIONAL { { SELECT ?x ?w { ?x :late ?w } OFFSET 1 } FILTER(?v + ?w > 300) } }", false},
	{"a left join with an existence", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } OPTIONAL { { SELECT ?x ?w { ?x :late ?w } OFFSET 1 } FILTER EXISTS { ?x :some ?s FILTER(?v > ?w) } } }", false},
	{"a difference", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } MINUS { SELECT ?x ?s { ?x :some ?s } OFFSET 1 } }", false},
	{"unbound variables", "SELECT * { { SELECT ?x ?s { ?x :integer ?v OPTIONAL { ?x :some ?s } } OFFSET 1 } { SELECT ?x ?s ?g { ?x :many ?g OPTIONAL { ?x :some ?s } } OFFSET 1 } }", true},
	{"unbound variables of a difference", "SELECT * { { SELECT ?x ?s { ?x :integer ?v OPTIONAL { ?x :some ?s } } OFFSET 1 } MINUS { SELECT ?s { ?x :many ?g OPTIONAL { ?x :some ?s FILTER(?s < 'text 3') } } OFFSET 1 } }", false},
	{"a limit", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } { SELECT ?x ?g { ?x :many ?g } OFFSET 1 } } LIMIT 1500", false},
	{"joins of joins", "SELECT * { { SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } { SELECT ?x ?g { ?x :many ?g } OFFSET 1 } OPTIONAL { SELECT ?x ?s { ?x :some ?s } OFFSET 1 } MINUS { SELECT ?x { ?x :late 3 } OFFSET 1 } }", true},
}

var distinct = []string{
	"SELECT DISTINCT ?x ?v { ?x :integer ?v }",
	"SELECT DISTINCT ?v { ?x :integer ?v }",
	"SELECT DISTINCT ?g { ?x :few ?g }",
	"SELECT DISTINCT ?g ?s { ?x :many ?g OPTIONAL { ?x :some ?s } }",
	"SELECT DISTINCT ?g ?v { ?x :few ?g ; :integer ?v } ORDER BY ?g DESC(?v)",
	"SELECT DISTINCT ?v { ?x :integer ?v } LIMIT 300",
	"SELECT DISTINCT ?w { ?x :integer ?v BIND(?v / 7 AS ?w) }",
	"SELECT DISTINCT * { { SELECT DISTINCT ?v { ?x :integer ?v } } { SELECT DISTINCT ?v ?g { ?x :many ?g ; :integer ?v } } }",
}

// sharesAs compares what workers find with what one goroutine does, in large pieces and in small ones, and with little memory.
func sharesAs(t *testing.T, m *memory, text string, ordered bool) {
	q := parse(t, "PREFIX : <"+exampleNS+">\n"+text)
	for _, c := range []struct {
		rows   int
		memory int64
	}{{256, 1 << 30}, {7, 1 << 30}, {7, 1_000_000}, {64, 300_000}} {
		if c.memory < 1<<30 && strings.Contains(text, "} LIMIT") {
			continue // which rows these are is open then
		}
		o := inPieces(c.rows)
		o.Workers = nil
		want, err := m.run(q, o)
		if err != nil {
			t.Fatal(err)
		}
		o = inPieces(c.rows)
		o.Memory, o.TempDir = c.memory, t.TempDir()
		got, err := m.run(q, o)
		if err != nil && c.memory < 1<<30 && strings.Contains(err.Error(), "memory") {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := equalRows(want.rows, got.rows, ordered && (c.memory == 1<<30 || isOrdered(q.Where))); err != nil {
			t.Errorf("%d rows at a time in %d bytes: %v", c.rows, c.memory, err)
		}
	}
}

func TestWorkersJoinAsOneGoroutineDoes(t *testing.T) {
	m := mixed(t, 4000)
	for _, c := range unmerged {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sharesAs(t, m, c.text, !c.loose)
		})
	}
}

func TestWorkersTellRowsApartAsOneGoroutineDoes(t *testing.T) {
	allShare(t, distinct...)
}

// allShare runs queries whose rows come in the same order, over mixed data, with workers and without.
func allShare(t *testing.T, texts ...string) {
	m := mixed(t, 4000)
	for i, text := range texts {
		if leftOut(i/2 + i) { // two keys of each query of groups
			continue
		}
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			sharesAs(t, m, text, true)
		})
	}
}

func TestWorkersOfSomeGroupsGroupAsOneGoroutineDoes(t *testing.T) {
	var texts []string
	for _, text := range grouped {
		for _, key := range []string{"few", "many"} {
			texts = append(texts, strings.Replace(text, ":KEY", ":"+key, 1))
		}
	}
	allShare(t, texts...)
}

// costly are queries whose operators read values of terms while they share rows.
var costly = []string{
	unmerged[8].text,
	strings.Replace(grouped[1], ":KEY", ":many", 1),
	"SELECT ?g (GROUP_CONCAT(?v + 1) AS ?a) { ?x :many ?g ; :integer ?v } GROUP BY ?g",
	"SELECT ?x ?d { ?x :double ?d } ORDER BY DESC(?d)",
}

// TestOperatorsOfManyRowsHaveWorkers where their query may have several threads, and none where it has one.
func TestOperatorsOfManyRowsHaveWorkers(t *testing.T) {
	t.Parallel()
	m := mixed(t, 4000)
	for _, text := range costly {
		for _, threads := range []int{1, 4} {
			most := int64(0)
			for try := 0; try < 20 && (try == 0 || threads > 1 && most < 2); try++ { // on a machine with much to do one may be through before another begins
				o, dict := inPieces(64), &crowded{TermSource: m.dict}
				o.Workers = schedule.New(threads).Open(t.Context(), 0)
				p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> "+text), m, dict, o)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := collect(p); err != nil {
					t.Fatal(err)
				}
				most = dict.most.Load()
			}
			if most > 1 != (threads > 1) {
				t.Errorf("%d goroutines of %d threads at once\n%s", most, threads, text)
			}
		}
	}
}

// TestOperatorsEndWithTheirQuery by a fault of a worker, and by a consumer that has enough.
func TestOperatorsEndWithTheirQuery(t *testing.T) {
	t.Parallel()
	m := mixed(t, 4000)
	for _, text := range append([]string{unmerged[0].text, distinct[0], distinct[3]}, costly...) {
		endsWithItsConsumer(t, m, text)
	}
	for _, text := range costly {
		endsWithAFault(t, m, text, 2500)
	}
}

// endsWithItsConsumer lets the consumer of a query have enough with its first batch, or with its twentieth, and be cancelled there.
func endsWithItsConsumer(t *testing.T, m *memory, text string) {
	t.Helper()
	enough := errors.New("enough")
	for _, o := range []exec.Options{inPieces(64), byMany(64), inPieces(7), byMany(7)} {
		for _, last := range []int{1, 20} {
			for _, cancelled := range []bool{false, true} {
				p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> "+text), m, m.dict, o)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				batches := 0
				err = p.Run(ctx, func(*vector.Batch) error {
					switch batches++; {
					case batches < last:
						return nil
					case batches > last:
						t.Errorf("%s: a batch is emitted after the end", text)
					case cancelled:
						cancel(enough)
						return nil
					}
					return enough
				})
				if cancel(nil); err != enough && batches >= last && !(cancelled && err == nil) { // there may be no more
					t.Errorf("%s: the query ended with %v", text, err)
				}
			}
		}
	}
}

// endsWithAFault lets a query fail at a term, after so many.
func endsWithAFault(t *testing.T, m *memory, text string, terms int64) {
	t.Helper()
	dict := &faulty{TermSource: m.dict}
	dict.left.Store(terms)
	p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> "+text), m, dict, inPieces(64))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(t.Context(), func(*vector.Batch) error { return nil }); err == nil || !strings.Contains(err.Error(), "no value") {
		t.Errorf("%s: the query ended with %v", text, err)
	}
}

// TestLargeTablesAreIndexedByWorkersAlike: every row is found, in the order of the rows.
func TestLargeTablesAreIndexedByWorkersAlike(t *testing.T) {
	t.Parallel()
	m := many(t, 70_000)
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT * { { SELECT ?g ?x { ?x :group ?g } OFFSET 1 } { SELECT ?x ?y { ?x :link ?y } OFFSET 1 } FILTER(STRLEN(STR(?x)) < 24) }")
	want, err := m.run(q, unshared())
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.run(q, shared())
	if err == nil {
		err = equalRows(want.rows, got.rows, true)
	}
	if err != nil {
		t.Error(err)
	}
}
