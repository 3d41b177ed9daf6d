package kernels

import (
	"math"
	"math/big"
	"math/bits"
)

// siftRows copies the rows that pass, one after the other.
func (t *twin) siftRows(s *Sifting) {
	for row := s.First; row < s.First+s.Rows; row++ {
		weight := uint64(1)
		if s.WeightLow != 0 {
			weight = uint64(t.word(s.WeightHigh, row))<<32 | uint64(t.word(s.WeightLow, row))
		}
		computed, passes, odd := t.judge(s, row)
		if !passes || !t.looksUp(s, row, &weight) {
			continue
		}
		if odd {
			s.Odd++
		}
		for c := range s.Width {
			if s.To[c] != 0 {
				*in[uint32](t.memory, s.To[c], s.Kept) = t.word(s.From[c], row)
			}
		}
		if s.ToLow != 0 {
			*in[uint32](t.memory, s.ToLow, s.Kept) = uint32(weight)
			*in[uint32](t.memory, s.ToHigh, s.Kept) = uint32(weight >> 32)
		}
		if s.Doubled != 0 {
			high := new(big.Int).Rsh(computed.result, 64)
			low := new(big.Int).Sub(computed.result, new(big.Int).Lsh(high, 64))
			*in[uint64](t.memory, s.Doubled, 2*s.Kept), *in[int64](t.memory, s.Doubled, 2*s.Kept+1) = low.Uint64(), high.Int64()
		}
		for i, to := range s.Words {
			if to != 0 {
				*in[uint32](t.memory, to, s.Kept) = computed.words[i]
			}
		}
		s.Kept++
	}
}

// siftNumber is a number, or a truth, of a Sifting's stack.
type siftNumber struct {
	n        *big.Int
	fraction bool
}

// siftComputed is what a row has beside its columns.
type siftComputed struct {
	result *big.Int
	words  [MostKeys]uint32
}

// siftStack is the stack of a Sifting's code.
type siftStack []siftNumber

func (s *siftStack) push(n *big.Int, fraction bool) { *s = append(*s, siftNumber{n, fraction}) }

func (s *siftStack) pop() siftNumber {
	top := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return top
}

// judge runs the code of a Sifting for a row; odd rows pass.
func (t *twin) judge(s *Sifting, row uint64) (computed siftComputed, passes, odd bool) {
	computed.result = new(big.Int)
	var stack siftStack
	for _, word := range s.Code[:s.CodeCount] {
		of := word / SiftOps
		switch op := SiftOp(word % SiftOps); op {
		case SiftColumn:
			set := of / MostTop
			twice, ok := t.doubled(s.Numbers[set*MostNumbers:][:s.Ranges[set]], t.word(s.From[of%MostTop], row))
			if !ok {
				return computed, true, true
			}
			stack.push(big.NewInt(twice>>1), twice&1 != 0)
		case SiftConstant:
			stack = append(stack, s.Constants[of].number())
		case SiftRequire:
			if stack.pop().n.Sign() == 0 {
				return computed, false, false
			}
		case SiftResult:
			top := stack.pop()
			if top.n.BitLen() > int(s.MostBits) {
				return computed, true, true
			}
			if computed.result.Lsh(top.n, 1); top.fraction {
				computed.result.Add(computed.result, big.NewInt(1))
			}
		case SiftKey:
			ten, n := stack.pop(), stack.pop()
			key, ok := n.key(ten.n, of/MostKeys)
			if !ok {
				return computed, true, true
			}
			computed.words[of%MostKeys] = key
		case SiftNegate:
			top := stack.pop()
			stack.push(new(big.Int).Neg(top.n), top.fraction)
		case SiftAbsolute:
			top := stack.pop()
			stack.push(new(big.Int).Abs(top.n), top.fraction)
		case SiftNot:
			stack = append(stack, siftTruth(stack.pop().n.Sign() == 0))
		case SiftQuotient:
			bound, number, divisor, dividend := stack.pop().n, stack.pop().n, stack.pop().n, stack.pop().n
			if divisor.Sign() < 0 {
				divisor, dividend = new(big.Int).Neg(divisor), new(big.Int).Neg(dividend)
			}
			if divisor.Cmp(bound) >= 0 || divisor.BitLen()+number.BitLen() > SiftBits {
				return computed, true, true
			}
			left, right := dividend, new(big.Int).Mul(divisor, number)
			switch {
			case divisor.Sign() == 0:
				left, right = big.NewInt(int64(of>>1&1)), big.NewInt(int64(of>>2&1))
			case of&1 != 0:
				left, right = right, left
			}
			stack.push(left, false)
			stack.push(right, false)
		default:
			b, a := stack.pop(), stack.pop()
			if op == SiftFloor && (b.n.Sign() == 0 || of != 0 && b.n.BitLen() > FloorBits) {
				return computed, true, true
			}
			c := op.of(a, b)
			if c.n.BitLen() > SiftBits || op == SiftTimes && a.n.BitLen()+b.n.BitLen() > SiftBits {
				return computed, true, true
			}
			c.fraction = c.fraction || op == SiftFloor && of != 0
			stack = append(stack, c)
		}
	}
	return computed, true, false
}

