package dictionary

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/section"
)

// changed is a copy of f in which a word of one section, counted in bytes from its start, is changed and the section's
// end is cut off. Its checksums are right: only the content is wrong.
func changed(t testing.TB, f *section.File, kind string, number uint8, at uint32, word uint64, cut uint32) *section.File {
	t.Helper()
	w := section.NewMemory(kind, f.Version())
	names := f.Sections()
	for i, name := range names {
		b, err := f.Bytes(name)
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.Clone(b)
		if i == int(number)%len(names) {
			for k := range 8 {
				if len(b) > 0 {
					b[(int(at)+k)%len(b)] ^= byte(word >> (8 * k))
				}
			}
			b = b[:len(b)-int(cut)%(len(b)+1)]
		}
		if err := w.Section(name); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	changed, err := w.File()
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// exercise calls everything that decodes.
func exercise(d *Dictionary, terms []rdf.Term) {
	var buffer []byte
	for i := range d.Len() + 2 {
		id := ID(i)
		buffer = d.AppendNTriples(buffer[:0], id)
		buffer, _ = d.AppendText(buffer[:0], id)
		buffer = d.AppendKey(buffer[:0], id)
		_, _, _ = d.Kind(id), d.Language(id), d.DatatypeIRI(id)
		_ = d.Value(id)
		d.Lookup(d.Term(id))
	}
	for i, t := range terms {
		d.Lookup(t)
		if i%16 == 0 {
			d.ValueRange(IsLess, t)
		}
	}
}

func fuzzTerms() (terms, predicates []rdf.Term) {
	all, predicates := sampleTerms()
	for i, t := range all {
		if i%23 == 0 && len(t.Value) < 300 {
			terms = append(terms, t)
		}
	}
	return append(terms, rdf.NewString(strings.Repeat("wide", 100)), rdf.NewLangString("a", "en"), rdf.NewTyped("x", "http://example.org/d")), predicates[:3]
}

// FuzzDamagedDictionary: a dictionary of two segments, of which one has a damaged file, is refused by Open or Verify, or is a dictionary; whatever
// it is, nothing panics.
func FuzzDamagedDictionary(f *testing.F) {
	terms, predicates := fuzzTerms()
	good, err := FromTerms(terms[:len(terms)/2], predicates[:2]...)
	if err == nil {
		good, err = good.Extend(terms, predicates...)
	}
	if err != nil {
		f.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 24 {
		f.Add(uint8(rng.Uint32()), uint8(rng.Uint32()), rng.Uint32(), rng.Uint64()>>rng.IntN(64), rng.Uint32()*(rng.Uint32()%2))
	}
	kinds := [3]string{termsKind, valuesKind, hashKind}
	f.Fuzz(func(t *testing.T, file, number uint8, at uint32, word uint64, cut uint32) {
		segments := slices.Clone(good.Segments())
		damaged := int(file) / 3 % 2
		files := segments[damaged].files
		i := int(file) % 3
		files[i] = changed(t, files[i], kinds[i], number, at, word, cut)
		s, err := newSegment(files[0], files[1], files[2])
		if err != nil || s.Len() > 10*good.Len() {
			return
		}
		segments[damaged] = s
		d, err := Join(segments...)
		if err != nil {
			t.Fatal(err)
		}
		exercise(d, terms)
		if d.Verify() != nil {
			return
		}
		for i := range d.Len() {
			term := d.Term(ID(i))
			if id, ok := d.Lookup(term); !ok || id != ID(i) {
				t.Fatalf("a verified dictionary gives %v, %d, %v for ID %d", term, id, ok, i)
			}
			if got, want := string(d.AppendNTriples(nil, ID(i))), term.String(); got != want {
				t.Fatalf("a verified dictionary gives %q for %q", got, want)
			}
			if text, sort := d.AppendText(nil, ID(i)); string(text) != term.Value || sort != term.Sort() {
				t.Fatalf("a verified dictionary gives the text %q of %q for %v", text, sort, term)
			}
			if !sameValue(d.Value(ID(i)), ParseValue(term)) {
				t.Fatalf("a verified dictionary gives %v the value %+v", term, d.Value(ID(i)))
			}
		}
	})
}

// FuzzKey: a key is refused, or is the key of its term; its sort key does not depend on the way.
func FuzzKey(f *testing.F) {
	terms, _ := fuzzTerms()
	for _, t := range terms[:20] {
		key, _ := AppendKey(nil, t)
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key []byte) {
		term, err := ParseKey(key)
		_, section, orderErr := AppendSortKey(nil, key)
		if (err == nil) != (orderErr == nil) {
			t.Fatal(err, orderErr)
		}
		if err != nil {
			return
		}
		back, ok := AppendKey(nil, term)
		if !ok || !bytes.Equal(back, key) {
			t.Fatalf("%q gives %v gives %q", key, term, back)
		}
		if again := sectionOfTerm(term); again != section {
			t.Fatalf("%q lies in %v and in %v", key, section, again)
		}
	})
}

func TestDamageThatDecodingMeetsIsReported(t *testing.T) {
	terms, predicates := fuzzTerms()
	d, err := FromTerms(terms, predicates...)
	if err != nil {
		t.Fatal(err)
	}
	// The first block's head becomes longer than the block; the other files stay.
	s, err := newSegment(changed(t, d.base.files[0], termsKind, 0, 0, 0xff00, 0), d.base.files[1], d.base.files[2])
	if err != nil {
		t.Fatal(err)
	}
	if d, err = Join(s); err != nil {
		t.Fatal(err)
	}
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	if term := d.Term(0); !term.IsZero() {
		t.Fatal(term)
	}
	if err := d.Err(); !errors.Is(err, section.ErrDamaged) {
		t.Fatal(err)
	}
}
