package loader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	knakk "github.com/knakk/rdf"
	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/isomorphism"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func TestFaultsOfLinesSayWhereAndWhat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		doc          string
		line, column int
		message      string
	}{
		{"<http://s> <http://p> \"x\" .\n<http://s> <http://p> <http://o>\n", 2, 33, "expected '.'"},
		{"<http://s> <http://p> <o> .", 1, 23, "absolute IRI"},
		{"<http://s> _:p <http://o> .", 1, 12, "a predicate"},
		{"\"s\" <http://p> <http://o> .", 1, 1, "a subject"},
		{"\r\n# comment\r\n<http://s> <http://é p> \"x\" .", 3, 21, "character of an IRI"},
		{"<http://s> <http://p> \"\\ud800\" .", 1, 24, "surrogate"},
		{"<http://s> <http://p> \"a\nb\" .", 1, 25, "expected '\"'"},
		{"<http://s> <http://p> \"a\xff\" .", 1, 25, "UTF-8"},
		{"<http://s> <http://p> \"a\"@1 .", 1, 27, "language tag"},
		{"<http://s> <http://p> \"a\"^^http://d .", 1, 28, "datatype"},
		{"<http://s> <http://p> _:a:b .", 1, 26, "label"},
		{"<http://s> <http://p> <http://o> . extra", 1, 36, "end of the line"},
		{"<http://s\\u0020> <http://p> <http://o> .", 1, 10, "escape for"},
		{"<http://s> <http://p> \"\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .", 1, 27, "rdf:langString"},
	} {
		_, err := readAll([]byte(test.doc), NTriples, "")
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

func TestLiteralsHaveOneForm(t *testing.T) {
	t.Parallel()
	doc := `<s:> <p:> "a\u00e9\n\"\\" . <s:>`
	quads, err := readAll([]byte(strings.ReplaceAll(doc, ". <s:>", ".\n<s:>")+` <p:> "x"^^<http://www.w3.org/2001/XMLSchema#string> .`), NTriples, "")
	if err != nil {
		t.Fatal(err)
	}
	if quads[0].Object != rdf.NewString("aé\n\"\\") || quads[1].Object != rdf.NewString("x") {
		t.Fatalf("got %v", quads)
	}
}

// TestBlocksDoNotMatter reads documents through a reader that gives a few bytes at a time.
func TestBlocksDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for _, q := range randomQuads(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 40).Draw(t, "quads"), 50) {
			lines = append(lines, fmt.Sprintf("%v %v %v .", q.Subject, q.Predicate, q.Object))
		}
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "end of line")
		doc := strings.Join(lines, end)
		want, err := readAll([]byte(strings.Join(lines, "\n")), NTriples, "")
		if err != nil {
			t.Fatal(err)
		}
		step := rapid.IntRange(1, 50).Draw(t, "step")
		for _, format := range []Format{NTriples, Turtle} {
			var got []Quad
			err = Read(&slowReader{[]byte(doc), step}, format, "", func(q Quad) error { got = append(got, q); return nil })
			if err != nil || !isomorphism.Same(got, want) {
				t.Fatalf("%s: %d quads of %d, %v", format, len(got), len(want), err)
			}
		}
	})
}

type slowReader struct {
	rest []byte
	step int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.step)], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// knakkLines reads N-Triples with the library that is the oracle of these tests.
