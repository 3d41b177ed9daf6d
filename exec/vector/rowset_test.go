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

// TestSetsGrowInUsedMemory: what others have left there is not found.
func TestSetsGrowInUsedMemory(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 4 {
		set, known := NewRowSet(2, nil), map[[2]dictionary.ID]uint32{}
		for range 5 {
			const n = 20_000
			cols := [][]dictionary.ID{make([]dictionary.ID, n), make([]dictionary.ID, n)}
			for r := range n {
				cols[0][r], cols[1][r] = random.Uint32N(300), random.Uint32N(200)
			}
			for r, hash := range HashRows(nil, cols, AllColumns(2), n) {
				row := [2]dictionary.ID{cols[0][r], cols[1][r]}
				want, ok := known[row]
				if !ok {
					want = uint32(len(known))
					known[row] = want
				}
				if got, fresh := set.Add(cols, r, hash); got != want || fresh == ok {
					t.Fatalf("row %v is number %d, new %v, want %d, new %v", row, got, fresh, want, !ok)
				}
			}
		}
		set.Release()
	}
}
