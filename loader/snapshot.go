package loader

import (
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
