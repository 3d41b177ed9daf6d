package live_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/live/livetest"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/loader"
)

// quads is a data set by the text of its terms.
type quads map[rdf.Quad]bool

// contents reads a state.
func contents(t interface{ Fatal(...any) }, s *live.State) quads {
	all := quads{}
	d := s.Dictionary()
	read := func(name dictionary.ID) {
		g, err := s.Graph(name)
		if err != nil {
			t.Fatal(err)
		}
		var graph rdf.Term
		if name != dictionary.None {
			graph = d.Term(name)
		}
		n := uint64(0)
		for e := range live.Edges(g) {
			n++
			all[rdf.Quad{Subject: d.Term(e.From), Predicate: d.Term(e.Label), Object: d.Term(e.To), Graph: graph}] = true
		}
		if n != g.Edges() {
			t.Fatal("a graph has", n, "edges and says", g.Edges())
		}
	}
	read(dictionary.None)
	for _, name := range s.NamedGraphs() {
		read(name)
	}
	if n := s.Triples(); n != uint64(len(all)) {
		t.Fatal(n, "triples of", len(all))
	}
	return all
}

// drawQuad draws from few terms, so that quads meet again.
func drawQuad(t *rapid.T) rdf.Quad {
	iri := func(what string, n int) rdf.Term {
		return rdf.NewIRI(fmt.Sprintf("http://e/%s%d", what, rapid.IntRange(0, n).Draw(t, what)))
	}
	q := rdf.Quad{Subject: iri("s", 12), Predicate: iri("p", 4)}
	if rapid.IntRange(0, 9).Draw(t, "type") == 0 {
		q.Predicate = rdf.NewIRI("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
	}
	switch rapid.IntRange(0, 3).Draw(t, "object") {
	case 0:
		q.Object = rdf.NewTyped(fmt.Sprint(rapid.IntRange(-5, 40).Draw(t, "number")), rdf.XSDInteger)
	case 1:
		q.Object = rdf.NewString(fmt.Sprint("text ", rapid.IntRange(0, 20).Draw(t, "text")))
	default:
		q.Object = iri("s", 12)
	}
	if rapid.Bool().Draw(t, "named") {
		q.Graph = iri("g", 2)
	}
	return q
}

// newFolder loads a store of some quads.
func newFolder(t testing.TB, initial quads) string {
	folder, remove := newFolderToRemove(t, initial)
	t.Cleanup(remove)
	return folder
}

func newFolderToRemove(t testing.TB, initial quads) (folder string, remove func()) {
	return livetest.Load(t, maps.Keys(initial))
}

// seen is a snapshot and what it must go on showing.
type seen struct {
	*live.Snapshot
	want quads
}

// TestAgainstAMap does random transactions, flushes, compactions and restarts, and compares every state with a map.
func TestAgainstAMap(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		model := quads{}
		for range rapid.IntRange(0, 30).Draw(r, "initial") {
			model[drawQuad(r)] = true
		}
		folder, remove := newFolderToRemove(t, model)
		defer remove()
		open := func() *live.Store {
			large := rapid.SampledFrom([]int{1, 4, 0}).Draw(r, "large clear")
			s, err := live.Open(context.Background(), folder, live.Options{Writable: true, FlushTriples: 1 << 30, LargeClear: large})
			if err != nil {
				r.Fatal(err)
			}
			return s
		}
		s := open()
		defer func() { s.Close() }()
		var held []seen
		check := func(what string, state *live.State, want quads) {
			if got := contents(r, state); !maps.Equal(got, want) {
				r.Fatalf("%s: %d quads where %d should be: %v", what, len(got), len(want), difference(got, want))
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"transaction": func(r *rapid.T) { model = transact(r, s, model, rapid.Bool().Draw(r, "files")) },
			"edits":       func(r *rapid.T) { model = editTogether(r, s, model) },
			"document":    func(r *rapid.T) { model = takeIn(r, s, func() quads { return model }, func() {}) },
			"snapshot": func(r *rapid.T) {
				held = append(held, seen{s.Snapshot(), maps.Clone(model)})
			},
			"release": func(r *rapid.T) {
				if len(held) > 0 {
					check("a snapshot of before", held[0].State, held[0].want)
					held[0].Release()
					held = held[1:]
				}
			},
			"flush": func(r *rapid.T) {
				if err := s.Flush(context.Background()); err != nil {
					r.Fatal(err)
				}
			},
			"compact": func(r *rapid.T) {
				if err := s.Compact(context.Background()); err != nil {
					r.Fatal(err)
				}
			},
			"restart": func(r *rapid.T) {
				for _, h := range held {
					check("a snapshot of before", h.State, h.want)
					h.Release()
				}
				held = nil
				sequence := s.Sequence()
				if err := s.Close(); err != nil {
					r.Fatal(err)
				}
				s = open()
				if s.Sequence() != sequence {
					r.Fatalf("commit %d after a restart, %d before", s.Sequence(), sequence)
				}
			},
			"read": func(r *rapid.T) {
				other, err := live.Open(context.Background(), folder, live.Options{})
				if err != nil {
					r.Fatal(err)
				}
				snapshot := other.Snapshot()
				check("another process", snapshot.State, model)
				snapshot.Release()
				if _, err := other.Begin(context.Background()); err != live.ErrReadOnly {
					r.Fatal(err)
				}
				if err := other.Close(); err != nil {
					r.Fatal(err)
				}
			},
			"": func(r *rapid.T) {
				snapshot := s.Snapshot()
				check("now", snapshot.State, model)
				snapshot.Release()
			},
		})
		for _, h := range held {
			h.Release()
		}
		files, err := store.Open(folder)
		if err != nil {
			r.Fatal(err)
		}
		defer files.Close()
		if err := files.Verify(); err != nil {
			r.Fatal(err)
		}
	})
}

