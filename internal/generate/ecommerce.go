package generate

import (
	"context"
	"io"
	"math/rand/v2"
	"strconv"
)

// Commerce is a graph of users, products, reviews, offers and purchases in the vocabulary, sizes and distributions
// that WatDiv publishes (Aluç, Hartig, Özsu, Daudjee: Diversified stress testing of RDF data management systems, ISWC
// 2014, and the data set description that goes with it); WatDiv's queries mean the same over it. About 108,000 triples
// for each unit of Scale.
type Commerce struct {
	Scale int
	Seed  uint64
}

// population is a class of entities: PerScale for each unit of scale, or Fixed.
type population struct {
	name     string
	perScale uint64
	fixed    uint64
	rules    []rule
}

// rule says how the entities of a population get one predicate.
type rule struct {
	predicate string
	// categories are the product categories the rule is for; none: all.
	categories []uint64
	// share of the entities that have the predicate.
	share float64
	// low, high bound a uniform number of objects; 0, 0 is one.
	low, high int
	object    object
	// inverse: the entity is the object, and the subject is drawn from the share of the population object.of
	// (every review belongs to one of the reviewed products).
	inverse bool
}

// object says how objects are drawn: an entity of a population, or a literal.
type object struct {
	of string
	// skew is the exponent of a Zipf distribution over the population, 0 for uniform.
	skew    float64
	literal literal
	from    int64
	to      int64
}

type literal uint8

const (
	entityObject literal = iota
	numberLiteral
	dateLiteral
	wordsLiteral
	givenLiteral
)

func entity(of string, skew float64) object { return object{of: of, skew: skew} }
func number(from, to int64) object          { return object{literal: numberLiteral, from: from, to: to} }
func date(firstYear, lastYear int64) object {
	return object{literal: dateLiteral, from: firstYear, to: lastYear}
}
func words() object                               { return object{literal: wordsLiteral, from: 1, to: 25} }
func personName() object                          { return object{literal: givenLiteral, from: 0, to: 1750} }
func some(p string, share float64, o object) rule { return rule{predicate: p, share: share, object: o} }
func all(p string, o object) rule                 { return some(p, 1, o) }
func many(p string, share float64, low, high int, o object) rule {
	return rule{predicate: p, share: share, low: low, high: high, object: o}
}
func only(r rule, categories ...uint64) rule { r.categories = categories; return r }
func ownedBy(p, of string, share float64) rule {
	return rule{predicate: p, share: share, object: object{of: of}, inverse: true}
}

const wsdbm = "http://db.uwaterloo.ca/~galuc/wsdbm/"

const (
	dcNS     = "http://purl.org/dc/terms/"
	foafNS   = "http://xmlns.com/foaf/"
	grNS     = "http://purl.org/goodrelations/"
	gnNS     = "http://www.geonames.org/ontology#"
	moNS     = "http://purl.org/ontology/mo/"
	ogNS     = "http://ogp.me/ns#"
	revNS    = "http://purl.org/stuff/rev#"
	schemaNS = "http://schema.org/"
	typeIRI  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
)

