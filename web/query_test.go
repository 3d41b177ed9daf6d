package web

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// do sends one request to the handler. A header is "Name: value".
func do(s http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func get(s http.Handler, query string, headers ...string) *httptest.ResponseRecorder {
	return do(s, "GET", "/sparql?query="+url.QueryEscape(query), "", headers...)
}

func TestAQueryIsTakenInEveryWayOfTheProtocol(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	form := "Content-Type: application/x-www-form-urlencoded"
	cases := []struct{ name, method, target, body, header string }{
		{"by GET", "GET", "/sparql?query=ASK", "", ""},
		{"by GET with a slash at the end", "GET", "/sparql/?query=ASK", "", ""},
		{"by a form", "POST", "/sparql", "query=ASK", form},
		{"by a form with a data set in the address", "POST", "/sparql?default-graph-uri=http://g/", "query=ASK", form},
		{"by itself", "POST", "/sparql", "ASK", "Content-Type: application/sparql-query"},
		{"by itself, with a character set", "POST", "/sparql", "ASK", "Content-Type: application/sparql-query; charset=UTF-8"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := do(s, c.method, c.target, c.body, c.header)
			if w.Code != 200 || !strings.Contains(w.Body.String(), `"boolean":true`) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w.Header().Get(headerQueryID) == "" || fieldOf(w, headerRows) != "0" {
				t.Errorf("header %v", w.Header())
			}
		})
	}
}

func TestPagesAndGraphsForThoseWhoAcceptLittle(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	browser := "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, c := range []struct {
		name, query, header string
		status              int
		media, has          string
	}{
		{"solutions as a page", "SELECT", "Accept: text/html", 200, "text/html; charset=utf-8", "<table>"},
		{"solutions to a browser", "SELECT", browser, 200, "text/html; charset=utf-8", "<table>"},
		{"a boolean as a page", "ASK", "Accept: text/html", 200, "text/html; charset=utf-8", "<strong>true</strong>"},
		{"a graph as a page", "CONSTRUCT", "Accept: text/html", 200, "text/html; charset=utf-8", "<td><a rel="},
		{"a graph to who reads solutions", "CONSTRUCT", "Accept: application/sparql-results+json", 200, "text/turtle; charset=utf-8", ""},
		{"a graph to who reads tables", "CONSTRUCT", "Accept: text/csv", 200, "text/turtle; charset=utf-8", ""},
		{"a page that is second best", "SELECT", "Accept: text/html;q=0.5, text/csv", 200, "text/csv; charset=utf-8", ""},
		{"whatever there is", "SELECT", "Accept: */*", 200, "application/sparql-results+json", ""},
		{"a page by name", "SELECT+3&format=html&send=2", "", 200, "text/html; charset=utf-8", "2: the first rows"},
		{"solutions to who reads graphs", "SELECT", "Accept: text/turtle", 406, "text/plain; charset=utf-8", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := do(s, "GET", "/sparql?query="+c.query, "", c.header)
			if w.Code != c.status || w.Header().Get("Content-Type") != c.media || !strings.Contains(w.Body.String(), c.has) {
				t.Errorf("%d %s %s", w.Code, w.Header().Get("Content-Type"), w.Body)
			}
		})
	}
}

