package wal

import (
	"encoding/binary"
	"time"
)

// Term is a term of one transaction: its place in the transaction's table, from 1. As a graph, 0 is the default graph.
type Term uint32

// DefaultGraph is the default graph in the place of a graph's name.
const DefaultGraph Term = 0

// Change is one quad that a transaction added or removed. A transaction is a set of changes: it has each quad once.
type Change struct {
	Delete                            bool
	Graph, Subject, Predicate, Object Term
}

// payloadFormat is the first byte of a transaction.
const payloadFormat = 1

// timeBytes are those of the format and the time before the table of terms.
const timeBytes = 1 + 8

// The low bits of a change; the bits above are how far its object is from that of the change before.
const (
	deleteBit    = 1 << iota
	subjectBit   // how far the subject is from the one before follows
	predicateBit // the predicate follows
	changeBits   = 3
)

// Builder makes the payload of a transaction. The zero Builder is ready; Reset makes it ready for another transaction
// and keeps its memory. Not for concurrent use.
type Builder struct {
	terms  int
	table  []byte // the keys, each after its length
	groups []group
	last   int // the group of the last change
	places map[Term]int
	length int
}

// group is what changed in one graph.
type group struct {
	graph          Term
	added, removed int
	previous       Change
	changes        []byte
}

// Term puts a key (bytes that are not empty) into the table, and returns its term. A table ought to have each key once.
func (b *Builder) Term(key []byte) Term {
	b.table = binary.AppendUvarint(b.table, uint64(len(key)))
	b.table = append(b.table, key...)
	b.terms++
	return Term(b.terms)
}

// Add puts a change into the transaction. Its terms are those that Term gave.
func (b *Builder) Add(c Change) {
	g := b.group(c.Graph)
	word := zigzag(c.Object, g.previous.Object) << changeBits
	if c.Delete {
		word |= deleteBit
		g.removed++
	} else {
		g.added++
	}
	if c.Subject != g.previous.Subject {
		word |= subjectBit
	}
	if c.Predicate != g.previous.Predicate {
		word |= predicateBit
	}
	g.changes = binary.AppendUvarint(g.changes, word)
	if word&subjectBit != 0 {
		g.changes = binary.AppendUvarint(g.changes, zigzag(c.Subject, g.previous.Subject))
	}
	if word&predicateBit != 0 {
		g.changes = binary.AppendUvarint(g.changes, uint64(c.Predicate))
	}
	g.previous = c
	b.length++
}

// group is that of a graph.
func (b *Builder) group(graph Term) *group {
	if b.last < len(b.groups) && b.groups[b.last].graph == graph {
		return &b.groups[b.last]
	}
	i, ok := b.places[graph]
	if !ok {
		if b.places == nil {
			b.places = map[Term]int{}
		}
		i = b.newGroup(graph)
	}
	b.last = i
	return &b.groups[i]
}

func (b *Builder) newGroup(graph Term) int {
	i := len(b.groups)
	b.places[graph] = i
	if i == cap(b.groups) {
		b.groups = append(b.groups, group{})
	} else {
		b.groups = b.groups[:i+1]
	}
	b.groups[i] = group{graph: graph, changes: b.groups[i].changes[:0]}
	return i
}

// zigzag is how far a term is from another, small where they are near.
func zigzag(t, from Term) uint64 {
	d := int64(t) - int64(from)
	return uint64(d<<1) ^ uint64(d>>63)
}

// Len is the number of changes.
func (b *Builder) Len() int { return b.length }

// Append appends the payload to dst.
func (b *Builder) Append(dst []byte, at time.Time) []byte {
	dst = append(dst, payloadFormat)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(at.UnixNano()))
	dst = binary.AppendUvarint(dst, uint64(b.terms))
	dst = append(dst, b.table...)
	dst = binary.AppendUvarint(dst, uint64(len(b.groups)))
	for i := range b.groups {
		g := &b.groups[i]
		dst = binary.AppendUvarint(dst, uint64(g.graph))
		dst = binary.AppendUvarint(dst, uint64(g.added))
		dst = binary.AppendUvarint(dst, uint64(g.removed))
		dst = binary.AppendUvarint(dst, uint64(len(g.changes)))
		dst = append(dst, g.changes...)
	}
	return dst
}

// largestReused bounds the transactions whose memory a builder keeps, in terms and graphs: to empty a large map takes as
// long as to fill it.
const largestReused = 1 << 14

// Reset empties the builder.
func (b *Builder) Reset() {
	if b.terms > largestReused || len(b.groups) > largestReused {
		*b = Builder{}
		return
	}
	clear(b.places)
	b.terms, b.table, b.groups, b.last, b.length = 0, b.table[:0], b.groups[:0], 0, 0
}
