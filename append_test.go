package rdfgpu_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// A data set that is loaded at once and one that comes in parts must answer every query alike.

// parts is N-Quads text in parts. All kinds of terms are in it; some predicates were plain resources in an earlier part
// or come late, classes too, and triples repeat within and across the parts.
// Where the types are late, rdf:type is no predicate in the first part.
func randomParts(r *rand.Rand, sizes []int, lateTypes bool) []string {
	var parts []string
	for k, n := range sizes {
		var b strings.Builder
		fmt.Fprintf(&b, "<http://e/part%d> <http://e/partOf> \"%d\" .\n", k, k) // no part is without a new triple
		for range n {
			quad := randomQuad(r, k)
			if lateTypes && k == 0 {
				quad = strings.Replace(quad, rdfType, "<http://e/p1>", 1)
			}
			b.WriteString(quad)
		}
		parts = append(parts, b.String())
	}
	return parts
}

const rdfType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"

func randomQuad(r *rand.Rand, part int) string {
	resource := func() string {
		i := r.IntN(60 + 10*part)
		if i%11 == 0 {
			return fmt.Sprintf("_:n%d", i)
		}
		return fmt.Sprintf("<http://e/%s/%d>", []string{"thing", "person", "place"}[i%3], i)
	}
	const xsd = "http://www.w3.org/2001/XMLSchema#"
	literal := func() string {
		i := r.IntN(30 + 5*part)
		switch i % 9 {
		case 0:
			return fmt.Sprintf("\"%d\"^^<%sinteger>", i-15, xsd)
		case 1:
			return fmt.Sprintf("\"%d.50\"^^<%sdecimal>", i-15, xsd)
		case 2:
			return fmt.Sprintf("\"%d.25e0\"^^<%sdouble>", i-20, xsd)
		case 3:
			return fmt.Sprintf("\"text %d\"", i)
		case 4:
			return fmt.Sprintf("\"texte %d\"@%s", i, []string{"en", "fr", "de-AT"}[i%3])
		case 5:
			return fmt.Sprintf("\"20%02d-01-%02dT0%d:00:00Z\"^^<%sdateTime>", i, 1+i%28, i%10, xsd)
		case 6:
			return fmt.Sprintf("\"20%02d-02-03\"^^<%sdate>", i, xsd)
		case 7:
			return fmt.Sprintf("\"%v\"^^<%sboolean>", i%2 == 0, xsd)
		}
		return fmt.Sprintf("\"POINT(%d)\"^^<http://e/wkt>", i)
	}
	s, p, o := resource(), fmt.Sprintf("<http://e/p%d>", r.IntN(5)), resource()
	switch r.IntN(10) {
	case 0, 1:
		p, o = rdfType, fmt.Sprintf("<http://e/Class%d>", r.IntN(3+part))
	case 2, 3, 4:
		p, o = fmt.Sprintf("<http://e/v%d>", r.IntN(3)), literal()
	case 5:
		if part > 0 { // what was, or is to be, a resource is a predicate
			p = fmt.Sprintf("<http://e/person/%d>", 3*r.IntN(3)+1)
		}
	case 6:
		if part > 1 {
			p = fmt.Sprintf("<http://e/late%d>", part%3)
		}
	case 7:
		s = p
	}
	g := ""
	if r.IntN(5) == 0 {
		g = fmt.Sprintf(" <http://e/graph%d>", r.IntN(2+part))
	}
	return s + " " + p + " " + o + g + " .\n"
}

