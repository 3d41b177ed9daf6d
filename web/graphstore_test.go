package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const (
	asTurtle = "Content-Type: text/turtle"
	asPatch  = "Content-Type: application/rdf-patch"
	graphG   = "/store?graph=http://e/g"
)

func TestAGraphIsPutAndReadInEverySyntax(t *testing.T) {
	t.Parallel()
	documents := map[string]string{
		"text/turtle":           "@prefix : <http://e/> . :s :p \"o\" .",
		"application/x-turtle":  "<http://e/s> <http://e/p> 'o' .",
		"application/n-triples": "<http://e/s> <http://e/p> \"o\" .\n",
		"application/rdf+xml": `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://e/">` +
			`<rdf:Description rdf:about="http://e/s"><p>o</p></rdf:Description></rdf:RDF>`,
	}
	s, engine := newMemoryServer(t, Options{})
	for media, text := range documents {
		if w := do(s, "PUT", graphG, text, "Content-Type: "+media+"; charset=UTF-8"); w.Code != 200 && w.Code != 201 {
			t.Errorf("%s: %d %s", media, w.Code, w.Body)
		}
		if got := engine.content("http://e/g"); got != documents["application/n-triples"] {
			t.Errorf("%s: %s", media, got)
		}
	}
	for accept, want := range map[string]string{
		"text/turtle": "text/turtle; charset=utf-8", "application/n-triples": "application/n-triples", "application/rdf+xml": "application/rdf+xml",
		"*/*": "text/turtle; charset=utf-8", "application/trig;q=0.9, text/turtle;q=0.5": "text/turtle; charset=utf-8",
	} {
		w := do(s, "GET", graphG, "", "Accept: "+accept)
		if w.Code != 200 || w.Header().Get("Content-Type") != want || !strings.Contains(w.Body.String(), "o") || w.Header().Get(headerSequence) != "1" {
			t.Errorf("%s: %d %v %s", accept, w.Code, w.Header(), w.Body)
		}
	}
	if w := do(s, "GET", graphG+"&format=ntriples", ""); w.Body.String() != documents["application/n-triples"] {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestEveryStatusOfTheGraphStore(t *testing.T) {
	t.Parallel()
	const triple = "<http://e/x> <http://e/p> 1 ."
	cases := []struct {
		name, method, target, body string
		headers                    []string
		status                     int
	}{
		{"PUT of a new graph", "PUT", "/store?graph=http://e/new", triple, []string{asTurtle}, 201},
		{"PUT of a new graph, briefly", "PUT", "/store?graph=http://e/new", triple, []string{asTurtle, "Prefer: return=minimal"}, 201},
		{"PUT of a graph that is there", "PUT", graphG, triple, []string{asTurtle}, 200},
		{"PUT of a graph that is there, briefly", "PUT", graphG, triple, []string{asTurtle, "Prefer: return=minimal"}, 204},
		{"PUT of nothing makes nothing", "PUT", "/store?graph=http://e/new", "", []string{asTurtle}, 200},
		{"PUT of the default graph, which is always there", "PUT", "/store?default", triple, []string{asTurtle}, 200},
		{"PUT of all graphs", "PUT", "/store", triple, []string{asTurtle}, 400},
		{"POST to a graph that is there", "POST", graphG, triple, []string{asTurtle}, 200},
		{"POST to a new graph", "POST", "/store?graph=http://e/new", triple, []string{asTurtle}, 201},
		{"POST to the store", "POST", "/store", triple, []string{asTurtle}, 201},
		{"DELETE of a graph that is there", "DELETE", graphG, "", nil, 200},
		{"DELETE of a graph that is there, briefly", "DELETE", graphG, "", []string{"Prefer: return=minimal"}, 204},
		{"DELETE of the default graph", "DELETE", "/store?default", "", nil, 200},
		{"DELETE of a graph that is not there", "DELETE", "/store?graph=http://e/none", "", nil, 404},
		{"DELETE of all graphs", "DELETE", "/store", "", nil, 400},
		{"GET of a graph that is there", "GET", graphG, "", nil, 200},
		{"GET of a graph that is not there", "GET", "/store?graph=http://e/none", "", nil, 404},
		{"GET of the default graph, which is empty", "GET", "/store?default", "", nil, 200},
		{"GET of all graphs", "GET", "/store", "", nil, 200},
		{"GET of all graphs with a slash", "GET", "/store/", "", nil, 200},
		{"GET of all graphs in a syntax of one", "GET", "/store", "", []string{"Accept: text/turtle"}, 406},
		{"GET of one graph in a syntax of all", "GET", graphG, "", []string{"Accept: application/n-quads"}, 406},
		{"GET of one graph in an unknown syntax", "GET", graphG, "", []string{"Accept: image/png"}, 406},
		{"HEAD of a graph that is there", "HEAD", graphG, "", nil, 200},
		{"HEAD of a graph that is not there", "HEAD", "/store?graph=http://e/none", "", nil, 404},
		{"HEAD of all graphs", "HEAD", "/store", "", nil, 200},
		{"PATCH", "PATCH", "/store", "TX .\nA <http://e/x> <http://e/p> \"1\" <http://e/g> .\nTC .\n", []string{asPatch}, 200},
		{"PATCH, briefly", "PATCH", "/store", "A <http://e/x> <http://e/p> \"1\" .\n", []string{asPatch, "Prefer: return=minimal"}, 204},
		{"PATCH of one graph", "PATCH", graphG, "A <http://e/x> <http://e/p> \"1\" .\n", []string{asPatch}, 400},
		{"PATCH by an update", "PATCH", "/store", "CLEAR ALL", []string{asUpdate}, 415},
		{"PATCH without a type", "PATCH", "/store", "A <http://e/x> <http://e/p> \"1\" .\n", nil, 415},
		{"PATCH that is malformed", "PATCH", "/store", "A <http://e/x> .\n", []string{asPatch}, 400},
		{"another method", "TRACE", graphG, "", nil, 405},
		{"two graphs", "GET", graphG + "&graph=http://e/h", "", nil, 400},
		{"a graph and the default graph", "GET", graphG + "&default", "", nil, 400},
		{"a relative graph", "GET", "/store?graph=g", "", nil, 400},
		{"a graph with a space", "PUT", "/store?graph=http://e/a%20b", triple, []string{asTurtle}, 400},
		{"a graph that would end its own name", "GET", "/store?graph=http://e/a%3E", "", nil, 400},
		{"bad URL encoding", "GET", "/store?graph=%zz", "", nil, 400},
		{"an address below the store", "GET", "/store/a", "", nil, 404},
		{"PUT of an address below the store", "PUT", "/store/a", triple, []string{asTurtle}, 404},
		{"no media type", "PUT", graphG, triple, nil, 415},
		{"another media type", "PUT", graphG, triple, []string{"Content-Type: application/ld+json"}, 415},
		{"N-Quads", "PUT", graphG, triple, []string{"Content-Type: application/n-quads"}, 415},
		{"TriG to the store", "POST", "/store", triple, []string{"Content-Type: application/trig"}, 415},
		{"another character set", "PUT", graphG, triple, []string{asTurtle + "; charset=latin1"}, 415},
		{"another compression", "PUT", graphG, triple, []string{asTurtle, "Content-Encoding: br"}, 415},
		{"a broken compression", "PUT", graphG, triple, []string{asTurtle, "Content-Encoding: zstd"}, 400},
		{"a malformed document", "PUT", graphG, "<http://e/x> <http://e/p> .", []string{asTurtle}, 400},
		{"a form without parts", "POST", graphG, "--x--\r\n", []string{"Content-Type: multipart/form-data; boundary=x"}, 400},
		{"a form without an end", "POST", graphG, "--x\r\n\r\n", []string{"Content-Type: multipart/form-data; boundary=x"}, 415},
		{"a form without a boundary", "POST", graphG, "", []string{"Content-Type: multipart/form-data"}, 400},
		{"a dry run of a PUT", "PUT", graphG + "&dry-run=true", triple, []string{asTurtle}, 400},
		{"a condition that does not hold", "PUT", graphG, triple, []string{asTurtle, `If-Match: "9"`}, 412},
		{"a parameter that is wrong", "GET", graphG + "&timeout=-1", "", nil, 400},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, engine := newMemoryServer(t, Options{})
			if w := do(s, "PUT", graphG, "<http://e/s> <http://e/p> 2 .", asTurtle); w.Code != 201 {
				t.Fatal(w.Code)
			}
			w := do(s, c.method, c.target, c.body, c.headers...)
			if w.Code != c.status {
				t.Errorf("%d %s, want %d", w.Code, w.Body, c.status)
			}
			if c.method == "HEAD" && w.Body.Len() > 0 || w.Code == 204 && w.Body.Len() > 0 || w.Code == 405 && w.Header().Get("Allow") == "" {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
			if w.Code >= 400 && engine.commits != 1 {
				t.Error("a request that failed has changed the store")
			}
			if s.queries.len() != 0 || s.updates.now() != (counts{}) || s.uploads.now() != (counts{}) || s.admit.now() != (counts{}) {
				t.Error("something of the request is left")
			}
		})
	}
}

func TestAGraphWithoutANameGetsOne(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{})
	w := do(s, "POST", "http://host:1/store", "<> <http://e/p> <x> .", asTurtle)
	name := w.Header().Get("Location")
	if w.Code != 201 || !strings.HasPrefix(name, "http://host:1/store/") || len(name) < len("http://host:1/store/")+20 {
		t.Fatalf("%d %q", w.Code, name)
	}
	if got := engine.content(name); got != "<"+name+"> <http://e/p> <http://host:1/store/x> .\n" {
		t.Error(got)
	}
	if w := do(s, "GET", "/store?graph="+url.QueryEscape(name), ""); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAddressesAreGraphsWhereAskedFor(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{DirectGraphs: true})
	if w := do(s, "PUT", "http://host:1/store/a%20b/c.ttl", "<x> <http://e/p> 'o' .", asTurtle); w.Code != 201 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := engine.content("http://host:1/store/a%20b/c.ttl"); got != "<http://host:1/store/a%20b/x> <http://e/p> \"o\" .\n" {
		t.Errorf("%q of %s", got, engine.dumped(t))
	}
	if w := do(s, "GET", "http://host:1/store/a%20b/c.ttl", ""); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(s, "GET", "http://host:1/store/a?default", ""); w.Code != 400 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheStoreIsDumped(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{})
	do(s, "PUT", graphG, "<http://e/s> <http://e/p> 'a' .", asTurtle)
	do(s, "PUT", "/store?default", "<http://e/s> <http://e/p> 'b' .", asTurtle)
	for _, target := range []string{"/store", "/store?format=nquads", "/store/"} {
		w := do(s, "GET", target, "")
		if w.Body.String() != engine.dumped(t) || w.Header().Get("Content-Type") != "application/n-quads" ||
			w.Header().Get(headerSequence) != "2" || fieldOf(w, headerRows) != "2" {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
	}
	reader, _ := newTestServer(t, Options{})
	if w := do(reader, "GET", "/store", "", "Accept: application/n-quads"); w.Code != 200 || w.Body.Len() == 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// form is a body of several files: name, media type and text of each.
func form(parts ...[3]string) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "--xyz\r\nContent-Disposition: form-data; name=\"f\"; filename=%q\r\n", p[0])
		if p[1] != "" {
			fmt.Fprintf(&b, "Content-Type: %s\r\n", p[1])
		}
		fmt.Fprintf(&b, "\r\n%s\r\n", p[2])
	}
	return b.String() + "--xyz--\r\n"
}