// populations is the schema. Product categories: 0 classical music, 1 other music, 2 films, 3 books, 4 newspapers and
// magazines; the others have the common predicates only.
var populations = []population{
	{name: "AgeGroup", fixed: 9},
	{name: "Country", fixed: 25},
	{name: "Gender", fixed: 2},
	{name: "Genre", fixed: 21},
	{name: "Language", fixed: 35},
	{name: "ProductCategory", fixed: 15},
	{name: "Role", fixed: 3},
	{name: "Topic", fixed: 250},
	{name: "City", fixed: 240, rules: []rule{all(gnNS+"parentCountry", entity("Country", 1))}},
	{name: "SubGenre", fixed: 145, rules: []rule{
		all(typeIRI, entity("Genre", 0)),
		many(ogNS+"tag", 0.94, 1, 5, entity("Topic", 0)),
	}},
	{name: "Website", perScale: 50, rules: []rule{
		all(wsdbm+"hits", number(1, 9999)),
		all(schemaNS+"url", words()),
		all(schemaNS+"language", entity("Language", 1)),
	}},
	{name: "Retailer", perScale: 12, rules: []rule{
		all(grNS+"description", words()),
		all(grNS+"name", words()),
		many(grNS+"offers", 1, 27, 172, entity("Offer", 0.6)),
		some(schemaNS+"aggregateRating", 0.34, number(1, 10)),
		some(schemaNS+"contactPoint", 0.72, entity("User", 0)),
		some(schemaNS+"email", 0.77, words()),
		many(schemaNS+"employee", 0.22, 1, 10, entity("User", 0)),
		some(schemaNS+"faxNumber", 0.08, number(1_000_000, 9_999_999)),
		some(schemaNS+"legalName", 0.07, words()),
		some(schemaNS+"openingHours", 0.78, number(6, 18)),
		some(schemaNS+"paymentAccepted", 0.62, words()),
		some(schemaNS+"telephone", 0.69, number(1_000_000, 9_999_999)),
	}},
	{name: "Offer", perScale: 900, rules: []rule{
		all(grNS+"includes", entity("Product", 0)),
		all(grNS+"price", number(0, 999)),
		all(grNS+"serialNumber", number(10_000_000, 99_999_999)),
		some(grNS+"validFrom", 0.41, date(2013, 2013)),
		some(grNS+"validThrough", 0.41, date(2013, 2013)),
		all(schemaNS+"eligibleQuantity", number(1, 9)),
		many(schemaNS+"eligibleRegion", 0.49, 4, 6, entity("Country", 1)),
		some(schemaNS+"priceValidUntil", 0.19, date(2013, 2013)),
	}},
	{name: "Product", perScale: 250, rules: productRules},
	{name: "Review", perScale: 1500, rules: []rule{
		ownedBy(revNS+"hasReview", "Product", 0.206),
		all(revNS+"rating", number(0, 10)),
		all(revNS+"reviewer", entity("User", 0.5)),
		some(revNS+"text", 0.69, words()),
		some(revNS+"title", 0.3, words()),
		some(revNS+"totalVotes", 0.05, number(1, 999)),
	}},
	{name: "Purchase", perScale: 1500, rules: []rule{
		ownedBy(wsdbm+"makesPurchase", "User", 0.159),
		some(wsdbm+"purchaseDate", 0.3, date(2012, 2012)),
		all(wsdbm+"purchaseFor", entity("Product", 1)),
		all(grNS+"price", number(0, 999)),
	}},
	{name: "User", perScale: 1000, rules: []rule{
		many(typeIRI, 1, 1, 1, entity("Role", 0.9)),
		many(wsdbm+"follows", 0.78, 1, 84, entity("User", 0.6)),
		many(wsdbm+"friendOf", 0.4, 52, 172, entity("User", 0)),
		some(wsdbm+"gender", 0.605, entity("Gender", 1.6)),
		many(wsdbm+"likes", 0.236, 1, 8, entity("Product", 0.8)),
		many(wsdbm+"subscribes", 0.198, 3, 12, entity("Website", 0)),
		all(wsdbm+"userId", number(1_000_000, 9_999_999)),
		some(dcNS+"Location", 0.4, entity("City", 1)),
		some(schemaNS+"birthDate", 0.2, date(1988, 2000)),
		some(schemaNS+"email", 0.9, words()),
		some(schemaNS+"jobTitle", 0.05, words()),
		some(schemaNS+"nationality", 0.206, entity("Country", 1)),
		some(schemaNS+"telephone", 0.05, number(1_000_000, 9_999_999)),
		some(foafNS+"age", 0.507, entity("AgeGroup", 0.4)),
		some(foafNS+"familyName", 0.7, personName()),
		some(foafNS+"givenName", 0.7, personName()),
		some(foafNS+"homepage", 0.05, entity("Website", 0)),
	}},
}

