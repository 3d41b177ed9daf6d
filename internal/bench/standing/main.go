package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

const usage = `usage: standing [flags] watdiv|lubm STORE

Copies a store of WatDiv's or LUBM's data, commits to the copy while queries stand, and prints a table.
`

// settings are the flags and arguments.
type settings struct {
	workload         *workload
	store            string
	queries, triples []int
	commits          int
	span             time.Duration
}

func main() {
	queries := flag.String("queries", "1,100,10000", "how many queries stand, ascending")
	triples := flag.String("triples", "1,10,100", "how many triples a commit has")
	commits := flag.Int("commits", 1000, "insertions whose events are timed, for each row, and as many deletions")
	span := flag.Duration("span", 3*time.Second, "how long commits follow each other, for the rates of each row")
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	s := settings{workload: workloads[flag.Arg(0)], store: flag.Arg(1), queries: numbers(*queries), triples: numbers(*triples), commits: *commits, span: *span}
	if flag.NArg() != 2 || s.workload == nil {
		flag.Usage()
		os.Exit(2)
	}
	check(s.run(context.Background()))
}

// numbers reads a list of numbers above 0.
func numbers(text string) (list []int) {
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(one)
		if err == nil && n <= 0 {
			err = fmt.Errorf("%d is not above 0", n)
		}
		check(err)
		list = append(list, n)
	}
	return list
}

// run measures everything over a copy of the store. Commits are not synced: what that costs is the disk's, with queries or without.
func (s *settings) run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "standing")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	dir := filepath.Join(folder, "store")
	if err := os.CopyFS(dir, os.DirFS(s.store)); err != nil {
		return err
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced, Device: rdfgpu.CPU})
	if err != nil {
		return err
	}
	defer store.Close()
	figures, err := s.measure(ctx, store)
	if err != nil {
		return err
	}
	write(os.Stdout, figures)
	return nil
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "standing:", err)
		os.Exit(1)
	}
}
