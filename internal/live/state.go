package live

import (
	"slices"
	"sync"

	"github.com/tidwall/btree"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// State is the data set as of one commit. It is immutable, and safe for any number of goroutines while somebody holds a
// Snapshot of it or of a later state over the same files.
type State struct {
	sequence   uint64
	ground     *ground
	dictionary *dictionary.Dictionary
	graph      *pcsr.Graph
	// named are the named graphs that are not as in the files; copying guards copies of it, which mark the original.
	named   *btree.Map[dictionary.ID, *pcsr.Graph]
	copying sync.Mutex
	// cleared are the graphs of which nothing is left that the files have.
	cleared map[dictionary.ID]bool
	// added and removed count the edges that differ from the files', but for those of cleared graphs.
	added, removed uint64

	// grown are unchanged named graphs over the state's IDs, made when they are asked for; those of lists are made anew each time.
	grown sync.Map
	names func() []dictionary.ID
	// derived is what a reader has made of the state.
	derived struct {
		once  sync.Once
		value any
	}
}

// ground is a store's files, and the terms that came after them. Its states share it.
type ground struct {
	files *store.Store
	tail  *dictionary.Tail
	// holders counts the snapshots, and the Store while this is its newest ground; under Store.mu.
	holders int
	// forget lets files go that others have replaced; nil where nobody keeps them.
	forget func()
}

// groundOf is the ground of files that were opened, which are kept where this store is the one to replace them.
func (s *Store) groundOf(files *store.Store) *ground {
	g := &ground{files: files, tail: dictionary.NewTail(files.Dictionary), holders: 1}
	if s.lock != nil {
		g.forget = s.lock.Keep(files)
	}
	return g
}

// close closes the files.
func (g *ground) close() error {
	err := g.files.Close()
	if g.forget != nil {
		g.forget()
	}
	return err
}

// first is the state of the files alone.
func (g *ground) first() *State {
	return (&State{
		sequence: g.files.Manifest().Sequence, ground: g, dictionary: g.files.Dictionary, graph: g.files.Default,
		named: new(btree.Map[dictionary.ID, *pcsr.Graph]),
	}).ready()
}

// ready gives the default graph all IDs of the state, and sets up what is made on demand.
func (s *State) ready() *State {
	if n := s.dictionary.Len(); n > s.graph.Vertices() {
		s.graph = s.graph.Change(n, nil, nil)
	}
	s.names = sync.OnceValue(s.listNames)
	return s
}

// Derived returns what the first caller's make has made of the state, to be kept as long as the state is.
func (s *State) Derived(make func() any) any {
	s.derived.once.Do(func() { s.derived.value = make() })
	return s.derived.value
}

// Sequence is the commit that the state is of; 0 before the first.
func (s *State) Sequence() uint64 { return s.sequence }

// Dictionary has the terms of the files, and those that came since.
func (s *State) Dictionary() *dictionary.Dictionary { return s.dictionary }

// Default is the default graph.
func (s *State) Default() *pcsr.Graph { return s.graph }

// Named is the named graph with that name; nil where there is none.
func (s *State) Named(name dictionary.ID) (*pcsr.Graph, error) {
	if g, ok := s.named.Get(name); ok {
		if g.Edges() == 0 {
			return nil, nil
		}
		return s.over(name, g), nil
	}
	if name >= s.dictionary.Ordered() {
		return nil, nil
	}
	g, err := s.ground.files.Named(name)
	if g == nil || err != nil {
		return nil, err
	}
	return s.over(name, g), nil
}

// Listed are the triples of a named graph that has not changed since its segment was written, and is a list there (store.Store.Listed).
func (s *State) Listed(name dictionary.ID) ([]pcsr.Edge, bool) {
	if _, changed := s.named.Get(name); changed || name >= s.dictionary.Ordered() {
		return nil, false
	}
	return s.ground.files.Listed(name)
}

// Unlisted are the names of the graphs that have triples and are not Listed, in ascending order; not to be changed.
func (s *State) Unlisted() []dictionary.ID { return s.nowNamed(s.ground.files.Unlisted()) }

// ListedWith are the names of the Listed graphs that have a term as a subject (Out) or an object (In), in ascending order (store.Store.ListedWith).
func (s *State) ListedWith(v dictionary.ID, d pcsr.Direction) (names []dictionary.ID, ok bool) {
	names, ok = s.ground.files.ListedWith(v, d)
	return slices.DeleteFunc(names, func(name dictionary.ID) bool {
		_, changed := s.named.Get(name)
		return changed
	}), ok
}

// over is a graph over all IDs of the state.
func (s *State) over(name dictionary.ID, g *pcsr.Graph) *pcsr.Graph {
	switch {
	case g.Vertices() >= s.dictionary.Len():
		return g
	case g.Listed(): // there may be very many
		return g.Change(s.dictionary.Len(), nil, nil)
	}
	if grown, ok := s.grown.Load(name); ok {
		return grown.(*pcsr.Graph)
	}
	grown, _ := s.grown.LoadOrStore(name, g.Change(s.dictionary.Len(), nil, nil))
	return grown.(*pcsr.Graph)
}

// NamedGraphs are the names of the graphs that have triples, ascending; not to be changed.
func (s *State) NamedGraphs() []dictionary.ID { return s.names() }

func (s *State) listNames() []dictionary.ID { return s.nowNamed(s.ground.files.NamedGraphs()) }

// nowNamed are those of some graphs of the files that have not changed, and those that have and are not empty.
func (s *State) nowNamed(files []dictionary.ID) []dictionary.ID {
	if s.named.Len() == 0 {
		return files
	}
	names := make([]dictionary.ID, 0, len(files)+s.named.Len())
	for _, name := range files {
		if _, changed := s.named.Get(name); !changed {
			names = append(names, name)
		}
	}
	s.named.Scan(func(name dictionary.ID, g *pcsr.Graph) bool {
		if g.Edges() > 0 {
			names = append(names, name)
		}
		return true
	})
	slices.Sort(names)
	return names
}

// Graph is the graph of a name, None being the default graph; never nil.
func (s *State) Graph(name dictionary.ID) (*pcsr.Graph, error) {
	if name == dictionary.None {
		return s.graph, nil
	}
	if g, ok := s.named.Get(name); ok { // also where it has no edges: it knows which of the files' are gone
		return s.over(name, g), nil
	}
	g, err := s.Named(name)
	if g == nil && err == nil {
		g = emptyGraph(s.dictionary.Len())
	}
	return g, err
}

// emptyGraph is a graph without edges.
func emptyGraph(vertices int) *pcsr.Graph {
	g, err := pcsr.Build(vertices, 0, nil)
	if err != nil {
		panic(err) // no edge can be wrong
	}
	return g
}

// Changed are the graphs that are not as in the files, None the default graph.
func (s *State) Changed() (names []dictionary.ID) {
	s.named.Scan(func(name dictionary.ID, _ *pcsr.Graph) bool {
		names = append(names, name)
		return true
	})
	if added, removed := s.graph.Changed(); added+removed > 0 || s.cleared[dictionary.None] {
		names = append(names, dictionary.None)
	}
	return names
}

// Cleared reports whether nothing is left of what the files have of a graph.
func (s *State) Cleared(name dictionary.ID) bool { return s.cleared[name] }

// Triples are those of all graphs.
func (s *State) Triples() uint64 {
	n := s.graph.Edges()
	for _, name := range s.NamedGraphs() {
		if g, changed := s.named.Get(name); changed {
			n += g.Edges()
		} else {
			n += s.ground.files.Triples(name)
		}
	}
	return n
}
