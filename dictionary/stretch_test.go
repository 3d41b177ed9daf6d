package dictionary

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"pgregory.net/rapid"
)

// drawTerms draws terms of which many begin alike, with tags that differ by case and some datatypes.
func drawTerms(t *rapid.T) []rdf.Term {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab1\u00e9\U0010ffff")), 0, 4, -1)
	return rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) rdf.Term {
		s := text.Draw(t, "text")
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return rdf.NewIRI(s)
		case 1:
			return rdf.NewLangString(s, rapid.SampledFrom([]string{"en", "EN", "en-GB", "de", "eng"}).Draw(t, "tag"))
		case 2:
			return rdf.NewTyped(s, rapid.SampledFrom([]string{"http://example.org/d", "http://example.org/e", rdf.XSDInteger}).Draw(t, "datatype"))
		}
		return rdf.NewString(s)
	}), 1, 60, func(t rdf.Term) string { return t.String() }).Draw(t, "terms")
}

// TestStretches: the IDs of languages and of what begins with a prefix, term by term.
func TestStretches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, err := FromTerms(drawTerms(t))
		if err != nil {
			t.Fatal(err)
		}
		among := func(ranges []Range, has func(rdf.Term) bool) {
			for i, r := range ranges {
				if r.Len() <= 0 || i > 0 && r.From <= ranges[i-1].To {
					t.Fatalf("ranges %v are not ascending and apart", ranges)
				}
			}
			for id := range d.Ordered() {
				in := slices.ContainsFunc(ranges, func(r Range) bool { return r.Contains(id) })
				if term := d.Term(id); in != has(term) {
					t.Fatalf("%s is in %v: %t", term.String(), ranges, in)
				}
			}
		}
		span := rapid.SampledFrom([]string{"en", "EN", "de", "fr", "*"}).Draw(t, "span")
		among(d.Languages(func(tag string) bool { return rdf.LanguageMatches(tag, span) }), func(t rdf.Term) bool {
			return rdf.LanguageMatches(t.Language, span)
		})
		prefix, others := rapid.SampledFrom([]string{"a", "ab", "\u00e9", "\U0010ffff", "1", "b1"}).Draw(t, "prefix"), rapid.Bool().Draw(t, "others")
		id := rapid.Custom(func(t *rapid.T) ID { return ID(rapid.IntRange(0, d.Len()).Draw(t, "id")) })
		within := Range{id.Draw(t, "from"), id.Draw(t, "to")}
		ranges, ok := d.Beginning(prefix, others, within, 16)
		if !ok {
			t.Fatal("too many stretches")
		}
		among(ranges, func(t rdf.Term) bool {
			id, _ := d.Lookup(t)
			plain := t.Kind == rdf.Literal && (t.Language != "" || t.DatatypeIRI() == rdf.XSDString)
			typed := t.Kind == rdf.Literal && !plain && ParseValue(t).Kind == OtherLiteral
			return (plain || others && typed) && strings.HasPrefix(t.Value, prefix) && within.Contains(id)
		})
		var same []ID
		for id := range d.Ordered() {
			if term := d.Term(id); term.Value == prefix && term.Language != "" && strings.EqualFold(term.Language, span) {
				same = append(same, id)
			}
		}
		if got := d.Tagged(prefix, span); !slices.Equal(got, same) {
			t.Fatalf("%q@%s is %v, want %v", prefix, span, got, same)
		}
		ids, ok := d.Spelled(prefix, within, 16)
		if !ok {
			t.Fatal("too many stretches")
		}
		for id := range d.Ordered() {
			term := d.Term(id)
			value := ParseValue(term).Kind
			want := within.Contains(id) && term.Value == prefix && (term.Kind == rdf.IRI || value == String || value == LangString || value == OtherLiteral)
			if slices.Contains(ids, id) != want {
				t.Fatalf("%s is in %v: %t", term.String(), ids, !want)
			}
		}
	})
}

// TestMostSearches: a text is not looked for in more stretches than that.
func TestMostSearches(t *testing.T) {
	var terms []rdf.Term
	for i := range 9 {
		terms = append(terms, rdf.NewLangString("a", fmt.Sprintf("l%d", i)))
	}
	d, err := FromTerms(terms)
	if err != nil {
		t.Fatal(err)
	}
	all := Range{0, ID(d.Len())}
	for most, want := range map[int]bool{0: false, 8: false, 9: true} {
		if ranges, ok := d.Beginning("a", false, all, most); ok != want {
			t.Errorf("%d searches: %v, %t", most, ranges, ok)
		}
		if ids, ok := d.Spelled("a", all, most); ok != want {
			t.Errorf("%d searches: %v, %t", most, ids, ok)
		}
	}
}
