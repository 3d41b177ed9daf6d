package dictionary

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"pgregory.net/rapid"
)

// drawTerm draws a term: all sections, equal values in several forms, ill-formed literals, long and awkward texts. Many
// are drawn twice.
func drawTerm(t *rapid.T) rdf.Term {
	pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "pick") }
	n := rapid.IntRange(0, 9).Draw(t, "n")
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "\x00", "a\x00b", "\"", "a\\b", "line\n", "<a", "_:b", "ünï", "\xff", " "}), rapid.StringN(0, 12, 40),
		rapid.Map(rapid.IntRange(0, 3000), func(n int) string { return strings.Repeat("long ", n) }))
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return rdf.NewIRI(fmt.Sprint("http://example.org/", n))
	case 1:
		return rdf.NewIRI(text.Draw(t, "iri"))
	case 2:
		return rdf.NewBlank(fmt.Sprint("b", n))
	case 3:
		return rdf.NewString(text.Draw(t, "text"))
	case 4:
		return rdf.NewLangString(text.Draw(t, "text"), pick("en", "EN", "de-AT", "x-\"odd"))
	case 5:
		return rdf.NewTyped(text.Draw(t, "text"), pick("http://example.org/d", "http://example.org/a d", rdf.RDFLangString))
	case 6:
		zone := pick("", "Z", "+14:00", "-05:30")
		return rdf.NewTyped(fmt.Sprintf("%s200%d-01-01%s%s", pick("", "-"), n, pick("", "T10:00:00", "T10:00:00.125"), zone), pick(rdf.XSDDate, rdf.XSDDateTime))
	case 7:
		return rdf.NewTyped(pick("true", "1", "false", "TRUE", ""), rdf.XSDBoolean)
	}
	lexical := fmt.Sprint(pick("", "-", "+", "0"), n, pick("", "", ".", ".50", "e3", "00000000000000000000000"))
	return rdf.NewTyped(pick(lexical, lexical, lexical, "INF", "NaN", "x"), Datatype(rapid.IntRange(int(XSDInteger), int(datatypes)-1).Draw(t, "datatype")).IRI())
}

// tailView is a view, and the terms that it should have, by ID.
type tailView struct {
	d     *Dictionary
	terms []rdf.Term
}

// check compares every method of a view with the list of its terms.
func (v *tailView) check(t rapid.TB, absent []rdf.Term) {
	t.Helper()
	all := make(map[rdf.Term]bool, len(v.terms))
	for id, term := range v.terms {
		all[term] = true
		if got := v.d.Term(ID(id)); got != term {
			t.Fatalf("ID %d of %d is %v, want %v", id, len(v.terms), got, term)
		}
	}
	checkAgainst(t, v.d, all)
	for _, term := range absent {
		if id, ok := v.d.Lookup(term); !all[term] && (ok || id != None) {
			t.Fatalf("%v, which arrived later, has ID %d of %d", term, id, v.d.Len())
		}
	}
}

