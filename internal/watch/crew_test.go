package watch_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/live"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/internal/watch"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// withWorkers gives settings so many goroutines.
func withWorkers(s watch.Settings, n int) watch.Settings {
	query, pool := s.Query, schedule.New(n)
	s.Query = func(ctx context.Context) (options exec.Options, err error) {
		options, err = query(ctx)
		options.Workers = pool.Open(ctx, 0)
		return options, err
	}
	return s
}

// crowded are settings that match small changes too by several goroutines.
func crowded() watch.Settings { return withWorkers(settings(), 4).Crowded() }

// drawn are settings, what a device is to be told of files that are about to be closed, and what is to be closed after them.
type drawn struct {
	watch.Settings
	retired func(*store.Store)
	close   func()
}

// settings draws by what seeds are matched: one goroutine or several, unchanged edges apart or tested for, automorphisms looked for or not, all on an emulated GPU or some.
func (d drawing) settings(t fatal) drawn {
	s := drawn{settings(), func(*store.Store) {}, func() {}}
	if d.chance(50) {
		s.Settings = crowded()
	}
	if d.chance(60) {
		s.Settings = s.Apart()
	}
	if d.chance(60) {
		s.Settings = s.Coalesced()
	}
	if share := d.number("on the device", 3); share > 0 {
		device, err := watch.OpenDevice()
		if err != nil {
			t.Fatal(err)
		}
		if d.chance(50) {
			s.Foresee = device.PrepareLabels
		}
		s.retired = func(files *store.Store) {
			if err := device.Forget(files.Opened()...); err != nil {
				t.Fatal(err)
			}
		}
		s.Settings, s.close = onDevice(s.Settings, device, share == 2), func() {
			if err := device.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// onDevice are settings that match on a device what it can, or only what has more than one step.
func onDevice(s watch.Settings, device *gpu.Device, all bool) watch.Settings {
	query := s.Query
	s.Query = func(ctx context.Context) (options exec.Options, err error) {
		options, err = query(ctx)
		processor := options.Matcher
		options.Matcher = func(plan *bgp.MatchPlan, g *pcsr.Graph) match.Matcher {
			if (all || len(plan.Steps) > 1) && gpu.Fits(&match.Match{Graph: g, Plan: plan}, false) {
				return device
			}
			return processor(plan, g)
		}
		return options, err
	}
	return s
}

// churn is a large commit: people begin and cease to follow others, most of them one whom everybody knows.
func (w *world) churn(random *rand.Rand, n int) (s step) {
	for range n {
		q := follows(random)
		if random.IntN(4) == 0 {
			q.Object = iri("person", 0)
		}
		if w.quads[q] {
			s.remove = append(s.remove, q)
		} else {
			s.add = append(s.add, q)
		}
	}
	for q := range w.quads {
		if len(s.remove) >= n/2 {
			break
		}
		if strings.HasSuffix(q.Predicate.Value, "follows") {
			s.remove = append(s.remove, q)
		}
	}
	return s
}

// TestManyWorkersFindWhatOneFinds: large commits bring the same, by however many goroutines they are matched, and what evaluating finds.
func TestManyWorkersFindWhatOneFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	w := newWorld(t, network(random), live.Options{})
	defer w.close()
	one := w.watcher
	many := watch.New(w.store, withWorkers(settings(), 4))
	defer many.Close()
	texts := []string{
		"SELECT ?a ?b { ?a <http://e/follows> ?b . ?b <http://e/follows> ?a }",
		"SELECT ?a ?c { ?a <http://e/follows> ?b . ?b <http://e/follows> ?c . ?c <http://e/follows> ?a . ?a <http://e/city> <http://e/city1> }",
		"SELECT ?t (COUNT(*) AS ?n) { ?a <http://e/follows> ?b . ?b <http://e/likes> ?t } GROUP BY ?t",
		"SELECT DISTINCT ?c { ?a <http://e/follows> <http://e/person0> . ?a <http://e/city> ?c FILTER (?c != <http://e/city2>) }",
	}
	for n := range 20 { // so many that what is beside an edge tells them apart
		texts = append(texts, fmt.Sprintf("SELECT ?b { ?a <http://e/follows> ?b . ?a <http://e/city> <http://e/city%d> }", n))
	}
	var asked [][2]*watched
	for _, text := range texts {
		w.watcher = one
		by := [2]*watched{w.watch(text, bgp.Isomorphism)}
		w.watcher = many
		by[1] = w.watch(text, bgp.Isomorphism)
		defer by[0].Close()
		defer by[1].Close()
		asked = append(asked, by)
	}
	w.watcher = one
	for range 3 {
		w.commit(w.churn(random, 2000))
		for _, by := range asked {
			again := w.watch(by[0].asked.Text+" # again", bgp.Isomorphism)
			w.told(again)
			again.Close()
			for i, q := range by {
				for _, c := range w.told(q) {
					if c.Way == watch.Evaluated {
						t.Errorf("%s was evaluated again", q.asked.Text)
					}
				}
				if !maps.Equal(q.seen, again.seen) {
					t.Errorf("%s: %d solutions were told of by way %d, %d are right", q.asked.Text, len(q.seen), i, len(again.seen))
				}
			}
		}
	}
}

// TestAQueryThatHoldsTooMuch fails by itself: others, which the same goroutines match, are told what changes.
func TestAQueryThatHoldsTooMuch(t *testing.T) {
	with := crowded()
	budget := with.Budget
	with.Budget = func(bytes int64) *limits.Budget {
		if bytes == 0 {
			bytes = 4 << 20
		}
		return budget(bytes)
	}
	w := newWorldWith(t, map[rdf.Quad]bool{}, live.Options{}, with)
	defer w.close()
	var queries []*watched
	for _, text := range []string{path(40), path(14), "SELECT * { ?a <http://e/follows> ?b FILTER (?a != ?b) }"} {
		s, err := w.watcher.Subscribe(context.Background(), w.query(text, bgp.Homomorphism), watch.Options{MaxMemory: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		queries = append(queries, &watched{s, w.query(text, bgp.Homomorphism), solutions{}})
	}
	var s step
	for n := range 200 {
		s.add = append(s.add, edge(iri("person", n), "follows", iri("person", n+1)))
	}
	w.commit(s)
	if _, err := queries[0].Drain(context.Background()); !errors.Is(err, limits.ErrMemory) {
		t.Errorf("the long path has error %v", err)
	}
	for i, n := range []int{187, 200} {
		if q := queries[1+i]; len(w.told(q)) != 2 || len(q.seen) != n {
			t.Errorf("%s: %d solutions, of %d", q.asked.Text, len(q.seen), n)
		}
	}
}

// path asks for paths of so many edges. Matching it takes memory in proportion to their square.
func path(edges int) string {
	var b strings.Builder
	for i := range edges {
		fmt.Fprintf(&b, "?v%d <http://e/follows> ?v%d . ", i, i+1)
	}
	return "SELECT * { " + b.String() + "}"
}
