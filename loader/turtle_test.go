package loader

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	knakk "github.com/knakk/rdf"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// TestResolve goes through the examples of RFC 3986, section 5.4.
func TestResolve(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g",
		"?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s",
		";x": "http://a/b/c/;x", "g;x?y#s": "http://a/b/c/g;x?y#s", "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "..": "http://a/b/",
		"../g": "http://a/b/g", "../..": "http://a/", "../../g": "http://a/g", "../../../g": "http://a/g", "/./g": "http://a/g",
		"/../g": "http://a/g", "g.": "http://a/b/c/g.", "..g": "http://a/b/c/..g", "./../g": "http://a/b/g", "g/./h": "http://a/b/c/g/h",
		"g/../h": "http://a/b/c/h", "g;x=1/../y": "http://a/b/c/y", "g?y/../x": "http://a/b/c/g?y/../x", "g#s/../x": "http://a/b/c/g#s/../x",
	} {
		if got := rdf.ResolveIRI("http://a/b/c/d;p?q", ref); got != want {
			t.Errorf("%q: got %q, want %q", ref, got, want)
		}
	}
	if got := rdf.ResolveIRI("http://a", "b"); got != "http://a/b" {
		t.Errorf("a base without path: got %q", got)
	}
}

func TestFaultsOfTurtleSayWhereAndWhat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		doc          string
		line, column int
		message      string
	}{
		{"<s:> <p:> .", 1, 11, "an object"},
		{"PREFIX e: <http://e/>\ne:é e:p f:x .", 2, 9, `prefix "f:" is not declared`},
		{"<a> <p:> 1 .", 1, 1, "no base IRI"},
		{"<s:> <p:> \"x\n\" .", 1, 13, "closing quote"},
		{"<s:> <p:> '''x\n\n", 3, 1, "end of the document"},
		{"<s:> <p:> [ <q:> 1 .", 1, 20, "']'"},
		{"<s:> <p:> \"\\uDEAD\" .", 1, 12, "surrogate"},
		{"# \xff", 1, 3, "UTF-8"},
		{"<s:> <p:> 1", 1, 12, "'.'"},
		{"<s:> \"p\" 1 .", 1, 6, "a predicate"},
	} {
		_, err := readAll([]byte(test.doc), Turtle, "")
		var fault *SyntaxError
		if !errors.As(err, &fault) {
			t.Errorf("%q: got %v", test.doc, err)
			continue
		}
		if int(fault.Line) != test.line || fault.Column != test.column || !strings.Contains(fault.Message, test.message) {
			t.Errorf("%q: got %v", test.doc, fault)
		}
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[ <p:> ", "( "} {
		_, err := readAll([]byte("<s:> <p:> "+strings.Repeat(open, 1_000_000)), Turtle, "")
		var fault *SyntaxError
		if !errors.As(err, &fault) || !strings.Contains(fault.Message, "nested") {
			t.Errorf("%q: got %v", open, err)
		}
	}
}

func TestOwnLabelsDoNotMeetAnonymousOnes(t *testing.T) {
	t.Parallel()
	quads, err := readAll([]byte(`_:b1 <p:> [] . _:xb1 <p:> _:b2 .`), Turtle, "")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for _, q := range quads {
		labels[q.Subject.Value], labels[q.Object.Value] = true, true
	}
	if len(labels) != 4 {
		t.Errorf("four nodes became %v", labels)
	}
}

// knakkTurtle reads Turtle with the library that is the oracle of these tests.
func knakkTurtle(doc string) (quads []Quad, err error) {
	d := knakk.NewTripleDecoder(strings.NewReader(doc), knakk.Turtle)
	for {
		triple, err := d.Decode()
		if err == io.EOF {
			return quads, nil
		}
		if err != nil {
			return quads, err
		}
		quads = append(quads, Quad{Subject: knakkTerm(triple.Subj), Predicate: knakkTerm(triple.Pred), Object: knakkTerm(triple.Obj)})
	}
}

// TestTurtleAgreesWithTheLibrary compares on documents without relative IRIs, which the library gets wrong.
func TestTurtleAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		"@prefix e: <http://e/> . e:a a e:C ; e:p 1, 2.5, 1e3, -0.5 ; e:q true, \"x\"@en, 'y'^^e:d .",
		"PREFIX e: <http://e/>\ne:a e:p [ e:q ( 1 e:x ) ] .\n[ e:s e:t ] e:u e:v .",
		"@prefix : <http://e/> . :a.b :c%20d :e\\,f . _:x :p _:y . :a :p \"\"\"long \"quoted\" \\u00e9\n\"\"\" .",
	} {
		got, err := readAll([]byte(doc), Turtle, "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := knakkTurtle(doc)
		if err != nil {
			t.Fatalf("%q: the library says %v", doc, err)
		}
		if !isomorphism.Same(got, want) {
			t.Errorf("%q: got\n%v\nwant\n%v", doc, got, want)
		}
	}
}

// FuzzTurtle checks that no document breaks the parser and that what it reads is the same in pieces, and as N-Quads.
func FuzzTurtle(f *testing.F) {
	for _, doc := range []string{
		"@prefix e: <http://e/> . e:a a e:C ; e:p 1, .5, +.7, 1.e3, -0.5 ; e:q true, \"x\"@en, 'y'^^e:d .",
		"BASE <http://e/x> <g> { <a> <p> [ <q> ( 1 [] ) ] . } { } GRAPH _:g { <#a> a <b> ; . }",
		"@prefix : <http://e/> . :a.b :c%20d :e\\,f . _:x.y :p '''a'b''c\\U0001F600''' . # end",
	} {
		f.Add([]byte(doc), uint8(3))
	}
	f.Fuzz(func(t *testing.T, doc []byte, step uint8) {
		want, wantErr := readAll(doc, TriG, "http://base/")
		var got []Quad
		err := Read(&slowReader{doc, 1 + int(step)}, TriG, "http://base/", func(q Quad) error { got = append(got, q); return nil })
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !sameLists(got, want) {
			t.Fatalf("%q: whole %v, %v; in pieces %v, %v", doc, want, wantErr, got, err)
		}
		for _, q := range want {
			line := fmt.Sprintf("%v %v %v %v .", q.Subject, q.Predicate, q.Object, q.Graph)
			again, err := readAll([]byte(line), NQuads, "")
			if err != nil || len(again) != 1 {
				t.Fatalf("%q: gives %q, which is no N-Quads: %v", doc, line, err)
			}
		}
	})
}

func FuzzXML(f *testing.F) {
	f.Add([]byte(xmlHead + `<e:C rdf:about="a" e:p="1"><e:q rdf:parseType="Literal"><a xmlns="u:"/></e:q><e:l rdf:parseType="Collection"><e:D/></e:l></e:C></rdf:RDF>`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		quads, _ := readAll(doc, RDFXML, "http://base/")
		for _, q := range quads {
			line := fmt.Sprintf("%v %v %v .", q.Subject, q.Predicate, q.Object)
			if again, err := readAll([]byte(line), NTriples, ""); err != nil || len(again) != 1 || again[0] != q {
				t.Fatalf("%q: gives %q, which is no N-Triples: %v", doc, line, err)
			}
		}
	})
}
