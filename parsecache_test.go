package rdfgpu

import (
	"fmt"
	"testing"
)

func TestTheParseCacheKeepsWhatIsAskedOften(t *testing.T) {
	var c parseCache
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
	if other, _ := c.parse(t.Context(), "ASK { <a> ?p ?o }", "http://example.org/"); other == nil {
		t.Error("the base is not used")
	}
}
