package rdfgpu_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
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

// drawUndirected draws a store whose triples of :p0 lead both ways for the most part: in the base, appended, committed, some gone again, with loops or
// one way alone now and then; of :p1 half of them.
func drawUndirected(r *rapid.T, t *testing.T) *rdfgpu.Store {
	vertices := rapid.IntRange(2, 9).Draw(r, "vertices")
	vertex := func() int { return rapid.IntRange(0, vertices-1).Draw(r, "vertex") }
	loops := rapid.IntRange(0, 9).Draw(r, "loops") == 0
	triples := func(most int) string {
		var b strings.Builder
		for range rapid.IntRange(0, most).Draw(r, "edges") {
			v, w := vertex(), vertex()
			if v == w && !loops {
				continue
			}
			fmt.Fprintf(&b, "<http://e/v%d> <http://e/p0> <http://e/v%d> .\n<http://e/v%[2]d> <http://e/p0> <http://e/v%[1]d> .\n", v, w)
			fmt.Fprintf(&b, "<http://e/v%d> <http://e/p1> <http://e/v%d> .\n", v, w)
		}
		return b.String()
	}
	dir := filepath.Join(t.TempDir(), strconv.Itoa(rapid.Int().Draw(r, "name")))
	for _, appends := range []bool{false, true} {
		_, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, rdfgpu.LoadOptions{
			Format: "turtle", Stdin: strings.NewReader(triples(20)), Append: appends,
		})
		if err != nil {
			r.Fatal(err)
		}
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced})
	if err != nil {
		r.Fatal(err)
	}
	one := ""
	if rapid.IntRange(0, 4).Draw(r, "one way") == 0 {
		one = fmt.Sprintf("<http://e/v%d> <http://e/p0> <http://e/v%d>", vertex(), vertex())
	}
	for _, text := range []string{
		"INSERT DATA {" + triples(20) + "}", "DELETE DATA {" + triples(8) + "}", "INSERT DATA { GRAPH <http://e/g> {" + triples(30) + "} }", "DELETE DATA {" + one + "}",
	} {
		if _, err := store.Update(context.Background(), text, rdfgpu.UpdateOptions{}); err != nil {
			r.Fatal(err)
		}
	}
	return store
}

// TestCliquesAreCountedWhereTheyAreAsInAGraphOfTheirOwn: in the store's own graph, where that is possible, and in one that is made.
func TestCliquesAreCountedWhereTheyAreAsInAGraphOfTheirOwn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		store := drawUndirected(r, t)
		defer store.Close()
		options := rdfgpu.MineOptions{What: rdfgpu.Cliques, Size: rapid.IntRange(2, 6).Draw(r, "size")}
		options.Edges = []string{":" + rapid.SampledFrom([]string{"p0", "p0", "p0", "p1"}).Draw(r, "predicate")}
		options.Graph = rapid.SampledFrom([]string{"", "http://e/g"}).Draw(r, "graph")
		m, err := store.Mining(context.Background(), options.MiningOptions)
		if errors.Is(err, rdfgpu.ErrNoPredicate) || errors.Is(err, rdfgpu.ErrNoGraph) {
			if _, got := store.Mine(context.Background(), options); got == nil || got.Error() != err.Error() {
				r.Fatalf("%v, want %v", got, err)
			}
			return
		}
		if err != nil {
			r.Fatal(err)
		}
		defer m.Close()
		want, err := mine.Cliques(context.Background(), m.Graph, options.Size, m.Options)
		if err != nil {
			r.Fatal(err)
		}
		report, err := store.Mine(context.Background(), options)
		if err != nil || report.Count != want || report.Vertices != m.Len() || report.Edges != m.Edges() || report.Patterns[0].Count != want {
			r.Fatalf("%+v, want %d in %d vertices and %d edges: %v", report, want, m.Len(), m.Edges(), err)
		}
		options.Device = rdfgpu.GPU
		switch report, err := store.Mine(context.Background(), options); {
		case errors.Is(err, rdfgpu.ErrNoDevice), errors.Is(err, rdfgpu.ErrMineOptions):
		case err != nil || report.Count != want:
			r.Fatalf("on the GPU %d, want %d: %v", report.Count, want, err)
		}
	})
}

