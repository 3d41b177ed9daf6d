package loader

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/store"
)

// intakeText is n triples of which those from a number on are new to who has the first.
func intakeText(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "<http://e/s%d> <http://e/p%d> \"value %d\" .\n<http://e/s%d> a <http://e/C%d> .\n", i, i%5, i, i, i%3)
	}
	return strings.ReplaceAll(b.String(), " a ", " <"+rdf.RDFType+"> ")
}

// mergeInto merges documents into the store in dir, with a small term table so that terms are spilled.
func mergeInto(t *testing.T, dir string, graph rdf.Term, memory int64, texts ...string) Report {
	t.Helper()
	var spilled, most atomic.Int64
	in, err := NewIntake(graph, Options{Threads: 2, TempDir: t.TempDir(), Spill: func(bytes int64) error {
		now := spilled.Add(bytes)
		for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if memory > 0 {
		in.l.options.Memory, in.l.triples.budget = memory, memory
	}
	for _, text := range texts {
		if err := in.Read(context.Background(), strings.NewReader(text), NTriples, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := mergeIntake(t, in, dir); err != nil {
		t.Fatal(err)
	}
	report := in.l.report
	if err := in.Close(); err != nil || spilled.Load() != 0 || report.SpilledBytes > 0 && most.Load() < report.SpilledBytes/3 {
		t.Errorf("%d bytes of temporary files are left of at most %d, %d were written: %v", spilled.Load(), most.Load(), report.SpilledBytes, err)
	}
	return report
}

// TestAnIntakeThatSpillsIsWhatALoadOfEverythingIs merges documents of which a part is in the store already.
func TestAnIntakeThatSpillsIsWhatALoadOfEverythingIs(t *testing.T) {
	t.Parallel()
	const base, all = 6_000, 9_000
	for _, c := range []struct {
		name      string
		from      int   // where the documents begin
		memory    int64 // of the intake
		segments  int
		unchanged bool
	}{
		{"a few more, in memory", base - 1000, 0, 2, false},
		{"a few more, spilled", base - 2000, 200 << 10, 2, false},
		{"nothing more, spilled", all, 200 << 10, 1, true},
	} {
		if testing.Short() && c.memory == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			dir, to := t.TempDir(), base+1000
			load := func(name, text string) string {
				path := filepath.Join(dir, name)
				inputs := []Input{{Name: name + ".nt", Reader: strings.NewReader(text)}}
				if _, err := Load(context.Background(), path, inputs, Options{Threads: 2}); err != nil {
					t.Fatal(err)
				}
				return path
			}
			into := load("into", intakeText(0, base))
			texts := []string{intakeText(c.from, to), intakeText(to-10, to)}
			if c.unchanged {
				to, texts = base, []string{intakeText(0, base)}
			}
			want := dump(t, load("want", intakeText(0, to)))
			report := mergeInto(t, into, rdf.Term{}, c.memory, texts...)
			if report.Unchanged != c.unchanged || c.memory > 0 && !c.unchanged && (report.TermRuns < 2 || report.SpilledBytes == 0) {
				t.Errorf("%+v", report)
			}
			if got := segments(t, into); got != c.segments {
				t.Errorf("%d segments", got)
			}
			same(t, into, want)
		})
	}
}

// TestAnIntakeEndsWhereItMaySpillNoMore refuses its temporary files from some byte on, while it reads and while it merges.
func TestAnIntakeEndsWhereItMaySpillNoMore(t *testing.T) {
	refused := errors.New("no more")
	dir := filepath.Join(t.TempDir(), "store")
	inputs := []Input{{Name: "base.nt", Reader: strings.NewReader(intakeText(0, 100))}}
	if _, err := Load(context.Background(), dir, inputs, Options{Threads: 2}); err != nil {
		t.Fatal(err)
	}
	want := dump(t, dir)
	merged := false
	for room := int64(0); !merged; room += 200 << 10 {
		var spilled atomic.Int64
		in, err := NewIntake(rdf.Term{}, Options{Threads: 2, TempDir: t.TempDir(), Spill: func(bytes int64) error {
			if spilled.Add(bytes) > room && bytes > 0 {
				return refused
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		in.l.options.Memory, in.l.triples.budget = 200<<10, 200<<10
		if err = in.Read(context.Background(), strings.NewReader(intakeText(50, 6000)), NTriples, ""); err == nil {
			if err = mergeIntake(t, in, dir); err == nil {
				merged = true
			}
		}
		if err != nil && !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil || spilled.Load() != 0 {
			t.Errorf("with room for %d bytes, %d are left: %v", room, spilled.Load(), err)
		}
		if !merged {
			same(t, dir, want)
		}
	}
}

// mergeIntake merges what was read into the store in dir.
func mergeIntake(t *testing.T, in *Intake, dir string) error {
	t.Helper()
	lock, err := store.TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	files, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	staged, err := in.Stage(context.Background(), lock, stored{files}, nil, false)
	if err != nil || staged == nil {
		return err
	}
	over, err := store.OpenStaged(dir, staged)
	if err != nil {
		t.Fatal(err)
	}
	defer over.Close()
	_, err = Flush(context.Background(), lock, stored{over}, Options{Threads: 2})
	return err
}

func TestAFaultInAnIntakeSaysWhere(t *testing.T) {
	t.Parallel()
	for format, text := range map[Format]string{
		NTriples: "<http://e/s> <http://e/p> 1 .\n",
		Turtle:   "<http://e/s> <http://e/p> ] .\n",
	} {
		in, err := NewIntake(rdf.NewIRI("http://e/g"), Options{TempDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		err = in.Read(context.Background(), strings.NewReader("\n\n"+text), format, "")
		var fault *SyntaxError
		if !errors.As(err, &fault) || fault.Line != 3 || fault.Column != 27 || fault.File != "" {
			t.Errorf("%s: %v", format, err)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}
