package mine

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
)

// ErrUnmatched: a program that only tables run.
var ErrUnmatched = errors.New("mine: a program for tables")

// mostOpen is how many pairs of positions may be left open, or apart, where patterns are matched: each can be an edge or none.
const mostOpen = 10

// Matched runs the program where embeddings of patterns can be counted, each with different vertices for different vertices, and those of label i > 0
// among the vertices that pass Roles()[i]. images counts the different vertices that stand for one of a pattern's. Pairs that are apart are
// counted as the embeddings without the edge less those with it, order constraints as a share of the embeddings. The error wraps
// ErrProgram, ErrExtension, ErrUnmatched, ErrCount, or is that of a function.
func (p Program) Matched(embeddings func(Pattern) (uint64, error), images func(Pattern, int) (uint64, error)) (Findings, error) {
	s, err := p.form()
	if err != nil || s.times == 0 {
		return s.nothing(p.Collect), err
	}
	m := &matched{form: s, embeddings: embeddings, counts: map[Pattern]*big.Int{}, byEdges: map[uint32]*big.Int{}}
	switch p.Collect {
	case CountPatterns:
		found, err := m.patterns()
		return Findings{Patterns: found}, err
	case CountImages:
		found, err := m.images(images)
		return Findings{Images: found}, err
	}
	n, err := m.without(s.adjacent, s.apart)
	if err != nil {
		return Findings{}, err
	}
	if m.share(n); !n.IsUint64() {
		return Findings{}, fmt.Errorf("%w: %v", ErrCount, n)
	}
	return Findings{Count: n.Uint64()}, nil
}

// Roles are the filters of the labels of patterns that Matched asks for.
func (p Program) Roles() (map[Label][]Filter, error) {
	s, err := p.form()
	if err != nil {
		return nil, err
	}
	roles := map[Label][]Filter{}
	for i, label := range s.labels[:s.size] {
		if label != NoLabel {
			roles[label] = s.filters[i]
		}
	}
	return roles, nil
}

// matched is a program of which patterns are counted.
type matched struct {
	*form
	embeddings func(Pattern) (uint64, error)
	counts     map[Pattern]*big.Int // of embeddings, by canonical pattern
	byEdges    map[uint32]*big.Int
}

// all are the pairs of positions.
func (m *matched) all() uint32 { return Clique(m.size).Edges }

// pattern is that of the positions with edges between some pairs.
func (m *matched) pattern(edges uint32) Pattern {
	return Pattern{Size: m.size, Edges: edges, Labels: m.labels}
}

// count is the number of embeddings with edges between some pairs, and perhaps others.
func (m *matched) count(edges uint32) (*big.Int, error) {
	if n := m.byEdges[edges]; n != nil {
		return n, nil
	}
	c, _ := m.pattern(edges).Canonical()
	if m.counts[c] == nil {
		n, err := m.embeddings(c)
		if err != nil {
			return nil, err
		}
		m.counts[c] = new(big.Int).SetUint64(n)
	}
	m.byEdges[edges] = m.counts[c]
	return m.counts[c], nil
}

// without is the number of embeddings with edges between some pairs, none between others, and perhaps some between the rest.
func (m *matched) without(edges, none uint32) (*big.Int, error) {
	if bits.OnesCount32(none) > mostOpen {
		return nil, fmt.Errorf("%w: %d pairs are apart, and at most %d can be", ErrUnmatched, bits.OnesCount32(none), mostOpen)
	}
	sum := new(big.Int)
	for some := none; ; some = (some - 1) & none {
		n, err := m.count(edges | some)
		if err != nil {
			return nil, err
		}
		if bits.OnesCount32(some)%2 == 0 {
			sum.Add(sum, n)
		} else {
			sum.Sub(sum, n)
		}
		if some == 0 {
			return sum, nil
		}
	}
}

// share makes rows of embeddings.
func (m *matched) share(n *big.Int) {
	n.Mul(n, big.NewInt(int64(m.times)))
	n.Quo(n, big.NewInt(int64(m.symmetries)))
}

// patterns counts rows by what their vertices induce: for each choice of edges between the pairs that are left open.
func (m *matched) patterns() ([]Support, error) {
	open := m.all() &^ (m.adjacent | m.apart)
	if n := bits.OnesCount32(open); n > mostOpen {
		return nil, fmt.Errorf("%w: %d pairs are left open, and at most %d can be", ErrUnmatched, n, mostOpen)
	}
	counts := map[Pattern]*big.Int{}
	for some := open; ; some = (some - 1) & open {
		edges := m.adjacent | some
		n, err := m.without(edges, m.all()&^edges)
		if err != nil {
			return nil, err
		}
		c, _ := Pattern{Size: m.size, Edges: edges}.Canonical()
		if counts[c] == nil {
			counts[c] = new(big.Int)
		}
		if counts[c].Add(counts[c], n); some == 0 {
			break
		}
	}
	for _, n := range counts {
		m.share(n)
	}
	return supportsOf(counts)
}

// images counts the different vertices of each orbit.
func (m *matched) images(count func(Pattern, int) (uint64, error)) ([]uint64, error) {
	if m.apart != 0 {
		return nil, fmt.Errorf("%w: the vertices of rows with pairs that are apart are not found by embeddings", ErrUnmatched)
	}
	sizes := make([]uint64, m.size)
	for i, orbit := range m.orbits {
		if orbit != i {
			sizes[i] = sizes[orbit]
			continue
		}
		n, err := count(m.pattern(m.adjacent), i)
		if err != nil {
			return nil, err
		}
		sizes[i] = n
	}
	return sizes, nil
}
