package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// queryText are the three ways to name a query.
type queryText struct {
	Text string `arg:"" optional:"" name:"query" help:"The query; without it and without -f it is read from standard input."`
	File string `short:"f" placeholder:"FILE" help:"Read the query from a file."`
}

func (q *queryText) read(env *environment) (string, error) {
	switch {
	case q.Text != "" && q.File != "":
		return "", usageError("give the query either as an argument or with -f, not both")
	case q.Text != "":
		return q.Text, nil
	case q.File != "":
		b, err := os.ReadFile(q.File)
		return string(b), err
	}
	b, err := io.ReadAll(env.stdin)
	return string(b), err
}

// matching are the flags that say how patterns are matched.
type matching struct {
	Semantics string        `enum:"homomorphism,isomorphism,edge-isomorphism,induced" default:"homomorphism" help:"What a solution of a basic graph pattern is: homomorphism, isomorphism, edge-isomorphism or induced."`
	Device    string        `enum:"auto,cpu,gpu" default:"auto" help:"Where patterns are matched: auto, cpu or gpu."`
	Timeout   time.Duration `placeholder:"DURATION" help:"Give up after this long, such as 30s."`
	LimitRows uint64        `placeholder:"N" help:"Give up when there are more solutions."`
	Threads   int           `placeholder:"N" help:"Threads to use (default: all cores)."`
	limits
	GPUMemory byteSize `name:"gpu-memory" placeholder:"SIZE" help:"Device memory to use (default: most of it); graphs may be larger."`
}

func (m *matching) options() (rdfgpu.QueryOptions, error) {
	semantics, err := rdfgpu.ParseSemantics(m.Semantics)
	return rdfgpu.QueryOptions{
		Semantics: semantics, Device: rdfgpu.Device(m.Device), Timeout: m.Timeout, MaxRows: m.LimitRows,
		MaxMemory: int64(m.QueryMemory),
	}, err
}

// open opens a store for one query, which may hold all that queries may, where the flags do not say less.
func (m *matching) open(store string, options *rdfgpu.QueryOptions) (*governed, error) {
	budget := m.budget()
	if options.MaxMemory == 0 {
		options.MaxMemory = budget.Usage().Live
	}
	opened, err := rdfgpu.Open(store, rdfgpu.Options{
		Threads: m.Threads, GPUMemory: int64(m.GPUMemory), Device: rdfgpu.Device(m.Device), Budget: budget,
	})
	if err != nil {
		return nil, err
	}
	return &governed{opened, budget.Govern()}, nil
}

// prepare reads the query, its options and opens the store, which the caller closes.
func prepare(env *environment, dir string, q *queryText, m *matching) (string, rdfgpu.QueryOptions, *governed, error) {
	text, err := q.read(env)
	if err != nil {
		return "", rdfgpu.QueryOptions{}, nil, err
	}
	options, err := m.options()
	if err != nil {
		return "", options, nil, err
	}
	store, err := m.open(dir, &options)
	return text, options, store, err
}

type queryCommand struct {
	Store string `arg:"" help:"Folder of the store."`
	queryText
	matching
	Format string `enum:"table,json,xml,csv,tsv,ntriples,turtle,rdfxml,arrow,parquet," default:"" help:"table, json, xml, csv or tsv for solutions; ntriples, turtle or rdfxml for graphs; arrow and parquet for both (default: table on a terminal, tsv elsewhere; turtle for graphs)."`
	Check  bool   `help:"Read a graph in ntriples or turtle back with another reader, and print it only if it is the same."`
	Count  bool   `help:"Print the number of solutions only."`
	Time   bool   `help:"Print what each part took, on standard error."`
}

// Help is shown by rdfgpu query --help.
func (*queryCommand) Help() string {
	return `Examples:
  rdfgpu query my.store 'SELECT * WHERE { ?s ?p ?o } LIMIT 5'
  rdfgpu query my.store -f triangle.rq --semantics isomorphism --count
  rdfgpu query my.store --format json --time < query.rq
  rdfgpu query my.store -f query.rq --format arrow > answer.arrows
  rdfgpu query my.store -f query.rq --format parquet > answer.parquet`
}