// TestTailsAreListsOfTerms compares dictionaries of some segments and the first terms of a tail with a list of terms: all
// of them, at the end, so that none has changed by what arrived after it.
func TestTailsAreListsOfTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, err := FromTerms(rapid.SliceOfN(rapid.Custom(drawTerm), 0, 20).Draw(t, "base"))
		for range rapid.IntRange(0, 2).Draw(t, "segments") {
			if err == nil {
				d, err = d.Extend(rapid.SliceOfN(rapid.Custom(drawTerm), 0, 8).Draw(t, "segment"))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		tail := NewTail(d)
		var list []rdf.Term
		known := map[rdf.Term]ID{}
		add := func(term rdf.Term) {
			known[term] = ID(len(list))
			list = append(list, term)
		}
		for id := range ID(d.Len()) {
			add(d.Term(id))
		}
		var views []tailView
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "step") == 0 {
				n := rapid.IntRange(-1, tail.Len()+1).Draw(t, "terms")
				views = append(views, tailView{tail.Dictionary(n), slices.Clone(list[:d.Len()+max(0, min(n, tail.Len()))])})
				continue
			}
			term := drawTerm(t)
			key, ok := AppendKey(nil, term)
			if !ok {
				t.Fatal(term)
			}
			id, err := tail.Intern(key)
			want, is := known[term]
			if !is {
				want = ID(len(list))
				add(term)
			}
			clear(key) // the tail must not keep it
			if err != nil || id != want || tail.Len() != len(list)-d.Len() {
				t.Fatalf("%v has ID %d of %d (%v), want %d", term, id, tail.Len(), err, want)
			}
		}
		for _, v := range append(views, tailView{tail.Dictionary(math.MaxInt), list}, tailView{d, list[:d.Len()]}) {
			if v.d.Ordered() != ID(d.Len()) || len(v.d.Segments()) != len(d.Segments()) {
				t.Fatal(v.d.Ordered())
			}
			v.check(t, list)
			v.d.Warm([]ID{0, v.d.Ordered(), ID(v.d.Len()), None})
		}
	})
}

// TestTailsOfManyTerms fills several pages and chunks, some with long terms.
func TestTailsOfManyTerms(t *testing.T) {
	terms, predicates := sampleTerms()
	d, err := FromTerms(terms[:200], predicates...)
	if err != nil {
		t.Fatal(err)
	}
	tail := NewTail(d)
	all := allOf(terms[:200], predicates)
	var key []byte
	intern := func(term rdf.Term) {
		key, _ = AppendKey(key[:0], term)
		if _, err := tail.Intern(key); err != nil {
			t.Fatal(err)
		}
		all[term] = true
	}
	length := int64(0)
	for i, term := range terms {
		intern(term)
		intern(rdf.NewString(fmt.Sprint("one more ", i)))
		length += int64(len(term.Value))
	}
	before := tail.Dictionary(tail.Len())
	size := before.Len()
	checkAgainst(t, before, all)
	if got, want := tail.Bytes(), 2*length+200*int64(tail.Len())+largestChunk; got < length/2 || got > want {
		t.Fatalf("%d terms of %d bytes take %d", tail.Len(), length, got)
	}
	for i := range 5 * pageTerms {
		intern(rdf.NewIRI(fmt.Sprint("http://example.org/later/", i*i)))
	}
	checkAgainst(t, tail.Dictionary(tail.Len()), all)
	if before.Len() != size || tail.Len() < 5*pageTerms {
		t.Fatal(before.Len(), tail.Len())
	}
}

// TestValuesOfTailsAreWhatTheOperatorsSay compares all terms of a tail that has several runs of values with constants, in
// views that end anywhere.
func TestValuesOfTailsAreWhatTheOperatorsSay(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	terms, predicates := sampleTerms()
	terms = append(terms, roundingNumbers()...)
	r.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	d, err := FromTerms(terms[:300], predicates...)
	if err != nil {
		t.Fatal(err)
	}
	tail := NewTail(d)
	var views []*rangeTest
	var key []byte
	for i, term := range terms {
		key, _ = AppendKey(key[:0], term)
		if _, err := tail.Intern(key); err != nil {
			t.Fatal(err)
		}
		if i%800 == 799 {
			views = append(views, newRangeTest(tail.Dictionary(tail.Len())))
		}
	}
	views = append(views, newRangeTest(tail.Dictionary(pageTerms+7)), newRangeTest(tail.Dictionary(2*pageTerms)), newRangeTest(tail.Dictionary(tail.Len())))
	if !slices.ContainsFunc(views, func(v *rangeTest) bool { return len(v.d.tail.values.runs) > 1 }) {
		t.Fatal("no view has several runs")
	}
	constants := append(roundingNumbers(), rdf.NewString("text 5"), rdf.NewString(""), rdf.NewTyped("0.1", rdf.XSDFloat), rdf.NewTyped("1e-50", rdf.XSDFloat))
	for _, term := range terms {
		if v := ParseValue(term); v.IsTemporal() && r.IntN(3) == 0 || r.IntN(60) == 0 {
			constants = append(constants, term)
		}
	}
	for i, view := range views {
		for range 300 {
			draw := func() Condition { return Condition{Comparison(r.IntN(5)), constants[r.IntN(len(constants))]} }
			a, b := draw(), draw()
			if v := ParseValue(a.Constant); !v.IsNumeric() && !v.IsTemporal() && v.Kind != Boolean && v.Kind != String {
				continue
			}
			if v := ParseValue(b.Constant); !v.IsNumeric() && !v.IsTemporal() && v.Kind != Boolean && v.Kind != String {
				continue
			}
			view.checkBoth(t, a, b)
		}
		for k, term := range constants {
			if (k+i)%6 == 0 && !testing.Short() || testing.Short() && k%20 == 0 {
				view.check(t, term)
			}
		}
	}
}

