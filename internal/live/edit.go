package live

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// Edit tells which quads one Apply shall remove and add. It may Intern and Find terms of the transaction, and do nothing else with it. It
// may be called by another goroutine than that of who waits for it.
type Edit func(tx *Transaction) (remove, add []Quad, err error)

// Edit commits what one Apply does. Edits that wait for the turn at the same time are made as one change of the graphs, which costs little
// more than each of them, and are written to the log in one piece; each is a commit all the same, with a sequence and a report of its own,
// and the error of one is not that of another. Readers see all of them at once. The errors are those of Begin and Commit, and edit's own.
func (s *Store) Edit(ctx context.Context, edit Edit) (Report, error) {
	if err := s.enqueue(); err != nil {
		return Report{}, err
	}
	e := &waitingEdit{ctx: ctx, edit: edit, err: errGivenUp, told: make(chan bool, 1)}
	s.edits.enter(e)
	for {
		select {
		case done := <-e.told:
			if done {
				return e.report, e.err
			}
			if err := s.awaitTurn(ctx); err != nil {
				s.withdraw(e)
				return Report{}, err
			}
			s.commitEdits(s.takeEdits())
		case <-ctx.Done():
			if s.withdraw(e) {
				return Report{}, context.Cause(ctx)
			}
			<-e.told
			return e.report, e.err
		}
	}
}

// errGivenUp: a panic of one who made edits of others.
var errGivenUp = errors.New("live: the edit was given up")

// waitingEdit is an edit that waits, and what became of it.
type waitingEdit struct {
	ctx  context.Context
	edit Edit
	// told has true once the edit is done, and false where it is to take the turn.
	told chan bool

	remove, add []Quad
	changes     []change
	report      Report
	err         error
}

// edits are those that wait, in the order in which they came.
type edits struct {
	mu      sync.Mutex
	waiting []*waitingEdit
}

// mostEdits is how many edits are made at once.
const mostEdits = 64

func (all *edits) enter(e *waitingEdit) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.waiting = append(all.waiting, e); len(all.waiting) == 1 {
		e.told <- false
	}
}

// withdraw takes an edit out of those that wait, and reports whether it was one.
func (s *Store) withdraw(e *waitingEdit) bool {
	all := &s.edits
	all.mu.Lock()
	defer all.mu.Unlock()
	i := slices.Index(all.waiting, e)
	if i < 0 {
		return false
	}
	s.waiting.Add(-1)
	all.waiting = slices.Delete(all.waiting, i, i+1)
	if i == 0 {
		all.tellFirst()
	}
	return true
}

// tellFirst tells the first one to take the turn.
func (all *edits) tellFirst() {
	if len(all.waiting) > 0 {
		all.waiting[0].told <- false
	}
}

// takeEdits takes those that came first. The one that took the turn is among them.
func (s *Store) takeEdits() []*waitingEdit {
	all := &s.edits
	all.mu.Lock()
	defer all.mu.Unlock()
	n := min(len(all.waiting), mostEdits)
	taken := slices.Clone(all.waiting[:n])
	all.waiting = slices.Delete(all.waiting, 0, n)
	s.waiting.Add(-int64(n))
	all.tellFirst()
	return taken
}

// commitEdits makes edits in the turn that the caller has, gives it back, and tells them once they are durable. Until then even an error is
// told to nobody (see Withdraw).
func (s *Store) commitEdits(taken []*waitingEdit) {
	defer func() {
		for _, e := range taken {
			e.told <- true
		}
	}()
	t := s.newTransaction()
	defer t.Abort()
	state := t.commitAll(taken)
	defer t.leave()()
	if err := s.acknowledge(taken[0].ctx, state); err != nil {
		for _, e := range taken {
			e.report, e.err = Report{}, err
		}
		return
	}
	if state != t.began.State {
		s.afterCommit()
	}
}

