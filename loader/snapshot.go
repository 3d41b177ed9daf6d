package loader

import (
	"errors"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Snapshot is one state of a store: that of its segments, or what a process has made of it in memory since. It does not
// change while it is read, by several goroutines. dictionary.None stands for the default graph.
type Snapshot interface {
	// Dictionary has the terms: those of the segments, and behind them, from Ordered on, those that came since.
	Dictionary() *dictionary.Dictionary
	// NamedGraphs are the names of the named graphs that have triples, each once.
	NamedGraphs() []dictionary.ID
	// Graph is the graph of a name, with the IDs of Dictionary; nil or without edges where it has no triples.
	Graph(name dictionary.ID) (*pcsr.Graph, error)
	// Changed are the graphs that are not as in the segments, each once. They tell by pcsr.Graph.Changes what is other,
	// unless they are Cleared: those have nothing of what the segments have.
	Changed() []dictionary.ID
	Cleared(name dictionary.ID) bool
	// Sequence is the last commit of the store's log that is in the snapshot.
	Sequence() uint64
}

// stored is the snapshot of a store that is nothing but its segments.
type stored struct{ *store.Store }

func (s stored) Dictionary() *dictionary.Dictionary { return s.Store.Dictionary }

func (s stored) Graph(name dictionary.ID) (*pcsr.Graph, error) {
	if name == dictionary.None {
		return s.Default, nil
	}
	return s.Named(name)
}

func (stored) Changed() []dictionary.ID { return nil }

func (stored) Cleared(dictionary.ID) bool { return false }

func (s stored) Sequence() uint64 { return s.Manifest().Sequence }

// begin begins a load of the store in dir, under the lock that the caller holds, if it does.
func (o *Options) begin(dir string) (*store.Load, error) {
	if o.Lock == nil {
		return store.Begin(dir)
	}
	return o.Lock.Begin()
}

// oldStore is the store that a load adds to or makes anew.
type oldStore struct {
	Snapshot
	manifest *store.Manifest
	opened   *store.Store // nil where the snapshot is the caller's
	// keep is how many of its segments stay as they are, start the number of their terms: the IDs below stay.
	keep  int
	start uint32

	// known are the IDs plus one, by provisional ID, of the inputs' terms that the store has; labels likewise by
	// predicate number, without the plus one (None).
	known  []uint32
	labels []uint32

	// Of the terms that get new IDs: a bit for each that is used, and the provisional IDs of these, both by ID less start.
	// Of those that do not, and which triples that are taken over name: their IDs, ascending, with provisional IDs from
	// borrowedFrom on.
	numbers      map[pcsr.Label]uint32 // of the predicates in what is taken over
	used         []uint64
	taken        []uint32
	borrowed     []uint32
	borrowedFrom uint32
}

// openOld opens the store in dir; nil when there is none yet.
func openOld(dir string) (*oldStore, error) {
	s, err := store.Open(dir)
	if errors.Is(err, store.ErrNotStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := newOld(stored{s}, s.Manifest())
	o.opened = s
	return o, nil
}

// newOld is the store of a manifest as a snapshot has it; all its segments stay.
func newOld(s Snapshot, m *store.Manifest) *oldStore {
	o := &oldStore{Snapshot: s, manifest: m}
	o.keepFirst(len(m.Segments))
	return o
}

func (o *oldStore) close() error {
	if o == nil || o.opened == nil {
		return nil
	}
	return o.opened.Close()
}

func (o *oldStore) keepFirst(n int) {
	o.keep, o.start = n, 0
	for _, s := range o.manifest.Segments[:n] {
		o.start += uint32(s.Terms)
	}
}

// log is the store's log as it is when the snapshot is in the segments.
func (o *oldStore) log() store.Log {
	if o == nil {
		return store.Log{} // a load that replaces a store ends its log
	}
	return store.Log{ID: o.manifest.Log.ID, Sequence: o.Sequence()}
}
