package dictionary

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// split cuts terms into a dictionary of up to n segments. Later segments are also handed terms that earlier ones have.
func split(t testing.TB, rng *rand.Rand, n int, terms, predicates []rdf.Term) *Dictionary {
	t.Helper()
	share := func(list []rdf.Term) [][]rdf.Term {
		shares := make([][]rdf.Term, n)
		for _, x := range list {
			for range 1 + rng.IntN(2) {
				i := rng.IntN(n)
				shares[i] = append(shares[i], x)
			}
		}
		return shares
	}
	shares, predicateShares := share(terms), share(predicates)
	d, err := FromTerms(shares[0], predicateShares[0]...)
	for i := 1; i < n && err == nil; i++ {
		d, err = d.Extend(shares[i], predicateShares[i]...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func allOf(lists ...[]rdf.Term) map[rdf.Term]bool {
	all := make(map[rdf.Term]bool)
	for _, x := range slices.Concat(lists...) {
		all[x] = true
	}
	return all
}

func TestSegmentsHoldTheTermsOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	terms, predicates := sampleTerms()
	for n := 1; n <= 4; n++ {
		d := split(t, rng, n, terms, predicates)
		if len(d.Segments()) != n {
			t.Fatal(len(d.Segments()))
		}
		checkAgainst(t, d, allOf(terms, predicates))
		for i, s := range d.Segments() {
			if d.Start(i)+ID(s.Len()) != d.Start(i+1) {
				t.Fatalf("segment %d of %d terms starts at %d, the next at %d", i, s.Len(), d.Start(i), d.Start(i+1))
			}
		}
	}
}

func TestSegmentsWithoutTerms(t *testing.T) {
	d, err := FromTerms(nil)
	for _, terms := range [][]rdf.Term{nil, {rdf.NewString("a"), rdf.NewIRI("b")}, nil, {rdf.NewString("a")}, {rdf.NewString("0")}, nil} {
		if err != nil {
			t.Fatal(err)
		}
		d, err = d.Extend(terms)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkAgainst(t, d, allOf([]rdf.Term{rdf.NewString("a"), rdf.NewString("0"), rdf.NewIRI("b")}))
}

func TestRangesOfSegmentsAreWhatTheOperatorsSay(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	terms, predicates := sampleTerms()
	r := newRangeTest(split(t, rng, 3, terms, predicates))
	for _, term := range terms {
		if v := ParseValue(term); v.IsTemporal() || rng.IntN(20) == 0 {
			r.check(t, term)
		}
	}
}

func TestSegmentsOnFiles(t *testing.T) {
	terms, predicates := sampleTerms()
	memory := split(t, rand.New(rand.NewPCG(7, 4)), 3, terms, predicates)
	var dirs []string
	for i := range memory.Segments() {
		dirs = append(dirs, filepath.Join(t.TempDir(), strconv.Itoa(i)))
		if err := os.Mkdir(dirs[i], 0o755); err != nil {
			t.Fatal(err)
		}
		w, err := Create(dirs[i])
		if err != nil {
			t.Fatal(err)
		}
		for id := memory.Start(i); id < memory.Start(i+1); id++ {
			add := w.Add
			if memory.sectionOfID(id) == Predicates {
				add = w.Predicate
			}
			if local, err := add(memory.AppendKey(nil, id)); err != nil || local != id-memory.Start(i) {
				t.Fatal(local, err)
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	checkAgainst(t, d, allOf(terms, predicates))
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(append(dirs, t.TempDir())...); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if _, err := Open(); err == nil {
		t.Fatal("a dictionary of no segments")
	}
}

func TestVerifyFindsATermInTwoSegments(t *testing.T) {
	for _, last := range []rdf.Term{rdf.NewIRI("a"), rdf.NewString("x"), rdf.NewTyped("1", rdf.XSDInteger)} {
		var segments []*Segment
		for _, terms := range [][]rdf.Term{{rdf.NewIRI("a"), rdf.NewString("x"), rdf.NewTyped("1", rdf.XSDInteger)}, {rdf.NewIRI("b")}, {last, rdf.NewIRI("c")}} {
			d, err := FromTerms(terms)
			if err != nil {
				t.Fatal(err)
			}
			segments = append(segments, d.Segments()...)
		}
		d, err := Join(segments...)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Verify(); !errors.Is(err, section.ErrDamaged) {
			t.Fatal(last, err)
		}
		if d, err = Join(segments[:2]...); err != nil || d.Verify() != nil {
			t.Fatal(err, d.Verify())
		}
	}
}
