package gpu

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/exec/match"
	"github.com/rdfgpu/rdfgpu/exec/match/cpu"
	"github.com/rdfgpu/rdfgpu/internal/matchtest"
	"github.com/rdfgpu/rdfgpu/internal/store"
	"github.com/rdfgpu/rdfgpu/kernels"
	"github.com/rdfgpu/rdfgpu/loader"
	"github.com/rdfgpu/rdfgpu/parser"
	"github.com/rdfgpu/rdfgpu/planner/bgp"
	"pgregory.net/rapid"
)

// onDevice asks for the tests that run on a real GPU (docs/GPU.md); the emulated device stands in with -gpu=emulated.
var onDevice = flag.String("gpu", "", `run the tests that need a GPU on it: a number, or "emulated"`)

// driver opens the GPU that -gpu names, or skips.
func driver(t testing.TB) kernels.Driver {
	t.Helper()
	switch *onDevice {
	case "":
		t.Skip("no -gpu flag: this test runs on a GPU alone")
	case "emulated":
		return kernels.Emulate(4 << 30)
	}
	n, err := strconv.Atoi(*onDevice)
	if err != nil {
		t.Fatal(err)
	}
	d, err := kernels.Open(n)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDeviceMatchesAsByBruteForce(t *testing.T) {
	gpu := driver(t)
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCase(rt)
		options := drawOptions(rt)
		options.Driver, options.Memory = gpu, 64<<20
		d := open(t, options)
		if err := matchtest.Check(d, c); err != nil {
			rt.Fatal(err)
		}
		if err := d.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// dataSet is a folder of data.nt.zst, queries and expected counts, loaded.
type dataSet struct {
	name  string
	store *store.Store
	rows  []expectation
}

type expectation struct {
	name, text        string
	count, isomorphic string
}

func loadSet(t testing.TB, folder string) *dataSet {
	t.Helper()
	dir := t.TempDir()
	inputs, err := loader.Files("", filepath.Join(folder, "data.nt.zst"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := loader.Load(context.Background(), dir, inputs, loader.Options{}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	set := &dataSet{name: filepath.Base(folder), store: s}
	table, err := os.ReadFile(filepath.Join(folder, "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		f := strings.Split(line, "\t")
		text, err := os.ReadFile(filepath.Join(folder, "queries", strings.TrimSuffix(f[0], ".rq")+".rq"))
		if err != nil {
			continue // the header
		}
		set.rows = append(set.rows, expectation{f[0], string(text), f[1], f[2]})
	}
	return set
}

// plan plans a query that is one basic graph pattern.
func (s *dataSet) plan(text string, semantics bgp.Semantics, count bool) (*bgp.MatchPlan, error) {
	q, err := parser.Parse(text, parser.Options{})
	if err != nil {
		return nil, err
	}
	found := findBGP(q.Where)
	if found == nil {
		return nil, errors.New("no basic graph pattern")
	}
	var names []string
	for _, p := range found.Patterns {
		for _, term := range []parser.PatternTerm{p.Subject, p.Predicate, p.Object} {
			if term.IsVariable() && !slices.Contains(names, term.Variable) {
				names = append(names, term.Variable)
			}
		}
	}
	return bgp.Plan(context.Background(), found.Patterns, s.store.Default, s.store.Dictionary.Lookup,
		bgp.Options{Semantics: semantics, Output: names, CountOnly: count})
}

// checksum is a number that does not depend on the order of the rows.
func checksum(m match.Matcher, task *match.Match) (rows, sum uint64, err error) {
	err = m.Match(context.Background(), task, func(b *match.Batch) error {
		for r := range b.N {
			h := uint64(14695981039346656037)
			for _, column := range b.Cols {
				h = (h ^ uint64(column[r])) * 1099511628211
				h ^= h >> 29
			}
			sum += h
		}
		rows += uint64(b.N)
		return nil
	})
	return rows, sum, err
}

// eachSet runs a test of every data set in the folder that RDFGPU_DATA names.
func eachSet(t *testing.T, f func(t *testing.T, set *dataSet)) {
	t.Helper()
	root := os.Getenv("RDFGPU_DATA")
	if root == "" {
		t.Skip("RDFGPU_DATA is not set")
	}
	tables, err := filepath.Glob(filepath.Join(root, "*", "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		folder := filepath.Dir(table)
		t.Run(filepath.Base(folder), func(t *testing.T) { f(t, loadSet(t, folder)) })
	}
}

func TestDeviceAnswersTheDataSets(t *testing.T) {
	gpu := driver(t)
	eachSet(t, func(t *testing.T, set *dataSet) {
		for _, options := range []Options{{Driver: gpu}, {Driver: gpu, Memory: 24 << 20, tuning: tuning{arena: 2 << 20}}} {
			d := open(t, options)
			set.check(t, d)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// check compares counts with the expected ones, and rows with the CPU's.
func (s *dataSet) check(t *testing.T, d *Device) {
	begun, queries := time.Now(), 0
	processor := matchtest.OnThreads(cpu.New(), 0)
	for _, row := range s.rows {
		for semantics, want := range map[bgp.Semantics]string{bgp.Homomorphism: row.count, bgp.Isomorphism: row.isomorphic} {
			if want == "-" {
				continue
			}
			n, err := strconv.ParseUint(want, 10, 64)
			if err != nil || n > 2_000_000_000 {
				continue
			}
			queries++
			task := &match.Match{Graph: s.store.Default}
			if task.Plan, err = s.plan(row.text, semantics, true); err != nil {
				t.Errorf("%s: %v", row.name, err)
				continue
			}
			if got, err := d.Count(context.Background(), task); err != nil || got != n {
				t.Errorf("%s, %v: count %d, want %d, error %v", row.name, semantics, got, n, err)
			}
			if n > 3_000_000 {
				continue
			}
			if err := sameRows(s, d, processor, row.text, semantics, n); err != nil {
				t.Errorf("%s, %v: %v", row.name, semantics, err)
			}
		}
	}
	t.Logf("%s: %d queries right, %v", s.name, queries, time.Since(begun).Round(time.Millisecond))
}

func sameRows(s *dataSet, d *Device, processor match.Matcher, text string, semantics bgp.Semantics, n uint64) error {
	plan, err := s.plan(text, semantics, false)
	if err != nil {
		return err
	}
	task := &match.Match{Graph: s.store.Default, Plan: plan}
	rows, sum, err := checksum(d, task)
	if err != nil || rows != n {
		return fmt.Errorf("%d rows, want %d, error %w", rows, n, err)
	}
	_, want, err := checksum(processor, task)
	if err != nil || sum != want {
		return fmt.Errorf("other rows than the CPU's (error %v)", err)
	}
	task.Limit = n/2 + 1
	rows, _, err = checksum(d, task)
	if err != nil || rows != min(task.Limit, n) {
		return fmt.Errorf("%d rows with limit %d, error %w", rows, task.Limit, err)
	}
	return nil
}

// findBGP finds the basic graph pattern below projections and the like.
func findBGP(n parser.Node) *parser.BGP {
	switch n := n.(type) {
	case *parser.BGP:
		return n
	case *parser.Project:
		return findBGP(n.Input)
	case *parser.Distinct:
		return findBGP(n.Input)
	case *parser.Filter:
		return findBGP(n.Input)
	}
	return nil
}

// endless is a match that would take minutes: paths of ten edges in a ring.
func endless(t testing.TB) *match.Match {
	t.Helper()
	m := ring(t, 100_000)
	c := matchtest.Case{Vertices: 100_000, Labels: 1, TypeLabel: -1, Options: bgp.Options{Semantics: bgp.Isomorphism}}
	for k := range 10 {
		name := func(k int) parser.PatternTerm { return parser.PatternTerm{Variable: fmt.Sprint("v", k)} }
		c.Patterns = append(c.Patterns, parser.TriplePattern{
			Subject: name(k), Predicate: parser.PatternTerm{Term: matchtest.Term(0)}, Object: name(k + 1)})
		c.Options.Output = append(c.Options.Output, fmt.Sprint("v", k))
	}
	plan, err := c.Plan(m.Graph)
	if err != nil {
		t.Fatal(err)
	}
	m.Plan = plan
	return m
}

func TestDeviceStopsWithinATenthOfASecond(t *testing.T) {
	d := open(t, Options{Driver: driver(t)})
	m := endless(t)
	for _, rows := range []bool{false, true} {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		var err error
		if rows {
			err = d.Match(ctx, m, func(*match.Batch) error { return nil })
		} else {
			_, err = d.Count(ctx, m)
		}
		deadline, _ := ctx.Deadline()
		late := time.Since(deadline)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || late > 100*time.Millisecond {
			t.Errorf("rows %v: error %v, %v after the deadline", rows, err, late)
		}
		t.Logf("rows %v: stopped %v after the deadline", rows, late)
	}
	info, err := d.Info()
	t.Logf("%+v %v", info, err)
	if err := d.Close(); err != nil || d.memory.inUse() != 0 {
		t.Errorf("%v, %d bytes left", err, d.memory.inUse())
	}
}

func TestDeviceRunsQueriesBesideALongOne(t *testing.T) {
	d := open(t, Options{Driver: driver(t)})
	long, short := endless(t), ring(t, 2000)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := d.Count(ctx, long)
		done <- err
	}()
	time.Sleep(50 * time.Millisecond)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				begun := time.Now()
				n, err := d.Count(context.Background(), short)
				if err != nil || n != 2000*8*8*8 {
					t.Error(n, err)
				}
				if took := time.Since(begun); took > 2*time.Second {
					t.Errorf("a short query took %v", took)
				}
			}
		})
	}
	wg.Wait()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
