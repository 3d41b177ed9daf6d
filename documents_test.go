package rdfgpu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/updatetest"
)

// copyInto opens a store of some quads for writing, which may load documents of some prefixes.
func copyInto(t *testing.T, quads []rdf.Quad, large int64, loads ...string) *writableEngine {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "store")
	var text []byte
	for _, q := range quads {
		text = fmt.Appendf(text, "%s %s %s %s .\n", q.Subject, q.Predicate, q.Object, q.Graph)
	}
	path := filepath.Join(t.TempDir(), "data.nq")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rdfgpu.Load(context.Background(), folder, []string{path}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := rdfgpu.Open(folder, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced, LargeDocument: large, Loads: loads})
	if err != nil {
		t.Fatal(err)
	}
	return &writableEngine{t: t, store: s}
}

// document is Turtle.
func (u updates) document() string {
	var b strings.Builder
	b.WriteString("@prefix : <http://e/> . ")
	for range rapid.IntRange(0, 6).Draw(u.T, "triples") {
		subject, object := u.node(), u.object()
		if u.chance(15) {
			subject = "_:b"
		}
		if u.chance(15) {
			object = "[]"
		}
		fmt.Fprintf(&b, "%s %s %s . ", subject, u.predicate(), object)
	}
	return b.String()
}

// withLoads is a request with LOADs before, and others after it.
func (u updates) withLoads(folder, request string) string {
	for i := range rapid.IntRange(1, 2).Draw(u.T, "loads") {
		request += " ; " + u.load(fmt.Sprintf("%s%d.trig", folder, i)) + " ; " + u.operation()
	}
	return request
}

// load is the LOAD of a document that is written to a file, and may have a fault.
func (u updates) load(name string) string {
	text := u.document()
	if u.chance(30) {
		text += ":g { " + u.node() + " " + u.predicate() + " " + u.object() + " }"
	}
	silent := "SILENT "
	switch {
	case u.chance(10):
		text += "no triple"
	case u.chance(80):
		silent = ""
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		u.Fatal(err)
	}
	return "LOAD " + silent + "<file://" + name + ">" + u.oneOf("", " INTO GRAPH "+u.graph())
}

// TestLargeDocumentsDoWhatSmallOnesDo compares two stores, of which one takes every document for a large one.
func TestLargeDocumentsDoWhatSmallOnesDo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir() + "/"
	rapid.Check(t, func(r *rapid.T) {
		large, small := copyInto(t, nil, 1, "file://"+folder), copyInto(t, nil, 0, "file://"+folder)
		defer large.store.Close()
		defer small.store.Close()
		follower := copyInto(t, nil, 0)
		defer follower.store.Close()
		for range rapid.IntRange(1, 6).Draw(r, "requests") {
			var request string
			dry := false
			var reports [2]rdfgpu.UpdateReport
			var errs [2]error
			u := updates{r}
			if u.chance(60) {
				request = u.request()
				switch {
				case u.chance(50):
					request = u.withLoads(folder, request)
				case u.chance(40):
					request = "PREFIX : <http://e/> " + u.load(folder+"alone.trig")
				}
				dry = u.chance(10)
				for i, e := range []*writableEngine{large, small} {
					reports[i], errs[i] = e.store.Update(context.Background(), request, rdfgpu.UpdateOptions{DryRun: dry})
				}
			} else {
				graph, replace, texts := u.oneOf("", "http://e/g", "http://e/h"), u.chance(50), []string{u.document(), u.document()}
				request = fmt.Sprint(replace, " <", graph, "> ", texts)
				for i, e := range []*writableEngine{large, small} {
					reports[i], _, errs[i] = putAll(e.store, graph, replace, texts)
				}
			}
			if (errs[0] == nil) != (errs[1] == nil) {
				r.Fatalf("%s\n%v\n%v", request, errs[0], errs[1])
			}
			if a, b := reports[0], reports[1]; a.Added != b.Added || a.Removed != b.Removed || len(a.Graphs) != len(b.Graphs) || a.Sequence != b.Sequence {
				r.Fatalf("%s\n%+v\n%+v", request, a, b)
			}
			got, err := large.Quads()
			if err != nil {
				r.Fatal(err)
			}
			want, err := small.Quads()
			if err != nil {
				r.Fatal(err)
			}
			if err := updatetest.Compare(got, want); err != nil {
				r.Fatalf("%s\n%v", request, err)
			}
			if reports[0].Added+reports[0].Removed > 0 && !dry {
				follow(r, request, follower, large, reports[0])
			}
		}
	})
}

