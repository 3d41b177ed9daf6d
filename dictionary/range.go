package dictionary

import (
	"bytes"
	"sort"
	"strings"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Comparison is an operator whose left side is a variable and whose right side is a constant.
type Comparison uint8

const (
	IsLess Comparison = iota
	IsLessOrEqual
	IsEqual
	IsGreaterOrEqual
	IsGreater
)

// Holds reports whether the comparison is true of two values in that order.
func (c Comparison) Holds(o Order) bool {
	switch c {
	case IsLess:
		return o == Less
	case IsLessOrEqual:
		return o == Less || o == Equal
	case IsEqual:
		return o == Equal
	case IsGreaterOrEqual:
		return o == Greater || o == Equal
	}
	return o == Greater
}

// maxDisputed bounds the numbers that ValueRange compares one by one.
const maxDisputed = 4096

// ValueRange is the IDs below Ordered for which `?x c constant` is true by SPARQL's operators (Compare; plain strings by
// code points), as ascending ranges that do not touch, some for each segment; all other IDs below Ordered give false or a
// type error, and of those from Ordered on it says nothing. exact is false when the constant has no such order (an IRI,
// a language-tagged or other literal), or when the answer would not be a few ranges; then the ranges mean nothing.
func (d *Dictionary) ValueRange(c Comparison, constant rdf.Term) (ranges []Range, exact bool) {
	v := ParseValue(constant)
	for i := range d.segments {
		switch {
		case v.IsNumeric():
			if ranges, exact = d.numberRange(ranges, c, d.Section(i, Numbers), &v); !exact {
				return nil, false
			}
		case v.IsTemporal():
			ranges = d.temporalRange(ranges, c, d.Section(i, Temporals), v)
		case v.Kind == Boolean:
			ranges = d.orderedRange(ranges, c, d.Section(i, Booleans), v)
		case v.Kind == String:
			ranges = d.stringRange(ranges, c, d.Section(i, Strings), constant.Value)
		default:
			return nil, false
		}
	}
	return ranges, true
}

// appendRange appends a range, joined to the last where they touch; empty ones are left out.
func appendRange(ranges []Range, from, to ID) []Range {
	if from >= to {
		return ranges
	}
	if n := len(ranges); n > 0 && ranges[n-1].To == from {
		ranges[n-1].To = to
		return ranges
	}
	return append(ranges, Range{from, to})
}

// search is the first ID of a range for which f is true; f must be false before and true from there on.
func search(r Range, f func(ID) bool) ID {
	return r.From + ID(sort.Search(r.Len(), func(i int) bool { return f(r.From + ID(i)) }))
}

// orderedRange appends the matches in a range of values of one kind, which lie in the order of Compare: first those that
// are Less, then those that are Equal or, all of them, Incomparable, then those that are Greater.
func (d *Dictionary) orderedRange(ranges []Range, c Comparison, r Range, v Value) []Range {
	low := search(r, func(id ID) bool { return Compare(d.Value(id), v) != Less })
	high := search(Range{low, r.To}, func(id ID) bool { return Compare(d.Value(id), v) == Greater })
	if c.Holds(Less) {
		ranges = appendRange(ranges, r.From, low)
	}
	if c.Holds(Equal) && low < high && Compare(d.Value(low), v) == Equal {
		ranges = appendRange(ranges, low, high)
	}
	if c.Holds(Greater) {
		ranges = appendRange(ranges, high, r.To)
	}
	return ranges
}

// temporalRange appends the matches among the dates and times of one segment.
func (d *Dictionary) temporalRange(ranges []Range, c Comparison, all Range, v Value) []Range {
	from := search(all, func(id ID) bool { return d.Value(id).Kind >= v.Kind })
	unzoned := search(Range{from, all.To}, func(id ID) bool {
		e := d.Value(id)
		return e.Kind > v.Kind || e.Zone == NoZone
	})
	to := search(Range{unzoned, all.To}, func(id ID) bool { return d.Value(id).Kind > v.Kind })
	ranges = d.orderedRange(ranges, c, Range{from, unzoned}, v)
	return d.orderedRange(ranges, c, Range{unzoned, to}, v)
}

// numberRange cuts the numbers of one segment, which lie in exact order, into those that are less than v and those that
// are greater under every type promotion, and what is disputed in between: equal numbers, and those that are equal only
// after they or v were rounded to float or double. The disputed ones are compared one by one.
func (d *Dictionary) numberRange(ranges []Range, c Comparison, all Range, v *Value) (_ []Range, exact bool) {
	if v.IsNaN() {
		return ranges, true
	}
	all.To = search(all, func(id ID) bool { return d.Value(id).IsNaN() })
	low, high := d.disputed(all, v)
	if high-low > maxDisputed {
		return nil, false
	}
	if c.Holds(Less) {
		ranges = appendRange(ranges, all.From, low)
	}
	for id := low; id < high; id++ {
		if c.Holds(Compare(d.Value(id), *v)) {
			ranges = appendRange(ranges, id, id+1)
		}
	}
	if c.Holds(Greater) {
		ranges = appendRange(ranges, high, all.To)
	}
	return ranges, true
}

func (d *Dictionary) disputed(all Range, v *Value) (low, high ID) {
	low, high = all.To, all.From
	bound := func(less, greater func(*Value) bool) {
		low = min(low, search(all, func(id ID) bool { e := d.Value(id); return !less(&e) }))
		high = max(high, search(all, func(id ID) bool { e := d.Value(id); return greater(&e) }))
	}
	exactly := func(v Value) {
		order := appendNumberOrder(nil, &v)
		var buffer [64]byte
		compare := func(e *Value) int { return bytes.Compare(appendNumberOrder(buffer[:0], e), order) }
		bound(func(e *Value) bool { return compare(e) < 0 }, func(e *Value) bool { return compare(e) > 0 })
	}
	exactly(*v)
	switch v.Kind {
	case Float:
		f := float32(v.Float)
		bound(func(e *Value) bool { return e.Float32() < f }, func(e *Value) bool { return e.Float32() > f })
	case Double:
		bound(func(e *Value) bool { return e.Float64() < v.Float }, func(e *Value) bool { return e.Float64() > v.Float })
	default:
		exactly(Value{Kind: Float, Float: float64(v.Float32())})
		exactly(Value{Kind: Double, Float: v.Float64()})
	}
	return low, high
}

// stringRange appends the matches among the plain strings of one segment.
func (d *Dictionary) stringRange(ranges []Range, c Comparison, all Range, s string) []Range {
	low := search(all, func(id ID) bool { return d.compareText(id, s) >= 0 })
	high := low
	if low < all.To && d.compareText(low, s) == 0 {
		high++
	}
	if c.Holds(Less) {
		ranges = appendRange(ranges, all.From, low)
	}
	if c.Holds(Equal) {
		ranges = appendRange(ranges, low, high)
	}
	if c.Holds(Greater) {
		ranges = appendRange(ranges, high, all.To)
	}
	return ranges
}

// compareText compares the text of an ID below Ordered with s, in byte order, which is the order of code points.
func (d *Dictionary) compareText(id ID, s string) int {
	var buffer [512]byte
	return strings.Compare(string(d.appendStored(buffer[:0], id)), s)
}

// appendStored appends the text of an ID below Ordered.
func (d *Dictionary) appendStored(dst []byte, id ID) []byte {
	segment := d.base
	if id >= d.end {
		segment, id = d.locate(id)
	}
	t, _ := segment.text(id)
	return t.append(dst)
}
