package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/expr"
	"github.com/rdfgpu/rdfgpu/exec/terms"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// assorted is a dataset of n items with values of all sorts, some of them equal, in several segments and a tail.
func assorted(t testing.TB, n int) *memory {
	t.Helper()
	iri := func(format string, i int) rdf.Term { return rdf.NewIRI(exampleNS + fmt.Sprintf(format, i)) }
	random := rand.New(rand.NewPCG(12, 5))
	value := func(i int) rdf.Term {
		switch i % 11 {
		case 0:
			return iri("v%d", i*7919%n)
		case 1:
			return rdf.NewBlank(fmt.Sprintf("b%d", i%50))
		case 2:
			return rdf.NewLangString(fmt.Sprintf("text %d", i*31%n), []string{"de", "en"}[i%2])
		case 3:
			return rdf.NewTyped([]string{"true", "false"}[i%2], rdf.XSDBoolean)
		case 4:
			return rdf.NewTyped(fmt.Sprintf("%d.%d", i%40, i%3), rdf.XSDDecimal)
		case 5:
			return rdf.NewTyped(fmt.Sprintf("%d.0e0", i%40), rdf.XSDDouble)
		case 6:
			return rdf.NewTyped(fmt.Sprintf("2026-%02d-%02dT00:00:00Z", 1+i%12, 1+i%28), rdf.XSDDateTime)
		case 7, 8:
			return rdf.NewString(fmt.Sprintf("text %d", i*17%n))
		}
		return integer(i % 60)
	}
	parts, arrived := make([][]quad, 3), []quad(nil)
	for i := range n {
		for _, q := range []quad{
			{subject: iri("i%d", i), predicate: rdf.NewIRI(exampleNS + "value"), object: value(random.IntN(n))},
			{subject: iri("i%d", i), predicate: rdf.NewIRI(exampleNS + "few"), object: value(i * i % 4)},
			{subject: iri("i%d", i), predicate: rdf.NewIRI(exampleNS + "number"), object: integer(random.IntN(n))},
		} {
			if to := random.IntN(5); to < len(parts) {
				parts[to] = append(parts[to], q)
			} else {
				arrived = append(arrived, q)
			}
		}
	}
	m, err := newGrown(parts, arrived)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sorted are queries without their order, and the columns to sort by; those below 0 descend.
var sorted = []struct {
	text string
	keys []int
}{
	{"SELECT ?v ?x { ?x :value ?v }", []int{1}},
	{"SELECT ?v ?x { ?x :value ?v }", []int{-1}},
	{"SELECT ?n ?x { ?x :number ?n }", []int{-1}},
	{"SELECT ?x ?n { ?x :number ?n }", []int{1}},
	{"SELECT ?k ?v ?x { ?x :few ?k ; :value ?v }", []int{1, -2}},
	{"SELECT ?v ?k ?n { ?x :few ?k ; :value ?v ; :number ?n }", []int{-1, 2, -3}},
	{"SELECT ?v ?n ?x { ?x :value ?v OPTIONAL { ?x :number ?n FILTER(?n > 50) } }", []int{-2, 1}},
	{"SELECT ?k ?x { ?x :few ?k }", []int{1}},
}

// TestWorkersSortAsAStableSortByComparisonsDoes compares what workers sort, whole and with limits, with rows in the order that they
// come in, sorted by comparing terms.
func TestWorkersSortAsAStableSortByComparisonsDoes(t *testing.T) {
	t.Parallel()
	m := assorted(t, 3000)
	for _, c := range sorted {
		for _, rows := range []int{2, 7, 300} {
			if testing.Short() && rows != 7 {
				continue
			}
			want := sortedByComparing(t, m, c.text, c.keys, rows)
			for i, slice := range []struct{ offset, limit int }{{0, len(want)}, {3, 10}, {0, 1}, {200, 1500}, {0, 1 << 62}} {
				if testing.Short() && i%3 > 0 {
					continue
				}
				end := min(len(want), slice.offset+slice.limit)
				text := c.text + " ORDER BY" + orderOf(c.text, c.keys)
				if slice.limit < len(want) || slice.limit == 1<<62 {
					text += fmt.Sprintf(" OFFSET %d LIMIT %d", slice.offset, slice.limit)
				}
				for _, memory := range []int64{1 << 30, 100_000} {
					o := inPieces(rows)
					o.Memory, o.TempDir = memory, t.TempDir()
					o.Operators.MaxRuns = 5
					if got := rowsOf(t, m, text, o); !slices.EqualFunc(got, want[min(slice.offset, end):end], slices.Equal) {
						t.Errorf("%s: %d rows at a time in %d bytes are sorted otherwise", text, rows, memory)
					}
				}
			}
		}
	}
}

func orderOf(text string, keys []int) (order string) {
	names := strings.Fields(text)[1:]
	for _, k := range keys {
		if k < 0 {
			order += " DESC(" + names[-k-1] + ")"
		} else {
			order += " " + names[k-1]
		}
	}
	return order
}

// sortedByComparing are the rows of a query, sorted.
func sortedByComparing(t *testing.T, m *memory, text string, keys []int, rows int) [][]dictionary.ID {
	o := inPieces(rows)
	o.Workers = nil
	list, comparer := rowsOf(t, m, text, o), expr.NewComparer(terms.New(m.dict), nil)
	slices.SortStableFunc(list, func(a, b []dictionary.ID) int {
		for _, k := range keys {
			c := max(k, -k) - 1
			if order := comparer.Compare(a[c], b[c]); order != 0 {
				return order * k
			}
		}
		return 0
	})
	return list
}

// rowsOf are the rows that a query emits.
func rowsOf(t *testing.T, m *memory, text string, o exec.Options) (rows [][]dictionary.ID) {
	p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+">\n"+text), m, m.dict, o)
	if err != nil {
		t.Fatal(err)
	}
	err = p.Run(t.Context(), func(b *vector.Batch) error {
		for r := range b.N {
			row := make([]dictionary.ID, len(b.Cols))
			for c, col := range b.Cols {
				row[c] = col[r]
			}
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return rows
}

// ordered are queries whose keys are computed, or that sort more than once.
var ordered = []string{
	"SELECT ?x ?v { ?x :integer ?v } ORDER BY (?v * ?v) DESC(STR(?x))",
	"SELECT ?x ?v { ?x :integer ?v } ORDER BY DESC(?v / 7) LIMIT 50",
	"SELECT ?x ?d { ?x :double ?d FILTER(?d > 0.1) BIND(?d * 2 AS ?e) } ORDER BY (?e + 1) OFFSET 5 LIMIT 100",
	"SELECT ?x ?v { ?x :integer ?v } ORDER BY (?v / 7) DESC(?v * 3) ?x",
	"SELECT ?x ?v { ?x :integer ?v ; :decimal ?d } ORDER BY FLOOR(?v / 100) DESC(?d * ?d) ?x",
	"SELECT ?x ?l { ?x :large ?l } ORDER BY DESC(?l * 3)",
	"SELECT ?x ?l { ?x :large ?l ; :late ?v } ORDER BY (?l + ?v) LIMIT 700",
	"SELECT ?x { ?x :late ?v BIND(?v * 2 AS ?w) } ORDER BY ?w ?x",
	"SELECT ?x ?w { ?x :integer ?v OPTIONAL { ?x :some ?s } BIND(STRLEN(?s) * ?v AS ?w) } ORDER BY DESC(?w) ?x LIMIT 3000",
	"SELECT ?x ?v { ?x :integer ?v ; :double ?d OPTIONAL { ?x :some ?s } } ORDER BY IF(?v > 300, ?d, COALESCE(?s, -?v)) ?x",
	"SELECT ?x ?d { ?x :decimal ?d } ORDER BY EXISTS { ?x :some ?s } ?d",
	"SELECT ?x ?d { ?x :decimal ?d } ORDER BY DESC(?d) (STRLEN(STR(?x))) ?x",
	"SELECT * { { SELECT ?x ?v { ?x :integer ?v } ORDER BY ?v LIMIT 900 } { SELECT ?x ?g { ?x :many ?g } ORDER BY DESC(?g) LIMIT 3000 } } ORDER BY ?g ?v ?x",
	"SELECT ?g (COUNT(*) AS ?c) { ?x :many ?g } GROUP BY ?g ORDER BY DESC(?c) ?g LIMIT 100",
	"SELECT DISTINCT ?s { ?x :integer ?v OPTIONAL { ?x :some ?s } } ORDER BY DESC(?s)",
}

func TestWorkersSortAsOneGoroutineDoes(t *testing.T) {
	allShare(t, ordered...)
}

// TestASharedSortEndsWithItsQuery by a consumer that has enough, and by a fault of a worker.
func TestASharedSortEndsWithItsQuery(t *testing.T) {
	t.Parallel()
	m := mixed(t, 4000)
	for i, text := range ordered {
		if testing.Short() && i%16 > 0 {
			continue
		}
		endsWithItsConsumer(t, m, text)
		endsWithAFault(t, m, text, 50)
	}
}
