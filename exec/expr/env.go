package expr

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Terms maps IDs to terms and values and back; terms.Terms is one. It must be safe for concurrent use.
type Terms interface {
	Term(id dictionary.ID) rdf.Term
	// AppendText appends the Value of an ID's term to dst, and returns its Sort.
	AppendText(dst []byte, id dictionary.ID) (text []byte, sort string)
	Value(id dictionary.ID) dictionary.Value
	// ID returns the ID of a term, giving it one when it has none.
	ID(t rdf.Term) dictionary.ID
	// Find returns the ID of a term that has one.
	Find(t rdf.Term) (dictionary.ID, bool)
	// ComputedID is ID for terms that are compared with each other alone (dictionary.IdentityComputed), ComputedNumber that of the canonical term of a number.
	ComputedID(t rdf.Term) dictionary.ID
	ComputedNumber(k dictionary.NumberClass, units int64) dictionary.ID
	// SmallNumber is ComputedNumber of a small number, which is the same wherever IDs are not compared with all others'.
	SmallNumber(k dictionary.NumberClass, units int64) (id dictionary.ID, ok bool)
	// Room gives n IDs, the first and those below it, for terms that are compared with none (dictionary.IdentityNone), which SetTerm and SetNumber set. Count is
	// told what they take beside.
	Room(n int) (first dictionary.ID)
	SetTerm(id dictionary.ID, t rdf.Term)
	SetNumber(id dictionary.ID, k dictionary.NumberClass, units int64)
	Count(bytes int64)
}

// Env is what the expressions of one query share. Set the fields before the first Compile; it is then safe for
// concurrent use.
type Env struct {
	Terms Terms
	// Dictionary is the one below Terms; it may be nil. With it, comparisons become ranges of its IDs.
	Dictionary *dictionary.Dictionary
	// Base resolves the argument of IRI().
	Base string
	// Now is NOW(), one moment for the whole query. Its zone is kept.
	Now time.Time

	// Ended, where it is not nil, says why the query has ended, nil while it goes on. It is asked every few milliseconds
	// of work, from any goroutine; once it has said so, expressions stop (Err).
	Ended func() error
	// Charge, where it is not nil, is told of the bytes of the strings that expressions build, in amounts of 64 KiB and
	// more, and of the same as a negative number once they are dropped. (Strings that become terms of the query are the
	// business of Terms from then on.) Its error, or more than 64 MiB in one string, stops the expressions (Err). It is
	// called from any goroutine.
	Charge func(bytes int64) error

	failed atomic.Pointer[error]

	blanks blankScope
}

// blankScope remembers the blank nodes that BNODE made for one query.
type blankScope struct {
	mu    sync.Mutex
	made  map[blankKey]dictionary.ID
	known map[dictionary.ID]bool
}

// blankKey is the argument of BNODE and a hash of the solution: the same label means the same node in one solution
// and another node in every other (section 17.4.2.9).
type blankKey struct {
	label    string
	solution uint64
}
