package rdfgpu

import (
	"context"
	"sync"

	"github.com/rdfgpu/rdfgpu/parser"
)

// parseCache keeps the algebra of queries that were asked lately: parsing takes about a third of a small query's time,
// and clients repeat themselves. What it hands out is shared and never changed. Safe for concurrent use.
//
// It keeps two generations: a hit in the old one moves to the young one, and a full young one becomes the old one.
type parseCache struct {
	mu         sync.Mutex
	young, old map[parseKey]*parser.Query
	hits       uint64
	misses     uint64
}

// CacheStats is what the cache of parsed queries did since the store was opened.
type CacheStats struct {
	// Hits and Misses count queries that were found in it, and that were parsed.
	Hits, Misses uint64
	// Entries is how many queries it holds, at most 512.
	Entries int
}

// CacheStats reads the counters of the cache of parsed queries.
func (s *Store) CacheStats() CacheStats { return s.parsed.stats() }

func (c *parseCache) stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	stats := CacheStats{Hits: c.hits, Misses: c.misses, Entries: len(c.young)}
	for key := range c.old {
		if c.young[key] == nil {
			stats.Entries++
		}
	}
	return stats
}

type parseKey struct{ text, base string }

const (
	parseCacheEntries = 256
	parseCacheText    = 16 << 10 // longer queries are not kept
)

// parse returns the algebra of text, from the cache where it is there.
func (c *parseCache) parse(ctx context.Context, text, base string) (*parser.Query, error) {
	key := parseKey{text, base}
	if query := c.find(key); query != nil {
		return query, nil
	}
	query, err := parseWithin(ctx, text, parser.Options{Base: base})
	if err == nil && len(text) <= parseCacheText {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keep(key, query)
	}
	return query, err
}

// parsed is what came of parsing a text; a panic goes on where it is waited for.
type parsed struct {
	query    *parser.Query
	err      error
	panicked any
}

// longText is from how many bytes on parsing may take longer than a query that has ended should be waited for.
const longText = 32 << 10

// parseWithin parses a text while ctx lasts. A long one is parsed in a goroutine of its own, which nobody waits for once
// ctx has ended: it looks at nothing but the text, whose length is bounded, and ends by itself.
func parseWithin(ctx context.Context, text string, options parser.Options) (*parser.Query, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(text) <= longText {
		return parser.Parse(text, options)
	}
	done := make(chan parsed, 1)
	go func() {
		var p parsed
		defer func() {
			p.panicked = recover()
			done <- p
		}()
		p.query, p.err = parser.Parse(text, options)
	}()
	select {
	case p := <-done:
		if p.panicked != nil {
			panic(p.panicked)
		}
		return p.query, p.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (c *parseCache) find(key parseKey) *parser.Query {
	c.mu.Lock()
	defer c.mu.Unlock()
	if query := c.young[key]; query != nil {
		c.hits++
		return query
	}
	query := c.old[key]
	if query == nil {
		c.misses++
		return nil
	}
	c.hits++
	c.keep(key, query)
	return query
}

// keep puts a query into the young generation; the caller holds the lock.
func (c *parseCache) keep(key parseKey, query *parser.Query) {
	if c.young == nil || len(c.young) >= parseCacheEntries {
		c.old, c.young = c.young, make(map[parseKey]*parser.Query, parseCacheEntries)
	}
	c.young[key] = query
}
