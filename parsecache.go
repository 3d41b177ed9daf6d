package rdfgpu

import (
	"context"
	"runtime"
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
	// bytes is about what the young ones take.
	bytes  int64
	hits   uint64
	misses uint64
	// budget is what parsing takes its memory from.
	budget *Budget
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
	parseCacheBytes   = 4 << 20  // of a generation
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

// parse returns the algebra of text, from the cache where it is there.
func (c *parseCache) parse(ctx context.Context, text, base string) (*parser.Query, error) {
	key := parseKey{text, base}
	if query := c.find(key); query != nil {
		return query, nil
	}
	var needed int64
	if len(text) <= parser.DefaultLength { // longer ones are refused at once
		needed = tokens(text) * tokenParsed
	}
	if err := c.budget.Take("the parsing of a query", needed); err != nil {
		return nil, err
	}
	query, err := parseWithin(ctx, text, parser.Options{Base: base}, func() { c.budget.Give(needed) })
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
		return nil, context.Cause(ctx)
	}
	done := make(chan parsed, 1)
	go func() {
		defer ended()
		var p parsed
		defer func() {
			p.panicked = recover()
			<-longParses
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
	if c.young == nil || len(c.young) >= parseCacheEntries || c.bytes >= parseCacheBytes {
		c.old, c.young, c.bytes = c.young, make(map[parseKey]*parser.Query), 0
	}
	c.young[key] = query
	c.bytes += treeBytes(key.text)
}
