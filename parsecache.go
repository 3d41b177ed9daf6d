package rdfgpu

import (
	"context"
	"runtime"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/rdfgpu/rdfgpu/parser"
)

// parseCache keeps the algebra of queries that were asked lately: parsing takes about a third of a small query's time,
// and clients repeat themselves. What it hands out is shared and never changed. Safe for concurrent use.
//
// A hit takes some 45 ns (BenchmarkParseCacheHit), 10 more than maps of two generations; the smallest query takes a thousand times that.
type parseCache struct {
	mu   sync.Mutex
	kept *simplelru.LRU[parseKey, *parser.Query]
	// bytes is about what the kept ones take.
	bytes  int64
	hits   uint64
	misses uint64
	// budget is what parsing takes its memory from.
	budget *Budget
}

func newParseCache(budget *Budget) *parseCache {
	c := &parseCache{budget: budget}
	forget := func(key parseKey, _ *parser.Query) { c.bytes -= treeBytes(key.text) }
	c.kept, _ = simplelru.NewLRU(parseCacheEntries, forget) // refuses no size but those below one
	return c
}

// CacheStats is what the cache of parsed queries did since the store was opened.
type CacheStats struct {
	// Hits and Misses count queries that were found in it, and that were parsed.
	Hits, Misses uint64
	// Entries is how many queries it holds, at most 512.
	Entries int
	// Planned and Unplanned count queries of which a plan was kept, over the same data, and those that were planned.
	Planned, Unplanned uint64
}

// CacheStats reads the counters of the caches of parsed queries and of plans.
func (s *Store) CacheStats() CacheStats {
	stats := s.parsed.stats()
	stats.Planned, stats.Unplanned = s.plans.hits.Load(), s.plans.misses.Load()
	return stats
}

func (c *parseCache) stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CacheStats{Hits: c.hits, Misses: c.misses, Entries: c.kept.Len()}
}

type parseKey struct{ text, base string }

const (
	parseCacheEntries = 512
	parseCacheText    = 16 << 10 // longer queries are not kept
	parseCacheBytes   = 8 << 20
)

// What a token of a query takes: of the tree that is kept, and of everything while it is parsed. Measured on texts of one
// kind of token each, the worst of which count.
const (
	tokenKept   = 110
	tokenParsed = 470
)

// tokens is about how many tokens a text has: words, and marks each by itself.
func tokens(text string) (n int64) {
	inWord := false
	for i := range len(text) {
		b := text[i]
		word := b >= 0x80 || b|0x20 >= 'a' && b|0x20 <= 'z' || b-'0' <= 9 || b == '_' || b == '"' || b == ':' || b == '/' || b == '?'
		if b > ' ' && !(word && inWord) {
			n++
		}
		inWord = word
	}
	return n
}

// treeBytes is about how many bytes a query takes while it runs.
func treeBytes(text string) int64 { return int64(len(text)) + tokens(text)*tokenKept }

// parse returns the algebra of text, from the cache where it is there: kept.
func (c *parseCache) parse(ctx context.Context, text, base string) (query *parser.Query, kept bool, err error) {
	key := parseKey{text, base}
	if query := c.find(key); query != nil {
		return query, true, nil
	}
	var needed int64
	if len(text) <= parser.DefaultLength { // longer ones are refused at once
		needed = tokens(text) * tokenParsed
	}
	if err := c.budget.Take("the parsing of a query", needed); err != nil {
		return nil, false, err
	}
	query, err = parseWithin(ctx, text, parser.Options{Base: base}, func() { c.budget.Give(needed) })
	if err == nil && len(text) <= parseCacheText {
		c.keep(key, query)
	}
	return query, false, err
}

// parsed is what came of parsing a text; a panic goes on where it is waited for.
type parsed struct {
	query    *parser.Query
	err      error
	panicked any
}

// longText is from how many bytes on parsing may take longer than a query that has ended should be waited for.
const longText = 32 << 10

// longParses holds a token for each long text that is being parsed: those that nobody waits for must not become many.
var longParses = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))

// parseWithin parses a text while ctx lasts. A long one is parsed in a goroutine of its own, which nobody waits for once
// ctx has ended: it looks at nothing but the text, whose length is bounded, and ends by itself. ended is called when parsing has
// ended, in one way or the other.
func parseWithin(ctx context.Context, text string, options parser.Options, ended func()) (*parser.Query, error) {
	if ctx.Err() != nil {
		ended()
		return nil, context.Cause(ctx)
	}
	if len(text) <= longText {
		defer ended()
		return parser.Parse(text, options)
	}
	select {
	case longParses <- struct{}{}:
	case <-ctx.Done():
		ended()
		return nil, context.Cause(ctx)
	}
	done := make(chan parsed, 1)
	go func() {
		var p parsed
		defer func() {
			p.panicked = recover()
			<-longParses
			ended()
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
	query, found := c.kept.Get(key)
	if found {
		c.hits++
	} else {
		c.misses++
	}
	return query
}

// keep adds a query, and forgets those that were not asked for the longest time until all fit.
func (c *parseCache) keep(key parseKey, query *parser.Query) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept.Contains(key) { // parsed twice at the same time
		return
	}
	c.bytes += treeBytes(key.text)
	c.kept.Add(key, query)
	for c.bytes > parseCacheBytes {
		c.kept.RemoveOldest()
	}
}
