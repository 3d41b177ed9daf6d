package expr

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
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
		if _, isColumn := p.root.(*column); !isColumn && !a.Distinct {
			acc.values, _ = acc.fold.(valuing)
		}
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

// weighing is a fold to which it matters how often a value comes. Others are told once.
type weighing interface {
	// addTimes is add so many times.
	addTimes(group uint32, id dictionary.ID, times uint64)
	overflowed() bool
}

// valuing is a fold to which the values alone matter, so that those that are computed need not become terms.
type valuing interface {
	// addValue takes a value so many times; nil for an error.
	addValue(group uint32, v *dictionary.Value, times uint64)
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
	values   valuing              // the fold, where it is given values instead of IDs
	seen     map[groupID]struct{} // DISTINCT argument
	rows     map[string]struct{}  // COUNT(DISTINCT *): whole rows
	rowBytes int64
	ids      []dictionary.ID
	key      []byte
}

func (a *accumulator) Add(cols [][]dictionary.ID, n int, groups []uint32, weights []uint64) {
	if a.argument == nil {
		a.addRows(cols, n, groups, weights)
		return
	}
	if a.values != nil {
		a.argument.values(cols, n, func(row int, v *dictionary.Value) {
			times := uint64(1)
			if weights != nil {
				times = weights[row]
			}
			a.values.addValue(groups[row], v, times)
		})
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
		a.tell(groups[i], id, weights, i)
	}
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
		out[g] = a.fold.result(g)
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
	env    *Env
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
	// values are the sums that are no small integers.
	values []dictionary.Value
	// rounded: floats were added, which depends on their order.
	rounded bool
	rowCount
}

// sumState is a sum so far: total or, once that is large or no integer, a value. There may be many, so it is small and
// has no pointers.
type sumState struct {
	total  int64
	count  int64
	value  uint32 // 1 + its place in values
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
		f.values = append(f.values, integer(s.total))
		s.value = uint32(len(f.values))
	}
	old := &f.values[s.value-1]
	total, ok := arithmetic('+', old, v)
	*old, s.failed = total, !ok
	f.rounded = f.rounded || isFloat(&total)
}