func TestTheFilesOfAFormAreOneChange(t *testing.T) {
	t.Parallel()
	const asParts = "Content-Type: multipart/form-data; boundary=xyz"
	turtle, triples := "_:a <http://e/p> 'x' .", "_:a <http://e/p> \"y\" .\n"
	cases := []struct {
		name    string
		parts   [][3]string
		status  int
		triples int
	}{
		{"by their types", [][3]string{{"", "text/turtle; charset=utf-8", turtle}, {"", "application/n-triples", triples}}, 201, 2},
		{"by their names", [][3]string{{"A.TTL", "application/octet-stream", turtle}, {"b.nt", "", triples}}, 201, 2},
		{"one of them malformed", [][3]string{{"a.ttl", "", turtle}, {"b.ttl", "", "<x>"}}, 400, 0},
		{"one of them of another type", [][3]string{{"a.ttl", "", turtle}, {"b.json", "application/ld+json", "{}"}}, 415, 0},
		{"one of them of no type", [][3]string{{"a.ttl", "", turtle}, {"b", "", "{}"}}, 415, 0},
	}
	for _, c := range cases {
		s, engine := newMemoryServer(t, Options{})
		w := do(s, "POST", graphG, form(c.parts...), asParts)
		if w.Code != c.status || len(engine.graphs["http://e/g"]) != c.triples {
			t.Errorf("%s: %d %s, %d triples", c.name, w.Code, w.Body, len(engine.graphs["http://e/g"]))
		}
		if len(blanks(engine.graphs["http://e/g"])) != c.triples {
			t.Errorf("%s: documents share their blank nodes", c.name)
		}
	}
	s, _ := newMemoryServer(t, Options{})
	cut := form([3]string{"a.ttl", "", turtle}, [3]string{"b.ttl", "", turtle})
	if w := do(s, "POST", graphG, cut[:len(cut)-40], asParts); w.Code != 400 {
		t.Errorf("a form that ends in the middle: %d %s", w.Code, w.Body)
	}
}

