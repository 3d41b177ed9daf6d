package rdfgpu_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// changes are those of a standing query, as text; a minute is the most that one may take.
type changes struct {
	t    testing.TB
	next func() (rdfgpu.Change, error, bool)
}

func watching(t testing.TB, s *rdfgpu.Store, query string, options rdfgpu.WatchOptions) changes {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	next, stop := iter.Pull2(s.Watch(ctx, "PREFIX : <http://e/> "+query, options))
	t.Cleanup(func() {
		stop()
		cancel()
	})
	return changes{t, next}
}

func (c changes) expect(want string) rdfgpu.Change {
	c.t.Helper()
	change, err, ok := c.next()
	if err != nil || !ok {
		c.t.Fatalf("no change, but %v", err)
	}
	if got := changeText(change); got != want {
		c.t.Fatalf("%s where %s should be", got, want)
	}
	return change
}

// changeText is "way sequence: +row ×2, −row", the rows sorted.
func changeText(c rdfgpu.Change) string {
	var rows []string
	for sign, list := range map[string][]rdfgpu.ChangedRow{"+": c.Added, "−": c.Removed} {
		for _, r := range list {
			text := sign
			for i, term := range r.Terms {
				if i > 0 {
					text += " "
				}
				text += strings.TrimPrefix(strings.Trim(term.String(), "<>"), "http://e/")
			}
			if r.Count > 1 {
				text += fmt.Sprint(" ×", r.Count)
			}
			rows = append(rows, text)
		}
	}
	slices.Sort(rows)
	return fmt.Sprintf("%v %d: %s", c.Way, c.Sequence, strings.Join(rows, ", "))
}

func TestWatch(t *testing.T) {
	s := newWritable(t, `@prefix : <http://e/> . :a :follows :b . :b :follows :c .`, rdfgpu.Options{})
	mutual := watching(t, s, `SELECT ?x ?y { ?x :follows ?y . ?y :follows ?x }`, rdfgpu.WatchOptions{})
	mutual.expect("snapshot 0: ")
	followed := watching(t, s, `SELECT ?y { ?x :follows ?y }`, rdfgpu.WatchOptions{NoSnapshot: true})
	followed.expect("snapshot 0: ")
	count := watching(t, s, `SELECT (COUNT(*) AS ?n) { ?x :follows ?y }`, rdfgpu.WatchOptions{})
	count.expect(`snapshot 0: +"2"^^<http://www.w3.org/2001/XMLSchema#integer`)

	loose := watching(t, s, `SELECT ?x { ?x :follows ?y OPTIONAL { ?y :none ?z } }`, rdfgpu.WatchOptions{NoSnapshot: true})
	loose.expect("snapshot 0: ")
	updated(t, s, `INSERT DATA { :b :follows :a . :c :likes :a }`)
	loose.expect("evaluated 1: +b")
	mutual.expect("incremental 1: +a b, +b a")
	followed.expect("incremental 1: +a")
	count.expect(`incremental 1: +"3"^^<http://www.w3.org/2001/XMLSchema#integer, −"2"^^<http://www.w3.org/2001/XMLSchema#integer`)

	updated(t, s, `INSERT DATA { :c :likes :b }`) // nobody asks
	updated(t, s, `DELETE DATA { :a :follows :b }`)
	mutual.expect("incremental 3: −a b, −b a")
	if change := followed.expect("incremental 3: −b"); !slices.Equal(change.Variables, []string{"y"}) {
		t.Error(change.Variables)
	}
	after := uint64(1)
	watching(t, s, `SELECT ?y { ?x :follows ?y }`, rdfgpu.WatchOptions{After: &after}).expect("incremental 3: −b")
}

// TestWatchTellsHowFarItIs: who asks for progress is told of commits that change nothing, and at once where it goes on.
func TestWatchTellsHowFarItIs(t *testing.T) {
	s := newWritable(t, `@prefix : <http://e/> . :a :follows :b .`, rdfgpu.Options{})
	query, after := `SELECT ?x ?y { ?x :follows ?y }`, uint64(0)
	w := watching(t, s, query, rdfgpu.WatchOptions{Progress: 10 * time.Millisecond})
	first := w.expect("snapshot 0: +a b")
	if first.Held == 0 {
		t.Error("nothing is held for a row")
	}
	updated(t, s, `INSERT DATA { :c :likes :d }`)
	for {
		change, err, _ := w.next()
		if err != nil || change.Way != rdfgpu.ProgressChange || len(change.Added)+len(change.Removed) > 0 {
			t.Fatal(change, err)
		}
		if change.Sequence == 1 {
			break
		}
	}
	updated(t, s, `INSERT DATA { :c :follows :d }`)
	for {
		change, err, _ := w.next()
		if err != nil {
			t.Fatal(err)
		}
		if change.Way == rdfgpu.IncrementalChange {
			break
		}
	}
	watching(t, s, query, rdfgpu.WatchOptions{After: &after, Progress: time.Hour}).expect("incremental 2: +c d")
	after = 2
	watching(t, s, query, rdfgpu.WatchOptions{After: &after, Progress: time.Hour}).expect("progress 2: ")
	watching(t, s, `SELECT (COUNT(*) AS ?n) { ?x :follows ?y }`, rdfgpu.WatchOptions{After: &after, Progress: time.Hour}).expect("progress 2: ")
}

