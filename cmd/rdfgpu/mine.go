package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

type mineCommand struct {
	What       string        `arg:"" enum:"triangles,cliques,motifs,frequent,cores,trusses,components" help:"triangles, cliques, motifs, frequent (patterns), cores, trusses or components."`
	Store      string        `arg:"" help:"Folder of the store."`
	Edges      []string      `placeholder:"PREDICATE" help:"Predicates whose triples are edges: IRIs, or :name for the only one whose IRI ends in #name or /name (default: all but rdf:type)."`
	Graph      string        `placeholder:"IRI" help:"Mine this graph (default: the default graph)."`
	Classes    []string      `placeholder:"IRI" help:"Classes that motifs are told apart by: a vertex is of the first that it has. Of frequent patterns: of all that it has (default: all classes)."`
	Size       int           `default:"3" placeholder:"N" help:"Vertices of a clique, 2 to 32, or of a motif, 2 to 5; the most edges of a frequent pattern, 1 to 7."`
	Maximal    bool          `help:"Cliques that are in no larger one, of all sizes whatever --size says."`
	Induced    bool          `help:"Motifs without other edges among their vertices; otherwise a triangle counts as three paths too."`
	Support    uint64        `placeholder:"N" help:"The least support of a frequent pattern."`
	Measure    string        `enum:"mni,instances" default:"mni" help:"Support of frequent patterns: mni, the vertices that the rarest of its vertices stands for, or instances."`
	Sample     int           `placeholder:"N" help:"Estimate the support of frequent patterns, trying N vertices for each of theirs."`
	NoClasses  bool          `name:"no-classes" help:"Frequent patterns without classes."`
	Undirected bool          `name:"undirected" help:"Frequent patterns without directions."`
	Bins       int           `placeholder:"N" help:"Frequent patterns with literals: the numbers and the dates of each predicate in N ranges, 1 to 64, texts by language, and what has at most N values by value."`
	Bounds     []string      `sep:";" placeholder:"PREDICATE=BOUND,…" help:"Where the numbers, dates or years of a predicate are cut in place of that; may be given several times."`
	List       bool          `help:"Print each triangle, clique, or vertex or edge with its number, on a line of its own."`
	SPARQL     bool          `name:"sparql" help:"Print the query that finds the embeddings of each pattern."`
	JSON       bool          `name:"json" help:"As JSON; of a list, each line."`
	Timeout    time.Duration `placeholder:"DURATION" help:"Give up after this long, such as 30s."`
	Threads    int           `placeholder:"N" help:"Threads to use (default: all cores)."`
	Memory     byteSize      `placeholder:"SIZE" help:"Memory for tables of what is found, beside the graph itself (default: 1GiB)."`
	Device     string        `enum:"auto,cpu,gpu" default:"auto" help:"Where triangles, cliques and motifs are counted along one predicate whose triples all lead both ways: cpu, gpu, or auto, whichever is expected to be faster."`
	Quiet      bool          `short:"q" help:"No progress."`
}

// Help is shown by rdfgpu mine --help.
func (*mineCommand) Help() string {
	return `Resources are adjacent where a triple of one of the predicates leads from either to the other: edges have no direction, and there is
one at most between two. Literals are left out, but for --bins and --bounds. Every instance is counted once; the query that --sparql prints has a solution for
each embedding, which is as many for an instance as its pattern has automorphisms. See docs/MINING.md.

Examples:
  rdfgpu mine triangles my.store --edges :knows
  rdfgpu mine cliques my.store --edges :knows --size 5 --list
  rdfgpu mine cliques my.store --edges :knows --maximal
  rdfgpu mine motifs my.store --edges :knows --size 4 --induced --sparql
  rdfgpu mine frequent my.store --support 1000 --size 3 --sparql
  rdfgpu mine frequent my.store --support 1000 --bins 4 --bounds :born=1900-01-01,1950-01-01
  rdfgpu mine cores my.store --edges :knows,:likes --list --json`
}

// Run mines the store.
func (c *mineCommand) Run(env *environment) error {
	if c.Size < 1 {
		return fmt.Errorf("%w: it is %d", mine.ErrSize, c.Size)
	}
	if c.Edges != nil && len(c.Edges) == 0 {
		return usageError("--edges is empty: expected predicates, or no --edges for all but rdf:type")
	}
	options := c.options()
	for _, bounds := range c.Bounds {
		if err := options.SetBounds(bounds); err != nil {
			return err
		}
	}
	rows := newRowWriter(env.stdout, c.JSON, &options)
	if c.List {
		options.Each = rows.write
	}
	if err := options.Check(); err != nil {
		return err
	}
	store, err := rdfgpu.Open(c.Store, rdfgpu.Options{Threads: c.Threads})
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, cancel := env.ctx, context.CancelFunc(func() {})
	if c.Timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("%w of %v", rdfgpu.ErrTimeout, c.Timeout))
	}
	defer cancel()
	shown := newProgress(env.stderr, c.Quiet)
	options.Progress = tell(shown)
	report, err := store.Mine(ctx, options)
	err = firstError(err, rows.out.Flush())
	if shown.done(); err != nil || c.List {
		return err
	}
	if c.JSON {
		return writeJSON(env.stdout, report)
	}
	_, err = io.WriteString(env.stdout, report.String())
	return err
}

// options are what the flags ask for.
func (c *mineCommand) options() rdfgpu.MineOptions {
	return rdfgpu.MineOptions{
		MiningOptions: rdfgpu.MiningOptions{Edges: c.Edges, Graph: c.Graph, Classes: c.Classes, Unlabelled: c.NoClasses, Undirected: c.Undirected, Bins: c.Bins},
		What:          rdfgpu.Structure(c.What), Size: c.Size, Maximal: c.Maximal, Induced: c.Induced, Queries: c.SPARQL, Memory: int64(c.Memory), Device: rdfgpu.Device(c.Device),
		Frequent: mine.FrequentOptions{Support: c.Support, Measure: mine.Measure(c.Measure), Sample: c.Sample},
	}
}

// tell shows how far the search is, one goroutine at a time; the others go on.
func tell(shown *progress) func(rdfgpu.MineProgress) {
	turn := make(chan struct{}, 1)
	return func(p rdfgpu.MineProgress) {
		select {
		case turn <- struct{}{}:
			shown.show(p)
			<-turn
		default:
		}
	}
}

// rowWriter prints rows, as tab-separated values or as JSON arrays.
type rowWriter struct {
	out     *bufio.Writer
	json    bool
	options *rdfgpu.MineOptions
}

func newRowWriter(w io.Writer, json bool, options *rdfgpu.MineOptions) *rowWriter {
	return &rowWriter{out: bufio.NewWriterSize(w, 1<<16), json: json, options: options}
}

// write prints one row.
func (w *rowWriter) write(row rdfgpu.MinedRow) error {
	cells := make([]any, 0, len(row.Vertices)+1)
	for _, term := range row.Vertices {
		cells = append(cells, term.String())
	}
	if w.options.Numbered() {
		cells = append(cells, row.Number)
	}
	if w.json {
		encoder := json.NewEncoder(w.out)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(cells)
	}
	_, err := fmt.Fprintf(w.out, strings.TrimSuffix(strings.Repeat("%v\t", len(cells)), "\t")+"\n", cells...)
	return err
}
