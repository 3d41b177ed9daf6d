package terms

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Dictionary is what Terms needs from the store's dictionary.
type Dictionary interface {
	// Len is the number of terms; their IDs are 0 … Len()-1.
	Len() int
	// Term decodes an ID.
	Term(id dictionary.ID) rdf.Term
	// Lookup finds the ID of a term.
	Lookup(t rdf.Term) (dictionary.ID, bool)
	// Value is what a term stands for.
	Value(id dictionary.ID) dictionary.Value
}

// Pages double in size: page k holds firstPage·2^k terms, so that a query that computes one term pays for few, and
// pageCount pages hold as many as there are IDs.
const (
	firstPageBits = 3
	firstPage     = 1 << firstPageBits
	pageCount     = 32 - firstPageBits
)

// page holds computed terms in ID order. A slot is written once, before the count that covers it is published.
type page struct {
	terms  []rdf.Term
	values []dictionary.Value
}

// locate says in which page, and where in it, the n-th computed term lies.
func locate(n uint32) (number int, slot uint64) {
	at := uint64(n) + firstPage
	number = bits.Len64(at) - 1 - firstPageBits
	return number, at - firstPage<<number
}

// Terms maps IDs to terms and back, for one query: the store's terms and those the query computes.
// All methods are safe for concurrent use; reading a computed term takes no lock.
type Terms struct {
	// Charge, where it is set before the first use, is told how many bytes each computed term takes.
	Charge func(bytes int64)

	dictionary Dictionary
	base       dictionary.ID

	count atomic.Uint32
	bytes atomic.Int64
	pages [pageCount]atomic.Pointer[page]

	// booleans are 1 + the IDs of true and false, 0 where they are not known yet.
	booleans [2]atomic.Uint32

	mu  sync.RWMutex
	ids map[rdf.Term]dictionary.ID
}

// New returns the terms of a query over a dictionary.
func New(d Dictionary) *Terms {
	return &Terms{dictionary: d, base: dictionary.ID(d.Len())}
}

// Base is the first ID of a computed term: the number of terms in the dictionary.
func (t *Terms) Base() dictionary.ID { return t.base }

// Computed is the number of terms that the query has computed so far.
func (t *Terms) Computed() int { return int(t.count.Load()) }

// Bytes is about how much memory the computed terms take.
func (t *Terms) Bytes() int64 { return t.bytes.Load() }

// Term decodes an ID; the zero Term for dictionary.None and for an ID that nobody handed out.
func (t *Terms) Term(id dictionary.ID) rdf.Term {
	if id < t.base {
		return t.dictionary.Term(id)
	}
	if p, i := t.slot(id); p != nil {
		return p.terms[i]
	}
	return rdf.Term{}
}

// Value is what a term stands for: the same for a stored and for a computed term.
func (t *Terms) Value(id dictionary.ID) dictionary.Value {
	if id < t.base {
		return t.dictionary.Value(id)
	}
	if p, i := t.slot(id); p != nil {
		return p.values[i]
	}
	return dictionary.ParseValue(rdf.Term{})
}

// Find returns the ID of a term that is in the dictionary or was computed before.
func (t *Terms) Find(term rdf.Term) (dictionary.ID, bool) {
	if id, ok := t.dictionary.Lookup(term); ok {
		return id, true
	}
	if t.count.Load() == 0 {
		return dictionary.None, false
	}
	t.mu.RLock()
	id, ok := t.ids[term]
	t.mu.RUnlock()
	if !ok {
		return dictionary.None, false
	}
	return id, true
}

// ID returns the ID of a term, giving it one when it has none. The zero Term is dictionary.None.
func (t *Terms) ID(term rdf.Term) dictionary.ID {
	if term.IsZero() {
		return dictionary.None
	}
	if term.Datatype == rdf.XSDBoolean && (term.Value == "true" || term.Value == "false") {
		return t.boolean(term)
	}
	if id, ok := t.Find(term); ok {
		return id
	}
	return t.add(term)
}

// boolean remembers the IDs of the two terms that conditions compute row after row.
func (t *Terms) boolean(term rdf.Term) dictionary.ID {
	known := &t.booleans[len(term.Value)&1] // "true" has an even length, "false" an odd one
	if id := known.Load(); id != 0 {
		return id - 1
	}
	id, ok := t.Find(term)
	if !ok {
		id = t.add(term)
	}
	known.Store(id + 1)
	return id
}

func (t *Terms) add(term rdf.Term) dictionary.ID {
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, ok := t.ids[term]; ok {
		return id
	}
	if t.ids == nil {
		t.ids = make(map[rdf.Term]dictionary.ID)
	}
	n := t.count.Load()
	t.write(n, term)
	id := t.base + n
	t.ids[term] = id
	bytes := int64(len(term.Value)+len(term.Datatype)+len(term.Language)) + termOverhead
	t.bytes.Add(bytes)
	if t.Charge != nil {
		t.Charge(bytes)
	}
	t.count.Store(n + 1)
	return id
}

// termOverhead is the size of a page slot and of a map entry beside the strings.
const termOverhead = 200

// write puts a term into slot n; the caller holds mu and publishes n afterwards.
func (t *Terms) write(n uint32, term rdf.Term) {
	number, slot := locate(n)
	p := t.pages[number].Load()
	if p == nil {
		size := firstPage << number
		p = &page{make([]rdf.Term, size), make([]dictionary.Value, size)}
		t.pages[number].Store(p)
	}
	p.terms[slot], p.values[slot] = term, dictionary.ParseValue(term)
}

// slot finds a computed term's page; nil for an ID that nobody handed out.
func (t *Terms) slot(id dictionary.ID) (*page, uint64) {
	n := id - t.base
	if id < t.base || n >= t.count.Load() {
		return nil, 0
	}
	number, slot := locate(n)
	return t.pages[number].Load(), slot
}
