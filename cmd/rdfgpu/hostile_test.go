package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// repeated is a text with @ replaced by the numbers 0 … n-1, one after the other.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "@", strconv.Itoa(i)))
	}
	return b.String()
}

// hostile are queries that ask for as much memory as they can get, each by another operator.
func hostile() map[string]string {
	const label = "<http://www.w3.org/2004/02/skos/core#prefLabel>"
	doubled := "\"0123456789012345678901234567890123456789\""
	for range 20 {
		doubled = "CONCAT(" + doubled + ",STR(?s))"
	}
	big := `BIND("0123456789" AS ?b0) `
	for i := range 20 {
		big += fmt.Sprintf("BIND(CONCAT(?b%d,?b%d) AS ?b%d) ", i, i, i+1)
	}
	return map[string]string{
		"order of a product":      "SELECT * { ?a ?b ?c . ?d ?e ?f } ORDER BY ?f ?c",
		"distinct of a product":   "SELECT DISTINCT ?a ?c ?d ?f { ?a ?b ?c . ?d ?e ?f }",
		"groups of a product":     "SELECT ?a ?d (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f } GROUP BY ?a ?d",
		"distinct counts":         "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?a),STR(?f)) AS ?x) }",
		"count distinct rows":     "SELECT (COUNT(DISTINCT *) AS ?n) { ?a ?b ?c . ?d ?e ?f }",
		"groups of computed keys": "SELECT ?k (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?a),STR(?f)) AS ?k) } GROUP BY ?k",
		"one concatenation":       "SELECT (GROUP_CONCAT(?x) AS ?all) { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?a),STR(?f)) AS ?x) }",
		"many concatenations":     "SELECT ?a (GROUP_CONCAT(?f) AS ?all) { ?a ?b ?c . ?d ?e ?f } GROUP BY ?a",
		"concatenation of all":    "SELECT (GROUP_CONCAT(?o) AS ?all) { ?s ?p ?o }",
		"samples":                 "SELECT ?a ?d (SAMPLE(?c) AS ?x) (MIN(?f) AS ?y) (SUM(STRLEN(STR(?f))) AS ?z) { ?a ?b ?c . ?d ?e ?f } GROUP BY ?a ?d",
		"wide optionals":          "SELECT * { ?s ?p ?o " + repeated(600, "OPTIONAL { ?s "+label+" ?l@ } ") + "}",
		"wide optionals in order": "SELECT * { ?s ?p ?o " + repeated(200, "OPTIONAL { ?s "+label+" ?l@ } ") + "} ORDER BY ?o",
		"nested optionals":        "SELECT * { ?s ?p ?o " + repeated(100, "OPTIONAL { ?s "+label+" ?l@ ") + repeated(100, "}") + "}",
		"a thousand optionals":    "SELECT * { ?s " + label + " ?o " + repeated(1000, "OPTIONAL { ?s <http://example.org/p@> ?l@ } ") + "}",
		"a thousand unions":       "SELECT * { { ?s ?p ?o }" + repeated(1000, " UNION { ?s "+label+" ?l@ }") + "} ORDER BY ?o",
		"wide pattern":            "SELECT * { ?s0 ?p ?o . " + repeated(6, "?s0 "+label+" ?l@ . ") + "}",
		"long chain":              "SELECT * { ?s0 ?q ?o . " + repeated(12, "?s0 ?p@ ?o@ . ") + "} LIMIT 1000000",
		"values":                  "SELECT * { VALUES (?x ?y) { " + repeated(50_000, "(\"x@\" @) ") + "} ?s ?p ?o }",
		"values in order":         "SELECT * { VALUES (?x ?y) { " + repeated(20_000, "(\"x@\" @) ") + "} ?s ?p ?o } ORDER BY ?y ?x ?o",
		"huge strings":            "SELECT * { ?s ?p ?o " + big + "}",
		"huge different strings":  "SELECT (" + doubled + " AS ?x) { ?s ?p ?o BIND(CONCAT(STR(?s),STR(?o)) AS ?y) " + big + " BIND(CONCAT(?b16,STR(?o)) AS ?z) }",
		"huge distinct strings":   "SELECT DISTINCT ?z { ?s ?p ?o " + big + " BIND(CONCAT(?b12,STR(?o)) AS ?z) }",
		"huge strings in JSON":    "SELECT * { " + big + " ?s ?p ?o " + "}",
		"paths from everywhere":   "SELECT * { ?a (!<http://example.org/x>)* ?b }",
		"undirected paths":        "SELECT * { ?a (<http://www.w3.org/2004/02/skos/core#broader>|^<http://www.w3.org/2004/02/skos/core#broader>|!<http://example.org/x>)+ ?b } ORDER BY ?b",
		"nested paths":            "SELECT * { ?a ((!<http://example.org/x>)*/(!<http://example.org/y>)*)* ?b . ?b ((!<http://example.org/x>)+)+ ?c }",
		"construct":               "CONSTRUCT { ?a ?b ?f . ?d ?e ?c . [] <http://example.org/p> ?a } { ?a ?b ?c . ?d ?e ?f }",
		"describe":                "DESCRIBE ?s { ?s ?p ?o }",
		"describe of a product":   "DESCRIBE * { ?a ?b ?c . ?d ?e ?f }",
		"hash joins":              "SELECT * { { SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s } { SELECT ?s (MAX(?o) AS ?m) { ?s ?p ?o } GROUP BY ?s } { SELECT ?o (COUNT(*) AS ?k) { ?t ?p ?o } GROUP BY ?o } }",
		"minus":                   "SELECT * { ?a ?b ?c MINUS { SELECT ?a ?x { ?a ?b ?x . ?x ?p ?y } } ?d ?e ?f } ORDER BY ?f",
		"exists":                  "SELECT * { ?a ?b ?c . ?d ?e ?f FILTER EXISTS { ?a ?x ?d } }",
		"a bag of binds":          "SELECT * { ?s ?p ?o " + repeated(300, "BIND(CONCAT(STR(?o),\"@\") AS ?x@) ") + "}",
		"a thousand aggregates":   "SELECT ?s " + repeated(300, "(COUNT(DISTINCT ?o) + @ AS ?n@) ") + " { ?s ?p ?o } GROUP BY ?s",
		"a long condition":        "SELECT * { ?s ?p ?o FILTER(" + repeated(4000, "?o != \"@\" && ") + "true) } ORDER BY ?o",
	}
}

