package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/mine"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// ErrNoPredicate: no triple of the graph to be mined has a predicate of that name.
var ErrNoPredicate = errors.New("no triple has such a predicate")

// ErrNoClass: nothing in the graph to be mined is of that class.
var ErrNoClass = errors.New("no resource is of the class")

// MiningOptions say what of a store is mined.
type MiningOptions struct {
	// Edges are the predicates whose triples are edges: IRIs, or ":name" for the only predicate whose IRI ends in #name or /name; none:
	// all predicates but rdf:type.
	Edges []string
	// Graph is the IRI of a named graph, "" the default graph.
	Graph string
	// Classes are the IRIs of classes. In Mining a vertex is labelled with the place of the first that it has in the list, counted from 1;
	// in LabelledMining with the places of all that it has, and without Classes all classes of the graph are taken. ErrNoClass says that
	// nothing is of one of them.
	Classes []string
	// Unlabelled: LabelledMining has no classes. Undirected: its edges lead both ways.
	Unlabelled, Undirected bool
	// Bins, where it is not 0, has literals in LabelledMining: 1 to MostBins. A resource with values in a bin has one vertex for them, along the
	// predicate, whose label is the bin. The numbers of a predicate, and its dates, times and years each by themselves, are cut so that
	// about as many triples are in each of so many bins; a bin is one value where there are no more, and of language-tagged literals a
	// language. Terms of other types, strings too, are bins of their own where a predicate has at most so many, and otherwise left out.
	Bins int
	// Bounds are where the numbers or dates of a predicate are cut in place of that, with or without Bins: a value that is a bound is in the bin
	// above it. Predicates are named as in Edges; bounds are numbers, dates, times or years as XML Schema writes them, and are for those
	// values of the predicate that are of their type.
	Bounds map[string][]string
}

// Mined tells what a graph to be mined was made of: a snapshot of a store, without its literals.
type Mined struct {
	// Options are those for package mine: the store's threads, shared with its queries.
	Options mine.Options
	// Predicates are the IRIs of the edges, Literals the number of triples that were left out because their objects are literals.
	Predicates []string
	Literals   uint64

	snapshot *live.Snapshot
	release  []func()
}

// Mining is a snapshot of a store as most of package mine reads it: an undirected graph without loops or parallel edges, in which two
// resources are adjacent where a triple of one of the predicates leads from either to the other.
type Mining struct {
	*mine.Graph
	Mined
}

// LabelledMining is a snapshot of a store as a graph of vertices with classes and edges with predicates, numbered by their places in
// Predicates, in which frequent patterns are looked for.
type LabelledMining struct {
	*mine.Labelled
	Mined
	// Classes are the IRIs of the labels, from 1. Values that were binned have labels after these.
	Classes []string

	values []valueBin
	names  ID // the first that no term and no value has
}

// Mining makes a graph of what is committed now; later commits do not change it. It takes some 30 bytes of memory for each triple, from the
// store's Budget, until Close. ctx bounds the making, and what Options are used for. The error wraps ErrNoPredicate, ErrNoClass, ErrNoGraph,
// ErrMemoryLimit or ErrDamaged.
func (s *Store) Mining(ctx context.Context, options MiningOptions) (*Mining, error) {
	return s.mining(ctx, nil, options)
}

