package main

import (
	"context"
	"fmt"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

type mineCommand struct {
	What      string        `arg:"" enum:"triangles,cliques,motifs,frequent,cores,trusses,components" help:"triangles, cliques, motifs, frequent (patterns), cores, trusses or components."`
	Store     string        `arg:"" help:"Folder of the store."`
	Edges     []string      `placeholder:"PREDICATE" help:"Predicates whose triples are edges: IRIs, or :name for the only one whose IRI ends in #name or /name (default: all but rdf:type)."`
	Graph     string        `placeholder:"IRI" help:"Mine this graph (default: the default graph)."`
	Classes   []string      `placeholder:"IRI" help:"Classes that motifs are told apart by: a vertex is of the first that it has. Of frequent patterns: of all that it has (default: all classes)."`
	Size      int           `default:"3" placeholder:"N" help:"Vertices of a clique, 2 to 32, or of a motif, 2 to 5; the most edges of a frequent pattern, 1 to 7."`
	Maximal   bool          `help:"Cliques of all sizes that are in no larger one."`
	Induced   bool          `help:"Motifs without other edges among their vertices; otherwise a triangle counts as three paths too."`
	Support   uint64        `placeholder:"N" help:"The least support of a frequent pattern."`
	Measure   string        `enum:"mni,instances" default:"mni" help:"Support of frequent patterns: mni, the vertices that the rarest of its vertices stands for, or instances."`
	Sample    int           `placeholder:"N" help:"Estimate the support of frequent patterns, trying N vertices for each of theirs."`
	NoClass   bool          `name:"no-classes" help:"Frequent patterns without classes."`
	EitherWay bool          `name:"undirected" help:"Frequent patterns without directions."`
	List      bool          `help:"Print each triangle, clique, or vertex or edge with its number, on a line of its own."`
	SPARQL    bool          `name:"sparql" help:"Print the query that finds the embeddings of each pattern."`
	JSON      bool          `name:"json" help:"As JSON; of a list, each line."`
	Timeout   time.Duration `placeholder:"DURATION" help:"Give up after this long, such as 30s."`
	Threads   int           `placeholder:"N" help:"Threads to use (default: all cores)."`
	Memory    byteSize      `placeholder:"SIZE" help:"Memory for tables of what is found, beside the graph itself (default: 1GiB)."`
	Quiet     bool          `short:"q" help:"No progress."`
}

// Help is shown by rdfgpu mine --help.
func (*mineCommand) Help() string {
	return `Resources are adjacent where a triple of one of the predicates leads from either to the other: edges have no direction, and there is
one at most between two. Literals are left out. Every instance is counted once; the query that --sparql prints has a solution for
each embedding, which is as many for an instance as its pattern has automorphisms. See docs/MINING.md.

Examples:
  rdfgpu mine triangles my.store --edges :knows
  rdfgpu mine cliques my.store --edges :knows --size 5 --list
  rdfgpu mine cliques my.store --edges :knows --maximal
  rdfgpu mine motifs my.store --edges :knows --size 4 --induced --sparql
  rdfgpu mine frequent my.store --support 1000 --size 3 --sparql
  rdfgpu mine cores my.store --edges :knows,:likes --list --json`
}

// Run mines the store.
func (c *mineCommand) Run(env *environment) error {
	if err := c.check(); err != nil {
		return err
	}
	store, err := rdfgpu.Open(c.Store, rdfgpu.Options{Threads: c.Threads})
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, cancel := env.ctx, context.CancelFunc(func() {})
	if c.Timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("%w of %v", rdfgpu.ErrTimeout, c.Timeout))
	}
	defer cancel()
	if c.What == "frequent" {
		return c.frequent(ctx, env, store)
	}
	began := time.Now()
	graph, err := store.Mining(ctx, rdfgpu.MiningOptions{Edges: c.Edges, Graph: c.Graph, Classes: c.Classes})
	if err != nil {
		return err
	}
	defer graph.Close()
	graph.Options.Memory = int64(c.Memory)
	m := &miner{mineCommand: c, ctx: ctx, graph: graph, out: newRowWriter(env.stdout, c.JSON)}
	m.report = minedReport{What: c.What, Vertices: graph.Len(), Edges: graph.Edges(), Literals: graph.Literals, Predicates: graph.Predicates}
	shown := c.progress(env, &graph.Options)
	err = firstError(m.mine(), m.out.flush())
	if shown.done(); err != nil || c.List {
		return err
	}
	m.report.Elapsed = time.Since(began)
	return m.print(env.stdout)
}

// check refuses flags that do not go together.
func (c *mineCommand) check() error {
	switch cliques, motifs, frequent := c.What == "cliques", c.What == "motifs", c.What == "frequent"; {
	case frequent && c.Support == 0:
		return usageError("frequent patterns need --support, the least that they have")
	case !frequent && (c.Support > 0 || c.Sample != 0 || c.NoClass || c.EitherWay || c.Measure != "mni"):
		return usageError("--support, --measure, --sample, --no-classes and --undirected are for frequent patterns")
	case c.Sample < 0, c.Sample > 0 && c.Measure != "mni":
		return usageError("--sample is a number of vertices, for --measure mni")
	case c.NoClass && len(c.Classes) > 0:
		return usageError("--classes and --no-classes say the opposite of each other")
	case c.Maximal && !cliques:
		return usageError("--maximal is for cliques")
	case c.Induced && !motifs, len(c.Classes) > 0 && !motifs && !frequent:
		return usageError("--induced is for motifs, --classes for motifs and frequent patterns")
	case c.List && (motifs || frequent):
		return usageError(c.What + " are counted: --sparql prints the query that lists those of a pattern")
	case c.SPARQL && (c.List || c.Maximal || !cliques && !motifs && !frequent && c.What != "triangles"):
		return usageError("--sparql is for triangles, cliques of one size, motifs and frequent patterns")
	case c.SPARQL && cliques && c.Size > mine.MaxPattern:
		return usageError(fmt.Sprintf("--sparql is for up to %d vertices", mine.MaxPattern))
	}
	return nil
}

