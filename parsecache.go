package rdfgpu

import (
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
}

type parseKey struct{ text, base string }

const (
	parseCacheEntries = 256
	parseCacheText    = 16 << 10 // longer queries are not kept
)

// parse returns the algebra of text, from the cache where it is there.
func (c *parseCache) parse(text, base string) (*parser.Query, error) {
	key := parseKey{text, base}
	if query := c.find(key); query != nil {
		return query, nil
	}
	query, err := parser.Parse(text, parser.Options{Base: base})
	if err == nil && len(text) <= parseCacheText {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keep(key, query)
	}
	return query, err
}

func (c *parseCache) find(key parseKey) *parser.Query {
	c.mu.Lock()
	defer c.mu.Unlock()
	if query := c.young[key]; query != nil {
		return query
	}
	query := c.old[key]
	if query != nil {
		c.keep(key, query)
	}
	return query
}

// keep puts a query into the young generation; the caller holds the lock.
func (c *parseCache) keep(key parseKey, query *parser.Query) {
	if c.young == nil || len(c.young) >= parseCacheEntries {
		c.old, c.young = c.young, make(map[parseKey]*parser.Query, parseCacheEntries)
	}
	c.young[key] = query
}