func TestValuesOfTailsAreNoMoreThanAskedFor(t *testing.T) {
	d, err := FromTerms(nil)
	if err != nil {
		t.Fatal(err)
	}
	tail := NewTail(d)
	for i := range 3 * pageTerms {
		key, _ := AppendKey(nil, rdf.NewTyped(fmt.Sprint(i), rdf.XSDInteger))
		if _, err := tail.Intern(key); err != nil {
			t.Fatal(err)
		}
	}
	v := tail.Dictionary(tail.Len())
	for most, want := range map[int]bool{0: false, 9: false, 10: true, 11: true} {
		ids, ok := v.ValueIDs([]Condition{{IsLess, rdf.NewTyped("10", rdf.XSDInteger)}, {IsLess, rdf.NewIRI("a")}}, most)
		if ok != want || ok && len(ids) != 10 || !ok && ids != nil {
			t.Errorf("at most %d: %v, %v", most, ids, ok)
		}
	}
	for i := range 6 * pageTerms {
		key, _ := AppendKey(nil, rdf.NewString(fmt.Sprint("the same beginning ", i)))
		if _, err := tail.Intern(key); err != nil {
			t.Fatal(err)
		}
	}
	v = tail.Dictionary(tail.Len())
	if _, ok := v.ValueIDs([]Condition{{IsLess, rdf.NewString("the same beginning 10")}}, 10); ok {
		t.Error("thousands of strings were compared")
	}
	if ids, ok := v.ValueIDs([]Condition{{IsLess, rdf.NewString("the")}}, 10); len(ids) > 0 || !ok {
		t.Error("strings that come after a constant:", ids, ok)
	}
	if ids, ok := d.ValueIDs([]Condition{{IsLess, rdf.NewString("a")}}, 0); len(ids) > 0 || !ok {
		t.Error("without a tail:", ids, ok)
	}
	if _, ok := v.ValueIDs([]Condition{{IsLess, rdf.NewIRI("a")}}, 10); ok {
		t.Error("an IRI has an order")
	}
}

func TestTailsRefuseWhatIsNoKey(t *testing.T) {
	d, err := FromTerms([]rdf.Term{rdf.NewString("a")})
	if err != nil {
		t.Fatal(err)
	}
	tail := NewTail(d)
	for _, key := range []string{"", "x", "_", "_b", "@en", "@\x00a", "^\x00a", "#", "#\x20a", "#\xffa", "^" + rdf.XSDString + "\x00a", "^" + rdf.XSDInteger + "\x001"} {
		if id, err := tail.Intern([]byte(key)); !errors.Is(err, ErrTerm) || id != None {
			t.Errorf("%q: %d, %v", key, id, err)
		}
	}
	if tail.Len() != 0 {
		t.Fatal(tail.Len())
	}
}

