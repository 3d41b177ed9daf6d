package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/rdfgpu/rdfgpu"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// data names cities and the country that they are in, and has 200 things without names.
func data() string {
	const label, city = "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://e/City>"
	var b strings.Builder
	for iri, names := range map[string]string{"rome": `"Rome"@en,"Roma"@it`, "newrome": `"New Rome"@en`, "paris": `"Paris"`} {
		fmt.Fprintf(&b, "<http://e/%s> a %s .\n<http://e/%[1]s> <http://e/in> <http://e/land-%[1]s> .\n", iri, city)
		for name := range strings.SplitSeq(names, ",") {
			fmt.Fprintf(&b, "<http://e/%s> %s %s .\n", iri, label, name)
		}
	}
	fmt.Fprintf(&b, "<http://e/land-rome> a <http://e/Country> .\n<http://e/land-rome> %s \"Italy\" .\n", label)
	for i := range 200 {
		fmt.Fprintf(&b, "<http://e/n%d> <http://e/number> %d .\n", i, i)
	}
	fmt.Fprintf(&b, "<http://e/long> <http://e/text> \"%s\" .\n", strings.Repeat("é", 5000))
	return strings.ReplaceAll(b.String(), " a ", " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> ")
}

// load makes a store of the data, with an example query.
func load(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cities")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{"-"}, rdfgpu.LoadOptions{Format: "turtle", Stdin: strings.NewReader(data())}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "queries"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "queries", "cities.rq"), []byte("SELECT * { ?city a <http://e/City> }"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// client is a client of the library's own, beside the tools of a store.
func client(t *testing.T) *sdk.ClientSession {
	t.Helper()
	store, err := rdfgpu.Open(load(t), rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := New(Options{Budget: rdfgpu.NewBudget(rdfgpu.BudgetOptions{})}).server(StoreSource(store, rdfgpu.QueryOptions{}))
	here, there := sdk.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c := connect(t, here)
	t.Cleanup(func() {
		c.Close()
		store.Close()
	})
	return c
}

func connect(t *testing.T, transport sdk.Transport) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.WithoutCancel(t.Context()), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// call uses a tool and reads its structured answer; the text of its failure is "" where there is none.
func call(t *testing.T, c *sdk.ClientSession, tool string, arguments, out any) (failure string) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := result.Content[0].(*sdk.TextContent).Text
	if strings.Contains(text, `\u003c`) {
		t.Errorf("%s wastes characters on escapes: %s", tool, text)
	}
	if result.IsError {
		return text
	}
	if into, ok := out.(*string); ok {
		*into = text
		return ""
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%s: %v in %s", tool, err, text)
	}
	return ""
}

type arguments = map[string]any

func TestToolsOnlyRead(t *testing.T) {
	c := client(t)
	names := map[string]bool{}
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names[tool.Name] = true
		if a := tool.Annotations; a == nil || !a.ReadOnlyHint || tool.Description == "" || tool.InputSchema == nil {
			t.Errorf("%s says %+v", tool.Name, tool)
		}
	}
	for _, name := range []string{"schema", "search", "describe", "query", "next", "explain"} {
		if !names[name] {
			t.Errorf("there is no tool %s", name)
		}
	}
	failure := call(t, c, "query", arguments{"query": "INSERT DATA { <http://e/a> <http://e/b> 1 }"}, nil)
	if !strings.Contains(failure, "line 1, column 1") {
		t.Errorf("an update: %q", failure)
	}
}

func TestAMistakeIsToldWithItsPlace(t *testing.T) {
	c := client(t)
	cases := map[string][]string{
		"SELECT ?x\nWHERE { ?x a }":          {"line 2, column 14", "  WHERE { ?x a }\n               ^", "expected: "},
		"SELECT * { ?x foaf:name ?y }":       {"line 1, column 15", "foaf", "hint: "},
		"SELECT * { ?x <http://e/in> ?y ":    {"line 1, column 3"},
		"SELECT (nothing(1) AS ?x) WHERE {}": {"nothing"},
	}
	for query, wants := range cases {
		for _, tool := range []string{"query", "explain"} {
			failure := call(t, c, tool, arguments{"query": query}, nil)
			for _, want := range wants {
				if !strings.Contains(failure, want) {
					t.Errorf("%s of %q: no %q in\n%s", tool, query, want, failure)
				}
			}
		}
	}
	for tool, wrong := range map[string]arguments{
		"query":    {"query": "ASK {}", "semantics": "guess"},
		"search":   {"text": " "},
		"describe": {"iri": "rome"},
		"next":     {"next": "nothing.5"},
		"schema":   {"limit": -1},
	} {
		if failure := call(t, c, tool, wrong, nil); failure == "" {
			t.Errorf("%s takes %v", tool, wrong)
		}
	}
}

func TestRowsComeInPages(t *testing.T) {
	c := client(t)
	var p page
	if failure := call(t, c, "query", arguments{"query": "SELECT ?n { ?s <http://e/number> ?n } ORDER BY ?n", "limit": 60}, &p); failure != "" {
		t.Fatal(failure)
	}
	var rows []string
	pages := 0
	for {
		pages++
		for _, row := range p.Rows {
			rows = append(rows, row[0])
		}
		if p.Next == "" {
			break
		}
		next := p.Next
		p = page{}
		if failure := call(t, c, "next", arguments{"next": next}, &p); failure != "" {
			t.Fatal(failure)
		}
	}
	if pages != 4 || len(rows) != 200 {
		t.Fatalf("%d rows in %d pages", len(rows), pages)
	}
	for i, row := range rows {
		if want := fmt.Sprintf(`"%d"^^<http://www.w3.org/2001/XMLSchema#integer>`, i); row != want {
			t.Fatalf("row %d is %s, want %s", i, row, want)
		}
	}
}

func TestAnswersOfEveryKind(t *testing.T) {
	c := client(t)
	var p page
	call(t, c, "query", arguments{"query": "ASK { ?c a <http://e/City> }"}, &p)
	if p.Boolean == nil || !*p.Boolean {
		t.Errorf("ASK: %+v", p)
	}
	p = page{}
	call(t, c, "query", arguments{"query": "CONSTRUCT { ?c <http://e/x> 1 } WHERE { ?c a <http://e/City> }"}, &p)
	if len(p.Rows) != 3 || len(p.Rows[0]) != 3 {
		t.Errorf("CONSTRUCT: %+v", p)
	}
	p = page{}
	call(t, c, "query", arguments{"query": "SELECT * { ?c a <http://e/City> ; <http://e/misspelt> ?x }"}, &p)
	if len(p.Rows) != 0 || !strings.Contains(p.Note, "<http://e/misspelt>") {
		t.Errorf("an empty answer: %+v", p)
	}
	p = page{}
	call(t, c, "query", arguments{"query": "SELECT * { ?s <http://e/text> ?text }"}, &p)
	if len(p.Rows) != 1 || len(p.Rows[0][1]) > 2*cellBytes || !strings.Contains(p.Rows[0][1], "5002 characters") || !strings.Contains(p.Note, "SUBSTR") {
		t.Errorf("a long literal: %+v", p)
	}
}

func TestThingsAreFound(t *testing.T) {
	c := client(t)
	cases := []struct {
		in    arguments
		first string
		n     int
	}{
		{arguments{"text": "rome"}, "<http://e/rome>", 2},
		{arguments{"text": "ROME new"}, "<http://e/newrome>", 1},
		{arguments{"text": "ro", "by": "prefix"}, "<http://e/rome>", 1},
		{arguments{"text": "roma", "language": "en"}, "", 0},
		{arguments{"text": "i", "class": "http://e/Country"}, "<http://e/land-rome>", 1},
		{arguments{"text": "http://e/land-", "by": "iri"}, "<http://e/land-rome>", 1},
		{arguments{"text": "ROME land", "by": "iri"}, "<http://e/land-rome>", 1},
		{arguments{"text": `" || true # \`}, "", 0},
	}
	for _, in := range cases {
		var p page
		failure := call(t, c, "search", in.in, &p)
		if failure != "" || len(p.Rows) != in.n || in.n > 0 && p.Rows[0][0] != in.first {
			t.Errorf("%v: %s %+v", in.in, failure, p)
		}
	}
	var p page
	if call(t, c, "search", arguments{"text": "ro"}, &p); p.Rows[0][1] != `"Rome"@en` {
		t.Errorf("the label is %s", p.Rows[0][1])
	}
}

func TestAThingIsDescribed(t *testing.T) {
	c := client(t)
	var d description
	if failure := call(t, c, "describe", arguments{"iri": "<http://e/land-rome>"}, &d); failure != "" {
		t.Fatal(failure)
	}
	if len(d.Counts) != 3 || len(d.Triples.Rows) != 3 {
		t.Errorf("%+v", d)
	}
	last := d.Triples.Rows[2]
	if want := []string{`"in"`, "<http://e/in>", "<http://e/rome>", `"Roma"`}; fmt.Sprint(last) != fmt.Sprint(want) {
		t.Errorf("the last triple is %v, want %v", last, want)
	}
	if failure := call(t, c, "describe", arguments{"iri": "http://e/nothing"}, &d); !strings.Contains(failure, "search") {
		t.Errorf("of nothing: %q", failure)
	}
}

func TestTheSchemaIsCounted(t *testing.T) {
	c := client(t)
	var o outline
	call(t, c, "schema", arguments{}, &o)
	if len(o.Classes) != 2 || o.Classes[0] != (rdfgpu.ClassInfo{IRI: "http://e/City", Members: 3}) || len(o.Links) != 1 || len(o.Predicates) != 5 {
		t.Errorf("%+v", o)
	}
	o = outline{}
	call(t, c, "schema", arguments{"contains": "NUMBER"}, &o)
	if len(o.Classes) != 0 || len(o.Predicates) != 1 || o.Predicates[0].Triples != 200 {
		t.Errorf("%+v", o)
	}
	o = outline{}
	call(t, c, "schema", arguments{"limit": 1}, &o)
	if len(o.Predicates) != 1 || !strings.Contains(o.Note, "5 predicates") {
		t.Errorf("%+v", o)
	}
}

func TestAPlanIsShown(t *testing.T) {
	c := client(t)
	var text string
	call(t, c, "explain", arguments{"query": "SELECT * { ?c a <http://e/City> ; <http://e/in> ?l }", "analyze": true}, &text)
	if !strings.Contains(text, "3 rows") {
		t.Errorf("no number of rows in\n%s", text)
	}
}

func TestPromptsShowTheStore(t *testing.T) {
	c := client(t)
	result, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "question", Arguments: map[string]string{"question": "Which cities are there?"}})
	if err != nil {
		t.Fatal(err)
	}
	text := result.Messages[0].Content.(*sdk.TextContent).Text
	for _, want := range []string{"Which cities are there?", "<http://e/City> 3", "<http://e/number> 200", "?city a <http://e/City>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "faster"}); err == nil {
		t.Error("a prompt without its argument")
	}
}

func TestTheProgramSpeaksOverStandardInputAndOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("building the program is left out of short tests")
	}
	program := filepath.Join(t.TempDir(), "rdfgpu")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/rdfgpu").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command := exec.Command(program, "mcp", load(t))
	c := connect(t, &sdk.CommandTransport{Command: command})
	var p page
	if failure := call(t, c, "search", arguments{"text": "paris"}, &p); failure != "" || len(p.Rows) != 1 {
		t.Errorf("%s %+v", failure, p)
	}
	if failure := call(t, c, "query", arguments{"query": "SELECT * { ?x"}, nil); !strings.Contains(failure, "line 1, column") {
		t.Errorf("a mistake: %q", failure)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if code := command.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the program ends with %d", code)
	}
}
