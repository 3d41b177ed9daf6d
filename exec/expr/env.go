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
	Value(id dictionary.ID) dictionary.Value
	// ID returns the ID of a term, giving it one when it has none.
	ID(t rdf.Term) dictionary.ID
	// Find returns the ID of a term that has one.
	Find(t rdf.Term) (dictionary.ID, bool)
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

	// Stop, once true, makes regular expressions fail without being tried: the query has ended.
	Stop atomic.Bool

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
