package expr

import (
	"cmp"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// NumberKeyColumns is how many columns of a batch number keys take.
const NumberKeyColumns = 3

// NumberKey is what a computed number is ordered by: its class and units, so that no term is made of it; or, where it is no number or fits no column, the ID of its
// term. An error is one too. Keys are kept in columns beside those of IDs: the class and what a wide number has above 64 bits in the first, the units in the others.
type NumberKey struct {
	class class
	high  int64
	// units are those of the class; of isOdd, the ID.
	units int64
}

// A first column has the class above highBits of a wide number.
const (
	highBits = 24
	mostHigh = 1<<(highBits-1) - 1
)

// IsOrderedAsNumber reports whether the results are best ordered by number keys: numbers that the expression makes, or chooses between.
func (p *Program) IsOrderedAsNumber() bool { return ordersNumbers(p.root) }

func ordersNumbers(n node) bool {
	switch n := n.(type) {
	case *positive:
		return true
	case *choose:
		return ordersNumbers(n.yes) || ordersNumbers(n.no)
	case *coalesce:
		for _, arg := range n.args {
			if ordersNumbers(arg) {
				return true
			}
		}
		return false
	}
	return computesNumbers(n)
}

// NumberKeys writes the keys of n rows of cols to out, of NumberKeyColumns columns. Where expressions have stopped (Env.Err) what it writes means nothing.
func (p *Program) NumberKeys(cols [][]dictionary.ID, n int, out [][]dictionary.ID) {
	p.numbers(cols, n, func(c *run, from int, v *numbers) {
		first, upper, lower := out[0][from:], out[1][from:], out[2][from:]
		for i, k := range v.classes {
			units, head := v.units[i], uint32(k)<<highBits
			switch {
			case k == isOdd:
				units = int64(c.idOf(&v.odd[i]))
			case k != isWide:
			case v.high[i] > mostHigh || v.high[i] < -mostHigh:
				var d datum
				v.datum(i, &d)
				units, head = int64(c.idOf(&d)), 0
			default:
				head |= uint32(v.high[i]) & (1<<highBits - 1)
			}
			first[i], upper[i], lower[i] = head, uint32(uint64(units)>>32), uint32(units)
		}
	})
}

// NumberKeyAt returns the key of a row, given its columns.
func NumberKeyAt(cols [][]dictionary.ID, row int) NumberKey {
	head := cols[0][row]
	return NumberKey{
		class: class(head >> highBits),
		high:  int64(int32(head<<(32-highBits))) >> (32 - highBits),
		units: int64(uint64(cols[1][row])<<32 | uint64(cols[2][row])),
	}
}

// wide is a key of an exact class by 10^divisionDigits.
func (k *NumberKey) wide() (high int64, low uint64) {
	if k.class == isWide {
		return k.high, uint64(k.units)
	}
	return widened(k.class, k.units)
}

// CompareNumberKeys compares what they stand for, as Compare does terms.
func (c *Comparer) CompareNumberKeys(a, b *NumberKey) int {
	switch {
	case a.class == b.class && fitsUnits(a.class):
		return cmp.Compare(a.units, b.units)
	case isExact(a.class) && isExact(b.class):
		high, low := a.wide()
		h, l := b.wide()
		return cmp.Or(cmp.Compare(high, h), cmp.Compare(low, l))
	case a.class == isFailed || b.class == isFailed:
		return cmp.Compare(btoi(b.class == isFailed), btoi(a.class == isFailed))
	case a.class == isOdd && b.class == isOdd:
		return c.Compare(dictionary.ID(a.units), dictionary.ID(b.units))
	}
	x, y := c.keyValue(a), c.keyValue(b)
	if r, s := rank(x.Kind), rank(y.Kind); r != s {
		return cmp.Compare(r, s)
	}
	return compareExact(&x, &y)
}

// keyValue is that of a key which is no error.
func (c *Comparer) keyValue(k *NumberKey) dictionary.Value {
	switch k.class {
	case isOdd:
		return c.terms.Value(dictionary.ID(k.units))
	case isWide:
		return wideValue(k.high, k.units)
	}
	return k.class.Value(k.units)
}
