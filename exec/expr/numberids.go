package expr

import "github.com/rdfgpu/rdfgpu/dictionary"

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
