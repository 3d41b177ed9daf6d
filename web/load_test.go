//go:build unix

package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// A load test: a fixed mix of WatDiv queries from 1, 8, 64 and 256 connections, for RDFGPU_LOAD each, with every
// answer's number of rows checked. Server and clients share the machine.

// loadQuery is a query of the mix with the number of its solutions.
type loadQuery struct {
	name, target string
	rows         int
}

// loadMix reads the queries of at most 2,000 solutions.
func loadMix(t *testing.T, folder string) (mix []loadQuery) {
	t.Helper()
	expected, err := os.ReadFile(filepath.Join(folder, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(expected)) {
		fields := strings.Split(line, "\t")
		rows, err := strconv.Atoi(fields[1])
		if err != nil || rows > 2000 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, "queries", strings.TrimSuffix(fields[0], ".rq")+".rq"))
		if err != nil {
			t.Fatal(err)
		}
		mix = append(mix, loadQuery{fields[0], "/sparql?format=tsv&query=" + url.QueryEscape(string(text)), rows})
	}
	return mix
}

// TestLoad is serial: it measures throughput.
func TestLoad(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("RDFGPU_LOAD"))
	data := os.Getenv("RDFGPU_DATA")
	if err != nil || data == "" {
		t.Skip("set RDFGPU_LOAD to a time for each number of connections, and RDFGPU_DATA to the folder of data sets")
	}
	folder := filepath.Join(data, "watdiv1m")
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{filepath.Join(folder, "data.nt.zst")}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := New(StoreEngine(store), Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	server := listen(t, s)
	mix := loadMix(t, folder)
	t.Logf("%d queries", len(mix))
	for _, connections := range []int{1, 8, 64, 256} {
		t.Run(fmt.Sprintf("%d connections", connections), func(t *testing.T) { load(t, server.URL, mix, connections, duration) })
	}
}

// load runs the mix and reports throughput, latencies and memory.
func load(t *testing.T, address string, mix []loadQuery, connections int, duration time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	transport := &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var next, busy atomic.Int64
	var mu sync.Mutex
	var all []time.Duration
	var wait sync.WaitGroup
	before := processorTime(t)
	for range connections {
		wait.Go(func() {
			var spent []time.Duration
			for ctx.Err() == nil {
				q := mix[int(next.Add(1))%len(mix)]
				start := time.Now()
				status, rows, err := ask(ctx, client, address+q.target)
				switch {
				case ctx.Err() != nil:
				case err != nil:
					t.Errorf("%s: %v", q.name, err)
				case status == http.StatusServiceUnavailable:
					busy.Add(1)
				case status != http.StatusOK || rows != q.rows:
					t.Errorf("%s: status %d, %d rows, want %d", q.name, status, rows, q.rows)
				default:
					spent = append(spent, time.Since(start))
				}
			}
			mu.Lock()
			all = append(all, spent...)
			mu.Unlock()
		})
	}
	wait.Wait()
	used := processorTime(t) - before
	slices.Sort(all)
	at := func(share float64) time.Duration { return all[int(share*float64(len(all)-1))] }
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	t.Logf("%.0f queries/s, p50 %s, p95 %s, p99 %s; turned away %d; %s of processor time a query, %.1f cores; heap %d MiB, %d goroutines",
		float64(len(all))/duration.Seconds(), at(0.5), at(0.95), at(0.99), busy.Load(), used/time.Duration(len(all)),
		used.Seconds()/duration.Seconds(), memory.HeapInuse>>20, runtime.NumGoroutine())
}

// processorTime is what this process, server and clients, has used.
func processorTime(t *testing.T) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// ask sends one query and counts the rows of its TSV.
func ask(ctx context.Context, client *http.Client, target string) (status, rows int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return 0, 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, bytes.Count(body, []byte("\n")) - 1, err
}
