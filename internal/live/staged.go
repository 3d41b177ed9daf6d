package live

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// A transaction that takes documents in goes on over files that are staged: written, and of which nobody else knows. Its commit writes
// the rest beside them and names them all in the manifest; Abort, and a crash, leave the store as it was.

// BeginWithFiles is Begin of a transaction that may take documents in, and is committed with files. It waits until flushing and compacting
// have ended, which do not begin again before it has ended.
func (s *Store) BeginWithFiles(ctx context.Context) (*Transaction, error) {
	if err := s.takeFiles(ctx); err != nil {
		return nil, err
	}
	t, err := s.Begin(ctx)
	if err != nil {
		s.maintenance.give()
		return nil, err
	}
	t.files = true
	return t, nil
}

// takeFiles waits until nobody writes files; maintenance.give ends it.
func (s *Store) takeFiles(ctx context.Context) error {
	if s.turn == nil {
		return ErrReadOnly
	}
	if err := s.maintenance.take(ctx); err != nil {
		return err
	}
	err := s.turnToWritten(ctx)
	if err != nil {
		s.maintenance.give()
	}
	return err
}

// era is what a transaction did before it took documents in, by the IDs of the state that it had made by then.
type era struct {
	state   *State
	touched map[dictionary.ID][]pcsr.Edge
	whole   map[dictionary.ID]bool
}

// TakeIn adds what an intake has read to its graph, in a transaction of BeginWithFiles. IDs that State or Intern gave before it are no more valid.
func (t *Transaction) TakeIn(ctx context.Context, in *Intake) error {
	if !t.files {
		return errStaged
	}
	s := t.store
	staged, err := in.read.Stage(ctx, s.lock, t.state.next().ready(), nil, false)
	if err != nil || staged == nil {
		return err
	}
	files, err := store.OpenStaged(s.dir, staged)
	if err != nil {
		return err
	}
	t.eras = append(t.eras, era{t.state, t.touched, t.whole})
	t.touched, t.whole, t.only = map[dictionary.ID][]pcsr.Edge{}, nil, nil
	t.state = (&ground{files: files, tail: dictionary.NewTail(files.Dictionary), holders: 1}).first()
	return nil
}

// endFiles removes what was staged and not committed, before anybody else may write files.
func (t *Transaction) endFiles() {
	for i := range t.eras {
		after := t.state
		if i+1 < len(t.eras) {
			after = t.eras[i+1].state
		}
		t.store.release(after.ground)
	}
	if err := t.store.lock.Unstage(); err != nil { // the next load removes it
		t.store.options.Background("remove what was not committed", err)
	}
}

// tally is how one graph differs from what it was when the transaction began.
type tally struct {
	whole bool
	// removed are the edges that are gone, by the IDs of the state that the transaction began from.
	removed map[pcsr.Edge]bool
}

// countStaged is what Changes reports of a transaction that took documents in. What these added is told by the number of triples alone.
func (t *Transaction) countStaged() ([]GraphReport, error) {
	before, after := t.began.State, t.state
	tallies, err := t.tallies()
	if err != nil {
		return nil, err
	}
	was, is := before.counts(), after.counts()
	toBefore := after.translation(before)
	for id, n := range is {
		if old := toBefore(id); was[old] != n || isNew(id, old) {
			tallyOf(tallies, after.term(id))
		}
	}
	var graphs []GraphReport
	for name, c := range tallies {
		g, err := c.report(name, before, after)
		if err != nil {
			return nil, err
		}
		if g.Added+g.Removed > 0 {
			graphs = append(graphs, g)
		}
	}
	slices.SortFunc(graphs, compareNames)
	return graphs, nil
}

// compareNames orders graphs by their names, the default graph last.
func compareNames(a, b GraphReport) int {
	switch {
	case a.Graph.IsZero():
		return 1
	case b.Graph.IsZero():
		return -1
	}
	return strings.Compare(a.Graph.Value, b.Graph.Value)
}

// isNew reports whether a graph, not the default graph, has no name in an earlier state.
func isNew(id, old dictionary.ID) bool { return id != dictionary.None && old == dictionary.None }

func tallyOf(tallies map[rdf.Term]*tally, name rdf.Term) *tally {
	c := tallies[name]
	if c == nil {
		c = &tally{removed: map[pcsr.Edge]bool{}}
		tallies[name] = c
	}
	return c
}

// tallies are those of the graphs that were touched.
func (t *Transaction) tallies() (map[rdf.Term]*tally, error) {
	tallies := map[rdf.Term]*tally{}
	for _, e := range append(slices.Clip(t.eras), era{t.state, t.touched, t.whole}) {
		for name, edges := range e.touched {
			term := e.state.term(name)
			c := tallyOf(tallies, term)
			if c.whole = c.whole || e.whole[name]; c.whole {
				continue
			}
			if err := c.add(term, edges, e.state, t.began.State, t.state); err != nil {
				return nil, err
			}
		}
	}
	return tallies, nil
}

// add notes which of some edges, by the IDs of a state, were there before and are not after.
func (c *tally) add(name rdf.Term, edges []pcsr.Edge, by, before, after *State) error {
	was, err := before.graphOf(name)
	if err != nil || was == nil {
		return err
	}
	is, err := after.graphOf(name)
	if err != nil {
		return err
	}
	toBefore, toAfter := by.translation(before), by.translation(after)
	for _, e := range edges {
		old, known := translated(e, toBefore)
		if !known || !was.HasEdge(old.From, old.Label, old.To) {
			continue
		}
		if now, known := translated(e, toAfter); !known || !has(is, now) {
			c.removed[old] = true
		}
	}
	return nil
}

// report sums a graph up.
func (c *tally) report(name rdf.Term, before, after *State) (g GraphReport, err error) {
	g.Graph = name
	was, err := before.graphOf(name)
	if err != nil {
		return g, err
	}
	is, err := after.graphOf(name)
	if err != nil {
		return g, err
	}
	old, now := edgesOf(was), edgesOf(is)
	g.Removed = uint64(len(c.removed))
	if c.whole {
		g.Removed = old
		if was != nil && is != nil {
			g.Removed -= commonEdges(was, before.translation(after), is)
		}
	}
	g.Added = now + g.Removed - old
	return g, nil
}

func edgesOf(g *pcsr.Graph) uint64 {
	if g == nil {
		return 0
	}
	return g.Edges()
}

// graphOf is the graph of a name, nil where no term is that name.
func (s *State) graphOf(name rdf.Term) (*pcsr.Graph, error) {
	id, known := s.lookup(name)
	if !known {
		return nil, nil
	}
	return s.Graph(id)
}

// term is the name of a graph: the zero Term of the default graph.
func (s *State) term(name dictionary.ID) rdf.Term {
	if name == dictionary.None {
		return rdf.Term{}
	}
	return s.ground.tail.Dictionary(s.ground.tail.Len()).Term(name)
}

// translated is an edge by other IDs; false where a term of it has none.
func translated(e pcsr.Edge, to func(dictionary.ID) dictionary.ID) (pcsr.Edge, bool) {
	e = pcsr.Edge{From: to(e.From), Label: to(e.Label), To: to(e.To)}
	return e, e.From != dictionary.None && e.Label != dictionary.None && e.To != dictionary.None
}

// errStaged: a transaction has taken documents in without BeginWithFiles.
var errStaged = errors.New("live: the transaction was begun without files")
