package expr

import (
	"slices"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
)

func TestProgramsAreSharedByGoroutines(t *testing.T) {
	list := sampleTerms()
	env := newEnv(t, list[:len(list)/2]...)
	var cols [2][]dictionary.ID
	for i := range 3000 {
		cols[0] = append(cols[0], env.Terms.ID(list[i%len(list)]))
		cols[1] = append(cols[1], env.Terms.ID(list[i*7%len(list)]))
	}
	columns := map[string]int{"x": 0, "y": 1}
	filter, err := Compile(parseExpr(t, `REGEX(STR(?x), "[a1]", "i") || ?x < ?y || BNODE(STR(?x)) = ?y`), columns, env)
	if err != nil {
		t.Fatal(err)
	}
	value, err := Compile(parseExpr(t, `COALESCE(?x + ?y, CONCAT(UCASE(STR(?x)), "-", STR(?y)), REPLACE(STR(?y), STR(?x), "z"))`), columns, env)
	if err != nil {
		t.Fatal(err)
	}
	keep := filter.Filter(cols[:], 3000, nil)
	ids := make([]dictionary.ID, 3000)
	value.IDs(cols[:], 3000, ids)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if !slices.Equal(filter.Filter(cols[:], 3000, nil), keep) {
				t.Error("the filter differs")
			}
			got := make([]dictionary.ID, 3000)
			value.IDs(cols[:], 3000, got)
			if !slices.Equal(got, ids) {
				t.Error("the values differ")
			}
		})
	}
	wait.Wait()
}
