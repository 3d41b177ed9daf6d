package parser

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

// updateGenerator draws operations.
type updateGenerator struct{ t *rapid.T }

func (g updateGenerator) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "n") }

func (g updateGenerator) update() *Update {
	u := &Update{}
	for range g.pick(5) {
		u.Operations = append(u.Operations, g.operation(len(u.Operations)))
	}
	return u
}

func (g updateGenerator) operation(number int) Operation {
	silent := rapid.Bool().Draw(g.t, "silent")
	switch g.pick(12) {
	case 0, 1:
		return &InsertData{Data: g.data(fmt.Sprint("u", number))}
	case 2:
		return &DeleteData{Data: g.data("")}
	case 3:
		return &Load{Silent: silent, Source: g.iri().Value, Into: g.graph()}
	case 4:
		return &Clear{Silent: silent, Graphs: g.refAll()}
	case 5:
		return &Drop{Silent: silent, Graphs: g.refAll()}
	case 6:
		return &Create{Silent: silent, Graph: g.iri()}
	case 7:
		return &Copy{Silent: silent, From: g.graph(), To: g.graph()}
	case 8:
		return &Move{Silent: silent, From: g.graph(), To: g.graph()}
	case 9:
		return &Add{Silent: silent, From: g.graph(), To: g.graph()}
	}
	return g.modify(number)
}

func (g updateGenerator) iri() rdf.Term {
	return rdf.NewIRI([]string{"http://e/a", "http://e/b#c", "urn:x:y", "http://e/%41é?q=(1)", "a:"}[g.pick(5)])
}

func (g updateGenerator) graph() rdf.Term {
	if g.pick(3) == 0 {
		return rdf.Term{}
	}
	return g.iri()
}

func (g updateGenerator) refAll() GraphRefAll {
	kind := GraphRefKind(g.pick(4))
	if kind == GraphRefOne {
		return GraphRefAll{Graph: g.iri()}
	}
	return GraphRefAll{Kind: kind}
}

// object draws a term; blank nodes only where there is a prefix for their labels.
func (g updateGenerator) object(blanks string) rdf.Term {
	text := rapid.StringMatching(`[a-z"'\\\n\r\té{}?$ ]{0,6}`).Draw(g.t, "text")
	switch n := g.pick(7); {
	case n == 0 && blanks != "":
		return rdf.NewBlank(blanks + fmt.Sprint(g.pick(3)))
	case n == 1:
		return rdf.NewString(text)
	case n == 2:
		return rdf.NewLangString(text, "de-AT")
	case n == 3:
		return rdf.NewTyped(text, g.iri().Value)
	case n == 4:
		return rdf.NewTyped("-1", rdf.XSDInteger)
	}
	return g.iri()
}

func (g updateGenerator) subject(blanks string) rdf.Term {
	if blanks != "" && g.pick(3) == 0 {
		return rdf.NewBlank(blanks + fmt.Sprint(g.pick(3)))
	}
	return g.iri()
}

func (g updateGenerator) data(blanks string) Data {
	d := Data{Terms: make([]rdf.Term, 1)}
	place := func(t rdf.Term) uint32 {
		d.Terms = append(d.Terms, t)
		return uint32(len(d.Terms) - 1)
	}
	for range g.pick(6) {
		q := DataQuad{Subject: place(g.subject(blanks)), Predicate: place(g.iri()), Object: place(g.object(blanks))}
		if graph := g.graph(); !graph.IsZero() {
			q.Graph = place(graph)
		}
		d.Quads = append(d.Quads, q)
	}
	return d
}

func (g updateGenerator) pattern(t rdf.Term) PatternTerm {
	if g.pick(2) == 0 {
		return PatternTerm{Variable: []string{"a", "b", "é_1"}[g.pick(3)]}
	}
	return PatternTerm{Term: t}
}

func (g updateGenerator) quads(blanks string) (list []QuadPattern) {
	for range g.pick(5) {
		q := QuadPattern{TriplePattern: TriplePattern{g.pattern(g.subject(blanks)), g.pattern(g.iri()), g.pattern(g.object(blanks))}}
		if g.pick(2) == 0 {
			q.Graph = g.pattern(g.iri())
		}
		list = append(list, q)
	}
	return list
}

// modify takes the pattern from text: the algebra is not printed as SPARQL.
func (g updateGenerator) modify(number int) Operation {
	where := []string{
		"{}", "{ ?a ?b ?é_1 }", "{ ?a <p>*/^<q> [] OPTIONAL { ?b a 'x\\n\"'@en FILTER(?b IN (1, -2.5, <http://e/>)) } }",
		"{ { SELECT (COUNT(*) AS ?a) { GRAPH ?b { _:%d ?b 1e0 } } } MINUS { ?é_1 !(a|^<q>) ( 1 2 ) } }",
		"{ SELECT DISTINCT * { VALUES (?a ?b) { (UNDEF true) (<x> \"\"\"a\"b\"\"\"^^<t>) } } ORDER BY DESC(?a) LIMIT 1 }",
	}[g.pick(5)]
	base := ""
	if rapid.Bool().Draw(g.t, "base") {
		base = "BASE <http://base/> "
	}
	u, err := ParseUpdate(g.t.Context(), base+"INSERT {} WHERE "+strings.ReplaceAll(where, "%d", fmt.Sprint("x", number)), Options{Base: "http://e/"})
	if err != nil {
		g.t.Fatal(err)
	}
	m := u.Operations[0].(*Modify)
	m.With, m.Delete, m.Insert = g.graph(), g.quads(""), g.quads("a")
	for range g.pick(3) {
		m.Using = append(m.Using, g.iri().Value)
	}
	for range g.pick(3) {
		m.UsingNamed = append(m.UsingNamed, g.iri().Value)
	}
	return m
}

