package match

import (
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// Bound is what a match that begins with values in their order (bgp.MatchPlan.Ahead) is told while it runs: rows with some of these values are needed no more.
// The zero Bound needs all. It is safe for concurrent use.
type Bound struct {
	// beaten is the range of IDs of which no rows are needed: From above To.
	beaten atomic.Uint64
}

// Beat says that no rows with IDs of a range are needed.
func (b *Bound) Beat(r dictionary.Range) { b.beaten.Store(uint64(r.From)<<32 | uint64(r.To)) }

// Beaten reports whether no rows with IDs from first to last are needed.
func (b *Bound) Beaten(first, last dictionary.ID) bool {
	r := b.beaten.Load()
	return first >= dictionary.ID(r>>32) && last < dictionary.ID(r&0xFFFFFFFF)
}
