package cpu

import (
	"math"
	"runtime"

	"github.com/rdfgpu/rdfgpu/exec/match"
)

// NewContrary returns a matcher whose sizes are so small that tiny inputs fill tables, use several threads, memos and
// bitmaps.
func NewContrary() *Matcher {
	m := New()
	m.tuning = tuning{Tuning: match.Tuning{AnyCost: true}, tableRows: 3, oftenMark: 1, memoTrial: 50, memoShare: 8, memoBits: 2, manyRows: 4, rowPrice: 1, firstBlock: 1, fewMembers: 1, sparseBits: 1}
	return m
}

// NewTriples returns such a matcher that counts triangles by triples, also where it could count them in neighbourhoods.
func NewTriples() *Matcher {
	m := NewContrary()
	m.tuning.TriplesFirst = true
	return m
}

// NewDeep returns such a matcher for which levels beyond three have a price: the higher, the more counts are sums of others.
func NewDeep(price float64) *Matcher {
	m := NewContrary()
	m.tuning.DeepPrice = price
	return m
}

// NewOneCount returns a matcher that counts what is matched induced by one count alone.
func NewOneCount() *Matcher {
	m := New()
	m.tuning.NoSums = true
	return m
}

// NewStepwise returns a matcher that counts nothing in neighbourhoods.
func NewStepwise() *Matcher {
	m := New()
	m.tuning.NoDense = true
	return m
}

// NewWatched returns a matcher that tells how many workers are at work whenever one of them has worked long enough to look for an idle
// thread. They take turns there.
func NewWatched(atWork func(workers int)) *Matcher {
	m := New()
	m.tuning.looks = func(r *run) {
		atWork(1 + r.helpers.Running() - int(r.waiting.Load()))
		runtime.Gosched()
	}
	return m
}

// NewUncut returns a matcher that keeps no parts of lists.
func NewUncut() *Matcher {
	m := New()
	m.tuning.cutFrom = math.MaxInt
	return m
}
