package patch

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/loader"
)

// readAll reads a patch up to its first fault.
func readAll(text string) (rows []Row, err error) {
	for row, err := range Read(strings.NewReader(text)) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func TestAPatchIsRead(t *testing.T) {
	rows, err := readAll("\xef\xbb\xbf# a patch\r\n" +
		"H id <uuid:0686c69d-8f89-4496-acb5-744f0157a8db> .\r\n" +
		"H \"the time\" \"2026\"^^<http://www.w3.org/2001/XMLSchema#gYear> .\n\n" +
		"TX .\n" +
		"PA \"rdf\" \"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" .\n" +
		"PA owl <http://www.w3.org/2002/07/owl#> .\n" +
		"PD a.b.\n" +
		"  A <http://s> <http://p> \"l\\u00e9\"@en . # added\n" +
		"D _:f3_b1 <http://p> <_:b2> <http://g> .\n" +
		"A<_:x.y><http://p>\"<_:no>\"<_:g>.\n" +
		"TC.\n" +
		"A <s:> <p:> \"1\"^^<http://www.w3.org/2001/XMLSchema#string> .")
	if err != nil {
		t.Fatal(err)
	}
	iri, blank := rdf.NewIRI, rdf.NewBlank
	want := []Row{
		{Operation: Header, Name: "id", Value: iri("uuid:0686c69d-8f89-4496-acb5-744f0157a8db")},
		{Operation: Header, Name: "the time", Value: rdf.NewTyped("2026", rdf.XSD+"gYear")},
		{Operation: Begin},
		{Operation: InsertPrefix, Name: "rdf", Value: iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#")},
		{Operation: InsertPrefix, Name: "owl", Value: iri("http://www.w3.org/2002/07/owl#")},
		{Operation: DeletePrefix, Name: "a.b"},
		{Operation: Insert, Subject: iri("http://s"), Predicate: iri("http://p"), Object: rdf.NewLangString("lé", "en")},
		{Operation: Delete, Subject: blank("f3_b1"), Predicate: iri("http://p"), Object: blank("b2"), Graph: iri("http://g")},
		{Operation: Insert, Subject: blank("x.y"), Predicate: iri("http://p"), Object: rdf.NewString("<_:no>"), Graph: blank("g")},
		{Operation: Commit},
		{Operation: Insert, Subject: iri("s:"), Predicate: iri("p:"), Object: rdf.NewString("1")},
	}
	if !slices.Equal(rows, want) {
		t.Errorf("got  %v\nwant %v", rows, want)
	}
}

func TestFaultsSayWhereAndWhat(t *testing.T) {
	for _, test := range []struct {
		text         string
		line, column int
		message      string
	}{
		{"A <http://s> <http://p> \"x\" .\nA <http://s> <http://p> <o> .", 2, 25, "absolute IRI"},
		{"A <http://s> <http://p> <http://o>", 1, 35, "expected '.'"},
		{"A \"s\" <http://p> <http://o> .", 1, 3, "a subject"},
		{"A <http://s> <_:p> <http://o> .", 1, 14, "absolute IRI"},
		{"A <http://s> ex:p <http://o> .", 1, 14, "a predicate"},
		{"A <_:s <http://p> <http://o> .", 1, 7, "expected '>' after the blank node label"},
		{"A <_:> <http://p> <http://o> .", 1, 6, "a blank node label"},
		{"\n\n  X <http://s> .", 3, 3, "one of H, TX"},
		{"<http://s> <http://p> <http://o> .", 1, 1, "one of H, TX"},
		{"TX .\nTX .", 2, 1, "TC or TA before another TX"},
		{"TC .", 1, 1, "TX before this row"},
		{"TX .\nTC .\nTA .", 3, 1, "TX before this row"},
		{"TX .\nA <s:> <p:> <o:> .", 1, 0, "does not end"},
		{"TX", 1, 3, "expected '.'"},
		{"TX . TC .", 1, 6, "end of the line or a comment"},
		{"H <http://x> <http://y> .", 1, 3, "a name"},
		{"H é .", 1, 5, "a term"},
		{"H", 1, 2, "a name"},
		{"PA x .", 1, 6, "a term"},
		{"A <http://s> <http://p> \"a\xff\" .", 1, 27, "UTF-8"},
	} {
		_, err := readAll(test.text)
		var fault *loader.SyntaxError
		if !errors.As(err, &fault) || int(fault.Line) != test.line || fault.Column != test.column || !strings.Contains(fault.Message, test.message) {
			t.Errorf("%q: got %v", test.text, err)
		}
	}
}

// terms draws terms as a store can have them.
func terms(kinds ...rdf.Kind) *rapid.Generator[rdf.Term] {
	return rapid.Custom(func(t *rapid.T) rdf.Term {
		switch rapid.SampledFrom(kinds).Draw(t, "kind") {
		case rdf.IRI:
			return rdf.NewIRI("s:" + rapid.StringMatching(`[^\x00-\x20<>"{}|^`+"`"+`\\]*`).Draw(t, "iri"))
		case rdf.BlankNode:
			return rdf.NewBlank(rapid.StringMatching(`[A-Za-z0-9_][A-Za-z0-9_.é-]*[A-Za-z0-9_-]`).Draw(t, "label"))
		}
		text := rapid.String().Draw(t, "text")
		switch rapid.IntRange(0, 2).Draw(t, "sort") {
		case 0:
			return rdf.NewLangString(text, rapid.StringMatching(`[a-z]{1,8}(-[a-z0-9]{1,8}){0,2}`).Draw(t, "tag"))
		case 1:
			return rdf.NewTyped(text, "d:"+rapid.StringMatching(`[a-z]*`).Draw(t, "datatype"))
		}
		return rdf.NewString(text)
	})
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	resource, graph, any := terms(rdf.IRI, rdf.BlankNode), terms(0, rdf.IRI, rdf.BlankNode), terms(rdf.IRI, rdf.BlankNode, rdf.Literal)
	rapid.Check(t, func(t *rapid.T) {
		var rows []Row
		inside := false
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			r := Row{Operation: Operation(rapid.IntRange(1, len(codes)-1).Draw(t, "operation"))}
			switch r.Operation {
			case Begin, Commit, Abort:
				if inside == (r.Operation == Begin) {
					continue
				}
				inside = !inside
			case Insert, Delete:
				r.Subject, r.Predicate, r.Object = resource.Draw(t, "s"), terms(rdf.IRI).Draw(t, "p"), any.Draw(t, "o")
				if g := graph.Draw(t, "g"); g.Kind != rdf.Literal {
					r.Graph = g
				}
			case Header:
				r.Name, r.Value = rapid.String().Draw(t, "name"), any.Draw(t, "value")
			default:
				r.Name, r.Value = rapid.String().Draw(t, "name"), terms(rdf.IRI).Draw(t, "value")
			}
			rows = append(rows, r)
		}
		if inside {
			rows = append(rows, Row{Operation: Abort})
		}
		if got := through(t, rows); !slices.Equal(got, rows) {
			t.Fatalf("got  %v\nwant %v", got, rows)
		}
	})
}

// through writes rows and reads them.
func through(t interface{ Fatal(...any) }, rows []Row) []Row {
	var text bytes.Buffer
	w := NewWriter(&text)
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(text.String())
	if err != nil {
		t.Fatal(err, text.String())
	}
	return got
}

// FuzzRead: any text is a patch, and then the same one when it is written, or has a fault.
func FuzzRead(f *testing.F) {
	f.Add("TX .\nA <s:> <p:> <_:o> <g:> .\nTC .")
	f.Add("H x \"y\"@en .\nPD \"a\" .\nD _:s <p:> \"\\u00e9\"^^<d:> .")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readAll(text)
		var fault *loader.SyntaxError
		if err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
		if err == nil && !slices.Equal(through(t, rows), rows) {
			t.Fatal("written and read it is another patch")
		}
	})
}
