package loader

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// model is a store beside what ought to be in it.
type model struct {
	*rapid.T
	dir   string
	lock  *store.Lock
	live  *edited
	quads map[Quad]bool // with what was changed in memory
	// listFrom is Options.listFrom: all named graphs share a file, or none does.
	listFrom int
}

func newModel(t *rapid.T) *model {
	dir, err := os.MkdirTemp("", "model-*")
	must(t, err)
	m := &model{T: t, dir: filepath.Join(dir, "store"), quads: map[Quad]bool{}, listFrom: rapid.IntRange(0, 1).Draw(t, "lists")}
	m.lock, err = store.TakeLock(m.dir)
	must(t, err)
	m.load(false)
	return m
}

func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *model) end() {
	m.live.close()
	must(m, m.lock.Release())
	must(m, os.RemoveAll(filepath.Dir(m.dir)))
}

// some draws quads, few or many, of which some are drawn again and again.
func (m *model) some(most int) []Quad {
	n := rapid.IntRange(1, most).Draw(m.T, "quads")
	seed := rapid.Uint64Range(1, 1000).Draw(m.T, "seed")
	if rapid.Bool().Draw(m.T, "late") {
		return lateQuads(seed, n, 40)
	}
	return randomQuads(seed, n, 40)
}

// there draws some of the quads that are there.
func (m *model) there() (quads []Quad) {
	all := m.list(m.quads)
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(m.T, "which"), 1))
	one := rapid.SampledFrom([]int{1, 2, 5, 40}).Draw(m.T, "one of")
	return slices.DeleteFunc(all, func(Quad) bool { return r.IntN(one) > 0 })
}

func (*model) list(set map[Quad]bool) (quads []Quad) {
	for q := range set {
		quads = append(quads, q)
	}
	sortQuads(quads)
	return quads
}

// load replaces the store or adds to its files.
func (m *model) load(adding bool) {
	quads := m.some(80)
	path := filepath.Join(filepath.Dir(m.dir), "more.nq")
	writeQuads(m, path, quads, true)
	scope := 0
	if adding {
		scope = m.live.files.Manifest().BlankScope + 1
	} else {
		m.quads = map[Quad]bool{}
	}
	report, err := Load(context.Background(), m.dir, []Input{{Name: path}}, Options{Append: adding, Lock: m.lock, listFrom: m.listFrom})
	must(m, err)
	for _, q := range scopeBlanks(quads, scope) {
		m.quads[q] = true
	}
	if int(report.Triples) != len(m.quads) {
		m.Fatalf("the report says %d triples of %d", report.Triples, len(m.quads))
	}
	if !adding {
		must(m, m.lock.StartLog(store.Log{ID: "log"}))
	}
	m.reopen()
}

// reopen turns to what the files are now, which must be all.
func (m *model) reopen() {
	if m.live != nil {
		m.live.close()
	}
	m.live = openEdited(m, m.dir)
	same(m, m.dir, m.list(m.quads))
	manifest := m.live.files.Manifest()
	graphs := map[rdf.Term]bool{}
	for q := range m.quads {
		graphs[q.Graph] = true
	}
	delete(graphs, rdf.Term{})
	if int(manifest.Triples) != len(m.quads) || manifest.NamedGraphs() != len(graphs) {
		m.Fatalf("the manifest says %d triples and %d named graphs, not %d and %d", manifest.Triples, manifest.NamedGraphs(), len(m.quads), len(graphs))
	}
	for _, segment := range manifest.Segments[1:] {
		if segment.Terms == 0 && segment.Triples == 0 && !segment.Removes() {
			m.Fatal("there is an empty segment")
		}
	}
}

// apply edits the store in memory.
func (m *model) apply(added, removed []Quad) {
	m.live.edit(added, removed)
	for _, q := range removed {
		delete(m.quads, q)
	}
	for _, q := range added {
		m.quads[q] = true
	}
}

func (m *model) edit() {
	m.apply(m.some(30), append(m.there(), m.some(5)...))
}

func (m *model) clear() {
	graph := rapid.SampledFrom(append([]Quad{{}}, m.list(m.quads)...)).Draw(m.T, "graph of").Graph
	m.live.clear(graph)
	for q := range m.quads {
		if q.Graph == graph {
			delete(m.quads, q)
		}
	}
}

