package watch_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/live/livetest"
	"github.com/rdfgpu/rdfgpu/internal/naive"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/wal"
	"github.com/rdfgpu/rdfgpu/internal/watch"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// fatal is what testing and rapid have in common.
type fatal interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// world is a store that changes, and what it should hold.
type world struct {
	fatal
	store   *live.Store
	watcher *watch.Watcher
	quads   map[rdf.Quad]bool
	remove  func()
}

func newWorld(t fatal, initial map[rdf.Quad]bool, options live.Options) *world {
	return newWorldWith(t, initial, options, settings())
}

func newWorldWith(t fatal, initial map[rdf.Quad]bool, options live.Options, settings watch.Settings) *world {
	w := &world{fatal: t, quads: maps.Clone(initial)}
	folder, remove := livetest.Load(t, maps.Keys(initial))
	w.remove = remove
	options.Writable, options.FlushTriples = true, 1<<30
	options.Durability = wal.Durability{Unsynced: true}
	var err error
	if w.store, err = live.Open(context.Background(), folder, options); err != nil {
		t.Fatal(err)
	}
	w.watcher = watch.New(w.store, settings)
	return w
}

// settings match on the processor, with memory enough.
func settings() watch.Settings {
	processor := cpu.New()
	return watch.Settings{
		Query: func(context.Context) (exec.Options, error) {
			return exec.Options{Matcher: func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return processor }}, nil
		},
		Budget: func(bytes int64) *limits.Budget {
			if bytes == 0 {
				bytes = 1 << 30
			}
			return limits.Standalone(bytes)
		},
	}
}

func (w *world) close() {
	w.watcher.Close()
	if err := w.store.Close(); err != nil {
		w.Fatal(err)
	}
	w.remove()
}

// step is one Apply of a transaction: what it removes, and then adds.
type step struct{ remove, add []rdf.Quad }

// commit does some steps as one transaction.
func (w *world) commit(steps ...step) {
	w.Helper()
	tx, err := w.store.Begin(context.Background())
	if err != nil {
		w.Fatal(err)
	}
	defer tx.Abort()
	for _, s := range steps {
		if err := tx.Apply(livetest.Quads(w, tx, s.remove), livetest.Quads(w, tx, s.add)); err != nil {
			w.Fatal(err)
		}
		for _, q := range s.remove {
			delete(w.quads, q)
		}
		for _, q := range s.add {
			w.quads[q] = true
		}
	}
	if _, err := tx.Commit(context.Background()); err != nil {
		w.Fatal(err)
	}
}

// solutions is a multiset of solutions, by their text.
type solutions map[string]int

func textOf(terms []rdf.Term) string {
	var b strings.Builder
	for _, t := range terms {
		fmt.Fprintf(&b, "%v | ", t)
	}
	return b.String()
}

// take applies a change.
func (s solutions) take(c *watch.Change) error {
	for _, r := range c.Added {
		s[textOf(r.Terms)] += int(r.Count)
	}
	for _, r := range c.Removed {
		key := textOf(r.Terms)
		if s[key] -= int(r.Count); s[key] < 0 {
			return fmt.Errorf("%d of %s are gone that were never there", -s[key], key)
		}
	}
	maps.DeleteFunc(s, func(_ string, n int) bool { return n == 0 })
	return nil
}

// expected are the solutions by the definitions of SPARQL.
func (w *world) expected(q *parser.Query, semantics bgp.Semantics) solutions {
	e := &naive.Evaluator{Semantics: semantics, Quads: sorted(w.quads)}
	for _, quad := range e.Quads {
		if !quad.Graph.IsZero() && !slices.Contains(e.Names, quad.Graph) {
			e.Names = append(e.Names, quad.Graph)
		}
	}
	out := solutions{}
	for _, row := range e.Select(q) {
		out[textOf(row)]++
	}
	return out
}

// watched is a query that stands, and its solutions as told.
type watched struct {
	*watch.Subscription
	asked watch.Query
	seen  solutions
}

func (w *world) query(text string, semantics bgp.Semantics) watch.Query {
	w.Helper()
	parsed, err := parser.Parse(text, parser.Options{})
	if err != nil {
		w.Fatalf("%s: %v", text, err)
	}
	return watch.Query{Text: text, Parsed: parsed, Semantics: semantics}
}

func (w *world) watch(text string, semantics bgp.Semantics) *watched {
	w.Helper()
	q := w.query(text, semantics)
	s, err := w.watcher.Subscribe(context.Background(), q, watch.Options{})
	if err != nil {
		w.Fatalf("%s: %v", text, err)
	}
	return &watched{s, q, solutions{}}
}

// told takes the changes that wait.
func (w *world) told(q *watched) []*watch.Change {
	w.Helper()
	changes, err := q.Drain(context.Background())
	if err != nil {
		w.Fatalf("%s: %v", q.asked.Text, err)
	}
	for _, c := range changes {
		if err := q.seen.take(c); err != nil {
			w.Fatalf("%v: %s at %d: %v", q.asked.Semantics, q.asked.Text, c.Sequence, err)
		}
	}
	return changes
}

// check compares what a subscriber was told with what there is.
func (w *world) check(q *watched) []*watch.Change {
	w.Helper()
	changes := w.told(q)
	if want := w.expected(q.asked.Parsed, q.asked.Semantics); !maps.Equal(q.seen, want) {
		w.Fatalf("%v: %s\nover %v\nis told %v\nis      %v", q.asked.Semantics, q.asked.Text, slices.Collect(maps.Keys(w.quads)), q.seen, want)
	}
	if known, waiting := q.Now(); known == nil || known.Sequence != w.store.Sequence() || waiting != 0 {
		w.Fatalf("%s: all is told up to %v of commit %d, and %d bytes wait", q.asked.Text, known, w.store.Sequence(), waiting)
	}
	return changes
}

