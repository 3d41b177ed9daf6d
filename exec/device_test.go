package exec_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/gpu"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// emulated is a device whose kernels are their twins in Go, with the processor for what a device cannot match.
type emulated struct {
	*gpu.Device
	branches atomic.Int64 // matches with branches that the device ran
}

// emulate opens a device; the caller closes it.
func emulate() (*emulated, error) {
	d, err := gpu.Open(gpu.Options{Driver: kernels.Emulate(64 << 20)})
	return &emulated{Device: d}, err
}

// options answer on the device.
func (d *emulated) options() exec.Options {
	o := onProcessor()
	o.ShallowBranches = true
	o.Matcher = func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return d }
	return o
}

func (d *emulated) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	if !d.fits(m, false) {
		return processor.Match(ctx, m, emit)
	}
	return d.Device.Match(ctx, m, emit)
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
	} {
		d, err := emulate()
		if err != nil {
			t.Fatal(err)
		}
		q := parse(t, "PREFIX : <"+exampleNS+"> "+query)
		want, err := m.run(q, onProcessor())
		if err != nil {
			t.Fatal(err)
		}
		o := d.options()
		if strings.Contains(query, "?deep") {
			o.ShallowBranches, o.Tuning.WeightGain = false, math.Inf(1)
		}
		got, err := m.run(q, o)
		if err != nil || !slices.Equal(tally(got.rows), tally(want.rows)) {
			t.Errorf("%s: %v, error %v, want %v", query, got.rows, err, want.rows)
		}
		if d.branches.Load() == 0 {
			t.Errorf("%s: the device weighed no branch", query)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