func TestTailsEndWithTheIDs(t *testing.T) {
	d, err := FromTerms([]rdf.Term{rdf.NewString("a")})
	if err != nil {
		t.Fatal(err)
	}
	tail := NewTail(d)
	tail.segments.ordered = None - 2 // as if there were as many
	for i, want := range []ID{None - 2, None - 1, None, None} {
		id, err := tail.Intern(fmt.Append(nil, "<", i))
		if id != want || errors.Is(err, ErrFull) != (want == None) {
			t.Errorf("term %d has ID %d, %v", i, id, err)
		}
	}
	if id, err := tail.Intern([]byte("<1")); id != None-1 || err != nil {
		t.Error("a term that is there:", id, err)
	}
	if id, err := tail.Intern([]byte(`"a`)); id != 0 || err != nil {
		t.Error("a term of a segment:", id, err)
	}
}

// TestTailsAreReadWhileTheyGrow lets readers take views and compare all of them with what they should be, while one
// goroutine adds terms.
func TestTailsAreReadWhileTheyGrow(t *testing.T) {
	const terms = 20_000
	term := func(n int) rdf.Term {
		switch n % 4 {
		case 0:
			return rdf.NewTyped(fmt.Sprint(n), rdf.XSDInteger)
		case 1:
			return rdf.NewLangString(fmt.Sprint("text ", n), "en")
		case 2:
			return rdf.NewString(strings.Repeat("long", n%700) + fmt.Sprint(n))
		}
		return rdf.NewIRI(fmt.Sprint("http://example.org/", n))
	}
	d, err := FromTerms([]rdf.Term{term(terms), term(terms + 1)})
	if err != nil {
		t.Fatal(err)
	}
	tail := NewTail(d)
	var over atomic.Bool
	var wait sync.WaitGroup
	for seed := range uint64(3) {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for round := 0; !over.Load() || round == 0; round++ {
				v := tail.Dictionary(tail.Len())
				for range 50 {
					n := r.IntN(terms)
					id, want, there := v.Ordered()+ID(n), term(n), n < v.Len()-2
					found, ok := v.Lookup(want)
					switch {
					case ok != there || ok && found != id:
						t.Errorf("%v is %d, %v in a view of %d terms", want, found, ok, v.Len())
					case there && (v.Term(id) != want || !sameValue(v.Value(id), ParseValue(want)) || string(v.AppendNTriples(nil, id)) != want.String()):
						t.Errorf("ID %d is %v, want %v", id, v.Term(id), want)
					case !there && !v.Term(id).IsZero():
						t.Errorf("ID %d of %d is %v", id, v.Len(), v.Term(id))
					}
				}
				if t.Failed() {
					return
				}
			}
		})
	}
	var key []byte
	for n := range terms {
		key, _ = AppendKey(key[:0], term(n))
		if id, err := tail.Intern(key); err != nil || id != ID(2+n) {
			t.Error(id, err)
		}
	}
	over.Store(true)
	wait.Wait()
}

// FuzzTail: bytes are refused, or are the key of a term that is there from then on, under one ID.
func FuzzTail(f *testing.F) {
	terms, predicates := fuzzTerms()
	for _, t := range terms[:20] {
		key, _ := AppendKey(nil, t)
		f.Add(key, key[:len(key)/2])
	}
	d, err := FromTerms(terms[:len(terms)/2], predicates...)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		tail := NewTail(d)
		for _, key := range [][]byte{a, b, a} {
			id, err := tail.Intern(key)
			term, noKey := ParseKey(key)
			if (err == nil) != (noKey == nil) {
				t.Fatalf("%q: %v, %v", key, err, noKey)
			}
			v := tail.Dictionary(tail.Len())
			if err != nil {
				continue
			}
			if found, ok := v.LookupKey(key); !ok || found != id || v.Term(id) != term || !bytes.Equal(v.AppendKey(nil, id), key) || !sameValue(v.Value(id), ParseValue(term)) {
				t.Fatalf("%q: %v, %d, %v", key, v.Term(id), id, v.Value(id))
			}
		}
		exercise(tail.Dictionary(1), terms[:5])
	})
}