func TestALargeDocumentIsAnUpload(t *testing.T) {
	t.Parallel()
	s, engine := newMemoryServer(t, Options{MaxUpdates: 1, MaxUploads: 1, MaxQueued: -1})
	server := listen(t, s)
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		request, _ := http.NewRequest("PUT", server.URL+graphG, r)
		request.Header.Set("Content-Type", "application/n-triples")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			ended <- 0
			return
		}
		response.Body.Close()
		ended <- response.StatusCode
	}()
	line := "<http://e/s> <http://e/p> \"" + strings.Repeat("x", 1000) + "\" .\n"
	for range 2 * smallBody / len(line) {
		io.WriteString(w, line)
	}
	waitFor(t, time.Second, func() bool { return s.uploads.now().running == 1 })
	// A small document and an update pass it, another large one has to wait.
	if w := do(s, "PUT", "/store?graph=http://e/small", "<a> <b> <c> .", asTurtle); w.Code != 201 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(s, "POST", "/update", insertA, asUpdate); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := do(s, "PUT", "/store?graph=http://e/large", strings.Repeat(line, 2*smallBody/len(line)), "Content-Type: application/n-triples"); w.Code != 503 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	w.Close()
	if code := <-ended; code != 201 || len(engine.graphs["http://e/g"]) != 1 {
		t.Errorf("%d, %d triples", code, len(engine.graphs["http://e/g"]))
	}
}

