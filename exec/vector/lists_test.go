package vector_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// drawLists draws a batch of factorised rows.
func drawLists(r *rapid.T) *vector.Batch {
	b := &vector.Batch{N: rapid.IntRange(0, 6).Draw(r, "rows"), Cols: make([][]dictionary.ID, rapid.IntRange(1, 4).Draw(r, "columns"))}
	id := func() dictionary.ID { return rapid.Uint32Range(0, 99).Draw(r, "id") }
	for c := range b.Cols {
		if rapid.Bool().Draw(r, "a list") {
			l := vector.List{Column: c, Ends: []uint32{0}}
			for range b.N {
				l.Add(rapid.SliceOfN(rapid.Uint32Range(0, 99), 1, 5).Draw(r, "values"))
			}
			b.Lists = append(b.Lists, l)
			continue
		}
		b.Cols[c] = []dictionary.ID{}
		for range b.N {
			b.Cols[c] = append(b.Cols[c], id())
		}
	}
	if rapid.Bool().Draw(r, "weights") {
		b.Weights = []uint64{}
		for range b.N {
			b.Weights = append(b.Weights, rapid.Uint64Range(1, 7).Draw(r, "weight"))
		}
	}
	return b
}

// combinations are the solutions that a batch stands for, row by row, found by going through its lists one in the other.
func combinations(b *vector.Batch) (rows [][]dictionary.ID) {
	for r := range b.N {
		some := [][]dictionary.ID{make([]dictionary.ID, len(b.Cols))}
		for c, col := range b.Cols {
			if col != nil {
				some[0][c] = col[r]
			}
		}
		for i := range b.Lists {
			l := &b.Lists[i]
			var more [][]dictionary.ID
			for _, row := range some {
				for _, v := range l.Values[l.Ends[r]:l.Ends[r+1]] {
					row = slices.Clone(row)
					row[l.Column] = v
					more = append(more, row)
				}
			}
			some = more
		}
		weight := uint64(1)
		if b.Weights != nil {
			weight = b.Weights[r]
		}
		for range weight {
			rows = append(rows, some...)
		}
	}
	return rows
}

// enumerated are the solutions of a batch as Enumerate has them, row by row.
func enumerated(b *vector.Batch) (rows [][]dictionary.ID) {
	cols := b.Enumerate(&vector.Batch{}).Cols
	for i := range b.AllSolutions() {
		row := make([]dictionary.ID, len(cols))
		for c := range cols {
			row[c] = cols[c][i]
		}
		rows = append(rows, row)
	}
	return rows
}

func sameRows(a, b [][]dictionary.ID) bool { return slices.EqualFunc(a, b, slices.Equal) }

// What a batch stands for is the same whole, in runs of any length, and copied, and none of the runs stands for more than it may.
func TestFactorisedRowsStandForTheirCombinations(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b, most := drawLists(r), rapid.IntRange(1, 40).Draw(r, "most")
		want := combinations(b)
		if got := enumerated(b); !sameRows(got, want) {
			r.Fatalf("%v: got %v, want %v", b, got, want)
		}
		var got [][]dictionary.ID
		var copied vector.BatchCopy
		for part := range b.Runs(most) {
			if n := part.AllSolutions(); n > uint64(most) || n == 0 {
				r.Fatalf("a run of %d solutions, of %d at most", n, most)
			}
			got = append(got, enumerated(part)...)
			copied.Append(part, 0, part.N)
		}
		if !sameRows(got, want) {
			r.Fatalf("%v in runs of %d: got %v, want %v", b, most, got, want)
		}
		if again := enumerated(&copied.Batch); b.N > 0 && !sameRows(again, want) {
			r.Fatalf("%v copied in runs of %d: got %v, want %v", b, most, again, want)
		}
	})
}

// Numbers of more than 64 bits are told.
func TestTooManySolutionsAreTold(t *testing.T) {
	l := vector.List{}
	l.Add(make([]dictionary.ID, 1<<13))
	b := &vector.Batch{N: 1, Cols: make([][]dictionary.ID, 5)}
	for c := range b.Cols {
		l.Column = c
		b.Lists = append(b.Lists, l)
	}
	if n := b.Solutions(0); n != ^uint64(0) {
		t.Errorf("2^65 solutions are %d", n)
	}
	if _, err := b.AddTo(0); err != vector.ErrTooMany {
		t.Errorf("2^65 solutions: %v", err)
	}
	b.Lists, b.Cols = b.Lists[:4], b.Cols[:4]
	if n, err := b.AddTo(1); err != nil || n != 1<<52+1 {
		t.Errorf("2^52 solutions and one are %d, %v", n, err)
	}
	for part := range b.Runs(100) {
		if n := part.AllSolutions(); n > 100 {
			t.Errorf("a run of %d solutions", n)
		}
		break
	}
}