// transact does one transaction, which takes documents in where files is set, and returns what the data set is then.
func transact(r *rapid.T, s *live.Store, model quads, files bool) quads {
	begin := s.Begin
	if files {
		begin = s.BeginWithFiles
	}
	tx, err := begin(context.Background())
	if err != nil {
		r.Fatal(err)
	}
	defer tx.Abort()
	next := maps.Clone(model)
	for range rapid.IntRange(1, 4).Draw(r, "steps") {
		if files && rapid.IntRange(0, 2).Draw(r, "document") == 0 {
			in, _ := readIn(r, s, next)
			if err := tx.TakeIn(context.Background(), in); err != nil {
				r.Fatal(err)
			}
			if err := in.Close(); err != nil {
				r.Fatal(err)
			}
			continue
		}
		if rapid.IntRange(0, 7).Draw(r, "clear") == 0 {
			graph := drawQuad(r).Graph
			if name, ok := tx.Find(graph); ok || graph.IsZero() {
				if graph.IsZero() {
					name = dictionary.None
				}
				if err := tx.Clear(name); err != nil {
					r.Fatal(err)
				}
			}
			maps.DeleteFunc(next, func(q rdf.Quad, _ bool) bool { return q.Graph == graph })
			continue
		}
		draw := rapid.SliceOfN(rapid.Custom(drawQuad), 0, 8)
		remove, add := draw.Draw(r, "remove"), draw.Draw(r, "add")
		if err := tx.Apply(livetest.Quads(r, tx, remove), livetest.Quads(r, tx, add)); err != nil {
			r.Fatal(err)
		}
		for _, q := range remove {
			delete(next, q)
		}
		for _, q := range add {
			next[q] = true
		}
	}
	if got := contents(r, tx.State()); !maps.Equal(got, next) {
		r.Fatalf("within the transaction: %v", difference(got, next))
	}
	dry, err := tx.Changes()
	if err != nil {
		r.Fatal(err)
	}
	checkReport(r, dry, model, next)
	if rapid.IntRange(0, 5).Draw(r, "abort") == 0 {
		return model
	}
	report, err := tx.Commit(context.Background())
	if err != nil {
		r.Fatal(err)
	}
	checkReport(r, report, model, next)
	return next
}

// errRefused is that of an edit which fails.
var errRefused = errors.New("refused")

// edited is one of several edits, and what was answered.
type edited struct {
	remove, add []rdf.Quad
	refuse      bool
	hangUp      bool
	report      live.Report
	err         error
}

