package rdfgpu_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

// minedStore is a random graph, a third of it loaded, a third appended, and the rest committed and not flushed, some of it removed again.
func minedStore(t *testing.T, seed int64) *rdfgpu.Store {
	t.Helper()
	random := rand.New(rand.NewSource(seed))
	triples := func(n int) string {
		var b strings.Builder
		for range n {
			a, c := random.Intn(14), random.Intn(14)
			fmt.Fprintf(&b, "<http://e/v%d> <http://e/p%d> <http://e/v%d> .\n", a, random.Intn(3), c)
			fmt.Fprintf(&b, "<http://e/v%d> <http://e/p1> \"%d\" .\n<http://e/v%d> a <http://e/C%d> .\n", a, c, c, random.Intn(2))
		}
		return b.String()
	}
	dir := filepath.Join(t.TempDir(), "mined")
	for _, appends := range []bool{false, true} {
		_, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, rdfgpu.LoadOptions{
			Format: "turtle", Stdin: strings.NewReader(triples(14)), Append: appends,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	for _, text := range []string{
		"INSERT DATA {" + triples(14) + "}",
		"DELETE WHERE { <http://e/v3> <http://e/p0> ?o }",
		"INSERT DATA { GRAPH <http://e/g> {" + triples(20) + "} }",
	} {
		if _, err := store.Update(context.Background(), text, rdfgpu.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func TestMotifsAreAsManyAsTheSolutionsOfTheirQueries(t *testing.T) {
	t.Parallel()
	for seed, c := range []struct {
		options rdfgpu.MiningOptions
		motifs  mine.MotifOptions
		size    int
	}{
		{rdfgpu.MiningOptions{}, mine.MotifOptions{}, 3},
		{rdfgpu.MiningOptions{Edges: []string{":p0"}}, mine.MotifOptions{Induced: true}, 4},
		{rdfgpu.MiningOptions{Edges: []string{"http://e/p1", ":p2"}}, mine.MotifOptions{Induced: true}, 3},
		{rdfgpu.MiningOptions{Edges: []string{":p1"}, Classes: []string{"http://e/C1", "http://e/C0"}}, mine.MotifOptions{Labels: true}, 3},
		{rdfgpu.MiningOptions{Edges: []string{":p2"}, Graph: "http://e/g"}, mine.MotifOptions{}, 3},
	} {
		store := minedStore(t, int64(seed))
		m, err := store.Mining(context.Background(), c.options)
		if err != nil {
			t.Fatal(err)
		}
		supports, err := mine.Motifs(context.Background(), m.Graph, c.size, c.motifs, m.Options)
		if err != nil || len(supports) == 0 {
			t.Fatalf("%d motifs, %v", len(supports), err)
		}
		predicates := m.Predicates
		if len(c.options.Edges) == 0 {
			predicates = nil // all
		}
		for _, s := range supports {
			text := s.Pattern.Query(predicates, c.options.Classes, c.motifs.Induced)
			queryOptions := rdfgpu.QueryOptions{CountOnly: true}
			if c.options.Graph != "" {
				queryOptions.DefaultGraphs = []string{c.options.Graph}
			}
			result, err := store.Query(context.Background(), text, queryOptions)
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			n, err := result.Count()
			result.Close()
			if want := s.Count * uint64(s.Pattern.Automorphisms()); err != nil || n != want {
				t.Errorf("%+v: %d solutions, want %d: %v\n%s", c, n, want, err, text)
			}
		}
		m.Close()
	}
}

func TestFrequentPatternsHaveTheSupportThatTheirQueriesSay(t *testing.T) {
	t.Parallel()
	for seed, c := range []struct {
		options  rdfgpu.MiningOptions
		frequent mine.FrequentOptions
	}{
		{rdfgpu.MiningOptions{}, mine.FrequentOptions{Support: 2, Edges: 2}},
		{rdfgpu.MiningOptions{}, mine.FrequentOptions{Support: 6, Edges: 2, Measure: mine.Instances}},
		{rdfgpu.MiningOptions{Classes: []string{"http://e/C1"}}, mine.FrequentOptions{Support: 3, Edges: 3}},
		{rdfgpu.MiningOptions{Unlabelled: true, Undirected: true}, mine.FrequentOptions{Support: 2, Edges: 3}},
		{rdfgpu.MiningOptions{Edges: []string{":p1"}, Undirected: true}, mine.FrequentOptions{Support: 2, Edges: 2}},
		{rdfgpu.MiningOptions{Classes: []string{"http://e/none"}}, mine.FrequentOptions{Support: 3, Edges: 2}},
	} {
		store := minedStore(t, int64(seed))
		m, err := store.MiningLabelled(context.Background(), c.options)
		if err != nil {
			t.Fatal(err)
		}
		found, err := mine.Frequent(context.Background(), m.Labelled, c.frequent, m.Options)
		if err != nil || len(found) == 0 {
			t.Fatalf("%+v: %d patterns, %v", c, len(found), err)
		}
		for _, f := range found {
			text := f.Pattern.Query(m.Predicates, m.Classes, m.Directed())
			rows, images := imagesOf(t, store, text, len(f.Pattern.Labels))
			want := slices.Min(images)
			if c.frequent.Measure == mine.Instances {
				want = rows / uint64(f.Automorphisms)
			}
			if f.Support != want {
				t.Errorf("%+v: support %d, and of the query %d:\n%s", c, f.Support, want, text)
			}
		}
		m.Close()
	}
}

// imagesOf counts the solutions of a query and the different values of each of its variables.
func imagesOf(t *testing.T, store *rdfgpu.Store, text string, variables int) (rows uint64, images []uint64) {
	t.Helper()
	counts := "(COUNT(*) AS ?n)"
	for i := range variables {
		counts += fmt.Sprintf(" (COUNT(DISTINCT ?%c) AS ?n%[1]c)", 'a'+i)
	}
	result, err := store.Query(context.Background(), "SELECT "+counts+" { { "+text+" } }", rdfgpu.QueryOptions{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	defer result.Close()
	for row, err := range result.Rows() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range variables + 1 {
			n, err := strconv.ParseUint(row[i].Value, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			images = append(images, n)
		}
	}
	return images[0], images[1:]
}

func TestMiningHoldsItsSnapshotAndLeavesLiteralsOut(t *testing.T) {
	t.Parallel()
	store := minedStore(t, 1)
	m, err := store.Mining(context.Background(), rdfgpu.MiningOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	before := m.Edges()
	if _, err := store.Update(context.Background(), "DELETE WHERE { ?s ?p ?o }", rdfgpu.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for v := range mine.Vertex(m.Len()) {
		if term := m.Term(v); !strings.HasPrefix(term.Value, "http://e/v") {
			t.Errorf("vertex %s", term)
		}
	}
	if m.Edges() != before || m.Literals == 0 {
		t.Errorf("%d edges, had %d; %d literals", m.Edges(), before, m.Literals)
	}
	after, err := store.Mining(context.Background(), rdfgpu.MiningOptions{})
	if err != nil || after.Len() != 0 {
		t.Fatalf("an empty store has a graph of %v: %v", after, err)
	}
	after.Close()
}

func TestMiningRefusesNamesThatAreNotThere(t *testing.T) {
	t.Parallel()
	store := minedStore(t, 2)
	for _, c := range []struct {
		options rdfgpu.MiningOptions
		want    error
	}{
		{rdfgpu.MiningOptions{Edges: []string{":nothing"}}, rdfgpu.ErrNoPredicate},
		{rdfgpu.MiningOptions{Edges: []string{"http://e/v1"}}, rdfgpu.ErrNoPredicate},
		{rdfgpu.MiningOptions{Graph: "http://e/v1"}, rdfgpu.ErrNoGraph},
	} {
		if _, err := store.Mining(context.Background(), c.options); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.options, err)
		}
	}
}
