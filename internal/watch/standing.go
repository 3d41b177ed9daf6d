package watch

import (
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// Query is what is asked to stand.
type Query struct {
	// Text is that of Parsed, a SELECT, whose data set may be another than the text's.
	Text      string
	Parsed    *parser.Query
	Semantics bgp.Semantics
	Base      string
}

// standing is a query that stands, for all who asked for it.
type standing struct {
	*shape
	identity identity
	parsed   *parser.Query
	base     string
	// labels are the predicates that it reads, where it is evaluated again; anything says that it may read any.
	labels   []rdf.Term
	anything bool
	// reads are these by their IDs, and missing the keys of the constants that the dictionary does not have.
	reads   []pcsr.Label
	missing []string

	subscriptions []*Subscription
}

// newStanding takes a query apart; the error wraps ErrCannotStand.
func newStanding(q Query) (*standing, error) {
	switch {
	case q.Parsed.Form != parser.Select:
		return nil, fmt.Errorf("%w: only SELECT has solutions that come and go", ErrCannotStand)
	case !q.Parsed.Repeatable():
		return nil, fmt.Errorf("%w: it calls NOW, RAND, UUID, STRUUID or BNODE, or asks a SERVICE, and may change without the data", ErrCannotStand)
	}
	if err := q.Semantics.CheckAll(q.Parsed.Where); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCannotStand, err)
	}
	s := &standing{shape: shapeOf(q.Parsed, q.Semantics), parsed: q.Parsed, base: q.Base}
	for _, l := range s.leaves {
		l.owner = s
	}
	if s.pattern == nil {
		s.leaves, s.whole = nil, q.Parsed.Where
		s.labels, s.anything = labels(q.Parsed.Where)
	}
	return s, nil
}

// again reports whether the query is evaluated again.
func (q *standing) again() bool { return q.pattern == nil }

// resolve looks all constants up.
func (q *standing) resolve(lookup bgp.Lookup) {
	q.reads, q.missing = q.reads[:0], q.missing[:0]
	for _, l := range q.leaves {
		q.missing = append(q.missing, l.resolve(lookup)...)
	}
	if q.anything {
		q.reads = append(q.reads, wildcard)
		return
	}
	for _, t := range q.labels {
		if id, ok := lookup(t); ok {
			q.reads = append(q.reads, id)
		} else {
			q.missing = append(q.missing, keyOf(t))
		}
	}
}

// forget drops the plans, whose IDs mean nothing any more.
func (q *standing) forget() {
	for _, l := range q.leaves {
		for _, s := range l.seeds {
			s.plans = [2]lastingPlan{}
		}
	}
}

// plan makes the plans of the seeds beforehand, for the graph as it is, where all constants are known.
func (q *standing) plan(r *runner, state *live.State) error {
	for _, l := range q.leaves {
		if !l.known {
			continue
		}
		g, err := state.Graph(l.planGraph())
		if err != nil {
			return err
		}
		for _, s := range l.seeds {
			if _, err := s.planFor(r.ctx, g, state.Dictionary().Lookup, whole); err != nil {
				return err
			}
		}
	}
	return nil
}

// planGraph is a graph like those that the leaf is matched in.
func (l *leaf) planGraph() dictionary.ID {
	if l.graph.IsVariable() {
		return dictionary.None
	}
	return l.name
}

// solutions are those of the query over a state; of what it counts once, all; of what it groups, those of the pattern below.
func (q *standing) solutions(r *runner, state *live.State) (*tally, error) {
	out := newTally()
	return out, r.evaluate(q, state, q.whole, q.variables, 1, out)
}

// compare evaluates the query over two states.
func (q *standing) compare(r *runner, before, after *live.State) (*tally, error) {
	out, err := q.solutions(r, after)
	if err == nil {
		err = r.evaluate(q, before, q.whole, q.variables, -1, out)
	}
	return out, err
}
