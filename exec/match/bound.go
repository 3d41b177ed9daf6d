package match

import (
	"slices"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// Bound is what a match that begins with values in their order (bgp.MatchPlan.Ahead) is told while it runs: rows with some of these values are needed no more.
// The zero Bound needs all. It is safe for concurrent use.
type Bound struct {
	beaten atomic.Pointer[[]dictionary.Range]
}

// Beat says that no rows with IDs of some ranges are needed, which it keeps.
func (b *Bound) Beat(ranges []dictionary.Range) { b.beaten.Store(&ranges) }

// Beaten reports whether no rows with IDs from first to last are needed.
func (b *Bound) Beaten(first, last dictionary.ID) bool {
	ranges := b.beaten.Load()
	return ranges != nil && slices.ContainsFunc(*ranges, func(r dictionary.Range) bool { return r.Contains(first) && r.Contains(last) })
}
