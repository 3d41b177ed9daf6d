package rdfgpu

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParseCacheHit finds each of 200 queries of some 300 bytes again, on one core and on all.
func BenchmarkParseCacheHit(b *testing.B) {
	c, texts := newParseCache(NewBudget(BudgetOptions{})), make([]string, 200)
	for i := range texts {
		texts[i] = fmt.Sprintf("SELECT ?s WHERE { ?s <http://example.org/%d> ?o . %s }", i, strings.Repeat("?s ?p ?o . ", 20))
	}
	find := func(ctx context.Context, i int) {
		if _, _, err := c.parse(ctx, texts[i%len(texts)], ""); err != nil {
			b.Error(err)
		}
	}
	for i := range texts {
		find(b.Context(), i)
	}
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			find(b.Context(), i)
		}
	})
	b.Run("together", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				find(b.Context(), i)
			}
		})
	})
}