// TestWatchAsksBeforeItEvaluates: whoever shares the processor among queries is asked for what is evaluated as a whole, and for that alone.
func TestWatchAsksBeforeItEvaluates(t *testing.T) {
	s := newWritable(t, `@prefix : <http://e/> . :a :follows :b .`, rdfgpu.Options{})
	asked, left, refuse := 0, 0, error(nil)
	options := rdfgpu.WatchOptions{Admit: func(ctx context.Context) (context.Context, func(), error) {
		asked++
		return ctx, func() { left++ }, refuse
	}}
	found := watching(t, s, `SELECT ?x ?y { ?x :follows ?y }`, options)
	found.expect("snapshot 0: +a b")
	again := watching(t, s, `SELECT ?x { ?x :follows ?y OPTIONAL { ?y :likes ?z } }`, options)
	again.expect("snapshot 0: +a")
	if asked != 2 || left != 2 {
		t.Error(asked, left)
	}
	updated(t, s, `INSERT DATA { :c :follows :d }`)
	found.expect("incremental 1: +c d")
	if asked != 2 {
		t.Error(asked)
	}
	refuse = errors.New("not now")
	if _, err, _ := again.next(); err != refuse || asked != 3 {
		t.Error(err, asked)
	}
}

func TestWatchTakesTheProtocolsDataSet(t *testing.T) {
	s := newWritable(t, `@prefix : <http://e/> . :a :follows :b .`, rdfgpu.Options{})
	query := `SELECT ?x ?y { ?x :follows ?y }`
	all := watching(t, s, query, rdfgpu.WatchOptions{})
	all.expect("snapshot 0: +a b")
	named := watching(t, s, query, rdfgpu.WatchOptions{DefaultGraphs: []string{"http://e/g"}})
	named.expect("snapshot 0: ")
	updated(t, s, `INSERT DATA { GRAPH :g { :c :follows :d } }`)
	named.expect("evaluated 1: +c d")
}

// TestHistory: a log has a name of its own, which stays as long as its commits do.
func TestHistory(t *testing.T) {
	s := newWritable(t, `@prefix : <http://e/> . :a :follows :b .`, rdfgpu.Options{})
	name := s.History()
	if len(name) != 16 {
		t.Error(name)
	}
	updated(t, s, `INSERT DATA { :c :follows :d }`)
	if err := s.Compact(context.Background()); err != nil || s.History() != name {
		t.Error(s.History(), err)
	}
	other := newWritable(t, `@prefix : <http://e/> . :a :follows :b .`, rdfgpu.Options{})
	if other.History() == name {
		t.Error("two logs have one name")
	}
}

func TestWatchErrors(t *testing.T) {
	s := newWritable(t, `@prefix : <http://e/> . :a :p :b .`, rdfgpu.Options{})
	var syntax *rdfgpu.SyntaxError
	ahead := uint64(9)
	for _, c := range []struct {
		query   string
		options rdfgpu.WatchOptions
		is      func(error) bool
	}{
		{`SELECT ?x { ?x :p`, rdfgpu.WatchOptions{}, func(err error) bool { return errors.As(err, &syntax) }},
		{`ASK { ?x :p ?y }`, rdfgpu.WatchOptions{}, func(err error) bool { return errors.Is(err, rdfgpu.ErrCannotStand) }},
		{`SELECT (NOW() AS ?t) { ?x :p ?y }`, rdfgpu.WatchOptions{}, func(err error) bool { return errors.Is(err, rdfgpu.ErrCannotStand) }},
		{`SELECT ?x { ?x :p ?y }`, rdfgpu.WatchOptions{After: &ahead}, func(err error) bool { return errors.Is(err, rdfgpu.ErrLogBeyond) }},
	} {
		if _, err, _ := watching(t, s, c.query, c.options).next(); !c.is(err) {
			t.Errorf("%s: %v", c.query, err)
		}
	}
	updated(t, s, `INSERT DATA { :b :p :c }`)
	updated(t, s, `DELETE DATA { :b :p :c }`)
	if err := s.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	var zero uint64
	if _, err, _ := watching(t, s, `SELECT ?x { ?x :p ?y }`, rdfgpu.WatchOptions{After: &zero}).next(); !errors.Is(err, rdfgpu.ErrLogGone) {
		t.Error(err)
	}
}

// TestWatchHoldsNoMoreThanItMay: a subscriber that does not look is cut off before what waits for it takes more than it may.
func TestWatchHoldsNoMoreThanItMay(t *testing.T) {
	s := newWritable(t, `@prefix : <http://e/> . :a :p :b .`, rdfgpu.Options{})
	slow := watching(t, s, `SELECT ?x ?y { ?x :p ?y }`, rdfgpu.WatchOptions{MaxMemory: 1 << 20})
	slow.expect("snapshot 0: +a b")
	var many strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&many, ":s%d :p %d . ", i, i)
	}
	updated(t, s, `INSERT DATA { `+many.String()+`}`)
	if _, err, _ := slow.next(); !errors.Is(err, rdfgpu.ErrMemoryLimit) {
		t.Error(err)
	}
}

func TestWatchEndsWithTheStore(t *testing.T) {
	s := newWritable(t, `@prefix : <http://e/> . :a :p :b .`, rdfgpu.Options{})
	open := watching(t, s, `SELECT ?x { ?x :p ?y }`, rdfgpu.WatchOptions{})
	open.expect("snapshot 0: +a")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err, _ := open.next(); !errors.Is(err, rdfgpu.ErrStoreClosed) {
		t.Error(err)
	}
}