// key is the word that a number has, times ten, to be grouped by or, where that is not asked for, in the order of the numbers.
func (n *siftNumber) key(ten *big.Int, of uint32) (word uint32, ok bool) {
	grouped := of == KeyOfGroups
	if n.n.BitLen() > SiftBits-7 {
		return 0, false
	}
	first, half, units := int64(KeyIntegers), int64(KeyIntegers), new(big.Int).Mul(n.n, big.NewInt(100))
	if _, rest := units.DivMod(units, ten, new(big.Int)); rest.Sign() != 0 {
		return 0, false
	}
	hundred := big.NewInt(100)
	switch whole, rest := new(big.Int).DivMod(units, hundred, new(big.Int)); {
	case !grouped:
		first, half, units = KeyOrdered, KeyOrdered-1, whole
		if n.fraction && of == KeyOfIntegers || rest.Sign() != 0 || whole.Cmp(big.NewInt(half)) >= 0 {
			return 0, false
		}
	case !n.fraction:
		if units = whole; rest.Sign() != 0 {
			return 0, false
		}
	case rest.Sign() == 0:
		first, half, units = KeyDecimals, 1<<28, whole
	case new(big.Int).Rem(units, big.NewInt(10)).Sign() == 0:
		first, half, units = KeyTenths, 1<<28, units.Quo(units, big.NewInt(10))
	default:
		first, half = KeyHundredths, 1<<29
	}
	if !units.IsInt64() || units.Int64() < -half || grouped && units.Int64() >= half-1 {
		return 0, false
	}
	return uint32(first + units.Int64()), true
}

// number is the constant.
func (k *SiftConstantValue) number() siftNumber {
	n := new(big.Int).Lsh(big.NewInt(int64(k.High)), 64)
	return siftNumber{n.Add(n, new(big.Int).SetUint64(k.Low)), k.Fraction != 0}
}

func siftTruth(is bool) siftNumber {
	if is {
		return siftNumber{n: big.NewInt(1)}
	}
	return siftNumber{n: new(big.Int)}
}

// of is what an operation makes of two numbers, or truths.
func (op SiftOp) of(a, b siftNumber) siftNumber {
	n, fraction := new(big.Int), a.fraction || b.fraction
	switch op {
	case SiftPlus:
		return siftNumber{n.Add(a.n, b.n), fraction}
	case SiftMinus:
		return siftNumber{n.Sub(a.n, b.n), fraction}
	case SiftTimes:
		return siftNumber{n.Mul(a.n, b.n), fraction}
	case SiftFloor:
		whole, rest := new(big.Int).QuoRem(a.n, b.n, new(big.Int))
		if rest.Sign() != 0 && rest.Sign() != b.n.Sign() {
			whole.Sub(whole, big.NewInt(1))
		}
		return siftNumber{whole, fraction}
	case SiftLess:
		return siftTruth(a.n.Cmp(b.n) < 0)
	case SiftLessEqual:
		return siftTruth(a.n.Cmp(b.n) <= 0)
	case SiftEqual:
		return siftTruth(a.n.Cmp(b.n) == 0)
	case SiftAnd:
		return siftTruth(a.n.Sign() != 0 && b.n.Sign() != 0)
	}
	return siftTruth(a.n.Sign() != 0 || b.n.Sign() != 0)
}

// looksUp reports whether a row passes the tables, and multiplies its weight.
func (t *twin) looksUp(s *Sifting, row uint64, weight *uint64) bool {
	for i := range s.ProbeCount {
		p := &s.Probes[i]
		key := uint64(t.word(s.From[p.First], row))
		if p.Second != None {
			key = key<<32 | uint64(t.word(s.From[p.Second], row))
		}
		g := t.groupAt(p, key+1)
		if g != nil && (g.Weight < p.Least || g.Weight > p.Most) {
			g = nil
		}
		switch {
		case p.Kind == LookupNone && g != nil, g == nil && p.Kind != LookupNone && p.Kind != LookupAtLeastOne:
			return false
		case g != nil && p.Kind >= LookupTimes:
			high, low := bits.Mul64(*weight, g.Weight)
			if *weight = low; high != 0 {
				*weight = math.MaxUint64
			}
		}
	}
	return true
}

// groupAt is the group of a key; nil where there is none.
func (t *twin) groupAt(p *Probe, key uint64) *Group {
	for i := mix(key) >> 16 & p.Mask; ; i = (i + 1) & p.Mask {
		if g := in[Group](t.memory, p.Groups, i); g.Key == 0 || g.Key == key {
			if g.Key == 0 {
				return nil
			}
			return g
		}
	}
}
