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

// damageQueries touch every part of a store: scans, ranges of values, classes, variable predicates, paths, named
// graphs, and the decoding of all kinds of terms.
var damageQueries = []string{
	`SELECT * WHERE { ?s ?p ?o }`,
	`SELECT ?g (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g`,
	`PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
	 SELECT ?x ?y WHERE { ?x a ub:GraduateStudent ; ub:memberOf ?y ; ub:takesCourse ?c . ?t ub:teacherOf ?c ; ub:worksFor ?y } ORDER BY ?x ?c LIMIT 500`,
	`PREFIX e: <http://example.org/> SELECT ?s ?v WHERE { ?s e:value ?v FILTER(?v > 20 && ?v < 70.5) } ORDER BY DESC(?v) ?s`,
	`PREFIX ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#>
	 SELECT (COUNT(DISTINCT ?o) AS ?n) WHERE { ?s ub:advisor/ub:worksFor ?o . OPTIONAL { ?s ub:name ?name } FILTER(STRLEN(?name) > 3) }`,
}

func damageData(t *testing.T) string {
	t.Helper()
	var text bytes.Buffer
	universities := generate.LUBM{Universities: 1, Seed: 2}
	if _, err := universities.WriteNTriples(context.Background(), &text); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text.String(), "\n")
	text.Reset()
	for _, l := range lines[:min(len(lines), 12_000)] {
		text.WriteString(l)
	}
	for i := range 1500 {
		fmt.Fprintf(&text, "<http://example.org/s%d> <http://example.org/value> \"%d.5\"^^<http://www.w3.org/2001/XMLSchema#decimal> .\n", i, i%97)
		fmt.Fprintf(&text, "<http://example.org/s%d> <http://example.org/label> \"nummer %d\"@de <http://example.org/g%d> .\n", i, i, i%3)
	}
	return text.String()
}

// answers runs the queries; an answer is its text or its error. A panic that was caught is a failure.
func answers(t *testing.T, store *rdfgpu.Store) (all []string, err error) {
	t.Helper()
	for _, q := range damageQueries {
		var out bytes.Buffer
		result, e := store.Query(context.Background(), q, rdfgpu.QueryOptions{Device: rdfgpu.CPU, Timeout: 20 * time.Second, MaxMemory: 1 << 30})
		if e == nil {
			_, e = result.Write(&out, rdfgpu.TSV)
			if closed := result.Close(); e == nil {
				e = closed
			}
		}
		if e != nil && strings.Contains(e.Error(), "internal fault") {
			t.Errorf("%s: %v", q, e)
		}
		err = errors.Join(err, e)
		lines := strings.Split(out.String(), "\n")
		slices.Sort(lines)
		all = append(all, strings.Join(lines, "\n"))
	}
	return all, err
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
func damage(t *testing.T, r *rand.Rand, path string, good []byte) (what string) {
	t.Helper()
	bad := slices.Clone(good)
	switch at := r.IntN(len(bad)); r.IntN(4) {
	case 0:
		bad = bad[:at]
		what = fmt.Sprintf("%s cut to %d of %d bytes", filepath.Base(path), at, len(good))
	case 1:
		n := min(1+r.IntN(4096), len(bad)-at)
		clear(bad[at : at+n])
		what = fmt.Sprintf("%s: %d bytes at %d zeroed", filepath.Base(path), n, at)
	default:
		n := 1 + r.IntN(8)
		for i := range min(n, len(bad)-at) {
			bad[at+i] ^= byte(1 + r.IntN(255))
		}
		what = fmt.Sprintf("%s: %d bytes at %d changed", filepath.Base(path), n, at)
	}
	if err := os.WriteFile(path, bad, 0o644); err != nil {
		t.Fatal(err)
	}
	return what
}

func TestADamagedStoreIsRefusedOrHarmless(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	_, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, rdfgpu.LoadOptions{Format: "nquads", Stdin: strings.NewReader(damageData(t))})
	if err != nil {
		t.Fatal(err)
	}
	open := func() (*rdfgpu.Store, error) { return rdfgpu.Open(dir, rdfgpu.Options{Threads: 2}) }
	store, err := open()
	if err != nil {
		t.Fatal(err)
	}
	right, err := answers(t, store)
	if err != nil || store.Close() != nil {
		t.Fatal(err)
	}
	files := storeFiles(t, dir)
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	refused, found, same, wrong := 0, 0, 0, 0
	for range damages(t) {
		path := files[r.IntN(len(files))]
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		what := damage(t, r, path, good)
		verified := rdfgpu.Verify(dir)
		if verified != nil && !errors.Is(verified, rdfgpu.ErrDamaged) && !errors.Is(verified, rdfgpu.ErrVersion) {
			t.Errorf("seed %d: %s: %v", seed, what, verified)
		}
		if verified != nil && !strings.Contains(verified.Error(), filepath.Base(path)) {
			t.Errorf("seed %d: %s: another file is named: %v", seed, what, verified)
		}
		switch store, err := open(); {
		case err != nil && verified == nil:
			t.Errorf("seed %d: %s: verify finds nothing, open %v", seed, what, err)
		case err != nil:
			refused++
		default:
			got, err := answers(t, store)
			equal := err == nil && slices.Equal(got, right)
			switch {
			case verified == nil && !equal:
				t.Errorf("seed %d: %s: verify finds nothing, but answers differ (%v)", seed, what, err)
			case equal:
				same++
			case err != nil:
				found++
			default:
				wrong++ // until somebody verifies: only verify reads everything
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d refused when opened, %d harmless, %d errors of queries, %d found by verify alone", refused, same, found, wrong)
}

func TestAFileThatIsCutWhileOpenEndsQueriesWithAnError(t *testing.T) {
	text := complete(300)
	for _, name := range []string{"default.pcsr", "terms.dict"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			_, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, rdfgpu.LoadOptions{Format: "nquads", Stdin: strings.NewReader(text + damageData(t))})
			if err != nil {
				t.Fatal(err)
			}
			store, err := rdfgpu.Open(dir, rdfgpu.Options{Threads: 4})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			paths, _ := filepath.Glob(filepath.Join(dir, "gen-*", name))
			if err := os.Truncate(paths[0], 4096); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				result, err := store.Query(context.Background(), `SELECT * WHERE { ?a ?p ?b . ?b ?q ?c }`, rdfgpu.QueryOptions{Device: rdfgpu.CPU, MaxRows: 1 << 20})
				if err == nil {
					_, err = result.Write(new(bytes.Buffer), rdfgpu.TSV)
					result.Close()
				}
				if !errors.Is(err, rdfgpu.ErrDamaged) || !strings.Contains(err.Error(), name) {
					t.Fatal(err)
				}
			}
		})
	}
}