func (e *edited) run(ctx context.Context, t livetest.T, s *live.Store) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.report, e.err = s.Edit(ctx, func(tx *live.Transaction) (remove, add []live.Quad, err error) {
		remove, add = livetest.Quads(t, tx, e.remove), livetest.Quads(t, tx, e.add)
		if e.refuse {
			return nil, nil, errRefused
		}
		if e.hangUp {
			cancel()
		}
		return remove, add, nil
	})
}

// editTogether lets edits wait for a transaction, so that they are made together, and returns what the data set is then. The sequences
// that they are told say in which order they were made; one that changes nothing comes right after that of its sequence.
func editTogether(r *rapid.T, s *live.Store, model quads) quads {
	draw := rapid.SliceOfN(rapid.Custom(drawQuad), 0, 6)
	edits := make([]*edited, rapid.IntRange(1, 6).Draw(r, "edits"))
	for i := range edits {
		fate := rapid.IntRange(0, 11).Draw(r, "fate")
		edits[i] = &edited{remove: draw.Draw(r, "remove"), add: draw.Draw(r, "add"), refuse: fate == 0, hangUp: fate == 1}
	}
	turn, err := s.Begin(context.Background())
	if err != nil {
		r.Fatal(err)
	}
	sequence := s.Sequence()
	var all sync.WaitGroup
	for _, e := range edits {
		all.Go(func() { e.run(context.Background(), r, s) })
	}
	for s.Waiting() < len(edits) {
		time.Sleep(20 * time.Microsecond)
	}
	turn.Abort()
	all.Wait()
	done := slices.DeleteFunc(edits, func(e *edited) bool {
		switch {
		case e.refuse && errors.Is(e.err, errRefused), e.hangUp && errors.Is(e.err, context.Canceled):
			return true
		case e.refuse || e.hangUp || e.err != nil:
			r.Fatalf("%+v", e)
		}
		return false
	})
	slices.SortFunc(done, func(a, b *edited) int {
		return cmp.Or(cmp.Compare(a.report.Sequence, b.report.Sequence), cmp.Compare(len(b.report.Graphs), len(a.report.Graphs)))
	})
	states := []quads{model} // from the sequence on
	for _, e := range done {
		next := maps.Clone(model)
		for _, q := range e.remove {
			delete(next, q)
		}
		for _, q := range e.add {
			next[q] = true
		}
		checkReport(r, e.report, model, next)
		if !maps.Equal(model, next) {
			states = append(states, next)
		}
		if is := sequence + uint64(len(states)) - 1; e.report.Sequence != is {
			r.Fatalf("an edit is commit %d, where %d is right", e.report.Sequence, is)
		}
		model = next
	}
	n := rapid.IntRange(0, len(states)-1).Draw(r, "state")
	checkBefore(r, s, sequence+uint64(n), states[n])
	return model
}

// checkBefore looks what the log has of the commits after a sequence.
func checkBefore(r *rapid.T, s *live.Store, sequence uint64, want quads) {
	snapshot := s.Snapshot()
	defer snapshot.Release()
	state, _, err := snapshot.Before(sequence)
	if err != nil {
		r.Fatal(err)
	}
	if got := contents(r, state); !maps.Equal(got, want) {
		r.Fatalf("after commit %d: %s", sequence, difference(got, want))
	}
}

// checkReport compares what a transaction says that it did, graph by graph, with what it did.
func checkReport(r *rapid.T, report live.Report, before, after quads) {
	got, want := map[rdf.Term][2]uint64{}, map[rdf.Term][2]uint64{}
	for _, g := range report.Graphs {
		got[g.Graph] = [2]uint64{g.Added, g.Removed}
	}
	for i, list := range []quads{without(after, before), without(before, after)} {
		for q := range list {
			n := want[q.Graph]
			n[i]++
			want[q.Graph] = n
		}
	}
	if !maps.Equal(got, want) {
		r.Fatalf("it says %v, where %v is right", got, want)
	}
}

