package terms

import (
	"errors"
	"hash/maphash"
	"math"
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

// last is the highest ID of a term.
const last = dictionary.None - 1

// errIDs: there are no more IDs. The query ends with it.
var errIDs = errors.New("terms: a query cannot compute more terms than there are IDs of 32 bits")

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

// shardSet is shards, each made with its first term, as is the set: most queries compute no term, and many compute one.
type shardSet [shardCount]atomic.Pointer[shard]

// shard is that of a hash; nil where there is none yet.
func (s *shardSet) shard(hash uint64) *shard {
	if s == nil {
		return nil
	}
	return s[hash%shardCount].Load()
}

// A shard takes a number for one term at first, and then for a block of terms at a time, a quarter of those that it has and mostNumbers at the
// most: all goroutines meet where numbers are taken, and those that write terms beside each other wait for each other's lines of the cache.
const mostNumbers = 64

// number returns the next number of a shard, which the caller has locked.
func (t *Terms) number(s *shard) uint32 {
	if s.next == s.end {
		block := max(1, min(s.terms/4, mostNumbers))
		s.next = t.take(&t.told, block)
		s.end = s.next + block
	}
	s.terms++
	s.next++
	return s.next - 1
}

// chargeEvery is how many bytes of a shard are charged at a time: all goroutines meet there. So those of all shards that are not
// charged yet are fewer than 64 KiB and a term of each.
const chargeEvery = 1 << 10

// Terms maps IDs to terms and back, for one query: the store's terms and those the query computes.
// All methods are safe for concurrent use; reading a computed term takes no lock.
type Terms struct {
	// Charge, where it is set before the first use, is told how many bytes computed terms take: some terms at a time, in any goroutine.
	Charge func(bytes int64)

	dictionary Dictionary
	base       dictionary.ID
	// top is the highest ID that is no number of its own (direct.go).
	top dictionary.ID

	// told are the terms that have one ID each, from base on; loose are those of which each ID was given once, from top down.
	told, loose space
	// growing is held by who makes shards.
	growing sync.Mutex

	// booleans are 1 + the IDs of true and false, 0 where they are not known yet.
	booleans [2]atomic.Uint32

	seed maphash.Seed
	// shards are those of terms, numbers those of numbers that are told apart from computed ones alone.
	shards, numbers atomic.Pointer[shardSet]
}

// New returns the terms of a query over a dictionary.
func New(d Dictionary) *Terms {
	t := &Terms{dictionary: d, base: dictionary.ID(d.Len()), top: last, seed: maphash.MakeSeed()}
	if t.base <= mostStored {
		t.top = firstDirect - 1
	}
	return t
}

// Base is the first ID of a computed term: the number of terms in the dictionary.
func (t *Terms) Base() dictionary.ID { return t.base }

// Computed is the number of terms that the query has computed so far, and those that are still to come of what Room has given.
func (t *Terms) Computed() (n int) {
	t.each(func(s *shard) { n += int(s.terms) })
	return n + int(t.loose.count.Load())
}

// Bytes is about how much memory the computed terms take that have one ID each.
func (t *Terms) Bytes() (n int64) {
	t.each(func(s *shard) { n += s.bytes })
	return n
}

// each visits the shards that there are, locked.
func (t *Terms) each(visit func(*shard)) {
	for _, set := range []*shardSet{t.shards.Load(), t.numbers.Load()} {
		for i := range shardCount {
			if s := set.shard(uint64(i)); s != nil {
				s.mu.Lock()
				visit(s)
				s.mu.Unlock()
			}
		}
	}
}

// computed is a term that is not the dictionary's: a number, or else in the i-th of some slots; neither for an ID that nobody handed out.
func (t *Terms) computed(id dictionary.ID) (class dictionary.NumberClass, units int64, s *termSlots, i uint64) {
	if id > t.top {
		if id > last {
			return dictionary.NoNumber, 0, nil, 0
		}
		class, units = directNumber(id)
		return class, units, nil, 0
	}
	c, i := t.told.slot(id - t.base)
	if c == nil {
		c, i = t.loose.slot(t.top - id)
	}
	class, units = c.number(i)
	if class == dictionary.NoNumber {
		s = c.term(i)
	}
	return class, units, s, i
}

// Term decodes an ID; the zero Term for dictionary.None and for an ID that nobody handed out.
func (t *Terms) Term(id dictionary.ID) rdf.Term {
	if id < t.base {
		return t.dictionary.Term(id)
	}
	class, units, s, i := t.computed(id)
	switch {
	case s != nil:
		return s.terms[i]
	case class != dictionary.NoNumber:
		v := class.Value(units)
		return v.Canonical()
	}
	return rdf.Term{}
}

// AppendText appends the Value of an ID's term to dst, and returns its Sort, too; nothing for dictionary.None and for an ID that nobody handed out.
func (t *Terms) AppendText(dst []byte, id dictionary.ID) (text []byte, sort string) {
	if id < t.base {
		return t.dictionary.AppendText(dst, id)
	}
	class, units, s, i := t.computed(id)
	switch {
	case class != dictionary.NoNumber:
		return class.AppendCanonical(dst, units)
	case s != nil:
		return append(dst, s.terms[i].Value...), s.terms[i].Sort()
	}
	return dst, ""
}

// AppendNTriples appends the term of an ID that is not the dictionary's in N-Triples syntax.
func (t *Terms) AppendNTriples(dst []byte, id dictionary.ID) []byte {
	class, units, s, i := t.computed(id)
	switch {
	case class != dictionary.NoNumber:
		text, datatype := class.AppendCanonical(append(dst, '"'), units)
		return append(append(append(text, "\"^^<"...), datatype...), '>')
	case s != nil:
		return rdf.AppendNTriples(dst, s.terms[i])
	}
	return rdf.AppendNTriples(dst, rdf.Term{})
}

// Value is what a term stands for: the same for a stored and for a computed term.
func (t *Terms) Value(id dictionary.ID) dictionary.Value {
	if id < t.base {
		return t.dictionary.Value(id)
	}
	class, units, s, i := t.computed(id)
	switch {
	case class != dictionary.NoNumber:
		return class.Value(units)
	case s != nil:
		return s.values[i]
	}
	return dictionary.ParseValue(rdf.Term{})
}

// Find returns the ID of a term that is in the dictionary or was computed before, as ID has it.
func (t *Terms) Find(term rdf.Term) (dictionary.ID, bool) {
	if id, ok := t.dictionary.Lookup(term); ok {
		return id, true
	}
	if t.shards.Load() == nil {
		return dictionary.None, false
	}
	return t.find(t.hash(&term), &term)
}

// find is Find among the computed terms, given the term's hash.
func (t *Terms) find(hash uint64, term *rdf.Term) (dictionary.ID, bool) {
	shard := t.shards.Load().shard(hash)
	if shard == nil {
		return dictionary.None, false
	}
	n, ok := shard.table.Load().find(hash, func(n uint32) bool {
		c, i := t.told.slot(n)
		s := c.term(i)
		return s != nil && s.terms[i] == *term
	})
	return t.base + n, ok
}

// ID returns the ID of a term, giving it one when it has none (dictionary.IdentityFull). The zero Term is dictionary.None.
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
	return t.add(t.hash(&term), term)
}

