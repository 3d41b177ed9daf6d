package expr

import (
	"math"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

// sum is SUM and AVG.
type sum struct {
	env     *Env
	average bool
	sums    []sumState
	// large are the sums that are no small integers.
	large largeNumbers
	// rounded: floats were added, which depends on their order.
	rounded bool
	rowCount
}

// sumState is a sum so far: total or, once that is large or no integer, a value. There may be many, so it is small and
// has no pointers.
type sumState struct {
	total  int64
	count  int64
	value  uint32 // its place among the large
	failed bool
}

func (f *sum) add(group uint32, id dictionary.ID) { f.addTimes(group, id, 1) }

func (f *sum) addTimes(group uint32, id dictionary.ID, times uint64) {
	if id == dictionary.None {
		f.addValue(group, nil, times)
		return
	}
	v := f.env.Terms.Value(id)
	f.addValue(group, &v, times)
}

func (f *sum) addNumbers(c *run, groups []uint32, v *numbers, weights []uint64) {
	for i, g := range groups {
		if int(g) >= len(f.sums) {
			f.sums = grow(f.sums, g)
		}
		s := &f.sums[g]
		if v.classes[i] == isInteger && s.value == 0 && !s.failed && f.addInteger(s, v.units[i], weights, i) {
			continue
		}
		times := uint64(1)
		if weights != nil {
			times = weights[i]
		}
		if v.classes[i] == isFailed {
			f.addValue(g, nil, times)
			continue
		}
		of := v.value(c, i)
		f.addValue(g, &of, times)
	}
}

// addInteger adds to a sum of integers that has not failed, where all has 64 bits.
func (f *sum) addInteger(s *sumState, n int64, weights []uint64, row int) bool {
	times := int64(1)
	if weights != nil {
		product, ok := int64(0), weights[row] <= uint64(math.MaxInt64-s.count)
		if ok {
			times = int64(weights[row])
			product, ok = multiply(n, times)
		}
		if n = product; !ok {
			return false
		}
	}
	total := s.total + n
	if (total > s.total) != (n > 0) {
		return false
	}
	s.total, s.count = total, s.count+times
	return true
}

// addValue adds a product: equal values are added in one.
func (f *sum) addValue(group uint32, v *dictionary.Value, times uint64) {
	f.sums = grow(f.sums, group)
	s := &f.sums[group]
	if s.count = f.plus(s.count, times); f.over {
		return
	}
	if v == nil || s.failed {
		s.failed = true
		return
	}
	if times == 1 {
		f.plusValue(s, v)
		return
	}
	n := integer(int64(times))
	product, ok := arithmetic('*', v, &n)
	if s.failed = !ok; ok {
		f.plusValue(s, &product)
	}
}

// plusValue adds a value to a sum that has not failed.
func (f *sum) plusValue(s *sumState, v *dictionary.Value) {
	if v.Kind == dictionary.Integer && v.Big == nil && s.value == 0 {
		if n := s.total + v.Int; (n > s.total) == (v.Int > 0) {
			s.total = n
			return
		}
	}
	if s.value == 0 {
		first := integer(s.total)
		s.value = f.large.add(&first)
	}
	total, ok := arithmetic('+', f.large.at(s.value), v)
	f.large.set(s.value, &total)
	s.failed = !ok
	f.rounded = f.rounded || isFloat(&total)
}

// of is the value of a sum that has not failed.
func (f *sum) of(s *sumState) dictionary.Value {
	if s.value == 0 {
		return integer(s.total)
	}
	return *f.large.at(s.value)
}

func (f *sum) merges() bool { return !f.rounded }

func (f *sum) merge(of fold, groups []uint32) {
	o := of.(*sum)
	f.over = f.over || o.over
	for g := range o.sums {
		f.sums = grow(f.sums, groups[g])
		s := &f.sums[groups[g]]
		s.count = f.plus(s.count, uint64(o.sums[g].count))
		if s.failed = s.failed || o.sums[g].failed; !s.failed {
			v := o.of(&o.sums[g])
			f.plusValue(s, &v)
		}
	}
}

func (f *sum) result(group int, out *idSource) dictionary.ID {
	s := at(f.sums, group)
	if s.failed {
		return dictionary.None
	}
	v := f.of(&s)
	if f.average && s.count > 0 {
		n, ok := integer(s.count), false
		if v, ok = arithmetic('/', &v, &n); !ok {
			return dictionary.None
		}
	}
	return out.ofValue(&v)
}

func (f *sum) bytes() int64 { return int64(cap(f.sums))*24 + f.large.bytes() }
