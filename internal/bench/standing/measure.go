package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// figure is what commits of so many triples took beside so many queries.
type figure struct {
	queries, triples int
	// commit is from the call to the acknowledgement, event from there until the first query was told, whole both.
	commit, event, whole []time.Duration
	alone, beside        float64 // commits a second, one after the other
}

// measure measures each number of queries with each number of triples.
func (s *settings) measure(ctx context.Context, store *rdfgpu.Store) ([]figure, error) {
	d, err := s.workload.read(ctx, store)
	if err != nil {
		return nil, err
	}
	alone := map[int]float64{}
	for _, triples := range s.triples {
		if alone[triples], err = s.rate(ctx, store, d, triples); err != nil {
			return nil, err
		}
	}
	ctx, end := context.WithCancel(ctx)
	c := newCrowd(store, d)
	defer c.wait.Wait()
	defer end()
	var figures []figure
	for _, queries := range s.queries {
		began := time.Now()
		if err := c.grow(ctx, queries); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "%d queries stand after %v\n", queries, time.Since(began).Round(time.Millisecond))
		for _, triples := range s.triples {
			f, err := s.latencies(ctx, c, triples)
			if err != nil {
				return nil, err
			}
			f.queries, f.triples, f.alone = queries, triples, alone[triples]
			if f.beside, err = s.rate(ctx, store, d, triples); err != nil {
				return nil, err
			}
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// latencies times commits, of which one follows when the first query was told of the one before.
func (s *settings) latencies(ctx context.Context, c *crowd, triples int) (f figure, err error) {
	warm := s.commits / 10
	for n := -warm; n < s.commits; n++ {
		if n == 0 {
			f = figure{}
		}
		edges, err := c.data.edges(ctx, c.store, triples)
		if err != nil {
			return f, err
		}
		for _, verb := range []string{"INSERT", "DELETE"} {
			if err := f.time(ctx, c, verb+" DATA { "+edges+"}"); err != nil {
				return f, err
			}
		}
	}
	return f, nil
}

// time commits an update and waits until the first query was told.
func (f *figure) time(ctx context.Context, c *crowd, update string) error {
	began := time.Now()
	report, err := c.store.Update(ctx, c.data.prefix+update, rdfgpu.UpdateOptions{})
	if err != nil {
		return err
	}
	acknowledged := time.Now()
	told, err := c.next(report.Sequence)
	if err != nil {
		return err
	}
	f.commit = append(f.commit, acknowledged.Sub(began))
	f.event = append(f.event, max(told.Sub(acknowledged), 0))
	f.whole = append(f.whole, told.Sub(began))
	return nil
}

// rate is how many commits are made a second, when none waits for an event.
func (s *settings) rate(ctx context.Context, store *rdfgpu.Store, d *data, triples int) (float64, error) {
	var texts []string
	for range 50 {
		edges, err := d.edges(ctx, store, triples)
		if err != nil {
			return 0, err
		}
		texts = append(texts, d.prefix+"INSERT DATA { "+edges+"}", d.prefix+"DELETE DATA { "+edges+"}")
	}
	n, began := 0, time.Now()
	for ; time.Since(began) < s.span || n%2 == 1; n++ {
		if _, err := store.Update(ctx, texts[n%len(texts)], rdfgpu.UpdateOptions{}); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(began).Seconds(), nil
}

// write prints the table.
func write(w io.Writer, figures []figure) {
	fmt.Fprintln(w, "| queries | triples | commit, ms: p50 | p99 | event after it, ms: p50 | p99 | both, ms: p50 | p99 | commits/s, nothing stands | queries stand | of that |")
	fmt.Fprintln(w, "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, f := range figures {
		fmt.Fprintf(w, "| %d | %d |", f.queries, f.triples)
		for _, list := range [][]time.Duration{f.commit, f.event, f.whole} {
			slices.Sort(list)
			for _, at := range []int{50, 99} {
				fmt.Fprintf(w, " %.3f |", float64(list[(len(list)-1)*at/100].Nanoseconds())/1e6)
			}
		}
		fmt.Fprintf(w, " %.0f | %.0f | %.2f |\n", f.alone, f.beside, f.beside/f.alone)
	}
}
