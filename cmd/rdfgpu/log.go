package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

type logCommand struct {
	Store string `arg:"" help:"Folder of the store, also of one that a server has open."`
	From  uint64 `placeholder:"N" help:"Begin at this sequence (default: the oldest that the log still has)."`
	Patch bool   `help:"What was changed, as RDF Patch."`
	JSON  bool   `name:"json" help:"As JSON, a line for each commit."`
}

// Help is shown by rdfgpu log --help.
func (*logCommand) Help() string {
	return `Lists what was committed: sequence, time, triples added and removed. Commits leave the log once they are in the store's files.

Examples:
  rdfgpu log my.store
  rdfgpu log my.store --from 17 --patch > since.rdfp
  curl -X PATCH -H 'Content-Type: application/rdf-patch' --data-binary @since.rdfp http://other:7878/store`
}

// Run lists the log.
func (c *logCommand) Run(env *environment) error {
	if c.JSON && c.Patch {
		return usageError("a patch is no JSON: give --patch or --json")
	}
	store, err := rdfgpu.Open(c.Store, rdfgpu.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	out := bufio.NewWriterSize(env.stdout, 1<<16)
	for entry, err := range store.Log(c.From) {
		if err == nil {
			err = env.ctx.Err()
		}
		if err == nil {
			err = c.write(out, store, entry)
		}
		if err != nil {
			return firstError(err, out.Flush())
		}
	}
	return out.Flush()
}

func (c *logCommand) write(out *bufio.Writer, store *rdfgpu.Store, e rdfgpu.LogEntry) (err error) {
	switch at := e.Time.UTC().Format(time.RFC3339Nano); {
	case c.JSON:
		err = json.NewEncoder(out).Encode(e)
	case c.Patch:
		if _, err = fmt.Fprintf(out, "# sequence %d, %s\n", e.Sequence, at); err == nil {
			err = store.WritePatch(out, e.Sequence)
		}
	default:
		if _, err = fmt.Fprintf(out, "%d\t%s\t+%d\t-%d", e.Sequence, at, e.Added, e.Removed); e.InFiles {
			_, err = fmt.Fprintf(out, "\tin the store's files %s", e.Segment)
		}
		err = firstError(err, out.WriteByte('\n'))
	}
	return err
}
