package match

import (
	"context"
	"errors"

	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Hop leads a walk from one state to another, along the lists of a label in a direction.
type Hop struct {
	PartitionKey
	From, To int
}

// Bounds of a Closure.
const (
	MostHops    = 32
	MostStates  = 16
	MostSources = 64
)

// Closure asks where walks lead that take one hop or more from each of some vertices. A walk is in a state of an automaton, and at a vertex.
type Closure struct {
	Graph *pcsr.Graph
	// States are numbered from 0; walks begin in state States, to which no hop leads.
	States int
	Hops   []Hop
	// Ending are the states in which walks may end, as bits; there is one.
	Ending uint32
	// Sources are vertices of the graph, all different, MostSources at most.
	Sources []pcsr.Vertex
	// Zero: a walk of no hop counts too.
	Zero bool
	// Trace, when not nil, receives what the search took.
	Trace *Trace
}

// Edges is how many edges there are to walk.
func (c *Closure) Edges() (n float64) {
	for _, h := range c.Hops {
		n += float64(c.Graph.Outline(h.Label, h.Direction).Edges())
	}
	return n
}

// Pairs is how many pairs of a state and a vertex there are to reach, at most.
func (c *Closure) Pairs() (n int64) {
	into := make([]int64, c.States)
	for _, h := range c.Hops {
		into[h.To] += int64(c.Graph.Outline(h.Label, h.Direction.Reverse()).Rows())
	}
	for _, rows := range into {
		n += min(rows, int64(c.Graph.Vertices()))
	}
	return n
}

// Searcher is a Matcher that also searches closures.
type Searcher interface {
	// Search returns for each source how many vertices its walks end at. ends, where it is not nil, is told them, source by source, as the bits of
	// words from a vertex on, a multiple of 32; the words are valid until it returns, and an error of it ends the search. ErrNotSearched: there is no
	// room, and ends was not called.
	Search(ctx context.Context, c *Closure, ends func(source int, from pcsr.Vertex, words []uint32) error) ([]uint64, error)
}

// ErrNotSearched: a closure is to be searched by the processor.
var ErrNotSearched = errors.New("no room to search a closure")
