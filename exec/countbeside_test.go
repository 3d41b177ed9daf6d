package exec_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// meeting is a matcher whose counts wait for each other, so many of them, for a while.
type meeting struct {
	match.Matcher
	of      int32
	there   atomic.Int32
	met     chan struct{}
	patient time.Duration
	failing error
}

func (m *meeting) Count(ctx context.Context, of *match.Match) (uint64, error) {
	if n := m.there.Add(1); n == m.of {
		close(m.met)
	}
	select {
	case <-m.met:
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(m.patient):
	}
	if m.failing != nil {
		return 0, m.failing
	}
	return m.Matcher.Count(ctx, of)
}

// TestTermsAreCountedBesideEachOther: ?a != ?d is all pairs less those of one vertex.
func TestTermsAreCountedBesideEachOther(t *testing.T) {
	t.Parallel()
	m, err := readTriG(":a :p :b, :c, :d . :b :p :a, :c . :c :p :a, :d . :d :p :b . :a :q :d . :b :q :b .")
	if err != nil {
		t.Fatal(err)
	}
	q := parse(t, "PREFIX : <"+exampleNS+"> SELECT (COUNT(*) AS ?n) { ?a :p ?b . ?b :p ?d . ?d :q ?e FILTER(?a != ?d) }")
	want, err := m.run(q, onProcessor())
	if err != nil {
		t.Fatal(err)
	}
	run := func(with *meeting, o exec.Options) (*answer, error) {
		with.Matcher, with.met = cpu.New(), make(chan struct{})
		o.Matcher = func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return with }
		o.Tuning.DifferenceCost, o.Tuning.DifferenceGain = 1e-9, math.Inf(1)
		return m.run(q, o)
	}
	with := &meeting{of: 2, patient: 20 * time.Second}
	if got, err := run(with, inPieces(2)); err != nil || got.rows[0][0] != want.rows[0][0] {
		t.Errorf("%v, want %v: %v", got, want.rows, err)
	}
	select {
	case <-with.met:
	default:
		t.Errorf("%d counts, and never two at once", with.there.Load())
	}
	alone := &meeting{of: 3, patient: time.Millisecond}
	if got, err := run(alone, onProcessor()); err != nil || got.rows[0][0] != want.rows[0][0] || alone.there.Load() != 2 {
		t.Errorf("on one thread %v from %d counts, want %v: %v", got, alone.there.Load(), want.rows, err)
	}
	failed := &meeting{of: 2, patient: 20 * time.Second, failing: limits.ErrMemory}
	if _, err := run(failed, inPieces(2)); !errors.Is(err, limits.ErrMemory) {
		t.Errorf("a count that fails gives %v", err)
	}
}
