package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/dictionary"
	"github.com/rdfgpu/rdfgpu/internal/rdf"
	"github.com/rdfgpu/rdfgpu/internal/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// terms is a Decoder over a slice.
type terms []rdf.Term

func (t terms) AppendNTriples(dst []byte, id ID) []byte { return rdf.AppendNTriples(dst, t[id]) }

func (t terms) AppendText(dst []byte, id ID) ([]byte, string) {
	return append(dst, t[id].Value...), t[id].Sort()
}

const none = dictionary.None

var sample = terms{
	rdf.NewIRI("http://example.org/s"),
	rdf.NewBlank("b0"),
	rdf.NewString(`say "hi", \o/`),
	rdf.NewString("tab\tline\nreturn\rend"),
	rdf.NewLangString("Straße <&>", "de"),
	rdf.NewTyped("42", rdf.XSDInteger),
	rdf.NewTyped("4.20", rdf.XSDDecimal),
	rdf.NewTyped("1e6", rdf.XSDDouble),
	rdf.NewTyped("042x", rdf.XSDInteger),
	rdf.NewTyped("2026-01-01", rdf.XSDDate),
	rdf.NewString(""),
	rdf.NewTyped("true", rdf.XSDBoolean),
}

func write(t testing.TB, format Format, variables []string, d Decoder, options Options, batches ...[][]ID) string {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, format, variables, d, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, cols := range batches {
		if err := w.Write(cols, len(cols[0])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestEachFormatWritesItsSyntax(t *testing.T) {
	cols := [][]ID{{0, 1, 2}, {5, none, 4}}
	cases := []struct {
		format Format
		want   string
	}{
		{JSON, `{"head":{"vars":["x","y"]},"results":{"bindings":[
{"x":{"type":"uri","value":"http://example.org/s"},"y":{"type":"literal","value":"42","datatype":"http://www.w3.org/2001/XMLSchema#integer"}},
{"x":{"type":"bnode","value":"b0"}},
{"x":{"type":"literal","value":"say \"hi\", \\o/"},"y":{"type":"literal","value":"Straße <&>","xml:lang":"de"}}
]}}
`},
		{CSV, "x,y\r\nhttp://example.org/s,42\r\n_:b0,\r\n\"say \"\"hi\"\", \\o/\",Straße <&>\r\n"},
		{TSV, "?x\t?y\n<http://example.org/s>\t42\n_:b0\t\n\"say \\\"hi\\\", \\\\o/\"\t\"Straße <&>\"@de\n"},
		{XML, `<?xml version="1.0" encoding="UTF-8"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head><variable name="x"/><variable name="y"/></head>
<results>
<result><binding name="x"><uri>http://example.org/s</uri></binding><binding name="y"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">42</literal></binding></result>
<result><binding name="x"><bnode>b0</bnode></binding></result>
<result><binding name="x"><literal>say &quot;hi&quot;, \o/</literal></binding><binding name="y"><literal xml:lang="de">Straße &lt;&amp;&gt;</literal></binding></result>
</results>
</sparql>
`},
		{TableText, `x                       y
──────────────────────  ───────────────
<http://example.org/s>  42
_:b0
"say \"hi\", \\o/"      "Straße <&>"@de
`},
	}
	for _, c := range cases {
		t.Run(string(c.format), func(t *testing.T) {
			if got := write(t, c.format, []string{"x", "y"}, sample, Options{}, cols); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestTriplesAreWrittenAsNTriplesAndTurtle(t *testing.T) {
	d := terms{rdf.NewIRI("http://a/s"), rdf.NewIRI("http://a/p"), rdf.NewIRI(rdf.RDFType), rdf.NewIRI("http://a/q.r"),
		rdf.NewTyped("1", rdf.XSDInteger), rdf.NewTyped("x", "http://a/dt"), rdf.NewBlank("b")}
	cols := [][]ID{{0, 6, 0, 0}, {1, 2, 1, 2}, {4, 3, 5, 3}}
	want := `<http://a/s> <http://a/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:b <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a/q.r> .
<http://a/s> <http://a/p> "x"^^<http://a/dt> .
<http://a/s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a/q.r> .
`
	if got := write(t, NTriples, nil, d, Options{}, cols); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = `@prefix : <http://a/> .

:s :p 1, "x"^^:dt ;
    a :q.r .
_:b a :q.r .
`
	if got := write(t, Turtle, nil, d, Options{Prefixes: map[string]string{"": "http://a/"}}, cols); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestATableIsCutToTheTerminal(t *testing.T) {
	d := terms{rdf.NewString("漢字漢字漢字漢字漢字漢字"), rdf.NewTyped("7", rdf.XSDInteger), rdf.NewTyped("1234", rdf.XSDInteger)}
	got := write(t, TableText, []string{"name", "n"}, d, Options{Width: 18}, [][]ID{{0, 0}, {1, 2}})
	want := "name             n\n────────────  ────\n\"漢字漢字漢…     7\n\"漢字漢字漢…  1234\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAnEmptyAnswerHasAHeadAndAnEnd(t *testing.T) {
	for _, format := range []Format{JSON, XML, TSV, CSV} {
		text := write(t, format, []string{"a", "b"}, sample, Options{})
		table, err := Read(strings.NewReader(text), format)
		if err != nil || len(table.Rows) != 0 || !slices.Equal(table.Variables, []string{"a", "b"}) {
			t.Errorf("%s: read back %v, %v", format, table, err)
		}
	}
}

func TestBooleansComeBack(t *testing.T) {
	for _, format := range []Format{JSON, XML, TSV, CSV} {
		for _, answer := range []bool{true, false} {
			var out bytes.Buffer
			if err := WriteBoolean(&out, format, answer); err != nil {
				t.Fatal(err)
			}
			table, err := Read(&out, format)
			if err != nil || !table.IsBoolean || table.Boolean != answer {
				t.Errorf("%s: read back %v, %v", format, table, err)
			}
		}
	}
	if err := WriteBoolean(&bytes.Buffer{}, Turtle, true); !errors.Is(err, ErrFormat) {
		t.Errorf("a boolean as Turtle: %v", err)
	}
}

// genTerm draws terms with awkward characters.
func genTerm() *rapid.Generator[rdf.Term] {
	text := rapid.StringOfN(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\t\n\r\"\\,<>&' é漢"))), 0, 12, -1)
	return rapid.Custom(func(r *rapid.T) rdf.Term {
		s := text.Draw(r, "text")
		switch rapid.IntRange(0, 4).Draw(r, "kind") {
		case 0:
			return rdf.NewIRI("http://e/" + s)
		case 1:
			return rdf.NewBlank(fmt.Sprintf("b%d", len(s)))
		case 2:
			return rdf.NewLangString(s, "en-GB")
		case 3:
			datatype := rapid.SampledFrom([]string{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, "http://e/\"d"}).Draw(r, "datatype")
			return rdf.NewTyped(rapid.SampledFrom([]string{"1", "+1.5", "-1e5", "01", "1.", ".5", "e5", s}).Draw(r, "number"), datatype)
		}
		return rdf.NewString(s)
	})
}

func TestAnswersComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := terms(rapid.SliceOfN(genTerm(), 1, 20).Draw(r, "terms"))
		columns := rapid.IntRange(1, 4).Draw(r, "columns")
		rows := rapid.SampledFrom([]int{0, 1, 3, 300, 9000}).Draw(r, "rows")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		var variables []string
		cols := make([][]ID, columns)
		for c := range cols {
			variables = append(variables, fmt.Sprintf("v%d", c))
			for range rows {
				id := ID(random.IntN(len(d) + 1))
				if int(id) == len(d) {
					id = none
				}
				cols[c] = append(cols[c], id)
			}
		}
		for _, format := range []Format{JSON, TSV, XML, CSV} {
			checkRoundTrip(r, format, variables, d, cols, rows)
		}
	})
}

// threads is the share of a query that has a pool for itself.
func threads(n int) *schedule.Share {
	share := schedule.New(n).Open(context.Background(), 0)
	share.Enter()
	return share
}

func checkRoundTrip(r *rapid.T, format Format, variables []string, d terms, cols [][]ID, rows int) {
	var out bytes.Buffer
	w, err := NewWriter(&out, format, variables, d, Options{Workers: threads(2)})
	if err != nil {
		r.Fatal(err)
	}
	for from := 0; from < rows; from += 700 {
		to := min(rows, from+700)
		part := make([][]ID, len(cols))
		for c := range cols {
			part[c] = slices.Clone(cols[c][from:to])
		}
		if err := w.Write(part, to-from); err != nil {
			r.Fatal(err)
		}
		for _, col := range part {
			clear(col)
		}
	}
	if err := w.Close(); err != nil {
		r.Fatal(err)
	}
	table, err := Read(&out, format)
	if err != nil || len(table.Rows) != rows || w.Rows() != uint64(rows) {
		r.Fatalf("%s: %d rows of %d read back: %v", format, len(table.Rows), rows, err)
	}
	for i, row := range table.Rows {
		for c, got := range row {
			var want rdf.Term
			if id := cols[c][i]; id != none {
				want = d[id]
			}
			if format == CSV {
				want, got = bare(want), bare(got)
			}
			if format == XML {
				want = xmlCarried(want)
			}
			if got != want {
				r.Fatalf("%s row %d: got %#v, want %#v", format, i, got, want)
			}
		}
	}
}

// bare is what CSV keeps of a term.
func bare(t rdf.Term) rdf.Term {
	if t.Kind == rdf.BlankNode || strings.HasPrefix(t.Value, "_:") {
		t.Value = "_:" + strings.TrimPrefix(t.Value, "_:")
	}
	return rdf.Term{Value: t.Value}
}

// xmlCarried replaces what XML cannot carry.
func xmlCarried(t rdf.Term) rdf.Term {
	t.Value = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, t.Value)
	if t.Kind == rdf.IRI {
		t.Value = strings.TrimSpace(t.Value)
	}
	return t
}

// failing fails after some bytes.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestAnOutputThatFailsEndsTheAnswer(t *testing.T) {
	cols := [][]ID{make([]ID, 5000)}
	for _, left := range []int{0, 10, 100_000, 1_000_000} {
		for _, format := range []Format{JSON, TSV, TableText, Turtle} {
			given := cols
			if format.Graph() {
				given = [][]ID{cols[0], cols[0], cols[0]}
			}
			w, err := NewWriter(&failing{left}, format, []string{"x"}, sample, Options{Workers: threads(2)})
			if err != nil {
				t.Fatal(err)
			}
			for range 50 {
				err = errors.Join(err, w.Write(given, 5000))
			}
			if err = errors.Join(err, w.Close()); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d: %v", format, left, err)
			}
		}
	}
}

