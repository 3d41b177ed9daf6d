package rdfgpu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
)

// damageQueries touch every part of a store: scans, ranges of values of all kinds, strings, classes, variable
// predicates, paths, named graphs, lookups of terms, and the decoding of all kinds of terms.
var damageQueries = []string{
	`SELECT * WHERE { ?s ?p ?o }`,
	`SELECT * WHERE { GRAPH ?g { ?s ?p ?o } }`,
	`SELECT ?g (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g`,
	`PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
	 SELECT ?x ?y WHERE { ?x a ub:GraduateStudent ; ub:memberOf ?y ; ub:takesCourse ?c . ?t ub:teacherOf ?c ; ub:worksFor ?y } ORDER BY ?x ?c LIMIT 500`,
	`PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
	 SELECT (COUNT(DISTINCT ?o) AS ?n) WHERE { ?s ub:advisor/ub:worksFor ?o . OPTIONAL { ?s ub:name ?name } FILTER(STRLEN(?name) > 3) }`,
	`PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
	 SELECT ?x ?o WHERE { ?x a ub:FullProfessor ; (ub:worksFor|ub:subOrganizationOf)+ ?o FILTER NOT EXISTS { ?x ub:headOf ?o } }`,
	`PREFIX e: <http://example.org/> SELECT ?s ?v WHERE { ?s e:value ?v FILTER(?v > 20 && ?v < 70.5) } ORDER BY DESC(?v) ?s`,
	`PREFIX e: <http://example.org/> SELECT (SUM(?v) AS ?a) (MIN(?v) AS ?b) (MAX(?v) AS ?c) (COUNT(DISTINCT ?v) AS ?d) WHERE { ?s e:value|e:count ?v }`,
	`PREFIX e: <http://example.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
	 SELECT ?s ?d WHERE { ?s e:day ?d FILTER(?d >= "2004-05-06"^^xsd:date && MONTH(?d) != 7) }`,
	`PREFIX e: <http://example.org/> SELECT ?s ?o WHERE { ?s ?p ?o FILTER(STRSTARTS(STR(?o), "nummer 1") || REGEX(STR(?o), "7 text") || LANG(?o) = "en") }`,
	`PREFIX e: <http://example.org/> SELECT ?o WHERE { ?s e:note ?o FILTER(?o > "note 5" && ?o < "note 7") } ORDER BY ?o`,
	`SELECT ?o WHERE { ?s ?p ?o } ORDER BY ?o LIMIT 2000`,
	`SELECT ?p ?q (COUNT(*) AS ?n) WHERE { ?x ?p ?y . ?y ?q ?z } GROUP BY ?p ?q`,
	`PREFIX e: <http://example.org/> SELECT ?k ?v WHERE { VALUES ?k { e:s1 e:s77 e:s1499 e:none "note 12" 3.5 } { ?k ?p ?v } UNION { ?v ?p ?k } }`,
	`PREFIX e: <http://example.org/> SELECT ?s ?l WHERE { GRAPH e:g1 { ?s e:label ?l } ?s e:value ?v FILTER(?v < 9) }`,
	`PREFIX e: <http://example.org/> ASK { GRAPH e:g2 { e:s1499 ?p ?o } }`,
	`PREFIX e: <http://example.org/> CONSTRUCT { ?s e:is ?o } WHERE { ?s e:code ?o }`,
	`PREFIX e: <http://example.org/> DESCRIBE e:s5 e:s1000`,
}

// damageData is what is loaded first, and what is added to it.
func damageData(t *testing.T) (first, added string) {
	t.Helper()
	var text bytes.Buffer
	universities := generate.LUBM{Universities: 1, Seed: 2}
	if _, err := universities.WriteNTriples(context.Background(), &text); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text.String(), "\n")
	var parts [2]strings.Builder
	for i, l := range lines[:min(len(lines), 12_000)] {
		parts[i/11_000].WriteString(l)
	}
	const xsd = "http://www.w3.org/2001/XMLSchema#"
	for i := range 3000 {
		b, s := &parts[i/2500], fmt.Sprintf("<http://example.org/s%d>", i)
		fmt.Fprintf(b, "%s <http://example.org/value> \"%d.5\"^^<%sdecimal> .\n", s, i%1997, xsd)
		fmt.Fprintf(b, "%s <http://example.org/count> \"%d\"^^<%sinteger> .\n", s, i*i, xsd)
		fmt.Fprintf(b, "%s <http://example.org/day> \"%d-%02d-%02d\"^^<%sdate> .\n", s, 2000+i%17, 1+i%12, 1+i%28, xsd)
		fmt.Fprintf(b, "%s <http://example.org/note> \"note %d\" .\n", s, i*7)
		fmt.Fprintf(b, "%s <http://example.org/code> \"%x\"^^<http://example.org/hex> .\n", s, i)
		fmt.Fprintf(b, "%s <http://example.org/flag> \"%t\"^^<%sboolean> <http://example.org/g%d> .\n", s, i%3 == 0, xsd, i%2)
		for _, tag := range []string{"de", "en"} {
			fmt.Fprintf(b, "%s <http://example.org/label> \"nummer %d\"@%s <http://example.org/g%d> .\n", s, i, tag, i%3)
		}
	}
	return parts[0].String(), parts[1].String()
}

