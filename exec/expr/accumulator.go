package expr

import (
	"fmt"
	"math"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/parser"
)

// Accumulator computes one aggregate for any number of groups. It is used by one goroutine at a time.
//
// Errors (section 18.5.1): COUNT and SAMPLE pass over arguments that are errors; the others have no result for a group with
// one.
type Accumulator interface {
	// Add takes n rows of columns into account: row i belongs to group groups[i] and, where there are weights, stands for
	// weights[i] equal ones. Groups are numbered from 0.
	Add(cols [][]dictionary.ID, n int, groups []uint32, weights []uint64)
	// Overflowed reports whether there were more rows than can be counted.
	Overflowed() bool
	// Results writes the results of groups 0 to len(out)-1; dictionary.None where a group has none. A group that no
	// row belonged to has the result of the empty group. Where expressions have stopped (Env.Err) results are missing.
	Results(out []dictionary.ID)
	// Bytes is about how much memory it takes.
	Bytes() int64
	// Merges reports whether it and another one of the same aggregate, of other rows, can be merged into what one of all
	// the rows would be: not where the result depends on the order of the rows (a sum of floats, a concatenation).
	Merges() bool
	// Merge adds the other one's state: its group g is groups[g] here. Both must merge.
	Merge(other Accumulator, groups []uint32)
	// Follow lets another one, of the same argument, which takes the same rows, compute it for both, and reports whether it does: then what is added
	// here means nothing.
	Follow(other Accumulator) bool
}

