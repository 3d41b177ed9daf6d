package results

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// readParquet reads a file, row by row; groups says how many row groups there were.
func readParquet(t testing.TB, file string) (names []string, rows [][]rdf.Term, groups int) {
	t.Helper()
	f, err := parquet.OpenFile(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for i, field := range f.Schema().Fields() {
		if i%2 == 0 {
			names = append(names, field.Name())
		} else if field.Name() != names[len(names)-1]+kindSuffix {
			t.Fatalf("the column behind %s is %s", names[len(names)-1], field.Name())
		}
	}
	buffer := make([]parquet.Row, 100)
	for _, g := range f.RowGroups() {
		groups++
		r := g.Rows()
		for {
			n, err := r.ReadRows(buffer)
			for _, read := range buffer[:n] {
				row := make([]rdf.Term, len(names))
				for c := range row {
					value, kind := read[2*c], read[2*c+1]
					if value.IsNull() != kind.IsNull() {
						t.Fatal("a value without a kind, or a kind without a value")
					}
					if !value.IsNull() {
						row[c] = termOf(string(value.ByteArray()), string(kind.ByteArray()))
					}
				}
				rows = append(rows, row)
			}
			if err != nil || n == 0 {
				break
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return names, rows, groups
}

func TestParquetCarriesEveryTerm(t *testing.T) {
	d := append(slices.Clone(sample), rdf.NewString("http://example.org/s"), rdf.NewLangString("42", "en"), rdf.NewString("42"))
	cols := [][]ID{nil, nil, nil}
	for i := range d {
		cols[0], cols[1], cols[2] = append(cols[0], ID(i)), append(cols[1], ID(len(d)-1-i)), append(cols[2], none)
	}
	cols[1][3] = none
	names, rows, _ := readParquet(t, write(t, Parquet, []string{"z", "a", "m"}, d, Options{}, cols))
	if want := expected(d, cols); !slices.Equal(names, []string{"z", "a", "m"}) || fmt.Sprint(rows) != fmt.Sprint(want) {
		t.Errorf("%v\n%v\nwant\n%v", names, rows, want)
	}
}

// TestLongTermsEndARowGroup, what it holds is charged, and given back.
func TestLongTermsEndARowGroup(t *testing.T) {
	d, col := longTerms(9000)
	var m meter
	_, rows, groups := readParquet(t, write(t, Parquet, []string{"x"}, d, Options{Charge: m.charge}, [][]ID{col}))
	if !equalRows(rows, expected(d, [][]ID{col})) || groups < 2 {
		t.Errorf("%d rows in %d groups", len(rows), groups)
	}
	if m.most < groupBytes || m.most > 8*groupBytes || m.held != 0 {
		t.Errorf("%d bytes at most, %d at the end", m.most, m.held)
	}
	refused := errors.New("too much")
	w, err := NewWriter(&bytes.Buffer{}, Parquet, []string{"x"}, d, Options{Charge: func(bytes int64) error {
		if _ = m.charge(bytes); m.held > groupBytes {
			return refused
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err = w.Write([][]ID{col}, len(col)); err == nil {
		err = w.Close()
	}
	if w.Abort(); !errors.Is(err, refused) || m.held != 0 {
		t.Errorf("%v, %d bytes held", err, m.held)
	}
}

func TestParquetOfNoRowsAndNoColumns(t *testing.T) {
	if names, rows, _ := readParquet(t, write(t, Parquet, []string{"x"}, sample, Options{})); len(names) != 1 || len(rows) != 0 {
		t.Errorf("%v %v", names, rows)
	}
	if _, err := NewWriter(&bytes.Buffer{}, Parquet, nil, sample, Options{}); !errors.Is(err, ErrFormat) {
		t.Errorf("solutions without variables: %v", err)
	}
}

func TestAParquetBooleanIsARow(t *testing.T) {
	var out bytes.Buffer
	if err := WriteBoolean(&out, Parquet, true); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[struct {
		Boolean bool `parquet:"boolean"`
	}](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || len(rows) != 1 || !rows[0].Boolean {
		t.Errorf("%v, %v", rows, err)
	}
}