// Run answers the query.
func (c *queryCommand) Run(env *environment) error {
	text, options, store, err := prepare(env, c.Store, &c.queryText, &c.matching)
	if err != nil {
		return err
	}
	defer store.Close()
	options.CountOnly = c.Count
	result, err := store.Query(env.ctx, text, options)
	if err != nil {
		return nameFile(err, c.File)
	}
	defer result.Close()
	for _, u := range result.Unknown() {
		fmt.Fprintln(env.stderr, "rdfgpu:", u)
	}
	if err := c.write(env, result); err != nil {
		return err
	}
	if c.Time {
		fmt.Fprintln(env.stderr, result.Timings())
	}
	return nil
}

func (c *queryCommand) write(env *environment, result *rdfgpu.Result) error {
	if c.Count {
		n, err := result.Count()
		if err == nil {
			_, err = fmt.Fprintln(env.stdout, n)
		}
		return err
	}
	out := bufio.NewWriterSize(env.stdout, 1<<16)
	write := result.Write
	if c.Check {
		write = result.WriteChecked
	}
	format := c.format(env, result.Kind())
	if format.Binary() && isTerminal(env.stdout) {
		return usageError(fmt.Sprintf("%s is not for a terminal: send it to a file, as in --format %[1]s > answer.arrows", format))
	}
	_, err := write(out, format)
	return firstError(err, out.Flush())
}

func (c *queryCommand) format(env *environment, kind rdfgpu.Kind) rdfgpu.Format {
	switch {
	case c.Format != "":
		return rdfgpu.Format(c.Format)
	case kind == rdfgpu.Triples:
		return rdfgpu.Turtle
	case isTerminal(env.stdout):
		return rdfgpu.Table
	}
	return rdfgpu.TSV
}

type explainCommand struct {
	Store string `arg:"" help:"Folder of the store."`
	queryText
	matching
	Analyze bool   `help:"Run the query and show what was measured beside the estimates."`
	Watch   bool   `help:"Tell how changes of its solutions are found while it stands: from the changed triples, or by evaluating it again, and why."`
	Format  string `enum:"text,json,dot" default:"text" help:"text, json, or dot (the query graph, for Graphviz)."`
}

// Help is shown by rdfgpu explain --help.
func (*explainCommand) Help() string {
	return `Examples:
  rdfgpu explain my.store -f star.rq --analyze
  rdfgpu explain my.store -f star.rq --format dot | dot -Tsvg > star.svg
  rdfgpu explain my.store -f star.rq --watch`
}

// Run explains the query.
func (c *explainCommand) Run(env *environment) error {
	text, options, store, err := prepare(env, c.Store, &c.queryText, &c.matching)
	if err != nil {
		return err
	}
	defer store.Close()
	if c.Watch {
		return c.watch(env, store, text, options)
	}
	options.Analyze = c.Analyze
	explanation, err := store.Explain(env.ctx, text, options)
	if err != nil {
		return nameFile(err, c.File)
	}
	switch c.Format {
	case "json":
		return writeJSON(env.stdout, explanation)
	case "dot":
		return explanation.WriteDot(env.stdout)
	}
	return explanation.WriteText(env.stdout)
}

// watch tells how the query would be kept up to date.
func (c *explainCommand) watch(env *environment, store *governed, text string, options rdfgpu.QueryOptions) error {
	if c.Analyze || c.Format == "dot" {
		return usageError("--watch runs nothing and draws nothing: give it without --analyze, with --format text or json")
	}
	e, err := store.ExplainWatch(env.ctx, text, rdfgpu.WatchOptions{Semantics: options.Semantics})
	if err != nil {
		return nameFile(err, c.File)
	}
	if c.Format == "json" {
		return writeJSON(env.stdout, e)
	}
	_, err = fmt.Fprint(env.stdout, e)
	return err
}
