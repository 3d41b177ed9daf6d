package main

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu"
)

type compactCommand struct {
	Store   string   `arg:"" help:"Folder of the store."`
	Memory  byteSize `placeholder:"SIZE" help:"Memory to use before spilling to disk, such as 2GiB (default: half the machine's)."`
	Tmp     string   `placeholder:"DIR" help:"Folder for temporary files (default: the store's)."`
	Threads int      `placeholder:"N" help:"Threads to use (default: all cores)."`
	Quiet   bool     `short:"q" help:"No progress, no summary."`
	JSON    bool     `name:"json" help:"Summary as JSON."`
}

// Help is shown by rdfgpu compact --help.
func (*compactCommand) Help() string {
	return `Makes the segments that load --append has added one base with what was there before, so that queries are as
fast as after a load of everything. Takes about the time of that load less the reading, and room for a second
store. Interrupted, it leaves the store as it was. A running server turns to the compacted store within a second.

Examples:
  rdfgpu info geo.store
  rdfgpu compact geo.store
  rdfgpu compact geo.store --memory 2GiB --json`
}

// Run compacts the store.
func (c *compactCommand) Run(env *environment) error {
	progress := newProgress(env.stderr, c.Quiet)
	report, err := rdfgpu.Compact(env.ctx, c.Store, rdfgpu.LoadOptions{
		Memory: int64(c.Memory), TempDir: c.Tmp, Threads: c.Threads, Progress: progress.load,
	})
	progress.done()
	if err != nil {
		return err
	}
	return printReport(env, compacted{report}, c.JSON, c.Quiet)
}

// compacted prints the report of a compaction.
type compacted struct{ rdfgpu.LoadReport }

// String sums the compaction up in a line.
func (c compacted) String() string {
	if c.Merged == 0 {
		return fmt.Sprintf("%s: nothing to do, it has one segment", c.Store)
	}
	return fmt.Sprintf("%s: %d segments made one: %d triples, %d terms, %s, %.2f s",
		c.Store, c.Merged, c.Triples, c.Terms, c.Size(), c.Elapsed.Seconds())
}
