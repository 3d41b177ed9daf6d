package terms

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Pages double in size: page k holds firstPage·2^k terms, so that a query that computes one term pays for few, and
// pageCount pages hold as many as there are IDs.
const (
	firstPageBits = 3
	firstPage     = 1 << firstPageBits
	pageCount     = 32 - firstPageBits
)

// chunkBits: a chunk holds 1<<chunkBits terms, or all of a smaller page.
const chunkBits = 10

// space is computed terms by their numbers, from 0 on.
type space struct {
	// count is how many numbers are given to terms, or will be.
	count atomic.Uint32
	pages [pageCount]atomic.Pointer[page]
	// growing is held by who adds a page, a chunk or the slots of one.
	growing sync.Mutex
}

// page is chunks, each of which is made when the first of their terms comes: who makes one keeps others waiting.
type page []atomic.Pointer[chunk]

// chunk is some slots, each of which has a term or a number: there are slots of the sorts that came.
type chunk struct {
	size    int
	terms   atomic.Pointer[termSlots]
	numbers atomic.Pointer[numberSlots]
}

// termSlots are terms and what they stand for. A slot is written once, and read only after it has been marked as written.
type termSlots struct {
	terms   []rdf.Term
	values  []dictionary.Value
	written []atomic.Bool
}

// numberSlots are numbers, which no slot has that is of no class. Who reads one has its number from who wrote it.
type numberSlots struct {
	classes []dictionary.NumberClass
	units   []int64
}

// made is what at points to, which is made first, by one goroutine that holds mu, where there is nothing yet.
func made[T any](at *atomic.Pointer[T], mu *sync.Mutex, what func() *T) *T {
	if t := at.Load(); t != nil {
		return t
	}
	mu.Lock()
	defer mu.Unlock()
	t := at.Load()
	if t == nil {
		t = what()
		at.Store(t)
	}
	return t
}

// locate says in which page, and where in it, the n-th computed term lies.
func locate(n uint32) (number int, slot uint64) {
	at := uint64(n) + firstPage
	number = bits.Len64(at) - 1 - firstPageBits
	return number, at - firstPage<<number
}

// room returns the chunk of a number, which may have to be made first, and where in it the slot is.
func (s *space) room(n uint32) (*chunk, uint64) {
	number, slot := locate(n)
	p := s.pages[number].Load()
	if p != nil {
		if c := (*p)[slot>>chunkBits].Load(); c != nil {
			return c, slot & (1<<chunkBits - 1)
		}
	}
	s.growing.Lock()
	defer s.growing.Unlock()
	size := firstPage << number
	if p = s.pages[number].Load(); p == nil {
		chunks := make(page, (size+1<<chunkBits-1)>>chunkBits)
		p = &chunks
		s.pages[number].Store(p)
	}
	at := &(*p)[slot>>chunkBits]
	c := at.Load()
	if c == nil {
		c = &chunk{size: min(size, 1<<chunkBits)}
		at.Store(c)
	}
	return c, slot & (1<<chunkBits - 1)
}

// slot finds the chunk of a number, and where in it the slot is; nil for one that nobody was given.
func (s *space) slot(n uint32) (*chunk, uint64) {
	if n >= s.count.Load() {
		return nil, 0
	}
	number, slot := locate(n)
	p := s.pages[number].Load()
	if p == nil {
		return nil, 0
	}
	return (*p)[slot>>chunkBits].Load(), slot & (1<<chunkBits - 1)
}

// setTerm writes a term to the slot of a number, which is the caller's.
func (s *space) setTerm(n uint32, term rdf.Term) {
	c, i := s.room(n)
	t := made(&c.terms, &s.growing, func() *termSlots {
		return &termSlots{make([]rdf.Term, c.size), make([]dictionary.Value, c.size), make([]atomic.Bool, c.size)}
	})
	t.terms[i], t.values[i] = term, dictionary.ParseValue(term)
	t.written[i].Store(true)
}

// setNumber writes a number to the slot of a number, which is the caller's.
func (s *space) setNumber(n uint32, class dictionary.NumberClass, units int64) {
	c, i := s.room(n)
	t := made(&c.numbers, &s.growing, func() *numberSlots {
		return &numberSlots{make([]dictionary.NumberClass, c.size), make([]int64, c.size)}
	})
	t.classes[i], t.units[i] = class, units
}

// number is the number in a slot; dictionary.NoNumber where there is a term, or nothing.
func (c *chunk) number(i uint64) (class dictionary.NumberClass, units int64) {
	if c == nil {
		return dictionary.NoNumber, 0
	}
	t := c.numbers.Load()
	if t == nil {
		return dictionary.NoNumber, 0
	}
	return t.classes[i], t.units[i]
}

// term is where in the chunk's slots the term of a slot is; nil where there is a number, or nothing.
func (c *chunk) term(i uint64) *termSlots {
	if c == nil {
		return nil
	}
	if t := c.terms.Load(); t != nil && t.written[i].Load() {
		return t
	}
	return nil
}
