package watch

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// tally is a multiset of solutions, or the difference of two: how many times each is there, never 0. A solution is the keys of its terms
// (dictionary.AppendKey), each behind its length, which is 0 where a variable is unbound. So it means the same whatever files the store
// has, and needs no snapshot.
type tally struct {
	counts map[string]int64
	// bytes is about what it takes.
	bytes int64
}

// entryBytes is about what a solution takes in a map beside its own bytes.
const entryBytes = 64

func newTally() *tally { return &tally{counts: map[string]int64{}} }

// add counts a solution n times more.
func (t *tally) add(solution []byte, n int64) {
	now := t.counts[string(solution)] + n
	t.set(solution, now)
}

// set says how many times a solution is there.
func (t *tally) set(solution []byte, n int64) {
	if n != 0 {
		before := len(t.counts)
		t.counts[string(solution)] = n
		t.bytes += int64(len(t.counts)-before) * (int64(len(solution)) + entryBytes)
		return
	}
	before := len(t.counts)
	delete(t.counts, string(solution))
	t.bytes -= int64(before-len(t.counts)) * (int64(len(solution)) + entryBytes)
}

// addAll adds times another tally.
func (t *tally) addAll(other *tally, times int64) {
	for solution, n := range other.counts {
		t.add([]byte(solution), times*n)
	}
}

// appear takes a difference over and returns which solutions were not there before, and which are there no more.
func (t *tally) appear(difference *tally) *tally {
	out := newTally()
	for solution, n := range difference.counts {
		before := t.counts[solution]
		switch after := before + n; {
		case before <= 0 && after > 0:
			out.add([]byte(solution), 1)
		case before > 0 && after <= 0:
			out.add([]byte(solution), -1)
		}
	}
	t.addAll(difference, 1)
	return out
}

// split makes rows of a difference: those that came, and those that went.
func (t *tally) split() (added, removed []Row, err error) {
	for solution, n := range t.counts {
		terms, err := readSolution(solution)
		if err != nil {
			return nil, nil, err
		}
		if n > 0 {
			added = append(added, Row{Terms: terms, Count: uint64(n)})
		} else {
			removed = append(removed, Row{Terms: terms, Count: uint64(-n)})
		}
	}
	return added, removed, nil
}

// appendTerm appends a term of a solution; false where it has no key.
func appendTerm(dst []byte, t rdf.Term) ([]byte, bool) {
	if t.IsZero() {
		return append(dst, 0), true
	}
	var buffer [128]byte
	key, ok := dictionary.AppendKey(buffer[:0], t)
	return append(binary.AppendUvarint(dst, uint64(len(key))), key...), ok
}

// appendStored is appendTerm of a term that a dictionary has.
func appendStored(dst []byte, d *dictionary.Dictionary, id dictionary.ID) []byte {
	var buffer [128]byte
	key := d.AppendKey(buffer[:0], id)
	return append(binary.AppendUvarint(dst, uint64(len(key))), key...)
}

// termLength is how many bytes the first term of a solution takes.
func termLength(solution string) int {
	var start [binary.MaxVarintLen64]byte
	length, n := binary.Uvarint(start[:copy(start[:], solution)])
	return n + int(length)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// readSolution reads the terms of a solution.
func readSolution(solution string) (terms []rdf.Term, err error) {
	for rest := []byte(solution); len(rest) > 0; {
		length, n := binary.Uvarint(rest)
		key := rest[n : n+int(length)]
		rest = rest[n+int(length):]
		var t rdf.Term
		if length > 0 {
			if t, err = dictionary.ParseKey(key); err != nil {
				return nil, err
			}
		}
		terms = append(terms, t)
	}
	return terms, nil
}
