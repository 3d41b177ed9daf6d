package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

const usage = `usage: delta [flags] DATA.nt QUERIES

Changes stores of DATA.nt (N-Triples) by updates, asks the queries (*.rq of the folder QUERIES), and prints tables.
`

// settings are the flags and arguments.
type settings struct {
	data, queries string
	folder        string
	shares        []float64
	only          []string
	repetitions   int
	budget        time.Duration // of one query
	updates       int           // before each query, with the first and the second query after each timed; 0 for none
	span          time.Duration // how long readers ask beside something that has no end of its own, 0 for not at all
	log           int64         // bytes of the log that is replayed, 0 for none
	out           io.Writer     // takes the tables
}

func main() {
	s := settings{out: os.Stdout}
	shares := flag.String("shares", "0,0.001,0.01,0.1", "shares of the triples that are inserted, and of those that are removed")
	only := flag.String("only", "", "only these queries (file names without .rq)")
	flag.StringVar(&s.folder, "dir", ".cache/delta", "folder for stores")
	flag.IntVar(&s.repetitions, "n", 11, "timed repetitions of each query")
	flag.DurationVar(&s.budget, "budget", 2*time.Second, "stop repeating a query after this long")
	flag.IntVar(&s.updates, "first", 15, "updates for each query, of which the first and the second query afterwards are timed; 0 leaves that out")
	flag.DurationVar(&s.span, "beside", 10*time.Second, "how long queries are asked beside writers, and alone; 0 leaves that out, and flushes and compactions beside them")
	flag.Int64Var(&s.log, "log", 1<<30, "bytes of the log with which a store is opened; 0 leaves that out")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	s.data, s.queries = flag.Arg(0), flag.Arg(1)
	for text := range strings.SplitSeq(*shares, ",") {
		if text == "" {
			continue // -shares "" leaves them out
		}
		share, err := strconv.ParseFloat(text, 64)
		check(err)
		s.shares = append(s.shares, share)
	}
	if *only != "" {
		s.only = strings.Split(*only, ",")
	}
	check(s.run(context.Background()))
}

// run measures everything and prints each table when it is whole.
func (s *settings) run(ctx context.Context) error {
	queries, err := readQueries(s.queries, s.only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return err
	}
	t := newTable(s.out)
	for _, share := range s.shares {
		m, err := s.measure(ctx, share, queries)
		if err != nil {
			return fmt.Errorf("share %g: %w", share, err)
		}
		t.add(m)
	}
	if len(t.rows) > 0 {
		t.write()
	}
	if s.updates > 0 {
		if err := s.first(ctx, queries); err != nil {
			return fmt.Errorf("first queries: %w", err)
		}
	}
	if s.span > 0 {
		if err := s.beside(ctx, queries); err != nil {
			return err
		}
	}
	if s.log > 0 {
		return s.replay(ctx)
	}
	return nil
}

// load makes a store anew.
func (s *settings) load(ctx context.Context, name, file string) (dir string, err error) {
	dir = filepath.Join(s.folder, name)
	if err := os.RemoveAll(dir); err != nil {
		return dir, err
	}
	_, err = rdfgpu.Load(ctx, dir, []string{file}, rdfgpu.LoadOptions{})
	return dir, err
}

// openWritable opens a store to be changed. Commits are not synced: what they cost is measured elsewhere.
func openWritable(dir string) (*rdfgpu.Store, error) {
	return rdfgpu.Open(dir, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced, Device: rdfgpu.CPU})
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "delta:", err)
		os.Exit(1)
	}
}
