package matchtest

import (
	"context"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

// Threads is a matcher whose matches, each a query of its own, share a pool.
type Threads struct {
	match.Matcher
	Pool *schedule.Pool
}

// OnThreads returns a matcher whose matches have up to n threads together; 0 means all.
func OnThreads(m match.Matcher, n int) Threads { return Threads{m, schedule.New(n)} }

// Match implements match.Matcher.
func (t Threads) Match(ctx context.Context, m *match.Match, emit func(*match.Batch) error) error {
	shared := *m
	shared.Workers = t.Pool.Open(ctx, 0)
	shared.Workers.Enter()
	defer shared.Workers.Leave()
	return t.Matcher.Match(ctx, &shared, emit)
}

// Count implements match.Matcher.
func (t Threads) Count(ctx context.Context, m *match.Match) (uint64, error) {
	shared := *m
	shared.Workers = t.Pool.Open(ctx, 0)
	shared.Workers.Enter()
	defer shared.Workers.Leave()
	return t.Matcher.Count(ctx, &shared)
}
