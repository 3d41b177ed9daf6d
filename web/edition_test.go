package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// counted asks a handler for the number of triples.
func counted(t testing.TB, h http.Handler) int {
	t.Helper()
	w := do(h, "POST", "/sparql", "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", "Content-Type: application/sparql-query", "Accept: text/csv")
	rows, err := csv.NewReader(w.Body).ReadAll()
	if w.Code != http.StatusOK || err != nil || len(rows) != 2 {
		t.Fatalf("status %d, %v, rows %v", w.Code, err, rows)
	}
	n, err := strconv.Atoi(rows[1][0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// triples writes a file of some triples that no other number shares.
func triples(t testing.TB, number, n int) string {
	t.Helper()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "<http://e/s%d-%d> <http://e/p%d> \"%d\" .\n", number, i, number%3, i)
	}
	path := filepath.Join(t.TempDir(), "data.nt")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTurningToAChangedStore asks one server all the time while its store is added to, compacted and loaded anew: every answer
// is that of one of the stores, later ones never of an earlier store, and each store rests in the end.
func TestTurningToAChangedStore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	load := func(files []string, add bool) {
		t.Helper()
		if _, err := rdfgpu.Load(t.Context(), dir, files, rdfgpu.LoadOptions{Append: add}); err != nil {
			t.Fatal(err)
		}
	}
	load([]string{triples(t, 0, 20_000)}, false)
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(StoreEngine(store), Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	stop := s.checkEditions(t.Context())
	var asking sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		asking.Go(func() {
			for last := 0; ; {
				select {
				case <-done:
					return
				default:
				}
				n := counted(t, s)
				if n < last || n%1000 != 0 {
					t.Errorf("%d triples after %d", n, last)
				}
				last = n
				do(s, "GET", "/api/schema", "")
				do(s, "GET", "/metrics", "")
			}
		})
	}
	for number := 1; number <= 12; number++ {
		if store.Replaced() {
			t.Fatal("replaced before it was")
		}
		if number%4 == 0 {
			if _, err := rdfgpu.Compact(t.Context(), dir, rdfgpu.LoadOptions{}); err != nil {
				t.Fatal(err)
			}
		} else {
			load([]string{triples(t, number, 1000)}, true)
		}
		if !store.Replaced() {
			t.Fatal("not replaced after it was")
		}
		next, err := rdfgpu.Open(dir, rdfgpu.Options{})
		if err != nil {
			t.Fatal(err)
		}
		<-s.Turn(StoreEngine(next))
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		store = next
		if want := (number - number/4 + 20) * 1000; counted(t, s) != want {
			t.Errorf("%d triples after change %d, want %d", counted(t, s), number, want)
		}
	}
	close(done)
	asking.Wait()
	stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTheProgramFollowsItsStore(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	file := triples(t, 0, 1000)
	h := serveByProgram(t, program, file)
	if n := counted(t, h); n != 1000 {
		t.Fatalf("%d triples", n)
	}
	add := func(arguments ...string) {
		t.Helper()
		if out, err := exec.Command(program, append(arguments, h.(*forwarder).store)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	add("load", "-q", "--append", triples(t, 1, 1000), "-o")
	waitFor(t, 10*time.Second, func() bool { return counted(t, h) == 2000 })
	add("compact", "-q")
	add("load", "-q", file, "-o")
	waitFor(t, 10*time.Second, func() bool { return counted(t, h) == 1000 })
}
