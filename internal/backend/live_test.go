package backend

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/live/livetest"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// world draws quads, and patterns over them; new terms come up as it gets older.
type world struct {
	*rand.Rand
	age int
}

func (w *world) node() rdf.Term {
	return rdf.NewIRI(fmt.Sprintf("http://e/n%d", w.IntN(w.IntN(600)+10+w.age)))
}

func (w *world) predicate() rdf.Term {
	if w.IntN(5) == 0 {
		return rdf.NewIRI("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
	}
	return rdf.NewIRI(fmt.Sprintf("http://e/p%d", w.IntN(4+w.age/10)))
}

func (w *world) quad() (q rdf.Quad) {
	q = rdf.Quad{Subject: w.node(), Predicate: w.predicate(), Object: w.node()}
	if w.IntN(3) == 0 {
		q.Object = rdf.NewIRI(fmt.Sprintf("http://e/c%d", w.IntN(4))) // a hub
	}
	if w.IntN(4) == 0 {
		q.Graph = rdf.NewIRI("http://e/g")
	}
	return q
}

// pattern draws a few triple patterns that hang together.
func (w *world) pattern() (all []parser.TriplePattern, names []string) {
	names = []string{"x"}
	for i := range 1 + w.IntN(3) {
		p := parser.TriplePattern{
			Subject: parser.PatternTerm{Variable: names[w.IntN(len(names))]}, Predicate: parser.PatternTerm{Term: w.predicate()},
			Object: parser.PatternTerm{Term: w.quad().Object},
		}
		if w.IntN(4) > 0 {
			p.Object = parser.PatternTerm{Variable: fmt.Sprint("y", i)}
			names = append(names, p.Object.Variable)
		}
		if w.IntN(8) == 0 {
			p.Predicate = parser.PatternTerm{Variable: fmt.Sprint("p", i)}
			names = append(names, p.Predicate.Variable)
		}
		all = append(all, p)
	}
	return all, names
}

// folder loads a store of some quads.
func (w *world) folder(t *testing.T) string {
	t.Helper()
	folder, remove := livetest.Load(t, func(yield func(rdf.Quad) bool) {
		for range 4000 {
			if !yield(w.quad()) {
				return
			}
		}
	})
	t.Cleanup(remove)
	return folder
}

// commit removes some quads of the state and adds others.
func (w *world) commit(t *testing.T, s *live.Store) {
	t.Helper()
	tx, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var added []rdf.Quad
	for range w.IntN(20) {
		added = append(added, w.quad())
	}
	var remove []live.Quad
	add := livetest.Quads(t, tx, added)
	for e := range live.Edges(tx.State().Default()) {
		if w.IntN(200) == 0 {
			remove = append(remove, live.Quad{Graph: dictionary.None, Subject: e.From, Predicate: e.Label, Object: e.To})
		}
	}
	if err := tx.Apply(remove, add); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Commit(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// solutions are the rows of a match, sorted.
func solutions(t *testing.T, on match.Matcher, m match.Match) (rows []string) {
	t.Helper()
	err := on.Match(context.Background(), &m, func(b *match.Batch) error {
		for r := range b.N {
			row := make([]dictionary.ID, len(b.Cols))
			for i, column := range b.Cols {
				row[i] = column[r]
			}
			rows = append(rows, fmt.Sprint(row))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

// check compares the devices in one state.
func (w *world) check(t *testing.T, b *Backends, s *live.Snapshot) {
	t.Helper()
	g := s.Default()
	if w.IntN(3) == 0 {
		if name, ok := s.Dictionary().Lookup(rdf.NewIRI("http://e/g")); ok {
			named, err := s.Graph(name)
			if err != nil {
				t.Fatal(err)
			}
			g = named
		}
	}
	patterns, names := w.pattern()
	plan, err := bgp.Plan(context.Background(), patterns, g, s.Dictionary().Lookup, bgp.Options{Output: names})
	if err != nil {
		t.Fatal(err)
	}
	plan.Cost += bgp.GPUCost
	m := match.Match{Graph: g, Plan: plan}
	want := solutions(t, b.cpu, m)
	for _, device := range []Device{GPU, Auto} {
		choice := &Choice{backends: b, device: device}
		if got := solutions(t, choice.Matcher(plan, g), m); !slices.Equal(got, want) {
			t.Fatalf("%v on %v at %d: %d solutions, want %d", patterns, choice, s.Sequence(), len(got), len(want))
		}
	}
}

// TestUpdatesAreMatchedAlikeOnBothDevices commits, flushes and compacts, and asks for random patterns in the newest state and in one that
// is kept, where the device is named and where it is chosen.
func TestUpdatesAreMatchedAlikeOnBothDevices(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		w := &world{Rand: rand.New(rand.NewPCG(seed, 1))}
		b := New(cpu.New(), Options{})
		device, err := gpu.Open(gpu.Options{Driver: kernels.Emulate(256 << 20), Memory: []int64{4 << 20, 256 << 20}[seed%2]})
		if err != nil {
			t.Fatal(err)
		}
		b.once.Do(func() { b.opened = device })
		b.warm.Store(true)
		s, err := live.Open(context.Background(), w.folder(t), live.Options{
			Writable: true, FlushTriples: 1 << 30, Retired: func(files *store.Store) { b.Forget(files.Opened()...) },
		})
		if err != nil {
			t.Fatal(err)
		}
		kept := s.Snapshot()
		for w.age = range 40 {
			w.commit(t, s)
			switch w.IntN(12) {
			case 0:
				err = s.Flush(context.Background())
			case 1:
				err = s.Compact(context.Background())
			case 2, 3:
				kept.Release()
				kept = s.Snapshot()
			}
			if err != nil {
				t.Fatal(err)
			}
			newest := s.Snapshot()
			for range 3 {
				w.check(t, b, newest)
			}
			w.check(t, b, kept)
			newest.Release()
		}
		if info := b.Describe(); info.Patched == 0 || info.Working > 0 {
			t.Errorf("%+v", info)
		}
		kept.Release()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
