package loader

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// scopeBlanks gives the blank nodes of quads the labels that input number k gets.
func scopeBlanks(quads []Quad, k int) []Quad {
	quads = slices.Clone(quads)
	for i := range quads {
		for _, term := range []*rdf.Term{&quads[i].Subject, &quads[i].Object, &quads[i].Graph} {
			if term.Kind == rdf.BlankNode {
				term.Value = blankScope(k) + term.Value
			}
		}
	}
	return quads
}

// lateQuads are quads of a vocabulary that earlier files do not have as such: their predicates were plain resources, and
// rdf:type has new classes.
func lateQuads(seed uint64, n, terms int) []Quad {
	quads := randomQuads(seed, n, terms)
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range quads {
		switch r.IntN(8) {
		case 0:
			quads[i].Predicate = rdf.NewIRI(fmt.Sprintf("http://example.org/thing/é%d", 3*r.IntN(4)))
		case 1:
			quads[i].Predicate = rdf.NewIRI(fmt.Sprintf("http://example.org/late%d", seed))
		case 2:
			quads[i].Predicate = rdf.NewIRI(rdf.RDFType)
			quads[i].Object = rdf.NewIRI(fmt.Sprintf("http://example.org/Class%d", r.IntN(3+int(seed)%5)))
		case 3:
			quads[i].Object = rdf.NewString(fmt.Sprintf("late %d %d", seed, i))
		}
	}
	return quads
}

// appendFile adds quads, as they stand in a file of their own, to the store.
func appendFile(t *testing.T, to string, quads []Quad, graphs bool, memory int64) Report {
	t.Helper()
	path := filepath.Join(t.TempDir(), "more.nq")
	writeQuads(t, path, quads, graphs)
	if memory == 0 {
		report, err := Load(context.Background(), to, []Input{{Name: path}}, Options{Append: true})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	sources, err := prepare([]Input{{Name: path}})
	if err != nil {
		t.Fatal(err)
	}
	target, err := store.Begin(to)
	if err != nil {
		t.Fatal(err)
	}
	l := newLoad(sources, Options{}.withDefaults())
	l.aim(target)
	l.options.Memory, l.triples.budget = memory, 1<<20
	l.old, err = openOld(to)
	report, err := l.finish(context.Background(), err)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func segments(t *testing.T, dir string) int {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return len(s.Manifest().Segments)
}

// TestAppendsAddSegments appends files of all sizes, with terms of all kinds that are old, new, or in a new place, and
// compares the store with what was put into it.
func TestAppendsAddSegments(t *testing.T) {
	t.Parallel()
	memories := []int64{100 << 10, 0}
	if testing.Short() {
		memories = memories[:1]
	}
	for _, memory := range memories {
		for _, graphs := range []bool{false, true} {
			if testing.Short() && !graphs {
				continue
			}
			t.Run(fmt.Sprintf("memory %d, named graphs %v", memory, graphs), func(t *testing.T) {
				to := filepath.Join(t.TempDir(), "store")
				var want []Quad
				scope, most := 0, 0
				add := func(quads []Quad) Report {
					t.Helper()
					old := len(isomorphism.Distinct(want))
					report := appendFile(t, to, quads, graphs, memory)
					want = append(want, scopeBlanks(keepGraphs(quads, graphs), scope)...)
					scope++
					all := len(isomorphism.Distinct(want))
					if int(report.Triples) != all || int(report.Kept) != old || int(report.Read) != len(quads) {
						t.Errorf("the report says %d read, %d kept, %d triples of %d", report.Read, report.Kept, report.Triples, all)
					}
					if report.Segments != segments(t, to) {
						t.Errorf("the report says %d segments", report.Segments)
					}
					if memory > 0 && len(quads) > 800 && (report.TermRuns < 2 || report.SpilledBytes == 0) {
						t.Errorf("%d runs of terms, %d bytes spilled", report.TermRuns, report.SpilledBytes)
					}
					most = max(most, report.Segments)
					if scope%4 == 0 || report.Segments == 1 {
						same(t, to, want)
					}
					return report
				}
				add(randomQuads(1, 6000, 1500))
				for i, n := range []int{900, 240, 50, 6, 1, 1, 12, 300, 10, 1000, 3} {
					add(lateQuads(uint64(i), n, 1500+40*i))
				}
				if most < 4 {
					t.Errorf("there were %d segments at most", most)
				}
				if report := add(lateQuads(99, 9000, 3000)); report.Segments != 1 {
					t.Errorf("%d segments after more than half of the base was added", report.Segments)
				}
				add(lateQuads(100, 200, 3000))
				report, err := Compact(context.Background(), to, Options{})
				if err != nil || report.Segments != 1 || report.Merged != 2 {
					t.Fatalf("%+v, %v", report, err)
				}
				same(t, to, want)
				if report, err = Compact(context.Background(), to, Options{}); err != nil || report.Segments != 1 || report.Merged != 0 {
					t.Fatalf("%+v, %v", report, err)
				}
				add(lateQuads(101, 200, 3000))
			})
		}
	}
}

// keepGraphs is the quads as a file has them that names graphs or does not.
func keepGraphs(quads []Quad, graphs bool) []Quad {
	quads = slices.Clone(quads)
	for i := range quads {
		if !graphs {
			quads[i].Graph = rdf.Term{}
		}
	}
	return quads
}

// TestAppendOfWhatIsThereChangesNothing appends a file without blank nodes twice, then half of it.
func TestAppendOfWhatIsThereChangesNothing(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "store")
	quads := slices.DeleteFunc(randomQuads(3, 2000, 400), func(q Quad) bool {
		return q.Subject.Kind == rdf.BlankNode || q.Object.Kind == rdf.BlankNode || q.Graph.Kind == rdf.BlankNode
	})
	appendFile(t, to, quads, true, 0)
	folders, err := os.ReadDir(to)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		report := appendFile(t, to, quads[i*len(quads)/2:], true, 0)
		if int(report.Known) != len(quads[i*len(quads)/2:]) || report.Segments != 1 || report.WrittenBytes != 0 {
			t.Fatalf("%+v", report)
		}
		same(t, to, quads)
		now, err := os.ReadDir(to)
		if err != nil || fmt.Sprint(now) != fmt.Sprint(folders) {
			t.Fatal(now, err)
		}
	}
	s, err := store.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := len(s.Manifest().Sources); n != 3 {
		t.Errorf("the manifest names %d sources", n)
	}
}

