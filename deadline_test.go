package rdfgpu_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
)

// hostile are queries that take far longer than anybody would wait, each in a stage or operator of its own. They mean :p
// of any store.
func hostile() map[string]string {
	nest := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	pairs := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "{ SELECT ?a%d { ?a%d ?p%d ?b%d } OFFSET 1 } ", i, i, i, i)
		}
		return b.String()
	}
	const all = `VALUES ?z { 1 2 3 4 5 6 7 8 9 10 } VALUES ?y { 1 2 3 4 5 6 7 8 9 10 } VALUES ?x { 1 2 3 4 5 6 7 8 9 10 }
		VALUES ?w { 1 2 3 4 5 6 7 8 9 10 } VALUES ?v { 1 2 3 4 5 6 7 8 9 10 } VALUES ?u { 1 2 3 4 5 6 7 8 9 10 } VALUES ?t { 1 2 3 4 5 6 7 8 9 10 } VALUES ?r { 1 2 3 4 5 6 7 8 9 10 }`
	long := `BIND(CONCAT("aaaaaaaaaaaaaaaaaaaa", STR(?z)) AS ?s0) ` + numbered("BIND(CONCAT(?s%d, ?s%[1]d, ?s%[1]d, ?s%[1]d) AS ?s%d) ", 9)
	return map[string]string{
		"parsing groups":         "SELECT * {" + strings.Repeat("{}", 400_000) + "}",
		"parsing a group by":     "SELECT ?a {} GROUP BY " + strings.Repeat("?a ", 300_000),
		"planning many patterns": "SELECT * {" + numbered("?a%d <http://example.org/p> ?b%d . ", 8_000) + "}",
		"planning a long chain":  "SELECT * {" + numbered("?a%d <http://example.org/p> ?a%d . ", 5_000) + "}",
		"planning many joins":    "SELECT * {" + strings.Repeat("{ SELECT ?a { ?a <http://example.org/p> ?b } LIMIT 9 }", 8_000) + "}",
		"nested counts":          "SELECT * " + numbered("{ SELECT (COUNT(*) AS ?n%d) #%d\n", 60) + "{ ?a <http://example.org/p> ?b } " + strings.Repeat(" }", 60),
		"folding replacements":   "SELECT (" + nest("REPLACE(", `"aaaaaaaaaaaaaaaaaaaa"`, `, "a", "aaaaaaaaaaaaaaaaaaaa")`, 6) + " AS ?r) {}",
		"nested concatenations":  "SELECT * { " + all + " BIND(STRLEN(" + nest("CONCAT(?u, ", `"aaaaaaaaaaaaaaaa"`, ")", 150) + ") AS ?n) FILTER(?n < 0) }",
		"replacing":              "SELECT * { " + all + long + ` FILTER(STRLEN(REPLACE(?s9, "a.*b|a", "b")) < 0) }`,
		"a regular expression":   "SELECT * { " + all + long + ` FILTER REGEX(?s9, "(a|aa|aaa)+b[0-9]{1,100}$") }`,
		"a large pattern":        "SELECT * { " + all + long + ` FILTER REGEX(?s9, "(a?){1000}b") }`,
		"upper case":             "SELECT * { " + all + long + ` FILTER(UCASE(?s9) = "a") }`,
		"encoding":               "SELECT * { " + all + long + ` FILTER(ENCODE_FOR_URI(?s9) = "a") }`,
		"hashing":                "SELECT * { " + all + long + ` FILTER(SHA512(?s9) = "a") }`,
		"searching":              "SELECT * { " + all + long + ` FILTER(CONTAINS(?s9, CONCAT(?s5, "b"))) }`,
		"large numbers":          "SELECT * { " + all + " BIND(?z*9999999999 AS ?n0) " + numbered("BIND(?n%d*?n%[1]d AS ?n%d) ", 10) + " FILTER(?n9/7 = 1) }",
		"concatenating groups":   "SELECT (GROUP_CONCAT(STR(?z)) AS ?c) { " + all + " }",
		"products":               "SELECT * { " + pairs(8) + " FILTER(?a0 = 1) }",
		"counting products":      "SELECT (COUNT(DISTINCT *) AS ?n) { " + pairs(8) + " }",
		"sorting":                "SELECT * { " + all + " } ORDER BY RAND() ?z",
		"distinct":               "SELECT DISTINCT * { " + all + " BIND(RAND() AS ?d) FILTER(?d < 2) }",
		"groups":                 "SELECT ?g (SUM(?z) AS ?n) { " + all + " } GROUP BY (?z + ?y * 10 + ?x * 100 + ?w * 1000 + ?v * 10000 + ?u * 100000 AS ?g)",
		"exists":                 "SELECT * { " + all + " FILTER EXISTS { ?a ?p ?b . ?c ?q ?d . ?e ?f ?h FILTER(?a = ?z || ?c = ?y || ?e = ?x) } }",
		"minus":                  "SELECT * { " + all + " MINUS { " + all + " FILTER(?z < 0) } }",
		"optional":               "SELECT * { " + all + " OPTIONAL { ?a ?p ?b . ?c ?q ?d . ?e ?f ?h FILTER(?a = ?z && ?z < 0) } FILTER(BOUND(?a)) }",
		"construct":              "CONSTRUCT { " + strings.Repeat("?z ?y ?x . ", 50) + " } { " + all + " }",
		"nested paths":           "SELECT * { ?s " + nest("(", "<http://example.org/p>", ")*", 30) + " ?o . ?s2 " + nest("(", "!<http://example.org/q>/!<http://example.org/q>*", ")*", 20) + " ?o2 . ?o3 !<http://example.org/q>+ ?o4 FILTER(?s = ?o4 && ?o = 1) }",
		"long paths":             "SELECT (COUNT(*) AS ?n) { ?s (" + strings.Repeat("(<http://example.org/p>|^<http://example.org/p>)/", 40) + "<http://example.org/q>)+ ?o . " + pairs(7) + " }",
		"unions":                 "SELECT * { { " + strings.Repeat("{ "+all+" FILTER(?z < 0) } UNION ", 20) + " {} } FILTER(?z = 5) }",
		"subqueries":             "SELECT * { " + all + " { SELECT ?z (COUNT(*) AS ?n) { " + all + " } GROUP BY ?z } }",
		"describing":             "DESCRIBE * { " + all + " }",
	}
}