func TestRequestsThatAreWrongAreToldSo(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{MaxBody: 100})
	form, direct := "Content-Type: application/x-www-form-urlencoded", "Content-Type: application/sparql-query"
	cases := []struct {
		name, method, target, body, header string
		status                             int
	}{
		{"another method", "PUT", "/sparql?query=ASK", "", "", 405},
		{"two queries", "GET", "/sparql?query=ASK&query=ASK", "", "", 400},
		{"no query in a form", "POST", "/sparql", "a=b", form, 400},
		{"a query twice", "POST", "/sparql?query=ASK", "ASK", direct, 400},
		{"another media type", "POST", "/sparql", "ASK", "Content-Type: text/plain", 415},
		{"no media type", "POST", "/sparql", "ASK", "", 415},
		{"another character set", "POST", "/sparql", "ASK", direct + "; charset=utf-16", 415},
		{"no UTF-8", "POST", "/sparql", "ASK \xff", direct, 400},
		{"a syntax error", "GET", "/sparql?query=BAD", "", "", 400},
		{"bad URL encoding", "GET", "/sparql?query=%zz", "", "", 400},
		{"an update", "POST", "/sparql", "update=CLEAR+ALL", form, 403},
		{"an update by itself", "POST", "/sparql", "CLEAR ALL", "Content-Type: application/sparql-update", 403},
		{"a relative graph", "GET", "/sparql?query=ASK&default-graph-uri=g", "", "", 400},
		{"a body too long", "POST", "/sparql", strings.Repeat("x", 200), direct, 413},
		{"an unknown semantics", "GET", "/sparql?query=ASK&semantics=x", "", "", 400},
		{"an unknown device", "GET", "/sparql?query=ASK&device=x", "", "", 400},
		{"a negative time", "GET", "/sparql?query=ASK&timeout=-1", "", "", 400},
		{"no time", "GET", "/sparql?query=ASK&timeout=soon", "", "", 400},
		{"a negative number of rows", "GET", "/sparql?query=ASK&send=-4", "", "", 400},
		{"a type nobody offers", "GET", "/sparql?query=ASK", "", "Accept: image/png", 406},
		{"a format nobody offers", "GET", "/sparql?query=ASK&format=png", "", "", 406},
		{"a timeout", "GET", "/sparql?query=FAIL+timeout", "", "", 504},
		{"too many rows", "GET", "/sparql?query=FAIL+rows", "", "", 422},
		{"too much memory", "GET", "/sparql?query=FAIL+memory", "", "", 507},
		{"something unsupported", "GET", "/sparql?query=FAIL+unsupported", "", "", 501},
		{"more solutions than can be counted", "GET", "/sparql?query=FAIL+many", "", "", 422},
		{"no GPU", "GET", "/sparql?query=FAIL+device", "", "", 422},
		{"another error", "GET", "/sparql?query=FAIL+other", "", "", 500},
		{"a panic", "GET", "/sparql?query=PANIC", "", "", 500},
		{"a file", "GET", "/../../etc/passwd", "", "", 404},
		{"a file in disguise", "GET", "/assets/%2e%2e/%2e%2e/web.go", "", "", 404},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if w := do(s, c.method, c.target, c.body, c.header); w.Code != c.status {
				t.Errorf("%d %s, want %d", w.Code, w.Body, c.status)
			}
		})
	}
	if n := s.queries.len(); n != 0 {
		t.Errorf("%d queries are still listed", n)
	}
}

func TestASyntaxErrorSaysWhere(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	w := get(s, "BAD", "Accept: application/sparql-results+json")
	var p Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if p.Status != 400 || p.Line != 1 || p.Column != 3 || len(p.Expected) != 2 || p.Hint == "" || p.Query == "" {
		t.Errorf("%+v", p)
	}
	w = get(s, "BAD", "Accept: text/csv")
	want := "malformed query at line 1, column 3: unexpected BAD\nexpected: SELECT, ASK\nhint: try SELECT\n"
	if w.Body.String() != want {
		t.Errorf("got %q", w.Body)
	}
}

func TestTheFormatIsNegotiated(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	cases := []struct{ query, accept, want string }{
		{"SELECT 1", "", "application/sparql-results+json"},
		{"SELECT 1", "*/*", "application/sparql-results+json"},
		{"SELECT 1", "text/csv", "text/csv; charset=utf-8"},
		{"SELECT 1", "text/*", "text/tab-separated-values; charset=utf-8"},
		{"SELECT 1", "application/sparql-results+xml;q=0.9, text/csv;q=0.8", "application/sparql-results+xml"},
		{"SELECT 1", "application/sparql-results+json;q=0, */*;q=0.1", "application/json"},
		{"SELECT 1", "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", "text/html; charset=utf-8"},
		{"SELECT 1", "application/JSON", "application/json"},
		{"SELECT 1", "application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream"},
		{"CONSTRUCT", "application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream"},
		{"SELECT 1", "application/vnd.apache.parquet", "application/vnd.apache.parquet"},
		{"CONSTRUCT", "application/vnd.apache.parquet", "application/vnd.apache.parquet"},
		{"ASK", "application/sparql-results+xml", "application/sparql-results+xml"},
		{"CONSTRUCT", "", "text/turtle; charset=utf-8"},
		{"CONSTRUCT", "application/n-triples", "application/n-triples"},
		{"CONSTRUCT", "application/sparql-results+xml, application/rdf+xml", "application/rdf+xml"},
	}
	for _, c := range cases {
		headers := []string{}
		if c.accept != "" {
			headers = append(headers, "Accept: "+c.accept)
		}
		if w := get(s, c.query, headers...); w.Code != 200 || w.Header().Get("Content-Type") != c.want {
			t.Errorf("%s accepting %q: %d %s", c.query, c.accept, w.Code, w.Header().Get("Content-Type"))
		}
	}
	if w := do(s, "GET", "/sparql?query=CONSTRUCT&format=n3", "", "Accept: application/turtle,text/turtle,text/n3"); w.Header().Get("Content-Type") != "text/turtle; charset=utf-8" {
		t.Errorf("a format of another vocabulary: %d %s", w.Code, w.Header().Get("Content-Type"))
	}
	w := do(s, "GET", "/sparql?query=SELECT+1&format=tsv", "", "Accept: text/csv")
	if w.Body.String() != "?x\t?y\n<http://example.org/t0>\t<http://example.org/t0>\n" {
		t.Errorf("got %q", w.Body)
	}
}

