package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/bench"
)

type benchCommand struct {
	Queries     string        `arg:"" help:"Folder with .rq files; an expected.tsv in it or above it is checked."`
	Endpoints   []string      `short:"e" name:"endpoint" required:"" sep:"none" placeholder:"NAME=URL" help:"SPARQL endpoint; repeat it for peers, ours first. Parameters in the URL are sent with every query."`
	Forms       []string      `default:"tsv,count" help:"What to ask for: tsv, json, count."`
	Only        []string      `help:"Only these queries (file names without .rq)."`
	Repetitions int           `short:"n" default:"7" help:"Timed repetitions of each query, after one warm-up."`
	Timeout     time.Duration `default:"120s" help:"Limit of one request."`
	Budget      time.Duration `default:"10s" help:"Stop repeating a query at an endpoint after this long."`
	Format      string        `enum:"markdown,csv" default:"markdown" help:"markdown or csv."`
}

// Help is shown by rdfgpu bench --help.
func (*benchCommand) Help() string {
	return `Medians of warm latency over one kept-alive connection, endpoints taking turns, and ratios to the first endpoint.

Example:
  rdfgpu bench queries/ -e rdfgpu=http://127.0.0.1:7878/sparql -e peer=http://127.0.0.1:8890/sparql`
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
	report, err := bench.Run(env.ctx, endpoints, cases, bench.Options{
		Repetitions: c.Repetitions, Timeout: c.Timeout, Budget: c.Budget,
		Progress: func(line string) { fmt.Fprintln(env.stderr, line) },
	})
	if err != nil {
		return err
	}
	if c.Format == "csv" {
		return report.WriteCSV(env.stdout)
	}
	return report.WriteMarkdown(env.stdout)
}
