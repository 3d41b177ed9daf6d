package bench

import (
	"fmt"
	"math/rand/v2"
)

// products is how many products the connections share at the start.
const products = 1024

// explores is how many queries follow each update: BSBM sends 25 after each two.
const explores = 12

// The shape of a product.
const (
	features       = 3
	productTriples = 7 + features
	offers         = 5
	offerTriples   = 6
	reviews        = 3
	reviewTriples  = 6
)

// shop is a catalogue in the shape of BSBM's: products of some features, offers by vendors, reviews. Each connection
// has its own products, so that it knows what their queries must answer.
type shop struct {
	namespace  string
	connection int
	random     *rand.Rand
	first      int // products that prepare makes
	products   []product
	number     int // of the next product
	turn       int // steps so far
	last       change
}

// product is a product and the numbers of its offers that are still there.
type product struct {
	number int
	offers []int
}

// change is what the last step does if it is acknowledged.
type change struct {
	kind    changeKind
	product int // index into products
}

type changeKind int

const (
	nothing changeKind = iota
	newProduct
	lessOffer
)

func newShop(ns string, connection, n int, random *rand.Rand) *shop {
	return &shop{namespace: ns, connection: connection, random: random, first: n}
}

func shopChecks(ns string) []check {
	of := func(name, class string) check {
		return check{name, fmt.Sprintf("SELECT (COUNT(*) AS ?c) WHERE { ?s a <%s%s> . ?s ?p ?o }", ns, class)}
	}
	return []check{of("triples of products", "Product"), of("triples of offers", "Offer"), of("triples of reviews", "Review")}
}

// ofProduct is by how much a product raises the checks' numbers.
func ofProduct() []int64 {
	return []int64{productTriples, offers * offerTriples, reviews * reviewTriples}
}

// prepare fills the shop.
func (s *shop) prepare() []step {
	return batches(s.first, 8, func(_ int, t *triples) []int64 {
		s.write(s.number, t)
		s.open()
		return ofProduct()
	})
}

// open puts the next product on sale.
func (s *shop) open() {
	p := product{number: s.number}
	for o := range offers {
		p.offers = append(p.offers, o)
	}
	s.products = append(s.products, p)
	s.number++
}

// next is an update, then twelve queries.
func (s *shop) next() step {
	turn := s.turn
	s.turn++
	s.last = change{}
	if turn%(explores+1) > 0 {
		return s.explore(turn)
	}
	if turn%(2*(explores+1)) > 0 {
		if step, ok := s.less(); ok {
			return step
		}
	}
	var t triples
	s.write(s.number, &t)
	s.last.kind = newProduct
	return step{text: insertData(&t), update: true, triples: t.n, effect: ofProduct()}
}

// less takes an offer away from a product drawn at random, where it has one.
func (s *shop) less() (step, bool) {
	i := s.random.IntN(len(s.products))
	p := s.products[i]
	if len(p.offers) == 0 {
		return step{}, false
	}
	s.last = change{lessOffer, i}
	text := fmt.Sprintf("DELETE WHERE { %s ?p ?o }", s.offer(p.number, p.offers[len(p.offers)-1]))
	return step{text: text, update: true, triples: offerTriples, effect: []int64{0, -offerTriples, 0}}, true
}

// settle keeps the shop's books. A product of which the offers are not known is asked for no more.
func (s *shop) settle(o outcome) {
	i := s.last.product
	switch {
	case s.last.kind == newProduct && o == acknowledged:
		s.open()
	case s.last.kind == newProduct && o == unknown:
		s.number++ // its name may be taken
	case s.last.kind == lessOffer && o == acknowledged:
		s.products[i].offers = s.products[i].offers[:len(s.products[i].offers)-1]
	case s.last.kind == lessOffer && o == unknown && len(s.products) > 1:
		s.products[i] = s.products[len(s.products)-1]
		s.products = s.products[:len(s.products)-1]
	}
}

func (s *shop) iri(format string, a ...any) string {
	return "<" + s.namespace + fmt.Sprintf(format, a...) + ">"
}

func (s *shop) product(n int) string  { return s.iri("product%d-%d", s.connection, n) }
func (s *shop) offer(n, o int) string { return s.iri("offer%d-%d-%d", s.connection, n, o) }

