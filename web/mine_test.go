package web

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const minedTurtle = `@prefix : <http://e/> .
:a :knows :b , :c , "nobody" ; a :Person . :b :knows :c . :c :knows :d . :x :knows :y .`

// serveTurtle serves a store of a text.
func serveTurtle(t *testing.T, text string) *Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.ttl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return serveFile(t, path).(*Server)
}

func getMine(s http.Handler, parameters string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/mine?"+parameters, nil)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestMinedThingsAreCountedAndListed(t *testing.T) {
	t.Parallel()
	s := serveTurtle(t, minedTurtle)
	for _, c := range []struct{ parameters, accept, mediaType, want string }{
		{"what=triangles&edges=:knows", "", "application/json", `"count":1`},
		{"what=cliques&size=2&edges=http://e/knows", "", "application/json", `"count":5`},
		{"what=cliques&maximal", "", "application/json", `"by":[{"value":2,"count":2},{"value":3,"count":1}]`},
		{"what=motifs&induced=true&sparql", "", "application/json", `"sparql":"SELECT DISTINCT`},
		{"what=motifs", "text/csv", "text/csv; charset=utf-8", "5,path of 3,"},
		{"what=frequent&support=2&size=2", "", "application/json", `"brief":"?a :knows ?b"`},
		{"what=frequent&support=4&no-classes&undirected&format=tsv", "", "text/tab-separated-values; charset=utf-8", "6\t0\t1\t?a (<http://e/knows>"},
		{"what=frequent&support=1&size=1&bins=2&edges=:knows&sparql", "", "application/json", `"values":["","sameTerm(?b, \"nobody\")"]`},
		{"what=cores", "", "application/json", `{"value":2,"count":3}`},
		{"what=cores&list&format=csv", "", "text/csv; charset=utf-8", "http://e/a,2\r\n"},
		{"what=trusses&list&format=tsv", "", "text/tab-separated-values; charset=utf-8", "\t3\n"},
		{"what=components&format=csv", "", "text/csv; charset=utf-8", "value,count\r\n2,1\r\n4,1\r\n"},
		{"what=triangles&list", "application/json", "application/json", `{"columns":["v1","v2","v3"],"rows":[["<http://e/`},
		{"what=cliques&maximal&list&format=csv", "", "text/csv; charset=utf-8", "vertices\r\n"},
	} {
		w := getMine(s, c.parameters, "Accept", c.accept)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != c.mediaType || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s\n%s", c.parameters, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
		if c.mediaType == "application/json" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: no JSON: %s", c.parameters, w.Body)
		}
	}
	form := url.Values{"what": {"triangles"}, "edges": {":knows"}}
	r := httptest.NewRequest(http.MethodPost, "/mine", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); !strings.Contains(w.Body.String(), `"count":1`) {
		t.Errorf("a form: %d %s", w.Code, w.Body)
	}
}