// comparableOperation is an operation without what printing does not keep: its place and the labels of its blank nodes.
func comparableOperation(o Operation) any {
	labels := map[string]string{}
	rename := func(t rdf.Term) rdf.Term {
		if t.Kind == rdf.BlankNode {
			if labels[t.Value] == "" {
				labels[t.Value] = fmt.Sprint(len(labels))
			}
			t.Value = labels[t.Value]
		}
		return t
	}
	data := func(d *Data) (list []rdf.Quad) {
		for q := range d.All() {
			list = append(list, rdf.Quad{Subject: rename(q.Subject), Predicate: q.Predicate, Object: rename(q.Object), Graph: q.Graph})
		}
		return list
	}
	switch o := o.(type) {
	case *InsertData:
		return data(&o.Data)
	case *DeleteData:
		return [2]any{"delete", data(&o.Data)}
	case *Modify:
		m := *o
		m.Position, m.Where, m.Text, m.Insert = Position{}, nil, blankless(FormatNode(o.Where)), slices.Clone(o.Insert)
		for i := range m.Insert {
			m.Insert[i].Subject.Term, m.Insert[i].Object.Term = rename(m.Insert[i].Subject.Term), rename(m.Insert[i].Object.Term)
		}
		return m
	}
	copied := reflect.New(reflect.TypeOf(o).Elem())
	copied.Elem().Set(reflect.ValueOf(o).Elem())
	copied.Elem().FieldByName("Position").SetZero()
	return copied.Interface()
}

func comparableUpdate(u *Update) (list []any) {
	for _, o := range u.Operations {
		list = append(list, comparableOperation(o))
	}
	return list
}

// TestPrintedUpdatesParseToTheSame: up to the labels of blank nodes; and what is printed again is the same text.
func TestPrintedUpdatesParseToTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := updateGenerator{t}.update()
		text := u.String()
		again, err := ParseUpdate(t.Context(), text, Options{Base: "http://e/"})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if twice := again.String(); twice != text {
			t.Fatalf("printed as\n%s\nand then as\n%s", text, twice)
		}
		if got, want := comparableUpdate(again), comparableUpdate(u); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\n got %+v\nwant %+v", text, got, want)
		}
	})
}

func FuzzParseUpdate(f *testing.F) {
	for _, seed := range []string{
		`PREFIX : <x:> INSERT DATA { :a :b 1, [ :c (1 "x"@en) ] GRAPH :g { _:x a :C } } ; DELETE DATA { :a :b () } ;`,
		`WITH <g> DELETE { ?s ?p ?o } INSERT { GRAPH ?g { ?s ?p _:b } } USING <u> USING NAMED <v> WHERE { ?s ?p ?o FILTER EXISTS { ?o a ?g } }`,
		`DELETE WHERE { ?s ?p ?o GRAPH ?g { ?s ?q 1 } };LOAD SILENT <x> INTO GRAPH <y>; DROP ALL; CREATE GRAPH <g>`,
		`COPY DEFAULT TO <x>; MOVE SILENT GRAPH <x> TO <y>; ADD <x> TO DEFAULT; CLEAR SILENT NAMED; \u0049NSERT {} WHERE {}`,
	} {
		f.Add(seed)
	}
	for _, seed := range append(w3cTexts(".ru"), w3cTexts(".rq")...) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		var used int64
		options := Options{Base: "http://example.org/", Prefixes: map[string]string{"": "http://e/"}, Charge: func(n int64) error {
			if used += n; used < 0 || used > int64(len(text)+100)*1000 {
				t.Errorf("charged %d for %d bytes", used, len(text))
			}
			return nil
		}}
		u, err := ParseUpdate(t.Context(), text, options)
		if took := time.Since(start); took > 5*time.Second {
			t.Fatalf("took %v", took)
		}
		if err == nil {
			checkPrinted(t, u, options)
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%T: %v", err, err)
		}
		lines := strings.Split(text, "\n")
		if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > len([]rune(lines[e.Line-1]))+1 {
			t.Fatalf("%q: position %d:%d is outside of the update", text, e.Line, e.Column)
		}
	})
}

// checkPrinted parses an update's text. Its limit of nesting and its positions are its own.
func checkPrinted(t *testing.T, u *Update, options Options) {
	text := u.String()
	options.Charge = nil
	again, err := ParseUpdate(t.Context(), text, options)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got, want := comparableUpdate(again), comparableUpdate(u); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s\n got %+v\nwant %+v", text, got, want)
	}
}
