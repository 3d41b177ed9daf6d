package mine

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"math/rand"
	"testing"

	"pgregory.net/rapid"
)

// scattered are random pairs; a few names are in most of them.
func scattered(random *rand.Rand, names, pairs int) iter.Seq2[uint32, uint32] {
	return func(yield func(a, b uint32) bool) {
		for range pairs {
			a, b := random.Intn(names), random.Intn(1+random.Intn(names))
			if !yield(uint32(a), uint32(b)) {
				return
			}
		}
	}
}

func TestClosedFormsCountWhatIsVisited(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		g := Build(scattered(random, rapid.IntRange(3, 60).Draw(t, "names"), rapid.IntRange(1, 400).Draw(t, "pairs")), nil)
		size, motifs := rapid.IntRange(3, 4).Draw(t, "size"), MotifOptions{Induced: rapid.Bool().Draw(t, "induced")}
		want, err := visited(context.Background(), g, size, motifs, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		memory := rapid.SampledFrom([]int64{0, 1, 8, 16}).Draw(t, "memory for a vertex") * int64(g.Len())
		got, err := Motifs(context.Background(), g, size, motifs, Options{Threads: rapid.IntRange(1, 4).Draw(t, "threads"), Memory: memory})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, want %v: %v", got, want, err)
		}
	})
}

func TestMoreMotifsThanANumberHoldsAreAnError(t *testing.T) {
	t.Parallel()
	many := new(big.Int).Lsh(big.NewInt(1), 64)
	if _, err := supportsOf(map[Pattern]*big.Int{star: many}); err == nil {
		t.Error("2^64 stars were counted")
	}
	var n wide
	n.product(1<<63, 6, 3)
	n.product(^uint64(0), 2, 2)
	want := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 65), big.NewInt(1))
	if n.big().Cmp(want) != 0 {
		t.Errorf("%v, want %v", n.big(), want)
	}
}
