package terms

import (
	"hash/maphash"
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
	// AppendText appends the Value of an ID's term to dst; nothing where there is none.
	AppendText(dst []byte, id dictionary.ID) (text []byte, sort string)
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

// page holds computed terms in ID order, in chunks that are made when the first of their terms comes: who makes one keeps others waiting.
type page []atomic.Pointer[chunk]

// chunkBits: a chunk holds 1<<chunkBits terms, or all of a smaller page.
const chunkBits = 10

// chunk is some slots. One is written once; it is read only after it has been marked as written.
type chunk struct {
	terms   []rdf.Term
	values  []dictionary.Value
	written []atomic.Bool
}

// shardCount is how many shards there are of the computed terms, by hash, so that goroutines that compute terms at the same time
// seldom wait for each other.
const shardCount = 64

// shard finds the IDs of some of the computed terms. Who looks takes no lock, and may miss a term that is being added; who adds one looks again.
type shard struct {
	table atomic.Pointer[table]
	mu    sync.Mutex // guards what follows, and adding to the table
	// bytes is what the terms take, and uncharged what of that has not been charged yet.
	bytes, uncharged int64
	// terms is how many there are; next … end-1 are numbers that the next ones get.
	terms, next, end uint32
	// What goroutines write all the time shares no line of the cache with what others do.
	_ [128 - 48]byte
}

// A shard takes a number for one term at first, and then for a block of terms at a time, a quarter of those that it has and mostNumbers at the
// most: all goroutines meet where numbers are taken, and those that write terms beside each other wait for each other's lines of the cache.
const mostNumbers = 64

// number returns the next number of a shard, which the caller has locked.
func (t *Terms) number(s *shard) uint32 {
	if s.next == s.end {
		block := max(1, min(s.terms/4, mostNumbers))
		s.end = t.count.Add(block)
		s.next = s.end - block
	}
	s.terms++
	s.next++
	return s.next - 1
}

// chargeEvery is how many bytes of a shard are charged at a time: all goroutines meet there. So those of all shards that are not
// charged yet are fewer than 64 KiB and a term of each.
const chargeEvery = 1 << 10

// locate says in which page, and where in it, the n-th computed term lies.
func locate(n uint32) (number int, slot uint64) {
	at := uint64(n) + firstPage
	number = bits.Len64(at) - 1 - firstPageBits
	return number, at - firstPage<<number
}

// Terms maps IDs to terms and back, for one query: the store's terms and those the query computes.
// All methods are safe for concurrent use; reading a computed term takes no lock.
type Terms struct {
	// Charge, where it is set before the first use, is told how many bytes computed terms take: some terms at a time, in any goroutine.
	Charge func(bytes int64)

	dictionary Dictionary
	base       dictionary.ID

	// count is how many numbers are given to terms, or will be to those that come to some shard.
	count atomic.Uint32
	pages [pageCount]atomic.Pointer[page]
	// growing is held by who adds a page, or the shards.
	growing sync.Mutex

	// booleans are 1 + the IDs of true and false, 0 where they are not known yet.
	booleans [2]atomic.Uint32

	seed maphash.Seed
	// shards are made with the first computed term: most queries compute none.
	shards atomic.Pointer[[shardCount]shard]
}

// New returns the terms of a query over a dictionary.
func New(d Dictionary) *Terms {
	return &Terms{dictionary: d, base: dictionary.ID(d.Len()), seed: maphash.MakeSeed()}
}

// Base is the first ID of a computed term: the number of terms in the dictionary.
func (t *Terms) Base() dictionary.ID { return t.base }

// Computed is the number of terms that the query has computed so far.
func (t *Terms) Computed() (n int) {
	t.each(func(s *shard) { n += int(s.terms) })
	return n
}

// Bytes is about how much memory the computed terms take.
func (t *Terms) Bytes() (n int64) {
	t.each(func(s *shard) { n += s.bytes })
	return n
}

// each visits the shards that there are, locked.
func (t *Terms) each(visit func(*shard)) {
	shards := t.shards.Load()
	if shards == nil {
		return
	}
	for i := range shards {
		s := &shards[i]
		s.mu.Lock()
		visit(s)
		s.mu.Unlock()
	}
}

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

// AppendText appends the Value of an ID's term to dst; nothing for dictionary.None and for an ID that nobody handed out.
func (t *Terms) AppendText(dst []byte, id dictionary.ID) []byte {
	if id < t.base {
		dst, _ = t.dictionary.AppendText(dst, id)
		return dst
	}
	return append(dst, t.Term(id).Value...)
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
	return t.find(t.hash(&term), &term)
}

// find is Find among the computed terms, given the term's hash.
func (t *Terms) find(hash uint64, term *rdf.Term) (dictionary.ID, bool) {
	shards := t.shards.Load()
	if shards == nil {
		return dictionary.None, false
	}
	n, ok := shards[hash%shardCount].table.Load().find(hash, func(n uint32) bool {
		p, i := t.slot(t.base + n)
		return p != nil && p.terms[i] == *term
	})
	return t.base + n, ok
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

// hash is that of a term's text: terms that differ in something else may have the same.
func (t *Terms) hash(term *rdf.Term) uint64 { return maphash.String(t.seed, term.Value) }

// shard is where the terms of a hash are added.
func (t *Terms) shard(hash uint64) *shard {
	shards := t.shards.Load()
	if shards == nil {
		t.growing.Lock()
		if shards = t.shards.Load(); shards == nil {
			shards = new([shardCount]shard)
			t.shards.Store(shards)
		}
		t.growing.Unlock()
	}
	return &shards[hash%shardCount]
}

func (t *Terms) add(term rdf.Term) dictionary.ID {
	hash := t.hash(&term)
	s := t.shard(hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := t.find(hash, &term); ok {
		return id
	}
	n := t.number(s)
	t.write(n, term)
	s.insert(hash, n)
	t.charge(s, int64(len(term.Value)+len(term.Datatype)+len(term.Language))+termOverhead)
	return t.base + n
}

// termOverhead is the size of slots of a page and of a table, half of which may be empty, beside the strings.
const termOverhead = 200

// charge counts bytes; the caller holds the shard's mu.
func (t *Terms) charge(s *shard, bytes int64) {
	s.bytes += bytes
	if s.uncharged += bytes; s.uncharged >= chargeEvery && t.Charge != nil {
		t.Charge(s.uncharged)
		s.uncharged = 0
	}
}

// write puts a term into slot n, which is the caller's.
func (t *Terms) write(n uint32, term rdf.Term) {
	number, slot := locate(n)
	c, i := t.chunk(number, slot)
	c.terms[i], c.values[i] = term, dictionary.ParseValue(term)
	c.written[i].Store(true)
}

// chunk returns the chunk of a slot of a page, which may have to be made first, and where in it the slot is.
func (t *Terms) chunk(number int, slot uint64) (*chunk, uint64) {
	p := t.pages[number].Load()
	if p != nil {
		if c := (*p)[slot>>chunkBits].Load(); c != nil {
			return c, slot & (1<<chunkBits - 1)
		}
	}
	t.growing.Lock()
	defer t.growing.Unlock()
	size := firstPage << number
	if p = t.pages[number].Load(); p == nil {
		made := make(page, (size+1<<chunkBits-1)>>chunkBits)
		p = &made
		t.pages[number].Store(p)
	}
	at := &(*p)[slot>>chunkBits]
	c := at.Load()
	if c == nil {
		size = min(size, 1<<chunkBits)
		c = &chunk{make([]rdf.Term, size), make([]dictionary.Value, size), make([]atomic.Bool, size)}
		at.Store(c)
	}
	return c, slot & (1<<chunkBits - 1)
}

// slot finds a computed term's chunk, and where in it the term is; nil for an ID that nobody handed out.
func (t *Terms) slot(id dictionary.ID) (*chunk, uint64) {
	n := id - t.base
	if id < t.base || n >= t.count.Load() {
		return nil, 0
	}
	number, slot := locate(n)
	p := t.pages[number].Load()
	if p == nil {
		return nil, 0
	}
	c, i := (*p)[slot>>chunkBits].Load(), slot&(1<<chunkBits-1)
	if c == nil || !c.written[i].Load() {
		return nil, 0
	}
	return c, i
}
