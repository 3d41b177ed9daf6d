package loader

import (
	"context"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// tester is what testing.T and rapid.T have.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// edited is a store that is changed in memory, and the Snapshot of what it is now.
type edited struct {
	t        tester
	files    *store.Store
	tail     *dictionary.Tail
	graphs   map[dictionary.ID]*pcsr.Graph
	cleared  map[dictionary.ID]bool
	sequence uint64
}

func openEdited(t tester, dir string) *edited {
	t.Helper()
	files, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &edited{
		t: t, files: files, tail: dictionary.NewTail(files.Dictionary), graphs: map[dictionary.ID]*pcsr.Graph{},
		cleared: map[dictionary.ID]bool{}, sequence: files.Manifest().Sequence,
	}
}

// snapshot is what the store is now, whatever becomes of it.
func (e *edited) snapshot() *edited {
	s := *e
	s.graphs, s.cleared = maps.Clone(e.graphs), maps.Clone(e.cleared)
	return &s
}

func (e *edited) Dictionary() *dictionary.Dictionary { return e.tail.Dictionary(e.tail.Len()) }

func (e *edited) Sequence() uint64 { return e.sequence }

func (e *edited) Changed() []dictionary.ID { return slices.Collect(maps.Keys(e.graphs)) }

func (e *edited) Cleared(name dictionary.ID) bool { return e.cleared[name] }

func (e *edited) NamedGraphs() (names []dictionary.ID) {
	for _, name := range e.files.NamedGraphs() {
		if e.graphs[name] == nil {
			names = append(names, name)
		}
	}
	for name, g := range e.graphs {
		if g.Edges() > 0 && name != dictionary.None {
			names = append(names, name)
		}
	}
	return names
}

func (e *edited) Graph(name dictionary.ID) (*pcsr.Graph, error) {
	if g := e.graphs[name]; g != nil {
		return g, nil
	}
	if name < e.Dictionary().Ordered() || name == dictionary.None {
		g, err := stored{e.files}.Graph(name)
		if g != nil || err != nil {
			return g, err
		}
	}
	return pcsr.Build(e.Dictionary().Len(), 0, nil)
}

func (e *edited) id(term rdf.Term) dictionary.ID {
	if term.IsZero() {
		return dictionary.None
	}
	key, _ := dictionary.AppendKey(nil, term)
	id, err := e.tail.Intern(key)
	if err != nil {
		e.t.Fatal(err)
	}
	return id
}

// edit removes quads and then adds others.
func (e *edited) edit(added, removed []Quad) {
	e.sequence++
	type change struct{ added, removed []pcsr.Edge }
	changes := map[dictionary.ID]*change{}
	of := func(q Quad) (*change, pcsr.Edge) {
		name := e.id(q.Graph)
		if changes[name] == nil {
			changes[name] = &change{}
		}
		return changes[name], pcsr.Edge{From: e.id(q.Subject), Label: e.id(q.Predicate), To: e.id(q.Object)}
	}
	for _, q := range added {
		c, edge := of(q)
		c.added = append(c.added, edge)
	}
	for _, q := range removed {
		c, edge := of(q)
		c.removed = append(c.removed, edge)
	}
	typeLabel := pcsr.WithTypeLabel(e.id(rdf.NewIRI(rdf.RDFType)))
	vertices := e.tail.Dictionary(e.tail.Len()).Len()
	for name, c := range changes {
		g, err := e.Graph(name)
		if err != nil {
			e.t.Fatal(err)
		}
		e.graphs[name] = g.Change(vertices, c.added, c.removed, typeLabel)
	}
}

// clear removes all quads of a graph.
func (e *edited) clear(graph rdf.Term) {
	e.sequence++
	name := e.id(graph)
	empty, err := pcsr.Build(e.tail.Dictionary(e.tail.Len()).Len(), 0, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	e.graphs[name], e.cleared[name] = empty, true
}

func (e *edited) close() {
	if err := e.files.Close(); err != nil {
		e.t.Fatal(err)
	}
}

// snapshotWriter is Flush or Rebuild.
type snapshotWriter func(context.Context, *store.Lock, Snapshot, Options) (Report, error)

// writeSnapshot writes a snapshot under a lock that it takes.
func writeSnapshot(t tester, dir string, s Snapshot, write snapshotWriter, o Options) Report {
	t.Helper()
	lock, err := store.TakeLock(dir)
	must(t, err)
	report, err := write(context.Background(), lock, s, o)
	must(t, err)
	must(t, lock.Release())
	return report
}
