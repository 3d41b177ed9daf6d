package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rdfgpu/rdfgpu"
)

type loadCommand struct {
	Store   string   `short:"o" required:"" placeholder:"STORE" help:"Folder of the store; an old store there is replaced when the load has finished."`
	Files   []string `arg:"" help:"Files (.nt .nq .ttl .trig .rdf, also .gz .zst .bz2), globs, folders (all such files below them, by name), or - for standard input."`
	Format  string   `placeholder:"FORMAT" help:"Syntax of the input where its name does not tell: ntriples, nquads, turtle, trig, rdfxml."`
	Base    string   `placeholder:"IRI" help:"Base IRI of relative IRIs (default: the file's own)."`
	Memory  byteSize `placeholder:"SIZE" help:"Memory to use before spilling to disk, such as 2GiB (default: half the machine's)."`
	Tmp     string   `placeholder:"DIR" help:"Folder for temporary files (default: the store's)."`
	SkipBad uint64   `placeholder:"N" help:"Skip up to N bad lines of N-Triples or N-Quads and report them."`
	Threads int      `placeholder:"N" help:"Threads to use (default: all cores)."`
	Append  bool     `help:"Keep what is in the store and add what is new; takes time for what is added, not for what is there."`
	Quiet   bool     `short:"q" help:"No progress, no summary."`
	JSON    bool     `name:"json" help:"Summary as JSON."`
}

// Help is shown by rdfgpu load --help.
func (*loadCommand) Help() string {
	return `Examples:
  rdfgpu load -o geo.store dump-*.nt.zst
  rdfgpu load -o geo.store dumps/
  zcat dump.nt.gz | rdfgpu load -o geo.store --format ntriples -
  rdfgpu load -o geo.store --append today.nt.gz

A load or an append that fails or is interrupted leaves the store as it was; where there was none, a failed one leaves nothing. Appends add segments; rdfgpu info
lists them and says when rdfgpu compact is worth its time.`
}

// Run loads the files.
func (c *loadCommand) Run(env *environment) error {
	if c.Store == "" {
		return usageError("--store is empty: expected the folder of the store")
	}
	files, err := inputFiles(c.Files)
	if err != nil {
		return err
	}
	progress := newProgress(env.stderr, c.Quiet)
	report, err := rdfgpu.Load(env.ctx, c.Store, files, rdfgpu.LoadOptions{
		Format: c.Format, Base: c.Base, Memory: int64(c.Memory), TempDir: c.Tmp, SkipBad: c.SkipBad,
		Append: c.Append, Threads: c.Threads, Stdin: env.stdin, Progress: progress.load,
	})
	progress.done()
	if err != nil {
		return err
	}
	for _, bad := range report.Skipped {
		fmt.Fprintln(env.stderr, "rdfgpu: skipped:", bad)
	}
	return printReport(env, report, c.JSON, c.Quiet)
}

func printReport(env *environment, report fmt.Stringer, json, quiet bool) error {
	if json {
		return writeJSON(env.stdout, report)
	}
	if !quiet {
		fmt.Fprintln(env.stdout, report)
	}
	return nil
}

// inputFiles are the files that the arguments name: by globs, and below folders.
func inputFiles(arguments []string) (files []string, err error) {
	for _, argument := range arguments {
		found := []string{argument}
		if strings.ContainsAny(argument, "*?[") {
			if found, err = filepath.Glob(argument); err != nil {
				return nil, usageError(fmt.Sprintf("bad pattern %q: %v", argument, err))
			}
			if len(found) == 0 {
				return nil, usageError(fmt.Sprintf("no file matches %q", argument))
			}
		}
		for _, name := range found {
			below := []string{name}
			if info, err := os.Stat(name); err == nil && info.IsDir() {
				if below, err = rdfgpu.FindFiles(name); err != nil {
					return nil, err
				}
			}
			files = append(files, below...)
		}
	}
	return files, nil
}