// documentsOf is a document by itself, or those of R-MAT with so many edges (rmat:1000000), both ways and without loops; none for a store.
func documentsOf(t *testing.T, name string) (documents []string) {
	edges, random := strings.CutPrefix(name, "rmat:")
	if at, err := os.Stat(name); !random && (err != nil || at.IsDir()) {
		return nil
	}
	if !random {
		return []string{name}
	}
	n, err := strconv.ParseUint(edges, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	made, err := generate.RMAT(bits.Len64(n/12), n, 0, 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	const files = 16
	for i := range files {
		f, err := os.Create(filepath.Join(t.TempDir(), "rmat.nt"))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, f.Name())
		wg.Go(func() {
			w := bufio.NewWriterSize(f, 1<<20)
			for b := i; b < made.Blocks(); b += files {
				made.Block(b, func(e generate.Edge) {
					if e.From != e.To {
						fmt.Fprintf(w, "<http://e/%d> <http://e/e> <http://e/%d> .\n<http://e/%[2]d> <http://e/e> <http://e/%[1]d> .\n", e.From, e.To)
					}
				})
			}
			if err := errors.Join(w.Flush(), f.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return documents
}

// TestReportMining counts cliques and motifs of the store, document or random graph (documentsOf) that RDFGPU_MINED names, whose only predicate but
// rdf:type leads both ways, on the processor, in the store and in a graph of its own, and on the GPU. RDFGPU_CLIQUE is the size of the largest cliques.
func TestReportMining(t *testing.T) {
	folder := os.Getenv("RDFGPU_MINED")
	if folder == "" {
		t.Skip("RDFGPU_MINED is not set")
	}
	if documents := documentsOf(t, folder); len(documents) > 0 {
		folder = filepath.Join(t.TempDir(), filepath.Base(folder))
		if _, err := rdfgpu.Load(context.Background(), folder, documents, rdfgpu.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	store, err := rdfgpu.Open(folder, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	largest, _ := strconv.Atoi(cmp.Or(os.Getenv("RDFGPU_CLIQUE"), "6"))
	r := matchtest.NewReport(t, "mining.md")
	r.Head("Mining "+filepath.Base(folder), "", "count", "GPU ms", "processor ms", "in a graph made for it ms")
	begun := time.Now()
	m, err := store.Mining(context.Background(), rdfgpu.MiningOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	r.Say(fmt.Sprintf("%d vertices and %d edges, made into a graph in %.0f ms.", m.Len(), m.Edges(), matchtest.Milliseconds(time.Since(begun))))
	for _, c := range []rdfgpu.MineOptions{{What: rdfgpu.Cliques}, {What: rdfgpu.Motifs, Induced: true}} {
		sizes := []int{3, 4, 5, 6, 7, 8}[:largest-2]
		if c.What == rdfgpu.Motifs {
			sizes = sizes[:2]
		}
		for _, c.Size = range sizes {
			row, counts := []any{fmt.Sprintf("%s of %d", c.What, c.Size)}, []uint64{}
			for _, c.Device = range []rdfgpu.Device{rdfgpu.GPU, rdfgpu.CPU} {
				report, err := rdfgpu.MineReport{}, error(nil)
				var took []float64
				for range 4 {
					begun := time.Now()
					if report, err = store.Mine(context.Background(), c); err != nil {
						t.Fatal(err)
					}
					took = append(took, matchtest.Milliseconds(time.Since(begun)))
				}
				if counts = append(counts, report.Count); len(counts) == 1 {
					row = append(row, report.Count)
				}
				row = append(row, slices.Min(took))
			}
			begun, own := time.Now(), uint64(0)
			if c.What == rdfgpu.Cliques {
				own, err = mine.Cliques(context.Background(), m.Graph, c.Size, m.Options)
			} else {
				var supports []mine.Support
				supports, err = mine.Motifs(context.Background(), m.Graph, c.Size, mine.MotifOptions{Induced: true}, m.Options)
				for _, s := range supports {
					own += s.Count
				}
			}
			if counts = append(counts, own); err != nil || slices.Min(counts) != slices.Max(counts) {
				t.Errorf("%s of %d: %d, %v", c.What, c.Size, counts, err)
			}
			r.Row(append(row, matchtest.Milliseconds(time.Since(begun)))...)
		}
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
