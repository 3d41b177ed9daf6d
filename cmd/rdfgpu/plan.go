package main

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu"
)

type planCommand struct {
	Files   []string `arg:"" help:"Files (.nt .nq .ttl .trig .rdf, also .gz .zst .bz2), globs or folders."`
	Format  string   `placeholder:"FORMAT" help:"Syntax of the input where its name does not tell: ntriples, nquads, turtle, trig, rdfxml."`
	Base    string   `placeholder:"IRI" help:"Base IRI of relative IRIs (default: the file's own)."`
	Memory  byteSize `placeholder:"SIZE" help:"Memory the load may use before spilling to disk, such as 2GiB (default: half the machine's)."`
	Tmp     string   `placeholder:"DIR" help:"Folder for temporary files (default: the system's)."`
	Threads int      `placeholder:"N" help:"Threads to use (default: all cores)."`
	JSON    bool     `name:"json" help:"As JSON."`
}

// Help is shown by rdfgpu plan-load --help.
func (*planCommand) Help() string {
	return `Reads a sample of the files and loads it into a temporary folder; the time is that of this machine, as busy as it is now.

Examples:
  rdfgpu plan-load dump-*.nt.zst
  rdfgpu plan-load --memory 8GiB --json dump.nt.gz`
}

// Run plans the load.
func (c *planCommand) Run(env *environment) error {
	files, err := inputFiles(c.Files)
	if err != nil {
		return err
	}
	plan, err := rdfgpu.PlanLoad(env.ctx, files, rdfgpu.LoadOptions{
		Format: c.Format, Base: c.Base, Memory: int64(c.Memory), TempDir: c.Tmp, Threads: c.Threads, Stdin: env.stdin,
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(env.stdout, plan)
	}
	_, err = fmt.Fprintln(env.stdout, plan)
	return err
}