// write appends a product with its offers and reviews.
func (s *shop) write(n int, t *triples) {
	p := s.product(n)
	t.add(p, "a", s.iri("Product"))
	t.add(p, s.iri("label"), fmt.Sprintf("\"product %d of %d\"", n, s.connection))
	t.add(p, s.iri("producer"), s.iri("producer%d", s.random.IntN(50)))
	t.add(p, s.iri("size"), number(s.random.IntN(2000)))
	t.add(p, s.iri("weight"), number(s.random.IntN(2000)))
	t.add(p, s.iri("text"), fmt.Sprintf("\"what is said of product %d: it has %d words\"", n, s.random.IntN(300)))
	t.add(p, s.iri("added"), date(n))
	begin := s.random.IntN(100)
	for f := range features {
		t.add(p, s.iri("feature"), s.iri("feature%d", (begin+f*(1+n%7))%100))
	}
	for o := range offers {
		offer := s.offer(n, o)
		t.add(offer, "a", s.iri("Offer"))
		t.add(offer, s.iri("of"), p)
		t.add(offer, s.iri("vendor"), s.iri("vendor%d", s.random.IntN(50)))
		t.add(offer, s.iri("price"), number(10+s.random.IntN(10_000)))
		t.add(offer, s.iri("days"), number(1+s.random.IntN(14)))
		t.add(offer, s.iri("until"), date(n+o))
	}
	for r := range reviews {
		review := s.iri("review%d-%d-%d", s.connection, n, r)
		t.add(review, "a", s.iri("Review"))
		t.add(review, s.iri("about"), p)
		t.add(review, s.iri("reviewer"), s.iri("person%d", s.random.IntN(500)))
		t.add(review, s.iri("title"), fmt.Sprintf("\"review %d of product %d\"@en", r, n))
		t.add(review, s.iri("rating"), number(1+s.random.IntN(10)))
		t.add(review, s.iri("date"), date(n+r))
	}
}

func date(n int) string {
	return fmt.Sprintf("\"2026-%02d-%02d\"^^<http://www.w3.org/2001/XMLSchema#date>", 1+n%12, 1+n%28)
}

// explore is one of six queries about a product drawn at random.
func (s *shop) explore(turn int) step {
	p := s.products[s.random.IntN(len(s.products))]
	iri := s.product(p.number)
	switch turn % 6 {
	case 0:
		return ask(productTriples, "SELECT ?p ?o WHERE { %s ?p ?o }", iri)
	case 1:
		return ask(len(p.offers), "SELECT ?offer ?price WHERE { ?offer %s %s ; %s ?price } ORDER BY ?price LIMIT 10", s.iri("of"), iri, s.iri("price"))
	case 2:
		return ask(reviews, "SELECT ?title ?rating ?reviewer WHERE { ?r %s %s ; %s ?title ; %s ?reviewer . OPTIONAL { ?r %s ?rating } }",
			s.iri("about"), iri, s.iri("title"), s.iri("reviewer"), s.iri("rating"))
	case 3:
		return ask(-1, "SELECT DISTINCT ?other ?label WHERE { %s %s ?f . ?other %s ?f ; %s ?label . FILTER(?other != %s) } ORDER BY ?label LIMIT 5",
			iri, s.iri("feature"), s.iri("feature"), s.iri("label"), iri)
	case 4:
		f := s.random.IntN(100)
		return ask(-1, "SELECT DISTINCT ?product ?label WHERE { ?product a %s ; %s ?label ; %s %s , %s ; %s ?size . FILTER(?size > %d) } ORDER BY ?label LIMIT 10",
			s.iri("Product"), s.iri("label"), s.iri("feature"), s.iri("feature%d", f), s.iri("feature%d", (f+1)%100), s.iri("size"), s.random.IntN(1000))
	}
	return ask(len(p.offers), "SELECT ?offer ?vendor ?price ?days WHERE { ?offer %s %s ; %s ?vendor ; %s ?price ; %s ?days }",
		s.iri("of"), iri, s.iri("vendor"), s.iri("price"), s.iri("days"))
}

// ask is a query with so many solutions.
func ask(expected int, format string, a ...any) step {
	return step{text: fmt.Sprintf(format, a...), expected: int64(expected)}
}
