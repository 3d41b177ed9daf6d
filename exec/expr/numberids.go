package expr

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// numberIDs remembers the IDs of computed numbers: counters, years and the numbers that rows are grouped by come again and again. Each number has one place, where a
// later one replaces an earlier one; there are more places the more was missed, until it is seen that few numbers come again.
type numberIDs struct {
	places       []numberPlace
	hits, misses int
}

// numberPlace is a number, by its class and units, and its ID; of class isOdd, none.
type numberPlace struct {
	high, units int64
	class       class
	id          dictionary.ID
}

// As many as mostNumberPlaces, which are 768 KiB, cost a wait for memory each time, which fewNumberPlaces do not.
const (
	firstNumberPlaces = 1 << 7
	mostNumberPlaces  = firstNumberPlaces << 8
	fewNumberPlaces   = 1 << 10
)

// find returns where a number is remembered, and whether it is there.
func (m *numberIDs) find(k class, high, units int64) (p *numberPlace, ok bool) {
	if len(m.places) > 0 {
		if p = m.place(k, high, units); p.units == units && p.class == k && p.high == high {
			m.hits++
			return p, true
		}
	}
	m.missed()
	return m.place(k, high, units), false
}

// missed counts a number that is not remembered, and sees to it that there are as many places as pay.
func (m *numberIDs) missed() {
	m.misses++
	switch n := len(m.places); {
	case n == 0, n != fewNumberPlaces && n < mostNumberPlaces && m.misses > 2*n:
		m.places = make([]numberPlace, max(firstNumberPlaces, 4*n))
	case n == mostNumberPlaces && m.misses > 4*n:
		if m.hits < m.misses/4 {
			m.places = make([]numberPlace, fewNumberPlaces)
		}
		m.hits, m.misses = 0, 0
	}
}

func (m *numberIDs) place(k class, high, units int64) *numberPlace {
	const spread = 0x9e3779b97f4a7c15
	h := uint64(units)*spread ^ uint64(high)
	h = (h ^ h>>32 ^ uint64(k)) * spread
	return &m.places[h>>40&uint64(len(m.places)-1)]
}

// numberID is idOf for a value that is a number of a class of units or bits.
func (c *run) numberID(k class, d *datum) dictionary.ID {
	units := d.value.Int
	if k == isFloat32 || k == isDouble {
		units = bitsOf(d.value.Float)
	}
	p, ok := c.numbered.find(k, 0, units)
	if !ok {
		*p = numberPlace{0, units, k, c.termID(c.termOf(d))}
	}
	return p.id
}

// numberIDs writes the IDs of numbers that the query has made to out.
func (c *run) numberIDs(v *numbers, out []dictionary.ID) {
	for i, k := range v.classes {
		high := int64(0)
		switch k {
		case isFailed:
			out[i] = dictionary.None
			continue
		case isOdd:
			out[i] = c.idOf(&v.odd[i])
			continue
		case isWide:
			high = v.high[i]
		}
		p, ok := c.numbered.find(k, high, v.units[i])
		if !ok {
			*p = numberPlace{high, v.units[i], k, c.termID(v.term(i))}
		}
		out[i] = p.id
	}
}

// term is that of a row that is a number of some class.
func (v *numbers) term(i int) *rdf.Term {
	var t rdf.Term
	if v.classes[i] == isWide {
		t = rdf.NewTyped(wideText(v.high[i], v.units[i]), rdf.XSDDecimal)
	} else {
		of := unitsValue(v.classes[i], v.units[i])
		t = termOfValue(&of)
	}
	return &t
}

// termID is the ID of a computed term; None where the query has ended.
func (c *run) termID(t *rdf.Term) dictionary.ID {
	if !c.spend(len(t.Value)) { // the dictionary is searched for all of it
		return dictionary.None
	}
	return c.env.Terms.ID(*t)
}
