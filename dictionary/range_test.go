package dictionary

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// rangeTest is a dictionary, all decoded.
type rangeTest struct {
	d      *Dictionary
	terms  []rdf.Term
	values []Value
}

func newRangeTest(d *Dictionary) *rangeTest {
	r := &rangeTest{d: d}
	for i := range d.Len() {
		r.terms = append(r.terms, d.Term(ID(i)))
		r.values = append(r.values, ParseValue(r.terms[i]))
	}
	return r
}

// compare is SPARQL's comparison of the term of an ID and a constant with value v, strings included.
func (r *rangeTest) compare(id ID, constant rdf.Term, v Value) Order {
	if v.Kind == String && r.values[id].Kind == String {
		return Order(strings.Compare(r.terms[id].Value, constant.Value))
	}
	return Compare(r.values[id], v)
}

func (r *rangeTest) check(t *testing.T, constant rdf.Term) {
	t.Helper()
	d := r.d
	for c := IsLess; c <= IsGreater; c++ {
		ranges, exact := d.ValueRange(c, constant)
		v := ParseValue(constant)
		if want := v.IsNumeric() || v.IsTemporal() || v.Kind == Boolean || v.Kind == String; exact != want {
			t.Fatalf("%v: exact %v, want %v", constant, exact, want)
		}
		if !exact {
			continue
		}
		for i, r := range ranges {
			if r.From >= r.To || i > 0 && r.From <= ranges[i-1].To || r.To > d.Ordered() {
				t.Fatalf("%v: ranges %v", constant, ranges)
			}
		}
		ids, ok := d.ValueIDs([]Condition{{c, constant}}, d.Len())
		if !slices.IsSorted(ids) || !ok {
			t.Fatalf("%v: IDs %v, %v", constant, ids, ok)
		}
		for i := range d.Len() {
			id := ID(i)
			_, got := slices.BinarySearch(ids, id)
			got = got || slices.ContainsFunc(ranges, func(r Range) bool { return r.Contains(id) })
			if want := c.Holds(r.compare(id, constant, v)); got != want {
				t.Fatalf("%v comparison %d with %v: %v, want %v (ranges %v)", r.terms[id], c, constant, got, want, ranges)
			}
		}
	}
}

// checkBoth compares the terms of a tail with two constants.
func (r *rangeTest) checkBoth(t *testing.T, a, b Condition) {
	t.Helper()
	var want []ID
	for id := r.d.Ordered(); id < ID(r.d.Len()); id++ {
		if a.Holds(r.compare(id, a.Constant, ParseValue(a.Constant))) && b.Holds(r.compare(id, b.Constant, ParseValue(b.Constant))) {
			want = append(want, id)
		}
	}
	if got, ok := r.d.ValueIDs([]Condition{a, b}, r.d.Len()); ok && !slices.Equal(got, want) {
		t.Fatalf("comparisons %d with %v and %d with %v: %v, want %v", a.Comparison, a.Constant, b.Comparison, b.Constant, got, want)
	}
}

func TestRangesAreWhatTheOperatorsSay(t *testing.T) {
	d, all := sampleDictionary(t)
	r := newRangeTest(d)
	for term := range all {
		if v := ParseValue(term); v.Kind != Integer && v.Kind != Decimal && v.Kind != String || rand.N(20) == 0 {
			r.check(t, term)
		}
	}
	for _, c := range []rdf.Term{rdf.NewString("text"), rdf.NewString("text 5"), rdf.NewString("\xff"), rdf.NewTyped("0.1", rdf.XSDFloat), rdf.NewTyped("1e-50", rdf.XSDFloat)} {
		r.check(t, c)
	}
}

// roundingNumbers are equal only after rounding: around 2^24 and 2^53, decimals between two doubles, and decimals beside what
// is in the middle between two floats.
func roundingNumbers() (terms []rdf.Term) {
	for _, base := range []int64{1 << 24, 1 << 53, -1 << 24, -1 << 53, 0} {
		for i := int64(-5); i <= 5; i++ {
			n := base + i
			terms = append(terms, rdf.NewTyped(fmt.Sprint(n), rdf.XSDInteger), rdf.NewTyped(fmt.Sprintf("%d.00000001", n), rdf.XSDDecimal),
				rdf.NewTyped(fmt.Sprintf("%d.99999999", n), rdf.XSDDecimal), rdf.NewTyped(fmt.Sprint(n), rdf.XSDFloat), rdf.NewTyped(fmt.Sprint(n), rdf.XSDDouble),
				rdf.NewTyped(fmt.Sprintf("%d.1", n), rdf.XSDFloat), rdf.NewTyped(fmt.Sprintf("%d.1", n), rdf.XSDDouble))
		}
	}
	for _, n := range []string{"16777217", "16777216.9999999999999999", "16777217.0000000000000001", "-16777216.9999999999999999", "-0.0", "1e-60", "-1e-60"} {
		for _, d := range []Datatype{XSDInteger, XSDDecimal, XSDFloat, XSDDouble} {
			terms = append(terms, rdf.NewTyped(n, d.IRI()))
		}
	}
	return terms
}

