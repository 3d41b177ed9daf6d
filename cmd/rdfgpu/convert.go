package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/rdfgpu/rdfgpu"
)

type convertCommand struct {
	Files  []string   `arg:"" help:"Files (.nt .nq .ttl .trig .rdf, also .gz .zst .bz2), globs, folders, or - for standard input."`
	Output outputName `short:"o" placeholder:"FILE" help:"Write to a file, whose name tells syntax and compression (.gz .zst) where the flags do not (default, and with -: standard output)."`
	From   string     `placeholder:"FORMAT" help:"Syntax of the input where its name does not tell: ntriples, nquads, turtle, trig, rdfxml."`
	To     string     `placeholder:"FORMAT" help:"Syntax to write: ntriples, nquads, turtle, trig, rdfxml (default: by the output's name; nquads on standard output)."`
	packing
	Base       string            `placeholder:"IRI" help:"Base IRI of relative IRIs (default: the file's own)."`
	Prefix     map[string]string `placeholder:"NAME=IRI" help:"Shorten IRIs in Turtle and TriG; may be repeated."`
	DropGraphs bool              `help:"Leave the names of graphs out."`
	Quiet      bool              `short:"q" help:"No progress, no summary."`
	JSON       bool              `name:"json" help:"Summary as JSON, on standard error where the document goes to standard output."`
}

// Help is shown by rdfgpu convert --help.
func (*convertCommand) Help() string {
	return `Reads the files one after the other and writes one document, holding neither. Blank nodes of different files stay different.
What the syntax cannot say is an error: names of graphs in ntriples, turtle and rdfxml (nquads and trig have them), and in rdfxml some
predicates and characters. A file gets its name when it is whole.

Examples:
  rdfgpu convert dump.ttl -o dump.nt.zst
  rdfgpu convert dumps/ -o all.nq.gz
  rdfgpu convert people.rdf --to turtle --prefix foaf=http://xmlns.com/foaf/0.1/
  curl http://e/data | rdfgpu convert - --from rdfxml --base http://e/data > data.nq`
}

// Run converts the files.
func (c *convertCommand) Run(env *environment) error {
	if last := c.Files[len(c.Files)-1]; len(c.Files) > 1 && c.Output == "" && isMissing(last) {
		return usageError(fmt.Sprintf("there is no file %s to be read; to write it: -o %[1]s", last))
	}
	files, err := inputFiles(c.Files)
	if err != nil {
		return err
	}
	to := c.To
	if to == "" && c.Output != "" {
		if to, err = rdfgpu.DetectFormat(string(c.Output)); err != nil {
			return usageError(fmt.Sprintf("%s, by --to", err))
		}
	}
	if to == "" {
		to = "nquads"
	}
	out, err := c.create(env, c.Output)
	if err != nil {
		return err
	}
	progress := newProgress(env.stderr, c.Quiet)
	report, err := rdfgpu.Convert(env.ctx, files, out, rdfgpu.ConvertOptions{
		To: to, From: c.From, Base: c.Base, Stdin: env.stdin, Prefixes: c.Prefix, DropGraphs: c.DropGraphs,
		Progress: func(p rdfgpu.ConvertProgress) { progress.show(p) },
	})
	progress.done()
	if err = out.end(err); err != nil {
		return err
	}
	return printReport(env.summary(c.Output), converted(report), c.JSON, c.Quiet)
}

// isMissing reports whether a name is of an RDF document that is not there.
func isMissing(name string) bool {
	_, err := os.Stat(name)
	_, unknown := rdfgpu.DetectFormat(name)
	return errors.Is(err, fs.ErrNotExist) && unknown == nil
}

// converted prints the report of a conversion.
type converted rdfgpu.ConvertReport

// String sums the conversion up in a line.
func (c converted) String() string {
	return fmt.Sprintf("%s, %.2f s", counted(uint64(c.Quads), "quad"), c.Elapsed.Seconds())
}
