package rdfgpu

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/mine"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// MostBins is the most ranges that numbers or dates of a predicate are cut into.
const MostBins = 64

// SetBounds reads bounds as they are written in one line: PREDICATE=BOUND,BOUND… The error wraps ErrMineOptions.
func (o *MiningOptions) SetBounds(text string) error {
	at := strings.LastIndexByte(text, '=')
	if at <= 0 {
		return fmt.Errorf("%w: bounds are written PREDICATE=BOUND,BOUND, not %q", ErrMineOptions, text)
	}
	if o.Bounds == nil {
		o.Bounds = map[string][]string{}
	}
	o.Bounds[text[:at]] = append(o.Bounds[text[:at]], strings.Split(text[at+1:], ",")...)
	return nil
}

// checkBins says what is wrong with bins and bounds, "" if nothing is.
func (o *MiningOptions) checkBins() string {
	if o.Bins < 0 || o.Bins > MostBins {
		return fmt.Sprintf("there are 0 to %d bins for a predicate, not %d", MostBins, o.Bins)
	}
	for predicate, bounds := range o.Bounds {
		if len(bounds) == 0 || len(bounds) >= MostBins {
			return fmt.Sprintf("%s has %d bounds, not 1 to %d", predicate, len(bounds), MostBins-1)
		}
		for _, bound := range bounds {
			if !slices.ContainsFunc(boundTypes, func(datatype string) bool { return ordered(boundOf(bound, datatype)) }) {
				return fmt.Sprintf("the bound %q is no number, date or time", bound)
			}
		}
	}
	return ""
}

const xsd = "http://www.w3.org/2001/XMLSchema#"

// boundTypes are what a bound may be read as: numbers, and whatever dates and times are compared among themselves.
var boundTypes = []string{xsd + "decimal", xsd + "double", xsd + "dateTime", xsd + "date", xsd + "time", xsd + "gYear", xsd + "gYearMonth"}

// limit is a term that values are compared with.
type limit struct {
	term  Term
	value dictionary.Value
}

func boundOf(text, datatype string) limit {
	term := rdf.NewTyped(text, datatype)
	return limit{term, dictionary.ParseValue(term)}
}

// ordered reports whether values can be less than a limit.
func ordered(l limit) bool { return (l.value.IsNumeric() || l.value.IsTemporal()) && !l.value.IsNaN() }

// bin is a set of literals that frequent patterns do not tell apart: a range, a value, a language, or one term.
type bin struct {
	least, less, equal *limit // nil: none
	language           string
	term               Term // the only one, zero for none
}

// has reports whether a number, date or boolean is in the bin, as the comparisons of a query say.
func (b *bin) has(v dictionary.Value) bool {
	holds := func(c dictionary.Comparison, l *limit) bool {
		return l == nil || c.Holds(dictionary.Compare(v, l.value))
	}
	return (b.least != nil || b.less != nil || b.equal != nil) &&
		holds(dictionary.IsGreaterOrEqual, b.least) && holds(dictionary.IsLess, b.less) && holds(dictionary.IsEqual, b.equal)
}

// condition is what a query asks of a variable; write says how terms are written.
func (b *bin) condition(write func(Term) string) func(variable string) string {
	return func(variable string) string {
		var parts []string
		compare := func(operator string, l *limit) {
			if l != nil {
				parts = append(parts, variable+" "+operator+" "+write(l.term))
			}
		}
		compare(">=", b.least)
		compare("<", b.less)
		compare("=", b.equal)
		switch {
		case b.language != "":
			return "lang(" + variable + ") = " + write(rdf.NewString(b.language))
		case !b.term.IsZero():
			return "sameTerm(" + variable + ", " + write(b.term) + ")"
		}
		return strings.Join(parts, " && ")
	}
}

// binning puts the literals of one predicate into bins.
type binning struct {
	terms     *dictionary.Dictionary
	bins      []bin
	languages map[string]int
	single    map[ID]int
}

// literal is one of a predicate, with a key in the order of values of its kind, and how many triples have it.
type literal struct {
	key   float64
	id    ID
	count uint32
}

