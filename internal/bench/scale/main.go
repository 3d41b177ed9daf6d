package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const usage = `usage: scale [flags] GRAPH:SCALE[@MEMORY] ...

  scale lubm:8@2GiB lubm:75@2GiB lubm:730 lubm:730@4GiB watdiv:9@2GiB watdiv:92@2GiB watdiv:920

Loads each graph, opens it, asks the queries, and prints tables. GRAPH is what rdfgpu generate makes.
`

// graph is what to generate, how large, and the memory of the load.
type graph struct {
	Kind   string
	Scale  int
	Memory string
}

func parseGraph(text string) (g graph, err error) {
	kind, rest, ok := strings.Cut(text, ":")
	scale, memory, limited := strings.Cut(rest, "@")
	if !limited {
		memory = "8GiB"
	}
	if g = (graph{Kind: kind, Memory: memory}); ok {
		g.Scale, err = strconv.Atoi(scale)
	}
	if !ok || err != nil || g.Scale < 1 {
		return g, fmt.Errorf("%q is not like lubm:75 or lubm:730@4GiB", text)
	}
	return g, nil
}

func (g graph) String() string { return fmt.Sprintf("%s:%d@%s", g.Kind, g.Scale, g.Memory) }

// settings are the flags.
type settings struct {
	rdfgpu  string            // the binary
	folder  string            // for stores and results
	queries map[string]string // folders by kind of graph
	keep    bool
}

func main() {
	if len(os.Args) > 3 && os.Args[1] == probeCommand {
		check(probe(os.Args[2], os.Args[3]))
		return
	}
	s := settings{queries: map[string]string{}}
	flag.StringVar(&s.rdfgpu, "rdfgpu", "bin/rdfgpu", "the binary to measure")
	flag.StringVar(&s.folder, "dir", ".cache/scale", "folder for stores and results")
	flag.BoolVar(&s.keep, "keep", false, "keep the stores")
	flag.Func("queries", "GRAPH=FOLDER with .rq files, repeated", func(text string) error {
		kind, folder, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("want GRAPH=FOLDER")
		}
		s.queries[kind] = folder
		return nil
	})
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	check(os.MkdirAll(s.folder, 0o755))
	var results []*result
	for _, arg := range flag.Args() {
		g, err := parseGraph(arg)
		check(err)
		r, err := s.measure(g)
		check(err)
		results = append(results, r)
		fmt.Fprintln(os.Stderr, r.line())
		check(s.save(results))
	}
	check(writeTables(os.Stdout, results))
}

// save keeps the results so far, for whoever wants more than the tables.
func (s *settings) save(results []*result) error {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.folder, "results.json"), append(text, '\n'), 0o644)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}