func TestParametersReachTheEngineAlsoAsHeaders(t *testing.T) {
	t.Parallel()
	s, engine := newTestServer(t, Options{Timeout: 30 * time.Second, MaxRows: 9})
	check := func(w *httptest.ResponseRecorder) {
		t.Helper()
		o := engine.last.Load()
		if w.Code != 200 || o.Semantics != rdfgpu.Isomorphism || o.Device != rdfgpu.CPU || o.Timeout != 1500*time.Millisecond || o.MaxRows != 9 {
			t.Errorf("%d %s: %+v", w.Code, w.Body, o)
		}
	}
	check(do(s, "GET", "/sparql?query=ASK&semantics=isomorphism&device=cpu&timeout=1.5", ""))
	check(get(s, "ASK", "X-Rdfgpu-Semantics: isomorphism", "X-Rdfgpu-Device: cpu", "X-Rdfgpu-Timeout: 1500ms"))
	do(s, "GET", "/sparql?query=ASK&timeout=1h&default-graph-uri=http://a/&named-graph-uri=http://b/&named-graph-uri=http://c/", "")
	o := engine.last.Load()
	if o.Timeout != 30*time.Second || len(o.DefaultGraphs) != 1 || len(o.NamedGraphs) != 2 {
		t.Errorf("%+v", o)
	}
}

