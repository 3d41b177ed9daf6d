package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

// newTestStores are two servers behind one listener: a is open, b wants a token.
func newTestStores(t *testing.T) *Stores {
	t.Helper()
	a, _ := newTestServer(t, Options{})
	b, _ := newTestServer(t, Options{Tokens: []string{"secret"}, MaxRows: 7})
	m, err := NewStores(map[string]*Server{"a": a, "b-2": b})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStoresAreAtPathsOfTheirNames(t *testing.T) {
	t.Parallel()
	m := newTestStores(t)
	for _, c := range []struct {
		name, target, header string
		status               int
		has                  string
	}{
		{"the list", "/", "", 200, `<a href="b-2/">b-2</a>`},
		{"an endpoint", "/a/sparql?query=ASK", "", 200, "true"},
		{"the workbench", "/a/", "", 200, "<!doctype html>"},
		{"the workbench without a slash", "/a", "", 308, ""},
		{"its files", "/a/api/info", "", 200, "timeoutSeconds"},
		{"the description", "/a/sparql", "Accept: text/turtle", 200, "http://example.com/a/sparql"},
		{"a store that wants a token", "/b-2/sparql?query=ASK", "", 401, "token"},
		{"with its token", "/b-2/sparql?query=ASK", "Authorization: Bearer secret", 200, "true"},
		{"limits of its own", "/b-2/api/info", "Authorization: Bearer secret", 200, `"maxRows":7`},
		{"no such store", "/c/sparql?query=ASK", "", 404, "/a/sparql"},
		{"an endpoint of no store", "/sparql?query=ASK", "", 404, "store's name"},
		{"all live", "/healthz", "", 200, "ok"},
		{"all are ready", "/readyz", "", 200, "ready"},
		{"metrics of all want a token", "/metrics", "", 401, ""},
		{"metrics of all", "/metrics", "Authorization: Bearer secret", 200, `rdfgpu_queries_running{store="b-2"} 0`},
		{"metrics of the process come once", "/metrics", "Authorization: Bearer secret", 200, "\ngo_goroutines "},
		{"metrics of one", "/a/metrics", "", 200, "\nrdfgpu_queries_running 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := do(m, "GET", c.target, "", c.header)
			if w.Code != c.status || !strings.Contains(strings.ToLower(w.Body.String()), strings.ToLower(c.has)) {
				t.Errorf("%d, want %d with %q: %s", w.Code, c.status, c.has, w.Body)
			}
			if w.Code != 308 && w.Header().Get(headerRequestID) == "" {
				t.Error("the answer names no request")
			}
		})
	}
	if at := do(m, "GET", "/a", "").Header().Get("Location"); at != "a/" {
		t.Errorf("sent to %q", at)
	}
	m.servers["b-2"].Trouble(fmt.Errorf("gone"))
	if w := do(m, "GET", "/readyz", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "b-2") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(m, "GET", "/a/readyz", ""); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestNamesOfStoresStandInPaths(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	for _, name := range []string{"", "a/b", "metrics", "ä", ".hidden", "a b"} {
		if _, err := NewStores(map[string]*Server{name: s}); err == nil {
			t.Errorf("a store is called %q", name)
		}
	}
	if _, err := NewStores(nil); err == nil {
		t.Error("no store is served")
	}
}

func TestAClientSendsNoMoreThanItsRate(t *testing.T) {
	t.Parallel()
	l, now := newRateLimit(10, 3), time.Now()
	one, other := clientID{token: 1}, clientID{token: 2}
	for i := range 3 {
		if wait := l.take(one, now); wait != 0 {
			t.Errorf("request %d of a burst waits %v", i, wait)
		}
	}
	if wait := l.take(one, now); wait < 99*time.Millisecond || wait > 101*time.Millisecond {
		t.Errorf("the next token comes in %v", wait)
	}
	if wait := l.take(other, now); wait != 0 {
		t.Errorf("another client waits %v", wait)
	}
	if wait := l.take(one, now.Add(150*time.Millisecond)); wait != 0 {
		t.Errorf("a token that came is not there: %v", wait)
	}
	if wait := l.take(one, now.Add(150*time.Millisecond)); wait == 0 {
		t.Error("there is a token that nobody gave")
	}
	if wait := l.take(one, now.Add(time.Hour)); wait != 0 {
		t.Errorf("after an hour it waits %v", wait)
	}
	if newRateLimit(0, 5) != nil {
		t.Error("no rate is a limit")
	}
}

func TestTooManyRequestsAreToldSo(t *testing.T) {
	t.Parallel()
	for _, tokens := range [][]string{nil, {"secret", "other"}} {
		s, _ := newTestServer(t, Options{Rate: 1e-6, Burst: 2, Tokens: tokens})
		header := ""
		if tokens != nil {
			header = "Authorization: Bearer secret"
		}
		for i, want := range []int{200, 200, 429} {
			w := do(s, "GET", "/sparql?query=ASK", "", header)
			if w.Code != want || want == 429 && w.Header().Get("Retry-After") == "" {
				t.Errorf("request %d: %d %v %s", i, w.Code, w.Header(), w.Body)
			}
		}
		if w := do(s, "GET", "/store?default", "", header); w.Code != 429 {
			t.Errorf("reading a graph: %d", w.Code)
		}
		if w := do(s, "GET", "/api/info", "", header); w.Code != 200 {
			t.Errorf("the workbench: %d", w.Code)
		}
		if tokens != nil {
			if w := do(s, "GET", "/sparql?query=ASK", "", "Authorization: Bearer other"); w.Code != 200 {
				t.Errorf("another token: %d", w.Code)
			}
		}
	}
}

func TestRequestsKeepTheirNames(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s, _ := newTestServer(t, Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	w := do(s, "GET", "/sparql?query=ASK", "", "X-Request-Id: proxy/17=a")
	if w.Header().Get(headerRequestID) != "proxy/17=a" || !strings.Contains(log.String(), "request=\"proxy/17=a\"") {
		t.Errorf("%v\n%s", w.Header(), log.String())
	}
	for _, bad := range []string{"two words", strings.Repeat("x", 129), `quo"te`, "ä"} {
		if got := do(s, "GET", "/healthz", "", "X-Request-Id: "+bad).Header().Get(headerRequestID); got == bad || got == "" {
			t.Errorf("%q is answered with %q", bad, got)
		}
	}
	first, second := do(s, "GET", "/healthz", ""), do(s, "GET", "/healthz", "")
	if first.Header().Get(headerRequestID) == second.Header().Get(headerRequestID) {
		t.Error("two requests have one name")
	}
}

var _ http.Handler = (*Stores)(nil)
