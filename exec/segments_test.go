package exec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// anyTerm is a random literal, IRI or blank node; few of them are drawn twice.
func anyTerm(r *rand.Rand) rdf.Term {
	n := r.IntN(100_000)
	switch r.IntN(12) {
	case 0:
		return rdf.NewTyped(fmt.Sprint(n-50_000), rdf.XSDInteger)
	case 1:
		return rdf.NewTyped(fmt.Sprintf("%d.%02d", n%1000, r.IntN(100)), rdf.XSDDecimal)
	case 2:
		return rdf.NewTyped(fmt.Sprintf("%de-%d", n, r.IntN(6)), rdf.XSDDouble)
	case 3:
		zone := []string{"", "Z", "+14:00", "-05:30"}[r.IntN(4)]
		return rdf.NewTyped(fmt.Sprintf("%04d-%02d-%02d%s", 1900+n%200, 1+r.IntN(12), 1+r.IntN(28), zone), rdf.XSDDate)
	case 4:
		return rdf.NewTyped(fmt.Sprintf("2006-08-%02dT%02d:%02d:00", 1+r.IntN(28), r.IntN(24), r.IntN(60)), rdf.XSDDateTime)
	case 5:
		return rdf.NewLangString(fmt.Sprint("text ", n), []string{"en", "de", "de-AT", "EN"}[r.IntN(4)])
	case 6:
		return rdf.NewTyped(fmt.Sprint(n), exampleNS+"unit")
	case 7:
		return rdf.NewIRI(fmt.Sprint(exampleNS, "v", n))
	case 8:
		return rdf.NewBlank(fmt.Sprint("b", n))
	case 9:
		return rdf.NewTyped(fmt.Sprint(n%2 == 0), rdf.XSDBoolean)
	}
	return rdf.NewString(fmt.Sprint("text ", n))
}

// dealt are random values of items, dealt out into parts.
func dealt(r *rand.Rand, items, parts int) [][]quad {
	out := make([][]quad, parts)
	for i := range items {
		q := quad{subject: rdf.NewIRI(fmt.Sprint(exampleNS, "i", i)), predicate: rdf.NewIRI(exampleNS + "value"), object: anyTerm(r)}
		n := r.IntN(parts)
		if i%7 == 0 {
			q.predicate = rdf.NewIRI(fmt.Sprint(exampleNS, "value", n))
		}
		out[n] = append(out[n], q)
	}
	return out
}

// segmented are the same values in a dataset of one segment, in one of several, and in one whose last part has arrived since.
func segmented(t testing.TB, r *rand.Rand, items, segments int) (one, several, grown *memory) {
	t.Helper()
	parts := dealt(r, items, segments)
	one, err := newMemory(slices.Concat(parts...))
	if err == nil {
		several, err = newSegments(parts)
	}
	if err == nil {
		grown, err = newGrown(parts[:segments-1], parts[segments-1])
	}
	if err != nil {
		t.Fatal(err)
	}
	return one, several, grown
}

func TestSegmentsAnswerAsOneDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	const order = " ORDER BY ?v STR(?v) STR(DATATYPE(?v)) ?i"
	queries := []struct {
		text    string
		ordered bool
	}{
		{"SELECT ?v ?i { ?i ?p ?v }" + order, true},
		{"SELECT ?v ?i { ?i ?p ?v } ORDER BY DESC(?v) STR(?v) STR(DATATYPE(?v)) ?i", true},
		{"SELECT ?v ?i { ?i ?p ?v } ORDER BY ?v STR(?v) STR(DATATYPE(?v)) ?i LIMIT 37", true},
		{"SELECT ?v ?i { ?i ?p ?v FILTER(isLiteral(?v)) } ORDER BY DESC(?v) STR(?v) STR(DATATYPE(?v)) ?i LIMIT 500", true},
		{`SELECT ?w ?i { ?i ?p ?v FILTER(datatype(?v) = xsd:string) BIND(IF(?v < "text 3", ?v, CONCAT(?v, "+")) AS ?w) } ORDER BY ?w ?i LIMIT 3000`, true},
		{`SELECT ?w ?i { ?i ?p ?v FILTER(lang(?v) != "") BIND(IF(STR(?v) < "text 3", ?v, STRLANG(STR(?v), "fr")) AS ?w) } ORDER BY ?w ?i`, true},
		{"SELECT ?v (COUNT(*) AS ?n) { ?i ?p ?v } GROUP BY ?v", false},
		{"SELECT (MIN(?v) AS ?a) (MAX(?v) AS ?b) { ?i ?p ?v FILTER(datatype(?v) = xsd:string) }", false},
		{"SELECT ?p (MIN(?v) AS ?a) (MAX(?v) AS ?b) { ?i ?p ?v FILTER(lang(?v) = 'en') } GROUP BY ?p", false},
		{"SELECT ?p (MIN(?v) AS ?a) (MAX(?v) AS ?b) { ?i ?p ?v } GROUP BY ?p", false},
		{"SELECT ?i ?v { ?i :value ?v FILTER(isNumeric(?v) || isIRI(?v)) }", false},
		{"SELECT ?i ?v { { ?i :value ?v } UNION { ?i :value1 ?v } FILTER(isLiteral(?v) && ?v != 5) }", false},
		{"SELECT DISTINCT ?p { ?i ?p ?v }", false},
		{"SELECT ?i ?v { ?i :value ?v FILTER(strstarts(?v, 'text 11')) }", false},
		{"SELECT ?i ?v { ?i :value ?v FILTER(strstarts(?v, 'text 11') && lang(?v) = 'en') }", false},
		{"SELECT ?i ?v { ?i :value ?v FILTER(regex(?v, '^text 2') && langMatches(lang(?v), 'EN')) }", false},
		{"SELECT (COUNT(*) AS ?n) { ?i :value ?v FILTER(lang(?v) IN ('en', 'de')) }", false},
		{"SELECT (COUNT(*) AS ?n) { ?i :value ?v FILTER(strstarts(str(?v), 't')) }", false},
		{"SELECT ?i ?v { ?i :value ?v FILTER(?v >= 100 && ?v < 150) }", false},
		{"SELECT ?i ?v { ?i :value ?v FILTER(?v >= '2000-01-01'^^xsd:date && ?v < '2000-03-01'^^xsd:date) }", false},
		{"SELECT (COUNT(*) AS ?n) { ?i :value ?v FILTER(?v > 0 && ?v < 40000) }", false},
	}
	for _, op := range []string{"<", "<=", "=", ">=", ">", "!="} {
		for _, constant := range []string{"7", "3.25", "1e2", "'text 5'", "'2000-01-01'^^xsd:date", "'2000-01-01Z'^^xsd:date", "'2006-08-14T12:00:00'^^xsd:dateTime", "true", "'text 5'@en", ":v7"} {
			queries = append(queries, struct {
				text    string
				ordered bool
			}{fmt.Sprintf("SELECT ?i ?v { ?i :value ?v FILTER(?v %s %s) }", op, constant), false})
		}
	}
	values := 24_000
	if testing.Short() {
		values = 2_000
	}
	for _, segments := range []int{2, 4} {
		one, several, grown := segmented(t, r, values, segments)
		for _, q := range queries {
			for _, memory := range []int64{0, 1 << 20} {
				if memory == 0 || q.ordered {
					compareAnswers(t, q.text, q.ordered, memory, one, several)
					compareAnswers(t, q.text, q.ordered, memory, one, grown)
				}
			}
		}
	}
}

