package kernels

import "math/big"

// topCount counts rows by bins of IDs.
func (t *twin) topCount(o *Top) {
	for row := range o.Rows {
		if place := t.word(o.Column, row) - o.First; place < o.Count {
			*in[uint64](t.memory, o.Counts, uint64(place>>o.Shift))++
		} else {
			o.Odd++
		}
	}
}

// topSelect copies the rows whose ID lies between two others.
func (t *twin) topSelect(o *Top) {
	for row := range o.Rows {
		if id := t.word(o.Column, row); id < o.Low || id > o.High {
			continue
		}
		for c := range o.Width {
			*in[uint32](t.memory, o.To[c], o.Selected) = t.word(o.From[c], row)
		}
		o.Selected++
	}
}

// topWords gives each row the word of its number: how many bits more than TopWordBits that has, and so many of its first bits, up or down from KeyOrdered.
func (t *twin) topWords(results, words Address, rows uint64) {
	for row := range rows {
		n := new(big.Int).Lsh(big.NewInt(*in[int64](t.memory, results, 2*row+1)), 64)
		n.Rsh(n.Add(n, new(big.Int).SetUint64(*in[uint64](t.memory, results, 2*row))), 1)
		size := new(big.Int).Abs(n)
		more := uint(max(0, size.BitLen()-TopWordBits))
		word := uint32(more)<<(TopWordBits-1) + uint32(size.Rsh(size, more).Uint64())
		if n.Sign() < 0 {
			word = -word
		}
		*in[uint32](t.memory, words, row) = KeyOrdered + word
	}
}
