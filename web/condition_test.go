package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestEntityTagsAreRead(t *testing.T) {
	t.Parallel()
	cases := []struct {
		header string
		want   entityTags
		ok     bool
	}{
		{``, entityTags{}, true},
		{`*`, entityTags{any: true}, true},
		{`"1"`, entityTags{list: []string{`"1"`}}, true},
		{`"1", W/"a b" ,"",`, entityTags{list: []string{`"1"`, `W/"a b"`, `""`}}, true},
		{`"1,2"`, entityTags{list: []string{`"1,2"`}}, true},
		{`1`, entityTags{}, false},
		{`W/1`, entityTags{}, false},
		{`"1`, entityTags{}, false},
		{`"1" "2"`, entityTags{}, false},
		{`W/`, entityTags{}, false},
		{`"1", *`, entityTags{}, false},
	}
	for _, c := range cases {
		got, ok := readTags([]string{c.header})
		if ok != c.ok || ok && fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v %v", c.header, got, ok)
		}
	}
}

func TestConditionsOnWhatChanges(t *testing.T) {
	t.Parallel()
	s, _ := newMemoryServer(t, Options{})
	put := func(target string, headers ...string) int {
		return do(s, "PUT", target, fmt.Sprintf("<http://e/s> <http://e/p> %d .", time.Now().UnixNano()), append(headers, asTurtle)...).Code
	}
	if code := put(graphG); code != 201 {
		t.Fatal(code)
	}
	tag := do(s, "GET", graphG, "").Header().Get("ETag")
	old := tag
	for i, c := range []struct {
		name, target, header string
		status               int
	}{
		{"another sequence", graphG, `If-Match: "7"`, 412},
		{"the sequence", graphG, `If-Match: "1"`, 200},
		{"the sequence that was", graphG, `If-Match: "1"`, 412},
		{"one of several", graphG, `If-Match: "1", "2"`, 200},
		{"the tag of a graph that was", graphG, "If-Match: " + old, 412},
		{"a weak tag", graphG, `If-Match: W/"3"`, 412},
		{"no number", graphG, `If-Match: "x"`, 412},
		{"the tag of another server", graphG, `If-Match: "3-abcdefgh-turtle"`, 412},
		{"a graph that is there", graphG, "If-Match: *", 200},
		{"a graph that is not there", "/store?graph=http://e/new", "If-Match: *", 412},
		{"only a new graph, which is there", graphG, "If-None-Match: *", 412},
		{"only a new graph", "/store?graph=http://e/new", "If-None-Match: *", 201},
		{"not at this sequence", graphG, `If-None-Match: "5"`, 412},
		{"not at another sequence", graphG, `If-None-Match: W/"4"`, 200},
		{"the default graph is always there", "/store?default", "If-None-Match: *", 412},
	} {
		if code := put(c.target, c.header); code != c.status {
			t.Errorf("%d, %s: %d, want %d", i, c.name, code, c.status)
		}
	}
	for header, told := range map[string]string{"If-None-Match: *": "this one is there already", `If-Match: "1"`: "the store has changed since"} {
		if w := do(s, "PUT", graphG, "", asTurtle, header); !strings.Contains(w.Body.String(), told) {
			t.Errorf("%s: %s", header, w.Body)
		}
	}
	// The tag that a reader gets is one that a writer may give, compressed or not.
	tag = do(s, "GET", graphG, "").Header().Get("ETag")
	if code := put(graphG, "If-Match: "+tag); code != 200 || tag == old {
		t.Errorf("%s: %d", tag, code)
	}
	packed := do(s, "GET", graphG, "", "Accept-Encoding: gzip").Header().Get("ETag")
	if code := put(graphG, "If-Match: "+packed); code != 200 {
		t.Errorf("%s: %d", packed, code)
	}
	for _, method := range []string{"DELETE", "PATCH"} {
		target := map[string]string{"DELETE": graphG, "PATCH": "/store"}[method]
		w := do(s, method, target, "A <http://e/s> <http://e/p> \"new\" .\n", asPatch, `If-Match: "2"`)
		if w.Code != 412 || w.Header().Get(headerSequence) == "" {
			t.Errorf("%s: %d %s", method, w.Code, w.Body)
		}
	}
	if w := do(s, "POST", "/update", insertA, asUpdate, "If-Match: *"); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAnAnswerThatTheClientHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{})
	do(s, "PUT", graphG, "<http://e/s> <http://e/p> 1 .", asTurtle)
	for _, target := range []string{"/sparql?query=SELECT+3", "/sparql?query=CONSTRUCT", graphG} {
		first := do(s, "GET", target, "")
		tag := first.Header().Get("ETag")
		if first.Code != 200 || tag == "" || first.Header().Get("Cache-Control") != "no-cache" {
			t.Fatalf("%s: %d %v", target, first.Code, first.Header())
		}
		ran := engine.running.Load()
		again := do(s, "GET", target, "", "If-None-Match: "+tag)
		if again.Code != 304 || again.Body.Len() != 0 || again.Header().Get("ETag") != tag || again.Header().Get("Vary") == "" {
			t.Errorf("%s: %d %s %v", target, again.Code, again.Body, again.Header())
		}
		if engine.running.Load() != ran || s.queries.len() != 0 || s.admit.now() != (counts{}) {
			t.Error("something of the query is left")
		}
		for name, header := range map[string]string{
			"another tag": `If-None-Match: "x"`, "another format": "Accept: application/rdf+xml, application/sparql-results+xml",
			"another semantics": headerSemantics + ": isomorphism", "fewer rows": headerSend + ": 1", "garbage": "If-None-Match: x",
		} {
			headers := []string{header}
			if !strings.HasPrefix(header, "If-None-Match") {
				headers = append(headers, "If-None-Match: "+tag)
			}
			if w := do(s, "GET", target, "", headers...); w.Code != 200 && (target != graphG || strings.HasPrefix(name, "another f")) {
				t.Errorf("%s with %s: %d", target, name, w.Code)
			}
		}
		if w := do(s, "HEAD", target, "", "If-None-Match: *"); w.Code != 304 {
			t.Errorf("HEAD %s: %d", target, w.Code)
		}
	}
	// Packed, it is another representation, of the same state.
	packed := do(s, "GET", "/sparql?format=csv&query=SELECT+2000", "", "Accept-Encoding: gzip")
	if packed.Header().Get("Content-Encoding") != "gzip" {
		t.Fatal("not packed")
	}
	if w := do(s, "GET", "/sparql?format=csv&query=SELECT+2000", "", "If-None-Match: "+packed.Header().Get("ETag")); w.Code != 304 {
		t.Errorf("%d", w.Code)
	}
	graph := do(s, "GET", graphG, "", "Accept-Encoding: gzip").Header().Get("ETag")
	// An update makes all of them stale.
	do(s, "PUT", graphG, "<http://e/s> <http://e/p> 2 .", asTurtle)
	if w := do(s, "GET", graphG, "", "If-None-Match: "+graph); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
}

