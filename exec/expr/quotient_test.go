package expr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

func TestShortQuotientIsRoundedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	draw := func() int64 { return int64(random.Uint64()) >> random.IntN(63) }
	done := 0
	for range 200000 {
		x, y := draw(), draw()
		v, ok := shortQuotient(x, y)
		if !ok {
			continue
		}
		done++
		want, _ := new(big.Rat).SetString(big.NewRat(x, y).FloatString(divisionDigits))
		if high, low, _ := wideQuotient(x, y); wideText(high, low) != v.Canonical().Value {
			t.Fatalf("%d / %d is written %s, not %s", x, y, wideText(high, low), v.Canonical().Value)
		}
		got, good := new(big.Rat).SetString(v.Canonical().Value)
		if !good || got.Cmp(want) != 0 {
			t.Fatalf("%d / %d is %s, not %s", x, y, v.Canonical().Value, want.FloatString(divisionDigits))
		}
	}
	if done < 50000 {
		t.Fatalf("only %d quotients were short", done)
	}
}

// TestWideNumbersAreNarrowedToWhatTheyAre compares numbers of 128 bits with those of 64 that they are taken for.
func TestWideNumbersAreNarrowedToWhatTheyAre(t *testing.T) {
	narrow := 0
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Int64().Draw(t, "x"), rapid.SampledFrom([]int64{1, 2, 4, 5, 8, 10, 16, 100, 125, 1000, 1 << 20, 3, 7, 1e15, -2, -25}).Draw(t, "y")
		high, low, ok := wideQuotient(x, y)
		if !ok || high == low>>63 {
			return
		}
		k, units, ok := narrowed(high, low)
		if text := wideText(high, low); !ok {
			if digits := len(strings.TrimLeft(strings.Replace(strings.TrimSuffix(text, ".0"), ".", "", 1), "-0")); digits < 19 {
				t.Fatalf("%d / %d is %s, which has %d digits and fits 64 bits", x, y, text, digits)
			}
		} else if got, _ := k.AppendCanonical(nil, units); string(got) != text {
			t.Fatalf("%d / %d is %s, not %s", x, y, text, got)
		} else {
			narrow++
		}
	})
	if narrow == 0 {
		t.Error("no number was narrowed")
	}
}

// TestQuotientsCompareAsTheyAreRounded: without being computed, quotients that are rounded once compare with a number as those that were.
func TestQuotientsCompareAsTheyAreRounded(t *testing.T) {
	told, drawn := 0, 0
	column := func(k class, units int64) *numbers {
		return &numbers{classes: []class{k}, units: []int64{units}, unitRoom: []int64{units}}
	}
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		number := rapid.OneOf(rapid.Int64Range(-30, 30), rapid.Int64Range(-3e9, 3e9), rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 2e18, 1e18, -1e18}))
		k := isDecimal + class(rapid.IntRange(0, 18).Draw(t, "decimals"))
		x, y := number.Draw(t, "x"), number.Draw(t, "y")
		d := isDecimal + class(rapid.IntRange(0, 18).Draw(t, "decimals of z"))
		z := number.Draw(t, "z")
		if v := k.Value(x); y != 0 && rapid.Bool().Draw(t, "near") { // the quotient, cut, or one beside it
			w := k.Value(y)
			if q, ok := arithmetic('/', &v, &w); ok && q.Big == nil {
				d, z = isDecimal+class(q.Scale), q.Int+rapid.Int64Range(-1, 1).Draw(t, "beside")
			}
		}
		order, ok := compareQuotient(column(k, x), column(k, y), column(d, z), 0)
		if !ok {
			return
		}
		told++
		v, w := k.Value(x), k.Value(y)
		q, ok := arithmetic('/', &v, &w)
		if !ok {
			t.Fatalf("%v / %v cannot be computed", v, w)
		}
		if want := dictionary.Compare(q, d.Value(z)); order != want {
			t.Fatalf("%d / %d of class %d compare with %d of class %d as %d, computed %d", x, y, k, z, d, order, want)
		}
	})
	if drawn >= 100 && told == 0 {
		t.Error("no quotient was compared without being computed")
	}
}
