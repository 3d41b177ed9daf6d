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
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// smallQuad is a quad of numbers: a graph, a subject, a predicate and an object.
type smallQuad [4]int

func (q smallQuad) graph() string { return fmt.Sprintf("<http://e/g%d>", q[0]) }

func (q smallQuad) triple() string {
	return fmt.Sprintf("<http://e/n%d> <http://e/p%d> <http://e/n%d>", q[1], q[2], q[3])
}

// smallGraphs are some quads of 300 graphs, which are few for most of them and many for one.
type smallGraphs struct {
	t     testing.TB
	r     *rand.Rand
	quads map[smallQuad]bool
	dir   string
	store *rdfgpu.Store
}

func (g *smallGraphs) quad() smallQuad {
	return smallQuad{g.r.IntN(300), g.r.IntN(60), g.r.IntN(4), g.r.IntN(60)}
}

func newSmallGraphs(t testing.TB, seed uint64) *smallGraphs {
	t.Helper()
	g := &smallGraphs{t: t, r: rand.New(rand.NewPCG(seed, 9)), quads: map[smallQuad]bool{}, dir: filepath.Join(t.TempDir(), "store")}
	for range 1500 {
		g.quads[g.quad()] = true
	}
	for i := range 600 {
		g.quads[smallQuad{7, i % 60, i / 60 % 4, i / 7 % 60}] = true
	}
	var text strings.Builder
	for q := range g.quads {
		fmt.Fprintf(&text, "%s %s .\n", q.triple(), q.graph())
	}
	if _, err := rdfgpu.Load(t.Context(), g.dir, []string{"-"}, rdfgpu.LoadOptions{Format: "nquads", Stdin: strings.NewReader(text.String())}); err != nil {
		t.Fatal(err)
	}
	g.open()
	return g
}

func (g *smallGraphs) open() {
	g.t.Helper()
	var err error
	if g.store, err = rdfgpu.Open(g.dir, rdfgpu.Options{Writable: true}); err != nil {
		g.t.Fatal(err)
	}
}

func (g *smallGraphs) update(text string, args ...any) {
	g.t.Helper()
	if _, err := g.store.Update(g.t.Context(), fmt.Sprintf(text, args...), rdfgpu.UpdateOptions{}); err != nil {
		g.t.Fatal(err)
	}
}

// keep drops quads of the model.
func (g *smallGraphs) keep(is func(q smallQuad) bool) {
	for q := range g.quads {
		if !is(q) {
			delete(g.quads, q)
		}
	}
}

// step does something to the store and to the model.
func (g *smallGraphs) step(i int) string {
	one := g.quad()
	switch i % 8 {
	case 0:
		for range 20 {
			q := g.quad()
			g.quads[q] = true
			g.update("INSERT DATA { GRAPH %s { %s } }", q.graph(), q.triple())
		}
		return "insert"
	case 1:
		g.update("DELETE WHERE { GRAPH %s { ?s ?p ?o } }", one.graph())
		g.keep(func(q smallQuad) bool { return q[0] != one[0] })
		return "delete a graph"
	case 2:
		g.update("DELETE { GRAPH ?g { ?s <http://e/p%d> ?o } } WHERE { GRAPH ?g { ?s <http://e/p%[1]d> ?o . ?s <http://e/p1> <http://e/n%d> } }", one[2], one[3])
		all := map[smallQuad]bool{}
		for q := range g.quads {
			all[q] = true
		}
		g.keep(func(q smallQuad) bool { return q[2] != one[2] || !all[smallQuad{q[0], q[1], 1, one[3]}] })
		return "delete of every graph"
	case 3:
		to := g.quad()
		if to[0] == one[0] {
			return "nothing"
		}
		g.update("MOVE SILENT %s TO %s", one.graph(), to.graph())
		if had := slices.ContainsFunc(g.list(), func(q smallQuad) bool { return q[0] == one[0] }); !had {
			return "move of nothing"
		}
		g.keep(func(q smallQuad) bool { return q[0] != to[0] })
		for q := range g.quads {
			if q[0] == one[0] {
				delete(g.quads, q)
				q[0] = to[0]
				g.quads[q] = true
			}
		}
		return "move"
	case 4:
		g.update("INSERT { GRAPH ?g { ?o <http://e/p3> ?s } } WHERE { GRAPH ?g { ?s <http://e/p0> ?o } FILTER(STR(?g) < %q) }", "http://e/g2")
		for q := range g.quads {
			if q[2] == 0 && fmt.Sprint("g", q[0]) < "g2" {
				g.quads[smallQuad{q[0], q[3], 3, q[1]}] = true
			}
		}
		return "insert into some graphs"
	case 5:
		if err := g.store.Flush(g.t.Context()); err != nil {
			g.t.Fatal(err)
		}
		return "flush"
	case 6:
		if err := g.store.Close(); err != nil {
			g.t.Fatal(err)
		}
		g.open()
		return "open again"
	}
	if err := g.store.Compact(g.t.Context()); err != nil {
		g.t.Fatal(err)
	}
	return "compact"
}