// TestAClientThatHangsUpInTheMiddleOfADocumentChangesNothing is serial: its limit of reading is short.
func TestAClientThatHangsUpInTheMiddleOfADocumentChangesNothing(t *testing.T) {
	s, engine := newMemoryServer(t, Options{ReadTimeout: 50 * time.Millisecond})
	server := listen(t, s)
	ctx, hangUp := context.WithCancel(t.Context())
	r, w := io.Pipe()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for range 20_000 {
			if _, err := io.WriteString(w, "<http://e/s> <http://e/p> \"o\" .\n"); err != nil {
				return
			}
		}
		hangUp()
		w.CloseWithError(io.ErrUnexpectedEOF)
	}()
	request, _ := http.NewRequestWithContext(ctx, "PUT", server.URL+graphG, r)
	request.Header.Set("Content-Type", "application/n-triples")
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
	}
	r.Close()
	<-sent
	// One that stands still is told so.
	still := dial(t, server.URL)
	fmt.Fprintf(still, "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/n-triples\r\nContent-Length: 1000\r\n\r\n<http://e/s> ", graphG)
	if response, err := http.ReadResponse(bufio.NewReader(still), nil); err != nil || response.StatusCode != 408 {
		t.Errorf("a body that stands still: %v %v", response, err)
	}
	waitFor(t, time.Second, func() bool { return s.queries.len() == 0 })
	if engine.commits != 0 || s.uploads.now() != (counts{}) || s.updates.now() != (counts{}) {
		t.Errorf("%d commits, %+v", engine.commits, s.uploads.now())
	}
}

