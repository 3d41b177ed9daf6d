package loader

import (
	"math"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// predicates numbers the predicates in the order in which they are met.
type predicates struct {
	mu     sync.RWMutex
	number map[string]uint32
	keys   []string
}

func newPredicates() *predicates {
	p := &predicates{number: map[string]uint32{}}
	p.id([]byte("<" + rdf.RDFType)) // number 0, whether it is used or not
	return p
}

// typeNumber is the number of rdf:type.
const typeNumber = 0

func (p *predicates) id(key []byte) uint32 {
	p.mu.RLock()
	n, ok := p.number[text(key)]
	p.mu.RUnlock()
	if ok {
		return n
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n, ok = p.number[text(key)]; !ok {
		n = uint32(len(p.keys))
		p.keys = append(p.keys, string(key))
		p.number[p.keys[n]] = n
	}
	return n
}

// sorted gives every predicate in use its label: the one that known tells, or, by the order of their keys, the next from
// first on. keys are those that get a new one.
func (p *predicates) sorted(uses []uint64, first uint32, known func(number int) (label uint32, ok bool)) (labels []uint32, keys []string) {
	labels = slices.Repeat([]uint32{math.MaxUint32}, len(p.keys))
	for n, k := range p.keys {
		if n >= len(uses) || uses[n] == 0 {
			continue
		}
		if label, ok := known(n); ok {
			labels[n] = label
			continue
		}
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, k := range keys {
		labels[p.number[k]] = first + uint32(i)
	}
	return labels, keys
}