// NewAccumulator prepares an aggregate over columns of the given names, whose computed results have IDs of an identity.
func NewAccumulator(a parser.Aggregation, columns map[string]int, env *Env, identity dictionary.Identity) (Accumulator, error) {
	f := folds[a.Function]
	if f == nil {
		return nil, fmt.Errorf("expr: %w: aggregate %s", ErrFunction, a.Function)
	}
	acc := &accumulator{env: env, fold: f(a, env), results: idSource{terms: env.Terms, identity: identity}}
	if a.Argument != nil {
		p, err := Compile(a.Argument, columns, env)
		if err != nil {
			return nil, err
		}
		acc.argument = p
		acc.choose(a.Distinct)
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
	result(group int, out *idSource) dictionary.ID
	bytes() int64
}

// weighing is a fold to which it matters how often a value comes. Others are told once.
type weighing interface {
	// addTimes is add so many times.
	addTimes(group uint32, id dictionary.ID, times uint64)
	overflowed() bool
}

// counting is a fold to which the values alone matter, so that those that are computed need not become terms.
type counting interface {
	fold
	// addNumbers takes rows; without weights, once each.
	addNumbers(c *run, groups []uint32, v *numbers, weights []uint64)
}

// mergeable is a fold whose result does not depend on the order of the rows, as far as merges says so.
type mergeable interface {
	merges() bool
	// merge adds the state of a fold of the same kind: its group g is groups[g] here.
	merge(of fold, groups []uint32)
}

var folds = map[string]func(parser.Aggregation, *Env) fold{
	"COUNT": func(parser.Aggregation, *Env) fold { return &count{} },
	"SUM":   func(_ parser.Aggregation, env *Env) fold { return &sum{env: env} },
	"AVG":   func(_ parser.Aggregation, env *Env) fold { return &sum{env: env, average: true} },
	"MIN": func(_ parser.Aggregation, env *Env) fold {
		return &extreme{env: env, order: NewComparer(env.Terms, env.Dictionary), sign: -1}
	},
	"MAX": func(_ parser.Aggregation, env *Env) fold {
		return &extreme{env: env, order: NewComparer(env.Terms, env.Dictionary), sign: 1}
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
	results  idSource
	// counting is the fold, where it is given numbers instead of IDs, and followers those of others that are given the same.
	counting  counting
	followers []counting
	led       bool
	seen      map[groupID]struct{} // DISTINCT argument
	rows      map[string]struct{}  // COUNT(DISTINCT *): whole rows
	rowBytes  int64
	ids       []dictionary.ID
	key       []byte
}

func (a *accumulator) Add(cols [][]dictionary.ID, n int, groups []uint32, weights []uint64) {
	if a.argument == nil {
		a.addRows(cols, n, groups, weights)
		return
	}
	if a.counting != nil {
		a.addNumbers(cols, n, groups, weights)
		return
	}
	if e, ok := a.fold.(*extreme); ok && a.seen == nil {
		if v, ok := a.argument.root.(*column); ok {
			e.addColumn(groups[:n], cols[v.index])
			return
		}
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
		a.tell(groups[i], id, weights, i)
	}
}

// choose has the fold given numbers, where it can be.
func (a *accumulator) choose(distinct bool) {
	switch f := a.fold.(type) {
	case *sum:
		if !distinct {
			a.counting = f
		}
	case *extreme:
		if computesNumbers(a.argument.root) {
			f.made = &madeExtremes{sign: f.sign}
			a.counting = f
		}
	}
}

func (a *accumulator) Follow(other Accumulator) bool {
	o, ok := other.(*accumulator)
	if !ok || o.counting == nil || o.led || a.counting == nil {
		return false
	}
	o.followers, a.led = append(o.followers, a.counting), true
	return true
}

// addNumbers computes the argument, once for all that want it.
func (a *accumulator) addNumbers(cols [][]dictionary.ID, n int, groups []uint32, weights []uint64) {
	if a.led {
		return
	}
	a.argument.numbers(cols, n, func(c *run, from int, v *numbers) {
		to := from + len(v.classes)
		var some []uint64
		if weights != nil {
			some = weights[from:to]
		}
		a.counting.addNumbers(c, groups[from:to], v, some)
		for _, f := range a.followers {
			f.addNumbers(c, groups[from:to], v, some)
		}
	})
}

// tell hands a row on.
func (a *accumulator) tell(group uint32, id dictionary.ID, weights []uint64, row int) {
	if w, ok := a.fold.(weighing); ok && weights != nil && a.seen == nil && a.rows == nil {
		w.addTimes(group, id, weights[row])
		return
	}
	a.fold.add(group, id)
}

func (a *accumulator) Overflowed() bool {
	w, ok := a.fold.(weighing)
	return ok && w.overflowed()
}

// addRows counts rows, or different rows.
func (a *accumulator) addRows(cols [][]dictionary.ID, n int, groups []uint32, weights []uint64) {
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
		a.tell(groups[i], 0, weights, i)
	}
}

func appendID(b []byte, id uint32) []byte {
	return append(b, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
}

func (a *accumulator) Results(out []dictionary.ID) {
	for g := range out {
		if g%resultStep == 0 && !a.env.goesOn() {
			return
		}
		out[g] = a.fold.result(g, &a.results)
	}
}

// resultStep is how many results are computed between two looks at whether the query has ended.
const resultStep = 256

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
	for int(group) >= len(s) {
		var none T
		s = append(s, none)
	}
	return s
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
	counts []int64
	rowCount
}

// rowCount adds up how many rows there were.
type rowCount struct{ over bool }

func (c *rowCount) plus(n int64, times uint64) int64 {
	if times > uint64(math.MaxInt64-n) {
		c.over = true
		return n
	}
	return n + int64(times)
}

func (c *rowCount) overflowed() bool { return c.over }

func (f *count) add(group uint32, id dictionary.ID) {
	f.counts = grow(f.counts, group)
	if id != dictionary.None {
		f.counts[group]++
	}
}

func (f *count) addTimes(group uint32, id dictionary.ID, times uint64) {
	f.counts = grow(f.counts, group)
	if id != dictionary.None {
		f.counts[group] = f.plus(f.counts[group], times)
	}
}

func (f *count) result(group int, out *idSource) dictionary.ID {
	return out.ofUnits(isInteger, at(f.counts, group))
}

func (f *count) merges() bool { return true }

func (f *count) merge(of fold, groups []uint32) {
	for g, n := range of.(*count).counts {
		f.counts = grow(f.counts, groups[g])
		f.counts[groups[g]] += n
	}
}

func (f *count) bytes() int64 { return int64(len(f.counts)) * 8 }

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

func (f *sample) result(group int, _ *idSource) dictionary.ID {
	if group >= len(f.first) {
		return dictionary.None
	}
	return f.first[group]
}

func (f *sample) bytes() int64 { return int64(len(f.first)) * 4 }