// damageStore is a store of two segments with several graphs, most of whose files are mapped.
func damageStore(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	first, added := damageData(t)
	for i, text := range []string{first, added} {
		options := rdfgpu.LoadOptions{Format: "nquads", Stdin: strings.NewReader(text), Append: i > 0}
		if _, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, options); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// said is what a store said to one question.
type said struct {
	text string
	err  error
}

// answers asks everything there is to ask. Lines are sorted.
func answers(store *rdfgpu.Store) (all []said) {
	add := func(text string, err error) {
		lines := strings.Split(text, "\n")
		slices.Sort(lines)
		all = append(all, said{strings.Join(lines, "\n"), err})
	}
	ctx := context.Background()
	options := rdfgpu.QueryOptions{Device: rdfgpu.CPU, Timeout: time.Minute, MaxMemory: 1 << 30}
	for i, q := range damageQueries {
		result, err := store.Query(ctx, q, options)
		if err != nil {
			add("", err)
			continue
		}
		var out strings.Builder
		switch {
		case result.Kind() == rdfgpu.Triples:
			_, err = result.Write(&out, rdfgpu.NTriples)
		case result.Kind() == rdfgpu.Solutions && i%3 == 2:
			err = readRows(result, &out)
		default:
			_, err = result.Write(&out, rdfgpu.TSV)
		}
		add(out.String(), errors.Join(err, result.Close()))
	}
	info, err := store.Info()
	add(fmt.Sprint(info), err)
	schema, err := store.Schema(0)
	add(fmt.Sprint(schema), err)
	var out strings.Builder
	explained, err := store.Explain(ctx, damageQueries[3], options)
	if err == nil {
		err = explained.WriteText(&out)
	}
	add(out.String(), err)
	return all
}

// readRows reads a result as a program would.
func readRows(result *rdfgpu.Result, out *strings.Builder) error {
	for row, err := range result.Rows() {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, row)
	}
	return result.Err()
}

// damages is how many damages the test tries; RDFGPU_DAMAGES sets another number.
func damages(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("RDFGPU_DAMAGES")); err == nil {
		return n
	}
	if testing.Short() {
		return 5
	}
	return 40
}

func storeFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "gen-*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return append(files, filepath.Join(dir, "manifest.json"))
}

// damage changes bytes of a file, or cuts it, in place.
func damage(r *rand.Rand, good []byte) (bad []byte, what string) {
	bad = slices.Clone(good)
	at := r.IntN(len(bad))
	if r.IntN(10) == 0 { // the end, where the sums and the table are
		at = len(bad) - 1 - r.IntN(min(len(bad), 1024))
	}
	n := min(1+r.IntN(4096), len(bad)-at)
	switch r.IntN(8) {
	case 0:
		return bad[:at], fmt.Sprintf("cut to %d of %d bytes", at, len(good))
	case 1:
		clear(bad[at : at+n])
		return bad, fmt.Sprintf("%d bytes at %d zeroed", n, at)
	case 2:
		from := r.IntN(len(bad) - n + 1)
		copy(bad[at:at+n], good[from:])
		return bad, fmt.Sprintf("%d bytes at %d copied to %d", n, from, at)
	case 3: // two blocks of the disk change places
		a, b := r.IntN(len(bad)/4096+1)*4096, r.IntN(len(bad)/4096+1)*4096
		n := min(4096, len(bad)-a, len(bad)-b)
		copy(bad[a:a+n], good[b:])
		copy(bad[b:b+n], good[a:])
		return bad, fmt.Sprintf("%d bytes at %d and %d swapped", n, a, b)
	case 4:
		i, bit := at, r.IntN(8)
		bad[i] ^= 1 << bit
		return bad, fmt.Sprintf("bit %d of byte %d changed", bit, i)
	}
	n = min(n, 8)
	for i := range n {
		bad[at+i] ^= byte(1 + r.IntN(255))
	}
	return bad, fmt.Sprintf("%d bytes at %d changed", n, at)
}

