package exec_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/exec"
	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/vector"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
	"github.com/rdfgpu/rdfgpu/pcsr"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
)

// strewn matches as chopped does, and three goroutines take the pieces, in any order: each offers them aside, some twice, before it emits them.
type strewn struct{ chopped }

func (s strewn) Match(ctx context.Context, m *match.Match, emit func(*vector.Batch) error) error {
	if m.Aside == nil || m.Limit > 0 {
		return s.chopped.Match(ctx, m, emit)
	}
	pieces := make(chan *vector.Batch)
	var emitting sync.Mutex
	var failed error
	fail := func(err error) {
		emitting.Lock()
		defer emitting.Unlock()
		if failed == nil {
			failed = err
		}
	}
	ended := func() error {
		emitting.Lock()
		defer emitting.Unlock()
		return failed
	}
	var finders sync.WaitGroup
	for range 3 {
		finders.Go(func() {
			for b := range pieces {
				if ended() != nil {
					continue
				}
				err := schedule.Guard(func() error {
					for range 1 + b.N%2 {
						if taken, err := m.Aside(b); err != nil || taken {
							return err
						}
					}
					emitting.Lock()
					defer emitting.Unlock()
					if failed != nil {
						return nil
					}
					return emit(b)
				})
				if err != nil {
					fail(err)
				}
			}
		})
	}
	by := *m
	by.Aside = nil
	err := s.chopped.Match(ctx, &by, func(b *vector.Batch) error {
		if b.Folds != nil {
			emitting.Lock()
			defer emitting.Unlock()
			return emit(b)
		}
		own := &vector.Batch{N: b.N, Distinct: b.Distinct, Tally: b.Tally}
		for _, col := range b.Cols {
			own.Cols = append(own.Cols, append([]uint32(nil), col...))
		}
		if b.Weights != nil {
			own.Weights = append([]uint64(nil), b.Weights...)
		}
		pieces <- own
		return ended()
	})
	close(pieces)
	finders.Wait()
	if err := ended(); err != nil {
		return err
	}
	return err
}

// byMany are inPieces of matches whose rows three goroutines find, of six threads, which look for work before they wait.
func byMany(rows int) exec.Options {
	o := inPieces(rows)
	o.Workers = schedule.New(6).Open(context.Background(), 0)
	o.Matcher = func(*bgp.MatchPlan, *pcsr.Graph) match.Matcher { return strewn{chopped{processor.Matcher, rows}} }
	return o
}

// unlike is how many rows of two sorted lists are not in both.
func unlike(a, b []string) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch c := strings.Compare(a[0], b[0]); {
		case c < 0:
			a, n = a[1:], n+1
		case c > 0:
			b, n = b[1:], n+1
		default:
			a, b = a[1:], b[1:]
		}
	}
	return n + len(a) + len(b)
}

// TestWhoFindsRowsJoinsGroupsAndSortsThem as one goroutine does, in large pieces and in small ones, and with little memory.
func TestWhoFindsRowsJoinsGroupsAndSortsThem(t *testing.T) {
	m := mixed(t, 4000)
	texts := append([]string(nil), distinct...)
	for _, c := range unmerged {
		texts = append(texts, c.text)
	}
	for _, text := range grouped {
		if strings.Contains(text, "CONCAT") || strings.Contains(text, "SAMPLE") || strings.Contains(text, ":double") || strings.Contains(text, ":late") {
			continue // their results depend on the order of the rows
		}
		for _, key := range []string{"few", "many"} {
			texts = append(texts, strings.Replace(text, ":KEY", ":"+key, 1))
		}
	}
	join := "{ SELECT ?x ?v { ?x :integer ?v } OFFSET 1 } { SELECT ?x ?g { ?x :many ?g } OFFSET 1 }"
	texts = append(texts,
		"SELECT ?x ?v { ?x :integer ?v } ORDER BY DESC(?v) ?x",
		"SELECT ?x ?v ?f { ?x :integer ?v ; :few ?f } ORDER BY ?f DESC(?v) ?x",
		"SELECT ?x ?w { ?x :integer ?v BIND(?v * 3 AS ?w) FILTER(?w > 30) } ORDER BY ?w DESC(?x)",
		"SELECT * { "+join+" } ORDER BY ?g ?x ?v",
		"SELECT ?g (COUNT(*) AS ?n) (SUM(?v) AS ?s) { "+join+" } GROUP BY ?g",
		"SELECT DISTINCT ?g ?v { "+join+" }",
		"SELECT ?x ?w { "+join+" BIND(?v + 1 AS ?w) FILTER(?w > 5) }",
		"SELECT * { { SELECT * { "+join+" } OFFSET 2 } { SELECT ?x ?s { ?x :some ?s } OFFSET 1 } }",
		"SELECT * { { SELECT * { "+join+" } OFFSET 2 } OPTIONAL { SELECT ?x ?s { ?x :some ?s } OFFSET 1 } MINUS { SELECT ?x { ?x :late 3 } OFFSET 1 } }",
		"SELECT ?x { "+join+" } LIMIT 700",
		"SELECT DISTINCT ?g ?w { ?x :integer ?v ; :many ?g BIND(?v * 3 AS ?w) FILTER(?w > 30) }",
		"SELECT DISTINCT ?g ?v { "+join+" } LIMIT 700",
		"SELECT ?g (COUNT(*) AS ?n) { SELECT DISTINCT ?g ?v { ?x :integer ?v ; :many ?g } } GROUP BY ?g",
		"SELECT (COUNT(*) AS ?n) (SUM(?w) AS ?s) { { SELECT DISTINCT ?f ?w { ?x :integer ?v ; :few ?f BIND(?v / 3 AS ?w) } } FILTER(?w > 5) }",
		"SELECT ?g ?v { SELECT DISTINCT ?g ?v { ?x :integer ?v ; :many ?g } } ORDER BY ?v ?g",
		"SELECT * { { SELECT DISTINCT ?g ?v { ?x :integer ?v ; :many ?g } } { SELECT ?y ?g { ?y :many ?g } OFFSET 1 } }",
	)
	for i, text := range texts {
		if leftOut(i) {
			continue
		}
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			limited, skips := strings.Contains(text, "LIMIT"), strings.Contains(text, "OFFSET")
			q := parse(t, "PREFIX : <"+exampleNS+">\n"+text)
			alone := unshared()
			want, err := m.run(q, alone)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				rows   int
				memory int64
			}{{256, 1 << 30}, {7, 1 << 30}, {64, 1_000_000}, {64, 300_000}} {
				o := byMany(c.rows)
				o.Memory, o.TempDir = c.memory, t.TempDir()
				got, err := m.run(q, o)
				if err != nil && c.memory < 1<<30 && strings.Contains(err.Error(), "memory") {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if limited {
					if len(got.rows) != len(want.rows) && (strings.HasSuffix(text, "700") || strings.HasSuffix(text, "300")) {
						t.Errorf("%d rows, want %d", len(got.rows), len(want.rows))
					}
					if rows := tally(got.rows); strings.HasPrefix(text, "SELECT DISTINCT") && len(slices.Compact(rows)) != len(got.rows) {
						t.Errorf("%d rows at a time in %d bytes: some rows come again", c.rows, c.memory)
					}
					continue // which rows these are is open
				}
				if skips {
					if n := unlike(tally(want.rows), tally(got.rows)); n > 40 {
						t.Errorf("%d rows at a time in %d bytes: of %d and %d rows %d have no like", c.rows, c.memory, len(want.rows), len(got.rows), n)
					}
					continue // which rows are skipped is open
				}
				if err := equalRows(want.rows, got.rows, strings.Contains(text, "ORDER")); err != nil {
					t.Errorf("%d rows at a time in %d bytes: %v", c.rows, c.memory, err)
				}
			}
		})
	}
}

