package generate

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"testing"
)

// published are the counts of LUBM(1, 0), the original generator's graph of one university with seed 0.
var published = map[Predicate]int{
	TakesCourse: 21489, Type: 18128, Name: 15972, PublicationAuthor: 10634, MemberOf: 7790, Advisor: 3101,
	UndergraduateDegreeFrom: 2414, TeacherOf: 1627, WorksFor: 540, SubOrganizationOf: 239, TeachingAssistantOf: 407,
}

func TestTwentyUniversitiesHaveTheProportionsOfTheOriginal(t *testing.T) {
	counts, departments := map[Predicate]int{}, 0
	for n := range 20 {
		LUBM{Universities: 20, Seed: 1}.University(n, NewDegrees(), func(tr Triple) {
			counts[tr.Predicate]++
			if tr.Predicate == HeadOf {
				departments++
			}
		})
	}
	for p, want := range published {
		perDepartment, original := float64(counts[p])/float64(departments), float64(want)/15
		if p == Type {
			original = float64(want-979) / 15
		}
		if r := perDepartment / original; r < 0.9 || r > 1.1 {
			t.Errorf("%s: %.1f for a department, the original has %.1f", PredicateIRI(p), perDepartment, original)
		}
	}
}

func TestTriplesAreDistinct(t *testing.T) {
	seen := map[Triple]bool{}
	degrees := NewDegrees()
	emit := func(tr Triple) {
		if seen[tr] {
			t.Fatalf("twice: %s", appendTriple(nil, tr))
		}
		seen[tr] = true
	}
	g := LUBM{Universities: 2, Seed: 7}
	g.University(0, degrees, emit)
	g.University(1, degrees, emit)
	g.Pool(degrees, emit)
}

func TestTextDoesNotDependOnTheNumberOfThreads(t *testing.T) {
	write := func(threads int) []byte {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		var b bytes.Buffer
		if _, err := (LUBM{Universities: 3, Seed: 5}).WriteNTriples(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if !bytes.Equal(write(1), write(4)) {
		t.Fatal("one thread and four write different graphs")
	}
}

func BenchmarkWriteNTriples(b *testing.B) {
	var triples uint64
	for b.Loop() {
		n, err := LUBM{Universities: 4, Seed: 1}.WriteNTriples(context.Background(), io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		triples += n
	}
	b.ReportMetric(float64(triples)/b.Elapsed().Seconds(), "triples/s")
}
