package main

import (
	"context"
	"fmt"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/mine"
)

type mineCommand struct {
	What    string        `arg:"" enum:"triangles,cliques,motifs,cores,trusses,components" help:"triangles, cliques, motifs, cores, trusses or components."`
	Store   string        `arg:"" help:"Folder of the store."`
	Edges   []string      `placeholder:"PREDICATE" help:"Predicates whose triples are edges: IRIs, or :name for the only one whose IRI ends in #name or /name (default: all but rdf:type)."`
	Graph   string        `placeholder:"IRI" help:"Mine this graph (default: the default graph)."`
	Classes []string      `placeholder:"IRI" help:"Classes that motifs are told apart by: a vertex is of the first that it has."`
	Size    int           `default:"3" placeholder:"N" help:"Vertices of a clique, 2 to 32, or of a motif, 2 to 5."`
	Maximal bool          `help:"Cliques of all sizes that are in no larger one."`
	Induced bool          `help:"Motifs without other edges among their vertices; otherwise a triangle counts as three paths too."`
	List    bool          `help:"Print each triangle, clique, or vertex or edge with its number, on a line of its own."`
	SPARQL  bool          `name:"sparql" help:"Print the query that finds the embeddings of each pattern."`
	JSON    bool          `name:"json" help:"As JSON; of a list, each line."`
	Timeout time.Duration `placeholder:"DURATION" help:"Give up after this long, such as 30s."`
	Threads int           `placeholder:"N" help:"Threads to use (default: all cores)."`
	Memory  byteSize      `placeholder:"SIZE" help:"Memory for tables of what is found, beside the graph itself (default: 1GiB)."`
	Quiet   bool          `short:"q" help:"No progress."`
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
	began := time.Now()
	graph, err := store.Mining(ctx, rdfgpu.MiningOptions{Edges: c.Edges, Graph: c.Graph, Classes: c.Classes})
	if err != nil {
		return err
	}
	defer graph.Close()
	graph.Options.Memory = int64(c.Memory)
	m := &miner{mineCommand: c, ctx: ctx, graph: graph, out: newRowWriter(env.stdout, c.JSON)}
	m.report = minedReport{What: c.What, Vertices: graph.Len(), Edges: graph.Edges(), Literals: graph.Literals, Predicates: graph.Predicates}
	shown := m.progress(env)
	err = firstError(m.mine(), m.out.flush())
	if shown.done(); err != nil || c.List {
		return err
	}
	m.report.Elapsed = time.Since(began)
	return m.print(env.stdout)
}

// check refuses flags that do not go together.
func (c *mineCommand) check() error {
	switch cliques, motifs := c.What == "cliques", c.What == "motifs"; {
	case c.Maximal && !cliques:
		return usageError("--maximal is for cliques")
	case (c.Induced || len(c.Classes) > 0) && !motifs:
		return usageError("--induced and --classes are for motifs")
	case c.List && motifs:
		return usageError("motifs are counted: --sparql prints the query that lists those of a pattern")
	case c.SPARQL && (c.List || c.Maximal || !cliques && !motifs && c.What != "triangles"):
		return usageError("--sparql is for triangles, cliques of one size and motifs that are counted")
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

// progress tells from how many vertices the search has begun.
func (m *miner) progress(env *environment) *progress {
	shown := newProgress(env.stderr, m.Quiet)
	turn := make(chan struct{}, 1)
	m.graph.Options.Progress = func(begun, all int) {
		select {
		case turn <- struct{}{}:
			shown.show(mineProgress{begun, all})
			<-turn
		default: // another goroutine is telling
		}
	}
	return shown
}

// mineProgress is how far mining is.
type mineProgress struct{ begun, all int }

// String gives it in one line.
func (p mineProgress) String() string {
	return fmt.Sprintf("mine: %d of %d vertices, %d %%", p.begun, p.all, 100*p.begun/max(p.all, 1))
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
