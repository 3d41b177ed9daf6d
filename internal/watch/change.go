package watch

import (
	"unsafe"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Way says how a change was found.
type Way uint8

const (
	// Snapshot: it is all solutions.
	Snapshot Way = iota
	// Incremental: from what was changed in the data alone.
	Incremental
	// Evaluated: by evaluating the query again, and comparing.
	Evaluated
	// Progress: nothing came or went, up to the sequence.
	Progress
)

// String is "snapshot", "incremental", "evaluated" or "progress".
func (w Way) String() string {
	return [...]string{"snapshot", "incremental", "evaluated", "progress"}[w]
}

// Change is what one commit did to the solutions of a query, or several commits together.
type Change struct {
	// Sequence is that of the commit after which the solutions are what they are with this change.
	Sequence uint64
	Way      Way
	// Variables name the terms of the rows; not to be changed.
	Variables      []string
	Added, Removed []Row
	// Held is how many bytes are held for the subscription, with this change.
	Held int64
}

// Row is a solution, and how many times it came or went. Unbound variables have the zero Term.
type Row struct {
	Terms []rdf.Term
	Count uint64
}

// rowBytes is about what the rows of a tally take beside the bytes of the tally, which their text takes again.
func (t *tally) rowBytes(width int) int64 {
	return t.bytes + int64(len(t.counts))*int64(unsafe.Sizeof(Row{})+uintptr(width)*unsafe.Sizeof(rdf.Term{}))
}
