package rdfgpu_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
)

// stars has vertices with so many values each of :p, :q and :r.
func stars(vertices, values int) string {
	var b strings.Builder
	for v := range vertices {
		for i := range values {
			fmt.Fprintf(&b, ":v%d :p :a%d ; :q %d ; :r \"text %d\"@en .\n", v, (v+i)%50, i, (v+1)*i)
		}
	}
	return b.String()
}

// Answers whose rows come factorised, and what is read of them otherwise, are the same solutions.
func TestFactorisedAnswersAreTheRows(t *testing.T) {
	t.Parallel()
	store := loadText(t, t.TempDir(), stars(20, 8), "")
	defer store.Close()
	for query, all := range map[string]int{
		"SELECT * { ?v :p ?a ; :q ?b ; :r ?c }":                                           20 * 8 * 8 * 8,
		"SELECT ?c ?v ?b { ?v :p ?a ; :q ?b ; :r ?c }":                                    20 * 8 * 8 * 8,
		"SELECT ?v { ?v :p ?a ; :q ?b ; :r ?c }":                                          20 * 8 * 8 * 8,
		"SELECT ?a ?none ?w { ?v :p ?a . ?w :p ?a ; :q ?b . FILTER(?v != ?w) }":           0,
		"SELECT ?w ?b ?c { ?v :p ?a . ?w :p ?a ; :q ?b ; :r ?c FILTER(?b != 3) }":         0,
		"SELECT ?v ?b { ?v :p ?a OPTIONAL { ?v :q ?b } FILTER NOT EXISTS { ?v :r 'x' } }": 20 * 8 * 8,
	} {
		query = literalPrefixes + query
		r, err := store.Query(t.Context(), query, rdfgpu.QueryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for row, err := range r.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			var cells []string
			for _, term := range row {
				if cells = append(cells, ""); !term.IsZero() {
					cells[len(cells)-1] = term.String()
				}
			}
			want = append(want, strings.Join(cells, "\t"))
		}
		r.Close()
		text, rows := written(t, store, query, func(r *rdfgpu.Result, w io.Writer) (uint64, error) { return r.Write(w, rdfgpu.TSV) })
		got := strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:]
		if all > 0 && len(want) != all || int(rows) != len(want) || len(got) != len(want) {
			t.Errorf("%s\n%d rows, %d written of which %d are told, expected %d", query, len(want), len(got), rows, all)
		}
		for i := range got { // TSV writes numbers without quotes
			got[i] = strings.ReplaceAll(got[i], "\t", "|")
		}
		for i := range want {
			for n := range 8 {
				want[i] = strings.ReplaceAll(want[i], fmt.Sprintf("\"%d\"^^<http://www.w3.org/2001/XMLSchema#integer>", n), fmt.Sprint(n))
			}
			want[i] = strings.ReplaceAll(want[i], "\t", "|")
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s\nthe rows that are written are others than those that are read", query)
		}
	}
}

// An answer of which few rows stand for very many solutions ends as others do: with the limits of its query, and where nobody reads it any more.
func TestFactorisedAnswersKeepToTheirLimits(t *testing.T) {
	t.Parallel()
	store := loadText(t, t.TempDir(), stars(20, 40), "")
	defer store.Close()
	pattern := func(leaves int) string {
		query := literalPrefixes + "SELECT * { ?v :q 1"
		for i := range leaves {
			query += fmt.Sprintf(" ; :p ?a%d", i)
		}
		return query + " }"
	}
	write := func(query string, options rdfgpu.QueryOptions, format rdfgpu.Format, out io.Writer) error {
		r, err := store.Query(context.Background(), query, options)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = r.Write(out, format)
		return err
	}
	for _, format := range []rdfgpu.Format{rdfgpu.TSV, rdfgpu.JSON, rdfgpu.Table, rdfgpu.Arrow} {
		began := time.Now()
		if err := write(pattern(8), rdfgpu.QueryOptions{Timeout: 200 * time.Millisecond}, format, io.Discard); !errors.Is(err, rdfgpu.ErrTimeout) {
			t.Errorf("%s: %v in place of its timeout", format, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: a timeout of 0.2 s took %v", format, took)
		}
		if err := write(pattern(8), rdfgpu.QueryOptions{}, format, &broken{left: 1 << 20}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: %v where nobody reads", format, err)
		}
	}
	if err := write(pattern(4), rdfgpu.QueryOptions{MaxRows: 1000}, rdfgpu.TSV, io.Discard); !errors.Is(err, rdfgpu.ErrRowLimit) {
		t.Errorf("%v in place of its limit of rows", err)
	}
	if err := write(pattern(14), rdfgpu.QueryOptions{}, rdfgpu.TSV, io.Discard); !errors.Is(err, rdfgpu.ErrTooMany) {
		t.Errorf("%v of 20 * 40^14 solutions", err)
	}
	r, err := store.Query(t.Context(), pattern(8), rdfgpu.QueryOptions{Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, err = range r.Batches() {
	}
	if !errors.Is(err, rdfgpu.ErrTimeout) {
		t.Errorf("%v in place of the timeout of rows that are read", err)
	}
}

// broken is an output that ends after so many bytes.
type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}
