package loader

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// newEdited is a store of quads that was edited: added, removed and what is there now.
func newEdited(t *testing.T, dir string, n, terms int) (e *edited, now []Quad) {
	t.Helper()
	quads := randomQuads(1, n, terms)
	path := filepath.Join(t.TempDir(), "base.nq")
	writeQuads(t, path, quads, true)
	if _, err := Load(context.Background(), dir, []Input{{Name: path}}, Options{}); err != nil {
		t.Fatal(err)
	}
	there := map[Quad]bool{}
	for _, q := range quads {
		there[q] = true
	}
	r := rand.New(rand.NewPCG(5, 1))
	removed := slices.DeleteFunc(slices.Clone(quads), func(Quad) bool { return r.IntN(4) > 0 })
	added := lateQuads(3, n/2, 2*terms)
	e = openEdited(t, dir)
	e.edit(added, removed)
	for _, q := range removed {
		delete(there, q)
	}
	for _, q := range added {
		there[q] = true
	}
	return e, slices.Collect(maps.Keys(there))
}

// TestFlushAndRebuildSpillWhatTheyCannotHold is serial: it looks for goroutines that are left.
func TestFlushAndRebuildSpillWhatTheyCannotHold(t *testing.T) {
	for name, join := range map[string]func(*load, context.Context) (Report, error){
		"flush":   func(l *load, ctx context.Context) (Report, error) { return l.flush(ctx) },
		"rebuild": func(l *load, ctx context.Context) (Report, error) { return l.rebuild(ctx, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			dir := filepath.Join(t.TempDir(), "store")
			e, now := newEdited(t, dir, 20_000, 4000)
			lock, err := store.TakeLock(dir)
			must(t, err)
			l, err := newSnapshotLoad(lock, e, Options{})
			must(t, err)
			l.options.Memory, l.triples.budget = 100<<10, 1<<20
			report, err := join(l, context.Background())
			must(t, err)
			if report.TermRuns < 2 || report.SpilledBytes == 0 {
				t.Errorf("%d runs of terms, %d bytes spilled", report.TermRuns, report.SpilledBytes)
			}
			e.close()
			must(t, lock.Release())
			same(t, dir, now)
		})
	}
}

func TestASegmentDependsOnTheSnapshotAlone(t *testing.T) {
	t.Parallel()
	var first map[string][]byte
	for _, threads := range []int{1, 3} {
		dir := filepath.Join(t.TempDir(), "store")
		e, _ := newEdited(t, dir, 3000, 600)
		writeSnapshot(t, dir, e, Flush, Options{Threads: threads})
		e.close()
		files := storeFiles(t, dir) // the later of one name
		if first == nil {
			first = files
		}
		if len(files) < 6 || !maps.EqualFunc(first, files, bytes.Equal) {
			t.Fatalf("%d files with %d threads differ from those with one", len(files), threads)
		}
	}
}

func TestAFlushOfNothingMovesTheSequence(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	quads := randomQuads(1, 300, 60)
	appendFile(t, dir, quads, true, 0)
	e := openEdited(t, dir)
	fresh := Quad{Subject: rdf.NewIRI("http://e/s"), Predicate: rdf.NewIRI("http://e/p"), Object: rdf.NewString("o")}
	e.edit([]Quad{fresh}, nil)
	e.edit(nil, []Quad{fresh}) // its terms are in the tail, but nothing uses them
	report := writeSnapshot(t, dir, e, Flush, Options{})
	e.close()
	if report.Segments != 1 || report.WrittenBytes != 0 || int(report.Kept) != len(isomorphism.Distinct(quads)) {
		t.Fatalf("%+v", report)
	}
	s, err := store.Open(dir)
	must(t, err)
	defer s.Close()
	if m := s.Manifest(); m.Sequence != 2 || len(m.Segments) != 1 {
		t.Fatalf("%+v", m)
	}
	same(t, dir, quads)
}

func TestASegmentOfRemovalsHasNoTerms(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	quads := isomorphism.Distinct(randomQuads(1, 300, 60))
	appendFile(t, dir, quads, true, 0)
	e := openEdited(t, dir)
	e.edit(nil, quads[:40])
	report := writeSnapshot(t, dir, e, Flush, Options{})
	e.close()
	s, err := store.Open(dir)
	must(t, err)
	defer s.Close()
	if m := s.Manifest(); report.Segments != 2 || int(report.Triples) != len(quads)-40 || report.Kept != report.Triples || m.Segments[1].Terms != 0 || m.Gone() != 40 {
		t.Fatalf("%+v, %+v", report, m)
	}
	same(t, dir, quads[40:])
}

func TestASnapshotOfOtherSegmentsIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	appendFile(t, dir, randomQuads(1, 300, 60), true, 0)
	e := openEdited(t, dir)
	e.edit(lateQuads(1, 20, 60), nil)
	writeSnapshot(t, dir, e, Flush, Options{})
	defer e.close()
	lock, err := store.TakeLock(dir)
	must(t, err)
	defer func() { must(t, lock.Release()) }()
	for _, write := range []snapshotWriter{Flush, Rebuild} {
		if _, err := write(context.Background(), lock, e, Options{}); err == nil || !strings.Contains(err.Error(), "not one of the store's segments") {
			t.Fatal(err)
		}
	}
}

