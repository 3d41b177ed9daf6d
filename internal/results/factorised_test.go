package results

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// longSample is sample, a text that leaves in the middle of a row, and one of which a few make too long a template.
var longSample = append(slices.Clip(sample), rdf.NewString(strings.Repeat("long ", longText/5+1)), rdf.NewString(strings.Repeat("a", longText/4)))

// drawFactorised draws a batch of factorised rows over some columns, and how many terms its cells are of.
func drawFactorised(r *rapid.T, columns, terms, most int) *vector.Batch {
	b := &vector.Batch{N: rapid.IntRange(1, 12).Draw(r, "rows"), Cols: make([][]ID, columns)}
	id := func() ID { return ID(rapid.IntRange(0, terms-1).Draw(r, "id")) }
	for c := range b.Cols {
		if rapid.Bool().Draw(r, "a list") {
			l := vector.List{Column: c}
			for range b.N {
				var values []ID
				for range rapid.IntRange(1, most).Draw(r, "values") {
					values = append(values, id())
				}
				l.Add(values)
			}
			b.Lists = append(b.Lists, l)
			continue
		}
		for range b.N {
			cell := none
			if rapid.IntRange(0, 3).Draw(r, "unbound") > 0 {
				cell = id()
			}
			b.Cols[c] = append(b.Cols[c], cell)
		}
	}
	if rapid.Bool().Draw(r, "weights") {
		for range b.N {
			b.Weights = append(b.Weights, uint64(rapid.SampledFrom([]int{1, 1, 1, 2, 3, 30}).Draw(r, "weight")))
		}
	}
	return b
}

// solutionsOf are the solutions of a batch, found without lists of its own: by counting through all combinations.
func solutionsOf(b *vector.Batch) (cols [][]ID) {
	cols = make([][]ID, len(b.Cols))
	for r := range b.N {
		times := uint64(1)
		if b.Weights != nil {
			times = b.Weights[r]
		}
		for range times {
			at := make([]int, len(b.Lists))
			for more := true; more; {
				for c, col := range b.Cols {
					if col != nil {
						cols[c] = append(cols[c], col[r])
					}
				}
				for i := range b.Lists {
					cols[b.Lists[i].Column] = append(cols[b.Lists[i].Column], b.Lists[i].Of(r)[at[i]])
				}
				more = false
				for i := len(at) - 1; i >= 0 && !more; i-- {
					if at[i]++; at[i] < len(b.Lists[i].Of(r)) {
						more = true
					} else {
						at[i] = 0
					}
				}
			}
		}
	}
	return cols
}

// Factorised rows are written as their solutions would be, whatever their order; those of text formats in the same order.
func TestFactorisedRowsAreWrittenAsTheirSolutions(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		columns := rapid.IntRange(1, 4).Draw(r, "columns")
		variables := []string{"a", "b", "c", "d"}[:columns]
		d, most := sample, rapid.SampledFrom([]int{1, 3, 3, 20}).Draw(r, "most values")
		if rapid.IntRange(0, 9).Draw(r, "long terms") == 0 {
			d, most = longSample, 2
		}
		var batches []*vector.Batch
		var plain [][][]ID
		solutions := 0
		for range rapid.IntRange(1, 5).Draw(r, "batches") {
			b := drawFactorised(r, columns, len(d), most)
			if n := int(b.AllSolutions()); solutions+n > 60_000 || len(d) > len(sample) && solutions+n > 60 {
				break
			} else {
				solutions += n
			}
			cols := solutionsOf(b)
			if rapid.IntRange(0, 4).Draw(r, "taken apart") == 0 {
				b = &vector.Batch{N: len(cols[0]), Cols: cols}
			}
			batches, plain = append(batches, b), append(plain, cols)
		}
		options := Options{Workers: threads(rapid.SampledFrom([]int{1, 4}).Draw(r, "threads")), Width: 60}
		for _, format := range []Format{TSV, CSV, JSON, XML, TableText, Arrow, Parquet} {
			var out bytes.Buffer
			w, err := NewWriter(&out, format, variables, d, options)
			if err != nil {
				r.Fatal(err)
			}
			for _, b := range batches {
				if err := w.WriteBatch(b); err != nil {
					r.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				r.Fatal(err)
			}
			if w.Rows() != uint64(solutions) {
				r.Fatalf("%s: %d rows, there are %d", format, w.Rows(), solutions)
			}
			want := write(t, format, variables, d, options, plain...)
			switch got := out.String(); format {
			case Arrow:
				_, a, _ := readArrow(t, got)
				if _, b, _ := readArrow(t, want); !equalRows(a, b) {
					r.Fatal("Arrow: the rows differ")
				}
			case Parquet:
				_, a, _ := readParquet(t, got)
				if _, b, _ := readParquet(t, want); !equalRows(a, b) {
					r.Fatal("Parquet: the rows differ")
				}
			default:
				if got != want {
					r.Fatalf("%s: got\n%.2000s\nwant\n%.2000s", format, got, want)
				}
			}
		}
	})
}

// BenchmarkWriteFactorised writes 440,000 rows of three columns: a vertex with two lists of as many members as the name says, as the solutions they stand for and factorised.
func BenchmarkWriteFactorised(b *testing.B) {
	const rows, vertices = 440_000, 7_000
	d := make(terms, vertices)
	for i := range d {
		d[i] = rdf.NewIRI(fmt.Sprintf("http://example.org/vertex/%d", i))
	}
	for _, lengths := range [][2]int{{1, 1}, {1, 4}, {4, 1}, {1, 20}, {4, 4}, {20, 20}} {
		whole := &vector.Batch{Cols: make([][]ID, 3), Lists: []vector.List{{Column: 1}, {Column: 2}}}
		for whole.N < rows/(lengths[0]*lengths[1]) {
			whole.Cols[0] = append(whole.Cols[0], ID(whole.N%vertices))
			for i := range whole.Lists {
				var values []ID
				for k := range lengths[i] {
					values = append(values, ID((whole.N*7919+k*104729+i)%vertices))
				}
				whole.Lists[i].Add(values)
			}
			whole.N++
		}
		plain := whole.Enumerate(&vector.Batch{})
		for _, format := range []Format{TSV, JSON, Arrow} {
			for name, batch := range map[string]*vector.Batch{"plain": plain, "factorised": whole} {
				b.Run(fmt.Sprintf("%s/%dx%d/%s", format, lengths[0], lengths[1], name), func(b *testing.B) {
					var out counting
					for b.Loop() {
						w, err := NewWriter(&out, format, []string{"a", "b", "c"}, d, Options{})
						if err != nil {
							b.Fatal(err)
						}
						step := max(1, 4096*batch.N/rows)
						for from := 0; from < batch.N; from += step {
							if err := w.WriteBatch(batch.Part(from, min(from+step, batch.N))); err != nil {
								b.Fatal(err)
							}
						}
						if err := w.Close(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
