package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// BenchmarkOverhead is what the server adds to a small query: everything from the request to the last byte of one row,
// with an engine that costs next to nothing.
func BenchmarkOverhead(b *testing.B) {
	s, _ := newTestServer(b, Options{})
	b.Run("handler by GET", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := httptest.NewRequest("GET", "/sparql?query=SELECT+1", nil)
			r.Header.Set("Accept", "application/sparql-results+json")
			s.ServeHTTP(httptest.NewRecorder(), r)
		}
	})
	b.Run("handler by POST", func(b *testing.B) {
		b.ReportAllocs()
		form := url.Values{"query": {"SELECT 1"}}.Encode()
		for b.Loop() {
			r := httptest.NewRequest("POST", "/sparql", strings.NewReader(form))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			s.ServeHTTP(httptest.NewRecorder(), r)
		}
	})
	b.Run("over a connection", func(b *testing.B) { benchmarkConnection(b, s) })
	b.Run("over a connection, empty handler", func(b *testing.B) {
		body := []byte(strings.Repeat("x", 180))
		benchmarkConnection(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(body) }))
	})
}

func benchmarkConnection(b *testing.B, handler http.Handler) {
	server := httptest.NewServer(handler)
	defer server.Close()
	client := server.Client()
	b.ReportAllocs()
	for b.Loop() {
		response, err := client.Get(server.URL + "/sparql?query=SELECT+1")
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}
