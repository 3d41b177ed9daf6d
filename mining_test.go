package rdfgpu_test

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// TestPatternsAreCountedWhereTheyAreAsInAGraphOfTheirOwn: cliques and motifs in the store's own graph, where that is possible, and in one that is made.
func TestPatternsAreCountedWhereTheyAreAsInAGraphOfTheirOwn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		store := drawUndirected(r, t)
		defer store.Close()
		options := rdfgpu.MineOptions{What: rdfgpu.Cliques, Size: rapid.IntRange(2, 8).Draw(r, "size")}
		if rapid.Bool().Draw(r, "motifs") {
			options.What, options.Size, options.Induced = rdfgpu.Motifs, rapid.IntRange(2, 5).Draw(r, "motif size"), rapid.Bool().Draw(r, "induced")
		}
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
		want := countApart(r, m, options)
		for _, options.Device = range []rdfgpu.Device{rdfgpu.Auto, rdfgpu.GPU} {
			report, err := store.Mine(context.Background(), options)
			if options.Device == rdfgpu.GPU && (errors.Is(err, rdfgpu.ErrNoDevice) || errors.Is(err, rdfgpu.ErrMineOptions)) {
				continue
			}
			got := map[int]uint64{} // by edges, of which patterns of different degrees may have as many
			for _, p := range report.Patterns {
				got[p.Edges] += p.Count
			}
			if err != nil || report.Vertices != m.Len() || report.Edges != m.Edges() || !maps.Equal(got, want) {
				r.Fatalf("%s: %+v, want %d in %d vertices and %d edges: %v", options.Device, report, want, m.Len(), m.Edges(), err)
			}
		}
	})
}

// countApart counts what options ask for in a graph of its own, by the numbers of edges of patterns.
func countApart(r *rapid.T, m *rdfgpu.Mining, options rdfgpu.MineOptions) map[int]uint64 {
	counts := map[int]uint64{}
	if options.What == rdfgpu.Cliques {
		n, err := mine.Cliques(context.Background(), m.Graph, options.Size, m.Options)
		if err != nil {
			r.Fatal(err)
		}
		counts[options.Size*(options.Size-1)/2] = n
		return counts
	}
	supports, err := mine.Motifs(context.Background(), m.Graph, options.Size, mine.MotifOptions{Induced: options.Induced}, m.Options)
	if err != nil {
		r.Fatal(err)
	}
	for _, s := range supports {
		counts[s.Pattern.EdgeCount()] += s.Count
	}
	return counts
}