// of is the value of a sum that has not failed.
func (f *sum) of(s *sumState) dictionary.Value {
	if s.value == 0 {
		return integer(s.total)
	}
	return f.values[s.value-1]
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

func (f *sum) result(group int) dictionary.ID {
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
	return f.env.Terms.ID(termOfValue(&v))
}

func (f *sum) bytes() int64 { return int64(cap(f.sums))*24 + int64(cap(f.values))*80 }

// extreme is MIN (sign -1) and MAX (sign 1), by the order of ORDER BY.
type extreme struct {
	order *Comparer
	sign  int
	best  []extremeState
	// beaten are terms that the best of the first group, which is often the only one, is known to beat; undecided is how many others were
	// compared since it was found.
	beaten    dictionary.Range
	undecided int
	// resources remembers IRIs and blank nodes, whose IDs are in no order: those of many groups are often the same few.
	resources memory[rdf.Term]
}

// mostUndecided is how many terms are compared before those that need not be are looked for: it takes some 40 comparisons.
const mostUndecided = 256

// extremeState is the best of a group so far. There may be many, so it is small and has no pointers.
type extremeState struct {
	known  bool
	failed bool
	small  bool // an integer, its value known
	plain  bool // an IRI or a blank node
	id     dictionary.ID
	value  int64
}

func (f *extreme) add(group uint32, id dictionary.ID) {
	if group == 0 {
		if f.beaten.Contains(id) {
			return
		}
		if f.undecided++; f.undecided > mostUndecided && f.best[0].known {
			f.beaten, f.undecided = f.order.beaten(f.best[0].id, f.sign), 0
		}
	}
	f.best = grow(f.best, group)
	best := &f.best[group]
	if id == dictionary.None {
		best.failed = true
		return
	}
	if best.known && best.id == id {
		return
	}
	v := f.order.terms.Value(id)
	next := extremeState{known: true, failed: best.failed, id: id, value: v.Int, small: v.Kind == dictionary.Integer && v.Big == nil,
		plain: v.Kind == dictionary.NoValue}
	if !best.known || f.beats(&next, best) {
		*best = next
	}
}

// beats reports whether a comes before b (MIN) or after it (MAX). Of equal ones their text decides, so that the order
// of the rows does not.
func (f *extreme) beats(a, b *extremeState) bool {
	c := 0
	switch {
	case a.small && b.small:
		c = cmp.Compare(a.value, b.value)
	case a.plain && b.plain:
		return compareText(f.resource(a.id), f.resource(b.id))*f.sign > 0
	default:
		c = f.order.Compare(a.id, b.id)
	}
	if c == 0 {
		c = compareText(f.order.terms.Term(a.id), f.order.terms.Term(b.id))
	}
	return c*f.sign > 0
}

// resource is the term of an IRI or a blank node.
func (f *extreme) resource(id dictionary.ID) rdf.Term {
	if t := f.resources.find(id); t != nil {
		return *t
	}
	t := f.order.terms.Term(id)
	if len(t.Value) <= shortResource {
		f.resources.remember(id, t)
	}
	return t
}

// shortResource is up to which length resources are remembered.
const shortResource = 256

func (f *extreme) result(group int) dictionary.ID {
	if s := at(f.best, group); s.known && !s.failed {
		return s.id
	}
	return dictionary.None
}

func (f *extreme) merges() bool { return true }

func (f *extreme) merge(of fold, groups []uint32) {
	for g, s := range of.(*extreme).best {
		if s.known {
			f.add(groups[g], s.id)
		}
		if s.failed {
			f.add(groups[g], dictionary.None)
		}
	}
}

func (f *extreme) bytes() int64 {
	return int64(cap(f.best))*16 + int64(len(f.resources.keys))*(8+int64(unsafe.Sizeof(rdf.Term{}))+shortResource/4)
}

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

// groupConcat is GROUP_CONCAT: CONCAT (section 18.5.1.7) of the strings of the values (STR), so that a value without one, an
// error or a blank node, makes an error of the whole.
type groupConcat struct {
	env       *Env
	separator string
	texts     []concatState
	size      int64
}

type concatState struct {
	text          pieces
	begun, failed bool
}

// pieces are a text that grows, in pieces of at most maxPiece bytes, so that growing never copies a long one.
type pieces struct {
	full   []string
	last   []byte
	length int
}

const maxPiece = 1 << 20

func (p *pieces) add(s string) {
	p.length += len(s)
	if len(p.last)+len(s) > maxPiece && len(p.last) > 0 {
		p.full = append(p.full, string(p.last))
		p.last = p.last[:0]
	}
	if len(s) > maxPiece {
		p.full = append(p.full, s)
		return
	}
	p.last = append(p.last, s...)
}

// joined is the whole text.
func (p *pieces) joined() string {
	if len(p.full) == 0 {
		return string(p.last)
	}
	var b strings.Builder
	b.Grow(p.length)
	for _, s := range p.full {
		b.WriteString(s)
	}
	b.Write(p.last)
	return b.String()
}

func (f *groupConcat) add(group uint32, id dictionary.ID) {
	for int(group) >= len(f.texts) {
		f.texts = append(f.texts, concatState{})
	}
	s := &f.texts[group]
	if s.failed {
		return
	}
	t := f.env.Terms.Term(id)
	if id == dictionary.None || t.Kind == rdf.BlankNode {
		*s = concatState{failed: true}
		return
	}
	if s.text.length+len(f.separator)+len(t.Value) > maxText {
		f.env.fail(ErrLong)
		return
	}
	if s.begun {
		s.text.add(f.separator)
	}
	s.begun = true
	s.text.add(t.Value)
	f.size += int64(len(t.Value) + len(f.separator))
}

func (f *groupConcat) result(group int) dictionary.ID {
	s := at(f.texts, group)
	if s.failed {
		return dictionary.None
	}
	return f.env.Terms.ID(rdf.NewString(s.text.joined()))
}

func (f *groupConcat) bytes() int64 { return int64(len(f.texts))*80 + f.size*2 }
