package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// dump reads every triple back out of a store, from both directions of its partitions.
func dump(t tester, dir string) []Quad {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	quads := dumpGraph(t, s.Dictionary, s.Default, rdf.Term{})
	for _, id := range s.NamedGraphs() {
		g, err := s.Named(id)
		if err != nil {
			t.Fatal(err)
		}
		of := dumpGraph(t, s.Dictionary, g, s.Dictionary.Term(id))
		if list, ok := s.Listed(id); ok {
			sameAsListed(t, s.Dictionary, of, list)
		}
		quads = append(quads, of...)
	}
	return quads
}

// sameAsListed compares the quads of a graph with what is listed of it.
func sameAsListed(t tester, d *dictionary.Dictionary, quads []Quad, list []pcsr.Edge) {
	t.Helper()
	for i, e := range list {
		q := Quad{Subject: d.Term(e.From), Predicate: d.Term(e.Label), Object: d.Term(e.To), Graph: quads[0].Graph}
		if len(list) != len(quads) || !slices.Contains(quads, q) || i > 0 && list[i-1] == e {
			t.Fatalf("%v is listed among %d triples; the graph has %d", q, len(list), len(quads))
		}
	}
}

func dumpGraph(t tester, d *dictionary.Dictionary, g *pcsr.Graph, name rdf.Term) (quads []Quad) {
	t.Helper()
	for l := range g.Labels() {
		var sides [2][]Quad
		for _, direction := range []pcsr.Direction{pcsr.Out, pcsr.In} {
			p := g.Partition(pcsr.Label(l), direction)
			if p == nil {
				continue
			}
			for row := range p.Rows() {
				v := p.Vertex(row)
				for _, w := range p.List(row) {
					s, o := v, w
					if direction == pcsr.In {
						s, o = w, v
					}
					sides[direction] = append(sides[direction], Quad{Subject: d.Term(s), Predicate: d.Term(pcsr.Vertex(l)), Object: d.Term(o), Graph: name})
				}
			}
		}
		sortQuads(sides[0])
		sortQuads(sides[1])
		if !slices.Equal(sides[0], sides[1]) {
			t.Fatalf("label %d: the two directions differ", l)
		}
		quads = append(quads, sides[0]...)
	}
	return quads
}

func sortQuads(quads []Quad) {
	texts := make(map[Quad]string, len(quads))
	for _, q := range quads {
		texts[q] = quadText(q)
	}
	slices.SortFunc(quads, func(a, b Quad) int { return strings.Compare(texts[a], texts[b]) })
}

func quadText(q Quad) string {
	return fmt.Sprintf("%v %v %v %v", q.Subject, q.Predicate, q.Object, q.Graph)
}

// same fails when the store does not hold exactly the given quads.
func same(t tester, dir string, want []Quad) {
	t.Helper()
	got := dump(t, dir)
	want = isomorphism.Distinct(want)
	sortQuads(got)
	sortQuads(want)
	if !slices.Equal(got, want) {
		t.Fatalf("the store has %d quads, expected %d; the first that differ:\n%s", len(got), len(want), firstDifference(got, want))
	}
}

func firstDifference(got, want []Quad) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return quadText(got[i]) + "\n" + quadText(want[i])
		}
	}
	return "one is longer"
}

// randomQuads makes quads in which terms of all kinds repeat.
func randomQuads(seed uint64, n, terms int) []Quad {
	r := rand.New(rand.NewPCG(seed, 1))
	resource := func() rdf.Term {
		i := r.IntN(terms)
		if i%7 == 0 {
			return rdf.NewBlank(fmt.Sprintf("n%d", i))
		}
		return rdf.NewIRI(fmt.Sprintf("http://example.org/%s/é%d", []string{"thing", "person", "place"}[i%3], i))
	}
	object := func() rdf.Term {
		i := r.IntN(terms)
		switch i % 9 {
		case 0:
			return rdf.NewTyped(fmt.Sprint(i-terms/2), rdf.XSDInteger)
		case 1:
			return rdf.NewTyped(fmt.Sprintf("%d.50", i), rdf.XSDDecimal)
		case 2:
			return rdf.NewString(fmt.Sprintf("text %d with \"quotes\", \\ and\nlines\r", i))
		case 3:
			return rdf.NewLangString(fmt.Sprintf("texte %d", i), []string{"en", "de-AT"}[i%2])
		case 4:
			return rdf.NewTyped(fmt.Sprintf("POINT(%d)", i), "http://example.org/wkt")
		case 5:
			return rdf.NewTyped(fmt.Sprintf("2020-01-%02dT00:00:00Z", 1+i%28), rdf.XSDDateTime)
		}
		return resource()
	}
	var quads []Quad
	for range n {
		q := Quad{Subject: resource(), Predicate: rdf.NewIRI(fmt.Sprintf("http://example.org/p%d", r.IntN(20))), Object: object()}
		switch r.IntN(8) {
		case 0:
			q.Predicate, q.Object = rdf.NewIRI(rdf.RDFType), rdf.NewIRI(fmt.Sprintf("http://example.org/Class%d", r.IntN(5)))
		case 1:
			q.Subject = q.Predicate // a predicate that is also a vertex
		case 2:
			q.Graph = rdf.NewIRI(fmt.Sprintf("http://example.org/graph%d", r.IntN(3)))
		}
		quads = append(quads, q)
	}
	return quads
}