// ComputedID returns the ID of a term among those that are computed, giving it one when it has none: nothing is looked for in the dictionary
// (dictionary.IdentityComputed). The zero Term is dictionary.None.
func (t *Terms) ComputedID(term rdf.Term) dictionary.ID {
	switch term.Datatype {
	case "":
		if term.IsZero() {
			return dictionary.None
		}
	case rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDFloat, rdf.XSDDouble:
		if term.Datatype == rdf.XSDDecimal && digits(term.Value) > mostDigits {
			break
		}
		v := dictionary.ParseValue(term)
		if class, units := dictionary.ClassOf(&v); class != dictionary.NoNumber {
			var room [64]byte
			if text, datatype := class.AppendCanonical(room[:0], units); string(text) == term.Value && datatype == term.Datatype {
				return t.ComputedNumber(class, units)
			}
		}
	}
	hash := t.hash(&term)
	if id, ok := t.find(hash, &term); ok {
		return id
	}
	return t.add(hash, term)
}

// mostDigits is how many digits 64 bits have at most.
const mostDigits = 19

// digits counts those of a number.
func digits(text string) (n int) {
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			n++
		}
	}
	return n
}

// ComputedNumber is ComputedID of the canonical term of a number.
func (t *Terms) ComputedNumber(class dictionary.NumberClass, units int64) dictionary.ID {
	switch {
	case class > dictionary.DecimalUnits:
		class, units = dictionary.Reduced(class, units)
	case class == dictionary.FloatBits || class == dictionary.DoubleBits:
		if math.IsNaN(math.Float64frombits(uint64(units))) {
			units = int64(math.Float64bits(math.NaN())) // of all that are written so, one
		}
	}
	if id, ok := t.SmallNumber(class, units); ok {
		return id
	}
	hash := hashNumber(class, units)
	s := t.shard(&t.numbers, hash)
	same := func(n uint32) bool {
		c, i := t.told.slot(n)
		k, u := c.number(i)
		return k == class && u == units
	}
	if n, ok := s.table.Load().find(hash, same); ok {
		return t.base + n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.table.Load().find(hash, same); ok {
		return t.base + n
	}
	n := t.number(s)
	t.told.setNumber(n, class, units)
	s.insert(hash, n)
	t.charge(s, numberBytes)
	return t.base + n
}

// SmallNumber is the ID that the canonical term of a small number has of itself, wherever IDs are not compared with those of the dictionary.
func (t *Terms) SmallNumber(class dictionary.NumberClass, units int64) (dictionary.ID, bool) {
	if t.top == last {
		return dictionary.None, false
	}
	if class > dictionary.DecimalUnits {
		class, units = dictionary.Reduced(class, units)
	}
	return directID(class, units)
}

// Room gives the caller n IDs for terms that it then sets, first being the highest and the others below: each term has an ID of its own, whatever terms there
// are (dictionary.IdentityNone).
func (t *Terms) Room(n int) (first dictionary.ID) {
	t.Count(looseBytes * int64(n))
	return t.top - t.take(&t.loose, uint32(n))
}

// SetTerm sets the term of one of the IDs that Room gave.
func (t *Terms) SetTerm(id dictionary.ID, term rdf.Term) { t.loose.setTerm(t.top-id, term) }

// SetNumber sets the term of one of the IDs that Room gave to the canonical one of a number.
func (t *Terms) SetNumber(id dictionary.ID, class dictionary.NumberClass, units int64) {
	t.loose.setNumber(t.top-id, class, units)
}

// Count tells that terms that were set take so many bytes, beside their IDs.
func (t *Terms) Count(bytes int64) {
	if t.Charge != nil {
		t.Charge(bytes)
	}
}

// Repeats reports whether there may be another ID of the same term.
func (t *Terms) Repeats(id dictionary.ID) bool {
	return id >= t.base && id <= t.top && t.top-id < t.loose.count.Load()
}

// take gives n numbers of a space, and returns the first.
func (t *Terms) take(s *space, n uint32) uint32 {
	for {
		count := s.count.Load()
		if all := uint64(t.base) + uint64(t.told.count.Load()) + uint64(t.loose.count.Load()) + uint64(n); all > uint64(t.top) {
			panic(errIDs)
		}
		if s.count.CompareAndSwap(count, count+n) {
			return count
		}
	}
}

// boolean remembers the IDs of the two terms that conditions compute row after row.
func (t *Terms) boolean(term rdf.Term) dictionary.ID {
	known := &t.booleans[len(term.Value)&1] // "true" has an even length, "false" an odd one
	if id := known.Load(); id != 0 {
		return id - 1
	}
	id, ok := t.Find(term)
	if !ok {
		id = t.add(t.hash(&term), term)
	}
	known.Store(id + 1)
	return id
}

// hash is that of a term's text: terms that differ in something else may have the same.
func (t *Terms) hash(term *rdf.Term) uint64 { return maphash.String(t.seed, term.Value) }

// hashNumber is that of a number.
func hashNumber(class dictionary.NumberClass, units int64) uint64 {
	h := (uint64(units) ^ uint64(class)<<56) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// shard is the shard of a hash, which may have to be made first.
func (t *Terms) shard(of *atomic.Pointer[shardSet], hash uint64) *shard {
	if s := of.Load().shard(hash); s != nil {
		return s
	}
	set := made(of, &t.growing, func() *shardSet { return new(shardSet) })
	return made(&set[hash%shardCount], &t.growing, func() *shard { return new(shard) })
}

func (t *Terms) add(hash uint64, term rdf.Term) dictionary.ID {
	s := t.shard(&t.shards, hash)
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := t.find(hash, &term); ok {
		return id
	}
	n := t.number(s)
	t.told.setTerm(n, term)
	s.insert(hash, n)
	t.charge(s, int64(len(term.Value)+len(term.Datatype)+len(term.Language))+termOverhead)
	return t.base + n
}

const (
	// termOverhead is the size of slots of a page and of a table, half of which may be empty, beside the strings.
	termOverhead = 200
	// numberBytes are those of a number that is told apart, in a page and a table, and looseBytes those of one that is not.
	numberBytes = 32
	looseBytes  = 9
)

// charge counts bytes; the caller holds the shard's mu.
func (t *Terms) charge(s *shard, bytes int64) {
	s.bytes += bytes
	if s.uncharged += bytes; s.uncharged >= chargeEvery {
		t.Count(s.uncharged)
		s.uncharged = 0
	}
}
