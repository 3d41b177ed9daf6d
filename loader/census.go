package loader

import (
	"bytes"
	"math"

	"github.com/zeebo/xxh3"
)

// census counts the terms of a sample, to tell how many the whole will have.
//
// The sample is units (blocks) of the whole. How many terms were met in one unit only, and how many in two, tells how
// many are still to be met (Chao 1987, for incidences; Colwell et al. 2012, equation 18, for a finite number of
// further units). The estimate is made for each stratum on its own, since its terms behave alike: IRIs of one form
// (digits apart) and literals of one predicate. Titles are ever new, genders are soon known.
//
// A term that belongs to one place of the input may be met at the edge of a unit and have its other statements
// outside; by as much as a whole unit has fewer terms than its halves have together, the terms that were met once are
// too many.
type census struct {
	scanner    lineScanner
	terms      map[uint64]met    // by the hash of the key
	namespaces map[uint64]uint64 // of strata of resources
	unit       uint32
	half       uint32
	statements uint64
	twofold    map[uint64]float64 // by stratum: how often a term was met in both halves of a unit
	form       []byte
}

// met is what is known of a term: its stratum, the last unit it was met in, and in how many.
type met struct {
	stratum     uint64
	last, units uint32
	half        uint32 // the last half unit it was met in
}

func newCensus() *census {
	c := &census{terms: map[uint64]met{}, namespaces: map[uint64]uint64{}, twofold: map[uint64]float64{}}
	c.scanner.quads = true
	return c
}

// add counts the terms of one unit; lines with faults are passed over.
func (c *census) add(text []byte) {
	c.unit++
	c.half++
	var k keys
	for half := len(text) / 2; len(text) > 0; {
		if half > 0 && len(text) < half {
			c.half++
			half = 0
		}
		line, size := nextLine(text)
		text = text[size:]
		if ok, err := c.scanner.scan(line, &k); !ok || err != nil {
			continue
		}
		c.statements++
		for _, key := range [...][]byte{k.subject, k.predicate, k.object, k.graph} {
			if len(key) > 0 {
				c.meet(key, k.predicate)
			}
		}
	}
}

func (c *census) meet(key, predicate []byte) {
	hash := hashKey(key)
	m, ok := c.terms[hash]
	switch {
	case ok:
	case key[0] == '<' || key[0] == '_':
		m.stratum = c.formOf(key)
	default:
		m.stratum = hashKey(predicate)
	}
	if m.last != c.unit {
		m.last = c.unit
		m.units++
	} else if m.half != c.half {
		c.twofold[m.stratum]++
	}
	m.half = c.half
	c.terms[hash] = m
}

// formOf is the stratum of a resource: its key without digits, if it has some in the last segment, else its namespace.
func (c *census) formOf(key []byte) uint64 {
	cut := bytes.LastIndexAny(key, "/#:") + 1
	c.form = c.form[:0]
	for _, b := range key[:cut] {
		if b < '0' || b > '9' {
			c.form = append(c.form, b)
		}
	}
	namespace := xxh3.Hash(c.form)
	for _, b := range key[cut:] {
		if b < '0' || b > '9' {
			c.form = append(c.form, b)
		}
	}
	if len(c.form) == len(key) {
		return namespace
	}
	form := xxh3.Hash(c.form)
	c.namespaces[form] = namespace
	return form
}

// stratum is how many terms were met, in one unit only, and in two.
type stratum struct{ all, once, twice, met, twofold float64 }

func (s *stratum) add(o *stratum) {
	s.all += o.all
	s.once += o.once
	s.twice += o.twice
	s.met += o.met
	s.twofold += o.twofold
}

// smallStratum is how many terms a stratum of a form has at least; smaller ones are taken together by namespace.
const smallStratum = 64

func (c *census) strata() map[uint64]*stratum {
	strata := map[uint64]*stratum{}
	at := func(number uint64) *stratum {
		if strata[number] == nil {
			strata[number] = &stratum{}
		}
		return strata[number]
	}
	for _, m := range c.terms {
		s := at(m.stratum)
		s.all++
		s.met += float64(m.units)
		switch m.units {
		case 1:
			s.once++
		case 2:
			s.twice++
		}
	}
	for number, n := range c.twofold {
		at(number).twofold += n
	}
	for form, namespace := range c.namespaces {
		if s := strata[form]; s != nil && s.all < smallStratum {
			at(namespace).add(s)
			delete(strata, form)
		}
	}
	return strata
}

// expected tells how many terms a whole has that is weight times the sample.
func (c *census) expected(weight float64) float64 {
	n, total := float64(c.unit), 0.0
	for _, s := range c.strata() {
		total += s.all + s.unseen(n, weight)
	}
	return total
}

// unseen tells how many more terms a stratum has in a whole of weight times n units.
func (s *stratum) unseen(n, weight float64) float64 {
	once := s.once * (1 - s.twofold/s.met)
	if once < 1 {
		return 0
	}
	if n < 2 {
		return once * (weight - 1)
	}
	most := (n - 1) / n * once * max(once-1, 0) / (2 * (s.twice + 1))
	rate := once / (n*most + once)
	return most * (1 - math.Pow(1-rate, n*(weight-1)))
}
