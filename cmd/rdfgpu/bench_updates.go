package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/bench"
)

type benchUpdatesCommand struct {
	Kinds       []string      `arg:"" optional:"" help:"What to send: single, edit, mix (default: all)."`
	Endpoints   []string      `short:"e" name:"endpoint" required:"" sep:";" placeholder:"NAME=UPDATE[,QUERY]" help:"URLs for updates and for queries (default: the same); repeat it for peers, ours first. Parameters in a URL are sent with every request."`
	Connections []int         `default:"1,8,64" placeholder:"N,..." help:"Numbers of kept-alive connections that write, one after another."`
	Readers     int           `default:"0" placeholder:"N" help:"Further connections that ask the queries of --queries, alone and then beside the writers."`
	Queries     string        `placeholder:"DIR" help:"Folder with .rq files for the readers; an expected.tsv in it or above it is checked."`
	Only        []string      `help:"Only these queries (file names without .rq)."`
	Duration    time.Duration `default:"60s" help:"How long each row is measured."`
	Timeout     time.Duration `default:"120s" help:"Limit of one request."`
	Seed        uint64        `default:"1" help:"Seed of what is sent; another for each run against the same data."`
	Format      string        `enum:"markdown,csv" default:"markdown" help:"markdown or csv."`
}

// Help is shown by rdfgpu bench-updates --help.
func (*benchUpdatesCommand) Help() string {
	return `Updates/s, triples/s, latencies and errors of SPARQL endpoints that take updates, taking turns.

  single  INSERT DATA of one triple with a new subject
  edit    DELETE DATA of 20 triples and INSERT DATA of 22 of one of 1,024 entities in one request, as in Wikidata's stream
  mix     a product comes with offers and reviews, or an offer goes; then 12 queries explore the shop, as in BSBM

The data go into the default graph, under http://rdfgpu.example/bench/. After each row, queries check that exactly what
was acknowledged is there. The exit code is 1 if it is not, an answer was wrong or an endpoint failed otherwise than by a 503.

Examples:
  rdfgpu bench-updates -e rdfgpu=http://127.0.0.1:7878/update,http://127.0.0.1:7878/sparql
  rdfgpu bench-updates single edit -e rdfgpu=http://127.0.0.1:7878/update,http://127.0.0.1:7878/sparql --readers 4 --queries queries/`
}

// Run measures.
func (c *benchUpdatesCommand) Run(env *environment) error {
	endpoints, err := c.endpoints()
	if err != nil {
		return err
	}
	o, err := c.options()
	if err != nil {
		return err
	}
	o.Progress = func(line string) { fmt.Fprintln(env.stderr, line) }
	report, err := bench.Updates(env.ctx, endpoints, o)
	if err != nil {
		return err
	}
	err = writeReport(env, c.Format, report)
	if err == nil && slices.ContainsFunc(report.Rows, bench.UpdateRow.Failed) {
		err = errors.New("an endpoint failed, answered wrongly or lost something; see the report")
	}
	return err
}

func (c *benchUpdatesCommand) endpoints() ([]bench.UpdateEndpoint, error) {
	var endpoints []bench.UpdateEndpoint
	for _, e := range c.Endpoints {
		name, urls, ok := strings.Cut(e, "=")
		if !ok {
			return nil, usageError(fmt.Sprintf("%q is not NAME=UPDATE[,QUERY]", e))
		}
		update, query, ok := strings.Cut(urls, ",")
		if !ok {
			query = update
		}
		endpoints = append(endpoints, bench.UpdateEndpoint{Name: name, Update: update, Query: query})
	}
	return endpoints, nil
}

func (c *benchUpdatesCommand) options() (bench.UpdateOptions, error) {
	o := bench.UpdateOptions{
		Kinds: bench.UpdateKinds, Connections: c.Connections, Readers: c.Readers,
		Duration: c.Duration, Timeout: c.Timeout, Seed: c.Seed,
	}
	if len(c.Kinds) > 0 {
		o.Kinds = nil
	}
	for _, kind := range c.Kinds {
		if !slices.Contains(bench.UpdateKinds, bench.UpdateKind(kind)) {
			return o, usageError(fmt.Sprintf("%q is no kind of updates: single, edit or mix", kind))
		}
		o.Kinds = append(o.Kinds, bench.UpdateKind(kind))
	}
	for _, n := range append(slices.Clone(c.Connections), max(c.Readers, 1)) {
		if n < 1 || n > 10_000 {
			return o, usageError(fmt.Sprintf("%d is no number of connections", n))
		}
	}
	if c.Readers == 0 {
		return o, nil
	}
	if c.Queries == "" {
		return o, usageError("--readers need --queries")
	}
	var err error
	o.Reads, err = bench.Cases(c.Queries, []bench.Form{bench.TSV}, c.Only)
	return o, err
}