// miner is one run of the command.
type miner struct {
	*mineCommand
	ctx    context.Context
	graph  *rdfgpu.Mining
	out    *rowWriter
	report minedReport
}

// progress tells how much the search has begun with.
func (c *mineCommand) progress(env *environment, options *mine.Options) *progress {
	shown := newProgress(env.stderr, c.Quiet)
	turn := make(chan struct{}, 1)
	options.Progress = func(begun, all int) {
		select {
		case turn <- struct{}{}:
			shown.show(mineProgress{c.unit(), begun, all})
			<-turn
		default: // another goroutine is telling
		}
	}
	return shown
}

// unit is what progress is counted in.
func (c *mineCommand) unit() string {
	if c.What == "frequent" {
		return "patterns of one size"
	}
	return "vertices"
}

// mineProgress is how far mining is.
type mineProgress struct {
	unit       string
	begun, all int
}

// String gives it in one line.
func (p mineProgress) String() string {
	return fmt.Sprintf("mine: %d of %d %s, %d %%", p.begun, p.all, p.unit, 100*p.begun/max(p.all, 1))
}

// mine does what the command asks for.
func (m *miner) mine() error {
	switch m.What {
	case "triangles":
		m.Size = 3
		return m.cliques()
	case "cliques":
		if m.Maximal {
			return m.maximal()
		}
		return m.cliques()
	case "motifs":
		return m.motifs()
	case "cores":
		return m.cores()
	case "trusses":
		return m.trusses()
	}
	return m.components()
}

func (m *miner) cliques() error {
	if m.List {
		return mine.EachClique(m.ctx, m.graph.Graph, m.Size, m.graph.Options, m.row)
	}
	n, err := mine.Cliques(m.ctx, m.graph.Graph, m.Size, m.graph.Options)
	m.report.Count = n
	if m.Size <= mine.MaxPattern {
		m.pattern(mine.Support{Pattern: mine.Clique(m.Size), Count: n})
	}
	return err
}

// row prints vertices.
func (m *miner) row(vertices []mine.Vertex) error {
	cells := make([]any, len(vertices))
	for i, v := range vertices {
		cells[i] = m.graph.Term(v).String()
	}
	return m.out.write(cells...)
}

func (m *miner) maximal() error {
	sizes := newDistribution()
	err := mine.EachMaximalClique(m.ctx, m.graph.Graph, m.graph.Options, func(vertices []mine.Vertex) error {
		if m.List {
			return m.row(vertices)
		}
		sizes.add(uint64(len(vertices)))
		return nil
	})
	m.report.Count, m.report.By = sizes.list()
	return err
}

func (m *miner) motifs() error {
	options := mine.MotifOptions{Induced: m.Induced, Labels: len(m.Classes) > 0}
	supports, err := mine.Motifs(m.ctx, m.graph.Graph, m.Size, options, m.graph.Options)
	for _, s := range supports {
		m.report.Count += s.Count
		m.pattern(s)
	}
	return err
}

// pattern reports one that was found.
func (m *miner) pattern(s mine.Support) {
	found := minedPattern{Name: s.Pattern.Name(), Edges: s.Pattern.String(), Count: s.Count, Automorphisms: s.Pattern.Automorphisms()}
	for _, label := range s.Pattern.Labels[:s.Pattern.Size] {
		class := ""
		if label != mine.NoLabel {
			class = m.Classes[label-1]
		}
		if len(m.Classes) > 0 {
			found.Classes = append(found.Classes, class)
		}
	}
	if m.SPARQL && len(m.graph.Predicates) > 0 {
		predicates := m.graph.Predicates
		if len(m.Edges) == 0 {
			predicates = nil // all, without a list of them
		}
		found.SPARQL = s.Pattern.Query(predicates, m.Classes, m.Induced)
	}
	m.report.Patterns = append(m.report.Patterns, found)
}

func (m *miner) cores() error {
	cores, err := mine.Cores(m.ctx, m.graph.Graph)
	return m.numbers(err, len(cores), func(v int) (uint64, []any) {
		return uint64(cores[v]), []any{m.graph.Term(mine.Vertex(v)).String(), cores[v]}
	})
}

func (m *miner) trusses() error {
	edges, err := mine.Trusses(m.ctx, m.graph.Graph)
	return m.numbers(err, len(edges), func(i int) (uint64, []any) {
		e := edges[i]
		return uint64(e.Truss), []any{m.graph.Term(e.From).String(), m.graph.Term(e.To).String(), e.Truss}
	})
}

// numbers lists things with their numbers, or counts them by number.
func (m *miner) numbers(err error, things int, of func(int) (uint64, []any)) error {
	by := newDistribution()
	for i := 0; i < things && err == nil; i++ {
		number, row := of(i)
		if by.add(number); m.List {
			err = m.out.write(row...)
		}
	}
	m.report.Count, m.report.By = by.list()
	return err
}

// components counts by size.
func (m *miner) components() error {
	components, err := mine.Components(m.ctx, m.graph.Graph)
	sizes := make([]uint64, len(components))
	for v, component := range components {
		if sizes[component]++; m.List && err == nil {
			err = m.out.write(m.graph.Term(mine.Vertex(v)).String(), m.graph.Term(component).String())
		}
	}
	by := newDistribution()
	for _, size := range sizes {
		if size > 0 {
			by.add(size)
		}
	}
	m.report.Count, m.report.By = by.list()
	return err
}