func (g *smallGraphs) list() (quads []smallQuad) {
	for q := range g.quads {
		quads = append(quads, q)
	}
	return quads
}

// sortedRows are the rows of an answer, sorted.
func sortedRows(store *rdfgpu.Store, query string) ([]string, error) {
	r, err := store.Query(context.Background(), query, rdfgpu.QueryOptions{Device: rdfgpu.CPU})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	if _, err := r.Write(&b, rdfgpu.TSV); err != nil {
		return nil, err
	}
	list := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")[1:]
	slices.Sort(list)
	return list, nil
}

// questions are queries of GRAPH ?g, and what they answer.
func (g *smallGraphs) questions() map[string][]string {
	by := map[[2]int][]smallQuad{} // graph and subject
	of, counts := map[int][]smallQuad{}, map[int]int{}
	for q := range g.quads {
		by[[2]int{q[0], q[1]}] = append(by[[2]int{q[0], q[1]}], q)
		of[q[0]] = append(of[q[0]], q)
		counts[q[0]]++
	}
	out := map[string][]string{}
	add := func(query, row string, args ...any) {
		out[query] = append(out[query], fmt.Sprintf(row, args...))
	}
	const all = "SELECT ?g ?s ?p ?o { GRAPH ?g { ?s ?p ?o } }"
	const path = "SELECT ?g ?a ?c { GRAPH ?g { ?a <http://e/p0> ?b . ?b <http://e/p1> ?c } }"
	const optional = "SELECT ?g ?a ?c { GRAPH ?g { ?a <http://e/p2> <http://e/n5> OPTIONAL { ?a <http://e/p3> ?c } } }"
	const filter = "SELECT ?g ?o { GRAPH ?g { <http://e/n3> ?p ?o FILTER(?o != <http://e/n4> && ?p != <http://e/p0>) } }"
	const count = "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"
	const minus = "SELECT ?g ?a ?b { GRAPH ?g { ?a <http://e/p0> ?b MINUS { ?a <http://e/p1> ?c } } }"
	const without = "SELECT ?g ?a { GRAPH ?g { ?a <http://e/p2> ?b FILTER NOT EXISTS { ?b ?p ?c } } }"
	const reached = "SELECT ?g ?a ?b { GRAPH ?g { ?a <http://e/p0>+ ?b } }"
	const joined = "SELECT ?g ?a ?c { GRAPH ?g { ?a <http://e/p1> ?b . ?b (<http://e/p0>|^<http://e/p2>)* ?c } }"
	for _, query := range []string{all, path, optional, filter, count, minus, without, reached, joined} {
		out[query] = nil
	}
	// ends are where walks from a subject end, itself included, by steps of one predicate forwards and perhaps another one backwards.
	ends := func(graph, from, forwards, backwards int) (list []int) {
		list = []int{from}
		for i := 0; i < len(list); i++ {
			for _, q := range of[graph] {
				next := -1
				if q[1] == list[i] && q[2] == forwards {
					next = q[3]
				} else if q[3] == list[i] && q[2] == backwards {
					next = q[1]
				}
				if next >= 0 && !slices.Contains(list, next) {
					list = append(list, next)
				}
			}
		}
		return list
	}
	for graph, n := range counts {
		add(count, "<http://e/g%d>\t%d", graph, n)
	}
	for q := range g.quads {
		graph, s, p, o := q[0], q[1], q[2], q[3]
		add(all, "<http://e/g%d>\t<http://e/n%d>\t<http://e/p%d>\t<http://e/n%d>", graph, s, p, o)
		if p == 0 {
			for _, next := range by[[2]int{graph, o}] {
				if next[2] == 1 {
					add(path, "<http://e/g%d>\t<http://e/n%d>\t<http://e/n%d>", graph, s, next[3])
				}
			}
		}
		if p == 2 && o == 5 {
			met := false
			for _, other := range by[[2]int{graph, s}] {
				if other[2] == 3 {
					met = true
					add(optional, "<http://e/g%d>\t<http://e/n%d>\t<http://e/n%d>", graph, s, other[3])
				}
			}
			if !met {
				add(optional, "<http://e/g%d>\t<http://e/n%d>\t", graph, s)
			}
		}
		switch {
		case p == 0 && !slices.ContainsFunc(by[[2]int{graph, s}], func(q smallQuad) bool { return q[2] == 1 }):
			add(minus, "<http://e/g%d>\t<http://e/n%d>\t<http://e/n%d>", graph, s, o)
		case p == 2 && len(by[[2]int{graph, o}]) == 0:
			add(without, "<http://e/g%d>\t<http://e/n%d>", graph, s)
		case p == 1:
			for _, c := range ends(graph, o, 0, 2) {
				add(joined, "<http://e/g%d>\t<http://e/n%d>\t<http://e/n%d>", graph, s, c)
			}
		}
		if s == 3 && o != 4 && p != 0 {
			add(filter, "<http://e/g%d>\t<http://e/n%d>", graph, o)
		}
	}
	for at := range by {
		found := map[int]bool{}
		for _, q := range by[at] {
			if q[2] == 0 {
				for _, b := range ends(at[0], q[3], 0, -1) {
					found[b] = true
				}
			}
		}
		for b := range found {
			add(reached, "<http://e/g%d>\t<http://e/n%d>\t<http://e/n%d>", at[0], at[1], b)
		}
	}
	for _, rows := range out {
		slices.Sort(rows)
	}
	return out
}

