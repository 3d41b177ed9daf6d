package expr

import (
	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// idSource gives computed terms their IDs, of one identity, for one goroutine. It remembers those of numbers, if they are not small, and short texts.
type idSource struct {
	terms    Terms
	identity dictionary.Identity
	numbers  numberIDs
	texts    map[string]dictionary.ID
	// next and the IDs below it, left in all, are for terms without identity; step is how many were taken at a time. uncounted are bytes of such terms.
	next       dictionary.ID
	left, step int
	uncounted  int64
}

func (s *idSource) of(t *rdf.Term) dictionary.ID {
	switch s.identity {
	case dictionary.IdentityFull:
		return s.terms.ID(*t)
	case dictionary.IdentityComputed:
		return s.terms.ComputedID(*t)
	}
	id := s.room()
	s.terms.SetTerm(id, *t)
	if s.uncounted += looseTermBytes + int64(len(t.Value)); s.uncounted >= countBytes {
		s.terms.Count(s.uncounted)
		s.uncounted = 0
	}
	return id
}

// looseTermBytes are about what a term without identity takes beside its text, countBytes how many of such are counted at a time.
const (
	looseTermBytes = 120
	countBytes     = 64 << 10
)

// ofUnits is of for the canonical term of a number of a class of units or bits.
func (s *idSource) ofUnits(k class, units int64) dictionary.ID {
	switch s.identity {
	case dictionary.IdentityFull:
		v := k.Value(units)
		return s.terms.ID(v.Canonical())
	case dictionary.IdentityComputed:
		return s.terms.ComputedNumber(k, units)
	}
	id, small := s.terms.SmallNumber(k, units)
	if !small {
		id = s.room()
		s.terms.SetNumber(id, k, units)
	}
	return id
}

// ofValue is of for the canonical term of a number or boolean.
func (s *idSource) ofValue(v *dictionary.Value) dictionary.ID {
	if k, units := dictionary.ClassOf(v); k != isOdd {
		return s.ofUnits(k, units)
	}
	t := v.Canonical()
	return s.of(&t)
}

// room is an ID that no other term has.
func (s *idSource) room() dictionary.ID {
	if s.left == 0 {
		s.step = min(max(8, 2*s.step), mostRoom)
		s.next, s.left = s.terms.Room(s.step), s.step
	}
	s.next--
	s.left--
	return s.next + 1
}

// mostRoom is how many IDs are taken at a time, at most.
const mostRoom = 1024

// idOf returns the ID of a datum, which tells all; None for an error, and where the query has ended.
func (c *run) idOf(d *datum) dictionary.ID { return c.idAs(&c.full, d) }

// idAs returns the ID of a datum; None for an error, and where the query has ended.
func (c *run) idAs(s *idSource, d *datum) dictionary.ID {
	switch {
	case d.known == 0:
		return dictionary.None
	case d.known&hasID != 0 && s.identity != dictionary.IdentityComputed:
		return d.id
	case d.known == hasValue:
		if k, units := dictionary.ClassOf(&d.value); k != isOdd {
			return c.unitsID(s, k, units)
		}
	case d.known == hasTerm|hasValue && d.value.Kind == dictionary.String && len(d.term.Value) <= shortText:
		return c.textID(s, d)
	}
	return c.termID(s, c.termOf(d))
}

// termID is the ID of a computed term; None where the query has ended.
func (c *run) termID(s *idSource, t *rdf.Term) dictionary.ID {
	if !c.spend(len(t.Value)) { // all of it is looked at
		return dictionary.None
	}
	return s.of(t)
}

// shortText is up to which length the IDs of computed strings are remembered: language tags, flags and classes repeat.
const shortText = 16

// textID is the ID of a short computed string.
func (c *run) textID(s *idSource, d *datum) dictionary.ID {
	if id, ok := s.texts[d.term.Value]; ok {
		return id
	}
	id := s.of(&d.term)
	if s.texts == nil || len(s.texts) >= memoEntries {
		s.texts = make(map[string]dictionary.ID)
	}
	s.texts[d.term.Value] = id
	return id
}

// numberText is about how long the text of a number is, which is work.
const numberText = 8

// unitsID is the ID of a number of a class of units or bits.
func (c *run) unitsID(s *idSource, k class, units int64) dictionary.ID {
	if s.identity != dictionary.IdentityFull {
		if id, ok := s.terms.SmallNumber(k, units); ok {
			return id
		}
	}
	p, ok := s.numbers.find(k, 0, units)
	if !ok {
		if !c.spend(numberText) {
			return dictionary.None
		}
		*p = numberPlace{0, units, k, s.ofUnits(k, units)}
	}
	return p.id
}

// wideID is the ID of a number of 128 bits by 10^divisionDigits.
func (c *run) wideID(s *idSource, high, low int64) dictionary.ID {
	if s.identity != dictionary.IdentityFull {
		if k, units, ok := narrowed(high, low); ok {
			return s.ofUnits(k, units)
		}
	}
	p, ok := s.numbers.find(isWide, high, low)
	if !ok {
		t := rdf.NewTyped(wideText(high, low), rdf.XSDDecimal)
		*p = numberPlace{high, low, isWide, c.termID(s, &t)}
	}
	return p.id
}

// numberIDs writes the IDs of numbers that the query has made to out.
func (c *run) numberIDs(s *idSource, v *numbers, out []dictionary.ID) {
	for i, k := range v.classes {
		switch k {
		case isFailed:
			out[i] = dictionary.None
		case isOdd:
			out[i] = c.idAs(s, &v.odd[i])
		case isWide:
			out[i] = c.wideID(s, v.high[i], v.units[i])
		default:
			out[i] = c.unitsID(s, k, v.units[i])
		}
	}
}