func TestOnlySomeRowsAreSentWhileAllAreCounted(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	w := do(s, "GET", "/sparql?query=SELECT+12345&send=1500", "")
	var answer struct {
		Rows    int
		Results struct{ Bindings []any }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Rows != 12345 || len(answer.Results.Bindings) != 1500 {
		t.Errorf("%v: %d rows, %d sent", err, answer.Rows, len(answer.Results.Bindings))
	}
	w = do(s, "GET", "/sparql?query=SELECT+12345&send=2", "", "Accept: text/csv")
	if strings.Count(w.Body.String(), "\n") != 3 || fieldOf(w, headerRows) != "12345" {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
}

func TestThePlanIsSentInsteadOfTheAnswer(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	w := do(s, "GET", "/sparql?query=ASK&explain=analyze", "")
	if w.Body.String() != "{\"analyze\":true,\"plan\":\"ASK\"}\n" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	if w := do(s, "GET", "/sparql?query=BAD&explain=plan", ""); w.Code != 400 {
		t.Errorf("%d", w.Code)
	}
}

func TestAQueryBeingTypedHasAGraphOrAProblem(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	form := "Content-Type: application/x-www-form-urlencoded"
	if w := do(s, "POST", "/api/graph", "query=ASK", form); w.Code != 200 || w.Body.String() != "{\"explanation\":{\"analyze\":false,\"plan\":\"ASK\"}}\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(s, "POST", "/api/graph", "query=BAD", form); w.Code != 200 || !strings.Contains(w.Body.String(), `"problem":{"status":400`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(s, "POST", "/api/graph", "a=b", form); w.Code != 400 {
		t.Errorf("%d", w.Code)
	}
}

func TestAnswersAreCompressedWhenAsked(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	checkCompression(t, s)
	s, _ = newTestServer(t, Options{AnswerCache: 32 << 20})
	checkCompression(t, s) // of answers that are kept after the first
}

func checkCompression(t *testing.T, s *Server) {
	t.Helper()
	for _, rows := range []string{"SELECT 100", "SELECT 40000"} {
		plain := get(s, rows, "Accept: text/csv").Body.String()
		w := get(s, rows, "Accept: text/csv", "Accept-Encoding: gzip")
		unpacked, err := gzip.NewReader(w.Body)
		if err != nil || w.Header().Get("Content-Encoding") != "gzip" {
			t.Fatalf("%v: %v", err, w.Header())
		}
		if text, err := io.ReadAll(unpacked); err != nil || string(text) != plain {
			t.Errorf("gzip: %v, %d bytes of %d", err, len(text), len(plain))
		}
		w = get(s, rows, "Accept: text/csv", "Accept-Encoding: gzip;q=0.5, zstd")
		reader, _ := zstd.NewReader(w.Body)
		text, err := io.ReadAll(reader)
		reader.Close()
		if err != nil || string(text) != plain || w.Header().Get("Content-Encoding") != "zstd" {
			t.Errorf("zstd: %v, %d bytes of %d", err, len(text), len(plain))
		}
	}
	if w := get(s, "SELECT 3", "Accept-Encoding: gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("a tiny answer is compressed")
	}
}

// TestALongAnswerBeginsBeforeItIsWhole is serial: it measures how soon a line comes.
func TestALongAnswerBeginsBeforeItIsWhole(t *testing.T) {
	s, engine := newTestServer(t, Options{})
	server := listen(t, s)
	start := time.Now()
	response, err := http.Get(server.URL + "/sparql?format=csv&query=SELECT+20000+100ms")
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	if err != nil || line != "x,y\r\n" || response.ContentLength >= 0 {
		t.Errorf("%q, %v, length %d", line, err, response.ContentLength)
	}
	if spent := time.Since(start); spent > time.Second {
		t.Errorf("the first line took %s", spent)
	}
	response.Body.Close() // hang up
	waitFor(t, 100*time.Millisecond, func() bool { return engine.running.Load() == 0 })
}

// waitFor waits for a condition, with some slack for a busy machine.
func waitFor(t *testing.T, limit time.Duration, condition func() bool) {
	t.Helper()
	start := time.Now()
	for !condition() {
		if time.Since(start) > limit+20*time.Second {
			t.Fatalf("not within %s", limit)
		}
		time.Sleep(time.Millisecond)
	}
	if spent := time.Since(start); spent > limit {
		t.Logf("it took %s, the aim is %s", spent, limit)
	}
}

// expectMetrics waits until each of the lines is among the metrics: a client hears of an end before it is counted.
func expectMetrics(t *testing.T, s *Server, lines ...string) {
	t.Helper()
	var shown, missing string
	for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(time.Millisecond) {
		shown, missing = "\n"+do(s, "GET", "/metrics", "").Body.String(), ""
		for _, line := range lines {
			if !strings.Contains(shown, "\n"+line+"\n") {
				missing = line
			}
		}
		if missing == "" {
			return
		}
	}
	t.Errorf("the metrics have no %s:%s", missing, shown)
}

func TestALongAnswerEndsWithTheNumberOfRows(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	server := listen(t, s)
	response, err := http.Get(server.URL + "/sparql?format=tsv&query=SELECT+30000")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	table, err := results.Read(response.Body, results.TSV)
	if err != nil || len(table.Rows) != 30000 {
		t.Errorf("%v: %d rows", err, len(table.Rows))
	}
	io.Copy(io.Discard, response.Body)
	if response.Trailer.Get(headerRows) != "30000" || response.Trailer.Get("Server-Timing") == "" {
		t.Errorf("trailer %v", response.Trailer)
	}
}

func TestAnErrorAfterTheFirstByteBreaksTheResponseOff(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	server := listen(t, s)
	for _, format := range []string{"json", "xml"} {
		response, err := http.Get(server.URL + "/sparql?query=BREAK&format=" + format)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if !errors.Is(err, io.ErrUnexpectedEOF) || response.StatusCode != 200 {
			t.Errorf("%s: %d, %v", format, response.StatusCode, err)
		}
		if format == "xml" && !strings.Contains(string(text), "<!-- error: internal error: something broke -->") {
			t.Errorf("no comment in ...%s", text[max(0, len(text)-100):])
		}
	}
}

func TestAClientThatHangsUpStopsItsQuery(t *testing.T) {
	t.Parallel()
	s, engine := newTestServer(t, Options{})
	server := listen(t, s)
	ctx, hangUp := context.WithCancel(context.Background())
	request, _ := http.NewRequestWithContext(ctx, "POST", server.URL+"/sparql", strings.NewReader("FOREVER"))
	request.Header.Set("Content-Type", "application/sparql-query")
	failed := make(chan error)
	go func() {
		_, err := http.DefaultClient.Do(request)
		failed <- err
	}()
	waitFor(t, time.Second, func() bool { return engine.running.Load() == 1 })
	hangUp()
	<-failed
	waitFor(t, 100*time.Millisecond, func() bool { return engine.running.Load() == 0 && s.queries.len() == 0 })
}

// TestAHangUpIsNoStop: what the log says of a query whose client has gone.
func TestAHangUpIsNoStop(t *testing.T) {
	t.Parallel()
	for _, err := range []error{context.Canceled, errCancelled, rdfgpu.ErrTimeout} {
		p := problemOf(t.Context(), err)
		before := p.Detail
		p.abandon()
		if p.outcome != "gone" || err == context.Canceled && (p.Title != "client gone" || p.Detail == before) || err != context.Canceled && p.Detail != before {
			t.Errorf("%v: %+v", err, p)
		}
	}
}

func TestRunningQueriesAreListedAndCancelled(t *testing.T) {
	t.Parallel()
	s, engine := newTestServer(t, Options{})
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- get(s, "FOREVER") }()
	waitFor(t, time.Second, func() bool { return engine.running.Load() == 1 })
	var list struct {
		Queries []struct{ ID, Query, State string }
	}
	json.Unmarshal(do(s, "GET", "/api/queries", "").Body.Bytes(), &list)
	if len(list.Queries) != 1 || list.Queries[0].Query != "FOREVER" || list.Queries[0].State != "running" {
		t.Fatalf("%+v", list)
	}
	if w := do(s, "DELETE", "/api/queries/"+list.Queries[0].ID, ""); w.Code != 204 {
		t.Errorf("%d", w.Code)
	}
	if w := <-done; w.Code != 409 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(s, "DELETE", "/api/queries/nope", ""); w.Code != 404 {
		t.Errorf("%d", w.Code)
	}
}

