package rdfgpu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// load makes a store of N-Triples (or N-Quads) text in a temporary folder.
func load(t testing.TB, format, text string) *rdfgpu.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	_, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, rdfgpu.LoadOptions{Format: format, Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// complete is a directed complete graph of n vertices: n·(n-1) edges.
func complete(n int) string {
	var b strings.Builder
	for i := range n {
		for j := range n {
			if i != j {
				fmt.Fprintf(&b, "<http://example.org/v%d> <http://example.org/p> <http://example.org/v%d> .\n", i, j)
			}
		}
	}
	return b.String()
}

func count(t testing.TB, store *rdfgpu.Store, query string, options rdfgpu.QueryOptions) uint64 {
	t.Helper()
	result, err := store.Query(context.Background(), query, options)
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	n, err := result.Count()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const path3 = `SELECT * { ?a <http://example.org/p> ?b . ?b <http://example.org/p> ?c . ?c <http://example.org/p> ?d }`

func TestSemanticsOnACompleteGraph(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(5))
	for semantics, want := range map[rdfgpu.Semantics]uint64{
		rdfgpu.Homomorphism:    5 * 4 * 4 * 4,
		rdfgpu.Isomorphism:     5 * 4 * 3 * 2,
		rdfgpu.EdgeIsomorphism: 5*4*4*4 - 5*4, // a→b→a→b repeats an edge
		rdfgpu.Induced:         0,             // each edge leads back
	} {
		if n := count(t, store, path3, rdfgpu.QueryOptions{Semantics: semantics}); n != want {
			t.Errorf("%v: %d solutions, want %d", semantics, n, want)
		}
	}
}

func TestCountRowsBatchesAndTextAgree(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(6))
	want := count(t, store, path3, rdfgpu.QueryOptions{CountOnly: true})
	query := func() *rdfgpu.Result {
		r, err := store.Query(context.Background(), path3, rdfgpu.QueryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	rows, batched := uint64(0), uint64(0)
	for _, err := range query().Rows() {
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	for b, err := range query().Batches() {
		if err != nil {
			t.Fatal(err)
		}
		batched += uint64(b.N)
	}
	var text bytes.Buffer
	written, err := query().Write(&text, rdfgpu.TSV)
	if err != nil {
		t.Fatal(err)
	}
	lines := uint64(bytes.Count(text.Bytes(), []byte("\n"))) - 1
	if rows != want || batched != want || written != want || lines != want {
		t.Errorf("count %d, rows %d, batches %d, written %d, lines %d", want, rows, batched, written, lines)
	}
}

func TestAReaderMayStopEarly(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(30))
	r, err := store.Query(context.Background(), path3, rdfgpu.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range r.Rows() {
		break
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Rows() {
		if err == nil {
			t.Fatal("a result can be read twice")
		}
	}
}

const endless = `SELECT DISTINCT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o . ?p ?q ?r }`

func TestLimitsEndAQuery(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(30))
	cancelled, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	for name, test := range map[string]struct {
		ctx     context.Context
		options rdfgpu.QueryOptions
		want    error
	}{
		"time":   {context.Background(), rdfgpu.QueryOptions{Timeout: 20 * time.Millisecond}, rdfgpu.ErrTimeout},
		"rows":   {context.Background(), rdfgpu.QueryOptions{MaxRows: 1000}, rdfgpu.ErrRowLimit},
		"cancel": {cancelled, rdfgpu.QueryOptions{}, context.Canceled},
	} {
		start := time.Now()
		if err := drain(test.ctx, store, endless, test.options); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: ended after %v", name, took)
		}
	}
}

func TestAStoreServesManyGoroutines(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(8))
	want := count(t, store, path3, rdfgpu.QueryOptions{})
	var running sync.WaitGroup
	for range 16 {
		running.Go(func() {
			for range 10 {
				r, err := store.Query(context.Background(), path3, rdfgpu.QueryOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				if n, err := r.Write(io.Discard, rdfgpu.JSON); err != nil || n != want {
					t.Errorf("%d solutions, %v; want %d", n, err, want)
				}
				r.Close()
			}
		})
	}
	running.Wait()
}

func TestNamedGraphsAreKeptApart(t *testing.T) {
	t.Parallel()
	store := load(t, "nquads", `
<http://example.org/a> <http://example.org/p> "default" .
<http://example.org/a> <http://example.org/p> "one" <http://example.org/g1> .
<http://example.org/a> <http://example.org/p> "two" <http://example.org/g2> .
`)
	for query, want := range map[string]uint64{
		`SELECT * { ?s ?p ?o }`:                                                                        1,
		`SELECT * { GRAPH ?g { ?s ?p ?o } }`:                                                           2,
		`SELECT * { GRAPH <http://example.org/g2> { ?s ?p "two" } }`:                                   1,
		`SELECT * FROM <http://example.org/g1> FROM <http://example.org/g2> { ?s ?p ?o }`:              2,
		`SELECT * FROM NAMED <http://example.org/g1> { { GRAPH ?g { ?s ?p ?o } } UNION { ?s ?p ?o } }`: 1,
	} {
		if n := count(t, store, query, rdfgpu.QueryOptions{}); n != want {
			t.Errorf("%s: %d solutions, want %d", query, n, want)
		}
	}
	if n := count(t, store, `SELECT * { ?s ?p ?o }`, rdfgpu.QueryOptions{DefaultGraphs: []string{"http://example.org/g1"}}); n != 1 {
		t.Errorf("a default graph from outside the query: %d solutions", n)
	}
	if info, err := store.Info(); err != nil || info.Triples != 3 || info.NamedGraphs != 2 {
		t.Errorf("%+v", info)
	}
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(2))
	var syntax *rdfgpu.SyntaxError
	if _, err := store.Query(context.Background(), "SELECT *\nWHERE { ?s ?p }", rdfgpu.QueryOptions{}); !errors.As(err, &syntax) || syntax.Line != 2 {
		t.Errorf("%v", err)
	}
	if _, err := store.Query(context.Background(), "ASK {}", rdfgpu.QueryOptions{Device: "abacus"}); err == nil {
		t.Error("an unknown device is accepted")
	}
	if _, err := store.Query(context.Background(), "ASK { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", rdfgpu.QueryOptions{}); !errors.Is(err, rdfgpu.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	var data *rdfgpu.DataError
	_, err := rdfgpu.Load(context.Background(), filepath.Join(t.TempDir(), "s"), []string{"-"},
		rdfgpu.LoadOptions{Format: "ntriples", Stdin: strings.NewReader("<http://example.org/a> <b> .\n")})
	if !errors.As(err, &data) || data.Line != 1 {
		t.Errorf("%v", err)
	}
}

func TestExplainDrawsTheQueryGraph(t *testing.T) {
	t.Parallel()
	store := load(t, "ntriples", complete(4))
	e, err := store.Explain(context.Background(), path3, rdfgpu.QueryOptions{Analyze: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Graphs) != 1 || len(e.Graphs[0].Vertices) != 4 || len(e.Graphs[0].Edges) != 3 || e.Rows != 4*3*3*3 {
		t.Errorf("%+v", e)
	}
	var text, dot bytes.Buffer
	if err := errors.Join(e.WriteText(&text), e.WriteDot(&dot)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "[108 rows, ") || !strings.Contains(text.String(), " candidates → ") || !strings.Contains(dot.String(), "->") {
		t.Errorf("%s\n%s", text.String(), dot.String())
	}
}