func TestWhatCannotBeMinedIsSaid(t *testing.T) {
	t.Parallel()
	s := serveTurtle(t, minedTurtle)
	for parameters, c := range map[string]struct {
		status int
		want   string
	}{
		"":                                  {400, "is none of triangles, cliques"},
		"what=squares":                      {400, "is none of triangles, cliques"},
		"what=triangles&edges=:hates":       {400, "none ends in #hates or /hates"},
		"what=triangles&edges=:hates&list":  {400, "none ends in #hates or /hates"},
		"what=triangles&graph=http://e/no":  {404, "http://e/no"},
		"what=triangles&query=x":            {400, `there is no parameter "query"`},
		"what=cliques&size=x":               {400, `parameter "size": "x": expected a number`},
		"what=cliques&size=0":               {400, "a number of 1 or more"},
		"what=motifs&classes=http://e/none": {400, "no resource is of the class: <http://e/none>"},
		"what=cliques&size=99":              {400, "99 is not between 2 and 32"},
		"what=cliques&size=-1":              {400, "expected a number"},
		"what=cliques&maximal=perhaps":      {400, "expected true or false"},
		"what=motifs&list":                  {400, "counted, not listed"},
		"what=frequent":                     {400, "need a support"},
		"what=frequent&support=1&measure=x": {400, "mni or instances"},
		"what=frequent&support=1&bins=65":   {400, "0 to 64 bins"},
		"what=frequent&support=1&bins=x":    {400, "expected a number"},
		"what=frequent&support=1&bounds=:p": {400, "PREDICATE=BOUND"},
		"what=cores&bins=2":                 {400, "for frequent patterns"},
		"what=cores&format=xml":             {400, "expected json, csv, tsv or events"},
		"what=cores&timeout=soon":           {400, "a duration such as 30s"},
		"what=cores&list&format=events":     {400, "lists come as JSON, CSV or TSV"},
		"what=motifs&size=5&timeout=1ns":    {503, "time limit"},
	} {
		w := getMine(s, parameters)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%q: %d %s, want %d %s", parameters, w.Code, w.Body, c.status, c.want)
		}
	}
	if w := getMine(s, "what=cores", "Accept", "image/png"); w.Code != http.StatusNotAcceptable {
		t.Errorf("a picture: %d", w.Code)
	}
	if n := s.queries.len(); n != 0 {
		t.Errorf("%d are still under way", n)
	}
}

// wheel has so many cliques of middling size that listing them takes long.
func wheel(vertices int) string {
	var b strings.Builder
	for i := range vertices {
		for j := range i {
			b.WriteString("<http://e/" + strconv.Itoa(i) + "> <http://e/p> <http://e/" + strconv.Itoa(j) + "> .\n")
		}
	}
	return b.String()
}

func TestASearchTellsHowFarItIsAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	s := serveTurtle(t, wheel(64))
	server := listen(t, s)
	w := getMine(s, "what=triangles&format=events")
	if body := w.Body.String(); !strings.HasPrefix(body, "event: result\ndata: {") || !strings.Contains(body, `"count":41664`) {
		t.Errorf("%s", body)
	}
	if body := getMine(s, "what=triangles&edges=:no&format=events").Body.String(); !strings.Contains(body, "event: problem") {
		t.Errorf("%s", body)
	}
	if w := getMine(s, "what=cliques&size=16&timeout=100ms"); w.Code != http.StatusGatewayTimeout {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for name, parameters := range map[string]string{"a count": "what=cliques&size=16&format=events", "a list": "what=cliques&size=16&list&format=csv"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/mine?"+parameters, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(response.Body)
		if lines.Scan(); name == "a count" && lines.Text() != "event: progress" {
			t.Errorf("%s begins with %q", name, lines.Text())
		}
		for _, q := range s.queries.list() {
			if !strings.HasPrefix(q.Text, "mine ") || q.state() == "waiting" {
				t.Errorf("%s: %q is %s", name, q.Text, q.state())
			}
			r := httptest.NewRequest(http.MethodDelete, "/api/queries/"+q.ID, nil)
			s.ServeHTTP(httptest.NewRecorder(), r)
		}
		last := ""
		for lines.Scan() {
			if lines.Text() != "" {
				last = lines.Text()
			}
		}
		if name == "a count" && !strings.Contains(last, "somebody cancelled it") {
			t.Errorf("%s ends with %q", name, last)
		}
		if name == "a list" && lines.Err() == nil {
			t.Errorf("%s ends as if it were whole: %q", name, last)
		}
		response.Body.Close()
		cancel()
		waitFor(t, time.Second, func() bool { return s.queries.len() == 0 })
	}
}

func TestWhoDoesNotReadAListKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	s := serveTurtle(t, wheel(64))
	server := listen(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/mine?what=cliques&size=16&list", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	waitFor(t, 10*time.Second, func() bool {
		list := s.queries.list()
		return len(list) == 1 && list[0].state() == "sending"
	})
	if w := get(s, "SELECT (COUNT(*) AS ?n) { ?a ?p ?b }"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "2016") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := getMine(s, "what=triangles"); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
