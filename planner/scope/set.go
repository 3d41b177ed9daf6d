package scope

import (
	"iter"
	"math/bits"
)

// Set is a set of variables by their numbers. Sets are values: no operation changes its operands, and results may share
// their memory. The last word is never zero, so that equal sets have equal words.
type Set []uint64

// Has reports whether a variable is in the set.
func (s Set) Has(v int) bool { return v>>6 < len(s) && s[v>>6]>>(v&63)&1 == 1 }

// Empty reports whether the set has no member.
func (s Set) Empty() bool { return len(s) == 0 }

// Len is the number of members.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// All yields the members in the order of their numbers.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Within reports whether every member is in t.
func (s Set) Within(t Set) bool {
	if len(s) > len(t) {
		return false
	}
	for i, w := range s {
		if w&^t[i] != 0 {
			return false
		}
	}
	return true
}

// Meets reports whether a member is in t.
func (s Set) Meets(t Set) bool {
	for i := range min(len(s), len(t)) {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// Or is the union of the sets.
func (s Set) Or(t Set) Set {
	if t.Within(s) {
		return s
	}
	if s.Within(t) {
		return t
	}
	long, short := s, t
	if len(long) < len(short) {
		long, short = short, long
	}
	out := append(Set(nil), long...)
	for i, w := range short {
		out[i] |= w
	}
	return out
}

// And is the intersection of the sets.
func (s Set) And(t Set) Set {
	if s.Within(t) {
		return s
	}
	out := make(Set, min(len(s), len(t)))
	for i := range out {
		out[i] = s[i] & t[i]
	}
	return out.trimmed()
}

// Without is the members of s that are not in t.
func (s Set) Without(t Set) Set {
	if !s.Meets(t) {
		return s
	}
	out := append(Set(nil), s...)
	for i := range min(len(s), len(t)) {
		out[i] &^= t[i]
	}
	return out.trimmed()
}

func (s Set) trimmed() Set {
	for len(s) > 0 && s[len(s)-1] == 0 {
		s = s[:len(s)-1]
	}
	return s
}

// Key is a string that equal sets alone have.
func (s Set) Key() string {
	key := make([]byte, 0, 8*len(s))
	for _, w := range s {
		for shift := 0; shift < 64; shift += 8 {
			key = append(key, byte(w>>shift))
		}
	}
	return string(key)
}

// with adds a member to a set that nobody else has.
func (s Set) with(v int) Set {
	for len(s) <= v>>6 {
		s = append(s, 0)
	}
	s[v>>6] |= 1 << (v & 63)
	return s
}

// single is the set of one variable.
func single(v int) Set {
	return make(Set, v>>6+1).with(v)
}