// shapes are queries of every operator over the vocabulary of randomQuad. Those that order leave no ties.
var shapes = []string{
	`SELECT * { ?s ?p ?o }`,
	`SELECT * { ?s :p0 ?o }`,
	`SELECT * { ?s a :Class1 ; :p1 ?o . ?o a :Class0 }`,
	`SELECT * { ?s a ?c . ?s :p2 ?o . ?o a ?c }`,
	`SELECT * { ?a :p0 ?b . ?b :p1 ?c . ?c :p2 ?a }`,
	`SELECT * { ?a ?p ?b . ?b ?p ?c }`,
	`SELECT * { ?a ?p ?b . ?p ?q ?c }`,
	`SELECT * { ?a <http://e/person/1> ?b . OPTIONAL { ?b a ?c } }`,
	`SELECT * { <http://e/person/1> ?p ?o }`,
	`SELECT * { ?s ?p <http://e/person/4> }`,
	`SELECT * { ?s :late1 ?o . OPTIONAL { ?o :late2 ?x } }`,
	`SELECT * { ?s :v0 ?v FILTER(?v > 3) }`,
	`SELECT * { ?s :v0 ?v FILTER(?v >= -2.5 && ?v < 11) }`,
	`SELECT * { ?s :v1 ?v FILTER(?v = 2.5) }`,
	`SELECT * { ?s :v1 ?v . ?t :v1 ?w FILTER(?v < ?w && isNumeric(?v)) }`,
	`SELECT * { ?s ?p ?v FILTER(?v > "2010-01-01T00:00:00Z"^^xsd:dateTime) }`,
	`SELECT * { ?s ?p ?v FILTER(?v < "2012-01-01"^^xsd:date) }`,
	`SELECT * { ?s ?p ?v FILTER(?v = true) }`,
	`SELECT * { ?s ?p ?v FILTER(?v >= "text 2" && ?v < "text 4") }`,
	`SELECT * { ?s ?p ?v FILTER(STRSTARTS(?v, "text 1")) }`,
	`SELECT * { ?s ?p ?v FILTER(REGEX(STR(?v), "3$")) }`,
	`SELECT * { ?s ?p ?v FILTER(LANG(?v) = "fr") }`,
	`SELECT * { ?s ?p ?v FILTER(LANGMATCHES(LANG(?v), "de")) }`,
	`SELECT * { ?s ?p ?v FILTER(DATATYPE(?v) = :wkt) }`,
	`SELECT * { ?s ?p ?v FILTER(isIRI(?s) && isLiteral(?v)) }`,
	`SELECT * { ?s ?p ?v FILTER(isBlank(?v)) }`,
	`SELECT * { ?s :v0 ?v . ?t :v2 ?v }`,
	`SELECT * { ?s ?p ?v FILTER(?v IN (1, "text 3", <http://e/thing/3>, 2.5)) }`,
	`SELECT * { ?s ?p ?v FILTER(?v != 4) }`,
	`SELECT * { ?s ?p ?v FILTER(!(?v = <http://e/person/7>)) }`,
	`SELECT DISTINCT ?p { ?s ?p ?o }`,
	`SELECT DISTINCT ?c ?d { ?s a ?c, ?d }`,
	`SELECT ?p (COUNT(*) AS ?n) (COUNT(DISTINCT ?s) AS ?m) { ?s ?p ?o } GROUP BY ?p`,
	`SELECT ?c (COUNT(?s) AS ?n) { ?s a ?c } GROUP BY ?c HAVING (COUNT(?s) > 3)`,
	`SELECT (SUM(?v) AS ?sum) (MIN(?v) AS ?least) (MAX(?v) AS ?most) (AVG(?v) AS ?mean) { ?s :v0 ?v FILTER(DATATYPE(?v) = xsd:integer) }`,
	`SELECT (MIN(?v) AS ?least) (MAX(?v) AS ?most) { ?s ?p ?v FILTER(DATATYPE(?v) = xsd:dateTime) }`,
	`SELECT (MIN(?v) AS ?least) (MAX(?v) AS ?most) { ?s ?p ?v FILTER(DATATYPE(?v) = xsd:string) }`,
	`SELECT (COUNT(*) AS ?n) { ?s ?p ?o }`,
	`SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o }`,
	`SELECT ?v { ?s :v0 ?v } ORDER BY ?v STR(?v) DATATYPE(?v) LANG(?v)`,
	`SELECT DISTINCT ?v { ?s ?p ?v FILTER(!isBlank(?v)) } ORDER BY DESC(?v) STR(?v) DATATYPE(?v) LANG(?v)`,
	`SELECT DISTINCT ?v { ?s ?p ?v FILTER(!isBlank(?v)) } ORDER BY ?v STR(?v) DATATYPE(?v) LANG(?v) LIMIT 20 OFFSET 7`,
	`SELECT ?o ?s { ?s :p3 ?o FILTER(isIRI(?s) && isIRI(?o)) } ORDER BY ?o DESC(?s)`,
	`SELECT DISTINCT ?v { ?s ?p ?v FILTER(isNumeric(?v)) } ORDER BY ?v STR(?v) DATATYPE(?v) LIMIT 5`,
	`SELECT * { ?s :p0 ?o OPTIONAL { ?o :v0 ?v FILTER(?v > 0) } }`,
	`SELECT * { { ?s :p0 ?o } UNION { ?s :late1 ?o } UNION { ?o <http://e/person/4> ?s } }`,
	`SELECT * { ?s :p1 ?o MINUS { ?s a :Class2 } }`,
	`SELECT * { ?s :p1 ?o FILTER NOT EXISTS { ?o :p1 ?s } FILTER EXISTS { ?s a ?c } }`,
	`SELECT * { ?s :p0/:p1 ?o }`,
	`SELECT * { ?s ^:p0/:late1? ?o }`,
	`SELECT * { <http://e/thing/3> :p0+ ?o }`,
	`SELECT * { ?s (:p0|:late1|<http://e/person/1>)+ <http://e/thing/6> }`,
	`SELECT * { <http://e/thing/3> (:p2|:p3)* ?o }`,
	`SELECT * { ?s !(:p0|a|^:p1) ?o }`,
	`SELECT (COUNT(*) AS ?n) { ?s :p4* ?o }`,
	`SELECT * { GRAPH ?g { ?s :p0 ?o } }`,
	`SELECT * { GRAPH ?g { ?s a ?c } ?s :p1 ?o }`,
	`SELECT * { GRAPH <http://e/graph1> { ?s ?p ?o } }`,
	`SELECT * { GRAPH ?g { ?s ?p ?o . ?o ?q ?x } }`,
	`SELECT DISTINCT ?g { GRAPH ?g { } }`,
	`SELECT * FROM <http://e/graph0> FROM <http://e/graph2> { ?s ?p ?o . ?s a ?c }`,
	`SELECT * FROM NAMED <http://e/graph1> { GRAPH ?g { ?s ?p ?o } }`,
	`SELECT * { VALUES ?o { <http://e/thing/6> <http://e/person/7> "text 3" <http://nowhere> } ?s ?p ?o }`,
	`SELECT * { ?s :v0 ?v BIND(?v + 1 AS ?w) ?t :v1 ?w }`,
	`SELECT * { ?s :p0 ?o { SELECT ?o (COUNT(*) AS ?n) { ?x ?p ?o } GROUP BY ?o } }`,
	`SELECT ?c (GROUP_CONCAT(?t ; SEPARATOR="") AS ?all) { { SELECT DISTINCT ?c ("x" AS ?t) ?s { ?s a ?c } } } GROUP BY ?c`,
	`ASK { ?s :late2 ?o . ?o a ?c }`,
	`ASK { <http://e/part1> :partOf "1" }`,
	`CONSTRUCT { ?o :inverse ?s . ?s a :Subject } { ?s :p3 ?o }`,
	`DESCRIBE <http://e/thing/3> <http://e/person/1>`,
}

