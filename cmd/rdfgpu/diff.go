package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/rdfgpu/rdfgpu"
)

type diffCommand struct {
	From   string     `arg:"" help:"Folder of the first store."`
	To     string     `arg:"" help:"Folder of the second store."`
	Output outputName `short:"o" placeholder:"FILE" help:"Write the difference to a file, compressed if it ends in .gz or .zst (default, and with -: standard output)."`
	packing
	MaxBlank int  `default:"100000" placeholder:"N" help:"Quads with blank nodes up to which these are matched by what surrounds them; beyond, and with -1, they are the same where their labels are."`
	Quiet    bool `short:"q" help:"Write nothing; the exit code tells."`
	JSON     bool `name:"json" help:"Summary as JSON, on standard error where the difference goes to standard output."`
}

// Help is shown by rdfgpu diff --help.
func (*diffCommand) Help() string {
	return `Writes what makes the first store's data those of the second, as RDF Patch: D for a quad that goes, A for one that comes. Stores that
servers have open can be compared; of each, one state is read. The exit code is 0 where the data are the same, 1 where they differ, 2
where a store is not there.

Labels of blank nodes say nothing: nodes are the same where what surrounds them is, as far as there are no more than --max-blank quads
with blank nodes. The summary says so where labels had to count.

Examples:
  rdfgpu diff yesterday.store today.store > changes.rdfp
  rdfgpu diff -q a.store b.store && echo the same
  rdfgpu diff a.store b.store | curl -X PATCH -H 'Content-Type: application/rdf-patch' --data-binary @- http://127.0.0.1:7878/store`
}

// errDiffer is the outcome of a comparison that finds something.
var errDiffer = errors.New("the stores differ")

// Run compares the stores.
func (c *diffCommand) Run(env *environment) error {
	from, err := openToCompare(c.From)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := openToCompare(c.To)
	if err != nil {
		return err
	}
	defer to.Close()
	report, err := c.write(env, from, to)
	if err != nil {
		return err
	}
	if err := printReport(env.summary(c.Output), report, c.JSON, c.Quiet); err != nil {
		return err
	}
	if !report.Same() {
		return errDiffer
	}
	return nil
}

func (c *diffCommand) write(env *environment, from, to *rdfgpu.Store) (rdfgpu.DiffReport, error) {
	options := rdfgpu.DiffOptions{MaxBlank: c.MaxBlank}
	if c.Quiet {
		return rdfgpu.Diff(env.ctx, from, to, io.Discard, options)
	}
	out, err := c.create(env, c.Output)
	if err != nil {
		return rdfgpu.DiffReport{}, err
	}
	report, err := rdfgpu.Diff(env.ctx, from, to, out, options)
	return report, out.end(err)
}

// openToCompare opens a store; one that is not there is wrong usage, because exit code 1 says that stores differ.
func openToCompare(dir string) (*rdfgpu.Store, error) {
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, rdfgpu.ErrNotStore) {
		return nil, usageError(fmt.Sprint(err))
	}
	return store, err
}
