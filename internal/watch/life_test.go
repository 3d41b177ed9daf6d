package watch_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/watch"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

const mutual = "SELECT * { ?a <http://e/p> ?b . ?b <http://e/p> ?a }"

// TestNothingIsLeft: queries that nobody watches any more are gone, and so is what followed the store for them.
func TestNothingIsLeft(t *testing.T) {
	defer goleak.VerifyNone(t)
	w := newWorld(t, map[rdf.Quad]bool{edge(iri("a", 1), "p", iri("a", 1)): true}, live.Options{})
	defer w.close()
	for range 2 {
		first, second, other := w.watch(mutual, bgp.Homomorphism), w.watch(mutual, bgp.Homomorphism), w.watch(mutual, bgp.Isomorphism)
		if queries, seeds := w.watcher.Standing(); queries != 2 || seeds != 4 {
			t.Errorf("%d queries and %d seeds stand", queries, seeds)
		}
		first.Close()
		w.commit(step{add: []rdf.Quad{edge(iri("a", 2), "p", iri("a", 1)), edge(iri("a", 1), "p", iri("a", 2))}})
		w.check(second)
		w.check(other)
		second.Close()
		other.Close()
		if queries, seeds := w.watcher.Standing(); queries+seeds != 0 {
			t.Errorf("%d queries and %d seeds are left", queries, seeds)
		}
		w.commit(step{remove: []rdf.Quad{edge(iri("a", 2), "p", iri("a", 1))}})
	}
	last := w.watch(mutual, bgp.Homomorphism)
	w.check(last)
	w.watcher.Close()
	if _, err := last.Next(context.Background()); !errors.Is(err, watch.ErrClosed) {
		t.Error(err)
	}
	if _, err := w.watcher.Subscribe(context.Background(), last.asked, watch.Options{}); !errors.Is(err, watch.ErrClosed) {
		t.Error(err)
	}
	last.Close()
}

// TestWritersAndSubscribers: subscribers that come and look while others write are told of the whole in the end.
func TestWritersAndSubscribers(t *testing.T) {
	w := newWorld(t, map[rdf.Quad]bool{}, live.Options{})
	defer w.close()
	const commits = 300
	texts := []string{mutual, "SELECT DISTINCT ?b { ?a <http://e/p> ?b }", "SELECT ?a (COUNT(?b) AS ?n) { ?a <http://e/p> ?b } GROUP BY ?a"}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var subscribers sync.WaitGroup
	told := make([]solutions, 2*len(texts))
	for i := range told {
		subscribers.Go(func() { told[i] = w.subscriber(ctx, t, texts[i/2], uint64(commits)) })
	}
	for n := range commits {
		q := edge(iri("a", n%7), "p", iri("a", n/3%5))
		if w.quads[q] {
			w.commit(step{remove: []rdf.Quad{q}})
		} else {
			w.commit(step{add: []rdf.Quad{q}})
		}
		if n%100 == 50 {
			if err := w.store.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	end := edge(iri("a", 9), "p", iri("a", 9)) // changes the solutions of each
	w.commit(step{add: []rdf.Quad{end}})
	subscribers.Wait()
	for i, got := range told {
		if want := w.expected(w.query(texts[i/2], bgp.Homomorphism).Parsed, bgp.Homomorphism); !maps.Equal(got, want) {
			t.Errorf("%s: %v where %v is right", texts[i/2], got, want)
		}
	}
}

// subscriber adds changes up until it sees a commit after the given one.
func (w *world) subscriber(ctx context.Context, t *testing.T, text string, until uint64) solutions {
	seen := solutions{}
	s, err := w.watcher.Subscribe(ctx, w.query(text, bgp.Homomorphism), watch.Options{})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer s.Close()
	for last := uint64(0); last <= until; {
		c, err := s.Next(ctx)
		if err == nil {
			err = seen.take(c)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return nil
		}
		if c.Sequence < last {
			t.Errorf("%s: commit %d after %d", text, c.Sequence, last)
		}
		last = c.Sequence
	}
	return seen
}

// TestEvaluatingAgainHoldsNothing: what it takes to evaluate a query is given back each time; check looks at that.
func TestEvaluatingAgainHoldsNothing(t *testing.T) {
	w := newWorld(t, map[rdf.Quad]bool{}, live.Options{})
	defer w.close()
	q := w.watch("SELECT ?a (COUNT(?b) AS ?n) (MAX(?b) AS ?m) { ?a <http://e/p> ?b } GROUP BY ?a", bgp.Homomorphism)
	defer q.Close()
	for n := range 5 {
		w.commit(step{add: []rdf.Quad{edge(iri("a", n), "p", iri("b", n))}})
		w.check(q)
	}
}

// TestPredicatesAndTermsThatCome: plans and constants of a query know nothing of what the data get later, and find it all the same.
func TestPredicatesAndTermsThatCome(t *testing.T) {
	w := newWorld(t, map[rdf.Quad]bool{edge(iri("a", 1), "p", iri("a", 2)): true}, live.Options{})
	defer w.close()
	any := w.watch("SELECT * { ?x <http://e/p> ?y . ?x ?l ?z }", bgp.Homomorphism)
	later := w.watch("SELECT * { ?x <http://e/later> <http://e/b3> . ?x a <http://e/Later> }", bgp.Isomorphism)
	for _, q := range []rdf.Quad{
		edge(iri("a", 1), "new", iri("b", 1)), edge(iri("a", 1), "p", iri("b", 2)), edge(iri("b", 2), "later", iri("b", 3)),
		{Subject: iri("b", 2), Predicate: rdf.NewIRI(rdf.RDFType), Object: rdf.NewIRI("http://e/Later")}, edge(iri("b", 2), "p", iri("b", 2)),
	} {
		w.commit(step{add: []rdf.Quad{q}})
		w.check(any)
		w.check(later)
	}
	if len(later.seen) != 1 {
		t.Error(later.seen)
	}
}