const prefixes = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"

// rows are the solutions as N-Triples, in order where the query orders them, else sorted.
func rows(t *testing.T, store *rdfgpu.Store, query string, semantics rdfgpu.Semantics) []string {
	t.Helper()
	result, err := store.Query(context.Background(), prefixes+query, rdfgpu.QueryOptions{Semantics: semantics})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer result.Close()
	format := rdfgpu.TSV
	if result.Kind() == rdfgpu.Triples {
		format = rdfgpu.NTriples
	}
	var b bytes.Buffer
	if _, err := result.Write(&b, format); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	lines := strings.Split(b.String(), "\n")
	if !strings.Contains(query, "ORDER BY") {
		slices.Sort(lines)
	}
	return lines
}

func loadParts(t *testing.T, dir string, append bool, parts ...string) rdfgpu.LoadReport {
	t.Helper()
	var files []string
	for i, text := range parts {
		files = slices.Concat(files, []string{filepath.Join(t.TempDir(), fmt.Sprintf("%d.nq", i))})
		if err := os.WriteFile(files[i], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	report, err := rdfgpu.Load(context.Background(), dir, files, rdfgpu.LoadOptions{Append: append})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func openStore(t *testing.T, dir string) *rdfgpu.Store {
	t.Helper()
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// TestPartsAnswerLikeTheWhole loads random data at once and in parts, and compares the answers to queries of all shapes.
// RDFGPU_SEEDS sets how many data sets there are.
func TestPartsAnswerLikeTheWhole(t *testing.T) {
	t.Parallel()
	seeds, err := strconv.Atoi(os.Getenv("RDFGPU_SEEDS"))
	if err != nil {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { partsLikeTheWhole(t, uint64(seed)) })
	}
}

func partsLikeTheWhole(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	sizes := []int{400 + r.IntN(400)}
	for range 2 + r.IntN(5) {
		sizes = append(sizes, 1+r.IntN(max(2, sizes[0]>>r.IntN(8)/2)))
	}
	parts := randomParts(r, sizes, seed%4 == 1)
	root := t.TempDir()
	loadParts(t, filepath.Join(root, "whole"), false, parts...)
	whole := openStore(t, filepath.Join(root, "whole"))
	defer whole.Close()
	dir := filepath.Join(root, "parts")
	most := 0
	for _, part := range parts {
		report := loadParts(t, dir, true, part)
		most = max(most, report.Segments)
		if r.IntN(8) == 0 {
			if _, err := rdfgpu.Compact(context.Background(), dir, rdfgpu.LoadOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := rdfgpu.Verify(dir); err != nil {
		t.Fatal(err)
	}
	joined := openStore(t, dir)
	defer joined.Close()
	a, errA := whole.Info()
	b, errB := joined.Info()
	if errA != nil || errB != nil || a.Triples != b.Triples || a.Terms != b.Terms || a.Predicates != b.Predicates || a.Classes != b.Classes {
		t.Fatalf("%+v\n%+v\n%v %v", a, b, errA, errB)
	}
	for _, query := range shapes {
		for _, semantics := range []rdfgpu.Semantics{rdfgpu.Homomorphism, rdfgpu.Isomorphism} {
			want, got := rows(t, whole, query, semantics), rows(t, joined, query, semantics)
			if !slices.Equal(want, got) {
				t.Errorf("seed %d, %v, %d segments, %v: %s\nat once %d rows, in parts %d; first difference: %s",
					seed, semantics, most, sizes, query, len(want), len(got), firstDifference(want, got))
			}
		}
	}
	t.Logf("parts of %v, at most %d segments", sizes, most)
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("row %d, %q and %q", i, a[i], b[i])
		}
	}
	return "one is longer"
}
