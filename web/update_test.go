package web

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/rdfgpu/rdfgpu"
)

const (
	asForm   = "Content-Type: application/x-www-form-urlencoded"
	asUpdate = "Content-Type: application/sparql-update"
	insertA  = "INSERT DATA { <http://e/a> <http://e/p> 1 }"
)

func TestAnUpdateIsTakenInEveryWayOfTheProtocol(t *testing.T) {
	t.Parallel()
	form := url.Values{"update": {insertA}}.Encode()
	cases := []struct{ name, target, body, header string }{
		{"by itself", "/update", insertA, asUpdate},
		{"by itself, with a character set", "/update", insertA, asUpdate + "; charset=UTF-8"},
		{"with a slash at the end", "/update/", insertA, asUpdate},
		{"by a form", "/update", form, asForm},
		{"at the endpoint of queries", "/sparql", insertA, asUpdate},
		{"by a form at the endpoint of queries", "/sparql/", form, asForm},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, engine := newMemoryServer(t, Options{})
			w := do(s, "POST", c.target, c.body, c.header)
			if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || w.Header().Get(headerQueryID) == "" {
				t.Fatalf("%d %s %v", w.Code, w.Body, w.Header())
			}
			var report rdfgpu.UpdateReport
			if err := json.Unmarshal(w.Body.Bytes(), &report); err != nil {
				t.Fatal(err)
			}
			if report.Sequence != 1 || report.Added != 1 || report.Removed != 0 || len(report.Graphs) != 1 {
				t.Errorf("%s", w.Body)
			}
			if w.Header().Get(headerSequence) != "1" || w.Header().Get("ETag") != `"1"` {
				t.Errorf("%v", w.Header())
			}
			if got := engine.content(""); got != "<http://e/a> <http://e/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n" {
				t.Error(got)
			}
		})
	}
}