func TestRangesOfNumbersThatRound(t *testing.T) {
	terms := roundingNumbers()
	d, err := FromTerms(terms)
	if err != nil {
		t.Fatal(err)
	}
	r := newRangeTest(d)
	for _, c := range terms {
		r.check(t, c)
	}
}

// exactValue is a number as an independent package sees it; ok is false for NaN and infinities.
func exactValue(t rdf.Term) (r *big.Rat, ok bool) {
	v := ParseValue(t)
	switch {
	case v.Kind == Float || v.Kind == Double:
		if math.IsNaN(v.Float) || math.IsInf(v.Float, 0) {
			return nil, false
		}
		return new(big.Rat).SetFloat64(v.Float), true
	}
	return new(big.Rat).SetString(t.Value)
}

func TestNumbersLieInExactOrder(t *testing.T) {
	d, _ := sampleDictionary(t)
	var previous *big.Rat
	seen := 0
	numbers := d.Section(0, Numbers)
	for id := numbers.From; id < numbers.To; id++ {
		r, ok := exactValue(d.Term(id))
		if !ok {
			f := d.Value(id).Float
			if f < 0 && previous != nil || f > 0 && previous == nil {
				t.Fatalf("%v lies at ID %d", d.Term(id), id)
			}
			continue
		}
		if previous != nil && previous.Cmp(r) > 0 {
			t.Fatalf("%v comes after %v", d.Term(id), previous)
		}
		previous = r
		seen++
	}
	if seen < 1400 {
		t.Fatalf("only %d numbers", seen)
	}
	if numbers.To == numbers.From || !d.Value(numbers.To-1).IsNaN() {
		t.Fatal("NaN is not last")
	}
}

// sortKey orders a number among numbers.
func sortKey(t *testing.T, number rdf.Term) []byte {
	t.Helper()
	key, _ := AppendKey(nil, number)
	order, section, err := AppendSortKey(nil, key)
	if err != nil || section != Numbers {
		t.Fatalf("%v lies in section %v, error %v", number, section, err)
	}
	return order
}

func TestSortKeysOfRandomNumbersCompareExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	draw := func() rdf.Term {
		switch rng.IntN(5) {
		case 0:
			return rdf.NewTyped(fmt.Sprint(rng.Int64()>>rng.IntN(64)*(1-2*rng.Int64N(2))), rdf.XSDInteger)
		case 1:
			return rdf.NewTyped(fmt.Sprint(math.Float64frombits(rng.Uint64()&^(1<<62))), rdf.XSDDouble)
		case 2:
			return rdf.NewTyped(fmt.Sprint(math.Float32frombits(rng.Uint32()&^(1<<30))), rdf.XSDFloat)
		case 3:
			return rdf.NewTyped(fmt.Sprintf("%d.%0*d", rng.IntN(5)-2, 1+rng.IntN(30), rng.IntN(1000)), rdf.XSDDecimal)
		}
		return rdf.NewTyped(fmt.Sprintf("%s%d%d", []string{"", "-", "+0"}[rng.IntN(3)], rng.Uint64(), rng.Uint64()), rdf.XSDInteger)
	}
	for range 20_000 {
		a, b := draw(), draw()
		x, okX := exactValue(a)
		y, okY := exactValue(b)
		if !okX || !okY || sectionOfTerm(a) != Numbers || sectionOfTerm(b) != Numbers {
			continue
		}
		if got, want := bytes.Compare(sortKey(t, a), sortKey(t, b)), x.Cmp(y); want != 0 && got != want {
			t.Fatalf("%v and %v: %d, want %d", a, b, got, want)
		}
	}
}

