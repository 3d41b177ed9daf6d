package watch

import (
	"context"
	"errors"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/machine"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// What a large search costs is what its plan is estimated to, or what it took the processor before, whichever is more: estimates do not know of vertices
// with very many edges, where changed edges are likely to end. Where it took nothing yet, some of its hits tell.

const (
	// candidateTime is about how long a candidate takes a thread, in nanoseconds.
	candidateTime = 5
	// probedShare is how many hits there are for each that is tried, of which there are leastProbed at least; those of a search may take probedTime.
	probedShare, leastProbed = 128, 32
	probedTime               = 500 * time.Microsecond
	// mostUnder is by how much more a search may cost than is estimated.
	mostUnder = 128
)

// price says what a large search costs, by what is known of its seed.
func (f *search) price() {
	n := float64(f.n)
	f.plan.Cost = max(f.plan.Cost, f.seed.took*n)
	f.cost = f.plan.Cost + bgp.SearchPrice*n
}

// took keeps what a number of a search's hits took the processor.
func (f *search) took(spent time.Duration, hits int) {
	f.seed.took = float64(spent) / candidateTime / float64(hits)
}

// probe prices searches anew, of which some took nothing yet: by some of their hits, which a matcher tries. It reports whether it did; searches that
// are estimated to be so cheap that no device would pay are left as they are.
func (m *matcher) probe(searches []*search, by match.Matcher) bool {
	var unknown []*search
	cost := 0.0
	for _, f := range searches {
		if cost += f.cost; f.seed.took == 0 && len(f.seed.inputs) > 0 {
			unknown = append(unknown, f)
		}
	}
	if len(unknown) == 0 || cost*mostUnder < bgp.GPUCost*float64(m.workers.Limit()) {
		return false
	}
	machine.Parallel(len(unknown), func(i int) { m.try(unknown[i], by) })
	for _, f := range unknown {
		f.price()
	}
	return true
}

// try has a matcher find the matches of some hits of a search, and keeps how much longer that takes than those of one, or what it has taken when it ends for
// want of time. An error is left to who finds all.
func (m *matcher) try(f *search, by match.Matcher) {
	n := min(f.n, max(f.n/probedShare, leastProbed))
	beside, err := m.time(f, by, 1)
	if err != nil {
		beside = 0 // the one has very many matches
	}
	spent, err := m.time(f, by, n)
	switch {
	case err == nil:
		f.took(max(spent-beside, 1), n)
	case errors.Is(err, context.DeadlineExceeded):
		f.took(spent, n)
	}
}

// time is how long a matcher takes for n hits of a search, and whether it was too long.
func (m *matcher) time(f *search, by match.Matcher, n int) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(m.ctx, probedTime)
	defer cancel()
	begun := time.Now()
	_, err := by.Count(ctx, &match.Match{Graph: f.graph, Plan: f.plan, Input: inOrder(f.some(n), f.plan), Weighted: true, Charge: m.charge})
	return time.Since(begun), err
}

// some are n hits from all over.
func (h *hits) some(n int) *match.Input {
	in := &match.Input{N: n, Cols: make([][]dictionary.ID, len(h.cols))}
	for c, col := range h.cols {
		for i := range n {
			in.Cols[c] = append(in.Cols[c], col[(2*i+1)*h.n/(2*n)])
		}
	}
	return in
}
