package dictionary

import (
	"cmp"
	"math"
	"math/big"
)

// Order is the outcome of comparing two values by SPARQL's operators (=, <, >).
type Order int8

const (
	Less    Order = -1
	Equal   Order = 0
	Greater Order = 1
	// Unordered: comparable, but neither less, equal nor greater: a NaN is there. Only != is true.
	Unordered Order = 2
	// Incomparable: the operators raise a type error, or the order of a time with and one without zone is undetermined.
	Incomparable Order = 3
)

// Compare compares two values by the operator mapping of SPARQL 1.1 (section 17.3) with numeric type promotion; dates,
// times, gYears and gYearMonths are compared among their own kind. Text is not part of a Value: strings and other
// literals are Incomparable here.
//
// Of two dates or times where one has no zone, the order is known when it is the same for all zones from −14:00 to
// +14:00 (XSD 1.0 part 2, section 3.2.7.4); otherwise they are Incomparable.
func Compare(a, b Value) Order {
	switch {
	case a.IsNumeric() && b.IsNumeric():
		return compareNumbers(&a, &b)
	case a.Kind != b.Kind:
		return Incomparable
	case a.IsTemporal():
		return compareTemporal(&a, &b)
	case a.Kind == Boolean:
		return Order(cmp.Compare(a.Int, b.Int))
	}
	return Incomparable
}

func compareNumbers(a, b *Value) Order {
	switch max(a.Kind, b.Kind) {
	case Double:
		return compareFloats(a.Float64(), b.Float64())
	case Float:
		return compareFloats(float64(a.Float32()), float64(b.Float32()))
	}
	return Order(compareExact(a, b))
}

func compareFloats(a, b float64) Order {
	switch {
	case a < b:
		return Less
	case a > b:
		return Greater
	case a == b:
		return Equal
	}
	return Unordered
}

// compareExact compares two Integers or Decimals.
func compareExact(a, b *Value) int {
	if a.Big != nil || b.Big != nil {
		return a.Decimal().Cmp(b.Decimal())
	}
	if a.Scale == b.Scale {
		return cmp.Compare(a.Int, b.Int)
	}
	if a.Scale > b.Scale {
		return -compareExact(b, a)
	}
	// a has fewer decimals: shift it, unless that overflows.
	shift := powersOfTenInt[b.Scale-a.Scale]
	if a.Int <= math.MaxInt64/shift && a.Int >= math.MinInt64/shift {
		return cmp.Compare(a.Int*shift, b.Int)
	}
	var x, y big.Int
	x.Mul(big.NewInt(a.Int), big.NewInt(shift))
	return x.Cmp(y.SetInt64(b.Int))
}

var powersOfTenInt = func() (t [19]int64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * 10
	}
	return t
}()

// zoneSpread is the furthest that a zone can shift a time: 14 hours, in seconds.
const zoneSpread = 14 * 3600

func compareTemporal(a, b *Value) Order {
	switch {
	case (a.Zone == NoZone) == (b.Zone == NoZone):
		return Order(compareInstant(a, b, 0))
	case b.Zone != NoZone:
		if o := compareUnzoned(b, a); o != Incomparable {
			return -o
		}
		return Incomparable
	}
	return compareUnzoned(a, b)
}

// compareUnzoned compares a, which has a zone, with b, which has none.
func compareUnzoned(a, b *Value) Order {
	switch {
	case compareInstant(a, b, -zoneSpread) < 0:
		return Less
	case compareInstant(a, b, zoneSpread) > 0:
		return Greater
	}
	return Incomparable
}

// compareInstant compares a with b moved by some seconds.
func compareInstant(a, b *Value, shift int64) int {
	if c := cmp.Compare(a.Int, b.Int+shift); c != 0 {
		return c
	}
	return cmp.Compare(a.Nanos, b.Nanos)
}