func TestValuesOfLexicalForms(t *testing.T) {
	cases := []struct {
		lexical, datatype string
		want              Value
	}{
		{"042", "integer", Value{Kind: Integer, Int: 42}},
		{"+1.500", "decimal", Value{Kind: Decimal, Int: 15, Scale: 1}},
		{"-.5", "decimal", Value{Kind: Decimal, Int: -5, Scale: 1}},
		{"1.", "decimal", Value{Kind: Decimal, Int: 1}},
		{"1.5", "integer", Value{Kind: OtherLiteral}},
		{"1.", "integer", Value{Kind: OtherLiteral}},
		{"0x1", "double", Value{Kind: OtherLiteral}},
		{"1_0", "double", Value{Kind: OtherLiteral}},
		{"inf", "double", Value{Kind: OtherLiteral}},
		{"1e", "double", Value{Kind: OtherLiteral}},
		{"0.1", "float", Value{Kind: Float, Float: float64(float32(0.1))}},
		{"128", "byte", Value{Kind: OtherLiteral}},
		{"-128", "byte", Value{Kind: Integer, Int: -128}},
		{"0", "positiveInteger", Value{Kind: OtherLiteral}},
		{"TRUE", "boolean", Value{Kind: OtherLiteral}},
		{"1", "boolean", Value{Kind: Boolean, Int: 1}},
		{"1970-01-01T00:00:00Z", "dateTime", Value{Kind: DateTime}},
		{"1970-01-01T00:00:00.25+01:00", "dateTime", Value{Kind: DateTime, Int: -3600, Nanos: 250_000_000, Zone: 60}},
		{"1970-01-01T00:00:00", "dateTime", Value{Kind: DateTime, Zone: NoZone}},
		{"1970-01-01T00:00:00", "dateTimeStamp", Value{Kind: OtherLiteral}},
		{"1969-12-31T24:00:00", "dateTime", Value{Kind: DateTime, Zone: NoZone}},
		{"2000-02-29", "date", Value{Kind: Date, Int: 951782400, Zone: NoZone}},
		{"2001-02-29", "date", Value{Kind: OtherLiteral}},
		{"0001-01-01", "date", Value{Kind: Date, Int: -62135596800, Zone: NoZone}},
		{"-0001-01-01", "date", Value{Kind: Date, Int: -62135596800 - (366+365)*86400, Zone: NoZone}},
		{"200-01-01", "date", Value{Kind: OtherLiteral}},
		{"1972", "gYear", Value{Kind: GYear, Int: 2 * 365 * 86400, Zone: NoZone}},
		{"1970-02", "gYearMonth", Value{Kind: GYearMonth, Int: 31 * 86400, Zone: NoZone}},
		{"24:00:00", "time", Value{Kind: Time, Zone: NoZone}},
		{"24:00:01", "time", Value{Kind: OtherLiteral}},
		{" 1", "integer", Value{Kind: OtherLiteral}},
	}
	for _, c := range cases {
		got := ParseValue(rdf.NewTyped(c.lexical, rdf.XSD+c.datatype))
		c.want.Datatype = DatatypeOf(rdf.XSD + c.datatype)
		if !c.want.IsTemporal() {
			c.want.Zone = NoZone
		}
		if got != c.want {
			t.Errorf("%q^^%s: %+v, want %+v", c.lexical, c.datatype, got, c.want)
		}
	}
}

func TestTimesWithAndWithoutZone(t *testing.T) {
	value := func(s string) Value { return ParseValue(rdf.NewTyped(s, rdf.XSDDateTime)) }
	cases := []struct {
		a, b string
		want Order
	}{
		{"2000-01-15T12:00:00", "2000-01-16T12:00:00Z", Less},
		{"2000-01-16T12:00:00Z", "2000-01-15T12:00:00", Greater},
		{"2000-01-15T12:00:00", "2000-01-15T12:00:00Z", Incomparable},
		{"2000-01-15T12:00:00Z", "2000-01-15T12:00:00", Incomparable},
		{"2000-01-16T00:00:00", "2000-01-16T12:00:00Z", Incomparable},
		{"2000-01-15T12:00:00+01:00", "2000-01-15T11:00:00Z", Equal},
		{"2000-01-15T12:00:00.1", "2000-01-15T12:00:00.10", Equal},
	}
	for _, c := range cases {
		if got := Compare(value(c.a), value(c.b)); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestMixedComparisons(t *testing.T) {
	for _, c := range []struct {
		a, b Value
		want Order
	}{
		{Value{Kind: Integer, Int: 1<<53 + 1}, Value{Kind: Double, Float: 1 << 53}, Equal},
		{Value{Kind: Integer, Int: 1<<53 + 1}, Value{Kind: Decimal, Int: 1 << 53}, Greater},
		{Value{Kind: Decimal, Int: 1, Scale: 1}, Value{Kind: Double, Float: 0.1}, Equal},
		{Value{Kind: Decimal, Int: math.MaxInt64}, Value{Kind: Decimal, Int: 1, Scale: 18}, Greater},
		{Value{Kind: Decimal, Int: 1, Scale: 18}, Value{Kind: Integer, Int: math.MinInt64}, Greater},
		{Value{Kind: Double, Float: math.NaN()}, Value{Kind: Integer}, Unordered},
		{Value{Kind: Boolean, Int: 1}, Value{Kind: Integer, Int: 1}, Incomparable},
		{Value{Kind: Date}, Value{Kind: DateTime}, Incomparable},
	} {
		if got := Compare(c.a, c.b); got != c.want {
			t.Errorf("%+v and %+v: %d, want %d", c.a, c.b, got, c.want)
		}
		want := c.want
		if want == Less || want == Greater {
			want = Order(cmp.Compare(0, int(want)))
		}
		if got := Compare(c.b, c.a); got != want {
			t.Errorf("the other way round: %+v and %+v: %d, want %d", c.b, c.a, got, want)
		}
	}
}
