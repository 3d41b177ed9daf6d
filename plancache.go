package rdfgpu

import (
	"sync"
	"sync/atomic"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner"
)

// planCache keeps plans of queries that were asked more than once of one state of the data: planning is a third of what a small query
// takes. It lives with the state, and what it hands out is shared and never changed. Safe for concurrent use.
type planCache struct {
	mu sync.Mutex
	// kept are nil for queries whose plans cannot be shared.
	kept *simplelru.LRU[planKey, *planner.Plan]
	// bytes is about what the kept ones take.
	bytes int64
}

// planKey is what a plan depends on besides the data. Queries that the parse cache keeps are known by their address.
type planKey struct {
	query     *parser.Query
	semantics Semantics
	countOnly bool
	// speed and shallow are the device's.
	speed   float64
	shallow bool
}

const (
	planCacheEntries = 512
	planCacheBytes   = 8 << 20
)

func newPlanCache() any {
	c := &planCache{}
	forget := func(_ planKey, plan *planner.Plan) { c.bytes -= keptBytes(plan) }
	c.kept, _ = simplelru.NewLRU(planCacheEntries, forget) // refuses no size but those below one
	return c
}

// plans are the plans of the state that the query reads; nil where its plan is not to be kept.
func (r *Result) plans(parsedBefore bool) *planCache {
	if !parsedBefore || len(r.query.From)+len(r.query.FromNamed) > 0 || !r.query.Repeatable() {
		return nil
	}
	return r.data.Derived(newPlanCache).(*planCache)
}

// find returns a plan, nil where there is none; wanted says whether one should be made to be kept.
func (c *planCache) find(key planKey) (plan *planner.Plan, wanted bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	plan, known := c.kept.Get(key)
	return plan, !known
}

// keep adds a plan, or notes that it cannot be kept, and forgets what was not asked for the longest time until all fit.
func (c *planCache) keep(key planKey, plan *planner.Plan) {
	if !plan.Complete || plan.Bytes() > planCacheBytes/8 {
		plan = nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept.Contains(key) { // planned twice at the same time
		return
	}
	c.bytes += keptBytes(plan)
	c.kept.Add(key, plan)
	for c.bytes > planCacheBytes {
		c.kept.RemoveOldest()
	}
}

// keptBytes is about what an entry takes.
func keptBytes(plan *planner.Plan) int64 {
	if plan == nil {
		return 0
	}
	return plan.Bytes()
}

// planCounts counts queries of which a plan was kept, and those that were planned.
type planCounts struct{ hits, misses atomic.Uint64 }

func (c *planCounts) count(found bool) {
	if found {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
}