// compareAnswers compares the answers of two datasets to a query.
func compareAnswers(t *testing.T, text string, ordered bool, memory int64, one, other *memory) {
	t.Helper()
	parsed := parse(t, "PREFIX : <"+exampleNS+"> PREFIX xsd: <"+rdf.XSD+">\n"+text)
	o := onProcessor()
	o.Memory = memory
	a, err := one.run(parsed, o)
	b, errOther := other.run(parsed, o)
	if err != nil || errOther != nil {
		if memory > 0 && strings.Contains(fmt.Sprint(err, errOther), limits.ErrMemory.Error()) {
			return
		}
		t.Fatal(text, err, errOther)
	}
	want, got := listing(a.rows, ordered), listing(b.rows, ordered)
	if len(want) == 0 && strings.Contains(text, "ORDER") {
		t.Fatalf("%s: no rows", text)
	}
	if i := firstDifference(got, want); i >= 0 {
		t.Fatalf("%s, %d segments, %d terms in order, memory %d: %d rows, want %d; from row %d:\n%s\nwant:\n%s", text, len(other.dict.Segments()), other.dict.Ordered(), memory,
			len(got), len(want), i, strings.Join(got[i:min(i+3, len(got))], "\n"), strings.Join(want[i:min(i+3, len(want))], "\n"))
	}
}

// listing is a table as texts, sorted unless its order means something.
func listing(rows [][]rdf.Term, ordered bool) []string {
	if !ordered {
		return tally(rows)
	}
	var out []string
	for _, r := range rows {
		out = append(out, rowKey(r, nil))
	}
	return out
}

// firstDifference is where two listings differ first, −1 where nowhere.
func firstDifference(a, b []string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return n
}

// BenchmarkSegments runs what the order of IDs speeds up over a dataset of one segment, over one of four of a size, which is
// the worst case, and over one of a segment and a hundredth that has arrived since.
func BenchmarkSegments(b *testing.B) {
	one, several, _ := segmented(b, rand.New(rand.NewPCG(6, 7)), 300_000, 4)
	parts := dealt(rand.New(rand.NewPCG(6, 8)), 300_000, 100)
	grown, err := newGrown([][]quad{slices.Concat(parts[1:]...)}, parts[0])
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, text string }{
		{"sort", "SELECT ?v { ?i :value ?v FILTER(datatype(?v) = xsd:string) } ORDER BY ?v"},
		{"top", "SELECT ?v { ?i :value ?v FILTER(datatype(?v) = xsd:string) } ORDER BY ?v LIMIT 10"},
		{"max", "SELECT (MAX(?v) AS ?m) { ?i :value ?v FILTER(datatype(?v) = xsd:string) }"},
		{"filter", "SELECT ?i { ?i :value ?v FILTER(?v < 'text 5') }"},
		{"filter-date", "SELECT ?i { ?i :value ?v FILTER(?v < '2000-01-01'^^xsd:date) }"},
		{"filter-equal", "SELECT ?i { ?i :value ?v FILTER(?v = 5) }"},
		{"filter-numbers", "SELECT ?i { ?i :value ?v FILTER(?v > 100 && ?v < 200) }"},
		{"filter-many-numbers", "SELECT ?i { ?i :value ?v FILTER(?v > 10000 && ?v < 20000) }"},
	} {
		q := parse(b, "PREFIX : <"+exampleNS+"> PREFIX xsd: <"+rdf.XSD+">\n"+c.text)
		for _, m := range []struct {
			name string
			*memory
		}{{"one", one}, {"several", several}, {"grown", grown}} {
			b.Run(c.name+"/"+m.name, func(b *testing.B) {
				for b.Loop() {
					p, err := exec.Prepare(b.Context(), q, m.memory, m.dict, onProcessor())
					if err == nil {
						err = p.Run(b.Context(), func(*vector.Batch) error { return nil })
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestPartsHaveTheInequalitiesOfTheWhole where a pattern is matched for each range of a variable's IDs by itself.
func TestPartsHaveTheInequalitiesOfTheWhole(t *testing.T) {
	one, several, grown := segmented(t, rand.New(rand.NewPCG(7, 7)), 300, 3)
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT ?i ?j ?v { ?i :value ?v . ?j :value ?v FILTER(isNumeric(?v) && ?i != ?j) }")
	for _, m := range []*memory{one, several, grown} {
		o := onProcessor()
		o.Tuning.MaxListed, o.Tuning.PartsGain, o.Tuning.ProductCost = 1, math.Inf(1), 1e-9
		a, err := m.run(q, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range a.rows {
			if row[0] == row[1] {
				t.Fatalf("%d segments, %d terms in order: %v", len(m.dict.Segments()), m.dict.Ordered(), row)
			}
		}
	}
}
