package rdfgpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/parser"
)

func TestTheParseCacheKeepsWhatIsAskedOften(t *testing.T) {
	c := parseCache{budget: NewBudget(BudgetOptions{})}
	often, err := c.parse(t.Context(), "ASK { ?often ?p ?o }", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 * parseCacheEntries {
		if _, err := c.parse(t.Context(), fmt.Sprintf("ASK { ?s%d ?p ?o }", i), ""); err != nil {
			t.Fatal(err)
		}
		if again, _ := c.parse(t.Context(), "ASK { ?often ?p ?o }", ""); again != often {
			t.Fatalf("parsed again after %d other queries", i+1)
		}
	}
	if n := len(c.young) + len(c.old); n > 2*parseCacheEntries {
		t.Errorf("%d entries", n)
	}
	stats := c.stats()
	if stats.Hits != 10*parseCacheEntries || stats.Misses != 10*parseCacheEntries+1 || stats.Entries < parseCacheEntries || stats.Entries > 2*parseCacheEntries {
		t.Errorf("%+v", stats)
	}
	if _, err := c.parse(t.Context(), "ASK { ?s ?p }", ""); err == nil {
		t.Error("a wrong query parses")
	}
	if n := c.budget.Usage().Used; n != 0 {
		t.Errorf("%d bytes are still counted for parsing", n)
	}
	if other, _ := c.parse(t.Context(), "ASK { <a> ?p ?o }", "http://example.org/"); other == nil {
		t.Error("the base is not used")
	}
}

func TestTheParseCacheIsBoundedInBytes(t *testing.T) {
	c := parseCache{budget: NewBudget(BudgetOptions{})}
	for i := range 2 * parseCacheEntries {
		if _, err := c.parse(t.Context(), fmt.Sprintf("ASK { ?s%d ?p %s1 }", i, strings.Repeat("1,", parseCacheText/2-50)), ""); err != nil {
			t.Fatal(err)
		}
	}
	kept := int64(0)
	for _, generation := range []map[parseKey]*parser.Query{c.young, c.old} {
		for key := range generation {
			kept += treeBytes(key.text)
		}
	}
	if kept > 2*parseCacheBytes+2*treeBytes(strings.Repeat("1,", parseCacheText)) {
		t.Errorf("%d bytes are kept", kept)
	}
}

func TestParsingIsRefusedWhereThereIsNoRoom(t *testing.T) {
	c := parseCache{budget: NewBudget(BudgetOptions{Memory: 16 << 20})}
	_, err := c.parse(t.Context(), "SELECT * { ?s ?p "+strings.Repeat("1,", 300_000)+"1 }", "")
	if !errors.Is(err, ErrMemoryLimit) {
		t.Errorf("error %v, want ErrMemoryLimit", err)
	}
	if n := c.budget.Usage().Used; n != 0 {
		t.Errorf("%d bytes are still counted", n)
	}
}
