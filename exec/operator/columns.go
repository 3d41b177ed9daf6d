package operator

import (
	"slices"

	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// fewColumns is up to how many columns are searched one after the other.
const fewColumns = 32

// Indexes returns the position of each name in columns, -1 where it is missing.
func Indexes(columns, names []string) []int {
	out := make([]int, len(names))
	if len(columns) > fewColumns {
		at := make(map[string]int, len(columns))
		for i, c := range columns {
			at[c] = i
		}
		for i, v := range names {
			out[i] = -1
			if c, ok := at[v]; ok {
				out[i] = c
			}
		}
		return out
	}
	for i, v := range names {
		out[i] = IndexOf(columns, v)
	}
	return out
}

// IndexOf returns the position of a name, -1 where it is missing.
func IndexOf(columns []string, v string) int {
	for i, c := range columns {
		if c == v {
			return i
		}
	}
	return -1
}

// Projection picks columns of batches in another order; a missing column is unbound.
type Projection struct {
	From []int
	out  vector.Batch
}

// Keeps reports whether it picks all of so many columns, so that different rows stay different.
func (p *Projection) Keeps(columns int) bool {
	for c := range columns {
		if !slices.Contains(p.From, c) {
			return false
		}
	}
	return true
}

// Of returns the picked columns as a batch, valid until the next call.
func (p *Projection) Of(b *vector.Batch) *vector.Batch {
	p.out.Cols = p.out.Cols[:0]
	for _, c := range p.From {
		if c < 0 {
			p.out.Cols = append(p.out.Cols, vector.Unbound(b.N))
		} else {
			p.out.Cols = append(p.out.Cols, b.Cols[c])
		}
	}
	p.out.N, p.out.Origin, p.out.Weights, p.out.Passed = b.N, b.Origin, b.Weights, b.Passed
	p.out.Lists = p.out.Lists[:0]
	if len(b.Lists) > 0 {
		p.list(b)
	}
	return &p.out
}

// list picks the lists of a batch, none of them twice.
func (p *Projection) list(b *vector.Batch) {
	for to, from := range p.From {
		for i := range b.Lists {
			if b.Lists[i].Column == from {
				p.out.Lists = append(p.out.Lists, vector.List{Column: to, Values: b.Lists[i].Values, Ends: b.Lists[i].Ends})
			}
		}
	}
}
