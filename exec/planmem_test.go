package exec_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/limits"
	"github.com/rdfgpu/rdfgpu/exec/vector"
)

// optionals is a query of a chain of n OPTIONALs that bind a variable each.
func optionals(n int) string {
	var b strings.Builder
	b.WriteString("PREFIX : <" + exampleNS + "> SELECT * { ?x :number ?n ")
	for i := range n {
		fmt.Fprintf(&b, "OPTIONAL { ?x :link ?l%d } ", i)
	}
	return b.String() + "}"
}

// planBytes is what the plan of a query keeps.
func planBytes(t *testing.T, m *memory, text string) int64 {
	t.Helper()
	q := parse(t, text)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p, err := exec.Prepare(t.Context(), q, m, m.dict, onProcessor())
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(p)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestAChainOfOptionalsPlansInLittleMemory: what is kept for each OPTIONAL is its operators and a few words for each column,
// no sets of variables.
func TestAChainOfOptionalsPlansInLittleMemory(t *testing.T) {
	m := many(t, 100)
	few, more := planBytes(t, m, optionals(200)), planBytes(t, m, optionals(600))
	t.Logf("200: %d KiB, 600: %d KiB", few>>10, more>>10)
	if most := int64(600 * (6_000 + 600*24)); more > most {
		t.Errorf("the plan of 600 OPTIONALs takes %d bytes, want at most %d", more, most)
	}
}

// TestAChainOfOptionalsRunsInLittleMemory counts what the rows on their way take.
func TestAChainOfOptionalsRunsInLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, and of one goroutine")
	}
	m := many(t, 20_000)
	for _, n := range []int{50, 200} {
		o := onProcessor()
		o.Budget = limits.NewPool(0, 0).Open(1 << 30)
		p, err := exec.Prepare(t.Context(), parse(t, optionals(n)), m, m.dict, o)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		if err := p.Run(t.Context(), func(b *vector.Batch) error { rows += b.N; return nil }); err != nil || rows != 20_000 {
			t.Fatal(rows, err)
		}
		t.Logf("%d: %d KiB", n, o.Budget.Peak()>>10)
		if o.Budget.Peak() > 100<<20 {
			t.Errorf("a chain of %d OPTIONALs holds %d bytes", n, o.Budget.Peak())
		}
		o.Budget.Close()
	}
}
