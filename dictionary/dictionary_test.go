package dictionary

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
	"pgregory.net/rapid"
)

// sampleTerms has every section, awkward texts, equal values in several forms and long terms.
func sampleTerms() (terms, predicates []rdf.Term) {
	for i := range 40 {
		predicates = append(predicates, rdf.NewIRI(fmt.Sprintf("http://example.org/p/%d", i*i)))
	}
	terms = append(terms, predicates[:5]...)
	for i := range 700 {
		terms = append(terms,
			rdf.NewIRI(fmt.Sprintf("http://example.org/thing/%d", i*7919)),
			rdf.NewBlank(fmt.Sprintf("b%d", i)),
			rdf.NewString(fmt.Sprintf("text %d", i)),
			rdf.NewTyped(fmt.Sprint(i-350), rdf.XSDInteger),
			rdf.NewTyped(fmt.Sprintf("%d.%d", i-350, i%10), rdf.XSDDecimal))
	}
	for _, s := range []string{"", "\"", "a\\b", "line\nend\r", "<a", "_:b", "ünï", "\x00", "a\x00b", strings.Repeat("x", 255), strings.Repeat("x", 256),
		strings.Repeat("y", 70_000), strings.Repeat("y", 70_001)} {
		terms = append(terms, rdf.NewString(s), rdf.NewLangString(s, "en"), rdf.NewLangString(s, "de-AT"),
			rdf.NewTyped(s, "http://example.org/d"), rdf.NewTyped(s, "http://example.org/a d"), rdf.NewTyped(s, rdf.XSDInteger), rdf.NewIRI("http://e/"+s), rdf.NewIRI(s))
	}
	for _, s := range []string{"0", "-0", "+0", "00", "1", "01", "1.0", "1.50", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
		"123456789012345678901234567890", "0.1", "0.1000000000000000055511151231257827021181583404541015625", "-0.000000000000000000001", "1e0", "1E5", "INF", "-INF", "+INF", "NaN",
		"1e400", "4.9e-324", "-.5", "5.", ".", "", "abc", "true", "false", "2000-01-01", "1 ", "255", "256", "128", "-129"} {
		for d := XSDInteger; d < datatypes; d++ {
			terms = append(terms, rdf.NewTyped(s, d.IRI()))
		}
	}
	for _, s := range []string{"2000-01-01", "2000-01-01Z", "2000-01-01+14:00", "2000-02-29", "1900-02-29", "2000-01-01T00:00:00", "2000-01-01T00:00:00Z", "1999-12-31T24:00:00Z",
		"2000-01-01T01:00:00+01:00", "2000-01-01T00:00:00.123456789", "2000-01-01T00:00:00.5Z", "-0044-03-15T00:00:00", "12000-01-01T00:00:00Z", "10:00:00", "10:00:00Z", "24:00:00",
		"09:00:00-05:30", "2000", "2000Z", "-0001", "2000-05", "2000-05-14:00", "2000-13", "2000-01-01T25:00:00", "2000-01-01T00:00:00+15:00", "99999999999-01-01"} {
		for _, d := range []Datatype{XSDDateTime, XSDDateTimeStamp, XSDDate, XSDTime, XSDGYear, XSDGYearMonth} {
			terms = append(terms, rdf.NewTyped(s, d.IRI()))
		}
	}
	return terms, predicates
}

func sampleDictionary(t testing.TB) (*Dictionary, map[rdf.Term]bool) {
	t.Helper()
	terms, predicates := sampleTerms()
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	d, err := FromTerms(terms, predicates...)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[rdf.Term]bool)
	for _, x := range slices.Concat(terms, predicates) {
		all[x] = true
	}
	return d, all
}

func sameValue(a, b Value) bool {
	if (a.Big == nil) != (b.Big == nil) || a.Big != nil && a.Big.Cmp(b.Big) != 0 {
		return false
	}
	a.Big, b.Big = nil, nil
	if a.IsNaN() && b.IsNaN() {
		a.Float, b.Float = 0, 0
	}
	return a == b
}

