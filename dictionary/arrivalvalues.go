package dictionary

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// A valued is a term of a tail that comparisons may be true of, in a coarse order of values: of two whose classes are the
// same and whose keys are apart (disputed), the operators find the one with the smaller key to be less.
type valued struct {
	key   int64
	n     ID
	class ValueKind // Double for all numbers
}

// coarse is the class and key of a value, given the lexical form; ok is false for what no comparison is true of.
func coarse(v *Value, text string) (class ValueKind, key int64, ok bool) {
	switch {
	case v.IsNumeric() && !v.IsNaN():
		bits := int32(math.Float32bits(v.Float32() + 0)) // −0 becomes 0
		if bits < 0 {
			bits ^= math.MaxInt32
		}
		return Double, int64(bits), true
	case v.IsTemporal(), v.Kind == Boolean:
		return v.Kind, v.Int, true
	case v.Kind == String:
		var prefix [8]byte
		copy(prefix[:], text)
		return String, int64(binary.BigEndian.Uint64(prefix[:]) ^ 1<<63), true
	}
	return 0, 0, false
}

// disputed is how far keys may be apart whose values have to be compared.
//
// Numbers are ordered as floats. Rounding a number to a double first, as the operators may, can make it the next float.
func disputed(class ValueKind) int64 {
	switch class {
	case Double:
		return 1
	case Boolean, String:
		return 0
	}
	return zoneSpread + 1
}

func compareCoarse(a, b valued) int {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.key, b.key))
}

// valueRuns are the values among the first terms of a tail in sorted runs, the larger before the smaller. Runs never change;
// there are about as many as the logarithm of their terms.
type valueRuns struct {
	runs    [][]valued
	covered ID // how many terms of the tail that is
}

// with is the runs and one more; of about equal ones it makes one.
func (r *valueRuns) with(run []valued, covered ID) valueRuns {
	slices.SortFunc(run, compareCoarse)
	runs := slices.Clone(r.runs)
	for n := len(runs); n > 0 && len(runs[n-1]) <= 2*len(run); n-- {
		run, runs = mergeValued(runs[n-1], run), runs[:n-1]
	}
	if len(run) > 0 {
		runs = append(runs, run)
	}
	return valueRuns{runs, covered}
}

func mergeValued(a, b []valued) []valued {
	out := make([]valued, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compareCoarse(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// sortValues takes the values of the terms that have come since it was called last into the runs.
func (w *arenaWriter) sortValues() {
	var run []valued
	for n := w.values.covered; n < w.count; n++ {
		v, text := w.value(n), ""
		if v.Kind == String {
			text = viewString(w.key(n)[1:])
		}
		if class, key, ok := coarse(&v, text); ok {
			run = append(run, valued{key, n, class})
		}
	}
	w.bytes += 16 * int64(len(run))
	w.values = w.values.with(run, w.count)
}

// Condition is a comparison of a variable with a constant.
type Condition struct {
	Comparison
	Constant rdf.Term
}

// ValueIDs is what ValueRange is, for the IDs from Ordered on and several conditions at once: the IDs of terms for which
// all of them are true, ascending. Conditions whose constants have no such order are left out. ok is false when no
// condition is left, when there are more than most such IDs, or when there are many more that have to be looked at.
func (d *Dictionary) ValueIDs(conditions []Condition, most int) (ids []ID, ok bool) {
	s := arrivalSearch{arrivals: &d.tail, start: d.ordered, most: most}
	for _, c := range conditions {
		v := ParseValue(c.Constant)
		if v.IsNaN() {
			return nil, true
		}
		if class, key, ok := coarse(&v, c.Constant.Value); ok {
			s.conditions = append(s.conditions, valuedCondition{c, v, valued{key: key, class: class}})
		}
	}
	if len(s.conditions) == 0 {
		return nil, false
	}
	for _, run := range d.tail.values.runs {
		s.searchRun(run)
	}
	for n := d.tail.values.covered; n < s.count && !s.over(); n++ {
		s.test(n)
	}
	if s.over() {
		return nil, false
	}
	slices.Sort(s.ids)
	return s.ids, true
}

// maxFailed is how many terms may be tested that fail.
const maxFailed = 4096

// arrivalSearch gathers the terms of a tail for which some conditions are true.
type arrivalSearch struct {
	*arrivals
	start      ID
	conditions []valuedCondition
	most       int
	ids        []ID
	failed     int
}

// over reports whether the search has to be given up.
func (s *arrivalSearch) over() bool { return len(s.ids) > s.most || s.failed > maxFailed }

type valuedCondition struct {
	Condition
	value Value
	place valued // without a term
}

// searchRun tests the part of a run that may pass all conditions.
func (s *arrivalSearch) searchRun(run []valued) {
	for i := range s.conditions {
		c := &s.conditions[i]
		low, high := valued{key: math.MinInt64, class: c.place.class}, valued{key: math.MinInt64, class: c.place.class + 1}
		if !c.Holds(Less) {
			low.key = c.place.key - disputed(c.place.class)
		}
		if !c.Holds(Greater) && c.place.key < math.MaxInt64 {
			high = valued{key: c.place.key + disputed(c.place.class) + 1, class: c.place.class}
		}
		run = run[:runFrom(run, high)]
		run = run[runFrom(run, low):]
	}
	for _, e := range run {
		if s.over() {
			return
		}
		s.test(e.n)
	}
}

// runFrom is where in a run a key starts, or would.
func runFrom(run []valued, key valued) int {
	return sort.Search(len(run), func(i int) bool { return compareCoarse(run[i], key) >= 0 })
}

func (s *arrivalSearch) test(n ID) {
	if n >= s.count {
		return
	}
	v := s.value(n)
	for i := range s.conditions {
		c := &s.conditions[i]
		o := Compare(v, c.value)
		if c.value.Kind == String && v.Kind == String {
			o = Order(cmp.Compare(s.term(n).Value, c.Constant.Value))
		}
		if !c.Holds(o) {
			s.failed++
			return
		}
	}
	s.ids = append(s.ids, s.start+n)
}
