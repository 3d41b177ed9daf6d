package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Quad is a triple in a graph, by IDs of the transaction's state; the graph dictionary.None is the default graph.
type Quad struct {
	Graph, Subject, Predicate, Object dictionary.ID
}

// Transaction is a state in the making. It holds the store's turn to write until Commit or Abort. Not for concurrent use.
type Transaction struct {
	store *Store
	began *Snapshot
	state *State
	// touched are, by graph, the edges that Apply and Clear added or removed, each once or more; of the graphs in whole, which were
	// large when they were cleared, any edge may be another than before.
	touched map[dictionary.ID][]pcsr.Edge
	whole   map[dictionary.ID]bool
	// only is what the transaction changes, where one Apply did it all.
	only  []change
	steps int
	// files says that the transaction keeps others from writing files; eras are what it did before it took documents in.
	files bool
	eras  []era
	ended bool
}

// Begin waits for its turn to write and starts a transaction from the newest state. The error is ErrReadOnly, ErrWaiting, ErrClosed, why
// the store takes no more updates (ErrFailed), or the context's.
func (s *Store) Begin(ctx context.Context) (*Transaction, error) {
	if err := s.takeTurn(ctx); err != nil {
		return nil, err
	}
	return s.newTransaction(), nil
}

// newTransaction starts a transaction of who has the turn.
func (s *Store) newTransaction() *Transaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Transaction{store: s, began: s.hold(s.head), state: s.head, touched: map[dictionary.ID][]pcsr.Edge{}}
}

// takeTurn waits until nobody else writes.
func (s *Store) takeTurn(ctx context.Context) error {
	if err := s.enqueue(); err != nil {
		return err
	}
	defer s.waiting.Add(-1)
	return s.awaitTurn(ctx)
}

// enqueue counts one more who waits to write, unless too many do.
func (s *Store) enqueue() error {
	if s.turn == nil {
		return ErrReadOnly
	}
	if s.waiting.Add(1) > int64(s.options.MaxWaiting)+1 {
		s.waiting.Add(-1)
		return ErrWaiting
	}
	return nil
}

func (s *Store) awaitTurn(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
	case <-s.life.Done():
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := s.Failed(); err != nil {
		<-s.turn
		return err
	}
	return nil
}

// State is what the transaction has made so far. Graphs and terms of it stay valid until Commit or Abort, IDs until TakeIn.
func (t *Transaction) State() *State { return t.state }

// Began is the state that the transaction started from.
func (t *Transaction) Began() *State { return t.began.State }

// Intern is the ID of a term, which gets one where it has none. States that were made before do not have the term.
func (t *Transaction) Intern(term rdf.Term) (dictionary.ID, error) {
	key, ok := t.key(term)
	if !ok {
		return dictionary.None, fmt.Errorf("live: %w: %q", dictionary.ErrTerm, term)
	}
	return t.state.ground.tail.Intern(key)
}

// Find is the ID of a term that has one, or was interned by now.
func (t *Transaction) Find(term rdf.Term) (dictionary.ID, bool) {
	key, ok := t.key(term)
	if !ok {
		return dictionary.None, false
	}
	return t.state.ground.tail.Find(key)
}

// key is the key of a term, until the next is asked for.
func (t *Transaction) key(term rdf.Term) (key []byte, ok bool) {
	key, ok = dictionary.AppendKey(t.store.key[:0], term)
	if cap(key) <= largestKey {
		t.store.key = key
	}
	return key, ok
}

// largestKey bounds the memory that is kept for keys.
const largestKey = 1 << 16

// Apply removes those of some quads that are there, and then adds those of others that are not. They may be in any order, have
// repeats, and are the transaction's afterwards.
func (t *Transaction) Apply(remove, add []Quad) error {
	next := t.state.next()
	t.only = nil
	for _, part := range byGraph(remove, add) {
		if err := t.applyTo(next, part); err != nil {
			return err
		}
	}
	t.state = next.ready()
	t.steps++
	return nil
}

// graphPart is what Apply does to one graph.
type graphPart struct {
	name        dictionary.ID
	remove, add []pcsr.Edge
}