func TestEveryTermComesBackWithItsIDAndValue(t *testing.T) {
	d, all := sampleDictionary(t)
	checkAgainst(t, d, all)
	if n := d.Segments()[0].Section(Predicates).Len(); n != 40 {
		t.Fatal(n)
	}
}

// checkAgainst checks that d holds exactly the terms of all.
func checkAgainst(t rapid.TB, d *Dictionary, all map[rdf.Term]bool) {
	t.Helper()
	if d.Len() != len(all) {
		t.Fatalf("%d terms, want %d", d.Len(), len(all))
	}
	for i := range d.Len() {
		id := ID(i)
		term := d.Term(id)
		if !all[term] {
			t.Fatalf("ID %d: %v was never added", id, term)
		}
		if got, ok := d.Lookup(term); !ok || got != id {
			t.Fatalf("Lookup(%v) = %d, %v, want %d", term, got, ok, id)
		}
		if got := string(d.AppendNTriples(nil, id)); got != term.String() {
			t.Fatalf("N-Triples %q, want %q", got, term)
		}
		if text, sort := d.AppendText([]byte("before"), id); string(text) != "before"+term.Value || sort != term.Sort() {
			t.Fatalf("%v: text %q of %q", term, text, sort)
		}
		if got, want := d.Value(id), ParseValue(term); !sameValue(got, want) {
			t.Fatalf("%v: value %+v, want %+v", term, got, want)
		}
		if d.Kind(id) != term.Kind || d.Language(id) != term.Language || d.DatatypeIRI(id) != term.DatatypeIRI() {
			t.Fatalf("%v: %v %q %q", term, d.Kind(id), d.Language(id), d.DatatypeIRI(id))
		}
		key, ok := AppendKey(nil, term)
		if !ok || string(d.AppendKey(nil, id)) != string(key) {
			t.Fatalf("%v: key %q, want %q", term, d.AppendKey(nil, id), key)
		}
		if s := d.sectionOfID(id); id < d.Ordered() && (s != SectionOf(key) && s != Predicates || s != Predicates && s != sectionOfTerm(term)) {
			t.Fatalf("%v: section %v, want %v, %v", term, s, SectionOf(key), sectionOfTerm(term))
		}
		if back, err := ParseKey(key); err != nil || back != term {
			t.Fatalf("key of %v gives %v, %v", term, back, err)
		}
	}
	for _, id := range []ID{ID(d.Len()), None} {
		if !d.Term(id).IsZero() || d.Kind(id) != 0 || len(d.AppendNTriples(nil, id)) != 0 || d.Value(id).Kind != NoValue || d.sectionOfID(id) != SectionCount {
			t.Fatal("an ID beyond the end has a term")
		}
		if text, sort := d.AppendText(nil, id); len(text) != 0 || sort != "" {
			t.Fatal("an ID beyond the end has a text")
		}
	}
	for _, term := range []rdf.Term{{}, rdf.NewIRI("nowhere"), rdf.NewString("no such text"), rdf.NewTyped("77777", XSDByte.IRI()), rdf.NewLangString("", "xx")} {
		if id, ok := d.Lookup(term); ok || id != None {
			t.Fatalf("Lookup(%v) = %d, %v", term, id, ok)
		}
	}
	if err := errors.Join(d.Err(), d.Verify()); err != nil {
		t.Fatal(err)
	}
}

func TestAnEmptyDictionary(t *testing.T) {
	d, err := FromTerms(nil)
	if err != nil {
		t.Fatal(err)
	}
	checkAgainst(t, d, nil)
}