func knakkLines(doc []byte) (quads []Quad, err error) {
	d := knakk.NewTripleDecoder(bytes.NewReader(doc), knakk.NTriples)
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

// FuzzLines compares the scanner with the library, one line at a time: what the scanner accepts, the library must read
// as the same triple. What the library accepts and the scanner does not is its known laxity (labels, escapes, UTF-8).
func FuzzLines(f *testing.F) {
	for _, line := range []string{
		`<http://s> <http://p> <http://o> .`, `_:a <http://p> _:b.c . # x`, `<http://s> <http://p> "é\u00E9\n"@en-GB .`,
		`<http://s><http://p>"1"^^<http://www.w3.org/2001/XMLSchema#integer>.`, `# only a comment`, ``, `<s:\U0001F600> <p:> "\t\b\f\r\"\'\\" .`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\r\n") {
			return
		}
		got, err := readAll(line, NTriples, "")
		if err != nil {
			var fault *SyntaxError
			if !errors.As(err, &fault) || fault.Line != 1 || fault.Column < 1 {
				t.Fatalf("%q: not a fault with a place: %v", line, err)
			}
			return
		}
		if !bytes.ContainsAny(line, "\v\f") && len(got) == 1 {
			// Canonical output must read back as the same quad.
			again, err := readAll([]byte(fmt.Sprintf("%v %v %v .", got[0].Subject, got[0].Predicate, got[0].Object)), NTriples, "")
			if err != nil || len(again) != 1 || again[0] != got[0] {
				t.Fatalf("%q: read as %v, then as %v, %v", line, got, again, err)
			}
			want, err := knakkLines(line)
			if err != nil {
				return // the library refuses some that the grammar allows, such as white space before a tag
			}
			if len(want) != 1 || want[0] != got[0] {
				t.Fatalf("%q: read as %v, by the library as %v", line, got, want)
			}
		}
	})
}

// FuzzEncoder compares the bulk loader's way through a line with the scanner's.
func FuzzEncoder(f *testing.F) {
	f.Add([]byte("<http://s> <http://p> <http://o> .\n<http://s> <http://p> \"x\"@en .\n<http://s> <http://p> \"x\"^^<http://d> .\n"))
	f.Add([]byte("<http://s> <http://p> \"a\\n\" .\r\n<http://s> <http://p> <o> .\n_:a <http://p> _:a .\n<http://s> <http://p> \"\" <http://g> ."))
	f.Fuzz(func(t *testing.T, doc []byte) {
		want, wantErr := readAll(doc, NQuads, "")
		got, gotErr := encodeAll(t, doc)
		if (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
			t.Fatalf("%q: the scanner says %v, the encoder %v", doc, wantErr, gotErr)
		}
		if wantErr == nil && !sameLists(got, want) {
			t.Fatalf("%q: the scanner reads %v, the encoder %v", doc, want, got)
		}
	})
}

// sameLists compares quads whose blank nodes have the same labels.
func sameLists(a, b []Quad) bool {
	count := map[Quad]int{}
	for _, q := range a {
		count[q]++
	}
	for _, q := range b {
		count[q]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// encodeAll runs a document through an encoder, twice, so that the second time every term is known.
func encodeAll(t *testing.T, doc []byte) (quads []Quad, err error) {
	m := newMemory(1)
	defer m.releaseAll()
	triples := &tripleList{memory: m, width: 4, budget: 1 << 30}
	e := &encoder{terms: newTermTable(m), names: newPredicates(), triples: triples, classes: map[uint32]uint32{}}
	for range 2 {
		if e.rows, err = triples.fresh(); err != nil {
			t.Fatal(err)
		}
		e.begin("", true)
		blocks := newBlockReader(bytes.NewReader(doc))
		for {
			b, readErr := blocks.next(nil)
			if readErr == io.EOF {
				break
			}
			if err = e.block(b, func(fault SyntaxError) error { return &fault }); err != nil {
				return nil, err
			}
		}
		quads = quads[:0]
		for rows := e.rows; len(rows) > 0; rows = rows[4:] {
			q := Quad{Subject: e.termOf(rows[0]), Predicate: termOf([]byte(e.names.keys[rows[1]])), Object: e.termOf(rows[2])}
			if rows[3] != defaultGraph {
				q.Graph = e.termOf(rows[3])
			}
			quads = append(quads, q)
		}
	}
	return quads, nil
}

func (e *encoder) termOf(id uint32) (t rdf.Term) {
	id -= e.terms.base
	e.terms.shards[id%tableShards].each(func(_ uint64, number uint32, key []byte) {
		if number == id/tableShards {
			t = termOf(key)
		}
	})
	return t
}
