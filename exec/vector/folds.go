package vector

import "github.com/rdfgpu/rdfgpu/dictionary"

// Folds are what the numbers of some groups come to, group by group.
type Folds struct {
	// Counts are how many rows there were, up to the largest number; Low and High their sums, of 128 bits with a sign, by 10^Scale; Decimal, whether a number was
	// a decimal.
	Counts, Low, High []uint64
	Scale             uint8
	Decimal           []bool
	// Least and Greatest are the IDs of the least and the greatest number.
	Least, Greatest []dictionary.ID
}

// Part is the groups from … to; it shares their memory.
func (f *Folds) Part(from, to int) *Folds {
	out := &Folds{Scale: f.Scale}
	if f.Counts != nil {
		out.Counts, out.Low, out.High, out.Decimal = f.Counts[from:to], f.Low[from:to], f.High[from:to], f.Decimal[from:to]
	}
	if f.Least != nil {
		out.Least, out.Greatest = f.Least[from:to], f.Greatest[from:to]
	}
	return out
}

// Select is some of the groups, copied.
func (f *Folds) Select(groups []uint32) *Folds {
	out := &Folds{Scale: f.Scale}
	if f.Counts != nil {
		out.Counts, out.Low, out.High = Gather(nil, f.Counts, groups), Gather(nil, f.Low, groups), Gather(nil, f.High, groups)
		out.Decimal = Gather(nil, f.Decimal, groups)
	}
	if f.Least != nil {
		out.Least, out.Greatest = Gather(nil, f.Least, groups), Gather(nil, f.Greatest, groups)
	}
	return out
}
