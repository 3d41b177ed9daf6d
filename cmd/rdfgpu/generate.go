package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/generate"
)

type generateCommand struct {
	Graph      string   `arg:"" enum:"lubm,watdiv,rmat,zipf" help:"lubm (universities), watdiv (e-commerce), rmat or zipf (random graphs)."`
	Scale      int      `required:"" placeholder:"N" help:"lubm: universities (about 130,000 triples each); watdiv: scale factor (about 108,000 each); rmat: 2^N vertices; zipf: N thousand vertices."`
	Seed       uint64   `default:"1" help:"The same seed gives the same graph, on any number of cores."`
	Out        string   `short:"o" default:"-" placeholder:"FILE" help:"N-Triples file; - for standard output."`
	Load       string   `placeholder:"STORE" help:"Load the graph into a store instead of writing it."`
	Memory     byteSize `placeholder:"SIZE" help:"Memory of the load (default: half the machine's)."`
	Tmp        string   `placeholder:"DIR" help:"Folder for temporary files of the load (default: the store's)."`
	JSON       bool     `name:"json" help:"Summary of the load as JSON."`
	Edges      uint64   `placeholder:"N" help:"rmat, zipf: edges (default: 16 for each vertex)."`
	Classes    int      `default:"0" placeholder:"N" help:"rmat, zipf: vertex labels, as rdf:type (default: none)."`
	Predicates int      `default:"1" placeholder:"N" help:"rmat, zipf: edge labels."`
	Undirected bool     `help:"rmat, zipf: each edge both ways, and none from a vertex to itself."`
	Exponent   float64  `default:"1" placeholder:"S" help:"zipf: degrees are in proportion to rank^-S."`
}

// Help is shown by rdfgpu generate --help.
func (*generateCommand) Help() string {
	return `Examples:
  rdfgpu generate lubm --scale 10 -o lubm10.nt
  rdfgpu generate watdiv --scale 100 --load watdiv10m.store
  rdfgpu generate rmat --scale 20 --classes 16 --predicates 100 -o - | zstd > rmat.nt.zst`
}

// graph is what every generator offers.
type graph interface {
	WriteNTriples(ctx context.Context, w io.Writer) (uint64, error)
}

// Run generates the graph.
func (c *generateCommand) Run(env *environment) error {
	g, err := c.graph()
	if err != nil {
		return err
	}
	if c.Load != "" {
		return c.load(env, g)
	}
	out := env.stdout
	if c.Out != "-" {
		f, err := os.Create(c.Out)
		if err != nil {
			return err
		}
		defer f.Close()
		out = f
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	n, err := g.WriteNTriples(env.ctx, buffered)
	if err = firstError(err, buffered.Flush()); err != nil {
		return err
	}
	fmt.Fprintf(env.stderr, "%d triples\n", n)
	return nil
}

func (c *generateCommand) graph() (graph, error) {
	if c.Scale < 1 {
		return nil, usageError("--scale must be at least 1")
	}
	vertices := uint64(c.Scale) * 1000
	if c.Graph == "rmat" {
		vertices = 1 << min(c.Scale, 32)
	}
	if c.Edges == 0 {
		c.Edges = 16 * vertices
	}
	switch c.Graph {
	case "lubm":
		return generate.LUBM{Universities: c.Scale, Seed: c.Seed}, nil
	case "watdiv":
		return generate.Commerce{Scale: c.Scale, Seed: c.Seed}, nil
	}
	var g generate.Graph
	var err error
	if c.Graph == "rmat" {
		g, err = generate.RMAT(c.Scale, c.Edges, c.Classes, max(c.Predicates, 1), c.Seed)
	} else {
		g, err = generate.Zipf(vertices, c.Edges, c.Exponent, c.Classes, max(c.Predicates, 1), c.Seed)
	}
	g.Undirected = c.Undirected
	return g, err
}

// load pipes the text straight into a load.
func (c *generateCommand) load(env *environment, g graph) error {
	reader, writer := io.Pipe()
	go func() {
		buffered := bufio.NewWriterSize(writer, 1<<20)
		_, err := g.WriteNTriples(env.ctx, buffered)
		writer.CloseWithError(firstError(err, buffered.Flush()))
	}()
	defer reader.Close()
	progress := newProgress(env.stderr, false)
	report, err := rdfgpu.Load(env.ctx, c.Load, []string{"-"}, rdfgpu.LoadOptions{
		Format: "ntriples", Memory: int64(c.Memory), TempDir: c.Tmp, Stdin: reader, Progress: progress.load,
	})
	progress.done()
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(env.stdout, report)
	}
	_, err = fmt.Fprintln(env.stdout, report)
	return err
}
