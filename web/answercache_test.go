package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu"
)

const hit = "rdfgpu; hit"

// TestKeptAnswersAreThoseOfNow: whatever is asked, in any way and between any updates, a server that keeps answers says what one says that
// keeps none.
func TestKeptAnswersAreThoseOfNow(t *testing.T) {
	t.Parallel()
	keeps := smallServer(t, Options{AnswerCache: 4 << 20})
	plain, err := New(keeps.edition.Engine, Options{Log: quiet, Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	var drawn, hits, long, packed int // kept answers: all, of more than one write, compressed
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "updates") == 0 {
				edge := fmt.Sprintf("<http://e/%s> <http://e/follows> <http://e/%s>", rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "s"), rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "o"))
				verb := rapid.SampledFrom([]string{"INSERT DATA", "DELETE DATA"}).Draw(t, "verb")
				graph := rapid.SampledFrom([]string{"{ %s }", "{ GRAPH <http://e/g> { %s } }"}).Draw(t, "graph")
				if w := do(keeps, "POST", "/update", verb+fmt.Sprintf(graph, edge), asUpdate); w.Code != 200 {
					t.Fatal(w.Code, w.Body)
				}
			}
			ask := drawRequest(t, keeps.edition.Sequence())
			for range rapid.IntRange(0, 2).Draw(t, "before") {
				ask(keeps)
			}
			got, want := ask(keeps), ask(plain)
			if got.Code != 200 && got.Code == want.Code {
				continue // problems have the query's id
			}
			if got.Code != want.Code || unpackedBody(got) != unpackedBody(want) {
				t.Fatalf("%d %s, and without keeping answers %d %s", got.Code, unpackedBody(got), want.Code, unpackedBody(want))
			}
			same := []string{"Content-Type", "Cache-Control", "Vary", headerSequence}
			late := got.Body.Len() == 0 && fieldOf(got, headerRows) == "" // it was a HEAD, and the answer slow
			if !late && fieldOf(want, headerRows) != "" {                 // likewise of the other
				same = append(same, headerRows)
			}
			if want.Header().Get("Content-Length") != "" && got.Header().Get("Content-Length") != "" { // neither of them was slow
				same = append(same, "Content-Encoding", "Content-Length")
			}
			for _, name := range same {
				if fieldOf(got, name) != fieldOf(want, name) {
					t.Fatalf("%s: %q, and without keeping answers %q", name, fieldOf(got, name), fieldOf(want, name))
				}
			}
			tag := got.Header().Get("ETag")
			if anew := ask(keeps, "Cache-Control: no-cache"); anew.Header().Get("Cache-Status") != "" || anew.Header().Get("ETag") != tag {
				t.Fatalf("the tag %q, and answered anew %q", tag, anew.Header().Get("ETag"))
			}
			if (tag == "") != (want.Header().Get("ETag") == "") || tag != "" && ask(keeps, "If-None-Match: "+tag).Code != 304 {
				t.Fatalf("the tag %q, and without keeping answers %q", tag, want.Header().Get("ETag"))
			}
			if got.Header().Get("Cache-Status") == hit {
				hits++
				if len(unpackedBody(got)) > holdBytes {
					long++
				}
				if got.Header().Get("Content-Encoding") != "" {
					packed++
				}
			}
		}
	})
	if drawn >= 100 && (hits == 0 || long == 0 || packed == 0) {
		t.Errorf("%d answers were kept ones, %d of them of more than one write, %d compressed", hits, long, packed)
	}
}

// fieldOf is a field of a response's header, or of its trailer: where it is depends on how soon the answer was there.
func fieldOf(w *httptest.ResponseRecorder, name string) string {
	return w.Header().Get(name) + w.Header().Get(http.TrailerPrefix+name)
}

// unpackedBody is the body of a response: how it is packed depends on how soon the answer was there.
func unpackedBody(w *httptest.ResponseRecorder) string {
	body := &payload{sent: movingBody{body: bytes.NewReader(w.Body.Bytes())}, open: unpackers[w.Header().Get("Content-Encoding")]}
	defer body.Close()
	text, _ := io.ReadAll(body)
	return string(text)
}

