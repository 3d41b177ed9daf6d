package generate

import (
	"context"
	"io"
	"math/rand/v2"
	"time"
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
	// more is the chance of one more object, and then of another.
	more   float64
	object object
	// inverse: the entity is the object, and the subject is drawn from the share of the population object.of
	// (every review belongs to one of the reviewed products).
	inverse bool
}

// object says how objects are drawn: an entity of a population, or a literal.
type object struct {
	of string
	// skew is the exponent of a Zipf distribution over the population, 0 for uniform.
	skew float64
	// bell is a normal distribution over the population: its middle most, its ends three standard deviations away.
	bell bool
	// after and before bound the shares of the population, in an order of this rule's own, that are drawn from evenly;
	// both 0: all of it.
	after, before float64
	// mix is further ways to draw, by chance; weight is the chance of this one.
	mix     []object
	weight  float64
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
func bell(of string) object                 { return object{of: of, bell: true} }
func part(of string, after, before float64) object {
	return object{of: of, after: after, before: before}
}

// mixed draws in different ways; weights are chances, by which the last one needs none.
func mixed(weights []float64, objects ...object) object {
	for i, w := range weights {
		objects[i].weight = w
	}
	return object{of: objects[0].of, mix: objects}
}

// days are the dates from a day on.
func days(year int, month time.Month, day, n int) object {
	first := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86400
	return object{literal: dateLiteral, from: first, to: first + int64(n) - 1}
}
func often(more float64, r rule) rule             { r.more = more; return r }
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
		many(grNS+"offers", 1, 27, 172, mixed([]float64{0.2}, entity("Offer", 0), entity("Offer", 1))),
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
		some(grNS+"validFrom", 0.41, days(2013, 1, 1, 171)),
		some(grNS+"validThrough", 0.41, days(2013, 9, 1, 121)),
		all(schemaNS+"eligibleQuantity", number(1, 9)),
		many(schemaNS+"eligibleRegion", 0.501, 4, 4, entity("Country", 1)),
		some(schemaNS+"priceValidUntil", 0.19, days(2013, 6, 22, 70)),
	}},
	{name: "Product", perScale: 250, rules: productRules},
	{name: "Review", perScale: 1500, rules: []rule{
		ownedBy(revNS+"hasReview", "Product", 0.206),
		all(revNS+"rating", number(0, 10)),
		all(revNS+"reviewer", part("User", 0, 0.307)),
		some(revNS+"text", 0.69, words()),
		some(revNS+"title", 0.3, words()),
		some(revNS+"totalVotes", 0.05, number(1, 999)),
	}},
	{name: "Purchase", perScale: 1500, rules: []rule{
		ownedBy(wsdbm+"makesPurchase", "User", 0.159),
		some(wsdbm+"purchaseDate", 0.3, days(2012, 1, 1, 365)),
		all(wsdbm+"purchaseFor", entity("Product", 1)),
		all(grNS+"price", number(0, 999)),
	}},
	{name: "User", perScale: 1000, rules: []rule{
		often(0.1, many(typeIRI, 1, 1, 1, entity("Role", 1))),
		many(wsdbm+"follows", 0.78, 1, 84, mixed([]float64{0.931, 0.053},
			part("User", 0, 0.62), part("User", 0.62, 0.91), entity("User", 1))),
		many(wsdbm+"friendOf", 0.4, 52, 172, entity("User", 0)),
		some(wsdbm+"gender", 0.605, entity("Gender", 1.6)),
		many(wsdbm+"likes", 0.236, 1, 8, mixed([]float64{0.59}, entity("Product", 0), entity("Product", 1))),
		many(wsdbm+"subscribes", 0.198, 3, 12, entity("Website", 0)),
		all(wsdbm+"userId", number(1_000_000, 9_999_999)),
		some(dcNS+"Location", 0.4, entity("City", 1)),
		some(schemaNS+"birthDate", 0.2, days(1970, 1, 1, 30*365)),
		some(schemaNS+"email", 0.9, words()),
		some(schemaNS+"jobTitle", 0.05, words()),
		some(schemaNS+"nationality", 0.206, entity("Country", 1)),
		some(schemaNS+"telephone", 0.05, number(1_000_000, 9_999_999)),
		some(foafNS+"age", 0.507, bell("AgeGroup")),
		some(foafNS+"familyName", 0.7, personName()),
		some(foafNS+"givenName", 0.7, personName()),
		some(foafNS+"homepage", 0.05, entity("Website", 0)),
	}},
}