// commitAll writes edits to the log and returns the state that they lead to.
func (t *Transaction) commitAll(taken []*waitingEdit) *State {
	gathered := make([]*waitingEdit, 0, len(taken))
	for _, e := range taken {
		err := section.Guard(func() (err error) {
			e.remove, e.add, err = e.edit(t)
			return err
		})
		if err == nil && e.ctx.Err() != nil {
			err = context.Cause(e.ctx)
		}
		if err != nil {
			e.err = err
			continue
		}
		gathered = append(gathered, e)
	}
	if len(gathered) > 1 && section.Guard(func() error { return t.commitTogether(gathered) }) == nil {
		return t.state
	}
	state := t.began.State
	for _, e := range gathered { // each meets its own error
		one := &Transaction{store: t.store, began: &Snapshot{State: state}, state: state, touched: map[dictionary.ID][]pcsr.Edge{}}
		e.report = Report{}
		e.err = section.Guard(func() error {
			if err := one.Apply(e.remove, e.add); err != nil {
				return err
			}
			next, report, err := one.append(e.ctx)
			if err == nil {
				state, e.report = next, report
			}
			return err
		})
	}
	return state
}

// commitTogether commits edits with one change of the graphs, which does to each quad what the last edit does that names it. After an error
// none of them is committed.
func (t *Transaction) commitTogether(edits []*waitingEdit) error {
	quads := fatesOf(edits)
	var remove, add []Quad
	for _, e := range edits {
		for _, q := range e.remove {
			if !quads[q].there {
				remove = append(remove, q)
			}
		}
		for _, q := range e.add {
			if quads[q].there {
				add = append(add, q)
			}
		}
	}
	if err := t.Apply(remove, add); err != nil {
		return err
	}
	// What came was not there before, and what went was. Where nothing has changed, it was as it is.
	for _, c := range t.only {
		quads.set(c.name, c.added, false)
		quads.set(c.name, c.removed, true)
	}
	return t.logEach(edits, quads)
}

// logEach writes edits to the log, each with what it changes after those before it, given which quads were there before all of them.
func (t *Transaction) logEach(edits []*waitingEdit, quads quadFates) error {
	commits := make([][]change, 0, len(edits))
	for i, e := range edits {
		if e.changes = quads.follow(e, i+1); len(e.changes) > 0 {
			commits = append(commits, e.changes)
		}
		e.report = t.report(0, e.changes) // before the log: once that is written, nothing may fail
	}
	if len(commits) == 0 {
		t.state = t.began.State
	} else if err := t.log(commits...); err != nil {
		return err
	}
	sequence := t.state.sequence - uint64(len(commits))
	for _, e := range edits {
		if len(e.changes) > 0 {
			sequence++
		}
		e.report.Sequence, e.err = sequence, nil
	}
	return nil
}

// quadFates are the quads that some edits name.
type quadFates map[Quad]quadFate

type quadFate struct {
	there bool
	adds  int // the number of the edit that added it last, from 1
}

// fatesOf are the quads as the edits leave them.
func fatesOf(edits []*waitingEdit) quadFates {
	n := 0
	for _, e := range edits {
		n += len(e.remove) + len(e.add)
	}
	quads := make(quadFates, n)
	for _, e := range edits {
		for _, q := range e.remove {
			quads[q] = quadFate{}
		}
		for _, q := range e.add {
			quads[q] = quadFate{there: true}
		}
	}
	return quads
}

// set says whether edges of a graph are there.
func (quads quadFates) set(name dictionary.ID, edges []pcsr.Edge, there bool) {
	for _, e := range edges {
		quads[Quad{name, e.From, e.Label, e.To}] = quadFate{there: there}
	}
}

// follow does edit number n, and returns what it changes, as net does. What it removes and adds comes.
func (quads quadFates) follow(e *waitingEdit, n int) []change {
	var came, went []Quad
	for _, q := range e.add {
		if !quads[q].there {
			came = append(came, q)
		}
		quads[q] = quadFate{there: true, adds: n}
	}
	for _, q := range e.remove {
		if fate := quads[q]; fate.there && fate.adds != n {
			went = append(went, q)
			quads[q] = quadFate{}
		}
	}
	parts := byGraph(went, came)
	changes := make([]change, len(parts))
	for i, p := range parts {
		changes[i] = change{p.name, sortEdges(p.add), sortEdges(p.remove)}
	}
	sortChanges(changes)
	return changes
}
