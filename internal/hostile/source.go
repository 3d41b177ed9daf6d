package hostile

import "math/rand/v2"

// Source is where a generator's choices come from.
type Source interface {
	// IntN is a number from 0 to n-1.
	IntN(n int) int
}

// Random is the source of one query of a campaign: the same seed and number give the same query.
func Random(seed, number uint64) Source { return rand.New(rand.NewPCG(seed, number)) }

// Bytes is a source that reads its choices from bytes, for fuzzing. Behind their end every choice is 0, which is the
// smallest that the grammar has.
func Bytes(b []byte) Source { return &byteSource{b} }

type byteSource struct{ left []byte }

// IntN takes as many bytes as n needs.
func (s *byteSource) IntN(n int) int {
	value := 0
	for most := n - 1; most > 0 && len(s.left) > 0; most >>= 8 {
		value = value<<8 | int(s.left[0])
		s.left = s.left[1:]
	}
	return value % n
}