// bin makes the bins of a predicate, at most so many of numbers, of each kind of dates, and of terms by themselves; none where a bound is
// none of that kind.
func (m *LabelledMining) bin(ctx context.Context, g *pcsr.Graph, label pcsr.Label, most int, bounds []string) *binning {
	b := &binning{terms: m.snapshot.Dictionary(), languages: map[string]int{}, single: map[ID]int{}}
	kinds := map[dictionary.ValueKind][]literal{} // numbers are Integers
	many := false
	for object, subjects := range g.Partition(label, pcsr.In).Lists() {
		if ctx.Err() != nil {
			return b
		}
		if b.terms.Kind(object) != rdf.Literal {
			continue
		}
		v := b.terms.Value(object)
		key, kind := float64(v.Int), v.Kind
		switch {
		case v.IsNumeric():
			key, kind = v.Float64(), dictionary.Integer
			if v.IsNaN() {
				continue
			}
		case v.IsTemporal(), kind == dictionary.Boolean:
		case kind == dictionary.LangString:
			if language := b.terms.Language(object); most > 0 && language != "" {
				b.addLanguage(language)
			}
			continue
		default:
			if many = many || len(b.single) == most; !many {
				b.single[object] = 0
			}
			continue
		}
		kinds[kind] = append(kinds[kind], literal{key, object, uint32(len(subjects))})
	}
	b.addTerms(many)
	for kind := dictionary.Integer; kind <= dictionary.Boolean; kind++ {
		b.addRanges(kinds[kind], most, bounds)
	}
	return b
}

func (b *binning) addLanguage(language string) {
	if _, there := b.languages[language]; !there {
		b.languages[language] = len(b.bins)
		b.bins = append(b.bins, bin{language: language})
	}
}

// addTerms makes a bin of each term that is few enough.
func (b *binning) addTerms(many bool) {
	if many {
		b.single = nil
	}
	ids := make([]ID, 0, len(b.single))
	for id := range b.single {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		b.single[id] = len(b.bins)
		b.bins = append(b.bins, bin{term: b.terms.Term(id)})
	}
}

// addRanges makes bins of values of one kind: by bounds where these are of that kind, one of each value where there are few, and otherwise so
// that about as many triples are in each.
func (b *binning) addRanges(s []literal, most int, bounds []string) {
	if len(s) == 0 {
		return
	}
	slices.SortFunc(s, func(x, y literal) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.id, y.id))
	})
	cuts := b.bounds(s[0].id, bounds)
	if len(cuts) == 0 {
		if most == 0 {
			return
		}
		if values := b.values(s, most); values != nil {
			for i := range values {
				b.bins = append(b.bins, bin{equal: &values[i]})
			}
			return
		}
		if cuts = b.quantiles(s, most); len(cuts) == 0 {
			cuts = []limit{b.limit(s[0].id)} // all are one bin
			b.bins = append(b.bins, bin{least: &cuts[0]})
			return
		}
	}
	for i := range len(cuts) + 1 {
		var own bin
		if i > 0 {
			own.least = &cuts[i-1]
		}
		if i < len(cuts) {
			own.less = &cuts[i]
		}
		b.bins = append(b.bins, own)
	}
}

func (b *binning) limit(id ID) limit { return limit{b.terms.Term(id), b.terms.Value(id)} }

// bounds are those that are of the kind of a literal, ascending, each once.
func (b *binning) bounds(like ID, texts []string) (cuts []limit) {
	kind := b.limit(like).value.Kind
	for _, text := range texts {
		for _, datatype := range boundTypes {
			l := boundOf(text, datatype)
			if ordered(l) && (l.value.Kind == kind || l.value.IsNumeric() && kind <= dictionary.Double) {
				cuts = append(cuts, l)
				break
			}
		}
	}
	slices.SortStableFunc(cuts, func(a, b limit) int {
		if a.value.IsNumeric() {
			return cmp.Compare(a.value.Float64(), b.value.Float64())
		}
		return cmp.Or(cmp.Compare(a.value.Int, b.value.Int), cmp.Compare(a.value.Nanos, b.value.Nanos))
	})
	return slices.CompactFunc(cuts, func(a, b limit) bool { return dictionary.Compare(a.value, b.value) == dictionary.Equal })
}

// values are the different ones, nil where there are too many.
func (b *binning) values(s []literal, most int) (values []limit) {
	for _, e := range s {
		l := b.limit(e.id)
		if len(values) > 0 && dictionary.Compare(values[len(values)-1].value, l.value) == dictionary.Equal {
			continue
		}
		if len(values) == most {
			return nil
		}
		values = append(values, l)
	}
	return values
}

// quantiles cut values so that about as many triples are in each bin, of what is left where one value has more.
func (b *binning) quantiles(s []literal, most int) (cuts []limit) {
	var left, below uint64 // triples from the last cut on, and those of them below e
	for _, e := range s {
		left += uint64(e.count)
	}
	for i, e := range s {
		if i > 0 && len(cuts) < most-1 && below*uint64(most-len(cuts)) >= left && e.key > s[i-1].key {
			l := b.limit(e.id)
			if len(cuts) == 0 || dictionary.Compare(cuts[len(cuts)-1].value, l.value) == dictionary.Less {
				cuts, left, below = append(cuts, l), left-below, 0
			}
		}
		below += uint64(e.count)
	}
	return cuts
}

