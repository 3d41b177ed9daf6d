package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/bench"
)

type benchCommand struct {
	Queries     string        `arg:"" help:"Folder with .rq files; an expected.tsv in it or above it is checked."`
	Endpoints   []string      `short:"e" name:"endpoint" required:"" sep:";" placeholder:"NAME=URL" help:"SPARQL endpoint; repeat it for peers, ours first. Parameters in the URL are sent with every query."`
	Forms       []string      `default:"tsv,count" help:"What to ask for: tsv, json, count."`
	Only        []string      `help:"Only these queries (file names without .rq)."`
	Repetitions int           `short:"n" default:"7" help:"Timed repetitions of each query, after one warm-up."`
	Timeout     time.Duration `default:"120s" help:"Limit of one request."`
	Budget      time.Duration `default:"10s" help:"Stop repeating a query at an endpoint after this long."`
	Connections []int         `placeholder:"N,..." help:"Load instead of latency: ask a mix of all the queries from so many kept-alive connections at once, such as 1,8,64,256."`
	Duration    time.Duration `default:"60s" help:"How long each number of connections asks each endpoint."`
	MaxExpected int64         `placeholder:"N" help:"Only queries with at most so many expected solutions (default: all)."`
	Seed        uint64        `default:"1" help:"Seed of the order of the queries under load."`
	Format      string        `enum:"markdown,csv" default:"markdown" help:"markdown or csv."`
}

// Help is shown by rdfgpu bench --help.
func (*benchCommand) Help() string {
	return `Medians of warm latency over one kept-alive connection, endpoints taking turns, and ratios to the first endpoint.
With --connections: queries/s, latencies and errors under load instead. Then the exit code is 1 if an
answer was wrong or an endpoint failed otherwise than by a 503. Every query is asked many times: rdfgpu serve
keeps its answer then, unless it is started with --answer-cache 0.

Examples:
  rdfgpu bench queries/ -e rdfgpu=http://127.0.0.1:7878/sparql -e peer=http://127.0.0.1:8890/sparql
  rdfgpu bench queries/ -e rdfgpu=http://127.0.0.1:7878/sparql --forms tsv --connections 1,8,64,256 --duration 60s`
}

// load measures throughput.
func (c *benchCommand) load(env *environment, endpoints []bench.Endpoint, cases []bench.Case) error {
	for _, n := range c.Connections {
		if n < 1 || n > 10_000 {
			return usageError(fmt.Sprintf("%d is no number of connections", n))
		}
	}
	report, err := bench.Load(env.ctx, endpoints, cases, bench.LoadOptions{
		Connections: c.Connections, Duration: c.Duration, Timeout: c.Timeout, Seed: c.Seed,
		Progress: func(line string) { fmt.Fprintln(env.stderr, line) },
	})
	if err != nil {
		return err
	}
	err = writeReport(env, c.Format, report)
	if err == nil && slices.ContainsFunc(report.Rows, bench.LoadRow.Failed) {
		err = errors.New("an endpoint failed or answered wrongly; see the report")
	}
	return err
}

// writeReport writes what was measured, as CSV or Markdown.
func writeReport(env *environment, format string, report interface {
	WriteCSV(io.Writer) error
	WriteMarkdown(io.Writer) error
}) error {
	if format == "csv" {
		return report.WriteCSV(env.stdout)
	}
	return report.WriteMarkdown(env.stdout)
}

// Run measures.
func (c *benchCommand) Run(env *environment) error {
	var endpoints []bench.Endpoint
	for _, e := range c.Endpoints {
		name, url, ok := strings.Cut(e, "=")
		if !ok {
			return usageError(fmt.Sprintf("%q is not NAME=URL", e))
		}
		endpoints = append(endpoints, bench.Endpoint{Name: name, URL: url})
	}
	var forms []bench.Form
	for _, f := range c.Forms {
		forms = append(forms, bench.Form(f))
	}
	cases, err := bench.Cases(c.Queries, forms, c.Only)
	if err != nil {
		return err
	}
	if c.MaxExpected > 0 {
		cases = slices.DeleteFunc(cases, func(q bench.Case) bool { return q.Expected < 0 || q.Expected > c.MaxExpected })
	}
	if len(c.Connections) > 0 {
		return c.load(env, endpoints, cases)
	}
	report, err := bench.Run(env.ctx, endpoints, cases, bench.Options{
		Repetitions: c.Repetitions, Timeout: c.Timeout, Budget: c.Budget,
		Progress: func(line string) { fmt.Fprintln(env.stderr, line) },
	})
	if err != nil {
		return err
	}
	return writeReport(env, c.Format, report)
}
