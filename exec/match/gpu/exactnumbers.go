package gpu

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"github.com/rdfgpu/rdfgpu/kernels"
)

// exactNumbers are the integers and decimals of a section of numbers.
type exactNumbers struct {
	ints    []int64
	scales  []uint8 // noScale where there is none, or one with too many decimals or digits
	decimal []bool
	scale   uint8 // the most of scales
	// ordered: they have IDs in the order of MIN and MAX; where they do not, ranks are the places that they have in it.
	ordered bool
	ranks   []uint32
}

// places are which number has each rank.
func places(ranks []uint32) []uint32 {
	if ranks == nil {
		return nil
	}
	at := make([]uint32, len(ranks))
	for i, rank := range ranks {
		at[rank] = uint32(i)
	}
	return at
}

const noScale = 255

// numbersChunk is how many numbers one of several goroutines reads at least.
const numbersChunk = 1 << 14

// eachChunk has n numbers read, by all cores where there are many, and returns what comes of each chunk from … to.
func eachChunk[T any](n int, read func(from, to int) (T, error)) ([]T, error) {
	size := max(numbersChunk, n/runtime.GOMAXPROCS(0)+1)
	of, errs := make([]T, (n+size-1)/size), make([]error, (n+size-1)/size)
	var all sync.WaitGroup
	for i := range of {
		all.Go(func() {
			errs[i] = section.Guard(func() (err error) {
				of[i], err = read(i*size, min((i+1)*size, n))
				return err
			})
		})
	}
	all.Wait()
	return of, cmp.Or(errs...)
}

// readParts reads parts of a section of dates and times.
func readParts(ctx context.Context, dict *dictionary.Dictionary, r dictionary.Range, of dictionary.Part) (*exactNumbers, error) {
	n := newExactNumbers(r.Len())
	_, err := eachChunk(r.Len(), func(from, to int) (none struct{}, err error) {
		for i := from; i < to; i++ {
			if i%match.BatchRows == 0 && ctx.Err() != nil {
				return none, ctx.Err()
			}
			v, ok := dict.Value(r.From+dictionary.ID(i)), false
			if n.ints[i], ok = v.Part(of); !ok {
				n.scales[i] = noScale
			}
		}
		return none, nil
	})
	return n, err
}

func newExactNumbers(n int) *exactNumbers {
	return &exactNumbers{ints: make([]int64, n), scales: make([]uint8, n), decimal: make([]bool, n), ordered: true}
}

// readNumbers reads a section of numbers.
func readNumbers(ctx context.Context, dict *dictionary.Dictionary, r dictionary.Range) (*exactNumbers, error) {
	n := newExactNumbers(r.Len())
	parts, err := eachChunk(r.Len(), func(from, to int) (numbersPart, error) {
		part := numbersPart{numbers: n, ordered: true}
		err := part.read(ctx, dict, r.From, from, to)
		return part, err
	})
	if err != nil {
		return nil, err
	}
	last := dictionary.None
	for i := range parts {
		p := &parts[i]
		n.scale, n.ordered = max(n.scale, p.scale), n.ordered && p.ordered
		if p.last == dictionary.None {
			continue
		}
		if last != dictionary.None && n.ordered {
			err := section.Guard(func() error {
				n.ordered = ascends(dict, last, p.first, dict.Value(last), dict.Value(p.first))
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		last = p.last
	}
	if n.ordered {
		return n, nil
	}
	return n, section.Guard(func() error { return n.rank(ctx, dict, r) })
}

// rank gives equal numbers the places that they have among each other in the order of MIN and MAX.
func (n *exactNumbers) rank(ctx context.Context, dict *dictionary.Dictionary, r dictionary.Range) error {
	n.ranks = make([]uint32, r.Len())
	var equal []uint32 // numbers that are
	var before dictionary.Value
	settle := func() {
		in := slices.Clone(equal)
		slices.SortFunc(in, func(a, b uint32) int {
			s, t := dict.Term(r.From+dictionary.ID(a)), dict.Term(r.From+dictionary.ID(b))
			return cmp.Or(cmp.Compare(s.Datatype, t.Datatype), cmp.Compare(s.Value, t.Value))
		})
		for i, which := range in {
			n.ranks[which] = equal[i]
		}
		equal = equal[:0]
	}
	for i := range n.ranks {
		if i%match.BatchRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n.ranks[i] = uint32(i)
		v := dict.Value(r.From + dictionary.ID(i))
		if v.Kind != dictionary.Integer && v.Kind != dictionary.Decimal {
			continue
		}
		if len(equal) > 0 && dictionary.Compare(before, v) == dictionary.Less {
			settle()
		}
		equal, before = append(equal, uint32(i)), v
	}
	settle()
	return nil
}

// numbersPart is what one goroutine reads.
type numbersPart struct {
	numbers *exactNumbers
	scale   uint8
	ordered bool
	// first and last are the first and the last exact number, or none.
	first, last dictionary.ID
}

// read reads the numbers from … to, counted from the ID first.
func (p *numbersPart) read(ctx context.Context, dict *dictionary.Dictionary, first dictionary.ID, from, to int) error {
	p.first, p.last = dictionary.None, dictionary.None
	var before dictionary.Value
	for i := from; i < to; i++ {
		if i%match.BatchRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n, id := p.numbers, first+dictionary.ID(i)
		v := dict.Value(id)
		n.scales[i] = noScale
		if v.Kind != dictionary.Integer && v.Kind != dictionary.Decimal {
			continue
		}
		if v.Big == nil && v.Scale <= mostScale {
			n.ints[i], n.scales[i], n.decimal[i] = v.Int, v.Scale, v.Kind == dictionary.Decimal
			p.scale = max(p.scale, v.Scale)
		}
		if p.last == dictionary.None {
			p.first = id
		} else if p.ordered {
			p.ordered = ascends(dict, p.last, id, before, v)
		}
		p.last, before = id, v
	}
	return nil
}

// ascends reports whether MIN and MAX take one number to be less than another: of equal ones the datatype decides, and then the text.
func ascends(dict *dictionary.Dictionary, a, b dictionary.ID, x, y dictionary.Value) bool {
	if dictionary.Compare(x, y) == dictionary.Less {
		return true
	}
	s, t := dict.Term(a), dict.Term(b)
	return s.Datatype < t.Datatype || s.Datatype == t.Datatype && s.Value < t.Value
}

// doubled are the words of a table (kernels.NumberRange).
func (n *exactNumbers) doubled(scale uint8) []int64 {
	words := make([]int64, len(n.ints))
	for i, v := range n.ints {
		words[i] = -kernels.NoNumber
		if n.scales[i] == noScale {
			continue
		}
		times := int64(1)
		for range scale - n.scales[i] {
			times *= 10
		}
		if v > -mostScaled/times && v < mostScaled/times {
			words[i] = 2 * v * times
			if n.decimal[i] {
				words[i]++
			}
		}
	}
	return words
}
