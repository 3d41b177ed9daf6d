package live

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// batch gathers the changes of several commits, so that a state is made of many at once. While that is made, it gathers the next ones.
type batch struct {
	gathered
	tail *dictionary.Tail
	// state is that of all that was made so far; while making is not nil, it is that of a goroutine, which sends how it ended.
	state  *State
	making chan error
	spare  gathered // empty; what is gathered next lies in its memory

	transaction wal.Transaction
	ids         []dictionary.ID
	recall      recall
}

// gathered is what commits that follow each other changed.
type gathered struct {
	sequence uint64 // of the last one
	graphs   map[dictionary.ID]*fates
	edges    int
}

// batchEdges is how many changes are gathered.
const batchEdges = 1 << 16

func newBatch(from *State) *batch {
	return &batch{
		tail: from.ground.tail, state: from, gathered: gathered{sequence: from.sequence, graphs: map[dictionary.ID]*fates{}},
		spare: gathered{graphs: map[dictionary.ID]*fates{}},
	}
}

// add takes one commit, and begins to make a state where many changes are gathered.
func (b *batch) add(record wal.Record) error {
	if err := b.gather(record); err != nil || b.edges < batchEdges {
		return err
	}
	return b.flush()
}

// gather takes one commit.
func (b *batch) gather(record wal.Record) error {
	t := &b.transaction
	err := t.Read(record.Payload)
	if err != nil {
		return fmt.Errorf("live: commit %d: %w: %w", record.Sequence, section.ErrDamaged, err)
	}
	if t.InFiles() {
		return fmt.Errorf("live: commit %d: %w: it is in files that the store does not have", record.Sequence, section.ErrDamaged)
	}
	ids := append(b.ids[:0], dictionary.None) // the default graph
	for n := range t.Terms() {
		id, err := b.intern(t.Key(wal.Term(n + 1)))
		if err != nil {
			return fmt.Errorf("live: commit %d: %w: %w", record.Sequence, section.ErrDamaged, err)
		}
		ids = append(ids, id)
	}
	for c := range t.Changes() {
		if b.graph(ids[c.Graph]).note(pcsr.Edge{From: ids[c.Subject], Label: ids[c.Predicate], To: ids[c.Object]}, c.Delete) {
			b.edges++
		}
	}
	b.sequence, b.ids = record.Sequence, ids
	return nil
}

// intern is the ID of a term. That of one which comes again is recalled.
func (b *batch) intern(key []byte) (dictionary.ID, error) {
	if id, ok := b.recall.id(key); ok {
		return id, nil
	}
	before := b.tail.Len()
	id, err := b.tail.Intern(key)
	if err == nil && b.tail.Len() == before {
		b.recall.keep(key, id)
	}
	return id, err
}

// graph is what became of the edges of a graph.
func (g *gathered) graph(name dictionary.ID) *fates {
	edges := g.graphs[name]
	if edges == nil {
		edges = &fates{}
		g.graphs[name] = edges
	}
	return edges
}

// clear forgets everything, and keeps memory for the next changes.
func (g *gathered) clear() {
	for name, edges := range g.graphs {
		if edges.edges == 0 { // since the last time
			delete(g.graphs, name)
		}
		edges.clear()
	}
	g.edges = 0
}

// flush begins to make the state of what was gathered, once that of what was gathered before is made.
func (b *batch) flush() error {
	if err := b.wait(); err != nil || b.sequence == b.state.sequence {
		return err
	}
	making := make(chan error, 1)
	b.making = making
	b.gathered, b.spare = b.spare, b.gathered
	b.sequence = b.spare.sequence
	go func() { making <- section.Guard(b.make) }()
	return nil
}

// wait waits for the state in the making.
func (b *batch) wait() error {
	if b.making == nil {
		return nil
	}
	err := <-b.making
	b.making = nil
	return err
}

// make makes the state of what lies in spare, and empties that.
func (b *batch) make() error {
	next := b.state.next()
	for name, edges := range b.spare.graphs {
		if edges.edges == 0 { // its memory is kept
			continue
		}
		var added, removed []pcsr.Edge
		for e, f := range edges.all() {
			switch {
			case f.firstGone != f.lastGone: // back to where it was
			case f.lastGone:
				removed = append(removed, e)
			default:
				added = append(added, e)
			}
		}
		g, err := b.state.Graph(name)
		if err != nil {
			return err
		}
		next.put(name, g.Change(next.dictionary.Len(), added, removed))
	}
	next.sequence = b.spare.sequence
	b.state = next.ready()
	b.spare.clear()
	return nil
}
