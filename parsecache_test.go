package rdfgpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestTheParseCacheKeepsWhatIsAskedOften(t *testing.T) {
	t.Parallel()
	c := newParseCache(NewBudget(BudgetOptions{}))
	often, _, err := c.parse(t.Context(), "ASK { ?often ?p ?o }", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * parseCacheEntries {
		if _, _, err := c.parse(t.Context(), fmt.Sprintf("ASK { ?s%d ?p ?o }", i), ""); err != nil {
			t.Fatal(err)
		}
		if again, _, _ := c.parse(t.Context(), "ASK { ?often ?p ?o }", ""); again != often {
			t.Fatalf("parsed again after %d other queries", i+1)
		}
	}
	want := CacheStats{Hits: 3 * parseCacheEntries, Misses: 3*parseCacheEntries + 1, Entries: parseCacheEntries}
	if stats := c.stats(); stats != want {
		t.Errorf("%+v, want %+v", stats, want)
	}
	if _, _, err := c.parse(t.Context(), "ASK { ?s ?p }", ""); err == nil {
		t.Error("a wrong query parses")
	}
	if n := c.budget.Usage().Used; n != 0 {
		t.Errorf("%d bytes are still counted for parsing", n)
	}
	if other, _, _ := c.parse(t.Context(), "ASK { <a> ?p ?o }", "http://example.org/"); other == nil {
		t.Error("the base is not used")
	}
}

func TestTheParseCacheIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	c := newParseCache(NewBudget(BudgetOptions{}))
	for i := range 3 * parseCacheBytes / treeBytes(strings.Repeat("1,", parseCacheText/2-50)) {
		if _, _, err := c.parse(t.Context(), fmt.Sprintf("ASK { ?s%d ?p %s1 }", i, strings.Repeat("1,", parseCacheText/2-50)), ""); err != nil {
			t.Fatal(err)
		}
		kept := int64(0)
		for _, key := range c.kept.Keys() {
			kept += treeBytes(key.text)
		}
		if kept != c.bytes || kept > parseCacheBytes || kept == 0 {
			t.Fatalf("%d bytes are kept, %d counted, at most %d allowed", kept, c.bytes, parseCacheBytes)
		}
	}
}

func TestParsingIsRefusedWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	c := newParseCache(NewBudget(BudgetOptions{Memory: 16 << 20}))
	_, _, err := c.parse(t.Context(), "SELECT * { ?s ?p "+strings.Repeat("1,", 300_000)+"1 }", "")
	if !errors.Is(err, ErrMemoryLimit) {
		t.Errorf("error %v, want ErrMemoryLimit", err)
	}
	if n := c.budget.Usage().Used; n != 0 {
		t.Errorf("%d bytes are still counted", n)
	}
}

// TestAQueryThatEndsBeforeItIsParsedGivesItsMemoryBack is serial: it takes all places of long texts of the process.
func TestAQueryThatEndsBeforeItIsParsedGivesItsMemoryBack(t *testing.T) {
	for range cap(longParses) { // as many as may be parsed at once
		longParses <- struct{}{}
	}
	defer func() {
		for range cap(longParses) {
			<-longParses
		}
	}()
	c := newParseCache(NewBudget(BudgetOptions{}))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, err := c.parse(ctx, "ASK { ?s ?p "+strings.Repeat("1,", longText)+"1 }", "")
		ended <- err
	}()
	for c.budget.Usage().Used == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := c.budget.Usage().Used; n != 0 {
		t.Errorf("%d bytes are still counted", n)
	}
}
