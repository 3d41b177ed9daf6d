package results

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestBindingsComeBackAsTheyWere: terms at hand are written as those of a store are, in one line.
func TestBindingsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		variables := []string{"a", "b", "c"}[:rapid.IntRange(0, 3).Draw(r, "variables")]
		rows := make([][]rdf.Term, rapid.IntRange(0, 8).Draw(r, "rows"))
		for i := range rows {
			rows[i] = make([]rdf.Term, len(variables))
			for c := range rows[i] {
				if rapid.IntRange(0, 4).Draw(r, "bound") > 0 {
					rows[i][c] = genTerm().Draw(r, "term")
				}
			}
		}
		var out bytes.Buffer
		if err := WriteBindings(&out, variables, slices.Values(rows)); err != nil {
			r.Fatal(err)
		}
		if bytes.ContainsAny(out.Bytes(), "\r\n") {
			r.Fatalf("%q has a line break", out.String())
		}
		table, err := Read(&out, JSON)
		if err != nil || !slices.Equal(table.Variables, variables) || !equalRows(table.Rows, rows) {
			r.Fatalf("%v %v, %v; %v is right", table.Variables, table.Rows, err, rows)
		}
	})
}

// TestTermsComeBackFromTSV: terms at hand stand in a row as those of a store do.
func TestTermsComeBackFromTSV(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		term := genTerm().Draw(r, "term")
		text := AppendTSV(nil, term)
		if want := write(t, TSV, []string{"a"}, terms{{}, term}, Options{}, [][]ID{{1}}); "?a\n"+string(text)+"\n" != want {
			r.Fatalf("%s where %s is right", text, want)
		}
	})
}

func TestBindingsArePassedOnInPieces(t *testing.T) {
	row := []rdf.Term{rdf.NewString(strings.Repeat("x", 1000))}
	var out largestWrite
	if err := WriteBindings(&out, []string{"a"}, slices.Values(slices.Repeat([][]rdf.Term{row}, 1000))); err != nil || out > 20_000 {
		t.Error(out, err)
	}
	if err := WriteBindings(&failing{}, []string{"a"}, slices.Values([][]rdf.Term{row})); err == nil {
		t.Error("no error where nothing can be written")
	}
}