// TestADamagedStoreIsNotCopied changes a byte of each file: an append or a compaction ends with an error that says so, or did
// not need what was changed.
func TestADamagedStoreIsNotCopied(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "store")
	first := randomQuads(3, 5000, 900)
	second := lateQuads(4, 300, 900)
	appendFile(t, to, first, true, 0)
	appendFile(t, to, second, true, 0)
	e := openEdited(t, to)
	e.edit(lateQuads(6, 100, 900), first[:700])
	e.clear(rdf.NewIRI("http://example.org/graph1"))
	writeSnapshot(t, to, e, Flush, Options{})
	e.close()
	more := filepath.Join(t.TempDir(), "more.nq")
	third := slices.Concat(keepGraphs(first, false)[:400], randomQuads(5, 900, 1200))
	writeQuads(t, more, third, true)
	two := dump(t, to)
	files, err := filepath.Glob(filepath.Join(to, "gen-*", "*"))
	if err != nil || len(files) < 15 {
		t.Fatal(files, err)
	}
	compact := func(dir string) error {
		_, err := Compact(context.Background(), dir, Options{})
		return err
	}
	add := func(dir string) error {
		_, err := Load(context.Background(), dir, []Input{{Name: more}}, Options{Append: true})
		return err
	}
	places, every := 3, 1
	if testing.Short() {
		places, every = 1, 9
	}
	for i := 0; i < len(files); i += every {
		file := files[i]
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for i := range places {
			bad := slices.Clone(good)
			bad[len(bad)*(2*i+1)/(2*places)] ^= 0x10
			for k, action := range []func(dir string) error{compact, add} {
				dir := filepath.Join(t.TempDir(), "copy")
				if err := os.CopyFS(dir, os.DirFS(to)); err != nil {
					t.Fatal(err)
				}
				damagedFile := filepath.Join(dir, filepath.Base(filepath.Dir(file)), filepath.Base(file))
				if err := os.WriteFile(damagedFile, bad, 0o644); err != nil {
					t.Fatal(err)
				}
				err := action(dir)
				if err != nil && !errors.Is(err, store.ErrDamaged) {
					t.Errorf("%s: %v", file, err)
				}
				want := two
				switch {
				case err != nil:
					failed++
				case k == 1:
					want = slices.Concat(two, scopeBlanks(third, 2))
				}
				if _, e := os.Stat(damagedFile); e == nil {
					if err := os.WriteFile(damagedFile, good, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				same(t, dir, want)
			}
		}
		t.Logf("%s: %d of 6 failed", filepath.Base(file), failed)
	}
}
