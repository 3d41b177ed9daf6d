package web

import (
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAnAnswerIsKeptForGETAndForms: they are the same parameters. A query that is a body by itself is kept by itself.
func TestAnAnswerIsKeptForGETAndForms(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{AnswerCache: 1 << 20})
	form, query := "Content-Type: "+mediaForm, "Content-Type: "+mediaQuery
	for _, c := range []struct {
		method, target, body, header string
		kept                         bool
	}{
		{"GET", "/sparql?send=3&query=SELECT+5", "", "", false},
		{"POST", "/sparql", "send=3&query=SELECT+5", form, false}, // asked the second time
		{"GET", "/sparql?send=3&query=SELECT+5", "", "", true},
		{"HEAD", "/sparql?send=3&query=SELECT+5", "", "", true},
		{"POST", "/sparql", "send=3&query=SELECT+5", form, true},
		{"POST", "/sparql", "send=3&query=SELECT+5", form + "; charset=utf-8", true},
		{"POST", "/sparql?send=3", "query=SELECT+5", form, true},
		{"POST", "/sparql?send=3&query=SELECT+5", "", form, true},
		{"POST", "/sparql?send=4", "query=SELECT+5", form, false},
		{"POST", "/sparql/?send=3", "query=SELECT+5", form, false}, // another base
		{"POST", "/sparql?send=3", "SELECT 5", query, false},
		{"POST", "/sparql?send=3", "SELECT 5", query, false},
		{"POST", "/sparql?send=3", "SELECT 5", query, true},
	} {
		w := do(s, c.method, c.target, c.body, c.header)
		if w.Code != 200 || (w.Header().Get("Cache-Status") == hit) != c.kept || c.method != "HEAD" && strings.Count(w.Body.String(), "http://example.org/") != 6 && !strings.Contains(c.target, "4") {
			t.Errorf("%s %s %s: %d %v", c.method, c.target, c.body, w.Code, w.Header())
		}
		if tagged := w.Header().Get("ETag") != "" && w.Header().Get("Cache-Control") != ""; tagged != (c.method != "POST") {
			t.Errorf("%s: %v", c.method, w.Header())
		}
	}
	if n, _ := s.answers.size(); n != 2 {
		t.Errorf("%d answers are kept", n)
	}
}

// TestRequestsOfOneKeyAreTheSameRequest: where requests that are sent in any way have the same key, they are understood to be the same query, or none of
// them is one.
func TestRequestsOfOneKeyAreTheSameRequest(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{AnswerCache: 1 << 20, Writable: true})
	drawn, same, understood := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		first := drawParameters(t)
		second := first
		if rapid.IntRange(0, 3).Draw(t, "another") == 0 {
			second = drawParameters(t)
		}
		aKey, a := readAnyWay(t, s, first)
		bKey, b := readAnyWay(t, s, second)
		if aKey != bKey {
			return
		}
		same++
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%q: %+v, %+v", aKey, a, b)
		}
		if a != nil {
			understood++
		}
	})
	if drawn >= 100 && (same == 0 || understood == 0) {
		t.Errorf("%d pairs had the same key, %d of them of queries", same, understood)
	}
}

// drawParameters draws some parameters, mostly with a query.
func drawParameters(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{
		"query=ASK", "query=SELECT+1%3B", "query=;", "query=", "query", "a=1", "b=2", "send=1", "send=2", "update=u", "format=csv", "", "=", "%", "%26", "%71uery=ASK", mediaQuery, "4 http",
	}), 0, 3).Draw(t, "parameters")
	return strings.Join(append(parts, rapid.SampledFrom([]string{"", "query=ASK", "query=ASK", "query=ASK"}).Draw(t, "query")), "&")
}

// readAnyWay sends parameters in the address, or partly in a body; it returns the request's key, and the query that it is understood to be, nil for none.
func readAnyWay(t *rapid.T, s *Server, parameters string) (key string, q *request) {
	way := rapid.SampledFrom([]string{"GET", "GET", "HEAD", mediaForm, mediaForm, mediaQuery, mediaUpdate}).Draw(t, "way")
	r := httptest.NewRequest("GET", "/sparql", nil)
	r.Method, r.URL.RawQuery = way, parameters
	var c content
	if strings.Contains(way, "/") {
		cut := rapid.IntRange(0, len(parameters)).Draw(t, "cut")
		r.Method, r.URL.RawQuery = "POST", parameters[:cut]
		c = content{media: way, text: strings.TrimPrefix(parameters[cut:], "&")}
		if way != mediaForm {
			c.text = strings.TrimPrefix(c.text, "query=")
		}
	}
	key = string(appendAnswerKey(nil, r, c))
	q, problem := s.understand(httptest.NewRecorder(), r, c, queryExtras)
	if problem != nil || q.update != nil || q.text == "" {
		return key, nil
	}
	return key, q
}