// follow applies the patch of a commit to a copy of the store, which must be the same then, to the labels of blank nodes.
func follow(r *rapid.T, request string, follower, store *writableEngine, report rdfgpu.UpdateReport) {
	var patch bytes.Buffer
	err := store.store.WritePatch(&patch, report.Sequence)
	got, failed := store.Quads()
	switch {
	case failed != nil:
		r.Fatal(failed)
	case errors.Is(err, rdfgpu.ErrInFiles): // a new base
		if err := follower.become(got); err != nil {
			r.Fatal(err)
		}
		return
	case err != nil:
		r.Fatal(err)
	}
	applied, err := follower.store.Patch(context.Background(), &patch, rdfgpu.UpdateOptions{})
	if err != nil || applied.Added != report.Added || applied.Removed != report.Removed {
		r.Fatalf("%s\nthe patch adds %d and removes %d, the commit %d and %d: %v", request, applied.Added, applied.Removed, report.Added, report.Removed, err)
	}
	want, err := follower.Quads()
	if err != nil {
		r.Fatal(err)
	}
	if a, b := sortedQuads(got), sortedQuads(want); !slices.Equal(a, b) {
		r.Fatalf("%s\n%v\n%v", request, a, b)
	}
}

// become makes quads the contents of the store.
func (e *writableEngine) become(quads []rdf.Quad) error {
	tx, err := e.store.Begin(context.Background())
	if err != nil {
		return err
	}
	defer tx.Rollback()
	before, err := e.Quads()
	if err != nil {
		return err
	}
	if err := tx.Delete(before...); err != nil {
		return err
	}
	if err := tx.Insert(quads...); err != nil {
		return err
	}
	_, err = tx.Commit(context.Background())
	return err
}

// sortedQuads are quads as text, in order.
func sortedQuads(quads []rdf.Quad) (lines []string) {
	for _, q := range quads {
		lines = append(lines, fmt.Sprint(q))
	}
	slices.Sort(lines)
	return lines
}

// putAll puts several documents into a graph.
func putAll(s *rdfgpu.Store, graph string, replace bool, texts []string) (rdfgpu.UpdateReport, bool, error) {
	options := rdfgpu.GraphOptions{Format: "turtle", Base: "http://e/", Replace: replace}
	rest := texts[1:]
	options.Next = func() (rdfgpu.Document, error) {
		if len(rest) == 0 {
			return rdfgpu.Document{}, io.EOF
		}
		next := rest[0]
		rest = rest[1:]
		return rdfgpu.Document{Body: strings.NewReader(next), Format: "turtle"}, nil
	}
	return s.PutGraph(context.Background(), graph, strings.NewReader(texts[0]), options)
}

// counted is triples with numbers.
func counted(subject string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<http://e/%s> <http://e/n> \"%d\" .\n", subject, i)
	}
	return b.String()
}

func TestALargeDocumentIsACommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "more.nt")
	if err := os.WriteFile(file, []byte(counted("loaded", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newWritable(t, `<http://e/a> <http://e/p> 1 . <http://e/g> { <http://e/a> <http://e/n> "7" , "x" }`,
		rdfgpu.Options{LargeDocument: 100, Loads: []string{"file://" + dir + "/"}})
	put := func(text string, options rdfgpu.GraphOptions) (rdfgpu.UpdateReport, bool, error) {
		options.Format = "ntriples"
		return s.PutGraph(context.Background(), "http://e/g", strings.NewReader(text), options)
	}
	updated(t, s, `INSERT DATA { GRAPH :g { :a :n "8" , "y" } }`)
	report, existed, err := put(counted("a", 100), rdfgpu.GraphOptions{Replace: true})
	if err != nil || !existed || report.Sequence != 2 || report.Added != 98 || report.Removed != 2 || len(report.Graphs) != 1 || report.Graphs[0].Graph != "http://e/g" {
		t.Errorf("%+v, %v: %v", report, existed, err)
	}
	if report, _, err = put(counted("a", 100), rdfgpu.GraphOptions{Replace: true}); err != nil || report.Sequence != 2 || report.Added+report.Removed > 0 {
		t.Errorf("the same again: %+v: %v", report, err)
	}
	if report, _, err = put(counted("a", 100), rdfgpu.GraphOptions{}); err != nil || report.Sequence != 2 || report.Added+report.Removed > 0 {
		t.Errorf("added again: %+v: %v", report, err)
	}
	_, _, err = put(counted("a", 100)+"<http://e/a> <http://e/n> .\n", rdfgpu.GraphOptions{Replace: true})
	var fault *rdfgpu.DataError
	if !errors.As(err, &fault) || fault.Line != 101 || fault.Column == 0 || s.Sequence() != 2 {
		t.Errorf("a fault at %+v: %v", fault, err)
	}
	one, three := uint64(1), uint64(3)
	for _, wanted := range []*uint64{&one, &three} {
		if _, _, err = put(counted("b", 100), rdfgpu.GraphOptions{IfSequence: wanted}); !errors.Is(err, rdfgpu.ErrConflict) {
			t.Error(err)
		}
	}
	if report = updated(t, s, "LOAD <file://"+file+"> INTO GRAPH :h"); report.Sequence != 3 || report.Added != 50 {
		t.Errorf("%+v", report)
	}
	if _, err := s.Update(context.Background(), "LOAD <file://"+dir+"/none.nt>", rdfgpu.UpdateOptions{}); !errors.Is(err, rdfgpu.ErrLoad) {
		t.Error(err)
	}
	if report = updated(t, s, "LOAD SILENT <file://"+dir+"/none.nt>"); report.Sequence != 3 {
		t.Errorf("%+v", report)
	}
	for name, text := range map[string]string{"faulty.nt": "<http://e/a> .\n", "long.nt": counted("a", 100) + "<http://e/a> .\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		load := "<file://" + dir + "/" + name + ">"
		_, err := s.Update(context.Background(), "LOAD "+load, rdfgpu.UpdateOptions{})
		if !errors.Is(err, rdfgpu.ErrLoad) || !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "the operation at line 1, column 1: LOAD "+load) {
			t.Errorf("%s: %v", name, err)
		}
		if report = updated(t, s, "LOAD SILENT "+load); report.Sequence != 3 {
			t.Errorf("%s: %+v", name, report)
		}
	}
	updated(t, s, `DELETE DATA { GRAPH :g { :a :n "0" } }`)
	if got := asked(t, s, `SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g`); got != "?g\t?n\n<http://e/g>\t99\n<http://e/h>\t50\n" {
		t.Error(got)
	}
	var log []string
	for e, err := range s.Log(0) {
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, fmt.Sprint(e.Sequence, " ", e.Added, " ", e.Removed, " ", e.InFiles, " ", e.Segment != ""))
	}
	if got := strings.Join(log, "; "); got != "1 2 0 false false; 2 98 2 true true; 3 50 0 true true; 4 0 1 false false" {
		t.Error(got)
	}
	for sequence, want := range []string{1: "2 and 0", 2: "98 and 2", 3: "50 and 0", 4: "0 and 1"} { // commit 2 lies in one segment with commit 1
		if sequence > 0 {
			if patch := patchOf(t, s, uint64(sequence)); countRows(patch) != want || sequence == 2 != strings.Contains(patch, "D <http://e/a> <http://e/n> \"y\" <http://e/g> .\n") {
				t.Errorf("commit %d: %s, not %s:\n%s", sequence, countRows(patch), want, patch)
			}
		}
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.WritePatch(io.Discard, 2); !errors.Is(err, rdfgpu.ErrInFiles) || !strings.Contains(err.Error(), "compacted") {
		t.Error(err)
	}
}

// patchOf is the patch of a commit.
func patchOf(t testing.TB, s *rdfgpu.Store, sequence uint64) string {
	t.Helper()
	var patch bytes.Buffer
	if err := s.WritePatch(&patch, sequence); err != nil {
		t.Errorf("commit %d: %v", sequence, err)
	}
	return patch.String()
}

// countRows counts the rows of a patch that add and that remove something.
func countRows(patch string) string {
	return fmt.Sprint(strings.Count(patch, "\nA "), " and ", strings.Count(patch, "\nD "))
}

// TestThePatchOfADocumentThatBecameTheBase: it is told where nothing was there before, and else not.
func TestThePatchOfADocumentThatBecameTheBase(t *testing.T) {
	s := newWritable(t, "", rdfgpu.Options{LargeDocument: 1})
	put := func(subject string, n int) {
		if _, _, err := s.PutGraph(t.Context(), "", strings.NewReader(counted(subject, n)), rdfgpu.GraphOptions{Format: "ntriples"}); err != nil {
			t.Fatal(err)
		}
	}
	updated(t, s, `INSERT DATA { :a :n "1" , "more" }`)
	put("a", 10)
	if got := countRows(patchOf(t, s, 2)); got != "9 and 0" {
		t.Error(got)
	}
	put("b", 1000)
	if err := s.WritePatch(io.Discard, 3); !errors.Is(err, rdfgpu.ErrInFiles) || !strings.Contains(err.Error(), "new base") {
		t.Error(err)
	}
}

// TestReadersAndBackupsBesideLargeDocuments opens and backs a store up while documents are put into it, each one triple larger
// than the one before: every one must be whole.
func TestReadersAndBackupsBesideLargeDocuments(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data.nt")
	if err := os.WriteFile(file, []byte(counted("base", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, copied := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "backup")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{file}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := rdfgpu.Open(dir, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced, LargeDocument: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const documents = 30
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 1; n <= documents; n++ {
			options := rdfgpu.GraphOptions{Format: "ntriples", Replace: true}
			if _, _, err := s.PutGraph(context.Background(), "http://e/g", strings.NewReader(counted("document", n)), options); err != nil {
				t.Error(err)
			}
			if _, err := s.Update(context.Background(), fmt.Sprintf("INSERT DATA { <http://e/small> <http://e/p> %d }", n), rdfgpu.UpdateOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
	check := func(folder string) uint64 {
		r, err := rdfgpu.Open(folder, rdfgpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		want := fmt.Sprintf("?n\t?small\n%d\t%d\n", (r.Sequence()+1)/2, r.Sequence()/2)
		if got := asked(t, r, "SELECT ?n ?small { { SELECT (COUNT(*) AS ?n) { GRAPH :g { ?s ?p ?o } } } { SELECT (COUNT(*) AS ?small) { :small ?p ?o } } }"); got != want {
			t.Errorf("%s at %d: %s, not %s", folder, r.Sequence(), got, want)
		}
		return r.Sequence()
	}
	for sequence := uint64(0); sequence < 2*documents && !t.Failed(); {
		report, err := rdfgpu.Backup(t.Context(), dir, copied, rdfgpu.BackupOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if sequence = check(copied); sequence != report.Sequence {
			t.Errorf("the backup is at %d and says %d", sequence, report.Sequence)
		}
		check(dir)
	}
	writing.Wait()
}

// lines is a document of n lines of different terms, made as it is read; look is called now and then.
type lines struct {
	n, at int
	rest  []byte
	look  func()
}

func (l *lines) Read(b []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.at == l.n {
			return 0, io.EOF
		}
		l.look()
		for range min(10_000, l.n-l.at) {
			l.rest = fmt.Appendf(l.rest, "<http://example.org/subject/%d> <http://example.org/predicate/%d> \"the value with the number %d\" .\n", l.at/2, l.at%20, l.at)
			l.at++
		}
	}
	n := copy(b, l.rest)
	if l.rest = l.rest[n:]; len(l.rest) == 0 {
		l.rest = l.rest[:0:0]
	}
	return n, nil
}

// anonymous is the memory of this process that no file is mapped to, in bytes.
func anonymous(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("the system does not tell the memory of a process: ", err)
	}
	_, after, _ := strings.Cut(string(status), "RssAnon:")
	var kib int64
	if _, err := fmt.Sscan(after, &kib); err != nil {
		t.Skip("the system does not tell the memory of a process: ", err)
	}
	return kib << 10
}

// aloneVariable is set in a process of this test alone: others leave memory behind.
const aloneVariable = "RDFGPU_TEST_ALONE"

// mostAnonymous is the most of anonymous that is seen while something runs.
func mostAnonymous(t *testing.T, do func()) (most int64) {
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			most = max(most, anonymous(t))
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	do()
	close(ended)
	watching.Wait()
	return most
}

// TestMemoryDoesNotGrowWithALargeDocument is serial: it measures the memory of a process that has the machine to itself.
func TestMemoryDoesNotGrowWithALargeDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 300 MB")
	}
	if os.Getenv(aloneVariable) == "" {
		alone := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		alone.Env = append(os.Environ(), aloneVariable+"=1")
		out, err := alone.CombinedOutput()
		if err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		return
	}
	const triples, loaded = 2_000_000, 1_000_000
	documents := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/n-triples")
		_, _ = io.Copy(w, &lines{n: loaded, look: func() {}})
	}))
	defer documents.Close()
	s := newWritable(t, "", rdfgpu.Options{
		Budget: rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 400 << 20, Spill: 4 << 30}), Loads: []string{documents.URL + "/"},
	})
	before, most := anonymous(t), int64(0)
	body := &lines{n: triples, look: func() { most = max(most, anonymous(t)) }}
	report, _, err := s.PutGraph(context.Background(), "http://e/g", body, rdfgpu.GraphOptions{Format: "ntriples"})
	if err != nil || report.Added != triples {
		t.Fatalf("%+v: %v", report, err)
	}
	if most-before > 280<<20 {
		t.Errorf("%d MiB more while 200 MB were read", (most-before)>>20)
	}
	before = anonymous(t)
	most = mostAnonymous(t, func() {
		report = updated(t, s, "INSERT DATA { :a :p 1 } ; LOAD <"+documents.URL+"/> ; DELETE DATA { :a :p 1 }")
	})
	if report.Added != loaded || report.Removed != 0 || report.Sequence != 2 {
		t.Errorf("%+v", report)
	}
	if most-before > 280<<20 {
		t.Errorf("%d MiB more while 100 MB were loaded among others", (most-before)>>20)
	}
}
