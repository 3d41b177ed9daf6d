package document_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/document"
	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// write is the quads as a document.
func write(format document.Format, options document.Options, quads ...rdf.Quad) (string, error) {
	var b strings.Builder
	w, err := document.NewWriter(&b, format, options)
	if err != nil {
		return "", err
	}
	for _, q := range quads {
		if err := w.Write(q); err != nil {
			return "", err
		}
	}
	err = w.Close()
	return b.String(), err
}

var awkward = []string{"", "plain", "tab\tline\nreturn\rquote\"back\\slash", "<&>'\"", "ü€😀", " ]]> ", "a  b", "'''\"\"\""}

func term(t *rapid.T, kinds ...rdf.Kind) rdf.Term {
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case rdf.IRI:
		return rdf.NewIRI("http://e/" + rapid.SampledFrom([]string{"a", "b#c", "ns/x-1", "ü", "q?x=1&y='2'", "1", "-x", "a.b"}).Draw(t, "iri"))
	case rdf.BlankNode:
		return rdf.Term{Kind: kind, Value: rapid.SampledFrom([]string{"b", "0", "x.y", "_u", "b-1"}).Draw(t, "label")}
	default:
		o := rdf.Term{Kind: rdf.Literal, Value: rapid.SampledFrom(awkward).Draw(t, "text")}
		switch rapid.IntRange(0, 2).Draw(t, "literal") {
		case 1:
			o.Language = "de-at"
		case 2:
			o.Datatype = rapid.SampledFrom([]string{rdf.XSDInteger, "http://e/type&more"}).Draw(t, "datatype")
		}
		return o
	}
}

func quad(t *rapid.T, graphs bool) rdf.Quad {
	q := rdf.Quad{
		Subject:   term(t, rdf.IRI, rdf.BlankNode),
		Predicate: rdf.NewIRI(rapid.SampledFrom([]string{rdf.RDFType, "http://e/p", "http://e/ns#long_name", "urn:x:y.z"}).Draw(t, "predicate")),
		Object:    term(t, rdf.IRI, rdf.BlankNode, rdf.Literal),
	}
	if graphs && rapid.Bool().Draw(t, "named") {
		q.Graph = term(t, rdf.IRI, rdf.BlankNode)
	}
	return q
}

// TestWhatIsWrittenReadsBack writes random quads in every format and reads them with the loader's readers, which share no code with
// the writer.
func TestWhatIsWrittenReadsBack(t *testing.T) {
	prefixes := map[string]string{"": "http://e/", "e": "http://e/ns#", "xsd": rdf.XSD}
	for _, format := range []document.Format{document.NTriples, document.NQuads, document.Turtle, document.TriG, document.RDFXML} {
		t.Run(string(format), func(t *testing.T) {
			graphs := format == document.NQuads || format == document.TriG
			rapid.Check(t, func(t *rapid.T) {
				quads := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rdf.Quad { return quad(t, graphs) }), 0, 12).Draw(t, "quads")
				text, err := write(format, document.Options{Prefixes: prefixes}, quads...)
				if err != nil {
					t.Fatal(err)
				}
				var back []rdf.Quad
				err = loader.Read(strings.NewReader(text), loader.Format(format), "", func(q rdf.Quad) error {
					back = append(back, q)
					return nil
				})
				if err != nil {
					t.Fatalf("%v in\n%s", err, text)
				}
				if len(back) != len(quads) || !isomorphism.Same(quads, back) {
					t.Fatalf("%v\nwritten as\n%s\nreads\n%v", quads, text, back)
				}
			})
		})
	}
}

func TestWhatStandsTogetherIsWrittenOnce(t *testing.T) {
	iri := func(name string) rdf.Term { return rdf.NewIRI("http://e/" + name) }
	text, err := write(document.TriG, document.Options{Prefixes: map[string]string{"e": "http://e/"}},
		rdf.Quad{Subject: iri("s"), Predicate: rdf.NewIRI(rdf.RDFType), Object: iri("C")},
		rdf.Quad{Subject: iri("s"), Predicate: iri("p"), Object: iri("a")},
		rdf.Quad{Subject: iri("s"), Predicate: iri("p"), Object: iri("b")},
		rdf.Quad{Subject: iri("s"), Predicate: iri("p"), Object: iri("b"), Graph: iri("g")},
		rdf.Quad{Subject: iri("t"), Predicate: iri("p"), Object: iri("b"), Graph: iri("g")})
	const want = `@prefix e: <http://e/> .
e:s a e:C ;
    e:p e:a, e:b .
e:g {
e:s e:p e:b .
e:t e:p e:b .
}
`
	if err != nil || text != want {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestWhatAFormatCannotCarryIsRefused(t *testing.T) {
	s, p, o := rdf.NewIRI("http://e/s"), rdf.NewIRI("http://e/p"), rdf.NewIRI("http://e/o")
	for _, c := range []struct {
		format document.Format
		quad   rdf.Quad
	}{
		{document.NTriples, rdf.Quad{Subject: s, Predicate: p, Object: o, Graph: s}},
		{document.Turtle, rdf.Quad{Subject: s, Predicate: p, Object: o, Graph: s}},
		{document.RDFXML, rdf.Quad{Subject: s, Predicate: p, Object: o, Graph: s}},
		{document.RDFXML, rdf.Quad{Subject: s, Predicate: rdf.NewIRI("http://e/1"), Object: o}},
		{document.RDFXML, rdf.Quad{Subject: s, Predicate: rdf.NewIRI("http://www.w3.org/1999/02/22-rdf-syntax-ns#li"), Object: o}},
		{document.RDFXML, rdf.Quad{Subject: s, Predicate: p, Object: rdf.Term{Kind: rdf.Literal, Value: "\x01"}}},
	} {
		t.Run(fmt.Sprint(c.format, c.quad.Predicate), func(t *testing.T) {
			if text, err := write(c.format, document.Options{}, c.quad); !errors.Is(err, document.ErrCannot) {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
	named := rdf.Quad{Subject: s, Predicate: p, Object: o, Graph: s}
	if text, err := write(document.NTriples, document.Options{DropGraphs: true}, named); err != nil || text != "<http://e/s> <http://e/p> <http://e/o> .\n" {
		t.Errorf("%v: %s", err, text)
	}
	if _, err := write("jsonld", document.Options{}); err == nil || !strings.Contains(err.Error(), "trig") {
		t.Errorf("an unknown format: %v", err)
	}
}