// reported opens the store that a name says, or one of the document or of R-MAT with so many edges (rmat:1000000), both ways and without loops.
func reported(t *testing.T, name string, options rdfgpu.Options) *rdfgpu.Store {
	edges, random := strings.CutPrefix(name, "rmat:")
	if at, err := os.Stat(name); random || err == nil && !at.IsDir() {
		folder, documents, load := filepath.Join(t.TempDir(), filepath.Base(name)), []string{name}, rdfgpu.LoadOptions{}
		if random {
			n, err := strconv.ParseUint(edges, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			made, err := generate.RMAT(bits.Len64(n/12), n, 0, 1, 7)
			if err != nil {
				t.Fatal(err)
			}
			made.Undirected = true
			reader, writer := io.Pipe()
			defer reader.Close()
			go func() {
				buffered := bufio.NewWriterSize(writer, 1<<20)
				_, err := made.WriteNTriples(context.Background(), buffered)
				writer.CloseWithError(errors.Join(err, buffered.Flush()))
			}()
			documents, load = []string{"-"}, rdfgpu.LoadOptions{Format: "ntriples", Stdin: reader}
		}
		report, err := rdfgpu.Load(context.Background(), folder, documents, load)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(report)
		name = folder
	}
	store, err := rdfgpu.Open(name, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// TestReportMining counts cliques and motifs of the store, document or random graph (reported) that RDFGPU_MINED names, whose only predicate but
// rdf:type leads both ways, on the GPU and the processor in the store, and in a graph of its own; RDFGPU_WAYS names some of these: gpu cpu own. RDFGPU_CLIQUE
// and RDFGPU_MOTIF are the sizes of the largest, 0 for none. RDFGPU_DEVICE_MEMORY bounds the GPU's, in MiB.
func TestReportMining(t *testing.T) {
	folder := os.Getenv("RDFGPU_MINED")
	if folder == "" {
		t.Skip("RDFGPU_MINED is not set")
	}
	memory, _ := strconv.ParseInt(os.Getenv("RDFGPU_DEVICE_MEMORY"), 10, 64)
	store := reported(t, folder, rdfgpu.Options{GPUMemory: memory << 20})
	ways := strings.Fields(cmp.Or(os.Getenv("RDFGPU_WAYS"), "gpu cpu own"))
	r := matchtest.NewReport(t, "mining.md")
	columns := []any{"", "count"}
	for _, way := range ways {
		columns = append(columns, way)
	}
	r.Head("Mining "+filepath.Base(folder)+", milliseconds", columns...)
	var m *rdfgpu.Mining
	if slices.Contains(ways, "own") {
		begun := time.Now()
		var err error
		if m, err = store.Mining(context.Background(), rdfgpu.MiningOptions{}); err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		r.Say(fmt.Sprintf("%d vertices and %d edges, made into a graph in %.0f ms.", m.Len(), m.Edges(), matchtest.Milliseconds(time.Since(begun))))
	}
	for _, c := range []struct {
		rdfgpu.MineOptions
		largest string
	}{
		{rdfgpu.MineOptions{What: rdfgpu.Cliques}, cmp.Or(os.Getenv("RDFGPU_CLIQUE"), "6")},
		{rdfgpu.MineOptions{What: rdfgpu.Motifs, Induced: true}, cmp.Or(os.Getenv("RDFGPU_MOTIF"), "4")},
	} {
		largest, err := strconv.Atoi(c.largest)
		if err != nil {
			t.Fatal(err)
		}
		for c.Size = 3; c.Size <= largest; c.Size++ {
			row, counts := []any{fmt.Sprintf("%s of %d", c.What, c.Size), 0}, []uint64{}
			for _, way := range ways {
				c.Device = rdfgpu.Device(way)
				var took []float64
				for begun := time.Now(); len(took) < 5 && (len(took) == 0 || time.Since(begun) < 5*time.Second); {
					again := time.Now()
					n, err := mined(store, m, c.MineOptions)
					if err != nil {
						t.Fatal(err)
					}
					took = append(took, matchtest.Milliseconds(time.Since(again)))
					counts = append(counts, n)
				}
				row = append(row, slices.Min(took))
			}
			if row[1] = counts[0]; slices.Min(counts) != slices.Max(counts) {
				t.Errorf("%s of %d: %d", c.What, c.Size, counts)
			}
			r.Row(row...)
		}
	}
}

// mined counts in the store, or in a graph of its own.
func mined(store *rdfgpu.Store, m *rdfgpu.Mining, options rdfgpu.MineOptions) (n uint64, err error) {
	switch {
	case options.Device != "own":
		report, err := store.Mine(context.Background(), options)
		return report.Count, err
	case options.What == rdfgpu.Cliques:
		return mine.Cliques(context.Background(), m.Graph, options.Size, m.Options)
	}
	supports, err := mine.Motifs(context.Background(), m.Graph, options.Size, mine.MotifOptions{Induced: true}, m.Options)
	for _, s := range supports {
		n += s.Count
	}
	return n, err
}

// programs are small algorithms as data: each row once.
var programs = []struct {
	name string
	mine.Program
}{
	{"triangles", mine.Program{Extensions: []mine.Extension{{Adjacent: mine.First(1), Above: mine.First(1)}, {Adjacent: mine.First(2), Above: mine.First(2)}}}},
	{"triangles of vertices with 10 neighbours or more", mine.Program{
		Extensions: []mine.Extension{{Adjacent: mine.First(1), Above: mine.First(1)}, {Adjacent: mine.First(2), Above: mine.First(2)}},
		Filters:    []mine.Filter{{Vertex: 0, Any: tenNeighbours}, {Vertex: 1, Any: tenNeighbours}, {Vertex: 2, Any: tenNeighbours}},
	}},
	{"two that are not adjacent and have a neighbour in common", mine.Program{Extensions: []mine.Extension{
		{Adjacent: mine.First(1)}, {Adjacent: mine.Positions(1), Apart: mine.Positions(0), Above: mine.Positions(0)},
	}}},
	{"squares without diagonals", mine.Program{Extensions: []mine.Extension{
		{Adjacent: mine.First(1), Above: mine.First(1)}, {Adjacent: mine.Positions(1), Apart: mine.Positions(0), Above: mine.Positions(0)},
		{Adjacent: mine.Positions(0, 2), Apart: mine.Positions(1), Above: mine.Positions(0, 1)},
	}}},
	{"two triangles at an edge, by what their vertices induce", mine.Program{
		Extensions: []mine.Extension{
			{Adjacent: mine.First(1), Above: mine.First(1)}, {Adjacent: mine.First(2)}, {Adjacent: mine.First(2), Above: mine.Positions(2)},
		},
		Collect: mine.CountPatterns,
	}},
	{"images of 4-cliques", mine.Program{Extensions: []mine.Extension{
		{Adjacent: mine.First(1), Above: mine.First(1)}, {Adjacent: mine.First(2), Above: mine.First(2)}, {Adjacent: mine.First(3), Above: mine.First(3)},
	}, Collect: mine.CountImages}},
}

var tenNeighbours = []mine.Comparison{{Of: mine.OfDegree, Is: mine.GreaterOrEqual, To: 10}}

// TestReportPrograms runs programs in the store, document or random graph (reported) that RDFGPU_MINED names, whose only predicate but rdf:type leads
// both ways: as plans on the GPU and on the device that is expected to be faster, and in tables, the graph made each time. RDFGPU_WAYS names some of these: gpu auto cpu.
func TestReportPrograms(t *testing.T) {
	folder := os.Getenv("RDFGPU_MINED")
	if folder == "" {
		t.Skip("RDFGPU_MINED is not set")
	}
	store := reported(t, folder, rdfgpu.Options{})
	ways := strings.Fields(cmp.Or(os.Getenv("RDFGPU_WAYS"), "gpu auto cpu"))
	columns := []any{"", "found"}
	for _, way := range ways {
		columns = append(columns, way)
	}
	r := matchtest.NewReport(t, "programs.md")
	r.Head("Programs in "+filepath.Base(folder)+", milliseconds", columns...)
	for _, p := range programs {
		row, first := []any{p.name, ""}, ""
		for _, way := range ways {
			var took []float64
			for begun := time.Now(); len(took) < 5 && (len(took) == 0 || time.Since(begun) < 5*time.Second); {
				again := time.Now()
				found, err := store.RunProgram(context.Background(), p.Program, rdfgpu.ProgramOptions{Device: rdfgpu.Device(way)})
				if err != nil {
					t.Fatalf("%s: %v", p.name, err)
				}
				took = append(took, matchtest.Milliseconds(time.Since(again)))
				text := fmt.Sprint(found.Count, found.Images)
				for _, s := range found.Patterns {
					text += fmt.Sprintf(" %s: %d", s.Pattern.Name(), s.Count)
				}
				if first = cmp.Or(first, text); text != first {
					t.Errorf("%s on %s: %s, want %s", p.name, way, text, first)
				}
			}
			row = append(row, slices.Min(took))
		}
		row[1] = first
		r.Row(row...)
	}
}

// TestReportFrequent looks for the frequent patterns of up to 2 and 3 edges, without directions, of the store or document that RDFGPU_MINED names, on all cores
// and one, the graph made. RDFGPU_SUPPORT is their least minimum image support.
func TestReportFrequent(t *testing.T) {
	folder, support := os.Getenv("RDFGPU_MINED"), os.Getenv("RDFGPU_SUPPORT")
	least, err := strconv.ParseUint(support, 10, 64)
	if folder == "" || err != nil {
		t.Skip("RDFGPU_MINED and RDFGPU_SUPPORT are not set")
	}
	store := reported(t, folder, rdfgpu.Options{})
	begun := time.Now()
	m, err := store.MiningLabelled(context.Background(), rdfgpu.MiningOptions{Undirected: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	r := matchtest.NewReport(t, "frequent.md")
	r.Head("Frequent patterns of "+filepath.Base(folder)+", support "+support, "edges", "patterns", "all cores ms", "one core ms")
	r.Say(fmt.Sprintf("%d vertices and %d edges, made into a graph in %.0f ms.", m.Len(), m.Edges(), matchtest.Milliseconds(time.Since(begun))))
	for edges := 2; edges <= 3; edges++ {
		row := []any{edges, 0}
		for _, options := range []mine.Options{m.Options, {Threads: 1}} {
			var took []float64
			for range 3 {
				begun := time.Now()
				found, err := mine.Frequent(context.Background(), m.Labelled, mine.FrequentOptions{Support: least, Edges: edges}, options)
				if err != nil {
					t.Fatal(err)
				}
				row[1] = len(found)
				took = append(took, matchtest.Milliseconds(time.Since(begun)))
			}
			row = append(row, slices.Min(took))
		}
		r.Row(row...)
	}
}