var productRules = []rule{
	all(typeIRI, entity("ProductCategory", 0)),
	many(wsdbm+"hasGenre", 1, 1, 4, entity("SubGenre", 0)),
	many(ogNS+"tag", 0.59, 4, 16, entity("Topic", 0)),
	all(ogNS+"title", words()),
	some(schemaNS+"caption", 0.1, words()),
	some(schemaNS+"contentRating", 0.3, number(6, 18)),
	some(schemaNS+"contentSize", 0.1, number(1, 9999)),
	some(schemaNS+"description", 0.61, words()),
	some(schemaNS+"expires", 0.05, date(1970, 2020)),
	some(schemaNS+"keywords", 0.3, words()),
	some(schemaNS+"text", 0.31, words()),
	some(foafNS+"homepage", 0.24, entity("Website", 0)),
	only(some(wsdbm+"composer", 0.56, personName()), 0),
	only(some(moNS+"conductor", 0.45, entity("User", 0)), 0),
	only(some(moNS+"movement", 0.77, number(0, 9)), 0),
	only(some(moNS+"opus", 0.77, number(1, 999)), 0),
	only(some(moNS+"performed_in", 0.48, entity("City", 1)), 0),
	only(some(moNS+"performer", 0.31, words()), 0),
	only(some(moNS+"artist", 0.76, entity("User", 0.8)), 1),
	only(some(moNS+"producer", 0.41, words()), 1),
	only(some(moNS+"record_number", 0.52, number(1, 999)), 1),
	only(some(moNS+"release", 0.46, date(1970, 2020)), 1),
	only(many(schemaNS+"actor", 0.84, 5, 20, entity("User", 0)), 2),
	only(many(schemaNS+"award", 0.23, 1, 1, words()), 2),
	only(some(schemaNS+"director", 0.84, entity("User", 0.8)), 2),
	only(some(schemaNS+"duration", 0.27, number(1, 499)), 2),
	only(many(schemaNS+"language", 0.22, 1, 4, entity("Language", 1)), 2),
	only(some(schemaNS+"producer", 0.47, words()), 2),
	only(many(schemaNS+"trailer", 0.07, 1, 2, entity("Website", 0)), 2),
	only(many(schemaNS+"author", 0.8, 1, 2, entity("User", 0)), 3, 4),
	only(some(schemaNS+"bookEdition", 0.49, number(1, 6)), 3),
	only(many(schemaNS+"editor", 0.45, 1, 3, entity("User", 0)), 3),
	only(some(schemaNS+"isbn", 1, number(1, 65535)), 3),
	only(some(schemaNS+"numberOfPages", 0.26, number(100, 799)), 3),
	only(some(schemaNS+"language", 0.05, entity("Language", 1)), 3),
	only(some(schemaNS+"datePublished", 0.68, date(1970, 2020)), 4),
	only(many(schemaNS+"editor", 0.09, 1, 2, entity("User", 0)), 4),
	only(some(schemaNS+"printColumn", 0.22, number(1970, 2012)), 4),
	only(some(schemaNS+"printEdition", 0.22, number(1, 35)), 4),
	only(some(schemaNS+"printPage", 0.24, number(1, 999)), 4),
	only(some(schemaNS+"printSection", 0.24, number(1, 9)), 4),
	only(some(schemaNS+"publisher", 0.82, words()), 4),
	only(some(schemaNS+"wordCount", 0.27, number(2000, 9999)), 4),
}

// size is the number of entities of a population.
func (g Commerce) size(p population) uint64 { return p.fixed + p.perScale*uint64(g.Scale) }

// commerceBlock is how many entities are made from one seed.
const commerceBlock = 4096