func TestUpdatesThatAreWrongAreToldSo(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, method, target, body string
		headers                    []string
		status                     int
	}{
		{"by GET", "GET", "/update?update=CLEAR+ALL", "", nil, 400},
		{"by GET at the endpoint of queries", "GET", "/sparql?update=CLEAR+ALL", "", nil, 400},
		{"in the address of a POST", "POST", "/update?update=CLEAR+ALL", "", []string{asForm}, 400},
		{"by another method", "PUT", "/update", "CLEAR ALL", []string{asUpdate}, 405},
		{"two of them", "POST", "/update", "update=CLEAR+ALL&update=CLEAR+ALL", []string{asForm}, 400},
		{"none in a form", "POST", "/update", "a=b", []string{asForm}, 400},
		{"beside a query", "POST", "/sparql", "update=CLEAR+ALL&query=ASK", []string{asForm}, 400},
		{"beside a query in the address", "POST", "/sparql?query=ASK", "CLEAR ALL", []string{asUpdate}, 400},
		{"a query at the address of updates", "POST", "/update", "ASK", []string{"Content-Type: application/sparql-query"}, 400},
		{"a query by GET at the address of updates", "GET", "/update?query=ASK", "", nil, 400},
		{"another media type", "POST", "/update", "CLEAR ALL", []string{"Content-Type: text/plain"}, 415},
		{"no media type", "POST", "/update", "CLEAR ALL", nil, 415},
		{"another character set", "POST", "/update", "CLEAR ALL", []string{asUpdate + "; charset=utf-16"}, 415},
		{"another compression", "POST", "/update", "CLEAR ALL", []string{asUpdate, "Content-Encoding: br"}, 415},
		{"a broken compression", "POST", "/update", "CLEAR ALL", []string{asUpdate, "Content-Encoding: gzip"}, 400},
		{"no UTF-8", "POST", "/update", "CLEAR \xff", []string{asUpdate}, 400},
		{"no UTF-8 in a form", "POST", "/update", "update=%ff", []string{asForm}, 400},
		{"a syntax error", "POST", "/update", "BAD", []string{asUpdate}, 400},
		{"too long", "POST", "/update", strings.Repeat("x", 300), []string{asUpdate}, 413},
		{"a relative graph to use", "POST", "/update?using-graph-uri=g", "CLEAR ALL", []string{asUpdate}, 400},
		{"a relative named graph to use", "POST", "/update?using-named-graph-uri=g", "CLEAR ALL", []string{asUpdate}, 400},
		{"graphs to use beside the update's own", "POST", "/update?using-graph-uri=http://e/g", insertA, []string{asUpdate}, 400},
		{"no boolean", "POST", "/update?dry-run=perhaps", "CLEAR ALL", []string{asUpdate}, 400},
		{"a relative base", "POST", "/update?base=x", "CLEAR ALL", []string{asUpdate}, 400},
		{"no time", "POST", "/update?timeout=soon", "CLEAR ALL", []string{asUpdate}, 400},
		{"an unknown device", "POST", "/update?device=x", "CLEAR ALL", []string{asUpdate}, 400},
		{"a condition that is none", "POST", "/update", "CLEAR ALL", []string{asUpdate, "If-Match: 17"}, 400},
		{"a condition that does not hold", "POST", "/update", "CLEAR ALL", []string{asUpdate, `If-Match: "17"`}, 412},
		{"a graph that is not there", "POST", "/update", "DROP GRAPH <http://e/x>", []string{asUpdate}, 409},
		{"a graph that is there", "POST", "/update", "FAIL exists", []string{asUpdate}, 409},
		{"too many writers", "POST", "/update", "FAIL writers", []string{asUpdate}, 503},
		{"a store that cannot be written", "POST", "/update", "FAIL readonly", []string{asUpdate}, 403},
		{"a data set of its own", "POST", "/update", "FAIL using", []string{asUpdate}, 400},
		{"a document that cannot be loaded", "POST", "/update", "FAIL load", []string{asUpdate}, 422},
		{"a full disk", "POST", "/update", "FAIL full", []string{asUpdate}, 507},
		{"a quota of the disk that is used up", "POST", "/update", "FAIL quota", []string{asUpdate}, 507},
		{"too much memory", "POST", "/update", "FAIL memory", []string{asUpdate}, 507},
		{"something unsupported", "POST", "/update", "FAIL unsupported", []string{asUpdate}, 501},
		{"the time limit", "POST", "/update?timeout=20ms", "WAIT", []string{asUpdate}, 504},
		{"another error", "POST", "/update", "FAIL other", []string{asUpdate}, 500},
		{"a panic", "POST", "/update", "PANIC", []string{asUpdate}, 500},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, engine := newMemoryServer(t, Options{MaxBody: 100, MaxUpdate: 200})
			w := do(s, c.method, c.target, c.body, c.headers...)
			if w.Code != c.status {
				t.Errorf("%d %s, want %d", w.Code, w.Body, c.status)
			}
			if w.Code == 503 && w.Header().Get("Retry-After") == "" {
				t.Error("nothing says when to try again")
			}
			if s.queries.len() != 0 || s.updates.now() != (counts{}) || engine.commits != 0 {
				t.Errorf("something is left: %d queries, %+v, %d commits", s.queries.len(), s.updates.now(), engine.commits)
			}
		})
	}
}

func TestAReadOnlyServerSaysHowToMakeItWritable(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	patch := "Content-Type: application/rdf-patch"
	for _, c := range []struct{ method, target, body, header string }{
		{"POST", "/update", insertA, asUpdate}, {"POST", "/sparql", insertA, asUpdate}, {"POST", "/sparql", "update=CLEAR+ALL", asForm},
		{"POST", "/update", "update=CLEAR+ALL", asForm}, {"GET", "/update", "", ""},
		{"PUT", "/store?default", "", "Content-Type: text/turtle"}, {"POST", "/store?default", "", "Content-Type: text/turtle"},
		{"DELETE", "/store?default", "", ""}, {"PATCH", "/store", "", patch},
	} {
		w := do(s, c.method, c.target, c.body, c.header)
		if w.Code != 403 || !strings.Contains(w.Body.String(), "--writable") {
			t.Errorf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
		}
	}
	if w := do(s, "GET", "/api/info", ""); !strings.Contains(w.Body.String(), `"writable":false`) || strings.Contains(w.Body.String(), `"live"`) {
		t.Error(w.Body)
	}
}

