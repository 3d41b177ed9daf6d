package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Report is what a transaction did.
type Report struct {
	// Sequence is that of the commit; where nothing changed, of the state that the transaction began from.
	Sequence uint64
	// Graphs are those that changed, the default graph last.
	Graphs []GraphReport
}

// GraphReport is what changed in one graph; the zero Term is the default graph.
type GraphReport struct {
	Graph          rdf.Term
	Added, Removed uint64
}

// change is what a transaction changes in one graph, net.
type change struct {
	name           dictionary.ID
	added, removed []pcsr.Edge
}

// Changes is what Commit would do.
func (t *Transaction) Changes() (Report, error) {
	if len(t.eras) > 0 {
		graphs, err := t.countStaged()
		return Report{t.began.sequence, graphs}, err
	}
	changes, err := t.net()
	return t.report(t.began.sequence, changes), err
}

// report tells of changes that led to a state.
func (t *Transaction) report(sequence uint64, changes []change) Report {
	r := Report{Sequence: sequence}
	for _, c := range changes {
		r.Graphs = append(r.Graphs, GraphReport{t.state.term(c.name), uint64(len(c.added)), uint64(len(c.removed))})
	}
	return r
}

// net is what differs between the state that the transaction began from and its own, by graph, sorted.
func (t *Transaction) net() (changes []change, err error) {
	if t.steps == 1 {
		changes = t.only
	} else if changes, err = t.compared(); err != nil {
		return nil, err
	}
	sortChanges(changes)
	return changes, nil
}

// sortChanges orders changes by their graphs, the default graph last.
func sortChanges(changes []change) {
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.name, b.name) })
}

// compared is what differs between the two states among the edges that were touched, by graph.
func (t *Transaction) compared() (changes []change, err error) {
	for name, edges := range t.touched {
		before, err := t.began.Graph(name)
		if err != nil {
			return nil, err
		}
		after, err := t.state.Graph(name)
		if err != nil {
			return nil, err
		}
		if t.whole[name] {
			edges = slices.AppendSeq(slices.Clip(edges), Edges(before))
		}
		if c := netOf(name, edges, before, after); len(c.added)+len(c.removed) > 0 {
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// netOf is what differs between two states of a graph, which differ in some of the edges at most.
func netOf(name dictionary.ID, edges []pcsr.Edge, before, after *pcsr.Graph) change {
	c := change{name: name}
	for _, e := range sortEdges(edges) {
		was, is := before.HasEdge(e.From, e.Label, e.To), after.HasEdge(e.From, e.Label, e.To)
		switch {
		case is && !was:
			c.added = append(c.added, e)
		case was && !is:
			c.removed = append(c.removed, e)
		}
	}
	return c
}

// Commit writes what changed to the log, gives the turn to the next writer, waits until the log is as durable as
// Options.Durability says, and lets readers see it. Once the log has been written to, the context's end does not take it back. An error
// means that the change is not there, unless it is ErrFailed: then it may come back when the store is opened anew.
func (t *Transaction) Commit(ctx context.Context) (Report, error) {
	if t.ended {
		return Report{}, errEnded
	}
	if len(t.whole) > 0 && !t.files { // where files cannot be written, quad by quad
		t.files = t.store.maintenance.tryTake()
	}
	if t.files {
		r, err := t.commitFiles(ctx)
		return r, cmp.Or(t.Withdraw(ctx), err)
	}
	state, r, err := t.append(ctx)
	defer t.leave()()
	if err != nil {
		return Report{}, err
	}
	if err := t.store.acknowledge(ctx, state); err != nil {
		return Report{}, err
	}
	t.store.afterCommit()
	return r, nil
}

// acknowledge waits until a state is as durable as Options.Durability says, and lets readers see it.
func (s *Store) acknowledge(ctx context.Context, state *State) error {
	if state.sequence == 0 {
		return nil
	}
	if err := s.syncer.Wait(context.WithoutCancel(ctx), state.sequence); err != nil {
		return s.fail(err)
	}
	s.publish(state)
	return nil
}

// Withdraw ends the transaction like Abort, and returns once readers see what it began from. Until then that is not
// durable, and whatever was found in it (that a graph is not there, what a commit would change) must be told to nobody.
// After Commit or Abort it does nothing.
func (t *Transaction) Withdraw(ctx context.Context) error {
	if t.ended {
		return nil
	}
	began := t.began.State
	defer t.leave()()
	return t.store.acknowledge(ctx, began)
}

// leave ends the transaction, so that the turn is the next one's. The store is not closed before acknowledged is called.
func (t *Transaction) leave() (acknowledged func()) {
	t.store.acknowledging.Add(1)
	t.Abort()
	return t.store.acknowledging.Done
}

// append writes the transaction to the log and makes its state the newest.
func (t *Transaction) append(ctx context.Context) (*State, Report, error) {
	changes, err := t.net()
	if err != nil {
		return nil, Report{}, err
	}
	if len(changes) == 0 {
		return t.began.State, t.report(t.began.sequence, nil), nil
	}
	if err := ctx.Err(); err != nil {
		return nil, Report{}, context.Cause(ctx)
	}
	if err := t.log(changes); err != nil {
		return nil, Report{}, err
	}
	return t.state, t.report(t.state.sequence, changes), nil
}

// log writes commits to the log in one piece, and makes the transaction's state, to which they lead, the newest. Its sequence is that of
// the last one.
func (t *Transaction) log(commits ...[]change) error {
	s, now := t.store, time.Now()
	for len(s.payloads) < len(commits) {
		s.payloads = append(s.payloads, nil)
	}
	payloads := s.payloads[:len(commits)]
	for i, changes := range commits {
		payloads[i] = s.encode(payloads[i][:0], t.state.dictionary, changes, now)
	}
	first, err := s.log.Append(payloads...)
	if err != nil {
		if isBroken(err) {
			err = s.fail(err)
		}
		return fmt.Errorf("live: %w", err)
	}
	s.syncer.Start()
	t.state.sequence = first + uint64(len(commits)) - 1
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head = t.state
	for i, changes := range commits {
		s.unseen = append(s.unseen, unseen{first + uint64(i), changes})
	}
	return nil
}

// encode appends the payload of a transaction.
func (s *Store) encode(dst []byte, d *dictionary.Dictionary, changes []change, at time.Time) []byte {
	b := &s.builder
	b.Reset()
	s.forgetNumbers()
	term := func(id dictionary.ID) wal.Term {
		n, ok := s.numbered[id]
		if !ok {
			s.key = d.AppendKey(s.key[:0], id)
			n = b.Term(s.key)
			s.numbered[id] = n
		}
		return n
	}
	for _, c := range changes {
		graph := wal.DefaultGraph
		if c.name != dictionary.None {
			graph = term(c.name)
		}
		add := func(edges []pcsr.Edge, gone bool) {
			for _, e := range edges {
				b.Add(wal.Change{Delete: gone, Graph: graph, Subject: term(e.From), Predicate: term(e.Label), Object: term(e.To)})
			}
		}
		add(c.removed, true)
		add(c.added, false)
	}
	return b.Append(dst, at)
}

// forgetNumbers empties the table of the terms that a transaction has. A large one is left behind: to empty it takes as long as to fill it.
func (s *Store) forgetNumbers() {
	if s.numbered == nil || len(s.numbered) > mostNumbered {
		s.numbered = map[dictionary.ID]wal.Term{}
	}
	clear(s.numbered)
}

// mostNumbered is of how many terms the table is used again.
const mostNumbered = 1 << 10
