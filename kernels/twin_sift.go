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
		result, passes, odd := t.judge(s, row)
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
			high := new(big.Int).Rsh(result, 64)
			low := new(big.Int).Sub(result, new(big.Int).Lsh(high, 64))
			*in[uint64](t.memory, s.Doubled, 2*s.Kept), *in[int64](t.memory, s.Doubled, 2*s.Kept+1) = low.Uint64(), high.Int64()
		}
		s.Kept++
	}
}

// siftNumber is a number, or a truth, of a Sifting's stack.
type siftNumber struct {
	n        *big.Int
	fraction bool
}

// judge runs the code of a Sifting for a row; odd rows pass.
func (t *twin) judge(s *Sifting, row uint64) (result *big.Int, passes, odd bool) {
	result = new(big.Int)
	var stack []siftNumber
	pop := func() siftNumber {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return top
	}
	for _, word := range s.Code[:s.CodeCount] {
		of := word / SiftOps
		switch op := SiftOp(word % SiftOps); op {
		case SiftColumn:
			twice, ok := t.doubled(s.Numbers[:s.Ranges], t.word(s.From[of], row))
			if !ok {
				return result, true, true
			}
			stack = append(stack, siftNumber{big.NewInt(twice >> 1), twice&1 != 0})
		case SiftConstant:
			stack = append(stack, s.Constants[of].number())
		case SiftRequire:
			if pop().n.Sign() == 0 {
				return result, false, false
			}
		case SiftResult:
			top := pop()
			if top.n.BitLen() > int(s.MostBits) {
				return result, true, true
			}
			if result.Lsh(top.n, 1); top.fraction {
				result.Add(result, big.NewInt(1))
			}
		case SiftNegate:
			top := pop()
			stack = append(stack, siftNumber{new(big.Int).Neg(top.n), top.fraction})
		case SiftNot:
			stack = append(stack, siftTruth(pop().n.Sign() == 0))
		default:
			b, a := pop(), pop()
			c := op.of(a, b)
			if c.n.BitLen() > SiftBits || op == SiftTimes && a.n.BitLen()+b.n.BitLen() > SiftBits {
				return result, true, true
			}
			stack = append(stack, c)
		}
	}
	return result, true, false
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
