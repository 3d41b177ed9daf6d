package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// query is one query and its name.
type query struct{ name, text string }

func readQueries(folder string, only []string) ([]query, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.rq"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no .rq file in %s", folder)
	}
	var queries []query
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".rq")
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		queries = append(queries, query{name, string(text)})
	}
	return queries, nil
}

// ask answers a query on the processor, all rows written as TSV.
func ask(ctx context.Context, store *rdfgpu.Store, q query) (elapsed time.Duration, rows int, err error) {
	start := time.Now()
	result, err := store.Query(ctx, q.text, rdfgpu.QueryOptions{Device: rdfgpu.CPU})
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", q.name, err)
	}
	defer result.Close()
	lines := &lineCounter{}
	_, err = result.Write(lines, rdfgpu.TSV)
	return time.Since(start), lines.n - 1, err // the header
}

// lineCounter counts the lines that are written to it.
type lineCounter struct{ n int }

func (c *lineCounter) Write(p []byte) (int, error) {
	c.n += bytes.Count(p, []byte{'\n'})
	return len(p), nil
}

// inTurn asks a query of all stores in turn, and returns the median of each. The stores must give as many rows.
func (s *settings) inTurn(ctx context.Context, stores []*rdfgpu.Store, q query) ([]time.Duration, error) {
	times := make([][]time.Duration, len(stores))
	want := 0
	for repetition, start := 0, time.Now(); repetition <= s.repetitions && (repetition < 2 || time.Since(start) < s.budget); repetition++ {
		for i, store := range stores {
			elapsed, rows, err := ask(ctx, store, q)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				want = rows
			} else if rows != want {
				return nil, fmt.Errorf("%s: %d rows after the updates, %d of a store that was loaded from the same triples", q.name, rows, want)
			}
			if repetition > 0 {
				times[i] = append(times[i], elapsed)
			}
		}
	}
	medians := make([]time.Duration, len(stores))
	for i := range times {
		medians[i] = median(times[i])
	}
	return medians, nil
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