// mining is Mining of a snapshot of the caller's; nil: of what is committed now.
func (s *Store) mining(ctx context.Context, snapshot *live.Snapshot, options MiningOptions) (*Mining, error) {
	m := &Mining{}
	err := s.mined(ctx, &m.Mined, snapshot, miningBytes, options, func(g *pcsr.Graph, predicates []pcsr.Label) (err error) {
		var label func(ID) mine.Label
		if len(options.Classes) > 0 {
			if label, err = m.label(g, options.Classes); err != nil {
				return err
			}
		}
		m.Graph = mine.Build(m.pairs(ctx, g, predicates...), label)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// MiningLabelled makes a graph with its predicates and classes of what is committed now, as Mining does, with the same errors and
// twice the memory. Of options that Bins or Bounds cannot be, the error wraps ErrMineOptions.
func (s *Store) MiningLabelled(ctx context.Context, options MiningOptions) (*LabelledMining, error) {
	return s.miningLabelled(ctx, nil, options)
}

// miningLabelled is MiningLabelled of a snapshot of the caller's; nil: of what is committed now.
func (s *Store) miningLabelled(ctx context.Context, snapshot *live.Snapshot, options MiningOptions) (*LabelledMining, error) {
	m := &LabelledMining{}
	if problem := options.checkBins(); problem != "" {
		return nil, fmt.Errorf("%w: %s", ErrMineOptions, problem)
	}
	err := s.mined(ctx, &m.Mined, snapshot, 2*miningBytes, options, func(g *pcsr.Graph, predicates []pcsr.Label) (err error) {
		edges, err := m.edges(ctx, g, predicates, options)
		if err != nil {
			return err
		}
		members, err := m.members(g, options)
		if err != nil {
			return err
		}
		m.Labelled, err = mine.BuildLabelled(ctx, edges, append(members, m.inBins()...), !options.Undirected)
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// mined begins with what all graphs to be mined have in common, and has one built, which takes so many bytes for a triple.
func (s *Store) mined(ctx context.Context, m *Mined, snapshot *live.Snapshot, bytes int64, options MiningOptions, build func(*pcsr.Graph, []pcsr.Label) error) error {
	if *m = (Mined{snapshot: snapshot}); snapshot == nil {
		m.snapshot = s.live.Snapshot()
		m.release = append(m.release, m.snapshot.Release)
	}
	m.Options = mine.Options{Workers: s.pool.Open(ctx, s.options.Threads)}
	err := section.Guard(func() error { return m.begin(ctx, s.budget, bytes, options, build) })
	if err != nil {
		m.Close()
	}
	return err
}

// Term is the term of a vertex.
func (m *Mining) Term(v mine.Vertex) Term { return m.snapshot.Dictionary().Term(m.Name(v)) }

// Term is the term of a vertex, the zero Term of one that stands for values.
func (m *LabelledMining) Term(v mine.Vertex) Term {
	if name := m.Name(v); len(m.values) == 0 || name < m.values[0].from {
		return m.snapshot.Dictionary().Term(name)
	}
	return Term{}
}

// Sequence is that of the newest commit that the graph has.
func (m *Mined) Sequence() uint64 { return m.snapshot.Sequence() }

// Close lets go of the snapshot and the memory; the graph must not be used any more.
func (m *Mined) Close() {
	for _, release := range m.release {
		release()
	}
	m.release = nil
}

// miningBytes is what a triple takes while the graph is made, about: a pair, grown by appending, and its two ends in lists.
const miningBytes = 30

func (m *Mined) begin(ctx context.Context, budget *Budget, bytes int64, options MiningOptions, build func(*pcsr.Graph, []pcsr.Label) error) error {
	g, err := m.graph(options.Graph)
	if err != nil {
		return err
	}
	predicates, err := m.predicates(g, options.Edges)
	if err != nil {
		return err
	}
	triples := int64(0)
	for _, label := range predicates {
		triples += int64(g.Partition(label, pcsr.Out).Edges())
		m.Predicates = append(m.Predicates, m.snapshot.Dictionary().Term(label).Value)
	}
	if err := budget.Take("the graph to be mined", bytes*triples); err != nil {
		return err
	}
	m.release = append(m.release, func() { budget.Give(bytes * triples) })
	if err := build(g, predicates); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// graph is the one to be mined.
func (m *Mined) graph(iri string) (*pcsr.Graph, error) {
	name := graphTerm(bare(iri))
	if name.IsZero() {
		return m.snapshot.Default(), nil
	}
	if exists, err := hasGraph(m.snapshot.State, name); err != nil || !exists {
		return nil, errors.Join(err, fmt.Errorf("%w: %s", ErrNoGraph, name))
	}
	id, _ := m.snapshot.Dictionary().Lookup(name)
	return m.snapshot.Graph(id)
}

// predicates are those named, or all but rdf:type.
func (m *Mined) predicates(g *pcsr.Graph, names []string) (labels []pcsr.Label, err error) {
	for _, name := range names {
		label, err := m.predicate(g, name)
		if err != nil {
			return nil, err
		}
		labels = append(labels, label)
	}
	if len(names) == 0 {
		rdfType, typed := g.TypeLabel()
		labels = slices.DeleteFunc(slices.Clone(g.UsedLabels()), func(l pcsr.Label) bool { return typed && l == rdfType })
	}
	slices.Sort(labels)
	return slices.Compact(labels), nil
}

// predicate finds the one of a name.
func (m *Mined) predicate(g *pcsr.Graph, name string) (pcsr.Label, error) {
	local, short := strings.CutPrefix(name, ":")
	if !short {
		id, ok := m.snapshot.Dictionary().Lookup(rdf.NewIRI(bare(name)))
		if !ok || !g.HasLabel(id) {
			return 0, fmt.Errorf("%w: <%s>", ErrNoPredicate, bare(name))
		}
		return id, nil
	}
	var found []pcsr.Label
	var iris []string
	for _, label := range g.UsedLabels() {
		iri := m.snapshot.Dictionary().Term(label).Value
		if strings.HasSuffix(iri, "#"+local) || strings.HasSuffix(iri, "/"+local) {
			found, iris = append(found, label), append(iris, "<"+iri+">")
		}
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("%w: none ends in #%s or /%[2]s", ErrNoPredicate, local)
	case 1:
		return found[0], nil
	}
	return 0, fmt.Errorf("%w: :%s may be %s; give the IRI", ErrNoPredicate, local, strings.Join(iris, " or "))
}

// bare is an IRI that may be written in angle brackets, as in SPARQL.
func bare(iri string) string {
	if inner, ok := strings.CutPrefix(iri, "<"); ok {
		if inner, ok := strings.CutSuffix(inner, ">"); ok {
			return inner
		}
	}
	return iri
}

// pairs yields the triples between resources, until ctx ends.
func (m *Mined) pairs(ctx context.Context, g *pcsr.Graph, predicates ...pcsr.Label) iter.Seq2[ID, ID] {
	terms := m.snapshot.Dictionary()
	return func(yield func(a, b ID) bool) {
		for _, label := range predicates {
			for object, subjects := range g.Partition(label, pcsr.In).Lists() {
				if ctx.Err() != nil {
					return
				}
				if terms.Kind(object) == rdf.Literal {
					m.Literals += uint64(len(subjects))
					continue
				}
				for _, subject := range subjects {
					if !yield(subject, object) {
						return
					}
				}
			}
		}
	}
}

// membersOf are the resources of a class.
func (m *Mined) membersOf(g *pcsr.Graph, iri string) ([]ID, error) {
	if class, ok := m.snapshot.Dictionary().Lookup(rdf.NewIRI(bare(iri))); ok {
		if members := g.Members(class); len(members) > 0 {
			return members, nil
		}
	}
	return nil, fmt.Errorf("%w: <%s>", ErrNoClass, iri)
}

// label gives vertices the first of the classes that they have.
func (m *Mined) label(g *pcsr.Graph, iris []string) (func(ID) mine.Label, error) {
	labels := map[ID]mine.Label{}
	for i, iri := range slices.Backward(iris) {
		members, err := m.membersOf(g, iri)
		if err != nil {
			return nil, err
		}
		for _, member := range members {
			labels[member] = mine.Label(i + 1)
		}
	}
	return func(id ID) mine.Label { return labels[id] }, nil
}

// members lists those of the classes that are asked for, each once, or of all.
func (m *LabelledMining) members(g *pcsr.Graph, options MiningOptions) (members []iter.Seq[uint32], err error) {
	if options.Unlabelled {
		return nil, nil
	}
	terms := m.snapshot.Dictionary()
	for _, iri := range options.Classes {
		list, err := m.membersOf(g, iri)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(m.Classes, iri) {
			m.Classes, members = append(m.Classes, iri), append(members, slices.Values(list))
		}
	}
	if rdfType, typed := g.TypeLabel(); typed && len(options.Classes) == 0 {
		for class, list := range g.Lists(rdfType, pcsr.In) {
			if term := terms.Term(class); term.Kind == rdf.IRI {
				m.Classes, members = append(m.Classes, term.Value), append(members, slices.Values(slices.Clone(list)))
			}
		}
	}
	return members, nil
}
