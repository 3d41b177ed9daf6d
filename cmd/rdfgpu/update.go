package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

type updateCommand struct {
	Store      string        `arg:"" help:"Folder of the store, or address of a server that has it open."`
	Text       string        `arg:"" optional:"" name:"update" help:"The update; without it and without -f it is read from standard input."`
	File       string        `short:"f" placeholder:"FILE" help:"Read the update from a file."`
	DryRun     bool          `help:"Tell what would change, and change nothing."`
	Base       string        `placeholder:"IRI" help:"Base IRI of relative IRIs."`
	IfSequence *uint64       `placeholder:"N" help:"Only while the store is at this sequence."`
	Timeout    time.Duration `placeholder:"DURATION" help:"Give up after this long, such as 30s."`
	Threads    int           `placeholder:"N" help:"Threads to use (default: all cores)."`
	limits
	writing
	access
	Quiet bool `short:"q" help:"No summary."`
	JSON  bool `name:"json" help:"Summary as JSON."`
}

// Help is shown by rdfgpu update --help.
func (*updateCommand) Help() string {
	return `Runs the operations of a SPARQL 1.1 Update as one change: all of it, or nothing. The summary tells how many triples came
and went, in which graphs, and the sequence: the number of the change.

Examples:
  rdfgpu update my.store 'INSERT DATA { <http://e/s> <http://e/p> "o" }'
  rdfgpu update my.store -f fix.ru --dry-run
  rdfgpu update my.store -f fix.ru --if-sequence 17
  rdfgpu update my.store 'LOAD <file:///srv/data/more.ttl> INTO GRAPH <http://e/g>' --allow-load file:///srv/data/
  rdfgpu update http://127.0.0.1:7878/ 'DELETE WHERE { ?s <http://e/old> ?o }' --token "$TOKEN"

A store that a server has open for updates is changed by that server alone: give its address. Flags about the store and its
memory (--durability, --allow-load, --threads, …) are then the server's.`
}

// Run does the update.
func (c *updateCommand) Run(env *environment) error {
	text, err := (&queryText{Text: c.Text, File: c.File}).read(env)
	if err != nil {
		return err
	}
	do := c.local
	if isAddress(c.Store) {
		do = c.ask
	}
	report, err := do(env, text)
	if err != nil {
		return nameFile(err, c.File)
	}
	return printReport(env, changed{report, c.DryRun}, c.JSON, c.Quiet)
}

// local updates a store in a folder.
func (c *updateCommand) local(env *environment, text string) (report rdfgpu.UpdateReport, err error) {
	budget := c.budget()
	options := rdfgpu.Options{Threads: c.Threads, Budget: budget}
	c.writing.in(&options)
	store, err := openToWrite(c.Store, options)
	if err != nil {
		return report, err
	}
	memory := int64(c.QueryMemory)
	if memory == 0 {
		memory = budget.Usage().Live
	}
	opened := &governed{store, budget.Govern()}
	report, err = store.Update(env.ctx, text, rdfgpu.UpdateOptions{
		Base: c.Base, IfSequence: c.IfSequence, DryRun: c.DryRun, Timeout: c.Timeout, MaxMemory: memory,
	})
	return report, firstError(err, opened.Close())
}

// openToWrite opens a store to change it.
func openToWrite(dir string, options rdfgpu.Options) (*rdfgpu.Store, error) {
	store, err := rdfgpu.Open(dir, options)
	if errors.Is(err, rdfgpu.ErrBusy) {
		return nil, fmt.Errorf("%w: where a server has it open, give the server's address in its place", err)
	}
	return store, err
}

// ask has a server update its store.
func (c *updateCommand) ask(env *environment, text string) (report rdfgpu.UpdateReport, err error) {
	server, err := c.remote(c.Store)
	if err != nil {
		return report, err
	}
	parameters, header := url.Values{}, http.Header{"Content-Type": {"application/sparql-update"}, "Accept": {"application/json"}}
	if c.DryRun {
		parameters.Set("dry-run", "true")
	}
	if c.Base != "" {
		parameters.Set("base", c.Base)
	}
	if c.Timeout > 0 {
		parameters.Set("timeout", c.Timeout.String())
	}
	if c.IfSequence != nil {
		header.Set("If-Match", strconv.Quote(strconv.FormatUint(*c.IfSequence, 10)))
	}
	response, err := server.ask(env.ctx, http.MethodPost, "update", parameters, strings.NewReader(text), header)
	if err != nil {
		return report, err
	}
	defer response.Body.Close()
	return report, json.NewDecoder(response.Body).Decode(&report)
}

// changed prints the report of an update.
type changed struct {
	rdfgpu.UpdateReport
	DryRun bool `json:"dryRun,omitempty"`
}

// mostGraphs is how many graphs the summary lists.
const mostGraphs = 20

// String sums the update up: a line, and one for each graph where there is more than the default graph.
func (c changed) String() string {
	var b strings.Builder
	verb := "added"
	if c.DryRun {
		verb = "would be added"
	}
	fmt.Fprintf(&b, "sequence %d: %s %s, %d removed, %.3f s", c.Sequence, counted(c.Added, "triple"), verb, c.Removed, c.Elapsed.Seconds())
	if len(c.Graphs) == 0 || len(c.Graphs) == 1 && c.Graphs[0].Graph == "" {
		return b.String()
	}
	for i, g := range c.Graphs {
		if i == mostGraphs {
			fmt.Fprintf(&b, "\n  and %d graphs more", len(c.Graphs)-i)
			break
		}
		name := "default graph"
		if g.Graph != "" {
			name = "<" + g.Graph + ">"
		}
		fmt.Fprintf(&b, "\n  %s: %d added, %d removed", name, g.Added, g.Removed)
	}
	return b.String()
}

// counted is a number of things.
func counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
