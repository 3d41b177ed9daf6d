package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// FuzzProtocol sends arbitrary requests to the endpoint: none may panic, and each gets a status of its kind.
func FuzzProtocol(f *testing.F) {
	form, direct := "application/x-www-form-urlencoded", "application/sparql-query"
	f.Add("GET", "query=SELECT+3", "", "", "text/csv", "gzip")
	f.Add("GET", "query=ASK&default-graph-uri=http://g/&timeout=1s&send=3", "", "", "*/*;q=0.1", "zstd;q=0")
	f.Add("POST", "", form, "query=CONSTRUCT&semantics=isomorphism", "application/n-triples", "")
	f.Add("POST", "named-graph-uri=http://g/", direct, "SELECT 2000", "application/sparql-results+xml,text/*;q=0.5", "br,gzip;q=1.0")
	f.Add("PUT", "%zz", direct+"; charset=\"utf-8", "\xff", "json", ";")
	f.Add("POST", "explain=plan&device=gpu", form, "update=x&query=BAD", "application/problem+json", "")
	f.Fuzz(func(t *testing.T, method, parameters, contentType, body, accept, encoding string) {
		target, err := url.ParseRequestURI("/sparql?" + parameters)
		if err != nil || strings.Contains(parameters+body, "PANIC") || !validMethod(method) {
			return
		}
		s, engine := newTestServer(t, Options{MaxBody: 1 << 16})
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		defer cancel()
		r := httptest.NewRequest(method, "/sparql", strings.NewReader(body)).WithContext(ctx)
		r.URL = target
		r.Header = http.Header{"Content-Type": {contentType}, "Accept": {accept}, "Accept-Encoding": {encoding}}
		w := httptest.NewRecorder()
		func() {
			defer func() {
				if v := recover(); v != nil && v != http.ErrAbortHandler {
					t.Fatal(v)
				}
			}()
			s.ServeHTTP(w, r)
		}()
		if w.Code < 200 || w.Code > 599 || panics(t, s) > 0 {
			t.Errorf("%s %s: %d %s", method, parameters, w.Code, w.Body)
		}
		if engine.running.Load() != 0 || s.queries.len() != 0 || s.admit.now() != (counts{}) {
			t.Error("something of the query is left")
		}
	})
}

// panics reads the counter of requests that panicked.
func panics(t *testing.T, s *Server) float64 {
	families, err := s.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "rdfgpu_panics_total" {
			return family.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatal("no such metric")
	return 0
}

func validMethod(method string) bool {
	return method != "" && !strings.ContainsFunc(method, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// FuzzChanges sends arbitrary requests to what changes the store: none may panic, each gets a status of its kind, and one that
// failed has changed nothing.
func FuzzChanges(f *testing.F) {
	f.Add("POST", "/update", "dry-run=true&timeout=1s", "application/sparql-update", "INSERT DATA { <a> <b> <c> }", `"0"`, "")
	f.Add("POST", "/sparql", "using-graph-uri=http://g/", "application/x-www-form-urlencoded", "update=CLEAR+ALL&base=http://e/", "*", "identity")
	f.Add("PUT", "/store", "graph=http://g/", "text/turtle", "<a> <b> [] .", `W/"0", "1-x-turtle"`, "gzip")
	f.Add("POST", "/store/x", "default", "multipart/form-data; boundary=b", "--b\r\nContent-Type: application/n-triples\r\n\r\n<a:a> <b:b> \"c\" .\r\n--b--\r\n", "", "zstd")
	f.Add("DELETE", "/store", "default=", "", "", `"`, "x-gzip")
	f.Add("PATCH", "/store", "", "application/rdf-patch", "TX .\nA <a:a> <b:b> _:c <g:g> .\nTC .", `"0-`, "br")
	f.Add("GET", "/store", "graph=http://g/%31&format=nquads", "", "", "", "")
	f.Fuzz(func(t *testing.T, method, path, parameters, contentType, body, condition, encoding string) {
		target, err := url.ParseRequestURI(path + "?" + parameters)
		if err != nil || strings.Contains(parameters+body, "PANIC") || !validMethod(method) {
			return
		}
		s, engine := newMemoryServer(t, Options{MaxUpdate: 1 << 16, DirectGraphs: len(body)%2 == 0})
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		defer cancel()
		r := httptest.NewRequest(method, "/", strings.NewReader(body)).WithContext(ctx)
		r.URL = target
		r.Header = http.Header{"Content-Type": {contentType}, "If-Match": {condition}, "If-None-Match": {condition}, "Content-Encoding": {encoding}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code < 200 || w.Code > 599 || panics(t, s) > 0 {
			t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
		}
		if w.Code >= 300 && engine.commits > 0 || engine.commits > 1 {
			t.Errorf("%s %s: %d, and %d commits", method, target, w.Code, engine.commits)
		}
		if s.queries.len() != 0 || s.updates.now() != (counts{}) || s.uploads.now() != (counts{}) {
			t.Error("something of the request is left")
		}
	})
}