func TestAnUpdateIsTakenCompressed(t *testing.T) {
	t.Parallel()
	var packed strings.Builder
	g := gzip.NewWriter(&packed)
	g.Write([]byte(insertA))
	g.Close()
	z, _ := zstd.NewWriter(nil)
	defer z.Close()
	for name, body := range map[string]string{"gzip": packed.String(), "zstd": string(z.EncodeAll([]byte(insertA), nil)), "identity": insertA} {
		s, _ := newMemoryServer(t, Options{})
		if w := do(s, "POST", "/update", body, asUpdate, "Content-Encoding: "+name); w.Code != 200 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	// What is long once it is unpacked is refused.
	s, _ := newMemoryServer(t, Options{MaxUpdate: 1 << 10})
	if w := do(s, "POST", "/update", string(z.EncodeAll(make([]byte, 1<<20), nil)), asUpdate, "Content-Encoding: zstd"); w.Code != 413 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	// A query may be compressed too.
	if w := do(s, "POST", "/sparql", string(z.EncodeAll([]byte("ASK"), nil)), "Content-Type: application/sparql-query", "Content-Encoding: zstd"); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestADryRunOnlyTells(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{})
	w := do(s, "POST", "/update?dry-run=true", insertA, asUpdate)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"added":1`) || !strings.Contains(w.Body.String(), `"dryRun":true`) || engine.commits != 0 {
		t.Errorf("%d %s, %d commits", w.Code, w.Body, engine.commits)
	}
	metrics := do(s, "GET", "/metrics", "").Body.String()
	if !strings.Contains(metrics, `rdfgpu_updates_total{outcome="dry-run"} 1`) || !strings.Contains(metrics, "rdfgpu_triples_added_total 0") {
		t.Error("the metrics count what was not done")
	}
}

func TestAnUpdateIsAnsweredAsShortlyAsTheClientPrefers(t *testing.T) {
	t.Parallel()
	s, _ := newMemoryServer(t, Options{})
	for _, header := range []string{"Prefer: return=minimal", `Prefer: respond-async, return="minimal"; foo=1`} {
		w := do(s, "POST", "/update", insertA, asUpdate, header)
		if w.Code != 204 || w.Body.Len() != 0 || w.Header().Get("Preference-Applied") != "return=minimal" || w.Header().Get(headerSequence) != "1" {
			t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
		}
	}
	if w := do(s, "POST", "/update", insertA, asUpdate, "Prefer: return=representation"); w.Code != 200 || w.Body.Len() == 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheBaseOfAnUpdateIsItsAddress(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{})
	relative := "INSERT DATA { <a> <p> <b> }"
	do(s, "POST", "http://host:1/update", relative, asUpdate)
	do(s, "POST", "http://host:1/update?base=http://other/x/", relative, asUpdate)
	want := "<http://host:1/a> <http://host:1/p> <http://host:1/b> .\n<http://other/x/a> <http://other/x/p> <http://other/x/b> .\n"
	if got := engine.content(""); got != want {
		t.Error(got)
	}
}

func TestAnUpdateWaitsForNoQueryAndNoQueryForAnUpdate(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{MaxConcurrent: 1, MaxUpdates: 1, MaxQueued: 1, ClientShare: 100})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 3)
	update := func() {
		r := httptest.NewRequestWithContext(ctx, "POST", "/update", strings.NewReader("WAIT"))
		r.Header.Set("Content-Type", "application/sparql-update")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		ended <- w.Code
	}
	go update()
	waitFor(t, time.Second, func() bool { return engine.waiting.Load() == 1 })
	if w := get(s, "ASK"); w.Code != 200 {
		t.Errorf("a query beside an update that waits: %d", w.Code)
	}
	go update() // waits for its turn
	waitFor(t, time.Second, func() bool { return s.updates.now().waiting == 1 })
	w := do(s, "POST", "/update", insertA, asUpdate)
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "too many updates") {
		t.Errorf("an update beyond the queue: %d %s", w.Code, w.Body)
	}
	if info := do(s, "GET", "/api/queries", "").Body.String(); strings.Count(info, `"update":true`) != 2 {
		t.Error(info)
	}
	stop() // both clients hang up
	<-ended
	<-ended
	if s.queries.len() != 0 || s.updates.now() != (counts{}) || engine.waiting.Load() != 0 {
		t.Error("something is left of updates whose clients have gone")
	}
	if !strings.Contains(do(s, "GET", "/metrics", "").Body.String(), `rdfgpu_updates_total{outcome="gone"} 2`) {
		t.Error("the metrics do not tell")
	}
}

func TestAnUpdateCanBeCancelledByWhoMayWrite(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{Tokens: []string{"reader"}, WriteTokens: []string{"writer"}})
	ended := make(chan int)
	go func() {
		ended <- do(s, "POST", "/update", "WAIT", asUpdate, "Authorization: Bearer writer").Code
	}()
	waitFor(t, time.Second, func() bool { return engine.waiting.Load() == 1 })
	address := "/api/queries/" + s.queries.list()[0].ID
	if w := do(s, "DELETE", address, "", "Authorization: Bearer reader"); w.Code != 403 {
		t.Errorf("a reader cancels an update: %d", w.Code)
	}
	if w := do(s, "DELETE", address, "", "Authorization: Bearer writer"); w.Code != 204 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if code := <-ended; code != 409 {
		t.Errorf("%d", code)
	}
}

func TestWhatAnOperatorNeedsOfUpdatesIsThere(t *testing.T) {
	t.Parallel()
	log := &lines{}
	s, engine := newMemoryServer(t, Options{Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	do(s, "POST", "/update", insertA+" ; INSERT DATA { GRAPH <http://e/g> { <a> <b> <c> } }", asUpdate)
	do(s, "POST", "/update", "BAD", asUpdate)
	do(s, "POST", "/update", "CLEAR ALL", asUpdate, `If-Match: "9"`)
	metrics := do(s, "GET", "/metrics", "").Body.String()
	for _, want := range []string{`rdfgpu_updates_total{outcome="ok"} 1`, `rdfgpu_updates_total{outcome="malformed"} 1`, `rdfgpu_updates_total{outcome="conflict"} 1`,
		"rdfgpu_update_seconds_count 3", "rdfgpu_triples_added_total 2", "rdfgpu_triples_removed_total 0", "rdfgpu_sequence 1", "rdfgpu_delta_bytes 88",
		"rdfgpu_log_bytes 77", "rdfgpu_flushes_total 3", "rdfgpu_compactions_total 2", "rdfgpu_updates_waiting 0", "rdfgpu_updates_queued 0", "rdfgpu_store_writable 1"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
	info := do(s, "GET", "/api/info", "").Body.String()
	for _, want := range []string{`"writable":true`, `"sequence":1`, `"live":{`, `"logBytes":77`} {
		if !strings.Contains(info, want) {
			t.Errorf("no %q in %s", want, info)
		}
	}
	for _, want := range []string{"msg=update", "outcome=ok", "sequence=1", "added=2", "outcome=conflict"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in the log\n%s", want, log)
		}
	}
	if w := do(s, "GET", "/readyz", ""); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
	engine.failed = "the log /secret/path could not be synced"
	w := do(s, "POST", "/update", insertA, asUpdate)
	if w.Code != 503 || strings.Contains(w.Body.String(), "secret") || !strings.Contains(log.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(s, "GET", "/readyz", ""); w.Code != 503 || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if info := do(s, "GET", "/api/info", "").Body.String(); strings.Contains(info, "secret") || !strings.Contains(info, `"failed":`) {
		t.Error(info)
	}
	if metrics := do(s, "GET", "/metrics", "").Body.String(); !strings.Contains(metrics, "rdfgpu_store_writable 0") {
		t.Error("the metrics say that the store is writable")
	}
}

func TestBothEndpointsAreDescribed(t *testing.T) {
	t.Parallel()
	s, _ := newMemoryServer(t, Options{})
	for path, languages := range map[string]string{"/sparql": "sd:SPARQL11Query, sd:SPARQL11Update", "/update": "sd:SPARQL11Update"} {
		w := do(s, "GET", "http://host:1"+path, "")
		text := strings.Join(strings.Fields(w.Body.String()), " ")
		if !strings.Contains(text, "sd:endpoint <http://host:1"+path+">") || !strings.Contains(text, "sd:supportedLanguage "+languages) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if reader, _ := newTestServer(t, Options{}); strings.Contains(do(reader, "GET", "/sparql", "").Body.String(), "Update") {
		t.Error("a server that is read-only says that it takes updates")
	}
}

// TestABodyIsCountedAsItComes: the length of a chunked body is not known, and what is not there takes no memory.
func TestABodyIsCountedAsItComes(t *testing.T) {
	t.Parallel()
	budget := rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 16 << 20, Spill: 1 << 20})
	s, _ := newMemoryServer(t, Options{Budget: budget})
	server := listen(t, s)
	send := func(length int) int {
		text := io.MultiReader(strings.NewReader(insertA), strings.NewReader(strings.Repeat(" ", length)))
		response, err := http.Post(server.URL+"/update", "application/sparql-update", text)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		io.Copy(io.Discard, response.Body)
		return response.StatusCode
	}
	if code := send(100); code != 200 {
		t.Errorf("a small body of unknown length: %d", code)
	}
	if code := send(20 << 20); code != 507 {
		t.Errorf("a body beyond the memory: %d", code)
	}
	waitFor(t, time.Second, func() bool { return budget.Usage().Used == 0 })
}
