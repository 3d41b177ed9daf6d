package expr

import (
	"cmp"
	"unsafe"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// extreme is MIN (sign -1) and MAX (sign 1), by the order of ORDER BY.
type extreme struct {
	env   *Env
	order *Comparer
	sign  int
	best  []extremeState
	// beaten are terms that the best of the first group, which is often the only one, is known to beat; undecided is how many others were
	// compared since it was found.
	beaten    dictionary.Range
	undecided int
	// made is where what is computed is compared instead, by its values.
	made *madeExtremes
	// resources remembers IRIs and blank nodes, whose IDs are in no order: those of many groups are often the same few.
	resources memory[rdf.Term]
}

// mostUndecided is how many terms are compared before those that need not be are looked for: it takes some 40 comparisons.
const mostUndecided = 256

// extremeState is the best of a group so far. There may be many, so it is small and has no pointers.
type extremeState struct {
	known  bool
	failed bool
	sort   extremeSort
	id     dictionary.ID
	value  int64
}

// extremeSort says how a term is compared.
type extremeSort uint8

const (
	extremeOther extremeSort = iota
	// extremeSmall is an integer, its value known.
	extremeSmall
	// extremePlain is an IRI or a blank node.
	extremePlain
	// extremeLone: smaller IDs among the numbers of the first segment are of smaller numbers, larger ones of larger (dictionary.Lone).
	extremeLone
)

func (f *extreme) add(group uint32, id dictionary.ID) {
	if group == 0 {
		if f.beaten.Contains(id) {
			return
		}
		if f.undecided++; f.undecided > mostUndecided && f.best[0].known {
			f.beaten, f.undecided = longest(f.order.Beaten(f.best[0].id, f.sign)), 0
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
	next := extremeState{known: true, failed: best.failed, id: id, value: v.Int}
	switch {
	case v.Kind == dictionary.Integer && v.Big == nil:
		next.sort = extremeSmall
	case v.Kind == dictionary.NoValue:
		next.sort = extremePlain
	}
	if !best.known || f.beats(&next, best) {
		if f.lone(id) {
			next.sort = extremeLone
		}
		*best = next
	}
}

// addColumn is add for a column. Numbers of one segment are in the order of their IDs.
func (f *extreme) addColumn(groups []uint32, ids []dictionary.ID) {
	var numbers dictionary.Range
	if len(f.order.numbers) > 0 {
		numbers = f.order.numbers[0]
	}
	for i, g := range groups {
		id := ids[i]
		if int(g) >= len(f.best) || f.best[g].sort != extremeLone || !numbers.Contains(id) {
			f.add(g, id)
			continue
		}
		if best := &f.best[g]; id != best.id && (id < best.id) == (f.sign < 0) {
			if best.id = id; !f.lone(id) {
				best.sort = extremeOther
			}
		}
	}
}

// lone reports whether an ID is that of a number of the first segment that others there are compared with by their IDs.
func (f *extreme) lone(id dictionary.ID) bool {
	return len(f.order.numbers) > 0 && f.order.numbers[0].Contains(id) && f.env.Dictionary.Lone(id)
}

// beats reports whether a comes before b (MIN) or after it (MAX). Of equal ones their text decides, so that the order
// of the rows does not.
func (f *extreme) beats(a, b *extremeState) bool {
	c := 0
	switch {
	case a.sort == extremeSmall && b.sort == extremeSmall:
		c = cmp.Compare(a.value, b.value)
	case a.sort == extremePlain && b.sort == extremePlain:
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

func (f *extreme) result(group int, out *idSource) dictionary.ID {
	if f.made != nil {
		return f.made.result(group, out)
	}
	if s := at(f.best, group); s.known && !s.failed {
		return s.id
	}
	return dictionary.None
}

func (f *extreme) merges() bool { return true }

func (f *extreme) merge(of fold, groups []uint32) {
	if f.made != nil {
		f.made.merge(of.(*extreme).made, groups)
		return
	}
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
	if f.made != nil {
		return f.made.bytes()
	}
	return int64(cap(f.best))*16 + int64(len(f.resources.keys))*(8+int64(unsafe.Sizeof(rdf.Term{}))+shortResource/4)
}
