package dictionary

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func TestCanonicalFormsAreReadAsTheNumberThatTheyAreOf(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		class := NumberClass(rapid.IntRange(int(IntegerUnits), int(DecimalUnits)+MostDecimals).Draw(rt, "class"))
		units := rapid.Int64().Draw(rt, "units")
		switch class {
		case FloatBits:
			units = int64(math.Float64bits(float64(rapid.Float32().Draw(rt, "float"))))
		case DoubleBits:
			units = int64(math.Float64bits(rapid.Float64().Draw(rt, "double")))
		}
		v := class.Value(units)
		term := v.Canonical()
		if read := ParseValue(term); read.Kind != v.Kind || read.Datatype != v.Datatype || Compare(read, v) != Equal { // large ones are read as Big
			rt.Fatalf("%d of class %d is written as %v, which is %+v and not %+v", units, class, term, read, v)
		} else if k, n := ClassOf(&read); (class == IntegerUnits || class >= DecimalUnits) && class.Value(units) != k.Value(n) || k != class && class < DecimalUnits {
			rt.Fatalf("%v is read as %d of class %d, and was %d of class %d", term, n, k, units, class)
		}
		text, datatype := class.AppendCanonical([]byte("before "), units)
		if string(text) != "before "+term.Value || datatype != term.Datatype {
			rt.Fatalf("%d of class %d is appended as %q of %s, not %v", units, class, text, datatype, term)
		}
		if (class == IntegerUnits || class >= DecimalUnits) && v.Decimal().Cmp(ParseValue(rdf.NewTyped(v.ExactText(), rdf.XSDDecimal)).Decimal()) != 0 {
			rt.Fatalf("%d of class %d has the text %s", units, class, v.ExactText())
		}
	})
}

func TestCanonicalFormsOfWhatIsNoUsualNumber(t *testing.T) {
	for bits, want := range map[uint64]string{
		math.Float64bits(math.Inf(1)): "INF", math.Float64bits(math.Inf(-1)): "-INF", math.Float64bits(math.NaN()): "NaN", 0: "0.0E0", 1 << 63: "-0.0E0",
		math.Float64bits(1e300): "1.0E300", math.Float64bits(-2.5e-7): "-2.5E-7",
	} {
		if text, _ := DoubleBits.AppendCanonical(nil, int64(bits)); string(text) != want {
			t.Errorf("a double is written %s, not %s", text, want)
		}
	}
	for _, c := range []struct {
		class NumberClass
		units int64
		want  string
	}{
		{DecimalUnits, 0, "0.0"}, {DecimalUnits + 18, 1, "0.000000000000000001"}, {DecimalUnits + 2, -5, "-0.05"}, {DecimalUnits + 2, 1500, "15.0"},
		{DecimalUnits + 18, math.MinInt64, "-9.223372036854775808"}, {IntegerUnits, math.MinInt64, "-9223372036854775808"},
	} {
		if text, _ := c.class.AppendCanonical(nil, c.units); string(text) != c.want {
			t.Errorf("%d of class %d is written %s, not %s", c.units, c.class, text, c.want)
		}
	}
}