// byGraph gathers quads by their graphs.
func byGraph(remove, add []Quad) (parts []graphPart) {
	at := map[dictionary.ID]int{}
	part := func(name dictionary.ID) *graphPart {
		i, ok := at[name]
		if !ok {
			i = len(parts)
			at[name], parts = i, append(parts, graphPart{name: name})
		}
		return &parts[i]
	}
	for _, q := range remove {
		p := part(q.Graph)
		p.remove = append(p.remove, pcsr.Edge{From: q.Subject, Label: q.Predicate, To: q.Object})
	}
	for _, q := range add {
		p := part(q.Graph)
		p.add = append(p.add, pcsr.Edge{From: q.Subject, Label: q.Predicate, To: q.Object})
	}
	return parts
}

func compareEdges(a, b pcsr.Edge) int {
	return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

func sortEdges(edges []pcsr.Edge) []pcsr.Edge {
	slices.SortFunc(edges, compareEdges)
	return slices.Compact(edges)
}

// applyTo changes one graph of a state in the making.
func (t *Transaction) applyTo(next *State, p graphPart) error {
	g, err := t.state.Graph(p.name)
	if err != nil {
		return err
	}
	changed, added, removed := g.ChangeNet(next.dictionary.Len(), p.add, p.remove)
	if len(added)+len(removed) == 0 {
		return nil
	}
	t.touched[p.name] = append(append(t.touched[p.name], removed...), added...)
	t.only = append(t.only, change{p.name, added, removed})
	next.put(p.name, changed)
	return nil
}

// Clear removes all triples of a graph.
func (t *Transaction) Clear(name dictionary.ID) error {
	g, err := t.state.Graph(name)
	if err != nil || g.Edges() == 0 {
		return err
	}
	if g.Edges() >= uint64(t.store.options.LargeClear) {
		t.whole = cloneWith(t.whole, name)
		t.touched[name] = slices.Clip(t.touched[name])
	} else {
		t.touched[name] = slices.AppendSeq(t.touched[name], Edges(g))
	}
	t.state = t.state.without(name)
	t.steps += 2
	return nil
}

// without is a state in which a graph has no triples.
func (s *State) without(name dictionary.ID) *State {
	next := s.next()
	next.put(name, emptyGraph(next.dictionary.Len()))
	next.cleared = cloneWith(next.cleared, name)
	return next.ready()
}

func cloneWith(set map[dictionary.ID]bool, name dictionary.ID) map[dictionary.ID]bool {
	clone := make(map[dictionary.ID]bool, len(set)+1)
	for member := range set {
		clone[member] = true
	}
	clone[name] = true
	return clone
}

// next is a state to be changed, with all terms of the tail; ready ends it.
func (s *State) next() *State {
	tail := s.ground.tail
	s.copying.Lock()
	named := s.named.Copy()
	s.copying.Unlock()
	next := &State{
		sequence: s.sequence, ground: s.ground, dictionary: tail.Dictionary(tail.Len()), named: named, cleared: s.cleared,
		added: s.added, removed: s.removed,
	}
	next.graph = s.graph
	return next
}

// put makes a graph that of a name.
func (s *State) put(name dictionary.ID, g *pcsr.Graph) {
	old := s.graph
	if name == dictionary.None {
		s.graph = g
	} else {
		old, _ = s.named.Set(name, g)
	}
	if old != nil {
		added, removed := old.Changed()
		s.added, s.removed = s.added-added, s.removed-removed
	}
	added, removed := g.Changed()
	s.added, s.removed = s.added+added, s.removed+removed
}

// Abort drops the transaction; after Commit it does nothing.
func (t *Transaction) Abort() {
	if t.ended {
		return
	}
	t.ended = true
	if t.files {
		t.endFiles()
		defer t.store.wake() // what is due has waited
		defer t.store.maintenance.give()
	}
	<-t.store.turn
	t.began.Release()
}

// errEnded: a transaction was used after its end.
var errEnded = errors.New("live: the transaction has ended")

// Kind is that of a term, of those interned since the state was made too.
func (t *Transaction) Kind(id dictionary.ID) rdf.Kind {
	d := t.state.dictionary
	if int64(id) >= int64(d.Len()) {
		d = t.state.ground.tail.Dictionary(t.state.ground.tail.Len())
	}
	return d.Kind(id)
}

// Edges yields the edges of a graph, by label.
func Edges(g *pcsr.Graph) iter.Seq[pcsr.Edge] {
	return func(yield func(pcsr.Edge) bool) {
		for _, l := range g.UsedLabels() {
			for from, list := range g.Partition(l, pcsr.Out).Lists() {
				for _, to := range list {
					if !yield(pcsr.Edge{From: from, Label: l, To: to}) {
						return
					}
				}
			}
		}
	}
}
