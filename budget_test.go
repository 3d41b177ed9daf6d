package rdfgpu_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// budgeted is a store of so many triples and, in a second segment, a twentieth more, opened with a budget.
func budgeted(t *testing.T, budget *rdfgpu.Budget, triples int) *rdfgpu.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	for i := range 2 {
		var b strings.Builder
		for n := range triples / (1 + 19*i) {
			fmt.Fprintf(&b, "<http://e/s%d> <http://e/p> \"value %d of part %d\" .\n", n, n, i)
		}
		options := rdfgpu.LoadOptions{Append: i > 0, Stdin: strings.NewReader(b.String()), Format: "ntriples"}
		if _, err := rdfgpu.Load(context.Background(), dir, []string{"-"}, options); err != nil {
			t.Fatal(err)
		}
	}
	s, err := rdfgpu.Open(dir, rdfgpu.Options{Budget: budget, Device: rdfgpu.CPU})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestABudgetIsGivenBack whatever becomes of a query; merged segments are counted until the store is closed.
func TestABudgetIsGivenBack(t *testing.T) {
	t.Parallel()
	budget := rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 64 << 20, Spill: 1 << 20})
	s := budgeted(t, budget, 4_000)
	const product = "SELECT * { ?a <http://e/p> ?b . ?c <http://e/p> ?d } ORDER BY ?d ?b"
	for _, c := range []struct {
		text string
		want error
	}{
		{"SELECT * { ?s ?p ?o }", nil},
		{"SELECT * {", errSyntax},
		{"SELECT (<http://e/f>(?s) AS ?x) { ?s ?p ?o }", nil},
		{product, rdfgpu.ErrSpillLimit},
		{"SELECT (GROUP_CONCAT(?x) AS ?all) { ?a <http://e/p> ?b . ?c <http://e/p> ?d BIND(CONCAT(?b, ?d) AS ?x) }", rdfgpu.ErrMemoryLimit},
		{"SELECT * { ?s <http://e/p> ?o }", nil},
	} {
		r, err := s.Query(t.Context(), c.text, rdfgpu.QueryOptions{})
		if err == nil {
			_, err = r.Write(io.Discard, rdfgpu.JSON)
			r.Close()
		}
		if c.want != nil && c.want != errSyntax && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.text, err, c.want)
		}
	}
	r, err := s.Query(t.Context(), "ASK {}", rdfgpu.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	if u := budget.Usage(); u.Queries != 0 || u.Spilled != 0 || u.Used == 0 {
		t.Errorf("with no query: %+v", u)
	}
	s.Close()
	if u := budget.Usage(); u.Used != 0 {
		t.Errorf("with no store: %+v", u)
	}
}

// errSyntax stands for any error of a query's text.
var errSyntax = errors.New("syntax")

// TestGovernSetsTheCollectorsAim and sets it back.
//
// Serial: it sets the memory limit of the process.
func TestGovernSetsTheCollectorsAim(t *testing.T) {
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	before, garbage := debug.SetMemoryLimit(-1), percent()
	for _, memory := range []int64{3 << 30, 300 << 20} {
		stop := rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: memory}).Govern()
		if limit := debug.SetMemoryLimit(-1); limit > memory || limit < memory/10*9 {
			t.Errorf("the limit is %d", limit)
		}
		if _, set := os.LookupEnv("GOGC"); (percent() > garbage) != (memory == 3<<30 && !set) {
			t.Errorf("with %d bytes, garbage is %d %%, was %d", memory, percent(), garbage)
		}
		stop()
		if limit := debug.SetMemoryLimit(-1); limit != before || percent() != garbage {
			t.Errorf("afterwards the limit is %d, was %d; garbage %d %%, was %d", limit, before, percent(), garbage)
		}
	}
}
