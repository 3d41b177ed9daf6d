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

// publishedClasses are the members of classes in LUBM(10, 0), which has 189 departments.
var publishedClasses = map[ClassID]int{
	ClassID(Publication): 76529, ClassID(UndergraduateStudent): 75547, ClassID(GraduateStudent): 24019, ClassID(Course): 10278,
	ClassID(GraduateCourse): 10194, ResearchAssistant: 6960, TeachingAssistant: 5294, ClassID(ResearchGroup): 2827,
	ClassID(AssociateProfessor): 2291, ClassID(AssistantProfessor): 1822, ClassID(FullProfessor): 1602, ClassID(Lecturer): 1128,
}

// publishedDegrees are the mean and the largest numbers of objects of a subject, and of subjects of an object, there.
var publishedDegrees = map[Predicate][4]float64{
	TakesCourse: {2.76, 4, 13.49, 46}, PublicationAuthor: {1.79, 7, 5.12, 20}, Advisor: {1, 1, 6.89, 21},
	TeacherOf: {2.99, 4, 1, 1}, MemberOf: {1, 1, 526.8, 736}, WorksFor: {1, 1, 36.2, 42}, SubOrganizationOf: {1, 1, 15.2, 24},
}

func TestClassesAndDegreesAreThoseOfTheOriginal(t *testing.T) {
	classes, departments := map[ClassID]int{}, 0
	var out, in [Predicates]map[Entity]int
	for p := range out {
		out[p], in[p] = map[Entity]int{}, map[Entity]int{}
	}
	for n := range 10 {
		LUBM{Universities: 10, Seed: 1}.University(n, NewDegrees(), func(tr Triple) {
			out[tr.Predicate][tr.Subject]++
			in[tr.Predicate][tr.Object]++
			switch tr.Predicate {
			case Type:
				classes[ClassID(tr.Object.Index)]++
			case HeadOf:
				departments++
			}
		})
	}
	for c, want := range publishedClasses {
		if r := float64(classes[c]) / float64(departments) * 189 / float64(want); r < 0.96 || r > 1.04 {
			t.Errorf("%s: %.2f of the original's members for each department", className(c), r)
		}
	}
	for p, want := range publishedDegrees {
		for i, degrees := range []map[Entity]int{out[p], in[p]} {
			sum, most := 0, 0
			for _, d := range degrees {
				sum, most = sum+d, max(most, d)
			}
			mean := float64(sum) / float64(len(degrees))
			if r := mean / want[2*i]; r < 0.96 || r > 1.04 {
				t.Errorf("%s: mean degree %.2f, the original has %.2f", PredicateIRI(p), mean, want[2*i])
			}
			if r := float64(most) / want[2*i+1]; r < 0.8 || r > 1.25 {
				t.Errorf("%s: largest degree %d, the original has %.0f", PredicateIRI(p), most, want[2*i+1])
			}
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
