package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/pcsr"
)

// change is a segment for a store of writeFiles, by the numbers of the triples a—p—bi in the default graph.
type change struct {
	removed, added []int
	cleared        []dictionary.ID
	log            Log
}

// writeChange fills a load with a segment that has no terms.
func writeChange(t testing.TB, l *Load, c change) Contents {
	t.Helper()
	w, err := dictionary.Create(l.Dir())
	must(t, err)
	must(t, w.Finish())
	m := l.Current()
	contents := Contents{Keep: len(m.Segments), Sources: m.Sources, Log: c.log, Cleared: c.cleared, DefaultTriples: uint64(len(c.added))}
	if len(c.removed) > 0 {
		writeEdges(t, l.RemovedPath(0), m.Terms, c.removed)
		contents.Removed = []NamedContents{{ID: dictionary.None, Triples: uint64(len(c.removed))}}
	}
	if len(c.added) > 0 {
		writeEdges(t, l.DefaultPath(), m.Terms, c.added)
	}
	return contents
}

func writeEdges(t testing.TB, path string, terms int, numbers []int) {
	t.Helper()
	w, err := pcsr.Create(path, terms, terms)
	must(t, err)
	must(t, w.Partition(0, pcsr.Out))
	for _, i := range numbers {
		must(t, w.Append([]uint64{1<<32 | uint64(2+i)}))
	}
	must(t, w.Partition(0, pcsr.In))
	for _, i := range numbers {
		must(t, w.Append([]uint64{uint64(2+i)<<32 | 1}))
	}
	must(t, w.Finish())
}

func commitChange(t testing.TB, dir string, c change) {
	t.Helper()
	l, err := Begin(dir)
	must(t, err)
	must(t, l.Commit(writeChange(t, l, c)))
}

// numbersOf are the numbers of the triples in the default graph, and how many named graphs there are; the store is verified.
func numbersOf(t testing.TB, dir string) (numbers []int, named int) {
	t.Helper()
	s, err := Open(dir)
	must(t, err)
	defer func() { must(t, s.Close()) }()
	must(t, s.Verify())
	for _, w := range s.Default.Neighbours(1, 0, pcsr.Out) {
		numbers = append(numbers, int(w)-2)
	}
	m := s.Manifest()
	if n := m.NamedGraphs(); n != len(s.NamedGraphs()) || m.Triples != uint64(len(numbers)+n) || s.Default.Edges() != uint64(len(numbers)) {
		t.Fatalf("%d triples, %d named graphs, in the default graph %d: %v", m.Triples, n, s.Default.Edges(), numbers)
	}
	for _, id := range s.NamedGraphs() {
		if g, err := s.Named(id); err != nil || g.Edges() != 1 {
			t.Fatal(g, err)
		}
	}
	return numbers, len(s.NamedGraphs())
}

func TestSegmentsRemoveTriplesOfThoseBeforeThem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	writeStore(t, dir, 6, 3)
	for _, step := range []struct {
		name string
		change
		numbers []int
		named   int
		gone    uint64
	}{
		{"triples of the base go", change{removed: []int{1, 4}}, []int{0, 2, 3, 5}, 3, 2},
		{"one comes again, another goes", change{removed: []int{2}, added: []int{4}}, []int{0, 3, 4, 5}, 3, 3},
		{"what came again goes again", change{removed: []int{0, 4}}, []int{3, 5}, 3, 5},
		{"a named graph is cleared", change{cleared: []dictionary.ID{2}}, []int{3, 5}, 2, 6},
		{"the default graph is replaced", change{cleared: []dictionary.ID{dictionary.None}, added: []int{0, 3}}, []int{0, 3}, 2, 8},
		{"nothing is left of it", change{removed: []int{0, 3}}, nil, 2, 10},
		{"but it comes again", change{added: []int{1}}, []int{1}, 2, 10},
		{"everything is cleared", change{cleared: []dictionary.ID{dictionary.None, 1, 3}}, nil, 0, 13},
	} {
		commitChange(t, dir, step.change)
		numbers, named := numbersOf(t, dir)
		if !slices.Equal(numbers, step.numbers) || named != step.named {
			t.Fatalf("%s: %v and %d named graphs", step.name, numbers, named)
		}
		s, err := Open(dir)
		must(t, err)
		if gone := s.Manifest().Gone(); gone != step.gone {
			t.Fatalf("%s: %d triples are gone", step.name, gone)
		}
		if g, err := s.Named(2); (g == nil) != (step.named < 3) || err != nil {
			t.Fatal(step.name, g, err)
		}
		must(t, s.Close())
	}
	if damagedFiles := damageEach(t, dir); damagedFiles < 30 {
		t.Fatal("only", damagedFiles, "files were damaged")
	}
}

