package exec_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// emulated is a device whose kernels are their twins in Go, with the processor for what a device cannot match.
type emulated struct {
	*gpu.Device
	branches atomic.Int64 // matches with branches that the device ran
	combined atomic.Int64 // matches whose equal rows it combined
	tallied  atomic.Int64 // batches of numbers of different rows
	lookedUp atomic.Int64 // matches whose rows it looked up in tables
	sifted   atomic.Int64 // matches of which it tested rows
	folded   atomic.Int64 // batches of groups whose numbers were added up
	rows     atomic.Int64 // rows of all batches
	widest   atomic.Int64 // the most rows of a batch
	searched atomic.Int64 // searches of closures that it was asked for
}

// emulate opens a device; the caller closes it.
func emulate() (*emulated, error) {
	d, err := gpu.Open(gpu.Options{Driver: kernels.Emulate(64 << 20), CombineFrom: 1})
	return &emulated{Device: d}, err
}

// Runs implements match.Adapter.
func (d *emulated) Runs(plan *bgp.MatchPlan, graph *pcsr.Graph) *bgp.MatchPlan {
	if !gpu.Fits(&match.Match{Graph: graph, Plan: plan, Weighted: true}, false) {
		return plan.Separate()
	}
	if plan.Combine && !gpu.Combines(plan) {
		apart := *plan
		apart.Combine = false
		plan = &apart
	}
	return plan
}

// LooksUp implements match.Prober.
func (d *emulated) LooksUp(plan *bgp.MatchPlan, graph *pcsr.Graph) bool {
	return gpu.Fits(&match.Match{Graph: graph, Plan: plan, Weighted: true}, false)
}

// options answer on the device.
func (d *emulated) options() exec.Options {
	o := onProcessor()
	o.ShallowBranches, o.LooksUp = true, true
	o.Matcher = func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return d }
	o.Searchers = func(*match.Closure, int, float64) match.Searcher { return d }
	o.Operators.LookEdges = -1
	return o
}

func (d *emulated) Search(ctx context.Context, c *match.Closure, ends func(int, pcsr.Vertex, []uint32) error) ([]uint64, error) {
	d.searched.Add(1)
	return d.Device.Search(ctx, c, ends)
}

func (d *emulated) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	if m.Factored() {
		core := func(m *match.Match, emit func(*match.Batch) error) error { return d.Match(ctx, m, emit) }
		return match.Factor(ctx, m, core, processor.Matcher, emit)
	}
	if len(m.Plan.Lookups) > 0 {
		d.lookedUp.Add(1)
	}
	if !d.fits(m, false) {
		if len(m.Plan.Lookups) > 0 {
			return match.ErrNotLookedUp
		}
		return processor.Match(ctx, m, emit)
	}
	traced := *m
	if traced.Trace == nil {
		traced.Trace = &match.Trace{}
	}
	err := d.Device.Match(ctx, &traced, func(b *match.Batch) error {
		if b.Tally {
			d.tallied.Add(1)
		}
		if b.Folds != nil {
			d.folded.Add(1)
		}
		d.rows.Add(int64(b.N))
		d.widest.Store(max(d.widest.Load(), int64(b.N)))
		return emit(b)
	})
	if traced.Trace.Sifted.Rows > 0 {
		d.sifted.Add(1)
	}
	if traced.Trace.Combined.Groups > 0 {
		d.combined.Add(1)
	}
	return err
}

func (d *emulated) Count(ctx context.Context, m *match.Match) (uint64, error) {
	if !d.fits(m, true) {
		return processor.Count(ctx, m)
	}
	return d.Device.Count(ctx, m)
}

func (d *emulated) fits(m *match.Match, count bool) bool {
	if !gpu.Fits(m, count) {
		return false
	}
	if len(m.Plan.Branches) > 0 {
		d.branches.Add(1)
	}
	return true
}

