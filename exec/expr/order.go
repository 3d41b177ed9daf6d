package expr

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
	"sync"

	"github.com/cockroachdb/apd/v3"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// Comparer orders terms as ORDER BY does (section 15.1): unbound, blank nodes, IRIs, literals. Among literals numbers
// come first by exact value, NaN last, then dates and times by kind and instant (without a zone: as if in UTC),
// booleans, plain strings, strings by language tag, and literals of other datatypes. What SPARQL calls equal, such as
// 1 and 1.0, compares equal. The order is total on what it tells apart.
type Comparer struct {
	terms Terms
	// dictionary is the one below terms; it may be nil.
	dictionary *dictionary.Dictionary
	// texts are, for each segment of the dictionary, the plain and then the language-tagged strings: in each of these
	// ranges IDs are in the order of the terms. So they are in numbers, one range for each segment, where terms may be equal too.
	texts, numbers []dictionary.Range
	// moments are the dates and times, likewise, of all segments.
	moments func() []dictionary.Range
	// strings and langs are those of the first segment.
	strings, langs dictionary.Range
	// cuts are where segments after the first start, and where the last ends.
	cuts []dictionary.ID
}

// NewComparer returns the order over terms. d may be nil; with the dictionary below terms, strings need no decoding.
func NewComparer(terms Terms, d *dictionary.Dictionary) *Comparer {
	c := &Comparer{terms: terms, dictionary: d, moments: func() []dictionary.Range { return nil }}
	if d != nil {
		c.moments = sync.OnceValue(func() (ranges []dictionary.Range) {
			for i := range d.Segments() {
				ranges = append(ranges, d.MomentRanges(i)...)
			}
			return ranges
		})
		for i := range d.Segments() {
			c.texts = append(c.texts, d.Section(i, dictionary.Strings), d.Section(i, dictionary.LangStrings))
			c.numbers = append(c.numbers, d.Section(i, dictionary.Numbers))
			c.cuts = append(c.cuts, d.Start(i+1))
		}
		c.strings, c.langs = c.texts[0], c.texts[1]
	}
	return c
}

// Compare returns a negative number when a comes before b, 0 when neither comes first, a positive number otherwise.
func (c *Comparer) Compare(a, b dictionary.ID) int {
	switch {
	case a == b:
		return 0
	case c.strings.Contains(a) && c.strings.Contains(b), c.langs.Contains(a) && c.langs.Contains(b), c.ordered(a, b):
		return cmp.Compare(a, b)
	case a == dictionary.None:
		return -1
	case b == dictionary.None:
		return 1
	}
	if c.dictionary != nil {
		x, k := c.dictionary.Number(a)
		if y, other := c.dictionary.Number(b); k == other && fitsUnits(k) {
			return cmp.Compare(x, y)
		}
	}
	x, y := c.terms.Value(a), c.terms.Value(b)
	if r, s := rank(x.Kind), rank(y.Kind); r != s {
		return cmp.Compare(r, s)
	}
	switch rank(x.Kind) {
	case rankNumber:
		return compareExact(&x, &y)
	case rankTemporal:
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Int, y.Int), cmp.Compare(x.Nanos, y.Nanos))
	case rankBoolean:
		return cmp.Compare(x.Int, y.Int)
	}
	return compareText(c.terms.Term(a), c.terms.Term(b))
}

// Cuts are the IDs, ascending, between which strings are compared by their IDs; across a cut they have to be decoded.
func (c *Comparer) Cuts() []dictionary.ID { return c.cuts }

// Against returns Compare with b on the right, for many terms on the left: where b is a string, a number, or a date or time, it is looked up in the
// order of each segment's first, and then those are compared by their IDs in all segments.
func (c *Comparer) Against(b dictionary.ID) func(a dictionary.ID) int {
	bounds := c.bounds(b)
	return func(a dictionary.ID) int {
		for _, r := range bounds {
			switch {
			case !r.in.Contains(a):
			case a < r.equal.From:
				return -1
			case a < r.equal.To:
				return 0
			default:
				return 1
			}
		}
		return c.Compare(a, b)
	}
}

// rangeBound is a range of IDs in the order of their terms, and those that are equal to a term.
type rangeBound struct{ in, equal dictionary.Range }

// bounds are where a term belongs in ranges of others of its sort.
func (c *Comparer) bounds(b dictionary.ID) (list []rangeBound) {
	if b == dictionary.None {
		return nil
	}
	for _, r := range c.alike(rank(c.terms.Value(b).Kind)) {
		first := func(least int) dictionary.ID {
			return r.From + dictionary.ID(sort.Search(r.Len(), func(n int) bool { return c.Compare(r.From+dictionary.ID(n), b) >= least }))
		}
		list = append(list, rangeBound{r, dictionary.Range{From: first(0), To: first(1)}})
	}
	return list
}