// torn is a dictionary whose terms cannot be read after some time, either.
type torn struct{ *faulty }

func (d torn) Term(id dictionary.ID) rdf.Term {
	if d.left.Add(-1) < 0 {
		panic("no value")
	}
	return d.TermSource.Term(id)
}

// TestAFaultOfWhoFindsRowsEndsTheQuery: a panic is the query's error, and nobody waits for what the goroutine was at.
func TestAFaultOfWhoFindsRowsEndsTheQuery(t *testing.T) {
	m := mixed(t, 4000)
	texts := append([]string{
		"SELECT ?g (MIN(?v) AS ?a) (MAX(?v) AS ?b) { ?x :many ?g ; :late ?v } GROUP BY ?g",
		"SELECT ?g (COUNT(DISTINCT ?v + ?d) AS ?a) { ?x :many ?g ; :late ?v ; :decimal ?d } GROUP BY ?g",
		"SELECT ?g (SUM(?v) AS ?a) (GROUP_CONCAT(?v) AS ?b) { ?x :many ?g ; :late ?v } GROUP BY ?g",
		"SELECT DISTINCT ?g ?w { ?x :many ?g ; :late ?v ; :decimal ?d BIND(?v + ?d AS ?w) }",
		"SELECT DISTINCT ?g ?w { { SELECT DISTINCT ?g ?v { ?x :many ?g ; :late ?v } } BIND(STR(?v + 1) AS ?w) FILTER(STRLEN(?w) > 0) }",
	}, costly...)
	for _, text := range texts {
		for left := int64(1); left <= 24; left++ {
			dict := torn{&faulty{TermSource: m.dict}}
			dict.left.Store(300 * left)
			p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> "+text), m, dict, byMany(256))
			if err == nil {
				_, err = collect(p)
			}
			if err != nil && !strings.Contains(err.Error(), "no value") {
				t.Errorf("%d values, then %v\n%s", 300*left, err, text)
			}
		}
	}
}

// TestAnAnalysedDistinctMeasuresWhatItHasFound, with the stages below it and above, though several goroutines may find the rows.
func TestAnAnalysedDistinctMeasuresWhatItHasFound(t *testing.T) {
	m := mixed(t, 4000)
	measured := func(text string, o exec.Options) (rows []uint64) {
		p, err := exec.Prepare(t.Context(), parse(t, "PREFIX : <"+exampleNS+"> "+text), m, m.dict, o)
		if err != nil {
			t.Fatal(err)
		}
		p.Analyze()
		if _, err := collect(p); err != nil {
			t.Fatal(err)
		}
		var walk func(*exec.Explain)
		walk = func(e *exec.Explain) {
			rows = append(rows, e.Rows, uint64(e.Runs))
			for _, below := range e.Children {
				walk(below)
			}
		}
		walk(p.Explain())
		return rows
	}
	for _, text := range []string{
		"SELECT DISTINCT ?g ?v { ?x :integer ?v ; :many ?g }",
		"SELECT DISTINCT ?g ?w { ?x :integer ?v ; :many ?g BIND(?v / 7 AS ?w) FILTER(STRLEN(STR(?w)) > 3) }",
		"SELECT ?g { { SELECT DISTINCT ?g ?v { ?x :integer ?v ; :many ?g FILTER(STRLEN(STR(?v)) > 1) } } FILTER(STRLEN(STR(?v)) > 2) }",
	} {
		if want, got := measured(text, unshared()), measured(text, byMany(64)); !slices.Equal(want, got) || slices.Contains(want, 0) {
			t.Errorf("rows and runs of\n%s\nare %v, want %v", text, got, want)
		}
	}
}
