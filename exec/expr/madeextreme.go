package expr

import (
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// madeExtremes are MIN (sign -1) and MAX (sign 1) of numbers that are computed: compared as values, by the order of ORDER BY, and made terms at the end.
type madeExtremes struct {
	sign int
	best []madeState
	// large are the best that are no small integers, or were not.
	large largeNumbers
}

// madeState is the best of a group so far. There may be many, so it is small and has no pointers.
type madeState struct {
	small int64  // an integer
	value uint32 // its place among the large, where it is none
	known bool
	// failed: one was an error.
	failed bool
}

func (f *extreme) addNumbers(c *run, groups []uint32, v *numbers, _ []uint64) {
	m := f.made
	for i, g := range groups {
		if int(g) >= len(m.best) {
			m.best = grow(m.best, g)
		}
		s := &m.best[g]
		switch k := v.classes[i]; {
		case k == isFailed:
			s.failed = true
		case k == isInteger && s.value == 0:
			if n := v.units[i]; !s.known || n != s.small && (n < s.small) == (f.sign < 0) {
				s.known, s.small = true, n
			}
		default:
			of := v.value(c, i)
			m.take(s, &of)
		}
	}
}

// take takes a number of any sort.
func (m *madeExtremes) take(s *madeState, v *dictionary.Value) {
	if !s.known {
		m.keep(s, v)
		return
	}
	best := m.of(s)
	c := compareExact(v, &best)
	if c == 0 {
		c = compareText(v.Canonical(), best.Canonical())
	}
	if c*m.sign > 0 {
		m.keep(s, v)
	}
}

func (m *madeExtremes) keep(s *madeState, v *dictionary.Value) {
	s.known = true
	switch {
	case s.value > 0:
		m.large.set(s.value, v)
	case v.Kind == dictionary.Integer && v.Big == nil:
		s.small = v.Int
	default:
		s.value = m.large.add(v)
	}
}

// of is the best of a group that has one.
func (m *madeExtremes) of(s *madeState) dictionary.Value {
	if s.value > 0 {
		return *m.large.at(s.value)
	}
	return integer(s.small)
}

func (m *madeExtremes) result(group int, out *idSource) dictionary.ID {
	s := at(m.best, group)
	if !s.known || s.failed {
		return dictionary.None
	}
	v := m.of(&s)
	return out.ofValue(&v)
}

func (m *madeExtremes) merge(of *madeExtremes, groups []uint32) {
	for g := range of.best {
		m.best = grow(m.best, groups[g])
		s, o := &m.best[groups[g]], &of.best[g]
		s.failed = s.failed || o.failed
		if o.known {
			v := of.of(o)
			m.take(s, &v)
		}
	}
}

func (m *madeExtremes) bytes() int64 {
	return int64(cap(m.best))*int64(unsafe.Sizeof(madeState{})) + m.large.bytes()
}
