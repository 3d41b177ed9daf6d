package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// keptQuery is as long as queries are, keptForm the same as a form.
var (
	keptQuery = "SELECT 30 # " + strings.Repeat("?someone <http://example.org/terms#follows> ?another ; ", 5)
	keptForm  = url.Values{"query": {keptQuery}}.Encode()
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
	for name, c := range map[string]struct{ method, target, body, media, encoding string }{
		"by GET":                  {"GET", "/sparql?" + keptForm, "", "", ""},
		"by POST of a form":       {"POST", "/sparql", keptForm, mediaForm, ""},
		"by POST of a query":      {"POST", "/sparql", keptQuery, mediaQuery, ""},
		"by POST of a form, gzip": {"POST", "/sparql", keptForm, mediaForm, "gzip"},
	} {
		b.Run("kept answer "+name, func(b *testing.B) {
			s, _ := newTestServer(b, Options{AnswerCache: 1 << 20})
			w := &discarded{header: http.Header{}}
			ask := func() {
				r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
				r.Header["Content-Type"] = []string{c.media}
				r.Header["Accept-Encoding"] = []string{c.encoding}
				clear(w.header)
				s.ServeHTTP(w, r)
			}
			ask()
			ask()
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
			if w.header.Get("Cache-Status") == "" || w.header.Get("Content-Encoding") != c.encoding {
				b.Errorf("the answer was not kept: %v", w.header)
			}
		})
	}
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

// discarded is a response that nobody reads.
type discarded struct{ header http.Header }

func (d *discarded) SetReadDeadline(time.Time) error  { return nil }
func (d *discarded) SetWriteDeadline(time.Time) error { return nil }
func (d *discarded) Header() http.Header              { return d.header }
func (d *discarded) WriteHeader(int)                  {}
func (d *discarded) Write(b []byte) (int, error)      { return len(b), nil }