// TestCancelledTheyLeaveNoTrace cancels flushes and rebuilds at random moments; afterwards they go on under the same lock.
//
// Serial: it looks for goroutines that are left.
func TestCancelledTheyLeaveNoTrace(t *testing.T) {
	defer goleak.VerifyNone(t)
	for i, write := range []snapshotWriter{Flush, Rebuild} {
		dir := filepath.Join(t.TempDir(), "store")
		e, now := newEdited(t, dir, 20_000, 4000)
		lock, err := store.TakeLock(dir)
		must(t, err)
		cancelled, done, step := 0, false, 1
		if testing.Short() {
			step = 3
		}
		for n := 0; !done; n += step {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n*n)*time.Millisecond)
			_, err := write(ctx, lock, e, Options{Threads: 1 + n%2})
			cancel()
			if done = err == nil; done {
				break
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			cancelled++
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
				t.Fatal(entries, err)
			}
		}
		t.Logf("%d of kind %d were cancelled", cancelled, i)
		e.close()
		must(t, lock.Release())
		same(t, dir, now)
	}
}

// TestWhatWasRemovedCanBeAppended appends quads of which some were there once and were removed.
func TestWhatWasRemovedCanBeAppended(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	var quads []Quad // without blank nodes, which an append makes others
	for _, q := range isomorphism.Distinct(randomQuads(1, 3000, 400)) {
		if q.Subject.Kind == rdf.IRI && q.Object.Kind != rdf.BlankNode {
			quads = append(quads, q)
		}
	}
	appendFile(t, dir, quads, true, 0)
	e := openEdited(t, dir)
	e.edit(nil, quads[:500])
	e.clear(rdf.NewIRI("http://example.org/graph1"))
	writeSnapshot(t, dir, e, Flush, Options{})
	e.close()
	same(t, dir, slices.DeleteFunc(slices.Clone(quads[500:]), func(q Quad) bool { return q.Graph.Value == "http://example.org/graph1" }))
	for i, part := range [][]Quad{quads[:20], quads[:100], quads} {
		report := appendFile(t, dir, part, true, []int64{0, 100 << 10, 0}[i])
		if i == 0 && (report.Known != 0 || report.Segments != 3) {
			t.Fatalf("%+v", report)
		}
	}
	same(t, dir, quads)
}

func TestAStoreOfVersion2IsReadAndAddedTo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "version2.store"))))
	iri := func(name string) rdf.Term { return rdf.NewIRI("http://example.org/" + name) }
	class := rdf.NewIRI(rdf.RDFType)
	quads := []Quad{
		{Subject: iri("a"), Predicate: iri("knows"), Object: iri("b")},
		{Subject: iri("a"), Predicate: class, Object: iri("Person")},
		{Subject: iri("b"), Predicate: class, Object: iri("Person")},
		{Subject: iri("a"), Predicate: iri("age"), Object: rdf.NewTyped("41", rdf.XSDInteger)},
		{Subject: iri("b"), Predicate: iri("name"), Object: rdf.NewLangString("Bé", "fr")},
		{Subject: rdf.NewBlank("x"), Predicate: iri("knows"), Object: iri("a"), Graph: iri("graph")},
		{Subject: rdf.NewBlank("f1_x"), Predicate: iri("knows"), Object: iri("c")},
		{Subject: iri("c"), Predicate: iri("born"), Object: rdf.NewTyped("2001-02-03", rdf.XSDDate)},
	}
	same(t, dir, quads)
	s, err := store.Open(dir)
	must(t, err)
	if m := s.Manifest(); m.Version != 2 || m.Log != (store.Log{}) {
		t.Fatalf("%+v", m)
	}
	must(t, s.Close())

	more := Quad{Subject: iri("d"), Predicate: iri("knows"), Object: iri("a")}
	appendFile(t, dir, []Quad{more, quads[0]}, true, 0)
	quads = append(quads, more)
	same(t, dir, quads)
	e := openEdited(t, dir)
	if v := e.files.Manifest().Version; v != store.PlainVersion {
		t.Fatal("an append wrote version", v)
	}
	e.edit([]Quad{{Subject: iri("e"), Predicate: iri("knows"), Object: iri("d")}}, quads[:1])
	writeSnapshot(t, dir, e, Flush, Options{})
	e.close()
	quads = append(quads[1:], Quad{Subject: iri("e"), Predicate: iri("knows"), Object: iri("d")})
	same(t, dir, quads)
	report, err := Compact(context.Background(), dir, Options{})
	must(t, err)
	if report.Segments != 1 || report.Merged < 2 {
		t.Fatalf("%+v", report)
	}
	same(t, dir, quads)
}

// TestTermsThatNothingUsesGo compacts a store of which everything but one triple was removed.
func TestTermsThatNothingUsesGo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	quads := isomorphism.Distinct(randomQuads(1, 500, 100))
	appendFile(t, dir, quads, true, 0)
	e := openEdited(t, dir)
	e.edit(nil, quads[1:])
	writeSnapshot(t, dir, e, Flush, Options{})
	e.close()
	report, err := Compact(context.Background(), dir, Options{})
	must(t, err)
	terms := map[rdf.Term]bool{quads[0].Subject: true, quads[0].Predicate: true, quads[0].Object: true}
	if quads[0].Graph.Kind != 0 {
		terms[quads[0].Graph] = true
	}
	if report.Triples != 1 || report.Terms != len(terms) || report.Kept != 1 {
		t.Fatalf("%+v", report)
	}
	same(t, dir, quads[:1])
}
