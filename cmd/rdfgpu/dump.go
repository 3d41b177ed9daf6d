package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

type dumpCommand struct {
	Store  string     `arg:"" help:"Folder of the store, or address of a server."`
	Graph  string     `placeholder:"IRI" help:"Only this graph, as N-Triples; default is the default graph."`
	Output outputName `short:"o" placeholder:"FILE" help:"Write to a file, compressed if it ends in .gz or .zst (default, and with -: standard output)."`
	packing
	access
	Quiet bool `short:"q" help:"No progress, no summary."`
	JSON  bool `name:"json" help:"Summary as JSON, on standard error where the dump goes to standard output."`
}

// Help is shown by rdfgpu dump --help.
func (*dumpCommand) Help() string {
	return `Writes all graphs as N-Quads, or one as N-Triples, as they are at one moment: what is committed meanwhile is not in it. Loaded
again, it gives the same data set.

Examples:
  rdfgpu dump my.store -o all.nq.zst
  rdfgpu dump my.store --graph http://e/g > g.nt
  rdfgpu dump http://127.0.0.1:7878/ --compress zst > all.nq.zst`
}

// Run dumps the store.
func (c *dumpCommand) Run(env *environment) error {
	out, err := c.create(env, c.Output)
	if err != nil {
		return err
	}
	write := c.local
	if isAddress(c.Store) {
		write = c.ask
	}
	began := time.Now()
	progress := newProgress(env.stderr, c.Quiet)
	report, err := write(env.ctx, out, progress)
	progress.done()
	if err = out.end(err); err != nil {
		return err
	}
	return printReport(env.summary(c.Output), dumped{report, time.Since(began)}, c.JSON, c.Quiet)
}

// local dumps a store in a folder, a server's too.
func (c *dumpCommand) local(ctx context.Context, out io.Writer, progress *progress) (report rdfgpu.DumpReport, err error) {
	store, err := rdfgpu.Open(c.Store, rdfgpu.Options{})
	if err != nil {
		return report, err
	}
	defer store.Close()
	options := rdfgpu.DumpOptions{Progress: func(written, total uint64) { progress.show(dumpProgress{written, total, progress.start}) }}
	if c.Graph != "" {
		name := strings.TrimPrefix(c.Graph, defaultGraph)
		options.Graph, options.Triples = &name, true
	}
	return store.Dump(ctx, out, options)
}

// defaultGraph is the name of the default graph in flags; it is no IRI.
const defaultGraph = "default"

// ask dumps the store of a server.
func (c *dumpCommand) ask(ctx context.Context, out io.Writer, progress *progress) (report rdfgpu.DumpReport, err error) {
	server, err := c.remote(c.Store)
	if err != nil {
		return report, err
	}
	parameters, header := url.Values{}, http.Header{"Accept": {"application/n-quads, application/problem+json;q=0.1"}}
	if c.Graph != "" {
		header.Set("Accept", "application/n-triples, application/problem+json;q=0.1")
		parameters.Set("graph", c.Graph)
	}
	if c.Graph == defaultGraph {
		parameters = url.Values{defaultGraph: {""}}
	}
	response, err := server.ask(ctx, http.MethodGet, "store", parameters, nil, header)
	if err != nil {
		return report, err
	}
	defer response.Body.Close()
	if _, err = io.Copy(out, &countedLines{response.Body, &report.Quads, progress}); err != nil {
		return report, fmt.Errorf("%s broke off: %w", c.Store, err)
	}
	sequence := response.Header.Get("X-Rdfgpu-Sequence") + response.Trailer.Get("X-Rdfgpu-Sequence")
	report.Sequence, _ = strconv.ParseUint(sequence, 10, 64) // some proxies drop trailers
	return report, nil
}

// countedLines counts the quads of a dump that are read.
type countedLines struct {
	io.Reader
	lines    *uint64
	progress *progress
}

// Read reads on.
func (c *countedLines) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	*c.lines += uint64(strings.Count(string(b[:n]), "\n"))
	c.progress.show(dumpProgress{*c.lines, 0, c.progress.start})
	return n, err
}

// dumpProgress is how far a dump is; total is 0 where that is not known.
type dumpProgress struct {
	written, total uint64
	began          time.Time
}

// String gives it in one line.
func (p dumpProgress) String() string {
	line := fmt.Sprintf("dump: %.2f M quads, %.2f M/s", float64(p.written)/1e6, float64(p.written)/1e6/max(time.Since(p.began).Seconds(), 1e-9))
	if p.total > 0 {
		line += fmt.Sprintf(", %d %% written", 100*p.written/p.total)
	}
	return line
}

// dumped prints the report of a dump.
type dumped struct {
	rdfgpu.DumpReport
	Elapsed time.Duration `json:"elapsedNanoseconds"`
}

// String sums the dump up in a line.
func (d dumped) String() string {
	return fmt.Sprintf("%s at sequence %d, %.2f s", counted(uint64(d.Quads), "quad"), d.Sequence, d.Elapsed.Seconds())
}
