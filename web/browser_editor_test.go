//go:build browser

package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const prefixes = "PREFIX nmo: <http://nomisma.org/ontology#>\nPREFIX geo: <http://www.w3.org/2003/01/geo/wgs84_pos#>\nPREFIX skos: <http://www.w3.org/2004/02/skos/core#>\nPREFIX org: <http://www.w3.org/ns/org#>\n"

// hints opens the list of completions at the end of a text, or at the mark | in it, and returns what it offers.
func hints(v *visit, text string) []string {
	v.t.Helper()
	before, after, _ := strings.Cut(text, "|")
	v.write("")
	v.do("complete", chromedp.Evaluate(`(() => { const cm = document.querySelector(".CodeMirror").CodeMirror; cm.closeHint?.(); cm.setValue(`+quoted(before+after)+`); cm.focus(); cm.setCursor(cm.posFromIndex(`+quoted(before)+`.length)); })()`, nil),
		chromedp.KeyEvent(" ", chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.WaitReady(".CodeMirror-hints .CodeMirror-hint"))
	return valueOf[[]string](v, `[...document.querySelectorAll(".CodeMirror-hint .what")].map((e) => e.textContent)`)
}

func TestWorkbenchCompletesWhatJoins(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("")
	tests := []struct{ name, text, first string }{
		{"a class by its name", "SELECT * WHERE { ?s a Min|", "nmo:Mint"},
		{"predicates of a class", prefixes + "SELECT * WHERE { ?m a nmo:Mint ; geo:lo| }", "geo:location"},
		{"only what occurs with the class comes first", prefixes + "SELECT * WHERE { ?m a nmo:Monogram . ?m | }", "crm:P106_is_composed_of"},
		{"predicates of what a pattern leads to", prefixes + "SELECT * WHERE { ?m a nmo:Mint ; geo:location ?place . ?place geo:| }", "geo:lat"},
		{"the class of what a pattern leads to", prefixes + "SELECT * WHERE { ?m a nmo:Mint ; geo:location ?place . ?place a | }", "geo:SpatialThing"},
		{"literals of a predicate", prefixes + `SELECT * WHERE { ?m a nmo:Mint ; skos:prefLabel "Rom| }`, `"Rom`},
		{"things of a predicate", prefixes + "SELECT * WHERE { ?m a nmo:Mint ; skos:broader hisp| }", "nm:hispania"},
		{"variables", "SELECT * WHERE { ?person ?p ?o . ?per| }", "?person"},
		{"prefixes", "PREFIX nm| SELECT * WHERE { ?s ?p ?o }", "nm: <http://nomisma.org/id/>"},
	}
	for _, test := range tests {
		offered := hints(v, test.text)
		if len(offered) == 0 || !strings.HasPrefix(offered[0], test.first) {
			t.Errorf("%s: offered %.30q, want %q first", test.name, offered, test.first)
		}
	}
	near := hints(v, prefixes+"SELECT * WHERE { ?m a nmo:Monogram ; | }")
	if bold := valueOf[[]string](v, `[...document.querySelectorAll(".CodeMirror-hint .near")].map((e) => e.textContent)`); len(bold) == 0 || len(bold) > 30 || strings.Contains(strings.Join(bold, " "), "geo:lat") || len(near) <= len(bold) {
		t.Errorf("with monograms join %q", bold)
	}
	hints(v, "SELECT * WHERE { ?s a Min|")
	v.do("take it", shot("completion"), chromedp.KeyEvent(kb.Enter))
	if text := v.text(); !contains(text, "?s a nmo:Mint", "PREFIX nmo: <http://nomisma.org/ontology#>") {
		t.Errorf("the completion writes %q", text)
	}
}

func TestWorkbenchMendsSlips(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("")
	tests := []struct{ name, text, want string }{
		{"two equals signs", "SELECT * WHERE { ?s ?p ?o FILTER(?o == 3) }", "FILTER(?o = 3)"},
		{"another not equal", "SELECT * WHERE { ?s ?p ?o FILTER(?o <> 3) }", "FILTER(?o != 3)"},
		{"and", "SELECT * WHERE { ?s ?p ?o FILTER(?o > 3 AND ?o < 5) }", "?o > 3 && ?o < 5"},
		{"a missing dot", "SELECT * WHERE {\n  ?s ?p ?o\n  ?o ?q ?r .\n}", "?s ?p ?o .\n  ?o"},
		{"a missing dot after a class", "SELECT * WHERE {\n  ?s a <http://e/C>\n  ?s ?q ?r .\n}", "<http://e/C> .\n"},
		{"a prefix that is not there", "SELECT * WHERE { ?s nmo:hasMint ?o }", "PREFIX nmo: <http://nomisma.org/ontology#>\nSELECT"},
		{"commas in SELECT", "SELECT ?s, ?o WHERE { ?s ?p ?o }", "SELECT ?s ?o"},
		{"a misspelt word", "SELECT * WHERE { ?s ?p ?o FLITER(?o = 3) }", "FILTER(?o = 3)"},
		{"typographic quotes", "SELECT * WHERE { ?s ?p “x\" }", "?p \"x\""},
	}
	for _, test := range tests {
		v.write(test.text)
		v.do(test.name, chromedp.WaitReady(".complaint:not(.stale) .slip .quiet"))
		v.click(".slip .quiet")
		if got := v.text(); !strings.Contains(got, test.want) {
			t.Errorf("%s: mended to %q, want %q in it", test.name, got, test.want)
		}
	}
	for _, right := range []string{
		mintQuery, placesQuery, reignsQuery, "SELECT * WHERE {\n  ?s ?p ?o ;\n    ?q ?r ,\n      ?t .\n  FILTER(?o != <http://e/x> && ?r = \"a\"^^<http://e/t>)\n}",
		"SELECT (COUNT(*) AS ?n) (SUM(?x) AS ?m) WHERE {\n  ?s <http://e/p>/<http://e/q>* ?x\n  OPTIONAL { ?s ?p ?y }\n  { ?a ?b ?c } UNION { ?d ?e ?f }\n} GROUP BY ?s",
		"SELECT ?s WHERE {\n  VALUES ?s { <http://e/a>\n    <http://e/b>\n    <http://e/c> <http://e/d> }\n  ?s a [] .\n  ?s <http://e/p> [ <http://e/q> 3 ;\n <http://e/r> 4 ] .\n}",
	} {
		v.write(right)
		v.do("let the server look", chromedp.Sleep(700*time.Millisecond))
		if slips := valueOf[int](v, `document.querySelectorAll(".slip").length`); slips > 0 {
			t.Errorf("%s: hints on what is right: %s", right, valueOf[string](v, `document.querySelector("#complaint").textContent`))
		}
	}
}

func TestWorkbenchFormats(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("")
	v.write("# Mints\nprefix nmo: <http://nomisma.org/ontology#> select ?m (count(*) as ?n) where{?m a nmo:Mint;nmo:x/nmo:y* ?o,?q. # why\n optional{?o ?p \"a;b.{\"@en} filter(?n>3&&lang(?o)=\"en\") {?a ?b ?c}union{?d ?e ?f}} group by ?m order by desc(?n) limit 10")
	v.do("format", chromedp.Evaluate(`document.querySelector("#edit").click()`, nil))
	v.choose("Format")
	want := "# Mints\nPREFIX nmo: <http://nomisma.org/ontology#>\nSELECT ?m (COUNT(*) AS ?n) WHERE {\n  ?m a nmo:Mint ;\n     nmo:x/nmo:y* ?o, ?q . # why\n  OPTIONAL {\n    ?o ?p \"a;b.{\"@en\n  }\n  FILTER (?n > 3 && lang(?o) = \"en\")\n  {\n    ?a ?b ?c\n  } UNION {\n    ?d ?e ?f\n  }\n}\nGROUP BY ?m\nORDER BY DESC(?n)\nLIMIT 10\n"
	if got := v.text(); got != want {
		t.Errorf("formatted to\n%s\nwant\n%s", got, want)
	}
	v.do("again", chromedp.Evaluate(`document.querySelector("#edit").click()`, nil))
	v.choose("Format")
	if got := v.text(); got != want {
		t.Errorf("formatting twice changes it to\n%s", got)
	}
}

func TestWorkbenchFindsAndRenames(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("")
	v.write("SELECT ?a ?ab WHERE { ?a ?p \"?a\" . $a ?q ?ab } # ?a")
	v.do("rename by key", chromedp.Evaluate(`(() => { const cm = document.querySelector(".CodeMirror").CodeMirror; cm.focus(); cm.setCursor({line: 0, ch: 8}); })()`, nil),
		chromedp.KeyEvent(kb.F2), chromedp.WaitVisible("dialog input"), chromedp.SendKeys("dialog input", "thing"), chromedp.KeyEvent(kb.Enter), chromedp.WaitNotPresent("dialog"))
	if got, want := v.text(), "SELECT ?thing ?ab WHERE { ?thing ?p \"?a\" . $thing ?q ?ab } # ?a"; got != want {
		t.Errorf("renamed to %q, want %q", got, want)
	}
	v.do("find", chromedp.Evaluate(`document.querySelector(".CodeMirror").CodeMirror.focus()`, nil), chromedp.KeyEvent("f", chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.WaitVisible(".find"),
		chromedp.SendKeys(`.find [aria-label="Find"]`, "thing"), chromedp.SendKeys(`.find [aria-label="Replace by"]`, "x"), shot("find"))
	if got := valueOf[string](v, `document.querySelector(".found").textContent`); got != "3" {
		t.Errorf("found %q", got)
	}
	v.click(`.find [aria-label="Replace all"]`)
	if got := v.text(); strings.Contains(got, "thing") || !strings.Contains(got, "$x ?q") {
		t.Errorf("replaced to %q", got)
	}
	v.do("undo", chromedp.Evaluate(`document.querySelector(".CodeMirror").CodeMirror.undo()`, nil))
	if got := v.text(); !strings.Contains(got, "?thing") {
		t.Errorf("undone to %q", got)
	}
}

func TestWorkbenchKeepsQueries(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("")
	names := `[...document.querySelectorAll(".draft-tabs [role=tab]")].map((t) => t.textContent).join("|")`
	v.answer("ASK { ?s ?p 1 }")
	v.click(`[aria-label="New query"]`)
	v.answer("ASK { ?s ?p 2 }")
	v.click(`[aria-label^="This query"]`)
	v.choose("Rename")
	v.do("name the query", chromedp.WaitVisible(".rename"), chromedp.KeyEvent("Second"), chromedp.KeyEvent(kb.Enter))
	v.do("keep it", chromedp.Click("#keep"), chromedp.WaitVisible("dialog input"), chromedp.KeyEvent(kb.Enter), chromedp.WaitNotPresent("dialog"))
	v.open("")
	if got := valueOf[string](v, names); got != "Query 1|Second" {
		t.Errorf("after a reload the tabs are %q", got)
	}
	if got := v.text(); got != "ASK { ?s ?p 2 }" {
		t.Errorf("after a reload the query is %q", got)
	}
	v.do("go by keyboard", chromedp.Focus(".draft-tabs [aria-selected=true]"), chromedp.KeyEvent(kb.ArrowLeft))
	v.await(`document.querySelector(".CodeMirror").CodeMirror.getValue() === "ASK { ?s ?p 1 }"`)
	v.click(".groups button:nth-child(2)")
	v.click("#tab-history")
	if got := valueOf[int](v, `document.querySelectorAll(".entries .entry").length`); got != 2 {
		t.Errorf("%d runs in the history", got)
	}
	v.click("#tab-saved")
	folder := t.TempDir()
	v.do("export", shot("saved"), browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(folder))
	v.click(".side-foot button")
	v.choose("Export")
	file := filepath.Join(folder, "rdfgpu-queries.json")
	waitFor(t, 30*time.Second, func() bool { i, err := os.Stat(file); return err == nil && i.Size() > 0 })
	body, err := os.ReadFile(file)
	if err != nil || !contains(string(body), `"name": "Second"`, "ASK { ?s ?p 1 }") {
		t.Fatalf("exported %s %v", body, err)
	}
	v.do("forget all", chromedp.Evaluate(`localStorage.clear()`, nil))
	v.open("")
	v.click(".groups button:nth-child(2)")
	v.click("#tab-saved")
	v.do("nothing is kept", chromedp.WaitReady(".entries .none"))
	v.click(".side-foot button")
	v.choose("Import")
	var field []*cdp.Node
	v.do("import", chromedp.Nodes("#import", &field, chromedp.NodeReady))
	v.do("give the file", chromedp.ActionFunc(dom.SetFileInputFiles([]string{file}).WithNodeID(field[0].NodeID).Do))
	v.await(`[...document.querySelectorAll(".entries .entry")].some((e) => e.textContent === "Second")`)
}
