package expr

import (
	"cmp"
	"fmt"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Accumulator computes one aggregate for any number of groups. It is used by one goroutine at a time.
//
// Errors (section 18.5.1): COUNT, SAMPLE and GROUP_CONCAT pass over arguments that are errors; SUM, AVG, MIN and MAX
// have no result for a group with one.
type Accumulator interface {
	// Add takes n rows of columns into account: row i belongs to group groups[i]. Groups are numbered from 0.
	Add(cols [][]dictionary.ID, n int, groups []uint32)
	// Results writes the results of groups 0 to len(out)-1; dictionary.None where a group has none. A group that no
	// row belonged to has the result of the empty group.
	Results(out []dictionary.ID)
	// Bytes is about how much memory it takes.
	Bytes() int64
	// Merges reports whether it and another one of the same aggregate, of other rows, can be merged into what one of all
	// the rows would be: not where the result depends on the order of the rows (a sum of floats, a concatenation).
	Merges() bool
	// Merge adds the other one's state: its group g is groups[g] here. Both must merge.
	Merge(other Accumulator, groups []uint32)
}

// NewAccumulator prepares an aggregate over columns of the given names.
func NewAccumulator(a parser.Aggregation, columns map[string]int, env *Env) (Accumulator, error) {
	f := folds[a.Function]
	if f == nil {
		return nil, fmt.Errorf("expr: %w: aggregate %s", ErrFunction, a.Function)
	}
	acc := &accumulator{env: env, fold: f(a, env)}
	if a.Argument != nil {
		p, err := Compile(a.Argument, columns, env)
		if err != nil {
			return nil, err
		}
		acc.argument = p
	}
	switch {
	case a.Distinct && a.Argument != nil:
		acc.seen = make(map[groupID]struct{})
	case a.Distinct:
		acc.rows = make(map[string]struct{})
	}
	return acc, nil
}

// fold is an aggregate without its argument and DISTINCT. The argument is dictionary.None for an error; for COUNT(*) it
// is never None.
type fold interface {
	add(group uint32, id dictionary.ID)
	result(group int) dictionary.ID
	bytes() int64
}

// mergeable is a fold whose result does not depend on the order of the rows, as far as merges says so.
type mergeable interface {
	merges() bool
	// merge adds the state of a fold of the same kind: its group g is groups[g] here.
	merge(of fold, groups []uint32)
}

var folds = map[string]func(parser.Aggregation, *Env) fold{
	"COUNT": func(_ parser.Aggregation, env *Env) fold { return &count{env: env} },
	"SUM":   func(_ parser.Aggregation, env *Env) fold { return &sum{env: env} },
	"AVG":   func(_ parser.Aggregation, env *Env) fold { return &sum{env: env, average: true} },
	"MIN": func(_ parser.Aggregation, env *Env) fold {
		return &extreme{order: NewComparer(env.Terms, env.Dictionary), sign: -1}
	},
	"MAX": func(_ parser.Aggregation, env *Env) fold {
		return &extreme{order: NewComparer(env.Terms, env.Dictionary), sign: 1}
	},
	"SAMPLE":       func(parser.Aggregation, *Env) fold { return &sample{} },
	"GROUP_CONCAT": func(a parser.Aggregation, env *Env) fold { return &groupConcat{env: env, separator: a.Separator} },
}

type groupID struct {
	group uint32
	id    dictionary.ID
}

// accumulator evaluates the argument, drops repetitions and feeds a fold.
type accumulator struct {
	env      *Env
	argument *Program
	fold     fold
	seen     map[groupID]struct{} // DISTINCT argument
	rows     map[string]struct{}  // COUNT(DISTINCT *): whole rows
	rowBytes int64
	ids      []dictionary.ID
	key      []byte
}

func (a *accumulator) Add(cols [][]dictionary.ID, n int, groups []uint32) {
	if a.argument == nil {
		a.addRows(cols, n, groups)
		return
	}
	if cap(a.ids) < n {
		a.ids = make([]dictionary.ID, n)
	}
	ids := a.ids[:n]
	a.argument.IDs(cols, n, ids)
	for i, id := range ids {
		if a.seen != nil && id != dictionary.None {
			key := groupID{groups[i], id}
			if _, repeated := a.seen[key]; repeated {
				continue
			}
			a.seen[key] = struct{}{}
		}
		a.fold.add(groups[i], id)
	}
}

// addRows counts rows, or different rows.
func (a *accumulator) addRows(cols [][]dictionary.ID, n int, groups []uint32) {
	for i := range n {
		if a.rows != nil {
			a.key = appendID(a.key[:0], groups[i])
			for _, col := range cols {
				a.key = appendID(a.key, col[i])
			}
			if _, repeated := a.rows[string(a.key)]; repeated {
				continue
			}
			a.rows[string(a.key)] = struct{}{}
			a.rowBytes += int64(len(a.key)) + 32
		}
		a.fold.add(groups[i], 0)
	}
}

func appendID(b []byte, id uint32) []byte {
	return append(b, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
}

func (a *accumulator) Results(out []dictionary.ID) {
	for g := range out {
		out[g] = a.fold.result(g)
	}
}

func (a *accumulator) Merges() bool {
	f, ok := a.fold.(mergeable)
	return ok && f.merges() && a.seen == nil && a.rows == nil
}

func (a *accumulator) Merge(other Accumulator, groups []uint32) {
	a.fold.(mergeable).merge(other.(*accumulator).fold, groups)
}

func (a *accumulator) Bytes() int64 { return a.fold.bytes() + int64(len(a.seen))*16 + a.rowBytes }

// grow returns s with an element for group.
func grow[T any](s []T, group uint32) []T {
	if int(group) < len(s) {
		return s
	}
	return append(s, make([]T, int(group)+1-len(s))...)
}

// at returns the element of a group, the zero value when no row belonged to it.
func at[T any](s []T, group int) (v T) {
	if group < len(s) {
		return s[group]
	}
	return v
}

// count is COUNT.
type count struct {
	env    *Env
	counts []int64
}

func (f *count) add(group uint32, id dictionary.ID) {
	f.counts = grow(f.counts, group)
	if id != dictionary.None {
		f.counts[group]++
	}
}

func (f *count) result(group int) dictionary.ID {
	v := integer(at(f.counts, group))
	return f.env.Terms.ID(termOfValue(&v))
}

func (f *count) merges() bool { return true }

func (f *count) merge(of fold, groups []uint32) {
	for g, n := range of.(*count).counts {
		f.counts = grow(f.counts, groups[g])
		f.counts[groups[g]] += n
	}
}

func (f *count) bytes() int64 { return int64(len(f.counts)) * 8 }

// sum is SUM and AVG.
type sum struct {
	env     *Env
	average bool
	sums    []sumState
	// rounded: floats were added, which depends on their order.
	rounded bool
}

// sumState is a sum so far: total, or value once that is large (or no integer).
type sumState struct {
	total  int64
	value  dictionary.Value
	count  int64
	large  bool
	failed bool
}

func (f *sum) add(group uint32, id dictionary.ID) {
	f.sums = grow(f.sums, group)
	s := &f.sums[group]
	s.count++
	if id == dictionary.None || s.failed {
		s.failed = true
		return
	}
	v := f.env.Terms.Value(id)
	f.addValue(s, &v)
}

// addValue adds a value to a sum that has not failed.
func (f *sum) addValue(s *sumState, v *dictionary.Value) {
	if v.Kind == dictionary.Integer && v.Big == nil && !s.large {
		if n := s.total + v.Int; (n > s.total) == (v.Int > 0) {
			s.total = n
			return
		}
	}
	if !s.large {
		s.large, s.value = true, integer(s.total)
	}
	total, ok := arithmetic('+', &s.value, v)
	s.value, s.failed = total, !ok
	f.rounded = f.rounded || isFloat(&total)
}

func (f *sum) merges() bool { return !f.rounded }

func (f *sum) merge(of fold, groups []uint32) {
	for g := range of.(*sum).sums {
		o := &of.(*sum).sums[g]
		f.sums = grow(f.sums, groups[g])
		s := &f.sums[groups[g]]
		s.count += o.count
		if s.failed = s.failed || o.failed; s.failed {
			continue
		}
		v := &o.value
		if !o.large {
			n := integer(o.total)
			v = &n
		}
		f.addValue(s, v)
	}
}

func (f *sum) result(group int) dictionary.ID {
	s := at(f.sums, group)
	if s.failed {
		return dictionary.None
	}
	if !s.large {
		s.value = integer(s.total)
	}
	if f.average && s.count > 0 {
		n, ok := integer(s.count), false
		if s.value, ok = arithmetic('/', &s.value, &n); !ok {
			return dictionary.None
		}
	}
	return f.env.Terms.ID(termOfValue(&s.value))
}

func (f *sum) bytes() int64 { return int64(len(f.sums)) * 80 }

// extreme is MIN (sign -1) and MAX (sign 1), by the order of ORDER BY.
type extreme struct {
	order  *Comparer
	sign   int
	best   []dictionary.ID
	values []dictionary.Value // of best
	failed map[uint32]bool
}

func (f *extreme) add(group uint32, id dictionary.ID) {
	for int(group) >= len(f.best) {
		f.best, f.values = append(f.best, dictionary.None), append(f.values, dictionary.Value{})
	}
	switch best := f.best[group]; {
	case id == best && id != dictionary.None:
	case id == dictionary.None:
		if f.failed == nil {
			f.failed = map[uint32]bool{}
		}
		f.failed[group] = true
	case best == dictionary.None:
		f.best[group], f.values[group] = id, f.order.terms.Value(id)
	default:
		if v := f.order.terms.Value(id); f.beats(id, &v, best, &f.values[group]) {
			f.best[group], f.values[group] = id, v
		}
	}
}

// beats reports whether a comes before b (MIN) or after it (MAX). Of equal ones their text decides, so that the order
// of the rows does not.
func (f *extreme) beats(a dictionary.ID, va *dictionary.Value, b dictionary.ID, vb *dictionary.Value) bool {
	if va.Kind == dictionary.Integer && vb.Kind == dictionary.Integer && va.Big == nil && vb.Big == nil {
		if c := cmp.Compare(va.Int, vb.Int); c != 0 {
			return c*f.sign > 0
		}
	}
	if c := f.order.Compare(a, b); c != 0 {
		return c*f.sign > 0
	}
	return compareText(f.order.terms.Term(a), f.order.terms.Term(b))*f.sign > 0
}

func (f *extreme) result(group int) dictionary.ID {
	if group >= len(f.best) || f.failed[uint32(group)] {
		return dictionary.None
	}
	return f.best[group]
}

func (f *extreme) merges() bool { return true }

func (f *extreme) merge(of fold, groups []uint32) {
	o := of.(*extreme)
	for g, id := range o.best {
		if id != dictionary.None {
			f.add(groups[g], id)
		}
		if o.failed[uint32(g)] {
			f.add(groups[g], dictionary.None)
		}
	}
}

func (f *extreme) bytes() int64 { return int64(len(f.best)) * 52 }

// sample is SAMPLE: the first value.
type sample struct{ first []dictionary.ID }

func (f *sample) add(group uint32, id dictionary.ID) {
	for int(group) >= len(f.first) {
		f.first = append(f.first, dictionary.None)
	}
	if f.first[group] == dictionary.None {
		f.first[group] = id
	}
}

func (f *sample) result(group int) dictionary.ID {
	if group >= len(f.first) {
		return dictionary.None
	}
	return f.first[group]
}

func (f *sample) bytes() int64 { return int64(len(f.first)) * 4 }

// groupConcat is GROUP_CONCAT of the strings of the values (STR).
type groupConcat struct {
	env       *Env
	separator string
	texts     []concatState
	size      int64
}

type concatState struct {
	text  []byte
	begun bool
}

func (f *groupConcat) add(group uint32, id dictionary.ID) {
	for int(group) >= len(f.texts) {
		f.texts = append(f.texts, concatState{})
	}
	if id == dictionary.None {
		return
	}
	t := f.env.Terms.Term(id)
	if t.Kind == rdf.BlankNode {
		return
	}
	s := &f.texts[group]
	if s.begun {
		s.text = append(s.text, f.separator...)
	}
	s.begun = true
	s.text = append(s.text, t.Value...)
	f.size += int64(len(t.Value) + len(f.separator))
}

func (f *groupConcat) result(group int) dictionary.ID {
	text := ""
	if group < len(f.texts) {
		text = string(f.texts[group].text)
	}
	return f.env.Terms.ID(rdf.NewString(text))
}

func (f *groupConcat) bytes() int64 { return int64(len(f.texts))*40 + f.size*2 }
