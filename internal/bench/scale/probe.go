package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rdfgpu/rdfgpu"
)

// probeCommand is the argument by which the program starts itself to open and query a store.
const probeCommand = "probe"

// probed is what opening and querying took; times in milliseconds.
type probed struct {
	Cold, Warm float64 // opening, with no page of the store in memory, and with all
	Resident   int64   // bytes of the process after opening
	Queries    []query
}

// query is one query's answer: the first run had no page of the store in memory.
type query struct {
	Name        string
	Rows        uint64
	Cold, Warm  float64
	Repetitions int
}

const (
	opens       = 11
	repetitions = 11
	budget      = 5 * time.Second // of one query
)

// probe opens and queries a store and prints a probed as JSON.
func probe(dir, queries string) error {
	p, err := probeOpen(dir)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(queries, "*.rq"))
	if err != nil {
		return err
	}
	if queries == "" {
		files = nil
	}
	for _, file := range files {
		q, err := probeQuery(dir, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		p.Queries = append(p.Queries, q)
	}
	return json.NewEncoder(os.Stdout).Encode(p)
}

func probeOpen(dir string) (p probed, err error) {
	if err := forget(dir); err != nil {
		return p, err
	}
	open := func() (float64, error) {
		start := time.Now()
		store, err := rdfgpu.Open(dir, rdfgpu.Options{})
		elapsed := milliseconds(time.Since(start))
		if err != nil {
			return 0, err
		}
		p.Resident = resident()
		return elapsed, store.Close()
	}
	if p.Cold, err = open(); err != nil {
		return p, err
	}
	var times []float64
	for range opens {
		t, err := open()
		if err != nil {
			return p, err
		}
		times = append(times, t)
	}
	p.Warm = median(times)
	return p, nil
}

// probeQuery answers a query on the processor, all rows written as TSV.
func probeQuery(dir, file string) (q query, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return q, err
	}
	if err := forget(dir); err != nil {
		return q, err
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		return q, err
	}
	defer store.Close()
	q.Name = strings.TrimSuffix(filepath.Base(file), ".rq")
	answer := func() (float64, error) {
		start := time.Now()
		result, err := store.Query(context.Background(), string(text), rdfgpu.QueryOptions{Device: rdfgpu.CPU})
		if err != nil {
			return 0, err
		}
		defer result.Close()
		lines := &lineCounter{}
		_, err = result.Write(lines, rdfgpu.TSV)
		q.Rows = lines.n - 1 // the header
		return milliseconds(time.Since(start)), err
	}
	if q.Cold, err = answer(); err != nil {
		return q, err
	}
	var times []float64
	for start := time.Now(); q.Repetitions < repetitions && time.Since(start) < budget; q.Repetitions++ {
		t, err := answer()
		if err != nil {
			return q, err
		}
		times = append(times, t)
	}
	q.Warm = median(times)
	return q, nil
}

// forget drops the store's pages from the page cache, as far as they are on the disk.
func forget(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	})
}

// resident is the bytes of this process in memory; 0 where that cannot be told.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// lineCounter counts the lines that are written to it.
type lineCounter struct{ n uint64 }

var _ io.Writer = (*lineCounter)(nil)

func (c *lineCounter) Write(p []byte) (int, error) {
	c.n += uint64(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

func median(times []float64) float64 {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}