func TestAnswersThatMayChangeByThemselvesHaveNoTag(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	if w := get(s, "SELECT 1 NOW"); w.Code != 200 || w.Header().Get("ETag") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := get(s, "SELECT 1 NOW", "If-None-Match: *"); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
	if w := do(s, "POST", "/sparql", "SELECT 1", "Content-Type: application/sparql-query", "If-None-Match: *"); w.Code != 200 || w.Header().Get("ETag") != "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := get(s, "FAIL other"); w.Header().Get("ETag") != "" {
		t.Errorf("%v", w.Header())
	}
}

// TestTheTagOfAnotherStoreIsAnother: a server that turns to a store that was loaded anew answers anew, though its sequence is 0 too.
func TestTheTagOfAnotherStoreIsAnother(t *testing.T) {
	t.Parallel()
	s, engine := newTestServer(t, Options{})
	tag := get(s, "SELECT 1").Header().Get("ETag")
	<-s.Turn(engine)
	if w := get(s, "SELECT 1", "If-None-Match: "+tag); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
}

// TestAQueryReadsWhatItsClientWrote is serial: what it waits for is there for a tenth of a second.
func TestAQueryReadsWhatItsClientWrote(t *testing.T) {
	s, engine := newMemoryServer(t, Options{MaxConcurrent: 1})
	if w := get(s, "ASK", headerMinSequence+": 0"); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
	do(s, "POST", "/update", insertA, asUpdate)
	if w := get(s, "ASK", headerMinSequence+": 1"); w.Code != 200 || engine.last.Load().MinSequence != 1 {
		t.Errorf("%d", w.Code)
	}
	ended := make(chan *httptest.ResponseRecorder)
	go func() { ended <- do(s, "GET", "/sparql?query=ASK&min-sequence=2&timeout=100ms", "") }()
	waitFor(t, time.Second, func() bool { return s.queries.len() == 1 })
	if s.admit.now() != (counts{}) {
		t.Error("a query that waits for a commit holds a slot")
	}
	if w := <-ended; w.Code != http.StatusGatewayTimeout || !strings.Contains(w.Body.String(), "waited for commit 2 within its time limit, and the store is at 1") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := get(s, "ASK", headerMinSequence+": -1"); w.Code != 400 {
		t.Errorf("%d", w.Code)
	}
	if w := do(s, "GET", "/store?default&min-sequence=1", ""); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
}