// WriteNTriples writes the graph as N-Triples, population by population, and returns the number of triples; they are
// distinct.
func (g Commerce) WriteNTriples(ctx context.Context, w io.Writer) (uint64, error) {
	type span struct {
		population int
		first      uint64
	}
	var blocks []span
	sizes := map[string]uint64{}
	for i, p := range populations {
		sizes[p.name] = g.size(p)
		for first := uint64(0); first < g.size(p) && len(p.rules) > 0; first += commerceBlock {
			blocks = append(blocks, span{i, first})
		}
	}
	return writeBlocks(ctx, w, len(blocks), func(n int, text []byte) ([]byte, uint64) {
		p := populations[blocks[n].population]
		m := &maker{seed: g.Seed, sizes: sizes, text: text, random: rand.New(rand.NewPCG(g.Seed, uint64(n)))}
		last := min(blocks[n].first+commerceBlock, sizes[p.name])
		for e := blocks[n].first; e < last; e++ {
			m.entity(p, e)
		}
		return m.text, m.triples
	})
}

// maker makes the triples of one block.
type maker struct {
	seed    uint64
	sizes   map[string]uint64
	random  *rand.Rand
	text    []byte
	triples uint64
	drawn   []uint64
}

func (m *maker) entity(p population, number uint64) {
	category := uint64(0)
	for _, r := range p.rules {
		if r.predicate == typeIRI && r.object.of == "ProductCategory" {
			category = m.random.Uint64N(m.sizes[r.object.of])
			m.edge(p.name, number, r.predicate, r.object.of, category)
			continue
		}
		if !r.applies(category) || m.random.Float64() >= r.share && !r.inverse {
			continue
		}
		switch {
		case r.inverse:
			owners := max(uint64(r.share*float64(m.sizes[r.object.of])), 1)
			owner := scatter(m.random.Uint64N(owners), m.sizes[r.object.of], m.seed+11)
			m.edge(r.object.of, owner, r.predicate, p.name, number)
		case r.object.literal != entityObject:
			m.begin(p.name, number, r.predicate)
			m.literal(r.object)
			m.end()
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
	size := m.sizes[r.object.of]
	m.drawn = m.drawn[:0]
draw:
	for range min(uint64(n), size) {
		o := m.draw(r.object, size)
		for _, d := range m.drawn {
			if d == o {
				continue draw
			}
		}
		m.drawn = append(m.drawn, o)
		m.edge(subject, number, r.predicate, r.object.of, o)
	}
}

func (m *maker) draw(o object, size uint64) uint64 {
	if o.skew == 0 {
		return m.random.Uint64N(size)
	}
	return zipfRank(m.random, size, o.skew)
}

func (m *maker) edge(subject string, s uint64, predicate, object string, o uint64) {
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

func (m *maker) literal(o object) {
	m.text = append(m.text, '"')
	value := o.from + m.random.Int64N(o.to-o.from+1)
	switch o.literal {
	case numberLiteral:
		m.text = strconv.AppendInt(m.text, value, 10)
	case dateLiteral:
		m.text = strconv.AppendInt(m.text, value, 10)
		m.text = m.twoDigits(1 + m.random.IntN(12))
		m.text = m.twoDigits(1 + m.random.IntN(28))
	case wordsLiteral:
		for i := range value {
			if i > 0 {
				m.text = append(m.text, ' ')
			}
			m.word(m.random.Uint64N(100_000))
		}
	case givenLiteral:
		m.word(uint64(value))
	}
	m.text = append(m.text, '"')
}

func (m *maker) twoDigits(n int) []byte {
	return append(m.text, '-', byte('0'+n/10), byte('0'+n%10))
}

const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"

// word appends the n-th of an endless list of pronounceable words, most of eight letters.
func (m *maker) word(n uint64) {
	n = mix(n) >> 20
	for range 2 + n%5/2 + n%2 {
		m.text = append(m.text, consonants[n%18], vowels[n/18%5])
		n = n/90 + 7
	}
}
