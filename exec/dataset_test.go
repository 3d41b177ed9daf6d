package exec_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// quad is a triple in a graph; the zero graph is the default graph.
type quad struct{ subject, predicate, object, graph rdf.Term }

// memory is a dataset in memory.
type memory struct {
	dict  *dictionary.Dictionary
	graph *pcsr.Graph
	named map[dictionary.ID]*pcsr.Graph
	names []dictionary.ID
	// lists are some of the named graphs as lists.
	lists map[dictionary.ID][]pcsr.Edge
}

// listed is the dataset with every nth of its named graphs as a list.
func (m *memory) listed(nth int) *memory {
	out := *m
	out.lists = map[dictionary.ID][]pcsr.Edge{}
	for i := 0; i < len(m.names); i += nth {
		g, list := m.named[m.names[i]], []pcsr.Edge{}
		for _, label := range g.UsedLabels() {
			for v, to := range g.Partition(label, pcsr.Out).Lists() {
				for _, u := range to {
					list = append(list, pcsr.Edge{From: v, Label: label, To: u})
				}
			}
		}
		out.lists[m.names[i]] = list
	}
	return &out
}

// Listed implements planner.Lister.
func (m *memory) Listed(name dictionary.ID) ([]pcsr.Edge, bool) {
	list, ok := m.lists[name]
	return list, ok
}