// numbered repeats a text with the numbers from 0 on, each beside the next.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i+1)
	}
	return b.String()
}

// lateBy is how much after its limit a query may end in tests: a machine may be busy, and the aim is a tenth of a second.
const lateBy = 10 * time.Second

func TestEveryQueryEndsAtItsLimit(t *testing.T) {
	for name, store := range hostileStores(t) {
		for shape, text := range hostile() {
			t.Run(name+"/"+shape, func(t *testing.T) {
				text := text
				if name == "large" {
					text = strings.ReplaceAll(text, "example.org/p>", "example.org/graph/p0>")
				}
				began := time.Now()
				err := drain(t.Context(), store, text, rdfgpu.QueryOptions{Timeout: 100 * time.Millisecond})
				took := time.Since(began)
				t.Logf("%s, %s: %.0f ms after its limit: %.80v", name, shape, float64(took-100*time.Millisecond)/1e6, err)
				if took > 100*time.Millisecond+lateBy {
					t.Errorf("ended %v after its beginning", took)
				}
				if took > 100*time.Millisecond && err != nil && !errors.Is(err, rdfgpu.ErrTimeout) && !errors.Is(err, rdfgpu.ErrMemoryLimit) && !errors.Is(err, rdfgpu.ErrUnsupported) {
					t.Errorf("ended with %v", err)
				}
			})
		}
	}
}

// TestEveryQueryEndsWithItsClient: what ends a query's context ends the query.
func TestEveryQueryEndsWithItsClient(t *testing.T) {
	store := load(t, "ntriples", complete(3))
	gone := errors.New("gone")
	for _, shape := range []string{"parsing groups", "planning many patterns", "a regular expression", "sorting", "products"} {
		ctx, leave := context.WithCancelCause(t.Context())
		time.AfterFunc(50*time.Millisecond, func() { leave(gone) })
		began := time.Now()
		err := drain(ctx, store, hostile()[shape], rdfgpu.QueryOptions{})
		if took := time.Since(began); took > lateBy || took > time.Second && !errors.Is(err, gone) {
			t.Errorf("%s: ended with %v after %v", shape, err, took)
		}
	}
}

// drain writes the whole answer of a query.
func drain(ctx context.Context, store *rdfgpu.Store, text string, options rdfgpu.QueryOptions) error {
	result, err := store.Query(ctx, text, options)
	if err != nil {
		return err
	}
	defer result.Close()
	format := rdfgpu.TSV
	if result.Kind() == rdfgpu.Triples {
		format = rdfgpu.NTriples
	}
	_, err = result.Write(io.Discard, format)
	return err
}

// hostileStores are a store of a few triples and one of many, of an R-MAT graph; the latter not in short tests.
func hostileStores(t *testing.T) map[string]*rdfgpu.Store {
	stores := map[string]*rdfgpu.Store{"tiny": load(t, "ntriples", complete(3))}
	if !testing.Short() {
		stores["large"] = largeStore(t)
	}
	return stores
}

// largeStore is an R-MAT graph of a million edges, whose largest hubs have thousands.
func largeStore(t *testing.T) *rdfgpu.Store {
	graph, err := generate.RMAT(17, 1_000_000, 0, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "graph.nt")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := graph.WriteNTriples(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{file}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}