var productRules = []rule{
	all(typeIRI, entity("ProductCategory", 0)),
	many(wsdbm+"hasGenre", 1, 1, 4, bell("SubGenre")),
	many(ogNS+"tag", 0.59, 4, 16, entity("Topic", 0)),
	all(ogNS+"title", words()),
	some(schemaNS+"caption", 0.1, words()),
	some(schemaNS+"contentRating", 0.3, number(6, 18)),
	some(schemaNS+"contentSize", 0.1, number(1, 9999)),
	some(schemaNS+"description", 0.61, words()),
	some(schemaNS+"expires", 0.05, days(1970, 1, 1, 51*365)),
	some(schemaNS+"keywords", 0.3, words()),
	some(schemaNS+"text", 0.31, words()),
	some(foafNS+"homepage", 0.24, entity("Website", 0)),
	only(some(wsdbm+"composer", 0.56, personName()), 0),
	only(some(moNS+"conductor", 0.45, entity("User", 0)), 0),
	only(some(moNS+"movement", 0.77, number(0, 9)), 0),
	only(some(moNS+"opus", 0.77, number(1, 999)), 0),
	only(some(moNS+"performed_in", 0.48, entity("City", 1)), 0),
	only(some(moNS+"performer", 0.31, words()), 0),
	only(some(moNS+"artist", 0.8, entity("User", 1)), 1),
	only(some(moNS+"producer", 0.41, words()), 1),
	only(some(moNS+"record_number", 0.52, number(1, 999)), 1),
	only(some(moNS+"release", 0.46, days(1970, 1, 1, 51*365)), 1),
	only(many(schemaNS+"actor", 0.78, 5, 20, part("User", 0, 0.215)), 2),
	only(many(schemaNS+"award", 0.23, 1, 1, words()), 2),
	only(some(schemaNS+"director", 0.8, entity("User", 1)), 2),
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
	only(some(schemaNS+"datePublished", 0.68, days(1970, 1, 1, 51*365)), 4),
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

// block is a run of entities of one population.
type block struct {
	population  int
	first, last uint64
}

// blocks are the runs of entities that have triples of their own, and the sizes of all populations.
func (g Commerce) blocks() (blocks []block, sizes map[string]uint64) {
	sizes = map[string]uint64{}
	for i, p := range populations {
		n := g.size(p)
		sizes[p.name] = n
		for first := uint64(0); first < n && len(p.rules) > 0; first += commerceBlock {
			blocks = append(blocks, block{i, first, min(first+commerceBlock, n)})
		}
	}
	return blocks, sizes
}

// fill makes the triples of one block.
func (m *maker) fill(b block) {
	for e := b.first; e < b.last; e++ {
		m.entity(populations[b.population], e)
	}
}

// WriteNTriples writes the graph as N-Triples, population by population, and returns the number of triples; they are
// distinct.
func (g Commerce) WriteNTriples(ctx context.Context, w io.Writer) (uint64, error) {
	blocks, sizes := g.blocks()
	return writeBlocks(ctx, w, len(blocks), func(n int, text []byte) ([]byte, uint64) {
		m := &maker{seed: g.Seed, sizes: sizes, text: text, random: rand.New(rand.NewPCG(g.Seed, uint64(n)))}
		m.fill(blocks[n])
		return m.text, m.triples
	})
}
