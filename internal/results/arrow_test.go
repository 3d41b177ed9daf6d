package results

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// termOf is the term that a value and a kind stand for.
func termOf(value, kind string) rdf.Term {
	switch {
	case kind == rdf.SortIRI:
		return rdf.NewIRI(value)
	case kind == rdf.SortBlank:
		return rdf.NewBlank(value)
	case strings.HasPrefix(kind, "@"):
		return rdf.NewLangString(value, kind[1:])
	}
	return rdf.NewTyped(value, kind)
}

// readArrow reads a stream with the library's own reader; batches says how many record batches there were.
func readArrow(t testing.TB, stream string) (names []string, rows [][]rdf.Term, batches int) {
	t.Helper()
	r, err := ipc.NewReader(strings.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for i, f := range r.Schema().Fields() {
		if i%2 == 0 {
			names = append(names, f.Name)
		} else if f.Name != names[len(names)-1]+".type" {
			t.Fatalf("the column behind %s is %s", names[len(names)-1], f.Name)
		}
	}
	for r.Next() {
		batch := r.RecordBatch()
		batches++
		var columns [][2]*array.Dictionary
		for i := 0; i < int(batch.NumCols()); i += 2 {
			columns = append(columns, [2]*array.Dictionary{batch.Column(i).(*array.Dictionary), batch.Column(i + 1).(*array.Dictionary)})
		}
		for _, pair := range columns {
			checkDictionary(t, pair[0])
			checkDictionary(t, pair[1])
		}
		for i := range int(batch.NumRows()) {
			row := make([]rdf.Term, len(columns))
			for c, pair := range columns {
				if pair[0].IsNull(i) != pair[1].IsNull(i) {
					t.Fatal("a value without a kind, or a kind without a value")
				}
				if !pair[0].IsNull(i) {
					row[c] = termOf(pair[0].ValueStr(i), pair[1].ValueStr(i))
				}
			}
			rows = append(rows, row)
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return names, rows, batches
}

// checkDictionary checks that no text is in a dictionary twice, as pandas wants it.
func checkDictionary(t testing.TB, d *array.Dictionary) {
	t.Helper()
	seen, texts := map[string]bool{}, d.Dictionary().(*array.String)
	for i := range texts.Len() {
		if seen[texts.Value(i)] {
			t.Fatalf("%q is in a dictionary twice", texts.Value(i))
		}
		seen[texts.Value(i)] = true
	}
}

// expected are the rows of columns of IDs.
func expected(d terms, cols [][]ID) (rows [][]rdf.Term) {
	for i := range cols[0] {
		row := make([]rdf.Term, len(cols))
		for c := range cols {
			if cols[c][i] != none {
				row[c] = d[cols[c][i]]
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestColumnsCarryEveryTerm(t *testing.T) {
	d := append(slices.Clone(sample), rdf.NewString("http://example.org/s"), rdf.NewString("b0"), rdf.NewLangString("42", "en"), rdf.NewString("42"))
	cols := [][]ID{nil, nil, nil}
	for i := range d {
		cols[0], cols[1], cols[2] = append(cols[0], ID(i)), append(cols[1], ID(len(d)-1-i)), append(cols[2], none)
	}
	cols[1][3] = none
	want := expected(d, cols)
	names, rows, _ := readArrow(t, write(t, Arrow, []string{"x", "y", "z"}, d, Options{}, cols))
	if !slices.Equal(names, []string{"x", "y", "z"}) || fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("Arrow: %v\n%v\nwant\n%v", names, rows, want)
	}
}

// drawColumns draws a dictionary and columns of its terms and of none.
func drawColumns(r *rapid.T) (d terms, cols [][]ID) {
	d = slices.Clone(sample)
	every := rapid.SampledFrom([]int{10, 1000, 5000}).Draw(r, "every")
	for i := range rapid.IntRange(0, 3000).Draw(r, "terms") {
		d = append(d, rdf.NewString(fmt.Sprint("text ", i)), rdf.NewIRI(fmt.Sprint("http://e/", i)))
		switch i % every {
		case 7: // what is told apart by its kind alone
			d = append(d, rdf.NewString(fmt.Sprint("http://e/", i-3)), rdf.NewLangString(fmt.Sprint("text ", i), "en"))
		case 9:
			d = append(d, rdf.NewIRI(fmt.Sprint("no:scheme ", i)), rdf.NewString(fmt.Sprint("no:scheme ", i)), rdf.NewIRI(fmt.Sprint("3:", i)), rdf.NewString(fmt.Sprint("3:", i)))
		}
	}
	n := rapid.IntRange(0, 20_000).Draw(r, "rows")
	cols = make([][]ID, rapid.IntRange(1, 3).Draw(r, "columns"))
	seed := rapid.Uint32().Draw(r, "seed")
	for c := range cols {
		for i := range n {
			id := ID((uint32(i)/uint32(1+c*c)*2654435761 + seed) >> 7 % uint32(len(d)))
			if id%17 == 3 {
				id = none
			}
			cols[c] = append(cols[c], id)
		}
	}
	return d, cols
}

// inBatches cuts columns into batches of a thousand rows.
func inBatches(cols [][]ID) (batches [][][]ID) {
	n := len(cols[0])
	for from := 0; from < n; from += 1000 {
		part := make([][]ID, len(cols))
		for c := range cols {
			part[c] = cols[c][from:min(from+1000, n)]
		}
		batches = append(batches, part)
	}
	return batches
}

func TestColumnsOfAnyLengthComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d, cols := drawColumns(r)
		var want [][]rdf.Term
		if len(cols[0]) > 0 {
			want = expected(d, cols)
		}
		names := []string{"a", "b", "c"}[:len(cols)]
		for _, workers := range []int{1, 4} {
			options := Options{Workers: threads(workers)}
			if _, rows, _ := readArrow(t, write(t, Arrow, names, d, options, inBatches(cols)...)); !equalRows(rows, want) {
				t.Fatalf("Arrow with %d workers: other rows", workers)
			}
			if _, rows, _ := readParquet(t, write(t, Parquet, names, d, options, inBatches(cols)...)); !equalRows(rows, want) {
				t.Fatalf("Parquet with %d workers: other rows", workers)
			}
		}
	})
}

// repeating are terms of which those from a number on have other IDs, too.
type repeating struct {
	terms
	from ID
}

func (r repeating) Repeats(id ID) bool { return id >= r.from }

func TestLiteralsWithSeveralIDsAreThereOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d, cols := drawColumns(r)
		repeats := repeating{terms: d, from: ID(len(d))}
		for range rapid.IntRange(1, 2000).Draw(r, "repeated") {
			if i := len(d) * len(repeats.terms) * 7919 % len(d); d[i].Kind == rdf.Literal {
				repeats.terms = append(repeats.terms, d[i])
			} else {
				repeats.terms = append(repeats.terms, rdf.NewTyped(fmt.Sprint(i), rdf.XSDInteger))
			}
		}
		some := rapid.IntRange(1, 5).Draw(r, "some")
		for _, col := range cols {
			for i := range col {
				if (i>>3)%5 < some {
					col[i] = repeats.from + ID(i*7919%(len(repeats.terms)-len(d)))
				}
			}
		}
		var want [][]rdf.Term
		if len(cols[0]) > 0 {
			want = expected(repeats.terms, cols)
		}
		names := []string{"a", "b", "c"}[:len(cols)]
		if _, rows, _ := readArrow(t, write(t, Arrow, names, repeats, Options{}, inBatches(cols)...)); !equalRows(rows, want) {
			t.Fatal("Arrow: other rows")
		}
		if _, rows, _ := readParquet(t, write(t, Parquet, names, repeats, Options{}, inBatches(cols)...)); !equalRows(rows, want) {
			t.Fatal("Parquet: other rows")
		}
	})
}