// hostileServer is a server in a process of its own.
type hostileServer struct {
	url     string
	process *exec.Cmd
}

func startHostile(t *testing.T, store string, flags ...string) *hostileServer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{"rdfgpu", "serve", store, "--addr", "127.0.0.1:0", "--device", "cpu"}, flags...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); cmd.Wait() })
	found := make(chan string, 1)
	go func() {
		address := regexp.MustCompile(`url=(\S+)`)
		lines := bufio.NewReader(log) // a Scanner would stop at a long line, and the server with it
		for {
			line, err := lines.ReadString('\n')
			if m := address.FindStringSubmatch(line); m != nil {
				found <- m[1]
			}
			if os.Getenv("RDFGPU_HOSTILE_LOG") != "" {
				t.Log(line[:min(400, len(line))])
			}
			if err != nil {
				return
			}
		}
	}()
	select {
	case url := <-found:
		return &hostileServer{url: url, process: cmd}
	case <-time.After(time.Minute):
		t.Fatal("the server does not say where it listens")
	}
	return nil
}

// anonymous is the resident memory of the process that is no mapped file, in bytes.
func (s *hostileServer) anonymous() int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	m := regexp.MustCompile(`RssAnon:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	kib, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kib << 10
}

// ask sends a query and reads its answer, and returns the status.
func (s *hostileServer) ask(query string) (status int, text string, err error) {
	r, err := http.Post(s.url+"sparql", "application/sparql-query", strings.NewReader(query))
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	var head bytes.Buffer
	io.CopyN(&head, r.Body, 400)
	io.Copy(io.Discard, r.Body)
	return r.StatusCode, head.String(), nil
}

// TestMemoryStaysWithinTheBudgetUnderHostileQueries asks a server for more memory than it may take, from eight connections.
// RDFGPU_HOSTILE says how many times each query is asked (default: once).
func TestMemoryStaysWithinTheBudgetUnderHostileQueries(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() {
		t.Skip("reads /proc of a server that runs for half a minute")
	}
	dir := t.TempDir()
	store := filepath.Join(dir, "nomisma.store")
	if _, err := rdfgpu.Load(context.Background(), store, []string{"../../testdata/nomisma/nomisma.nt.zst"}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	const budget = 256 << 20
	s := startHostile(t, store, "--max-memory", "256MiB", "--timeout", "4s", "--max-spill", "1GiB", "--max-concurrent", "8")
	var peak atomic.Int64
	var running sync.Map
	var told int64
	ended := make(chan struct{})
	var watching, asking sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(2 * time.Millisecond):
			}
			if now := s.anonymous(); now > peak.Load() {
				peak.Store(now)
				if now > budget/10*11 && now > told+(32<<20) {
					told = now
					var names []string
					running.Range(func(name, _ any) bool { names = append(names, name.(string)); return true })
					t.Logf("%d MiB beside %s", now>>20, strings.Join(names, ", "))
				}
			}
		}
	})
	times, _ := strconv.Atoi(os.Getenv("RDFGPU_HOSTILE"))
	type job struct{ name, text string }
	jobs := make(chan job)
	only := os.Getenv("RDFGPU_HOSTILE_ONLY")
	for range 8 {
		asking.Go(func() {
			for j := range jobs {
				running.Store(j.name, true)
				status, text, err := s.ask(j.text)
				running.Delete(j.name)
				t.Logf("%-26s %d %v %.300s", j.name, status, err, strings.ReplaceAll(text, "\n", " "))
				if status != 200 && status != 504 && status != 507 && status != 501 && status != 503 || err != nil {
					t.Errorf("%s: status %d, %v: %s", j.name, status, err, text)
				}
			}
		})
	}
	for range max(1, times) {
		for name, text := range hostile() {
			if only == "" || name == only {
				jobs <- job{name, text}
			}
		}
	}
	close(jobs)
	asking.Wait()
	close(ended)
	watching.Wait()
	t.Logf("at most %d MiB of %d MiB", peak.Load()>>20, budget>>20)
	if peak.Load() > budget/10*11 {
		t.Errorf("the process took %d MiB, its budget is %d MiB", peak.Load()>>20, budget>>20)
	}
	if status, text, err := s.ask("ASK { ?s ?p ?o }"); status != 200 || !strings.Contains(text, "true") {
		t.Errorf("afterwards ASK gives %d %s %v", status, text, err)
	}
}