// drawRequest draws one of few queries and one of few ways to ask it, of a store at a sequence.
func drawRequest(t *rapid.T, sequence uint64) func(s *Server, headers ...string) *httptest.ResponseRecorder {
	values := url.Values{"query": {rapid.SampledFrom([]string{
		"SELECT * { ?a <http://e/follows> ?b } ORDER BY ?a ?b", "ASK { <http://e/a> <http://e/follows> <http://e/c> }",
		"SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?b ?p ?c }", "CONSTRUCT { ?b <http://e/by> ?a } { ?a <http://e/follows> ?b } ORDER BY ?a ?b",
		"SELECT ?n { ?a <rel> ?b BIND(<x> AS ?n) }", "SELECT ?n { ?a ?p ?b BIND(<x> AS ?n) }", "SELECT ?now { BIND(ISNUMERIC(NOW()) AS ?now) }",
		"SELECT * { ?a ?p ?b VALUES ?x { 1 2 3 4 5 6 7 8 9 10 } VALUES ?y { 1 2 3 4 5 6 7 8 9 10 } } ORDER BY ?a ?p ?b ?x ?y",
		"SELECT * { VALUES ?x { 1 2 3 4 5 6 7 8 9 10 } VALUES ?y { 1 2 3 4 5 6 7 8 9 10 } VALUES ?z { 1 2 3 4 5 6 7 8 9 10 } } ORDER BY ?x ?y ?z", // of more than one write
		"SELECT * { GRAPH ?g { ?a ?p ?b } } ORDER BY ?g ?a ?b", "SELECT nothing", "",
	}).Draw(t, "query")}}
	way := rapid.SampledFrom([]string{"GET", "GET", "HEAD", "PUT", "a form", "a form and the address", "a query"}).Draw(t, "way")
	target := "http://" + rapid.SampledFrom([]string{"localhost", "127.0.0.1:7878"}).Draw(t, "host") + "/sparql"
	var headers []string
	for range rapid.IntRange(0, 2).Draw(t, "wishes") { // few, so that requests differ in one of them
		wish := rapid.SampledFrom([]string{"semantics=isomorphism", "semantics=homomorphism", "send=0", "send=1", "default-graph-uri=http://e/g", "named-graph-uri=http://e/g",
			"format=tsv", "format=text/csv", "explain=plan", "device=cpu", "device=auto", "min-sequence=0", fmt.Sprint("min-sequence=", sequence), "timeout=20s", "output=json",
			"Accept: text/csv", "Accept: application/json", "Accept: text/turtle", "Accept: text/html", "Cache-Control: no-cache", "Cache-Control: max-age=0, no-store",
			"update=CLEAR ALL", headerSend + ": 0", headerSend + ": 1", headerSemantics + ": induced", headerDevice + ": cpu",
		}).Draw(t, "wish")
		if name, value, ok := strings.Cut(wish, "="); ok && !strings.Contains(wish, ": ") {
			values.Set(name, value)
		} else {
			headers = append(headers, wish)
		}
	}
	if encoding := rapid.SampledFrom([]string{"", "", "gzip", "zstd", "gzip, zstd;q=0.5", "br"}).Draw(t, "encoding"); encoding != "" {
		headers = append(headers, "Accept-Encoding: "+encoding)
	}
	return func(s *Server, more ...string) *httptest.ResponseRecorder {
		all := append(headers[:len(headers):len(headers)], more...)
		query, others := url.Values{"query": values["query"]}, maps.Clone(values)
		delete(others, "query")
		switch way {
		case "a form":
			return do(s, "POST", target, joined(others.Encode(), query.Encode()), append(all, "Content-Type: "+mediaForm)...)
		case "a form and the address":
			return do(s, "POST", target+"?"+others.Encode(), query.Encode(), append(all, "Content-Type: "+mediaForm)...)
		case "a query":
			return do(s, "POST", target+"?"+others.Encode(), values.Get("query"), append(all, "Content-Type: "+mediaQuery)...)
		}
		return do(s, way, target+"?"+joined(others.Encode(), query.Encode()), "", all...)
	}
}

func TestWhichAnswersAreKept(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{AnswerCache: 1 << 20, MaxRows: 1e6})
	for query, c := range map[string]struct {
		headers string
		kept    bool
	}{
		"SELECT 5":         {"", true},
		"SELECT 6":         {"Accept: text/csv", true},
		"ASK":              {"", true},
		"CONSTRUCT":        {"", true},
		"SELECT 7 0 # NOW": {"", false},
		"SELECT 8":         {"Accept: text/html", false},
		"SELECT 9":         {"Cache-Control: no-store", false},
		"SELECT 2500":      {"", false}, // more than an eighth
		"SELECT 100000":    {"", false}, // more than all
		"BREAK":            {"", false},
		"FAIL timeout":     {"", false},
		"SELECT 3 # " + strings.Repeat("x", 150_000): {"", false},
	} {
		ask := func() *httptest.ResponseRecorder {
			defer func() { _ = recover() }() // a response that is broken off
			return get(s, query, c.headers)
		}
		first, second, third := ask(), ask(), ask()
		if second != nil && second.Header().Get("Cache-Status") != "" {
			t.Errorf("%.20s, asked for the second time: %v", query, second.Header())
		}
		if c.kept && (third.Header().Get("Cache-Status") != hit || first.Body.String() != third.Body.String()) || !c.kept && third != nil && third.Header().Get("Cache-Status") != "" {
			t.Errorf("%.20s: %v", query, third.Header())
		}
	}
}

