package readback

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var formats = []results.Format{results.NTriples, results.Turtle}

// terms is a results.Decoder over a slice.
type terms []rdf.Term

func (t terms) AppendNTriples(dst []byte, id dictionary.ID) []byte {
	return rdf.AppendNTriples(dst, t[id])
}

func (t terms) AppendText(dst []byte, id dictionary.ID) ([]byte, string) {
	return append(dst, t[id].Value...), t[id].Sort()
}

// write writes triples as a query's answer would be written.
func write(t testing.TB, format results.Format, triples []Triple) []byte {
	t.Helper()
	var text terms
	columns := make([][]dictionary.ID, 3)
	for _, triple := range triples {
		for c, term := range triple {
			columns[c] = append(columns[c], dictionary.ID(len(text)))
			text = append(text, term)
		}
	}
	var out bytes.Buffer
	w, err := results.NewWriter(&out, format, []string{"subject", "predicate", "object"}, text,
		results.Options{Prefixes: map[string]string{"e": "http://e/", "": "http://www.w3.org/2001/XMLSchema#"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(columns, len(triples)), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func graph(triples []Triple) Graph {
	g := Graph{}
	for _, t := range triples {
		g[t] = struct{}{}
	}
	return g
}

func TestWhatIsWrittenReadsBack(t *testing.T) {
	subject, predicate := rdf.NewIRI("http://e/s"), rdf.NewIRI("http://e/p")
	objects := []rdf.Term{
		rdf.NewIRI("http://e/a.b"), rdf.NewIRI("http://e/ü?x=1&y=2#f"), rdf.NewIRI("urn:x:y"), rdf.NewIRI("http://e/a(b)'c"),
		rdf.NewIRI("http://e/"), rdf.NewBlank("b0"), rdf.NewBlank("x.y-z"), rdf.NewBlank("0"), rdf.NewBlank("ä"),
		rdf.NewString(""), rdf.NewString(`say "hi", \o/ 'x'`), rdf.NewString("tab\tline\nreturn\rboth\r\nend"), rdf.NewString("a\u0001b"),
		rdf.NewString("<&>]]> ü 東 \U0001F600"), rdf.NewString(" spaces "), rdf.NewLangString("Straße", "de"), rdf.NewLangString("x", "de-CH-1996"),
		rdf.NewTyped("42", rdf.XSDInteger), rdf.NewTyped("042", rdf.XSDInteger), rdf.NewTyped("+7", rdf.XSDInteger), rdf.NewTyped("-7", rdf.XSDInteger),
		rdf.NewTyped("4.20", rdf.XSDDecimal), rdf.NewTyped("+.7", rdf.XSDDecimal), rdf.NewTyped(".5", rdf.XSDDecimal), rdf.NewTyped("-0.5", rdf.XSDDecimal),
		rdf.NewTyped("1e6", rdf.XSDDouble), rdf.NewTyped("1.5E-3", rdf.XSDDouble), rdf.NewTyped(".5e1", rdf.XSDDouble), rdf.NewTyped("INF", rdf.XSDDouble),
		rdf.NewTyped("042x", rdf.XSDInteger), rdf.NewTyped("true", rdf.XSDBoolean), rdf.NewTyped("1", rdf.XSDBoolean),
		rdf.NewTyped("2026-01-01", rdf.XSDDate), rdf.NewTyped("x", "http://e/type"),
	}
	for _, format := range formats {
		for _, object := range objects {
			triples := []Triple{{subject, predicate, object}, {rdf.NewBlank("b0"), rdf.NewIRI(rdf.RDFType), object}}
			text := write(t, format, triples)
			if err := graph(triples).Check(text, format); err != nil {
				t.Errorf("%s, %v: %v\n%s", format, object, err, text)
			}
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	var triples []Triple
	for i := range 10_000 {
		triples = append(triples, Triple{rdf.NewIRI(fmt.Sprintf("http://e/s%d", i/4)), rdf.NewIRI("http://e/p"), rdf.NewString(fmt.Sprintf("text %d", i))})
	}
	for _, format := range formats {
		text, g := write(b, format, triples), graph(triples)
		b.Run(string(format), func(b *testing.B) {
			for b.Loop() {
				if err := g.Check(text, format); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(triples))/b.Elapsed().Seconds(), "triples/s")
		})
	}
}

func TestADocumentThatSaysSomethingElseIsTold(t *testing.T) {
	wrong := func(format results.Format, document string) {
		t.Helper()
		g := graph([]Triple{{rdf.NewIRI("http://e/s"), rdf.NewIRI("http://e/p"), rdf.NewIRI("http://e/o")}})
		if err := g.Check([]byte(document), format); !errors.Is(err, ErrDiffers) {
			t.Errorf("%q: error %v, want ErrDiffers", document, err)
		}
	}
	const right = "<http://e/s> <http://e/p> <http://e/o> .\n"
	for _, document := range []string{
		"", right + "<http://e/s> <http://e/p> <http://e/x> .\n", "<http://e/s> <http://e/p> \"http://e/o\" .\n",
		right + "<http://e/s> <http://e/p> ", right + "<http://e/s> <http://e/p> \"a\xff\" .\n",
		right + "_:a..b <http://e/p> <http://e/o> .", "}" + right + right + right,
	} {
		wrong(results.NTriples, document)
		wrong(results.Turtle, document)
	}
	wrong(results.Turtle, right+"<s> <http://e/p> <http://e/o> .")
	for _, format := range []results.Format{results.JSON, results.RDFXML} {
		if _, err := Read(nil, format); !errors.Is(err, results.ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", format, err)
		}
	}
}
