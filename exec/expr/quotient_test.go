package expr

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
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
