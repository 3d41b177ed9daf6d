package parser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/rdf"
)

func mustParseUpdate(t testing.TB, text string) *Update {
	t.Helper()
	u, err := ParseUpdate(t.Context(), text, Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return u
}

// TestUpdates: what operations become, as text, which shows all but the algebra.
func TestUpdates(t *testing.T) {
	for _, c := range []struct{ name, update, want string }{
		{"nothing is an update", "", ""},
		{"and so is a prologue", "BASE <http://b/> PREFIX : <x>", ""},
		{"graphs and the default graph",
			`INSERT DATA { :a :b 1, 2 . GRAPH :g { :a a :c ; :d 'e'@en } GRAPH <h> {} . :a :b <c> }`,
			`INSERT DATA { :a :b 1 . :a :b 2 . GRAPH :g { :a rdf:type :c . :a :d "e"@en . } :a :b :c . }`},
		{"blank nodes and collections in data",
			`INSERT DATA { [ :p _:x ] :q (1 _:x) . _:x :r [] . () :s :t }`,
			`INSERT DATA { _:b1 :p _:b2 . _:b3 rdf:first 1 . _:b3 rdf:rest _:b4 . _:b4 rdf:first _:b2 . _:b4 rdf:rest rdf:nil . _:b1 :q _:b3 . _:b2 :r _:b5 . rdf:nil :s :t . }`},
		{"an empty collection may be deleted", `DELETE DATA { :a :b () }`, `DELETE DATA { :a :b rdf:nil . }`},
		{"prologues between operations add up",
			`PREFIX a: <http://x/> INSERT DATA { a:s <p> a:o } ; BASE <http://c/> PREFIX a: <y/> PREFIX z: <z> DELETE DATA { a:s <p> z: } ;`,
			`INSERT DATA { <http://x/s> :p <http://x/o> . } ; DELETE DATA { <http://c/y/s> <http://c/p> <http://c/z> . }`},
		{"a modification with everything",
			`WITH :g DELETE { ?s :p ?o } INSERT { GRAPH ?g { ?s :p _:x, [] } } USING :u USING NAMED :v WHERE { ?s :p ?g . ?s ?p ?o }`,
			`BASE <http://b/> WITH :g DELETE { ?s :p ?o . } INSERT { GRAPH ?g { ?s :p _:b1 . ?s :p _:b2 . } } USING :u USING NAMED :v WHERE { ?s :p ?g . ?s ?p ?o }`},
		{"the pattern of DELETE WHERE is its template",
			`DELETE WHERE { ?s :p ?o GRAPH ?g { ?s ?q 1 . ?o a ?c } }`,
			`BASE <http://b/> DELETE { ?s :p ?o . GRAPH ?g { ?s ?q 1 . ?o rdf:type ?c . } } WHERE { ?s :p ?o GRAPH ?g { ?s ?q 1 . ?o a ?c } }`},
		{"templates may be empty", `DELETE {} INSERT {} WHERE {}`, `BASE <http://b/> INSERT { } WHERE { }`},
		{"graphs are managed",
			`LOAD <x>; LOAD SILENT <x> INTO GRAPH <y>; CREATE GRAPH <g>; CREATE SILENT GRAPH <g>; CLEAR GRAPH <g>; CLEAR SILENT DEFAULT; DROP NAMED; DROP SILENT ALL`,
			`LOAD :x ; LOAD SILENT :x INTO GRAPH :y ; CREATE GRAPH :g ; CREATE SILENT GRAPH :g ; CLEAR GRAPH :g ; CLEAR SILENT DEFAULT ; DROP NAMED ; DROP SILENT ALL`},
		{"and copied",
			`COPY DEFAULT TO <x>; MOVE SILENT GRAPH <x> TO GRAPH <y>; ADD <x> TO DEFAULT; ADD DEFAULT TO DEFAULT`,
			`COPY DEFAULT TO GRAPH :x ; MOVE SILENT GRAPH :x TO GRAPH :y ; ADD GRAPH :x TO DEFAULT ; ADD DEFAULT TO DEFAULT`},
		{"tokens need no space between them",
			`INSERTDATA{<a><b>1GRAPH<g>{<a><b>true}};DELETEWHERE{?s?p?o};CLEARALL;COPYDEFAULTTO<x>`,
			`INSERT DATA { :a :b 1 . GRAPH :g { :a :b "true"^^xsd:boolean . } } ; BASE <http://b/> DELETE { ?s ?p ?o . } WHERE { ?s ?p ?o } ; CLEAR ALL ; COPY DEFAULT TO GRAPH :x`},
		{"two WHERE clauses may not share a label, but templates may",
			`INSERT { _:x :p 1 } WHERE { _:y :p ?o } ; INSERT { _:x :p 1 } WHERE { _:z :p ?o } ; INSERT DATA { _:x :p 1 }`,
			`BASE <http://b/> INSERT { _:b1 :p 1 . } WHERE { _:y :p ?o } ; INSERT { _:b2 :p 1 . } WHERE { _:z :p ?o } ; INSERT DATA { _:b3 :p 1 . }`},
	} {
		u, err := ParseUpdate(t.Context(), c.update, Options{Base: "http://b/", Prefixes: map[string]string{"": "http://b/"}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := shorten(u.String()); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// shorten writes a printed update in one line and with prefixes.
func shorten(text string) string {
	text = strings.NewReplacer("<http://www.w3.org/1999/02/22-rdf-syntax-ns#first>", "rdf:first", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest>", "rdf:rest",
		"<http://www.w3.org/1999/02/22-rdf-syntax-ns#nil>", "rdf:nil", "<"+rdf.RDFType+">", "rdf:type", "<"+rdf.XSDBoolean+">", "xsd:boolean",
		`"1"^^<`+rdf.XSDInteger+">", "1", `"2"^^<`+rdf.XSDInteger+">", "2", "BASE <http://b/>", "BASE <http://b/>").Replace(text)
	for _, name := range strings.Fields("a b c d e g h o p q r s t u v x y") {
		text = strings.ReplaceAll(text, "<http://b/"+name+">", ":"+name)
	}
	return strings.Join(strings.Fields(text), " ")
}

// TestTheAlgebraOfUpdates: WHERE is translated as in queries, DELETE WHERE as its pattern were a WHERE.
func TestTheAlgebraOfUpdates(t *testing.T) {
	const prologue = "PREFIX : <x:> "
	for update, query := range map[string]string{
		"INSERT { ?s :p ?n } WHERE { ?s :p/:q ?o OPTIONAL { ?o :r ?n FILTER(?n > 1) } }":                                 "{ ?s :p/:q ?o OPTIONAL { ?o :r ?n FILTER(?n > 1) } }",
		"DELETE { ?s ?p ?o } WHERE { { SELECT ?s (MAX(?n) AS ?o) { ?s ?p ?n } GROUP BY ?s } }":                           "{ { SELECT ?s (MAX(?n) AS ?o) { ?s ?p ?n } GROUP BY ?s } }",
		"INSERT {} WHERE { SELECT (COUNT(*) AS ?c) { GRAPH :g { ?s ?p ?o } } }":                                          "{ SELECT (COUNT(*) AS ?c) { GRAPH :g { ?s ?p ?o } } }",
		"DELETE WHERE { ?s ?p ?o . ?o :q 1 GRAPH ?g { ?s :r ?x } GRAPH :e {} . ?x a :C }":                                "{ ?s ?p ?o . ?o :q 1 GRAPH ?g { ?s :r ?x } GRAPH :e {} . ?x a :C }",
		"WITH :g DELETE { ?s :p ?o } WHERE { ?s :p ?o FILTER NOT EXISTS { ?s :q ?o } }":                                  "{ ?s :p ?o FILTER NOT EXISTS { ?s :q ?o } }",
		"INSERT { ?s :p ?z } USING :g WHERE { SERVICE :e { ?s :p ?o } BIND(IRI(?o) AS ?z) VALUES ?o { 1 UNDEF } }":       "{ SERVICE :e { ?s :p ?o } BIND(IRI(?o) AS ?z) VALUES ?o { 1 UNDEF } }",
		"INSERT DATA { :a :b :c } ; BASE <http://e/> DELETE { ?s ?p <o> } WHERE { ?s ?p [ :q <o> ] MINUS { ?s a <t> } }": "{ ?s ?p [ :q <http://e/o> ] MINUS { ?s a <http://e/t> } }",
	} {
		u := mustParseUpdate(t, prologue+update)
		m := u.Operations[len(u.Operations)-1].(*Modify)
		want := FormatNode(mustParse(t, prologue+"ASK "+query).Where)
		if got := FormatNode(m.Where); blankless(got) != blankless(want) {
			t.Errorf("%s:\n got %s\nwant %s", update, got, want)
		}
		if got := FormatNode(mustParse(t, "ASK "+m.Text).Where); blankless(got) != blankless(want) {
			t.Errorf("%s: the text %s is\n%s\nwant %s", update, m.Text, got, want)
		}
	}
}

// blankless takes the places out of the names of blank nodes, and the text of services, which knows prefixes.
func blankless(s string) string {
	return strings.NewReplacer("0", "", "1", "", "2", "", "3", "", "4", "", "5", "", "6", "", "7", "", "8", "", "9", "", "http://e/x:", "x:").Replace(s)
}

func TestSelectOfAModification(t *testing.T) {
	u := mustParseUpdate(t, `BASE <http://e/> DELETE { ?s ?p 1 } INSERT { GRAPH ?g { _:x ?p ?o } } USING <u> USING NAMED <n> WHERE { ?s ?p ?o, ?z GRAPH ?g {} }`)
	q := u.Operations[0].(*Modify).Select()
	if want := []string{"s", "p", "g", "o"}; !slices.Equal(q.Variables, want) || !slices.Equal(q.Where.(*Project).Variables, want) {
		t.Errorf("the templates have %v, the projection %v", q.Variables, q.Where)
	}
	if q.Form != Select || q.Base != "http://e/" || !slices.Equal(q.From, []string{"http://e/u"}) || !slices.Equal(q.FromNamed, []string{"http://e/n"}) {
		t.Errorf("%+v", q)
	}
}

func TestTheDatasetOfARequest(t *testing.T) {
	u := mustParseUpdate(t, "CLEAR ALL; DELETE WHERE { ?s ?p ?o }; INSERT {} WHERE {}")
	before := u.String()
	given, err := u.WithDataset([]string{"a", "b"}, []string{"c"})
	if err != nil || u.String() != before || strings.Count(given.String(), "USING <a>\nUSING <b>\nUSING NAMED <c>\n") != 2 {
		t.Errorf("%v\n%v", err, given)
	}
	for _, text := range []string{"WITH <g> INSERT {} WHERE {}", "INSERT {} USING <g> WHERE {}", "INSERT {} USING NAMED <g> WHERE {}"} {
		u := mustParseUpdate(t, "CLEAR ALL;\n "+text)
		if same, err := u.WithDataset(nil, nil); err != nil || same != u {
			t.Error(err)
		}
		const want = "line 2, column 2: this operation has WITH or USING, and the request names graphs too (do one or the other)"
		if _, err := u.WithDataset(nil, []string{"a"}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestOperationsKnowWhereTheyBegin(t *testing.T) {
	text := "# é\nPREFIX é: <x:>\n  INSERT DATA { é:a é:b '''\n''' } ; DELETE # c\n DATA { }\n; PREFIX x: <y:> \\u0049NSERT { } WHERE { ?\\u0061 ?b ?c }; CLEAR ALL;\n\nLOAD <x>"
	u := mustParseUpdate(t, text)
	var got []Position
	for _, o := range u.Operations {
		got = append(got, o.Start())
	}
	if want := []Position{{3, 3}, {4, 9}, {6, 18}, {6, 59}, {8, 1}}; !slices.Equal(got, want) {
		t.Errorf("operations begin at %v instead of %v", got, want)
	}
}

// TestDataKeepsTermsOnce: a term that comes again soon has the same place.
func TestDataKeepsTermsOnce(t *testing.T) {
	var text strings.Builder
	text.WriteString("PREFIX : <http://e/> INSERT DATA {")
	const count = 100_000
	for i := range count {
		fmt.Fprintf(&text, ":s%d :p%d 1 ; :q _:b%d .\n", i/10, i%7, i/2)
	}
	text.WriteString("}")
	d := mustParseUpdate(t, text.String()).Operations[0].(*InsertData).Data
	if len(d.Quads) != 2*count || len(d.Terms) > count {
		t.Errorf("%d quads of %d terms", len(d.Quads), len(d.Terms))
	}
	i := 0
	for q := range d.All() {
		want := rdf.Quad{
			Subject: rdf.NewIRI(fmt.Sprintf("http://e/s%d", i/20)), Predicate: rdf.NewIRI(fmt.Sprintf("http://e/p%d", i/2%7)),
			Object: rdf.NewTyped("1", rdf.XSDInteger),
		}
		if i%2 == 1 {
			want.Predicate, want.Object = rdf.NewIRI("http://e/q"), rdf.NewBlank(fmt.Sprintf("ub%d", i/4))
		}
		if q != want {
			t.Fatalf("quad %d is %v instead of %v", i, q, want)
		}
		i++
	}
}

// TestDataForgetsNamesBetweenOperations: the same text may be another term in the next operation.
func TestDataForgetsNamesBetweenOperations(t *testing.T) {
	u := mustParseUpdate(t, "PREFIX : <http://a/> INSERT DATA { :s :p <o> } ; PREFIX : <http://b/> BASE <http://c/> INSERT DATA { :s :p <o> }")
	for q := range u.Operations[1].(*InsertData).Data.All() {
		if q.Subject.Value != "http://b/s" || q.Object.Value != "http://c/o" {
			t.Errorf("%v", q)
		}
	}
}

func TestUpdateErrors(t *testing.T) {
	for _, c := range []struct{ update, want string }{
		{"SELECT * { ?s ?p ?o }", `line 1, column 1: unexpected "SELECT", expected INSERT, DELETE, WITH, LOAD, CLEAR, CREATE, DROP, COPY, MOVE, ADD, PREFIX or BASE (a query is sent apart from updates)`},
		{"INSRT DATA {}", `line 1, column 1: unexpected "INSRT", expected INSERT, DELETE, WITH, LOAD, CLEAR, CREATE, DROP, COPY, MOVE, ADD, PREFIX or BASE (did you mean INSERT?)`},
		{"CLEAR ALL\n;;", `line 2, column 2: unexpected ";", expected INSERT, DELETE, WITH, LOAD, CLEAR, CREATE, DROP, COPY, MOVE, ADD, PREFIX or BASE`},
		{"CLEAR ALL\nDROP ALL", `line 2, column 1: unexpected "DROP", expected ";" or the end of the update`},
		{"INSERT DATA { } CLEAR ALL", `line 1, column 17: unexpected "CLEAR", expected ";" or the end of the update`},
		{"INSERT DATA { } }", `line 1, column 17: unexpected "}", expected ";" or the end of the update`},
		{"PREFIX ex: INSERT", `line 1, column 12: unexpected "INSERT", expected an IRI`},
		{"LOAD ; CLEAR ALL", `line 1, column 6: unexpected ";", expected an IRI`},
		{"LOAD <x> INTO <g>", `line 1, column 15: unexpected "<g>", expected "GRAPH"`},
		{"CREATE DEAFULT", `line 1, column 8: unexpected "DEAFULT", expected "GRAPH" (did you mean DEFAULT?)`},
		{"CLEAR", `line 1, column 6: unexpected end of the update, expected "GRAPH", "DEFAULT", "NAMED" or "ALL"`},
		{"DROP SILENT <g>", `line 1, column 13: unexpected "<g>", expected "GRAPH", "DEFAULT", "NAMED" or "ALL"`},
		{"COPY <a> <b>", `line 1, column 10: unexpected "<b>", expected "TO"`},
		{"ADD NAMED TO <b>", `line 1, column 5: unexpected "NAMED", expected "DEFAULT", "GRAPH" or an IRI`},
		{"MOVE DEFAULT TO", `line 1, column 16: unexpected end of the update, expected "DEFAULT", "GRAPH" or an IRI`},
		{"COPY GRAPH ?g TO <b>", `line 1, column 12: unexpected "?g", expected an IRI`},

		{"INSERT DATA { ?s <p> <o> }", `line 1, column 15: unexpected "?s" in INSERT DATA, expected an IRI or a blank node (variables stand in INSERT { … } WHERE { … })`},
		{"INSERT DATA { <s> ?p <o> }", `line 1, column 19: unexpected "?p" in INSERT DATA, expected an IRI or "a" (variables stand in INSERT { … } WHERE { … })`},
		{"DELETE DATA { <s> <p> <o>, ?o }", `line 1, column 28: unexpected "?o" in DELETE DATA, expected an IRI or a literal (variables stand in DELETE WHERE { … })`},
		{"INSERT DATA {\n GRAPH ?g { <s> <p> <o> } }", `line 2, column 8: unexpected "?g" in INSERT DATA, expected an IRI (variables stand in INSERT { … } WHERE { … })`},
		{"INSERT DATA { GRAPH _:g { <s> <p> <o> } }", `line 1, column 21: unexpected "_:g" in INSERT DATA, expected an IRI`},
		{"DELETE DATA { _:a <p> <o> }", `line 1, column 15: unexpected "_:a" in DELETE DATA, expected an IRI (a blank node is found by a variable: DELETE WHERE { … })`},
		{"DELETE DATA { <s> <p> [ <q> 1 ] }", `line 1, column 23: unexpected "[" in DELETE DATA, expected an IRI (a blank node is found by a variable: DELETE WHERE { … })`},
		{"DELETE DATA { <s> <p> (1 2) }", `line 1, column 23: unexpected "(" in DELETE DATA, expected an IRI (a blank node is found by a variable: DELETE WHERE { … })`},
		{"INSERT DATA { 'a'@en <p> <o> }", `line 1, column 15: unexpected string 'a' in INSERT DATA, expected an IRI or a blank node`},
		{"DELETE DATA { 1 <p> <o> }", `line 1, column 15: unexpected "1" in DELETE DATA, expected an IRI`},
		{"INSERT DATA { <s> <p> foo }", `line 1, column 23: unexpected "foo", expected an IRI, a literal or a blank node`},
		{"DELETE DATA { <s> <p> foo }", `line 1, column 23: unexpected "foo", expected an IRI or a literal`},
		{"INSERT DATA { <s> <p> ex:d }", `line 1, column 23: the prefix "ex:" is not declared`},
		{"INSERT DATA { <s> <p>/<q> <o> }", `line 1, column 19: a property path cannot stand outside of WHERE`},
		{"INSERT DATA { <s> ^<p> <o> }", `line 1, column 19: a property path cannot stand outside of WHERE`},
		{"INSERT DATA { <s> <p> <o> <s> <p> <o> }", `line 1, column 27: unexpected "<s>", expected ".", ";" or "," (triple patterns are separated by a full stop)`},
		{"INSERT DATA { <s> <p> <o> FILTER(1) }", `line 1, column 27: unexpected "FILTER", expected a triple, GRAPH or "}"`},
		{"INSERT DATA { GRAPH <g> { <s> <p> <o> . GRAPH <h> { <s> <p> <o> } } }", `line 1, column 41: unexpected "GRAPH", expected a triple or "}" (a GRAPH cannot stand in another)`},
		{"INSERT DATA { GRAPH <g> <a> }", `line 1, column 25: unexpected "<a>", expected "{"`},
		{"INSERT DATA { GRAPH { <s> <p> <o> } }", `line 1, column 21: unexpected "{", expected an IRI`},
		{"INSERT DATA { <a> <b> 'x }", `line 1, column 23: this string is not closed`},
		{"INSERT DATA { <s> <p> <o>", `line 1, column 26: unexpected end of the update, expected a triple, GRAPH or "}" (the '{' of line 1, column 13 is not closed)`},
		{"INSERT DATA { _:b <p> <o> } ;\nINSERT DATA { <s> <p> _:b }", `line 2, column 23: the blank node label _:b is used in two INSERT DATA operations (they would be two nodes; use another label)`},
		{"INSERT DATA { <s> <p> \xff }", `line 1, column 23: the update is not valid UTF-8`},

		{"INSERT WHERE { ?s ?p ?o }", `line 1, column 8: unexpected "WHERE", expected "DATA" or "{"`},
		{"DELETE FROM { ?s ?p ?o }", `line 1, column 8: unexpected "FROM", expected "WHERE", "DATA" or "{"`},
		{"WITH <g> WHERE {}", `line 1, column 10: unexpected "WHERE", expected "DELETE" or "INSERT"`},
		{"WITH <g> DELETE WHERE {}", `line 1, column 17: unexpected "WHERE", expected "{"`},
		{"WITH <g> INSERT DATA {}", `line 1, column 17: unexpected "DATA", expected "{"`},
		{"INSERT { ?s ?p ?o } DELETE { ?s ?p ?o } WHERE {}", `line 1, column 21: unexpected "DELETE", expected "USING" or "WHERE"`},
		{"DELETE { ?s ?p ?o }", `line 1, column 20: unexpected end of the update, expected "USING" or "WHERE"`},
		{"DELETE { ?s ?p ?o } USNG <x> WHERE {}", `line 1, column 21: unexpected "USNG", expected "USING" or "WHERE" (did you mean USING?)`},
		{"DELETE WHERE { _:a <p> <o> }", `line 1, column 16: unexpected "_:a" in DELETE, expected a variable or an IRI (a blank node is found by a variable)`},
		{"DELETE { ?s ?p [] } WHERE { ?s ?p ?o }", `line 1, column 16: unexpected "[" in DELETE, expected a variable or an IRI (a blank node is found by a variable)`},
		{"DELETE { ?s ?p (?o) } WHERE { ?s ?p ?o }", `line 1, column 16: unexpected "(" in DELETE, expected a variable or an IRI (a blank node is found by a variable)`},
		{"DELETE WHERE { ?s <p>+ ?o }", `line 1, column 19: a property path cannot stand outside of WHERE`},
		{"DELETE WHERE { ?s ?p ?o FILTER(?o) }", `line 1, column 25: unexpected "FILTER", expected a triple, GRAPH or "}"`},
		{"INSERT { GRAPH _:g { ?s ?p ?o } } WHERE {}", `line 1, column 16: unexpected "_:g", expected a variable or an IRI`},
		{"INSERT { ?s ?p ?o ", `line 1, column 19: unexpected end of the update, expected a triple, GRAPH or "}" (the '{' of line 1, column 8 is not closed)`},
		{"INSERT {} WHERE { ?s ?p ?o ; }; CLEAR", `line 1, column 38: unexpected end of the update, expected "GRAPH", "DEFAULT", "NAMED" or "ALL"`},
		{"INSERT {} WHERE { ?s ?p ?o BIND(1 AS ?s) }", `line 1, column 38: BIND cannot assign ?s, which has a value already in this group (use another variable name)`},
		{"INSERT {} WHERE { FILTER(SUM(?x) > 1) }", `line 1, column 26: the aggregate SUM cannot stand here (aggregates belong in SELECT, HAVING and ORDER BY, and not inside each other)`},
		{"INSERT {} WHERE { { SELECT ?y { ?x ?p ?y } GROUP BY ?x } }", `line 1, column 28: ?y is neither grouped by nor inside an aggregate (add ?y to GROUP BY or write SAMPLE(?y))`},
		{"INSERT {} WHERE { _:a ?p ?o } ; INSERT {} WHERE { _:a ?p ?o }", `line 1, column 51: the blank node label _:a is used in two basic graph patterns (use a variable instead)`},
		{"INSERT {} USING ?g WHERE {}", `line 1, column 17: unexpected "?g", expected an IRI`},
	} {
		_, err := ParseUpdate(t.Context(), c.update, Options{})
		var located *Error
		switch {
		case err == nil:
			t.Errorf("%s: accepted", c.update)
		case err.Error() != c.want:
			t.Errorf("%s:\n got %s\nwant %s", c.update, err, c.want)
		case !errors.As(err, &located):
			t.Errorf("%s: a %T", c.update, err)
		}
	}
}

func TestUpdateLimits(t *testing.T) {
	operation := "INSERT {} WHERE { VALUES ?x {" + strings.Repeat(" 1", 1<<15) + "} }"
	small := Options{MaxLength: 1 << 16}
	for name, text := range map[string]string{
		"brackets":        "INSERT DATA { <s> <p> " + strings.Repeat("(", 1<<18),
		"lists":           "INSERT DATA { <s> " + strings.Repeat("<p> [ ", 1<<18),
		"a path":          "INSERT DATA { <s> <p>" + strings.Repeat("/<p>", 1<<18),
		"a long pattern":  "CLEAR ALL; " + operation + "; CLEAR ALL",
		"an open pattern": "CLEAR ALL; INSERT {} WHERE { " + strings.Repeat("; CLEAR ALL", 1<<18),
	} {
		var located *Error
		if _, err := ParseUpdate(t.Context(), text, small); !errors.As(err, &located) || len(err.Error()) > 1000 {
			t.Errorf("%s: %.1000v", name, err)
		}
	}
	if _, err := ParseUpdate(t.Context(), operation, Options{MaxLength: 1 << 17}); err != nil {
		t.Error(err)
	}
	if _, err := ParseUpdate(t.Context(), "CLEAR ALL", Options{MaxUpdate: 8}); err == nil || err.Error() != "line 1, column 1: the update has 9 bytes, more than the limit of 8" {
		t.Error(err)
	}
	start := time.Now()
	for name, text := range map[string]string{
		"objects":    "INSERT DATA { <s> <p> " + strings.Repeat("1,", 1<<18) + "1 }",
		"brackets":   "INSERT DATA { <s> <p> " + strings.Repeat("[],", 1<<18) + "[] }",
		"list":       "INSERT DATA { <s> <p> (" + strings.Repeat("1 ", 1<<18) + ") }",
		"graphs":     "INSERT DATA { " + strings.Repeat("GRAPH<g>{}", 1<<16) + "}",
		"operations": strings.Repeat("CLEAR ALL\n;", 1<<15),
		"labels":     strings.Repeat("INSERT DATA{};", 1<<14) + "INSERT DATA{_:x <p> _:x}" + strings.Repeat(";INSERT DATA{}", 1<<14),
		"prologues":  strings.Repeat("PREFIX a:<b>", 1<<16),
		"escapes":    strings.Repeat("CLEAR A\\u004cL;", 1<<14),
	} {
		if _, err := ParseUpdate(t.Context(), text, small); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if took := time.Since(start); took > 100*time.Second {
		t.Errorf("long updates took %v", took)
	}
}

func TestUpdatesEndWithTheirContext(t *testing.T) {
	text := "INSERT DATA { <s> <p> " + strings.Repeat("1,", 1<<20) + "1 }"
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client is gone")
	cancel(gone)
	for _, text := range []string{text, strings.Repeat("CLEAR ALL;", 1<<14), "CLEAR ALL", "INSERT DATA { <s> <p> " + strings.Repeat("1,", 1<<12) + "}"} {
		if _, err := ParseUpdate(ctx, text, Options{}); err != gone {
			t.Errorf("%.50s: %v", text, err)
		}
	}
}

// TestUpdatesAreCharged: what is told is about what the update takes, while it is parsed and then.
func TestUpdatesAreCharged(t *testing.T) {
	for name, text := range map[string]string{
		"data":    "INSERT DATA { <s> <p> " + strings.Repeat("<a>,<b>,<c>,", 1<<14) + "1 }",
		"pattern": "INSERT {} WHERE { VALUES ?x {" + strings.Repeat(" 1", 1<<15) + "} }",
	} {
		var sum, most int64
		charge := func(bytes int64) error {
			sum += bytes
			most = max(most, sum)
			return nil
		}
		if _, err := ParseUpdate(t.Context(), text, Options{Charge: charge}); err != nil {
			t.Error(err)
		}
		if sum < 1<<19 || sum > 16<<20 || most < sum || most > 8*sum {
			t.Errorf("%s: charged %d, at most %d", name, sum, most)
		}
		full := errors.New("full")
		sum = 0
		_, err := ParseUpdate(t.Context(), text, Options{Charge: func(bytes int64) error {
			if sum += bytes; sum > 1<<19 {
				return full
			}
			return nil
		}})
		if err != full || sum > 1<<20 {
			t.Errorf("%s: %v after %d", name, err, sum)
		}
	}
}