func TestAnAbortedAnswerHasNoEnd(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out, JSON, []string{"x"}, sample, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([][]ID{{0}}, 1); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if strings.HasSuffix(out.String(), "]}}\n") || !strings.Contains(out.String(), "uri") {
		t.Errorf("got %s", out.String())
	}
}

func TestTheFirstRowsAreHandedOnAtOnce(t *testing.T) {
	var out bytes.Buffer
	w, _ := NewWriter(&out, TSV, []string{"x"}, sample, Options{})
	if err := w.Write([][]ID{{0}}, 1); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "example") {
		t.Error("nothing has been written")
	}
	w.Close()
}

func TestAFlushHandsOnWhatIsThere(t *testing.T) {
	for _, format := range []Format{TSV, TableText} {
		for _, rows := range []int{3, 6000} {
			var out syncBuffer
			w, err := NewWriter(&out, format, []string{"x"}, sample, Options{Workers: threads(2)})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := w.Write([][]ID{make([]ID, rows)}, rows); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			for start := time.Now(); out.lines() < 2*rows; {
				if time.Since(start) > 5*time.Second {
					t.Fatalf("%s: %d lines of %d rows have left", format, out.lines(), 2*rows)
				}
				time.Sleep(time.Millisecond)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// syncBuffer counts the lines that other goroutines write.
type syncBuffer struct{ n atomic.Int64 }

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.n.Add(int64(bytes.Count(p, []byte("\n"))))
	return len(p), nil
}

func (s *syncBuffer) lines() int { return int(s.n.Load()) }

func FuzzRead(f *testing.F) {
	for _, format := range []Format{JSON, XML, TSV, CSV} {
		f.Add(string(format), []byte(write(f, format, []string{"x", "y"}, sample, Options{}, [][]ID{{0, 1, 2, 3}, {4, 5, 6, none}})))
	}
	f.Fuzz(func(t *testing.T, format string, text []byte) {
		table, err := Read(bytes.NewReader(text), Format(format))
		if err != nil {
			return
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Variables) {
				t.Fatal("a row has another width than the head")
			}
		}
	})
}

// BenchmarkWrite writes 440,016 rows of four IRI columns with 7,000 different IRIs.
func BenchmarkWrite(b *testing.B) {
	const rows, vertices = 440_016, 7_000
	d := make(terms, vertices)
	for i := range d {
		d[i] = rdf.NewIRI(fmt.Sprintf("urn:v:%d", i))
	}
	random := rand.New(rand.NewPCG(1, 2))
	cols := make([][]ID, 4)
	for c := range cols {
		for range rows {
			cols[c] = append(cols[c], ID(random.IntN(vertices)))
		}
	}
	for _, format := range []Format{TSV, Arrow, CSV, JSON, XML} {
		b.Run(string(format), func(b *testing.B) { benchmarkWrite(b, format, d, cols, rows) })
	}
	b.Run("ntriples", func(b *testing.B) { benchmarkWrite(b, NTriples, d, cols[:3], rows) })
	b.Run("turtle", func(b *testing.B) { benchmarkWrite(b, Turtle, d, cols[:3], rows) })
}

type counting struct{ bytes int64 }

func (c *counting) Write(p []byte) (int, error) { c.bytes += int64(len(p)); return len(p), nil }

func benchmarkWrite(b *testing.B, format Format, d terms, cols [][]ID, rows int) {
	b.ReportAllocs()
	var out counting
	for b.Loop() {
		out.bytes = 0
		w, err := NewWriter(&out, format, []string{"a", "b", "c", "d"}, d, Options{Workers: threads(0)})
		if err != nil {
			b.Fatal(err)
		}
		part := make([][]ID, len(cols))
		for from := 0; from < rows; from += 4096 {
			to := min(rows, from+4096)
			for c := range cols {
				part[c] = cols[c][from:to]
			}
			if err := w.Write(part, to-from); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(out.bytes)
}

func TestTriplesAreWrittenAsRDFXML(t *testing.T) {
	d := terms{rdf.NewIRI("http://a/s?x&y"), rdf.NewIRI("http://a/p-1"), rdf.NewLangString("a<b", "en"), rdf.NewBlank("7"),
		rdf.NewTyped("1", rdf.XSDInteger), rdf.NewIRI("http://a/123")}
	got := write(t, RDFXML, nil, d, Options{}, [][]ID{{0, 3, 0}, {1, 1, 1}, {2, 0, 4}})
	want := rdfxmlHead + `<rdf:Description rdf:about="http://a/s?x&amp;y">
  <p:p-1 xmlns:p="http://a/" xml:lang="en">a&lt;b</p:p-1>
  <p:p-1 xmlns:p="http://a/" rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">1</p:p-1>
</rdf:Description>
<rdf:Description rdf:nodeID="n7">
  <p:p-1 xmlns:p="http://a/" rdf:resource="http://a/s?x&amp;y"/>
</rdf:Description>
</rdf:RDF>
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w, _ := NewWriter(&bytes.Buffer{}, RDFXML, nil, d, Options{})
	w.Write([][]ID{{0}, {5}, {0}}, 1)
	if err := w.Close(); !errors.Is(err, ErrFormat) {
		t.Errorf("a predicate without a name: %v", err)
	}
}

// largestWrite keeps the length of the longest text that it was given at once.
type largestWrite int

func (l *largestWrite) Write(b []byte) (int, error) {
	*l = max(*l, largestWrite(len(b)))
	return len(b), nil
}

// TestLongNamesLeaveInTheMiddleOfRows: a name stands in each row, beside terms that the cache has.
func TestLongNamesLeaveInTheMiddleOfRows(t *testing.T) {
	const batches, name = 8, 40_000
	for _, format := range []Format{JSON, XML} {
		var longest largestWrite
		w, err := NewWriter(&longest, format, []string{strings.Repeat("a", name)}, sample, Options{Workers: threads(2)})
		if err != nil {
			t.Fatal(err)
		}
		column := make([]ID, 4096)
		for range batches {
			if err := w.Write([][]ID{column}, len(column)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if longest > 2*longText {
			t.Errorf("%s: %d bytes at once", format, longest)
		}
	}
}

func TestAFailedAnswerKeepsNoText(t *testing.T) {
	t.Parallel()
	refused := errors.New("no memory is left")
	charge := func(bytes int64) error {
		if bytes > longText {
			return refused
		}
		return nil
	}
	name := strings.Repeat("n", 100_000)
	ids := make([]ID, 2000) // 200 MB of names
	for _, format := range []Format{JSON, XML} {
		w, err := NewWriter(io.Discard, format, []string{name}, sample, Options{Charge: charge})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write([][]ID{ids}, len(ids)); !errors.Is(err, refused) {
			t.Errorf("%s: %v", format, err)
		}
		if cap(w.buf) > 8*longText {
			t.Errorf("%s: %d bytes of text that nobody will read", format, cap(w.buf))
		}
		w.Abort()
	}
}

// TestATableHoldsLittle: rows of long terms are handed on in pieces and counted, and one long term does not make all rows as long.
func TestATableHoldsLittle(t *testing.T) {
	t.Parallel()
	long, short := slices.Repeat([]ID{0}, 3), slices.Repeat([]ID{1}, 3)
	d := terms{rdf.NewString(strings.Repeat("a", 300_000)), rdf.NewString("b")}
	var longest largestWrite
	var out counting
	var held, most int64
	charge := func(bytes int64) error {
		held += bytes
		most = max(most, held)
		return nil
	}
	w, err := NewWriter(io.MultiWriter(&longest, &out), TableText, []string{"a", "b", "c"}, d, Options{Charge: charge})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if err := errors.Join(w.Write([][]ID{long, short, long}, 3), w.Write([][]ID{short, short, short}, 3)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if longest > 2*longText {
		t.Errorf("%d bytes at once", longest)
	}
	if most < pageText || most > 16*pageText || held != 0 {
		t.Errorf("%d bytes counted, %d not given back", most, held)
	}
	if text := int64(100 * 3 * 2 * 300_000); out.bytes > text+600*4*mostFilled {
		t.Errorf("%d bytes for a text of %d", out.bytes, text)
	}
	refused := errors.New("the time is over")
	w, err = NewWriter(io.Discard, TableText, []string{"a", "b", "c"}, d, Options{Charge: func(int64) error { return refused }})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([][]ID{long, short, long}, 3); !errors.Is(err, refused) {
		t.Errorf("within a page: %v", err)
	}
	w.Abort()
}
