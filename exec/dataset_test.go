package exec_test

import (
	"context"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/cpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
)

// quad is a triple in a graph; the zero graph is the default graph.
type quad struct{ subject, predicate, object, graph rdf.Term }

// memory is a dataset in memory.
type memory struct {
	dict  *dictionary.Dictionary
	graph *pcsr.Graph
	named map[dictionary.ID]*pcsr.Graph
	names []dictionary.ID
}

func (m *memory) Default() *pcsr.Graph { return m.graph }

func (m *memory) Named(name dictionary.ID) (*pcsr.Graph, bool) {
	g, ok := m.named[name]
	return g, ok
}

func (m *memory) NamedGraphs() []dictionary.ID { return m.names }

// newMemory builds a dataset; names are graphs that exist though they may be empty.
func newMemory(quads []quad, names ...rdf.Term) (*memory, error) {
	var list, predicates []rdf.Term
	list = append(list, names...)
	for _, q := range quads {
		list = append(list, q.subject, q.object)
		predicates = append(predicates, q.predicate)
		if !q.graph.IsZero() {
			list = append(list, q.graph)
			names = append(names, q.graph)
		}
	}
	dict, err := dictionary.FromTerms(list, predicates...)
	if err != nil {
		return nil, err
	}
	id := func(t rdf.Term) dictionary.ID {
		id, ok := dict.Lookup(t)
		if !ok {
			panic("the dictionary has lost " + t.String())
		}
		return id
	}
	edges := map[dictionary.ID][]pcsr.Edge{}
	for _, q := range quads {
		g := dictionary.None
		if !q.graph.IsZero() {
			g = id(q.graph)
		}
		edges[g] = append(edges[g], pcsr.Edge{From: id(q.subject), Label: id(q.predicate), To: id(q.object)})
	}
	var options []pcsr.Option
	labels := dict.Section(0, dictionary.Predicates).Len()
	if label, ok := dict.Lookup(rdf.NewIRI(rdf.RDFType)); ok && int(label) < labels {
		options = append(options, pcsr.WithTypeLabel(label))
	}
	build := func(g dictionary.ID) (*pcsr.Graph, error) {
		return pcsr.Build(dict.Len(), labels, edges[g], options...)
	}
	m := &memory{dict: dict, named: map[dictionary.ID]*pcsr.Graph{}}
	if m.graph, err = build(dictionary.None); err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, ok := m.named[id(name)]; ok {
			continue
		}
		if m.named[id(name)], err = build(id(name)); err != nil {
			return nil, err
		}
		m.names = append(m.names, id(name))
	}
	slices.Sort(m.names)
	return m, nil
}

var processor = cpu.New(1)

// onProcessor are options that match everything on the processor.
func onProcessor() exec.Options {
	return exec.Options{Matcher: func(*planner.MatchPlan, *pcsr.Graph) exec.Matcher { return processor }}
}

// answer is what a query gave, as terms.
type answer struct {
	variables []string
	rows      [][]rdf.Term
	isBoolean bool
	boolean   bool
}

// run answers a query.
func (m *memory) run(q *parser.Query, o exec.Options) (*answer, error) {
	p, err := exec.Prepare(q, m, m.dict, o)
	if err != nil {
		return nil, err
	}
	a := &answer{variables: p.Variables()}
	if q.Form == parser.Ask {
		a.isBoolean = true
		a.boolean, err = p.Ask(context.Background())
		return a, err
	}
	err = p.Run(context.Background(), func(b *exec.Batch) error {
		for r := range b.N {
			row := make([]rdf.Term, len(b.Cols))
			for c, col := range b.Cols {
				row[c] = p.Terms().Term(col[r])
			}
			a.rows = append(a.rows, row)
		}
		return nil
	})
	return a, err
}

func parse(t testing.TB, text string) *parser.Query {
	t.Helper()
	q, err := parser.Parse(text, parser.Options{Base: "http://example.org/"})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return q
}