// of yields the bins of a literal.
func (b *binning) of(id ID) iter.Seq[int] {
	return func(yield func(int) bool) {
		v := b.terms.Value(id)
		switch {
		case v.IsNumeric(), v.IsTemporal(), v.Kind == dictionary.Boolean:
			for i := range b.bins {
				if b.bins[i].has(v) && !yield(i) {
					return
				}
			}
		case v.Kind == dictionary.LangString:
			if i, there := b.languages[b.terms.Language(id)]; there {
				yield(i)
			}
		default:
			if i, there := b.single[id]; there {
				yield(i)
			}
		}
	}
}

// literals makes vertices of the values of a predicate, named from the first name that is free: one for each bin that a resource has a
// value in. It yields the pairs of resources and these, and says how many triples they stand for.
func (m *LabelledMining) literals(ctx context.Context, g *pcsr.Graph, label pcsr.Label, most int, bounds []string) (pairs iter.Seq2[ID, ID], triples uint64, err error) {
	b := m.bin(ctx, g, label, most, bounds)
	var keys []uint64 // bin, resource
	for object, subjects := range g.Partition(label, pcsr.In).Lists() {
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		if b.terms.Kind(object) != rdf.Literal {
			continue
		}
		before := len(keys)
		for i := range b.of(object) {
			for _, subject := range subjects {
				keys = append(keys, uint64(i)<<32|uint64(subject))
			}
		}
		if len(keys) > before {
			triples += uint64(len(subjects))
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if uint64(len(keys)) > uint64(math.MaxUint32-m.names) {
		return nil, 0, fmt.Errorf("%w: there are too many values for vertices of their own", ErrMineOptions)
	}
	first, done := m.names, 0
	for i := range b.bins {
		end, _ := slices.BinarySearch(keys, uint64(i+1)<<32)
		m.values = append(m.values, valueBin{b.bins[i], m.names, m.names + ID(end-done)})
		m.names, done = m.names+ID(end-done), end
	}
	return func(yield func(a, b ID) bool) {
		for i, key := range keys {
			if !yield(ID(key), first+ID(i)) {
				return
			}
		}
	}, triples, nil
}

// edges are the triples of each predicate between resources, and those to values in bins.
func (m *LabelledMining) edges(ctx context.Context, g *pcsr.Graph, predicates []pcsr.Label, options MiningOptions) (edges []iter.Seq2[uint32, uint32], err error) {
	bounds := map[pcsr.Label][]string{}
	for name, texts := range options.Bounds {
		label, err := m.predicate(g, name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(predicates, label) {
			return nil, fmt.Errorf("%w: there are bounds of %s, whose triples are no edges", ErrMineOptions, name)
		}
		bounds[label] = append(bounds[label], texts...)
	}
	m.names = ID(m.snapshot.Dictionary().Len())
	for _, label := range predicates {
		resources := m.pairs(ctx, g, label)
		if options.Bins == 0 && bounds[label] == nil {
			edges = append(edges, resources)
			continue
		}
		values, triples, err := m.literals(ctx, g, label, options.Bins, bounds[label])
		if err != nil {
			return nil, err
		}
		edges = append(edges, func(yield func(a, b ID) bool) {
			resources(yield)
			values(yield)
			m.Literals -= triples
		})
	}
	return edges, nil
}

// inBins lists the vertices that stand for values of each bin.
func (m *LabelledMining) inBins() (members []iter.Seq[uint32]) {
	for _, v := range m.values {
		members = append(members, func(yield func(uint32) bool) {
			for name := v.from; name < v.to && yield(name); name++ {
			}
		})
	}
	return members
}

// valueBin is a bin and the names of the vertices that stand for values in it.
type valueBin struct {
	bin
	from, to ID
}

// Names are what the predicates, classes and bins are called in queries, IRIs as they are, and what they are called in short.
func (m *LabelledMining) Names() (asked, short mine.Names) {
	asked = mine.Names{Predicates: m.Predicates, Classes: m.Classes}
	short = mine.Names{Predicates: brief(m.Predicates), Classes: brief(m.Classes)}
	for i := range m.values {
		b := &m.values[i].bin
		asked.Values = append(asked.Values, b.condition(Term.String))
		short.Values = append(short.Values, b.condition(func(t Term) string {
			if v := dictionary.ParseValue(t); v.IsNumeric() || v.IsTemporal() || v.Kind == dictionary.Boolean {
				return t.Value
			}
			return t.String()
		}))
	}
	return asked, short
}