func writeQuads(t tester, path string, quads []Quad, graphs bool) []Quad {
	t.Helper()
	var b bytes.Buffer
	var kept []Quad
	for _, q := range quads {
		if !graphs {
			q.Graph = rdf.Term{}
		}
		kept = append(kept, q)
		fmt.Fprintf(&b, "%v %v %v", q.Subject, q.Predicate, q.Object)
		if !q.Graph.IsZero() {
			fmt.Fprintf(&b, " %v", q.Graph)
		}
		b.WriteString(" .\n")
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return kept
}

func TestLoadKeepsEveryQuad(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		n, terms int
		graphs   bool
		memory   int64
	}{
		{"a few triples", 50, 20, false, 0},
		{"triples", 20_000, 3000, false, 0},
		{"quads", 20_000, 3000, true, 0},
		{"an empty file", 0, 1, false, 0},
	} {
		if testing.Short() && test.name == "triples" {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "data.nq")
			want := writeQuads(t, path, randomQuads(1, test.n, test.terms), test.graphs)
			report, err := Load(context.Background(), filepath.Join(dir, "store"), []Input{{Name: path}}, Options{Memory: test.memory})
			if err != nil {
				t.Fatal(err)
			}
			if int(report.Read) != test.n || int(report.Triples) != len(isomorphism.Distinct(want)) {
				t.Errorf("the report says %d read, %d kept", report.Read, report.Triples)
			}
			same(t, filepath.Join(dir, "store"), want)
		})
	}
}

// storeFiles are the contents of the files of a store's data, by name.
func storeFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(dir, "gen-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if files[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestLoadIsDeterministic loads one file twice: the files of the stores must be the same.
func TestLoadIsDeterministic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "data.nq")
	writeQuads(t, path, randomQuads(5, 30_000, 5000), true)
	var first map[string][]byte
	for i := range 3 {
		to := filepath.Join(dir, fmt.Sprint(i))
		if _, err := Load(context.Background(), to, []Input{{Name: path}}, Options{Threads: i + 1}); err != nil {
			t.Fatal(err)
		}
		files := storeFiles(t, to)
		if i == 0 {
			first = files
			continue
		}
		for name, content := range first {
			if !bytes.Equal(content, files[name]) {
				t.Errorf("%s differs on %d threads", name, i+1)
			}
		}
	}
}

// TestLoadSpills loads with a term table, a triple list and a sort that each overflow many times; the files must be those
// of a load that has room.
func TestLoadSpills(t *testing.T) {
	t.Parallel()
	for _, graphs := range []bool{false, true} {
		if testing.Short() && !graphs {
			continue
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "data.nq")
		want := writeQuads(t, path, randomQuads(2, 30_000, 12_000), graphs)
		sources, err := prepare([]Input{{Name: path}})
		if err != nil {
			t.Fatal(err)
		}
		target, err := store.Begin(filepath.Join(dir, "store"))
		if err != nil {
			t.Fatal(err)
		}
		l := newLoad(sources, Options{}.withDefaults())
		l.aim(target)
		l.options.Memory, l.triples.budget = 200<<10, 1<<20
		if err := l.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if l.report.TermRuns < 2 || l.report.SpilledBytes == 0 {
			t.Errorf("%d runs, %d bytes spilled", l.report.TermRuns, l.report.SpilledBytes)
		}
		same(t, filepath.Join(dir, "store"), want)
		if _, err := Load(context.Background(), filepath.Join(dir, "room"), []Input{{Name: path}}, Options{}); err != nil {
			t.Fatal(err)
		}
		files := storeFiles(t, filepath.Join(dir, "store"))
		for name, content := range storeFiles(t, filepath.Join(dir, "room")) {
			if !bytes.Equal(content, files[name]) {
				t.Errorf("%s differs from that of a load with room", name)
			}
		}
		if held := l.memory.held.Load(); held > 1<<20 {
			t.Logf("%d bytes held at the end", held)
		}
		l.memory.releaseAll()
	}
}

func TestLoadKeepsBlankNodesOfFilesApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var inputs []Input
	for i, text := range []string{"_:a <http://p> _:f1_a .\n", "_:a <http://p> \"x\" .\n", "_:a <http://p> [] .\n"} {
		inputs = append(inputs, Input{Name: fmt.Sprintf("%d.ttl", i), Reader: strings.NewReader(text)})
		if i < 2 {
			inputs[i].Format = NTriples
		}
	}
	if _, err := Load(context.Background(), dir, inputs, Options{}); err != nil {
		t.Fatal(err)
	}
	p := rdf.NewIRI("http://p")
	same(t, dir, []Quad{
		{Subject: rdf.NewBlank("a"), Predicate: p, Object: rdf.NewBlank("f0_f1_a")},
		{Subject: rdf.NewBlank("f1_a"), Predicate: p, Object: rdf.NewString("x")},
		{Subject: rdf.NewBlank("f2_a"), Predicate: p, Object: rdf.NewBlank("f2_b1")},
	})
}

func TestLoadStopsAtABadLineOrSkipsIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "people.nt")
	lines := "<http://s> <http://p> <http://o> .\n<http://s> <http://p> <o> .\n\n<http://s> <http://p> \"é\\x\" .\n<http://s> <http://p> \"ok\" .\n"
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "store")
	_, err := Load(context.Background(), to, []Input{{Name: path}}, Options{})
	var fault *SyntaxError
	if !errors.As(err, &fault) || fault.Line != 2 || fault.Column != 23 || fault.File != path {
		t.Fatalf("got %v", err)
	}
	if _, err := store.Open(to); !errors.Is(err, store.ErrNotStore) {
		t.Fatalf("a failed load left a store: %v", err)
	}
	if _, err := Load(context.Background(), to, []Input{{Name: path}}, Options{SkipBad: 1}); !errors.As(err, &fault) || fault.Line != 4 || fault.Column != 25 {
		t.Fatalf("got %v", err)
	}
	report, err := Load(context.Background(), to, []Input{{Name: path}}, Options{SkipBad: 2})
	if err != nil || report.BadLines != 2 || len(report.Skipped) != 2 || report.Triples != 2 {
		t.Fatalf("got %+v, %v", report, err)
	}
}

func TestAppendAddsToTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	to := filepath.Join(dir, "store")
	var want []Quad
	for i := range 4 {
		path := filepath.Join(dir, fmt.Sprintf("%d.nq", i))
		for _, q := range writeQuads(t, path, randomQuads(uint64(20+i), 1500, 700), i > 0) {
			for _, term := range []*rdf.Term{&q.Subject, &q.Object} {
				if term.Kind == rdf.BlankNode {
					term.Value = blankScope(i) + term.Value
				}
			}
			want = append(want, q)
		}
		report, err := Load(context.Background(), to, []Input{{Name: path}}, Options{Append: true})
		if err != nil {
			t.Fatal(err)
		}
		if report.Read != 1500 || int(report.Triples) != len(isomorphism.Distinct(want)) || i > 0 != (report.Kept > 0) {
			t.Errorf("the report says %d read, %d kept, %d triples", report.Read, report.Kept, report.Triples)
		}
		same(t, to, want)
	}
	s, err := store.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := len(s.Manifest().Sources); n != 4 {
		t.Errorf("the manifest names %d sources", n)
	}
}

// cancelReader cancels a load once some bytes have been read.
type cancelReader struct {
	io.Reader
	left   int
	cancel func()
}

func (r *cancelReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p[:min(len(p), 1<<16)])
	if r.left -= n; r.left < 0 {
		r.cancel()
	}
	return n, err
}

// TestCancelledLoadLeavesTheStoreAsItWas is serial: it looks for goroutines that are left.
func TestCancelledLoadLeavesTheStoreAsItWas(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "data.nt")
	want := writeQuads(t, path, randomQuads(3, 20_000, 1000), false)
	to := filepath.Join(dir, "store")
	if _, err := Load(context.Background(), to, []Input{{Name: path}}, Options{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []Format{NTriples, Turtle} {
		for _, bytesRead := range []int{0, len(text) / 2, len(text) - 1} {
			ctx, cancel := context.WithCancel(context.Background())
			in := Input{Name: "stream", Format: format, Reader: &cancelReader{bytes.NewReader(text), bytesRead, cancel}}
			if _, err := Load(ctx, to, []Input{in}, Options{}); !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, cancelled after %d bytes: got %v", format, bytesRead, err)
			}
			cancel()
		}
	}
	same(t, to, want)
	if generations, _ := filepath.Glob(filepath.Join(to, "gen-*")); len(generations) != 1 {
		t.Errorf("the folder holds %v", generations)
	}
}
