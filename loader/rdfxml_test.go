package loader

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	knakk "github.com/knakk/rdf"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

const xmlHead = `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/" xml:base="http://e/dir/doc?q#f">`

func TestRDFXML(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, turtle string }{
		{"a typed node with a literal", `<e:Person rdf:about="a"><e:name xml:lang="de">Zoë &amp; Co</e:name></e:Person>`,
			`<http://e/dir/a> a <http://e/Person>; <http://e/name> "Zoë & Co"@de .`},
		{"relative references", `<rdf:Description rdf:about="../x/./y"><e:p rdf:resource=""/><e:p rdf:resource="?z"/><e:p rdf:resource="//h/i"/></rdf:Description>`,
			`<http://e/x/y> <http://e/p> <http://e/dir/doc?q>, <http://e/dir/doc?z>, <http://h/i> .`},
		{"rdf:ID and reification", `<rdf:Description rdf:ID="a"><e:p rdf:ID="r">v</e:p></rdf:Description>`,
			`PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> <http://e/dir/doc?q#a> <http://e/p> "v" .
			 <http://e/dir/doc?q#r> a rdf:Statement; rdf:subject <http://e/dir/doc?q#a>; rdf:predicate <http://e/p>; rdf:object "v" .`},
		{"blank nodes", `<rdf:Description rdf:nodeID="n"><e:p rdf:nodeID="m"/><e:p><rdf:Description><e:q>1</e:q></rdf:Description></e:p></rdf:Description>`,
			`_:n <http://e/p> _:m, [ <http://e/q> "1" ] .`},
		{"property attributes", `<rdf:Description rdf:about="a" e:q="v" rdf:type="http://e/T"><e:p e:r="w"/></rdf:Description>`,
			`<http://e/dir/a> <http://e/q> "v"; a <http://e/T>; <http://e/p> [ <http://e/r> "w" ] .`},
		{"parse types", `<rdf:Description rdf:about="a"><e:p rdf:parseType="Resource"><e:q rdf:datatype="http://e/d">1</e:q></e:p><e:l rdf:parseType="Collection"><rdf:Description rdf:about="b"/><e:C/></e:l><e:n rdf:parseType="Collection"/></rdf:Description>`,
			`<http://e/dir/a> <http://e/p> [ <http://e/q> "1"^^<http://e/d> ]; <http://e/l> ( <http://e/dir/b> [ a <http://e/C> ] ); <http://e/n> () .`},
		{"containers", `<rdf:Bag rdf:about="a"><rdf:li>x</rdf:li><rdf:li rdf:resource="b"/></rdf:Bag>`,
			`PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> <http://e/dir/a> a rdf:Bag; rdf:_1 "x"; rdf:_2 <http://e/dir/b> .`},
		{"an XML literal", `<rdf:Description rdf:about="a"><e:p rdf:parseType="Literal">a <e:b z="1" e:a='"&lt;'>x</e:b><br/> &gt;</e:p></rdf:Description>`,
			`<http://e/dir/a> <http://e/p> """a <e:b xmlns:e="http://e/" z="1" e:a="&quot;&lt;">x</e:b><br></br> &gt;"""^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral> .`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := readAll([]byte(xmlHead+test.body+`</rdf:RDF>`), RDFXML, "http://other/")
			if err != nil {
				t.Fatal(err)
			}
			want, err := readAll([]byte(test.turtle), Turtle, "")
			if err != nil {
				t.Fatal(err)
			}
			if !isomorphism.Same(got, want) {
				t.Errorf("got\n%v\nwant\n%v", got, want)
			}
		})
	}
}

func TestRDFXMLFaults(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`<rdf:Description rdf:about="a b"/>`, `<rdf:Description rdf:ID="a b"/>`, `<rdf:Description rdf:aboutEach="x"/>`,
		`<rdf:li/>`, `<rdf:Description><rdf:Description/></rdf:Description>`, `<rdf:Description rdf:ID="a"/><rdf:Description rdf:ID="a"/>`,
		`<rdf:Description rdf:about="a" rdf:nodeID="b"/>`, `text`, `<e:C>text</e:C>`, `<e:C><e:p>text<e:D/></e:p></e:C>`,
		`<e:C><e:p rdf:parseType="Literal" rdf:resource="x"/></e:C>`, `<u:C/>`, `<C xmlns=""/>`, `<e:C>`, "<e:C e:p='\xff'/>", `<e:C e:p="&unknown;"/>`,
		`<e:C xml:lang="not a tag"/>`, `<e:C><e:p rdf:datatype="x"><e:D/></e:p></e:C>`, `<e:C></e:D>`, `</rdf:RDF><e:C>`, `</rdf:RDF>`,
	} {
		_, err := readAll([]byte(xmlHead+body+`</rdf:RDF>`), RDFXML, "")
		var fault *SyntaxError
		if !errors.As(err, &fault) {
			t.Errorf("%s: got %v", body, err)
		}
	}
}

func TestRDFXMLTakesEntitiesFromTheDoctype(t *testing.T) {
	t.Parallel()
	doc := `<!DOCTYPE rdf:RDF [ <!ENTITY e "http://e/"> <!ENTITY f "&e;f#"> ]><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="&e;"><e:C rdf:about="&f;x"/></rdf:RDF>`
	got, err := readAll([]byte(doc), RDFXML, "")
	if err != nil || len(got) != 1 || got[0].Subject.Value != "http://e/f#x" {
		t.Fatalf("got %v, %v", got, err)
	}
}

// knakkXML reads a document with the library that is the oracle of these tests.
func knakkXML(doc string) (quads []Quad, err error) {
	d := knakk.NewTripleDecoder(strings.NewReader(doc), knakk.RDFXML)
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

func knakkTerm(t knakk.Term) rdf.Term {
	var out rdf.Term
	_ = readLines(bytes.NewReader([]byte("<s:> <p:> "+strings.TrimSpace(t.Serialize(knakk.NTriples))+" .")), false, func(q Quad) error {
		out = q.Object
		return nil
	})
	return out
}

// TestRDFXMLAgreesWithTheLibrary compares on documents without what the library is known to get wrong: relative
// references and XML literals.
func TestRDFXMLAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	head := `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">`
	for _, body := range []string{
		`<e:A rdf:about="http://a"><e:p>x</e:p><e:p xml:lang="en">y</e:p><e:q rdf:resource="http://b"/></e:A>`,
		`<rdf:Description rdf:about="http://a" e:p="1" e:q="2"/>`,
		`<e:A rdf:nodeID="n1"><e:p rdf:nodeID="n2"/></e:A><rdf:Description rdf:nodeID="n2"><e:q rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">7</e:q></rdf:Description>`,
		`<rdf:Seq rdf:about="http://a"><rdf:li>1</rdf:li><rdf:li>2</rdf:li><rdf:_9>3</rdf:_9></rdf:Seq>`,
		`<e:A rdf:about="http://a"><e:l rdf:parseType="Collection"><rdf:Description rdf:about="http://b"/><rdf:Description rdf:about="http://c"/></e:l></e:A>`,
		`<e:A rdf:about="http://a"><e:r rdf:parseType="Resource"><e:p>1</e:p><e:q>2</e:q></e:r></e:A>`,
	} {
		doc := head + body + `</rdf:RDF>`
		got, err := readAll([]byte(doc), RDFXML, "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := knakkXML(doc)
		if err != nil {
			t.Fatalf("%s: the library says %v", body, err)
		}
		if !isomorphism.Same(got, want) {
			t.Errorf("%s: got\n%v\nwant\n%v", body, got, want)
		}
	}
}