// countingEngine reads documents and forgets them.
type countingEngine struct {
	*memoryEngine
	bytes int64
	most  uint64
}

func (e *countingEngine) PutGraph(ctx context.Context, name string, body io.Reader, options rdfgpu.GraphOptions) (rdfgpu.UpdateReport, bool, error) {
	buffer := make([]byte, 64<<10)
	for blocks := 0; ; blocks++ {
		n, err := body.Read(buffer)
		e.bytes += int64(n)
		if blocks%500 == 0 {
			var memory runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&memory)
			e.most = max(e.most, memory.HeapAlloc)
		}
		if err == io.EOF {
			return rdfgpu.UpdateReport{Sequence: 1, Added: 1}, false, nil
		}
		if err != nil {
			return rdfgpu.UpdateReport{}, false, err
		}
	}
}

// TestMemoryDoesNotGrowWithADocument is serial: it measures the heap of the process.
func TestMemoryDoesNotGrowWithADocument(t *testing.T) {
	const length = 96 << 20
	line := bytes.Repeat([]byte("<http://e/s> <http://e/p> \"o\" .\n"), 1000)
	pack := map[string]func(io.Writer) io.WriteCloser{
		"":     func(w io.Writer) io.WriteCloser { return w.(io.WriteCloser) },
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
			return z
		},
	}
	for coding, packed := range pack {
		engine := &countingEngine{memoryEngine: newMemoryEngine()}
		s, err := New(engine, Options{Writable: true, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, w := io.Pipe()
		go func() {
			out := packed(w)
			for range length / len(line) {
				out.Write(line)
			}
			out.Close()
			w.Close()
		}()
		request := httptest.NewRequest("PUT", graphG, r)
		request.ContentLength = -1
		request.Header.Set("Content-Type", "application/n-triples")
		if coding != "" {
			request.Header.Set("Content-Encoding", coding)
		}
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, request)
		if answer.Code != 201 || engine.bytes != length/int64(len(line))*int64(len(line)) {
			t.Errorf("%q: %d %s, %d bytes", coding, answer.Code, answer.Body, engine.bytes)
		}
		if grown := int64(engine.most) - int64(before.HeapAlloc); grown > 24<<20 {
			t.Errorf("%q: %d bytes more for a document of %d", coding, grown, length)
		}
	}
}

// blanks are the blank nodes of a graph.
func blanks(g graph) (list []rdf.Term) {
	seen := map[rdf.Term]bool{}
	for t := range g {
		for _, term := range t {
			if term.Kind == rdf.BlankNode && !seen[term] {
				seen[term] = true
				list = append(list, term)
			}
		}
	}
	return list
}