// Unlisted implements planner.Lister.
func (m *memory) Unlisted() (names []dictionary.ID) {
	for _, name := range m.names {
		if _, ok := m.lists[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// ListedWith implements planner.Lister: two datasets of three have an index.
func (m *memory) ListedWith(v dictionary.ID, d pcsr.Direction) (names []dictionary.ID, ok bool) {
	for _, name := range m.names {
		if slices.ContainsFunc(m.lists[name], func(e pcsr.Edge) bool { return d == pcsr.Out && e.From == v || d == pcsr.In && e.To == v }) {
			names = append(names, name)
		}
	}
	return names, m.dict.Len()%3 > 0
}

func (m *memory) Default() *pcsr.Graph { return m.graph }

func (m *memory) Named(name dictionary.ID) (*pcsr.Graph, bool) {
	g, ok := m.named[name]
	return g, ok
}

func (m *memory) NamedGraphs() []dictionary.ID { return m.names }

// kept is the datasets that several tests ask for, by name.
var kept sync.Map

// keep returns a dataset that is built once for all tests: none changes it.
func keep(t testing.TB, name string, build func() []quad) *memory {
	t.Helper()
	once, _ := kept.LoadOrStore(name, sync.OnceValues(func() (*memory, error) { return newMemory(build()) }))
	m, err := once.(func() (*memory, error))()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// newMemory builds a dataset; names are graphs that exist though they may be empty.
func newMemory(quads []quad, names ...rdf.Term) (*memory, error) {
	return newSegments([][]quad{quads}, names...)
}

// newSegments builds a dataset of a base and what was added to it, part by part.
func newSegments(parts [][]quad, names ...rdf.Term) (*memory, error) {
	return newGrown(parts, nil, names...)
}

// newGrown builds a dataset of a base, what was added to it, part by part, and what has arrived since, the new terms of which
// are in a tail.
func newGrown(parts [][]quad, arrived []quad, names ...rdf.Term) (*memory, error) {
	segments := make([]edits, len(parts))
	for i, part := range parts {
		segments[i].added = part
	}
	if len(arrived) == 0 {
		return newEdited(segments, nil, names...)
	}
	return newEdited(segments, []edits{{added: arrived}}, names...)
}

// edits are quads that came and quads that went, which were there before.
type edits struct{ added, removed []quad }

// newEdited builds a dataset of segments, each an edit of those before it, and of commits since, the new terms of which are in a tail.
func newEdited(segments, commits []edits, names ...rdf.Term) (*memory, error) {
	dict, err := segmentTerms(segments, names)
	if err == nil && len(commits) > 0 {
		dict, err = arrivedTerms(dict, commits)
	}
	if err != nil {
		return nil, err
	}
	b := segmentBuilder{dict: dict, segments: segments, commits: commits, there: map[quad]bool{}}
	m := &memory{dict: dict, named: map[dictionary.ID]*pcsr.Graph{}}
	for _, part := range slices.Concat(segments, commits) {
		for _, q := range part.added {
			if !q.graph.IsZero() {
				names = append(names, q.graph)
			}
		}
	}
	if m.graph, err = b.graph(rdf.Term{}); err != nil {
		return nil, err
	}
	for _, name := range names {
		id := b.id(name)
		if m.named[id] != nil {
			continue
		}
		if m.named[id], err = b.graph(name); err != nil {
			return nil, err
		}
		m.names = append(m.names, id)
	}
	slices.Sort(m.names)
	return m, nil
}

// segmentTerms is a dictionary with a segment for each part.
func segmentTerms(segments []edits, names []rdf.Term) (dict *dictionary.Dictionary, err error) {
	for i, segment := range segments {
		var list, predicates []rdf.Term
		for _, q := range segment.added {
			list = append(list, q.subject, q.object)
			predicates = append(predicates, q.predicate)
			if !q.graph.IsZero() {
				list = append(list, q.graph)
			}
		}
		if i == 0 {
			dict, err = dictionary.FromTerms(append(list, names...), predicates...)
		} else {
			dict, err = dict.Extend(list, predicates...)
		}
		if err != nil {
			return nil, err
		}
	}
	return dict, nil
}

// arrivedTerms is a dictionary with the terms that commits add in a tail, and what queries may name, too late to be seen.
func arrivedTerms(dict *dictionary.Dictionary, commits []edits) (*dictionary.Dictionary, error) {
	tail := dictionary.NewTail(dict)
	intern := func(terms ...rdf.Term) error {
		for _, t := range terms {
			if t.IsZero() {
				continue
			}
			key, _ := dictionary.AppendKey(nil, t)
			if _, err := tail.Intern(key); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range commits {
		for _, q := range c.added {
			if err := intern(q.subject, q.predicate, q.object, q.graph); err != nil {
				return nil, err
			}
		}
	}
	n := tail.Len()
	for i := range 5 {
		if err := intern(node(i), rdf.NewIRI(fmt.Sprint(exampleNS, "p", i)), integer(i)); err != nil {
			return nil, err
		}
	}
	return tail.Dictionary(n), intern(literals...)
}

// segmentBuilder builds graphs over the segments of a dictionary.
type segmentBuilder struct {
	dict              *dictionary.Dictionary
	segments, commits []edits
	// there is what the graph that is being built has so far.
	there map[quad]bool
}

func (b *segmentBuilder) id(t rdf.Term) dictionary.ID {
	id, ok := b.dict.Lookup(t)
	if !ok {
		panic("the dictionary has lost " + t.String())
	}
	return id
}

// graph is the graph of a name: one of the first segment's triples, overlaid with those that each other segment adds and takes away, and
// changed by the commits.
func (b *segmentBuilder) graph(name rdf.Term) (*pcsr.Graph, error) {
	clear(b.there)
	var segments []pcsr.Segment
	for i, edit := range b.segments {
		added, removed := b.edges(name, edit)
		vertices := int(b.dict.Start(i + 1))
		labels := vertices
		if i == 0 {
			labels = b.dict.Section(0, dictionary.Predicates).Len()
		}
		var options []pcsr.Option
		if label, ok := b.dict.Lookup(rdf.NewIRI(rdf.RDFType)); ok && int(label) < labels {
			options = append(options, pcsr.WithTypeLabel(label))
		}
		segment := pcsr.Segment{}
		var err error
		if segment.Added, err = buildByChange(vertices, labels, added, options...); err != nil {
			return nil, err
		}
		if len(removed) > 0 {
			if segment.Removed, err = pcsr.Build(vertices, labels, removed, options...); err != nil {
				return nil, err
			}
		}
		segments = append(segments, segment)
	}
	g := segments[0].Added
	if len(segments) > 1 || len(b.commits) > 0 {
		g = pcsr.Overlay(int(b.dict.Start(len(b.segments))), segments...)
	}
	for _, commit := range b.commits {
		added, removed := b.edges(name, commit)
		g = g.Change(b.dict.Len(), added, removed)
	}
	return g, nil
}

// edges are what an edit adds to the graph of a name and takes from it.
func (b *segmentBuilder) edges(name rdf.Term, edit edits) (added, removed []pcsr.Edge) {
	edge := func(q quad) pcsr.Edge {
		return pcsr.Edge{From: b.id(q.subject), Label: b.id(q.predicate), To: b.id(q.object)}
	}
	for _, q := range edit.removed {
		if q.graph == name && b.there[q] {
			delete(b.there, q)
			removed = append(removed, edge(q))
		}
	}
	for _, q := range edit.added {
		if q.graph == name && !b.there[q] {
			b.there[q] = true
			added = append(added, edge(q))
		}
	}
	return added, removed
}

// buildByChange builds the graph of an even number of edges at once; of an odd number, it changes one that lacks every third and has
// others that lead back.
func buildByChange(vertices, labels int, edges []pcsr.Edge, options ...pcsr.Option) (*pcsr.Graph, error) {
	if len(edges)%2 == 0 {
		return pcsr.Build(vertices, labels, edges, options...)
	}
	var first, added, removed []pcsr.Edge
	for i, e := range edges {
		if i%3 == 0 {
			added = append(added, e)
		} else {
			first = append(first, e)
		}
		if back := (pcsr.Edge{From: e.To, Label: e.Label, To: e.From}); !slices.Contains(edges, back) {
			first, removed = append(first, back), append(removed, back)
		}
	}
	g, err := pcsr.Build(vertices, labels, first, options...)
	if err != nil {
		return nil, err
	}
	return g.Change(vertices, added, removed), nil
}

// processor matches in the caller's goroutine, so that solutions come in the same order every time. Of terms that are added up, each is counted beside the one before.
var processor = alone{cpu.New()}

type alone struct{ match.Matcher }

func (a alone) Match(ctx context.Context, m *match.Match, emit func(*vector.Batch) error) error {
	by := *m
	by.Workers = nil
	return a.Matcher.Match(ctx, &by, emit)
}

func (a alone) Count(ctx context.Context, m *match.Match) (uint64, error) {
	if m.Idle != nil {
		m.Idle()
	}
	return a.Matcher.Count(ctx, m)
}

// threads are those of the process.
var threads = schedule.New(0)

// onProcessor are options that match everything on the processor, in one goroutine; operators have all threads.
func onProcessor() exec.Options {
	return exec.Options{Matcher: func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return processor }, Workers: threads.Open(context.Background(), 0), Shown: true}
}

// leftOut says whether a case of a table is left out under -short, which the race detector runs: others of the table do the same things at the same time.
func leftOut(i int) bool { return testing.Short() && i%2 > 0 }

// answer is what a query gave, as terms.
type answer struct {
	variables []string
	rows      [][]rdf.Term
	isBoolean bool
	boolean   bool
}

// run answers a query.
func (m *memory) run(q *parser.Query, o exec.Options) (*answer, error) {
	p, err := exec.Prepare(context.Background(), q, m, m.dict, o)
	if err != nil {
		return nil, err
	}
	a := &answer{variables: p.Variables()}
	if q.Form == parser.Ask {
		a.isBoolean = true
		a.boolean, err = p.Ask(context.Background())
		return a, err
	}
	err = p.Run(context.Background(), func(b *vector.Batch) error {
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

// kept is the plan of a query that has run once, to be run again; nil where it is for one run.
func (m *memory) kept(q *parser.Query, o exec.Options) (*planner.Plan, error) {
	o.Lasting = true
	p, err := exec.Prepare(context.Background(), q, m, m.dict, o)
	if err != nil {
		return nil, err
	}
	if _, err := p.Count(context.Background()); err != nil || !p.Physical().Complete {
		return nil, err
	}
	return p.Physical(), nil
}

func parse(t testing.TB, text string) *parser.Query {
	t.Helper()
	q, err := parser.Parse(text, parser.Options{Base: "http://example.org/"})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return q
}
