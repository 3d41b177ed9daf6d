package generate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// maker makes the triples of one block, as text or as edges.
type maker struct {
	seed    uint64
	sizes   map[string]uint64
	random  *rand.Rand
	text    []byte
	triples uint64
	drawn   []uint64
	// numbers and emit take edges in place of text; nil for text.
	numbers *Numbers
	emit    func(Edge)

	permutation permutation
}

func (m *maker) entity(p population, number uint64) {
	category := uint64(0)
	for _, r := range p.rules {
		if r.predicate == typeIRI && r.object.of == "ProductCategory" {
			// The first category is half, the last one and a half times as likely as the others.
			last := m.sizes[r.object.of] - 1
			category = min((m.random.Uint64N(2*last+2)+1)/2, last)
			m.edge(p.name, number, r.predicate, r.object.of, category)
			continue
		}
		if !r.applies(category) || m.random.Float64() >= r.share && !r.inverse {
			continue
		}
		switch {
		case r.inverse:
			owners := max(uint64(r.share*float64(m.sizes[r.object.of])), 1)
			owner := m.scatter(m.random.Uint64N(owners), m.sizes[r.object.of])
			m.edge(r.object.of, owner, r.predicate, p.name, number)
		case r.object.literal != entityObject:
			m.literalOf(p.name, number, r)
		default:
			m.links(p.name, number, r)
		}
	}
}

func (r rule) applies(category uint64) bool {
	for _, c := range r.categories {
		if c == category {
			return true
		}
	}
	return len(r.categories) == 0
}

// links draws the objects of one subject, each once.
func (m *maker) links(subject string, number uint64, r rule) {
	n := 1
	if r.high > 0 {
		n = r.low + m.random.IntN(r.high-r.low+1)
	}
	for r.more > 0 && m.random.Float64() < r.more {
		n++
	}
	size := m.sizes[r.object.of]
	m.drawn = m.drawn[:0]
	for tries := 0; len(m.drawn) < min(n, int(size)) && tries < 4*n; tries++ {
		o := m.draw(r.object, size)
		if slices.Contains(m.drawn, o) {
			continue
		}
		m.drawn = append(m.drawn, o)
		m.edge(subject, number, r.predicate, r.object.of, o)
	}
}

func (m *maker) draw(o object, size uint64) uint64 {
	switch {
	case o.mix != nil:
		return m.draw(m.choose(o.mix), size)
	case o.skew != 0:
		return zipfRank(m.random, size, o.skew)
	case o.bell:
		return bellRank(m.random, size)
	case o.before > 0:
		first := uint64(o.after * float64(size))
		rank := first + m.random.Uint64N(max(uint64(o.before*float64(size))-first, 1))
		return m.scatter(min(rank, size-1), size)
	}
	return m.random.Uint64N(size)
}

// choose picks a way to draw.
func (m *maker) choose(mix []object) object {
	u := m.random.Float64()
	for _, o := range mix[:len(mix)-1] {
		if u < o.weight {
			return o
		}
		u -= o.weight
	}
	return mix[len(mix)-1]
}

// bellRank draws from a normal distribution over 0 … n-1.
func bellRank(r *rand.Rand, n uint64) uint64 {
	for {
		x := r.NormFloat64()*float64(n)/6 + float64(n-1)/2
		if x >= 0 && x < float64(n) {
			return uint64(x)
		}
	}
}

// scatter maps a rank to a vertex by the permutation of n, which is remembered.
func (m *maker) scatter(rank, n uint64) uint64 {
	if m.permutation.n != n {
		m.permutation = newPermutation(n, m.seed+11)
	}
	return m.permutation.at(rank)
}

func (m *maker) edge(subject string, s uint64, predicate, object string, o uint64) {
	if m.emit != nil {
		m.emit(Edge{m.numbers.first[subject] + s, m.numbers.first[object] + o, m.numbers.predicates[predicate]})
		return
	}
	m.begin(subject, s, predicate)
	m.iri(object, o)
	m.end()
}

func (m *maker) begin(subject string, number uint64, predicate string) {
	m.iri(subject, number)
	m.text = append(m.text, " <"...)
	m.text = append(m.text, predicate...)
	m.text = append(m.text, "> "...)
}

func (m *maker) end() {
	m.text = append(m.text, " .\n"...)
	m.triples++
}

func (m *maker) iri(name string, number uint64) {
	m.text = append(m.text, "<"+wsdbm...)
	m.text = append(m.text, name...)
	m.text = strconv.AppendUint(m.text, number, 10)
	m.text = append(m.text, '>')
}

// literalOf makes a triple with a literal.
func (m *maker) literalOf(subject string, number uint64, r rule) {
	value := r.object.from + m.random.Int64N(r.object.to-r.object.from+1)
	if m.emit != nil {
		m.emit(Edge{m.numbers.first[subject] + number, m.numbers.literal(m.random, subject, number, r, value), m.numbers.predicates[r.predicate]})
		return
	}
	m.begin(subject, number, r.predicate)
	m.text = append(m.text, '"')
	switch r.object.literal {
	case numberLiteral:
		m.text = strconv.AppendInt(m.text, value, 10)
	case dateLiteral:
		m.text = time.Unix(86400*value, 0).UTC().AppendFormat(m.text, time.DateOnly)
	case wordsLiteral:
		for i := range value {
			if i > 0 {
				m.text = append(m.text, ' ')
			}
			m.word(m.random.Uint64N(differentWords))
		}
	case givenLiteral:
		m.name(uint64(value))
	}
	m.text = append(m.text, '"')
	m.end()
}

// differentWords is how many words texts are made of.
const differentWords = 100_000

const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"

// name appends the n-th of 729,000 different names.
func (m *maker) name(n uint64) {
	n = n * 7919 % 729_000
	for range 3 {
		m.text = append(m.text, consonants[n%18], vowels[n/18%5])
		n /= 90
	}
}

// word appends the n-th of an endless list of pronounceable words, most of eight letters.
func (m *maker) word(n uint64) {
	n = mix(n) >> 20
	for range 2 + n%5/2 + n%2 {
		m.text = append(m.text, consonants[n%18], vowels[n/18%5])
		n = n/90 + 7
	}
}
