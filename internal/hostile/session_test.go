package hostile_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/hostile"
	"github.com/rdfgpu/rdfgpu/web"
)

// The limits of the servers under test, and how far beyond them a busy machine may take an answer.
const (
	timeLimit   = 300 * time.Millisecond
	memoryLimit = 64 << 20
	generous    = 10
)

// session is a server in this process with tight limits.
type session struct {
	t      testing.TB
	url    string
	client *http.Client
	heap   *heap
}

// openTiny loads and opens the tiny data set.
func openTiny(t testing.TB) *rdfgpu.Store {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "tiny.trig")
	if err := os.WriteFile(file, []byte(hostile.Tiny), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "store")
	if _, err := rdfgpu.Load(context.Background(), folder, []string{file}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(folder, rdfgpu.Options{Device: rdfgpu.CPU, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() { // a query that did not end still reads it
			store.Close()
		}
	})
	return store
}

func newSession(t testing.TB) *session {
	t.Helper()
	server, err := web.New(web.StoreEngine(openTiny(t)), web.Options{Timeout: timeLimit, MaxMemory: memoryLimit, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(server)
	t.Cleanup(func() {
		if !t.Failed() { // it would wait for a query that does not end
			listener.Close()
		}
	})
	s := &session{t: t, url: listener.URL, client: &http.Client{Transport: &http.Transport{}}, heap: watchHeap(t)}
	return s
}

// allowed are the statuses that a query may end with: an answer, a refusal for a reason, a limit.
var allowed = []int{200, 400, 406, 413, 414, 431, 501, 503, 504, 507}

// check sends a query and complains about what no query may do. It ends the test where the server is of no more use.
func (s *session) check(name string, q *hostile.Query) {
	s.t.Helper()
	text := q.Text()
	s.heap.begin(name + ": " + text)
	status, took, err := s.send(q)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && q.Leave == 0:
		s.t.Fatalf("%s: no end after %v: %.2000s", name, took, text)
	case status == 0 && q.Leave == 0:
		s.t.Errorf("%s: no answer: %v: %.2000s", name, err, text)
	case status != 0 && !slices.Contains(allowed, status):
		s.t.Errorf("%s: status %d: %.2000s", name, status, text)
	}
	if peak := s.heap.peak.Load(); peak > generous*memoryLimit {
		s.t.Errorf("%s: %d MiB of heap: %.2000s", name, peak>>20, text)
	}
}

// send sends a query and reads what comes. A response that is broken off is how a limit ends one on its way.
func (s *session) send(q *hostile.Query) (status int, took time.Duration, err error) {
	request, err := q.HTTP(s.url + "/sparql")
	if err != nil {
		return 0, 0, err
	}
	wait := generous * timeLimit
	if q.Leave > 0 {
		wait = q.Leave
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	began := time.Now()
	response, err := s.client.Do(request.WithContext(ctx))
	if err != nil {
		return 0, time.Since(began), err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, time.Since(began), err
}

// learn is the vocabulary of the session's store.
func (s *session) learn() *hostile.Vocabulary {
	s.t.Helper()
	v, err := hostile.Learn(func(query string) (string, error) {
		response, err := s.client.PostForm(s.url+"/sparql", map[string][]string{"query": {query}, "format": {"tsv"}})
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return string(text), err
	})
	if err != nil || !slices.Contains(v.Predicates, "<http://example.org/next>") || !slices.Contains(v.Graphs, "<http://example.org/g>") {
		s.t.Fatalf("learned %v: %v", v, err)
	}
	return v
}
