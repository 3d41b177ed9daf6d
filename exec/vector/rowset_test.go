package vector

import (
	"math/rand/v2"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"pgregory.net/rapid"
)

// TestRowsAreAddedTogetherAsOneByOne: the same are new, and have the same numbers.
func TestRowsAreAddedTogetherAsOneByOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 3).Draw(t, "columns")
		values, bits := rapid.Uint32Range(1, 500).Draw(t, "values"), rapid.SampledFrom([]uint64{^uint64(0), 7, 0}).Draw(t, "hashes")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		together, single := NewRowSet(width, nil), NewRowSet(width, nil)
		for range rapid.IntRange(1, 5).Draw(t, "batches") {
			n := rapid.IntRange(0, 400).Draw(t, "rows")
			cols := make([][]dictionary.ID, width)
			for c := range cols {
				for range n {
					cols[c] = append(cols[c], random.Uint32N(values))
				}
			}
			hashes := HashRows(nil, cols, AllColumns(width), n)
			var rows []uint32
			for r := range hashes {
				if hashes[r] &= bits; random.IntN(4) > 0 {
					rows = append(rows, uint32(r))
				}
			}
			fresh := make([]bool, n)
			together.AddRows(cols, rows, hashes, fresh)
			for _, r := range rows {
				if _, want := single.Add(cols, int(r), hashes[r]); fresh[r] != want {
					t.Fatalf("row %d is new: %v, want %v", r, fresh[r], want)
				}
			}
			for r := range n {
				row, _, known := single.Find(cols, r, hashes[r])
				if got, _, ok := together.Find(cols, r, hashes[r]); ok != known || got != row {
					t.Fatalf("row %d is row %d (%v) of the set, want %d (%v)", r, got, ok, row, known)
				}
			}
		}
	})
}
