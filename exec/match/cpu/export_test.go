package cpu

import "github.com/rdfgpu/rdfgpu/exec/match"

// NewContrary returns a matcher whose sizes are so small that tiny inputs fill tables, use several threads, memos and
// bitmaps.
func NewContrary() *Matcher {
	m := New()
	m.tuning = tuning{Tuning: match.Tuning{AnyCost: true}, tableRows: 3, oftenMark: 1, memoTrial: 50, memoShare: 8, memoBits: 2, manyRows: 4, rowPrice: 1}
	return m
}