// TestManySmallGraphsAreWhatWasDoneToThem updates, flushes and compacts a store most of whose graphs share a file, and compares the answers of queries with those of a set of
// quads.
func TestManySmallGraphsAreWhatWasDoneToThem(t *testing.T) {
	t.Parallel()
	seeds := 4
	if testing.Short() {
		seeds = 1
	}
	for seed := range uint64(seeds) {
		g := newSmallGraphs(t, seed)
		if files, _ := filepath.Glob(filepath.Join(g.dir, "gen-*", "*.lists")); len(files) != 1 {
			t.Fatal("the graphs do not share a file:", files)
		}
		for i := range 24 {
			did := g.step(g.r.IntN(8))
			if i == 0 {
				did = "load, " + did
			}
			for query, want := range g.questions() {
				if got, err := sortedRows(g.store, query); err != nil || !slices.Equal(got, want) {
					t.Fatalf("seed %d, step %d, %s: %d rows instead of %d of %s: %v", seed, i, did, len(got), len(want), query, err)
				}
			}
		}
		if err := g.store.Close(); err != nil {
			t.Fatal(err)
		}
		if err := rdfgpu.Verify(g.dir); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "backup")
		if _, err := rdfgpu.Backup(t.Context(), g.dir, to, rdfgpu.BackupOptions{}); err != nil {
			t.Fatal(err)
		}
		backup, err := rdfgpu.Open(to, rdfgpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for query, want := range g.questions() {
			if got, err := sortedRows(backup, query); err != nil || !slices.Equal(got, want) {
				t.Fatalf("of the backup: %d rows instead of %d of %s: %v", len(got), len(want), query, err)
			}
		}
		if err := backup.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedListsOfGraphsAreFound: queries of a store whose lists of small graphs are damaged answer as before or say which file it is.
func TestDamagedListsOfGraphsAreFound(t *testing.T) {
	t.Parallel()
	g := newSmallGraphs(t, 1)
	if err := g.store.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(g.dir, "gen-*", "*.lists"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	times := 60
	if testing.Short() {
		times = 8
	}
	for range times {
		bad := bytes.Clone(good)
		if g.r.IntN(8) == 0 {
			bad = bad[:g.r.IntN(len(bad))]
		} else {
			bad[g.r.IntN(len(bad))] ^= byte(1 + g.r.IntN(255))
		}
		if err := os.WriteFile(files[0], bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := rdfgpu.Verify(g.dir); !errors.Is(err, rdfgpu.ErrDamaged) || !strings.Contains(err.Error(), files[0]) {
			t.Errorf("verify: %v", err)
		}
		store, err := rdfgpu.Open(g.dir, rdfgpu.Options{})
		if err != nil {
			if !errors.Is(err, rdfgpu.ErrDamaged) {
				t.Error(err)
			}
			continue
		}
		for query, want := range g.questions() {
			if got, err := sortedRows(store, query); err != nil && !errors.Is(err, rdfgpu.ErrDamaged) || err == nil && !slices.Equal(got, want) {
				t.Errorf("%d rows instead of %d of %s: %v", len(got), len(want), query, err)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
