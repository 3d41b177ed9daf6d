package expr

import (
	"math/big"
	"math/rand/v2"
	"testing"
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