func TestADamagedStoreIsRefusedOrHarmless(t *testing.T) {
	t.Parallel()
	dir := damageStore(t)
	open := func() (*rdfgpu.Store, error) { return rdfgpu.Open(dir, rdfgpu.Options{Threads: 2}) }
	store, err := open()
	if err != nil {
		t.Fatal(err)
	}
	right := answers(store)
	for i, a := range right {
		if a.err != nil || a.text == "" {
			t.Fatal(i, a)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	files := storeFiles(t, dir)
	large := slices.DeleteFunc(slices.Clone(files), func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || info.Size() <= 32<<10 // which are read and checked when they are opened
	})
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	refused, found, harmless := 0, 0, 0
	for range damages(t) {
		path := files[r.IntN(len(files))]
		if r.IntN(4) > 0 {
			path = large[r.IntN(len(large))]
		}
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad, what := damage(r, good)
		if bytes.Equal(bad, good) {
			continue
		}
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(dir, path)
		what = fmt.Sprintf("seed %d: %s: %s", seed, name, what)
		check := func(err error) {
			if !errors.Is(err, rdfgpu.ErrDamaged) && !errors.Is(err, rdfgpu.ErrVersion) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", what, err)
			}
		}
		check(rdfgpu.Verify(dir))
		if store, err := open(); err != nil {
			refused++
			check(err)
		} else {
			failed := false
			for i, a := range answers(store) {
				if a.err != nil {
					failed = true
					check(a.err)
				} else if a.text != right[i].text {
					t.Errorf("%s: question %d has a wrong answer", what, i)
				}
			}
			if failed {
				found++
			} else {
				harmless++
			}
			check(store.CheckAll(t.Context()))
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d refused when opened, %d by queries, %d touched nothing that was asked for", refused, found, harmless)
}

func TestAFileThatIsCutWhileOpenEndsWithAnError(t *testing.T) {
	t.Parallel()
	side := 300
	if testing.Short() {
		side = 120
	}
	text := complete(side)
	query := func(store *rdfgpu.Store) (*rdfgpu.Result, error) {
		return store.Query(context.Background(), `SELECT * WHERE { ?a ?p ?b . ?b ?q ?c }`, rdfgpu.QueryOptions{Device: rdfgpu.CPU, MaxRows: 1 << 20})
	}
	uses := map[string]func(*rdfgpu.Store) error{
		"a query": func(store *rdfgpu.Store) error {
			result, err := query(store)
			if err != nil {
				return err
			}
			_, err = result.Write(new(bytes.Buffer), rdfgpu.TSV)
			return errors.Join(err, result.Close())
		},
		"rows": func(store *rdfgpu.Store) error {
			result, err := query(store)
			if err != nil {
				return err
			}
			return errors.Join(readRows(result, new(strings.Builder)), result.Close())
		},
		"all checksums": func(store *rdfgpu.Store) error { return store.CheckAll(context.Background()) },
	}
	for _, name := range []string{"default.pcsr", "terms.dict"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			first, _ := damageData(t)
			_, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, rdfgpu.LoadOptions{Format: "nquads", Stdin: strings.NewReader(text + first)})
			if err != nil {
				t.Fatal(err)
			}
			store, err := rdfgpu.Open(dir, rdfgpu.Options{Threads: 4})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			result, err := query(store)
			if err != nil {
				t.Fatal(err)
			}
			defer result.Close()
			paths, _ := filepath.Glob(filepath.Join(dir, "gen-*", name))
			if err := os.Truncate(paths[0], 4096); err != nil {
				t.Fatal(err)
			}
			check := func(what string, err error) {
				if !errors.Is(err, rdfgpu.ErrDamaged) || !strings.Contains(err.Error(), name) {
					t.Errorf("%s: %v", what, err)
				}
			}
			for what, use := range uses {
				check(what, use(store))
				check(what+", again", use(store))
			}
			if name != "terms.dict" {
				return
			}
			_, err = store.Info()
			check("info", err)
			_, err = store.Schema(0)
			check("schema", err)
			if term := result.Term(20_000); term != (rdfgpu.Term{}) {
				t.Error(term)
			}
			check("a term outside of a run", result.Err())
		})
	}
}