// TestKeptAnswersFit: what is kept stays within its size, and is taken off the budget when it goes.
func TestKeptAnswersFit(t *testing.T) {
	t.Parallel()
	budget := rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 64 << 20})
	const most = 100 << 10
	s, engine := newTestServer(t, Options{AnswerCache: most, Budget: budget})
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			for i := range 200 {
				encoding := []string{"", "gzip", "zstd"}[(i+k)%3]
				w := get(s, fmt.Sprint("SELECT ", (i*i+k)%150), "Accept-Encoding: "+encoding)
				if want := (i*i + k) % 150; fieldOf(w, headerRows) != fmt.Sprint(want) {
					t.Errorf("%s rows of %d", fieldOf(w, headerRows), want)
				}
				if n, bytes := s.answers.size(); bytes > most {
					t.Errorf("%d answers take %d bytes", n, bytes)
				}
			}
		})
	}
	all.Wait()
	n, bytes := s.answers.size()
	if used := budget.Usage().Used; used != bytes {
		t.Errorf("%d answers take %d bytes, the budget counts %d", n, bytes, used)
	}
	expectMetrics(t, s, fmt.Sprint("rdfgpu_answer_cache_entries ", n))
	if n < 5 {
		t.Errorf("%d answers are kept", n)
	}
	<-s.Turn(engine) // another edition
	get(s, "FAIL other")
	if n, bytes := s.answers.size(); n != 0 || bytes != 0 || budget.Usage().Used != 0 {
		t.Errorf("%d answers, %d bytes, %d of the budget are left", n, bytes, budget.Usage().Used)
	}
}

// TestAKeptAnswerWaitsForNoTurn: where all slots are taken, what is known is answered.
func TestAKeptAnswerWaitsForNoTurn(t *testing.T) {
	t.Parallel()
	s, engine, address, _ := serve(t, Options{AnswerCache: 1 << 20, MaxConcurrent: 1, MaxQueued: -1})
	for range 2 {
		get(s, "SELECT 5")
	}
	fmt.Fprint(dial(t, address), "GET /sparql?query=FOREVER HTTP/1.1\r\nHost: localhost\r\n\r\n")
	waitFor(t, time.Second, func() bool { return engine.running.Load() == 1 })
	if w := get(s, "SELECT 5"); w.Code != 200 || w.Header().Get("Cache-Status") != hit || fieldOf(w, headerRows) != "5" {
		t.Error(w.Code, w.Header())
	}
	if w := get(s, "SELECT 6"); w.Code != 503 {
		t.Error(w.Code, w.Header())
	}
}

// TestAKeptAnswerCountsAsAQuery: with an id of its own, in the metrics and the limit of rates, though nothing of it was timed.
func TestAKeptAnswerCountsAsAQuery(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{AnswerCache: 1 << 20, Rate: 1e-9, Burst: 4})
	ids := map[string]bool{}
	for i := range 4 {
		w := get(s, "SELECT 5", "X-Request-Id: mine")
		ids[w.Header().Get(headerQueryID)] = true
		if kept := w.Header().Get("Cache-Status") == hit; kept != (i >= 2) || kept != (w.Header().Get("Server-Timing") == "") || w.Header().Get(headerRequestID) != "mine" {
			t.Errorf("answer %d: %v", i, w.Header())
		}
	}
	if len(ids) != 4 {
		t.Errorf("the ids of four queries: %v", ids)
	}
	if w := get(s, "SELECT 5"); w.Code != http.StatusTooManyRequests {
		t.Errorf("%d beyond the limit of rates", w.Code)
	}
	expectMetrics(t, s, `rdfgpu_queries_total{outcome="ok"} 4`, "rdfgpu_rows_total 20", "rdfgpu_query_seconds_count 4", "rdfgpu_answer_cache_hits_total 2",
		"rdfgpu_answer_cache_misses_total 2", "rdfgpu_queries_underway 0")
}

// panicking is an engine whose answers panic after some rows.
type panicking struct{ *fakeEngine }

func (p panicking) Query(ctx context.Context, text string, options rdfgpu.QueryOptions) (Answer, error) {
	answer, err := p.fakeEngine.Query(ctx, text, options)
	return panickingAnswer{answer}, err
}

type panickingAnswer struct{ Answer }

func (p panickingAnswer) Write(w io.Writer, format rdfgpu.Format) (uint64, error) {
	p.Answer.Write(w, format)
	panic("as asked")
}

// TestNothingIsLeftOfAnAnswerWhoseWritingPanicked: what was being recorded is off the count.
func TestNothingIsLeftOfAnAnswerWhoseWritingPanicked(t *testing.T) {
	t.Parallel()
	s, err := New(panicking{&fakeEngine{}}, Options{AnswerCache: 1 << 20, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if w := get(s, "SELECT 5"); w.Code != 500 || w.Header().Get("Cache-Status") != "" {
			t.Errorf("%d %v", w.Code, w.Header())
		}
	}
	if n, bytes := s.answers.size(); n != 0 || bytes != 0 {
		t.Errorf("%d answers, %d bytes are left", n, bytes)
	}
}