func TestFilesHoldTheSame(t *testing.T) {
	memory, all := sampleDictionary(t)
	dir := t.TempDir()
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range memory.Len() {
		add := w.Add
		if memory.sectionOfID(ID(i)) == Predicates {
			add = w.Predicate
		}
		if id, err := add(memory.AppendKey(nil, ID(i))); err != nil || id != ID(i) {
			t.Fatal(id, err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	checkAgainst(t, d, all)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTheWriterRefusesDisorder(t *testing.T) {
	iri := func(s string) []byte { return []byte("<" + s) }
	cases := map[string][][]byte{
		"a resource before a smaller one":     {iri("b"), iri("a")},
		"the same resource again":             {iri("a"), iri("a")},
		"the empty string again":              {[]byte(`"`), []byte(`"`)},
		"a resource after a literal":          {[]byte(`"x`), iri("a")},
		"a string before a number":            {[]byte(`"x`), {keyKnown, codeBase + byte(XSDInteger), '1'}},
		"numbers against their values":        {{keyKnown, codeBase + byte(XSDInteger), '9'}, {keyKnown, codeBase + byte(XSDInteger), '1', '0'}, {keyKnown, codeBase + byte(XSDDouble), '9'}},
		"no key":                              {[]byte("x")},
		"a literal of an unnumbered datatype": {{keyKnown, 0xff, '1'}},
	}
	for name, keys := range cases {
		w := newMemoryWriter()
		var err error
		for _, k := range keys {
			_, err = w.Add(k)
		}
		if !errors.Is(err, ErrOrder) && !errors.Is(err, ErrTerm) {
			t.Errorf("%s: %v", name, err)
		}
		if w.Finish() == nil {
			t.Errorf("%s: the error was forgotten", name)
		}
	}
	w := newMemoryWriter()
	_, _ = w.Add(iri("b"))
	w.Group()
	if _, err := w.Add(iri("a")); err != nil {
		t.Error("a new group:", err)
	}
	if _, err := w.Predicate(iri("c")); !errors.Is(err, ErrOrder) {
		t.Error("a predicate after a resource:", err)
	}
}

func TestVerifyFindsAResourceInTwoGroups(t *testing.T) {
	w := newMemoryWriter()
	for _, key := range []string{"<a", "<b", "", "<b", "<c"} {
		if key == "" {
			w.Group()
		} else if _, err := w.Add([]byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	s, err := w.Segment()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Join(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Verify(); !errors.Is(err, section.ErrDamaged) {
		t.Fatal(err)
	}
}

// Terms enough for a hash table in many partitions, some of whose entries went through the spill file.
func TestManyTermsOnFiles(t *testing.T) {
	const n = 1_300_000
	if testing.Short() {
		t.Skip("writes 20 MB")
	}
	dir := t.TempDir()
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.Group()
	for i := range n {
		if _, err := w.Add(fmt.Appendf(nil, "<http://example.org/%07d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(Files()) {
		t.Fatal("leftovers:", entries, err)
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < n; i += 97 {
		if id, ok := d.Lookup(rdf.NewIRI(fmt.Sprintf("http://example.org/%07d", i))); !ok || id != ID(i) {
			t.Fatalf("term %d has ID %d, %v", i, id, ok)
		}
		if id, ok := d.Lookup(rdf.NewIRI(fmt.Sprintf("http://example.org/%07dx", i))); ok {
			t.Fatalf("term %d exists", id)
		}
	}
	if err := errors.Join(d.Verify(), d.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestHotTermsAreThoseThatAreStored, however often and by however many they are asked for.
func TestHotTermsAreThoseThatAreStored(t *testing.T) {
	var list []rdf.Term
	for i := range 3000 {
		list = append(list, rdf.NewTyped(fmt.Sprint(i), rdf.XSDInteger), rdf.NewString(fmt.Sprintf("a \"%d\"", i)), rdf.NewLangString(strings.Repeat("b", i%400), "en"),
			rdf.NewIRI(fmt.Sprint("http://a/", i)), rdf.NewBlank(fmt.Sprint("b", i)))
	}
	d, err := FromTerms(list)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for g := range 3 {
		group.Go(func() {
			for range 4 {
				for i := range d.Len() + 2 {
					id := ID((i*7 + g) % (d.Len() + 2))
					if got, want := d.AppendHot([]byte("x"), id), d.AppendNTriples([]byte("x"), id); string(got) != string(want) {
						t.Errorf("%d: %s, want %s", id, got, want)
						return
					}
				}
			}
		})
	}
	group.Wait()
}
