package cpu_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// datasets lists the folders under RDFGPU_DATA, or skips.
func datasets(t testing.TB) []string {
	root := os.Getenv("RDFGPU_DATA")
	if root == "" {
		t.Skip("RDFGPU_DATA names no folder of data sets")
	}
	found, err := filepath.Glob(filepath.Join(root, "*", "expected.tsv"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no data set in %s (%v)", root, err)
	}
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found
}

// slowQuery is what a query may take before the test names it.
const slowQuery = 2 * time.Second

func TestQueriesOfDatasetsHaveTheExpectedCounts(t *testing.T) {
	m := matchtest.OnThreads(cpu.New(), 0)
	for _, dir := range datasets(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if strings.HasSuffix(dir, "watdiv10m") && testing.Short() {
				t.Skip("large")
			}
			d, err := matchtest.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range d.Queries {
				checkCount(t, m, d, &q, bgp.Homomorphism, q.Count)
				checkCount(t, m, d, &q, bgp.Isomorphism, q.IsoCount)
			}
		})
	}
}

func checkCount(t *testing.T, m match.Matcher, d *matchtest.Dataset, q *matchtest.Query, s bgp.Semantics, want int64) {
	if want < 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	start := time.Now()
	plan, err := bgp.Plan(context.Background(), q.Patterns, d.Graph, d.Lookup, bgp.Options{Semantics: s, CountOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	planned := time.Since(start)
	n, err := m.Count(ctx, &match.Match{Graph: d.Graph, Plan: plan})
	took := time.Since(start)
	if err != nil || n != uint64(want) {
		t.Errorf("%s, semantics %d: %d solutions (error %v) in %v, expected %d", q.Name, s, n, err, took, want)
	}
	if took > slowQuery {
		t.Logf("%s, semantics %d: %v, of which planning %v", q.Name, s, took, planned)
	}
	if want > 2_000_000 {
		return
	}
	rows := uint64(0)
	plan, err = bgp.Plan(context.Background(), q.Patterns, d.Graph, d.Lookup, bgp.Options{Semantics: s, Output: q.Variables})
	if err != nil {
		t.Fatal(err)
	}
	start = time.Now()
	err = m.Match(ctx, &match.Match{Graph: d.Graph, Plan: plan}, func(b *match.Batch) error {
		rows += uint64(b.N)
		return nil
	})
	if err != nil || rows != uint64(want) {
		t.Errorf("%s, semantics %d: %d rows (error %v), expected %d", q.Name, s, rows, err, want)
	}
	if took := time.Since(start); took > slowQuery {
		t.Logf("%s, semantics %d: rows in %v", q.Name, s, took)
	}
}