func equalRows(a, b [][]rdf.Term) bool { return slices.EqualFunc(a, b, slices.Equal) }

// longTerms are so many different terms of 10 kB, and a column of them.
func longTerms(n int) (d terms, col []ID) {
	for i := range n {
		d, col = append(d, rdf.NewString(fmt.Sprint(i, strings.Repeat("x", 10_000)))), append(col, ID(i))
	}
	return d, col
}

// meter is what was charged: held now, and at most.
type meter struct{ held, most int64 }

func (m *meter) charge(bytes int64) error {
	m.held += bytes
	m.most = max(m.most, m.held)
	return nil
}

func TestLongTermsEndABatch(t *testing.T) {
	d, col := longTerms(6000)
	for _, workers := range []int{1, 3} {
		var m meter
		options := Options{Charge: m.charge}
		if workers > 1 {
			options = Options{Workers: threads(workers)}
		}
		_, rows, batches := readArrow(t, write(t, Arrow, []string{"x"}, d, options, [][]ID{col}))
		if !equalRows(rows, expected(d, [][]ID{col})) || batches < 4 {
			t.Errorf("%d rows in %d batches", len(rows), batches)
		}
		if workers == 1 && (m.most == 0 || m.most > 12*batchText || m.held != 0) {
			t.Errorf("%d bytes at most, %d at the end", m.most, m.held)
		}
	}
}

func TestColumnsOfNoRows(t *testing.T) {
	if names, rows, _ := readArrow(t, write(t, Arrow, []string{"x"}, sample, Options{})); len(names) != 1 || len(rows) != 0 {
		t.Errorf("%v %v", names, rows)
	}
}

func TestABooleanIsARow(t *testing.T) {
	var out bytes.Buffer
	if err := WriteBoolean(&out, Arrow, true); err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(&out)
	if err != nil || !r.Next() || r.RecordBatch().NumRows() != 1 || !r.RecordBatch().Column(0).(*array.Boolean).Value(0) {
		t.Errorf("%v", err)
	}
}

func TestHalfAStreamOfColumnsHasNoEnd(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, Arrow, []string{"x"}, sample, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([][]ID{{1, 2}}, 2); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if end := []byte{255, 255, 255, 255, 0, 0, 0, 0}; bytes.HasSuffix(out.Bytes(), end) {
		t.Error("half a stream has an end")
	}
}
