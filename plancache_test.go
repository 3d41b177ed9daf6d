package rdfgpu_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rdfgpu/rdfgpu"
)

const planPrefixes = "PREFIX nmo: <http://nomisma.org/ontology#> PREFIX skos: <http://www.w3.org/2004/02/skos/core#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> "

// repeatedQueries are the queries of the examples and some whose plans have parts of every kind.
func repeatedQueries(t *testing.T) (texts []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/nomisma/queries/*.rq")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata/nomisma/queries/*.rq")
	}
	for _, file := range files {
		if strings.Contains(file, "colleagues") {
			continue // seventy megabytes of answer
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, body := range []string{
		"SELECT (COUNT(*) AS ?n) { ?m a nmo:Mint OPTIONAL { ?m skos:broader ?b } }",
		"SELECT ?m ?b { ?m a nmo:Mint OPTIONAL { ?m skos:broader ?b FILTER(?b != ?m) } } ORDER BY ?m ?b LIMIT 50",
		"SELECT ?m { ?m a nmo:Mint FILTER NOT EXISTS { ?m skos:broader ?b . ?b skos:broader ?c } } ORDER BY ?m",
		"SELECT ?m { ?m a nmo:Mint MINUS { ?m skos:broader ?b } } ORDER BY ?m",
		"SELECT ?c (COUNT(DISTINCT ?s) AS ?n) { ?s a ?c } GROUP BY ?c ORDER BY ?n ?c",
		"SELECT DISTINCT ?c { { ?s a ?c } UNION { ?s skos:broader ?c } } ORDER BY ?c LIMIT 20",
		"SELECT ?x { VALUES ?x { nmo:Mint nmo:Unknown 1 } ?s a ?x } ORDER BY ?x LIMIT 5",
		"SELECT ?x ?y { VALUES ?x { nmo:Mint nmo:Unknown 1 } BIND(STR(?x) AS ?y) } ORDER BY ?y",
		"SELECT ?x { ?x skos:broader+ <http://nomisma.org/id/asia_minor> } ORDER BY ?x",
		"SELECT (SUM(STRLEN(?l)) AS ?n) { ?m a nmo:Mint ; skos:prefLabel ?l FILTER(LANG(?l) = 'en' && STRSTARTS(?l, 'A')) }",
		"ASK { ?m a nmo:Mint ; skos:broader ?m }",
		"CONSTRUCT { ?b <urn:has> ?m } { ?m a nmo:Mint ; skos:broader ?b }",
		"SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g",
		"SELECT (COUNT(*) AS ?n) { { SELECT ?b (COUNT(*) AS ?k) { ?m skos:broader ?b } GROUP BY ?b } FILTER(?k > 3) ?b skos:prefLabel ?l }",
	} {
		texts = append(texts, planPrefixes+body)
	}
	return texts
}

// loadedNomisma is the files of a store of testdata's data set.
var loadedNomisma = sync.OnceValues(func() (fstest.MapFS, error) {
	folder, err := os.MkdirTemp("", "nomisma")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if _, err := rdfgpu.Load(context.Background(), filepath.Join(folder, "store"), []string{"testdata/nomisma/nomisma.nt.zst"}, rdfgpu.LoadOptions{}); err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	from := os.DirFS(filepath.Join(folder, "store"))
	return files, fs.WalkDir(from, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(from, path)
		files[path] = &fstest.MapFile{Data: body, Mode: 0o644}
		return err
	})
})

// nomisma is a store of its own for a test, with testdata's data set.
func nomisma(t *testing.T, options rdfgpu.Options) *rdfgpu.Store {
	t.Helper()
	loaded, err := loadedNomisma()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.CopyFS(dir, loaded); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// answered is what a query answers: the lines, sorted, or how many there are where it has a LIMIT or asks for the number alone.
func answered(ctx context.Context, s *rdfgpu.Store, text string, options rdfgpu.QueryOptions) (string, error) {
	r, err := s.Query(ctx, text, options)
	if err != nil {
		return "", err
	}
	defer r.Close()
	if options.CountOnly {
		n, err := r.Count()
		return fmt.Sprint(n), err
	}
	formats := map[rdfgpu.Kind]rdfgpu.Format{rdfgpu.Solutions: rdfgpu.TSV, rdfgpu.Boolean: rdfgpu.JSON, rdfgpu.Triples: rdfgpu.NTriples}
	var out bytes.Buffer
	n, err := r.Write(&out, formats[r.Kind()])
	if err != nil || strings.Contains(text, "LIMIT") {
		return fmt.Sprint(n), err
	}
	lines := strings.Split(out.String(), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n"), nil
}

// TestAKeptPlanAnswersAsANewOne asks every query again and again, from several goroutines at once, of a store that keeps plans, and
// compares with a store that was never asked before.
func TestAKeptPlanAnswersAsANewOne(t *testing.T) {
	t.Parallel()
	store, texts := nomisma(t, rdfgpu.Options{}), repeatedQueries(t)
	settings := []rdfgpu.QueryOptions{
		{}, {CountOnly: true}, {Semantics: rdfgpu.Isomorphism, CountOnly: true}, {Semantics: rdfgpu.EdgeIsomorphism, CountOnly: true},
	}
	if testing.Short() {
		settings = settings[:2]
	}
	expected := map[string]string{}
	key := func(i, k int) string { return fmt.Sprint(i, " ", k) }
	for i, text := range texts {
		for k, options := range settings {
			once := "# asked once\n" + text // another text, whose plan nobody has
			answer, err := answered(t.Context(), store, fmt.Sprintf("# %d\n%s", k, once), options)
			if err != nil {
				t.Fatal(err, text)
			}
			expected[key(i, k)] = answer
		}
	}
	before := store.CacheStats()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for round := range 2 {
				for i, text := range texts {
					for k, options := range settings {
						answer, err := answered(t.Context(), store, text, options)
						if err != nil || answer != expected[key(i, k)] {
							t.Errorf("round %d: %v, %.100q instead of %.100q of\n%s", round, err, answer, expected[key(i, k)], text)
						}
					}
				}
			}
		})
	}
	all.Wait()
	stats := store.CacheStats()
	if kept, planned := stats.Planned-before.Planned, stats.Unplanned-before.Unplanned; kept < planned {
		t.Errorf("%d queries ran on a kept plan and %d on a new one", kept, planned)
	}
}

// TestPlansAreOfOneState: after an update a query is planned over what there is now.
func TestPlansAreOfOneState(t *testing.T) {
	t.Parallel()
	store := nomisma(t, rdfgpu.Options{Writable: true})
	texts := []string{
		"SELECT ?o { <urn:s> <urn:p> ?o . OPTIONAL { ?o <urn:p> ?x } FILTER NOT EXISTS { ?o <urn:gone> ?y } }",
		"SELECT ?o ?g { GRAPH ?g { <urn:s> <urn:p> ?o } }",
	}
	for i := range 12 {
		for k := range 4 * len(texts) {
			answer, err := answered(t.Context(), store, texts[k%len(texts)], rdfgpu.QueryOptions{})
			if lines := strings.Count(answer, "\n<urn:o"); err != nil || lines != i {
				t.Fatalf("%v, %d solutions instead of %d: %s", err, lines, i, answer)
			}
		}
		text := fmt.Sprintf("INSERT DATA { <urn:s> <urn:p> <urn:o%d> GRAPH <urn:g%d> { <urn:s> <urn:p> <urn:o%d> } }", i, i, i)
		if _, err := store.Update(t.Context(), text, rdfgpu.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlansThatAreNotKept: those of queries that mean something else each time, and of data sets that a query puts together.
func TestPlansThatAreNotKept(t *testing.T) {
	t.Parallel()
	store := nomisma(t, rdfgpu.Options{})
	for _, text := range []string{
		"SELECT (NOW() AS ?n) { ?s <http://www.w3.org/2004/02/skos/core#broader> ?o } LIMIT 1",
		"SELECT * FROM <urn:none> { ?s ?p ?o }",
	} {
		before := store.CacheStats()
		for range 4 {
			if _, err := answered(t.Context(), store, text, rdfgpu.QueryOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if stats := store.CacheStats(); stats.Planned != before.Planned || stats.Unplanned != before.Unplanned+4 {
			t.Errorf("%+v after %+v: %s", stats, before, text)
		}
	}
}