// write flushes or rebuilds, and lets the store go on meanwhile.
func (m *model) write(how snapshotWriter, goOn bool) {
	snapshot := m.live.snapshot()
	var added, removed []Quad
	if goOn {
		added, removed = m.some(10), m.there()
		m.live.edit(added, removed)
	}
	report, err := how(context.Background(), m.lock, snapshot, Options{Threads: rapid.IntRange(1, 3).Draw(m.T, "threads"), listFrom: m.listFrom})
	must(m, err)
	m.reopen()
	if s := m.live.files.Manifest().Sequence; s != snapshot.sequence || int(report.Triples) != len(m.quads) {
		m.Fatalf("sequence %d, not %d; the report says %d triples of %d", s, snapshot.sequence, report.Triples, len(m.quads))
	}
	if report.Kept > report.Triples {
		m.Fatalf("%d of %d triples are kept", report.Kept, report.Triples)
	}
	m.apply(added, removed)
}

func (m *model) flush() { m.write(Flush, rapid.Bool().Draw(m.T, "goes on")) }

// settle writes all that was changed.
func (m *model) settle() { m.write(Flush, false) }

// rebuild makes a base of what there is, which has no term that nothing uses.
func (m *model) rebuild() {
	used := map[rdf.Term]bool{}
	for q := range m.quads {
		for _, term := range []rdf.Term{q.Subject, q.Predicate, q.Object, q.Graph} {
			used[term] = true
		}
	}
	delete(used, rdf.Term{})
	m.write(Rebuild, false)
	if manifest := m.live.files.Manifest(); len(manifest.Segments) != 1 || manifest.Terms != len(used) {
		m.Fatalf("%d segments, %d terms of %d", len(manifest.Segments), manifest.Terms, len(used))
	}
}

func (m *model) compact() {
	m.settle()
	before := len(m.live.files.Manifest().Segments)
	report, err := Compact(context.Background(), m.dir, Options{Lock: m.lock, listFrom: m.listFrom})
	must(m, err)
	if report.Segments != 1 || (report.Merged == 0) != (before == 1) {
		m.Fatalf("%d segments were made %d, %d merged", before, report.Segments, report.Merged)
	}
	m.reopen()
}

func (m *model) append() {
	m.settle()
	m.load(true)
}

// documents takes documents into a graph, over what was edited: in memory or in files, of formats that name graphs and others.
func (m *model) documents() {
	graph := rapid.SampledFrom(append([]Quad{{}, {Graph: rdf.NewIRI("http://e/of-documents")}}, m.list(m.quads)...)).Draw(m.T, "graph of").Graph
	in, err := NewIntake(graph, Options{Threads: 2, listFrom: m.listFrom, TempDir: filepath.Dir(m.dir)})
	must(m, err)
	if rapid.Bool().Draw(m.T, "spilled") {
		in.l.triples.budget = 0
	}
	for range rapid.IntRange(1, 2).Draw(m.T, "documents") {
		format := rapid.SampledFrom([]Format{NTriples, NQuads}).Draw(m.T, "format")
		quads := slices.DeleteFunc(append(m.some(60), m.there()...), func(q Quad) bool { // the labels of its blank nodes would be random
			return slices.ContainsFunc([]rdf.Term{q.Subject, q.Object, q.Graph}, func(t rdf.Term) bool { return t.Kind == rdf.BlankNode })
		})
		path := filepath.Join(filepath.Dir(m.dir), "document")
		writeQuads(m, path, quads, format == NQuads)
		text, err := os.ReadFile(path)
		must(m, err)
		must(m, in.Read(context.Background(), bytes.NewReader(text), format, ""))
		for _, q := range quads {
			if q.Graph.IsZero() || format == NTriples {
				q.Graph = graph
			}
			m.quads[q] = true
		}
	}
	snapshot := m.live.snapshot()
	snapshot.sequence++
	staged, err := in.Stage(context.Background(), m.lock, snapshot, nil, false)
	must(m, err)
	if staged == nil { // nothing was new
		must(m, in.Close())
		return
	}
	over, err := store.OpenStaged(m.dir, staged)
	must(m, err)
	_, err = Flush(context.Background(), m.lock, stored{over}, Options{Threads: 2, listFrom: m.listFrom})
	must(m, errors.Join(err, over.Close(), in.Close()))
	m.reopen()
}

// TestAStoreIsWhatWasDoneToIt does all that can be done to a store, in any order, and compares it with a set of quads.
func TestAStoreIsWhatWasDoneToIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		defer m.end()
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			step := rapid.SampledFrom([]string{"edit", "edit", "clear", "flush", "flush", "append", "documents", "rebuild", "compact", "load"}).Draw(t, "step")
			switch step {
			case "edit":
				m.edit()
			case "clear":
				m.clear()
			case "flush":
				m.flush()
			case "append":
				m.append()
			case "documents":
				m.documents()
			case "rebuild":
				m.rebuild()
			case "compact":
				m.compact()
			case "load":
				m.load(false)
			}
		}
		m.settle()
	})
}