var all = []bgp.Semantics{bgp.Homomorphism, bgp.Isomorphism, bgp.EdgeIsomorphism, bgp.Induced}

// TestSumOfChanges: the solutions that a subscriber was told of, less those that it was told are gone, are the solutions, whatever is
// committed, flushed and compacted, however late it looks, and wherever it goes on.
func TestSumOfChanges(t *testing.T) {
	ways := map[bool]int{}
	rapid.Check(t, func(r *rapid.T) {
		d := drawing{T: r}
		d.bothWays = d.chance(50)
		initial, classes := map[rdf.Quad]bool{}, d.chance(70)
		for range d.number("initial", 15) {
			if q := d.quad(); classes || q.Predicate.Value != rdf.RDFType {
				for _, q := range d.pair(q) {
					initial[q] = true
				}
			}
		}
		with := d.settings(r)
		defer with.close()
		w := newWorldWith(r, initial, live.Options{LargeClear: 4, Retired: with.retired}, with.Settings)
		defer w.close()
		var queries []*watched
		for range 1 + d.number("queries", 5) {
			text, semantics := d.query(d.chance(75)), rapid.SampledFrom(all).Draw(r, "semantics")
			if semantics.CheckAll(w.query(text, semantics).Parsed.Where) != nil {
				semantics = bgp.Isomorphism
			}
			q := w.watch(text, semantics)
			defer q.Close()
			ways[q.IsIncremental()]++
			queries = append(queries, q)
			if d.chance(20) {
				renamed := w.watch(strings.ReplaceAll(text, "?v", "?u"), semantics)
				defer renamed.Close()
				queries = append(queries, renamed)
			}
		}
		after, then := w.store.Sequence(), maps.Clone(w.quads)
		for range 1 + d.number("commits", 6) {
			w.change(d)
			if d.chance(30) {
				after, then = w.store.Sequence(), maps.Clone(w.quads)
			}
			for _, q := range queries {
				if d.chance(70) {
					w.check(q)
				}
			}
		}
		for _, q := range queries {
			w.check(q)
		}
		w.goOn(queries[0].asked, after, then)
	})
	t.Log(ways[true], "queries from changed triples,", ways[false], "evaluated again")
}

// TestInducedWhereClassesCameLater: a class is no edge either where the store had none when it was loaded.
func TestInducedWhereClassesCameLater(t *testing.T) {
	quad := func(from, label, to string) rdf.Quad {
		return rdf.Quad{Subject: rdf.NewIRI("http://e/" + from), Predicate: rdf.NewIRI(label), Object: rdf.NewIRI("http://e/" + to)}
	}
	w := newWorld(t, map[rdf.Quad]bool{quad("a", "http://e/p", "b"): true}, live.Options{})
	defer w.close()
	q := w.watch("SELECT * { <http://e/c> a <http://e/C> . ?a <http://e/p> ?b }", bgp.Induced)
	defer q.Close()
	w.check(q)
	w.commit(step{add: []rdf.Quad{quad("a", rdf.RDFType, "C"), quad("c", rdf.RDFType, "C")}})
	w.check(q)
	if len(q.seen) != 1 {
		t.Errorf("%d solutions", len(q.seen))
	}
}

// change commits something, or writes files.
func (w *world) change(d drawing) {
	var err error
	switch d.number("kind of change", 14) {
	case 0:
		err = w.store.Flush(context.Background())
	case 1:
		err = w.store.Compact(context.Background())
	case 2:
		w.clear(d)
	case 3, 4:
		w.commit(step{add: bothWays(sorted(w.quads))})
	default:
		var steps []step
		for range 1 + d.number("steps", 2) {
			var s step
			for range d.number("removed", 4) {
				s.remove = append(s.remove, d.quad())
			}
			for _, q := range sorted(w.quads) {
				if len(s.remove) < 3 && d.chance(20) {
					s.remove = append(s.remove, q)
				}
			}
			for range d.number("added", 5) {
				s.add = append(s.add, d.quad())
			}
			if d.bothWays {
				s.remove, s.add = bothWays(s.remove), bothWays(s.add)
			}
			steps = append(steps, s)
		}
		w.commit(steps...)
	}
	if err != nil {
		w.Fatal(err)
	}
}

func sorted(quads map[rdf.Quad]bool) []rdf.Quad {
	return slices.SortedFunc(maps.Keys(quads), func(a, b rdf.Quad) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// clear empties the default graph; a large one with the store's files.
func (w *world) clear(drawing) {
	tx, err := w.store.Begin(context.Background())
	if err == nil {
		err = tx.Clear(dictionary.None)
	}
	if err == nil {
		_, err = tx.Commit(context.Background())
	}
	if err != nil {
		w.Fatal(err)
	}
	maps.DeleteFunc(w.quads, func(q rdf.Quad, _ bool) bool { return q.Graph.IsZero() })
}

// goOn subscribes again, after a commit of before.
func (w *world) goOn(q watch.Query, after uint64, then map[rdf.Quad]bool) {
	s, err := w.watcher.Subscribe(context.Background(), q, watch.Options{After: &after})
	if errors.Is(err, wal.ErrGone) {
		return
	}
	if err != nil {
		w.Fatal(err)
	}
	defer s.Close()
	now := w.quads
	w.quads = then
	again := &watched{s, q, w.expected(q.Parsed, q.Semantics)}
	w.quads = now
	for _, c := range w.check(again) {
		if c.Way == watch.Snapshot {
			w.Fatal("a snapshot where the subscriber goes on")
		}
	}
}