// TestBeyondTheQueueQueriesAreTurnedAway is serial: what it waits for is there for some milliseconds.
func TestBeyondTheQueueQueriesAreTurnedAway(t *testing.T) {
	s, engine := newTestServer(t, Options{MaxConcurrent: 1, MaxQueued: 1, QueueWait: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int)
	go func() {
		r := httptest.NewRequest("GET", "/sparql?query=FOREVER", nil).WithContext(ctx)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		done <- w.Code
	}()
	waitFor(t, time.Second, func() bool { return engine.running.Load() == 1 })
	waiting := make(chan *httptest.ResponseRecorder)
	go func() { waiting <- get(s, "ASK") }()
	waitFor(t, time.Second, func() bool { return s.admit.now().waiting == 1 })
	if w := get(s, "ASK"); w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("beyond the queue: %d %v", w.Code, w.Header())
	}
	if w := <-waiting; w.Code != 503 {
		t.Errorf("in the queue: %d", w.Code)
	}
	cancel()
	<-done
	if w := get(s, "ASK"); w.Code != 200 {
		t.Errorf("afterwards: %d", w.Code)
	}
}

// TestAQueryMayTakeLongerThanReadingItMay is serial: its requests must be read within a short limit.
func TestAQueryMayTakeLongerThanReadingItMay(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	server := httptest.NewUnstartedServer(s)
	server.Config.ReadTimeout = 150 * time.Millisecond
	server.Start()
	defer server.Close()
	for name, send := range map[string]func() (*http.Response, error){
		"by GET": func() (*http.Response, error) {
			return http.Get(server.URL + "/sparql?format=csv&query=SELECT+3000+150ms")
		},
		"by POST": func() (*http.Response, error) {
			return http.Post(server.URL+"/sparql?format=csv", "application/sparql-query", strings.NewReader("SELECT 3000 150ms"))
		},
	} {
		response, err := send()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || strings.Count(string(body), "\n") != 3001 {
			t.Errorf("%s: %v, %d lines", name, err, strings.Count(string(body), "\n"))
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestHeadHasNoBody(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	w := do(s, "HEAD", "/sparql?query=ASK", "")
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" {
		t.Errorf("%d %v %q", w.Code, w.Header(), w.Body)
	}
}