// damageEach changes one byte of each file in the middle and expects Verify to find it; it tells how many there are.
func damageEach(t *testing.T, dir string) (n int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "gen-*", "*"))
	must(t, err)
	for _, path := range files {
		good, err := os.ReadFile(path)
		must(t, err)
		bad := slices.Clone(good)
		bad[len(bad)-1] ^= 4 // of the table of sections
		must(t, os.WriteFile(path, bad, 0o644))
		if err := verifyAny(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: %v", path, err)
		}
		must(t, os.WriteFile(path, good, 0o644))
		n++
	}
	return n
}

func verifyAny(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(s.Verify(), s.Close())
}

func TestVerifyFindsBrokenPromises(t *testing.T) {
	for _, test := range []struct {
		name   string
		before []change
		bad    change
		want   string
	}{
		{"a triple is added that the base has", nil, change{added: []int{2}}, "it adds a triple that is there already"},
		{"a triple is added that another segment added", []change{{removed: []int{2}}, {added: []int{2}}}, change{added: []int{2}}, "there already"},
		{"a triple is removed that nobody added", nil, change{removed: []int{9}}, "it removes a triple that is not there"},
		{"a triple is removed twice", []change{{removed: []int{2}}}, change{removed: []int{2, 3}}, "not there"},
		{"a triple is removed that was cleared", []change{{cleared: []dictionary.ID{dictionary.None}, added: []int{1}}}, change{removed: []int{2}}, "not there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			writeStore(t, dir, 6, 12)
			for _, c := range test.before {
				commitChange(t, dir, c)
				must(t, verifyAny(dir))
			}
			commitChange(t, dir, test.bad)
			if err := verifyAny(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), test.want) {
				t.Fatal(err)
			}
		})
	}
}

// TestWhatIsRemovedMayBeAddedAtOnce: a document that brings back what was removed since the last flush makes such a segment.
func TestWhatIsRemovedMayBeAddedAtOnce(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 6, 12)
	commitChange(t, dir, change{added: []int{2}, removed: []int{2, 3}})
	must(t, verifyAny(dir))
	s, err := Open(dir)
	must(t, err)
	defer s.Close()
	if n := s.Default.Edges(); n != 5 {
		t.Errorf("the default graph has %d triples, not 5", n)
	}
}

func TestMoreIsRemovedThanThereIs(t *testing.T) {
	dir := t.TempDir()
	writeStore(t, dir, 2, 9)
	l, err := Begin(dir)
	must(t, err)
	if err := l.Commit(writeChange(t, l, change{removed: []int{0, 1, 2}})); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	checkStore(t, dir, 2, 9)
}

func TestALockIsHeldForSeveralLoads(t *testing.T) {
	dir := t.TempDir()
	lock, err := TakeLock(dir)
	must(t, err)
	for n := 3; n < 6; n++ {
		l, err := lock.Begin()
		must(t, err)
		if _, err := lock.Begin(); !errors.Is(err, ErrBusy) {
			t.Fatal("two loads at once:", err)
		}
		if _, err := Begin(dir); !errors.Is(err, ErrBusy) {
			t.Fatal("a load without the lock:", err)
		}
		if n == 4 {
			must(t, l.Abort())
			continue
		}
		must(t, l.Commit(writeFiles(t, l, n, 1)))
		checkStore(t, dir, n, 1)
	}
	must(t, lock.Release())
	writeStore(t, dir, 7, 0)
	checkStore(t, dir, 7, 0)
}
