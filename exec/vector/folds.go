package vector

import "github.com/rdfgpu/rdfgpu/dictionary"

// Folds are what the numbers of some groups come to, group by group.
type Folds struct {
	// Counts are how many rows there were, up to the largest number; Low and High their sums, of 128 bits with a sign, by 10^Scale; Decimal, whether a number was
	// a decimal.
	Counts, Low, High []uint64
	Scale             uint8
	Decimal           []bool
	// Least and Greatest are the IDs of the least and the greatest number; where it is computed, LeastUnits and GreatestUnits are what they are, by the class Units.
	Least, Greatest           []dictionary.ID
	Units                     dictionary.NumberClass
	LeastUnits, GreatestUnits []int64
	// Keys are those of the groups' keys that are computed; nil where none is, and each without numbers where it is a column.
	Keys []Numbers
}

// Numbers are numbers by their classes and units.
type Numbers struct {
	Classes []dictionary.NumberClass
	Units   []int64
}

// Part is the groups from … to; it shares their memory.
func (f *Folds) Part(from, to int) *Folds {
	out := &Folds{Scale: f.Scale, Units: f.Units}
	if f.Counts != nil {
		out.Counts, out.Low, out.High, out.Decimal = f.Counts[from:to], f.Low[from:to], f.High[from:to], f.Decimal[from:to]
	}
	if f.Least != nil {
		out.Least, out.Greatest = f.Least[from:to], f.Greatest[from:to]
	}
	if f.LeastUnits != nil {
		out.LeastUnits, out.GreatestUnits = f.LeastUnits[from:to], f.GreatestUnits[from:to]
	}
	for _, k := range f.Keys {
		if k.Units != nil {
			k = Numbers{k.Classes[from:to], k.Units[from:to]}
		}
		out.Keys = append(out.Keys, k)
	}
	return out
}

// Select is some of the groups, copied.
func (f *Folds) Select(groups []uint32) *Folds {
	out := &Folds{Scale: f.Scale, Units: f.Units}
	if f.Counts != nil {
		out.Counts, out.Low, out.High = Gather(nil, f.Counts, groups), Gather(nil, f.Low, groups), Gather(nil, f.High, groups)
		out.Decimal = Gather(nil, f.Decimal, groups)
	}
	if f.Least != nil {
		out.Least, out.Greatest = Gather(nil, f.Least, groups), Gather(nil, f.Greatest, groups)
	}
	if f.LeastUnits != nil {
		out.LeastUnits, out.GreatestUnits = Gather(nil, f.LeastUnits, groups), Gather(nil, f.GreatestUnits, groups)
	}
	for _, k := range f.Keys {
		if k.Units != nil {
			k = Numbers{Gather(nil, k.Classes, groups), Gather(nil, k.Units, groups)}
		}
		out.Keys = append(out.Keys, k)
	}
	return out
}
