package wal

import (
	"iter"
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

// Builder makes the payload of a transaction. Not for concurrent use; Reset makes it ready for another transaction
// and keeps its memory.
type Builder struct{}

// Term is the term of a key (bytes that are not empty), which is put into the table when it is met first.
func (b *Builder) Term(key []byte) Term { panic("to be built") }

// Add puts a change into the transaction. Its terms are those of Term.
func (b *Builder) Add(c Change) { panic("to be built") }

// Len is the number of changes.
func (b *Builder) Len() int { panic("to be built") }

// Append appends the payload to dst.
func (b *Builder) Append(dst []byte, at time.Time) []byte { panic("to be built") }

// Reset empties the builder.
func (b *Builder) Reset() { panic("to be built") }

// Transaction is a payload that was read. It refers to the payload's bytes and is valid as long as they are.
type Transaction struct {
	// Time is when it was committed, by the clock of the committer.
	Time time.Time
}

// ReadTransaction reads a payload, all of which it checks; the error is ErrPayload.
func ReadTransaction(payload []byte) (*Transaction, error) { panic("to be built") }

// Terms is the number of terms: they are 1 … Terms().
func (t *Transaction) Terms() int { panic("to be built") }

// Key is the key of a term.
func (t *Transaction) Key(n Term) []byte { panic("to be built") }

// Graphs gives, for each graph that was changed, how many quads were added and removed; in order of first use.
func (t *Transaction) Graphs() iter.Seq[GraphChanges] { panic("to be built") }

// GraphChanges counts the changes of one graph.
type GraphChanges struct {
	Graph          Term
	Added, Removed int
}

// Changes gives the changes, graph by graph, in the order in which they were added to the builder.
func (t *Transaction) Changes() iter.Seq[Change] { panic("to be built") }