// takeIn adds a document to a graph, or replaces the graph with it, by an intake, and returns what the data set is then. The
// model is that of the commit before; begins is called before the commit begins.
func takeIn(r *rapid.T, s *live.Store, before func() quads, begins func()) quads {
	replace, read := rapid.Bool().Draw(r, "replace"), quads{}
	in, graph := readIn(r, s, read)
	defer in.Close()
	begins()
	merged, err := in.Commit(context.Background(), replace, nil)
	if err != nil {
		r.Fatal(err)
	}
	model := before()
	next := maps.Clone(model)
	if replace {
		maps.DeleteFunc(next, func(q rdf.Quad, _ bool) bool { return q.Graph == graph })
	}
	maps.Copy(next, read)
	if checkReport(r, merged, model, next); merged.Sequence != s.Sequence() {
		r.Fatalf("the commit is %d, where %d is right", merged.Sequence, s.Sequence())
	}
	if len(merged.Graphs) > 0 {
		checkChanges(r, s, merged.Sequence, model, next)
	}
	return next
}

// checkChanges makes sure that what the files tell of a commit is what it did, if they tell it.
func checkChanges(r *rapid.T, s *live.Store, sequence uint64, before, after quads) {
	added, removed := quads{}, quads{}
	for c, err := range s.FileChanges(sequence) {
		if errors.Is(err, live.ErrInFiles) { // a new base
			return
		}
		if err != nil {
			r.Fatal(err)
		}
		into := added
		if c.Delete {
			into = removed
		}
		if into[c.Quad] {
			r.Fatalf("%v is told twice", c.Quad)
		}
		into[c.Quad] = true
	}
	if !maps.Equal(added, without(after, before)) || !maps.Equal(removed, without(before, after)) {
		r.Fatalf("the files tell of %v and %v, not of %v and %v", added, removed, without(after, before), without(before, after))
	}
}

// TestDocumentsFollowWhatIsCommittedMeanwhile commits transactions while the files of a document are written, which comes after them.
func TestDocumentsFollowWhatIsCommittedMeanwhile(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		model := quads{}
		for range rapid.IntRange(0, 60).Draw(r, "initial") {
			model[drawQuad(r)] = true
		}
		folder, remove := newFolderToRemove(t, model)
		defer remove()
		var meanwhile atomic.Pointer[func()] // done at the next operation of the disk
		disk := &section.Disk{Fault: func(section.Operation, string) error {
			if do := meanwhile.Swap(nil); do != nil {
				(*do)()
			}
			return nil
		}}
		s, err := live.Open(context.Background(), folder, live.Options{Writable: true, FlushTriples: 1 << 30, Disk: disk})
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		s.RestForGood() // what is done meanwhile is done by this goroutine
		for range rapid.IntRange(1, 5).Draw(r, "documents") {
			for range rapid.IntRange(0, 2).Draw(r, "before") {
				model = transact(r, s, model, false)
			}
			commits := rapid.IntRange(0, 2).Draw(r, "meanwhile")
			do := func() {
				for range commits {
					model = transact(r, s, model, false)
				}
			}
			model = takeIn(r, s, func() quads { return model }, func() { meanwhile.Store(&do) })
			snapshot := s.Snapshot()
			if got := contents(r, snapshot.State); !maps.Equal(got, model) {
				r.Fatal(difference(got, model))
			}
			snapshot.Release()
		}
	})
}

// readIn is an intake that has read documents for a graph, whose quads it adds to a set.
func readIn(r *rapid.T, s *live.Store, into quads) (in *live.Intake, graph rdf.Term) {
	graph = drawQuad(r).Graph
	in, err := s.NewIntake(graph)
	if err != nil {
		r.Fatal(err)
	}
	for range rapid.IntRange(1, 2).Draw(r, "documents") {
		var text []byte
		for _, q := range rapid.SliceOfN(rapid.Custom(drawQuad), 0, 12).Draw(r, "triples") {
			q.Graph = graph
			into[q] = true
			for _, term := range []rdf.Term{q.Subject, q.Predicate, q.Object} {
				text = append(rdf.AppendNTriples(text, term), ' ')
			}
			text = append(text, ".\n"...)
		}
		if err := in.Loader().Read(context.Background(), bytes.NewReader(text), loader.NTriples, ""); err != nil {
			r.Fatal(err)
		}
	}
	return in, graph
}

func without(a, b quads) quads {
	out := maps.Clone(a)
	maps.DeleteFunc(out, func(q rdf.Quad, _ bool) bool { return b[q] })
	return out
}

func difference(got, want quads) string {
	return fmt.Sprintf("too much: %v; missing: %v", without(got, want), without(want, got))
}