// TestTheDeviceWeighsBranches: what hangs on a pattern is weighed on the device where lists' lengths tell it, and weights by vertex.
func TestTheDeviceWeighsBranches(t *testing.T) {
	var quads []quad
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	for i := range 20 {
		for k := 1; k <= 1+i%4; k++ {
			quads = append(quads, quad{subject: iri(fmt.Sprint("v", i)), predicate: iri("p"), object: iri(fmt.Sprint("v", (i+k)%20))})
			if k == 2 {
				quads = append(quads, quad{subject: iri(fmt.Sprint("v", (i+k)%20)), predicate: iri("q"), object: iri(fmt.Sprint("v", i))})
			}
		}
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c OPTIONAL { ?a :q ?d } OPTIONAL { ?c :q ?e } }",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c OPTIONAL { ?c :q ?d . ?c :p ?e } }",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c FILTER NOT EXISTS { ?c :q ?a } }",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c FILTER EXISTS { ?c :q ?d } }",
		"SELECT ?a ?b { ?a :p ?b . ?b :p ?c MINUS { ?b :q ?a } }",
		"SELECT ?b (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c OPTIONAL { ?a :q ?d } FILTER NOT EXISTS { ?b :q ?a } } GROUP BY ?b",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b OPTIONAL { ?b :q ?c . ?c :p ?deep } }",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c OPTIONAL { ?a :q ?d . ?d :p ?e . ?e :q ?deep } FILTER NOT EXISTS { ?c :q ?f . ?f :q ?deeper } }",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?a . ?b :p ?c . ?c :q ?d FILTER EXISTS { ?c :p ?e . ?e :q ?deep } }",
		"SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c OPTIONAL { ?c :q ?d OPTIONAL { ?d :p ?deep } } } GROUP BY ?a",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b MINUS { ?a :p ?f . ?f :p ?b } }",
		"SELECT ?b (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c OPTIONAL { ?a :p ?f . ?f :p ?c . ?b :q ?f } } GROUP BY ?b",
		"SELECT ?a ?c { ?a :p ?b . ?b :p ?c FILTER EXISTS { ?a :p ?f . ?f :p ?c FILTER(?f != ?b) } }",
		"SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c FILTER NOT EXISTS { ?f :q ?a . ?f :p ?b } OPTIONAL { ?a :p ?g . ?g :p ?c . ?h :q ?g } }",
	} {
		d, err := emulate()
		if err != nil {
			t.Fatal(err)
		}
		_, check := asOnTheProcessor(t, m, query)
		o := d.options()
		if strings.Contains(query, "?deep") {
			o.ShallowBranches, o.Tuning.WeightGain = false, math.Inf(1)
		}
		check(o)
		if d.branches.Load() == 0 {
			t.Errorf("%s: the device weighed no branch", query)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// repeating is a graph whose paths have many equal ends.
func repeating(t *testing.T) *memory {
	t.Helper()
	var quads []quad
	iri := func(name string) rdf.Term { return rdf.NewIRI(exampleNS + name) }
	for i := range 60 {
		for k := 1; k <= 1+i%5; k++ {
			quads = append(quads, quad{subject: iri(fmt.Sprint("v", i)), predicate: iri("p"), object: iri(fmt.Sprint("v", i*k%23))},
				quad{subject: iri(fmt.Sprint("v", i)), predicate: iri("n"), object: integer(k % 3)})
		}
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// asOnTheProcessor parses a query and returns a check, for any goroutine, that it has the rows with other options that it has on the processor.
func asOnTheProcessor(t *testing.T, m *memory, query string) (q *parser.Query, check func(exec.Options)) {
	t.Helper()
	q = parse(t, "PREFIX : <"+exampleNS+"> "+query)
	want, err := m.run(q, onProcessor())
	if err != nil {
		t.Fatal(err)
	}
	return q, func(o exec.Options) {
		if got, err := m.run(q, o); err != nil || !slices.Equal(tally(got.rows), tally(want.rows)) {
			t.Errorf("%s: %v, error %v, want %v", query, got.rows, err, want.rows)
		}
	}
}

// answersAsTheProcessor runs a query on an emulated device, then several times at once on one plan that is kept, and returns how many of its
// matches combined equal rows and how many batches had numbers of different rows.
func answersAsTheProcessor(t *testing.T, m *memory, query string) (combined, tallied int64) {
	t.Helper()
	d, err := emulate()
	if err != nil {
		t.Fatal(err)
	}
	q, check := asOnTheProcessor(t, m, query)
	check(d.options())
	shared := d.options()
	if shared.Planned, err = m.kept(q, d.options()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { check(shared) })
	}
	all.Wait()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return d.combined.Load(), d.tallied.Load()
}

// TestTheDeviceCountsDifferentRows where a query counts the different values of one variable by another, and asks for nothing else of them.
func TestTheDeviceCountsDifferentRows(t *testing.T) {
	m := repeating(t)
	const paths = "{ ?a :p ?b . ?b :p ?c . ?c :p ?d }"
	for _, c := range []struct {
		query   string
		tallies bool
	}{
		{"SELECT ?d (COUNT(DISTINCT ?a) AS ?n) " + paths + " GROUP BY ?d", true},
		{"SELECT ?a (COUNT(DISTINCT ?d) AS ?n) " + paths + " GROUP BY ?a", true},
		{"SELECT (COUNT(DISTINCT ?d) AS ?n) (COUNT(DISTINCT ?d) * 2 AS ?m) ?a " + paths + " GROUP BY ?a HAVING(COUNT(DISTINCT ?d) > 2) ORDER BY ?a", true},
		{"SELECT (MAX(?n) AS ?most) (COUNT(*) AS ?k) { SELECT ?a (COUNT(DISTINCT ?d) AS ?n) " + paths + " GROUP BY ?a }", true},
		{"SELECT (COUNT(DISTINCT ?d) AS ?n) " + paths + " GROUP BY ?a", true},
		{"SELECT ?c (COUNT(DISTINCT ?n) AS ?k) { ?a :p ?b . ?b :p ?c . ?b :n ?n } GROUP BY ?c", true},
		{"SELECT ?d (COUNT(DISTINCT ?a) AS ?n) (COUNT(*) AS ?k) " + paths + " GROUP BY ?d", false},
		{"SELECT ?d (COUNT(DISTINCT ?a) AS ?n) (MIN(?a) AS ?k) " + paths + " GROUP BY ?d", false},
		{"SELECT ?d (COUNT(DISTINCT ?a) AS ?n) (COUNT(DISTINCT ?d) AS ?k) " + paths + " GROUP BY ?d", false},
		{"SELECT ?d (COUNT(DISTINCT STR(?a)) AS ?n) " + paths + " GROUP BY ?d", false},
		{"SELECT ?k (COUNT(DISTINCT ?a) AS ?n) " + paths + " GROUP BY (STRLEN(STR(?d)) AS ?k)", false},
		{"SELECT ?d (COUNT(DISTINCT ?a) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d FILTER(STRLEN(STR(?a)) > 21) } GROUP BY ?d", true},
		{"SELECT ?d (COUNT(DISTINCT ?a) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d FILTER(STR(?a) < STR(?d)) } GROUP BY ?d", false},
		{"SELECT ?d (SUM(DISTINCT ?n) AS ?k) { ?a :p ?b . ?b :p ?d . ?b :n ?n } GROUP BY ?d", false},
		{"SELECT (COUNT(DISTINCT ?a) AS ?n) " + paths, false},
	} {
		if _, tallied := answersAsTheProcessor(t, m, c.query); tallied > 0 != c.tallies {
			t.Errorf("%s: the device counted: %v, want %v", c.query, tallied > 0, c.tallies)
		}
	}
}

// TestTheDeviceCombinesEqualRows where a query groups them or tells them apart, and says so; and not where the first rows are enough.
func TestTheDeviceCombinesEqualRows(t *testing.T) {
	m := repeating(t)
	for _, c := range []struct {
		query    string
		combines bool
	}{
		{"SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d } GROUP BY ?a", true},
		{"SELECT ?d (COUNT(?b) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d } GROUP BY ?d", true},
		{"SELECT ?a ?d (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :n ?e } GROUP BY ?a ?d", true},
		{"SELECT ?d (COUNT(DISTINCT ?a) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d } GROUP BY ?d", true},
		{"SELECT ?d (COUNT(DISTINCT ?a) AS ?n) (COUNT(*) AS ?k) { ?a :p ?b . ?b :p ?c . ?c :p ?d } GROUP BY ?d", true},
		{"SELECT ?a (SUM(?n) AS ?s) (AVG(?n) AS ?m) { ?a :p ?b . ?b :p ?c . ?c :n ?n } GROUP BY ?a", true},
		{"SELECT ?a (MAX(?n) AS ?s) { ?a :p ?b . ?b :p ?c . ?c :n ?n } GROUP BY ?a", true},
		{"SELECT ?s (COUNT(*) AS ?k) { ?a :p ?b . ?b :p ?c . ?c :n ?n BIND(?n + 1 AS ?s) FILTER(?n > 0) } GROUP BY ?s", true},
		{"SELECT ?a (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?c . ?c :p ?d FILTER(STRLEN(STR(?a)) > 21) FILTER EXISTS { ?a :n ?x . ?x :p* ?y } } GROUP BY ?a", true},
		{"SELECT DISTINCT ?a ?c { ?a :p ?b . ?b :p ?c . ?b :p ?d . ?c :p ?a }", true},
		{"SELECT DISTINCT ?b { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?a }", true},
		{"SELECT DISTINCT ?b { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?a } ORDER BY ?b", true},
		{"SELECT (COUNT(*) AS ?n) { SELECT DISTINCT ?b { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?a } }", true},
		{"SELECT DISTINCT ?a ?b ?c { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?a }", false},
		{"SELECT DISTINCT ?b { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?a } LIMIT 1000", false},
		{"SELECT ?a (SUM(RAND()) > 0 AS ?s) { ?a :p ?b . ?b :p ?c . ?c :p ?a } GROUP BY ?a", false},
		{"SELECT ?b { ?a :p ?b . ?b :p ?c . ?c :p ?d . ?d :p ?a }", false},
	} {
		if combined, _ := answersAsTheProcessor(t, m, c.query); combined > 0 != c.combines {
			t.Errorf("%s: the device combined rows: %v, want %v", c.query, combined > 0, c.combines)
		}
	}
}

// TestTheDeviceSearchesClosures from one vertex and from many, told or counted, in a graph with more vertices than are searched from together.
func TestTheDeviceSearchesClosures(t *testing.T) {
	var quads []quad
	iri := func(name string, i int) rdf.Term { return rdf.NewIRI(fmt.Sprint(exampleNS, name, i)) }
	for i := range 300 {
		quads = append(quads, quad{subject: iri("v", i), predicate: iri("p", 0), object: iri("v", (i*i+7)%290)})
		if i%3 == 0 {
			quads = append(quads, quad{subject: iri("v", i%50), predicate: iri("p", 1), object: iri("v", (i*7)%300)},
				quad{subject: iri("v", i), predicate: iri("k", 0), object: integer(i % 4)})
		}
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query    string
		searches int64 // 0: none
	}{
		{"SELECT ?x { :v1 :p0+ ?x }", 1},
		{"SELECT ?x { ?x :p0* :v9 }", 1},
		{"SELECT (COUNT(*) AS ?n) { :v1 (:p0|:p1)+ ?x }", 1},
		{"SELECT (COUNT(DISTINCT ?x) AS ?n) { :v1 (:p0/^:p1)* ?x }", 1},
		{"SELECT (COUNT(*) AS ?n) { ?x :p0+ ?y }", 5},
		{"SELECT (COUNT(*) AS ?n) { ?x :p0* ?y }", 5},
		{"SELECT ?x (COUNT(?y) AS ?n) { ?x (:p0|^:p1)+ ?y } GROUP BY ?x", 5},
		{"SELECT ?y (COUNT(?x) AS ?n) { ?x (:p0/:p1*)+ ?y } GROUP BY ?y", 4},
		{"SELECT ?x ?y { ?x :k0 2 . ?x (:p0/:p0)+ ?y }", 1},
		{"SELECT ?k (COUNT(*) AS ?n) { ?x :k0 ?k . ?x :p0+ ?y } GROUP BY ?k", 2},
		{"SELECT ?k (COUNT(DISTINCT ?y) AS ?n) { ?x :k0 ?k . ?x :p0+ ?y } GROUP BY ?k", 2},
		{"SELECT ?x { ?x :p0+ ?x }", 0},
		{"SELECT ?x { :v1 !:p0+ ?x }", 0},
		{"SELECT (COUNT(*) AS ?n) { { SELECT ?x { :v1 :p0+ ?x } LIMIT 2 } }", 0},
	} {
		d, err := emulate()
		if err != nil {
			t.Fatal(err)
		}
		answersAs(t, m, c.query, d)
		if got := d.searched.Load(); c.searches == 0 && got > 0 || got < c.searches {
			t.Errorf("%s: %d searches, want %d", c.query, got, c.searches)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// answersAs compares a query's answers on a device with the processor's.
func answersAs(t *testing.T, m *memory, query string, d *emulated) {
	t.Helper()
	_, check := asOnTheProcessor(t, m, query)
	check(d.options())
}

// TestWorkersHaveRowsOfTheDevice: rows that a device hands out come in batches of which workers take some, and the answers are the processor's.
func TestWorkersHaveRowsOfTheDevice(t *testing.T) {
	var quads []quad
	iri := func(name string, i int) rdf.Term { return rdf.NewIRI(fmt.Sprint(exampleNS, name, i)) }
	for i := range 12_000 {
		quads = append(quads, quad{subject: iri("v", i), predicate: rdf.NewIRI(exampleNS + "p"), object: iri("v", i*7919%12_000)},
			quad{subject: iri("v", i), predicate: rdf.NewIRI(exampleNS + "k"), object: iri("k", i%13)},
			quad{subject: iri("v", i), predicate: rdf.NewIRI(exampleNS + "n"), object: integer(i * i % 10_007)})
	}
	m, err := newMemory(quads)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"SELECT ?a ?b { ?a :p ?b FILTER regex(str(?b), \"7$\") }",
		"SELECT ?a ?c { ?a :p ?b . ?b :n ?n BIND(?n * 2 + 1 AS ?c) FILTER(?c > 5000) }",
		"SELECT ?k (SUM(?n * 2) AS ?s) { ?a :k ?k ; :n ?n } GROUP BY ?k",
		"SELECT ?a (SUM(?n) AS ?s) (AVG(?n) AS ?m) { ?a :p ?b . ?b :n ?n } GROUP BY ?a",
		"SELECT ?b (MAX(?n) AS ?s) (COUNT(*) AS ?m) { ?a :p ?b ; :n ?n } GROUP BY ?b ORDER BY DESC(?s) ?b LIMIT 100",
		"SELECT ?k (COUNT(DISTINCT ?n) AS ?s) (SUM(?n) AS ?m) { ?a :k ?k ; :n ?n } GROUP BY ?k",
		"SELECT DISTINCT ?k ?n { ?a :k ?k ; :n ?n FILTER(str(?k) < str(?n)) }",
	} {
		d, err := emulate()
		if err != nil {
			t.Fatal(err)
		}
		_, check := asOnTheProcessor(t, m, query)
		o, workers := d.options(), shared()
		o.Workers, o.Operators = workers.Workers, workers.Operators
		check(o)
		if most := d.widest.Load(); most == 0 || most > match.BatchRows && d.folded.Load() == 0 {
			t.Errorf("%s: a batch had %d rows", query, most)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
