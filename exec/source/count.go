package source

import (
	"math/bits"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/operator"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// Count is the number of solutions of a basic graph pattern, or a sum of such numbers, in one row.
type Count struct {
	operator.Base
	Terms []CountTerm
}

// CountTerm is a match whose solutions count so many times, which may be negative. All terms together are not.
type CountTerm struct {
	Times int
	Match *Match
}

func (o *Count) Run(x *operator.Execution, _ *vector.Batch, emit func(*vector.Batch) error) error {
	n, err := o.sum(x)
	if err != nil {
		return err
	}
	b := &vector.Batch{N: 1}
	for range o.Out {
		b.Cols = append(b.Cols, []dictionary.ID{x.Integer(n)})
	}
	return emit(b)
}

// sum adds the terms up, in 128 bits, for what is taken away again may be more than 64.
func (o *Count) sum(x *operator.Execution) (uint64, error) {
	var high, low uint64
	for _, t := range o.Terms {
		n, err := t.Match.Count(x)
		if err != nil {
			return 0, err
		}
		productHigh, product := bits.Mul64(n, uint64(max(t.Times, -t.Times)))
		var carry uint64
		if t.Times < 0 {
			low, carry = bits.Sub64(low, product, 0)
			high -= productHigh + carry
		} else {
			low, carry = bits.Add64(low, product, 0)
			high += productHigh + carry
		}
	}
	if high != 0 {
		return 0, match.ErrTooMany
	}
	return low, nil
}
