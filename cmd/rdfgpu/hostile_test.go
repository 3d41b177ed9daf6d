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
	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

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
	const skos = "http://www.w3.org/2004/02/skos/core#"
	prologue := hostile.Prologue(skos+"broader", skos+"prefLabel")
	jobs := make(chan hostile.Worst)
	only := os.Getenv("RDFGPU_HOSTILE_ONLY")
	for range 8 {
		asking.Go(func() {
			for j := range jobs {
				running.Store(j.Name, true)
				status, text, err := s.ask(prologue + j.Query)
				running.Delete(j.Name)
				t.Logf("%-26s %d %v %.300s", j.Name, status, err, strings.ReplaceAll(text, "\n", " "))
				if status != 200 && status != 504 && status != 507 && status != 501 && status != 503 || err != nil {
					t.Errorf("%s: status %d, %v: %s", j.Name, status, err, text)
				}
			}
		})
	}
	for range max(1, times) {
		for _, kept := range hostile.Kept(hostile.KeepsBudget) {
			if only == "" || kept.Name == only {
				jobs <- kept
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
