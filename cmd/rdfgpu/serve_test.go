package main

import (
	"testing"

	"github.com/rdfgpu/rdfgpu"
)

// TestHowManyAnswersAreKept: a size that is given holds, 0 too; else it is a usual one, and less where queries may hold little.
func TestHowManyAnswersAreKept(t *testing.T) {
	none, some := byteSize(0), byteSize(64<<20)
	large, small := rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 8 << 30}), rdfgpu.NewBudget(rdfgpu.BudgetOptions{Memory: 256 << 20})
	for _, c := range []struct {
		name   string
		given  *byteSize
		budget *rdfgpu.Budget
		want   int64
	}{
		{"nothing is given", nil, large, 32 << 20},
		{"nothing is given, and queries may hold 160 MiB", nil, small, 10 << 20},
		{"none are to be kept", &none, large, 0},
		{"more are to be kept", &some, small, 64 << 20},
	} {
		if got := (&serveCommand{Answers: c.given}).answerCache(c.budget); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