// Ascend reports whether all terms from one ID to another are known to be in the order of their IDs: numbers, strings, or dates and times of
// one kind, of one segment. Some may be equal.
func (c *Comparer) Ascend(first, last dictionary.ID) bool {
	both := func(r dictionary.Range) bool { return r.Contains(first) && r.Contains(last) }
	return slices.ContainsFunc(c.numbers, both) || slices.ContainsFunc(c.texts, both) || slices.ContainsFunc(c.moments(), both)
}

// Beaten are ranges of IDs whose terms all come after one (sign -1), or before it (sign 1): of each range of its sort in the order of IDs what does, or nothing.
func (c *Comparer) Beaten(by dictionary.ID, sign int) (ranges []dictionary.Range) {
	for _, b := range c.bounds(by) {
		r := dictionary.Range{From: b.in.From, To: b.equal.From}
		if sign < 0 {
			r = dictionary.Range{From: b.equal.To, To: b.in.To}
		}
		ranges = append(ranges, r)
	}
	return ranges
}

// longest is the longest of some ranges.
func longest(ranges []dictionary.Range) (longest dictionary.Range) {
	for _, r := range ranges {
		if r.Len() > longest.Len() {
			longest = r
		}
	}
	return longest
}

// alike are the ordered ranges of the terms of a rank.
func (c *Comparer) alike(rank int8) (list []dictionary.Range) {
	first := 0
	switch rank {
	case rankNumber:
		return c.numbers
	case rankTemporal:
		return c.moments()
	case rankString:
	case rankLang:
		first = 1
	default:
		return nil
	}
	for i := first; i < len(c.texts); i += 2 {
		list = append(list, c.texts[i])
	}
	return list
}

// ordered reports whether two terms lie in one range of strings of a later segment.
func (c *Comparer) ordered(a, b dictionary.ID) bool {
	for i := 2; i < len(c.texts); i++ {
		if c.texts[i].Contains(a) {
			return c.texts[i].Contains(b)
		}
	}
	return false
}

// Ranks of the sorts of term.
const (
	rankResource = iota
	rankNumber
	rankTemporal
	rankBoolean
	rankString
	rankLang
	rankOther
)

var ranks = [...]int8{
	dictionary.NoValue: rankResource, dictionary.Integer: rankNumber, dictionary.Decimal: rankNumber,
	dictionary.Float: rankNumber, dictionary.Double: rankNumber, dictionary.DateTime: rankTemporal,
	dictionary.Date: rankTemporal, dictionary.Time: rankTemporal, dictionary.GYear: rankTemporal,
	dictionary.GYearMonth: rankTemporal, dictionary.Boolean: rankBoolean, dictionary.String: rankString,
	dictionary.LangString: rankLang, dictionary.OtherLiteral: rankOther,
}

func rank(k dictionary.ValueKind) int8 { return ranks[k] }

// compareText orders blank nodes before IRIs, and terms of one sort by tag or datatype and text.
func compareText(s, t rdf.Term) int {
	if s.Kind != t.Kind {
		return -cmp.Compare(s.Kind, t.Kind) // the kinds are counted IRI, blank node
	}
	return cmp.Or(cmp.Compare(s.Language, t.Language), cmp.Compare(s.Datatype, t.Datatype), cmp.Compare(s.Value, t.Value))
}

// compareExact orders numbers by exact value: unlike promotion to floats that is transitive.
func compareExact(a, b *dictionary.Value) int {
	switch {
	case a.IsNaN() || b.IsNaN():
		return cmp.Compare(btoi(a.IsNaN()), btoi(b.IsNaN()))
	case isFloat(a) && isFloat(b):
		return cmp.Compare(a.Float, b.Float)
	case !isFloat(a) && !isFloat(b):
		return int(dictionary.Compare(*a, *b))
	case isFloat(b):
		return -compareExact(b, a)
	case math.IsInf(a.Float, 0):
		return cmp.Compare(a.Float, 0)
	}
	// A float and an exact number: floats first, digits only when these are too close.
	if f := b.Float64(); math.Abs(a.Float-f) > 1e-9*math.Abs(f) {
		return cmp.Compare(a.Float, f)
	}
	// The shortest decimals of a float need not be its value: write all of them out.
	x, _, err := apd.NewFromString(strconv.FormatFloat(a.Float, 'e', 766, 64))
	if err != nil {
		return cmp.Compare(a.Float, b.Float64())
	}
	return x.Cmp(b.Decimal())
}

func isFloat(v *dictionary.Value) bool {
	return v.Kind == dictionary.Float || v.Kind == dictionary.Double
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
