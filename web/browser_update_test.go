//go:build browser

package web

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rdfgpu/rdfgpu"
)

// serveWritable serves a small store that may be changed.
func serveWritable(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{triples(t, 1, 5)}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(StoreEngine(store), Options{Log: quiet, Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.Close()
		store.Close()
	})
	return server.URL
}

func TestWorkbenchUpdatesOnceSomebodyAgrees(t *testing.T) {
	const (
		insert = "PREFIX e: <http://e/>\n# more\nINSERT DATA { e:new e:p0 \"new\" . GRAPH e:g { e:new e:p0 \"new\" } }"
		all    = "SELECT * { ?s ?p ?o }"
	)
	v := begin(t, serveWritable(t), screens[0])
	v.open("")
	run := func(text string) {
		v.write(text)
		v.do("run", chromedp.Evaluate(`document.querySelector("#run").click()`, nil))
	}
	rows := func() string {
		v.answer(all)
		return valueOf[string](v, `document.querySelector(".status b").textContent`)
	}
	run(insert)
	v.do("be asked", chromedp.WaitVisible("dialog.ask .plain"), shot("laptop-update-ask"))
	asked := valueOf[string](v, `document.querySelector("dialog.ask").textContent`)
	if !contains(asked, "Change the store?", "2 triples added, 0 removed", "http://e/g") {
		t.Errorf("asked %q", asked)
	}
	v.click("dialog.ask .quiet")
	v.do("refrain", chromedp.WaitVisible(".problem h2"))
	if n := rows(); n != "5" {
		t.Errorf("%s triples after an update that was not agreed to", n)
	}
	run(insert)
	v.do("be asked again", chromedp.WaitVisible("dialog.ask .run"))
	v.click("dialog.ask .run")
	v.do("see what was done", chromedp.WaitVisible(".change h2"), shot("laptop-update-done"))
	if done := valueOf[string](v, `document.querySelector(".change").textContent`); !contains(done, "2 triples added", "sequence 1") {
		t.Errorf("told %q", done)
	}
	v.await(`document.querySelector("#facts").textContent.startsWith("7 ")`)
	if n := rows(); n != "6" {
		t.Errorf("%s triples in the default graph after the update", n)
	}
	run(insert)
	v.do("see that nothing changes", chromedp.WaitVisible(".change h2"))
	if done := valueOf[string](v, `document.querySelector(".change").textContent`); !contains(done, "Nothing to change") {
		t.Errorf("told %q", done)
	}
	v.console.expected = "400"
	run("INSERT DATA { <http://e/a> }")
	v.do("see what is wrong", chromedp.WaitVisible(".problem h2"))
	if problem := valueOf[string](v, `document.querySelector(".problem").textContent`); !strings.Contains(problem, "Malformed update") {
		t.Errorf("told %q", problem)
	}
}

func TestWorkbenchSaysThatAStoreIsReadOnly(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.console.expected = "403"
	v.open("")
	v.write("CLEAR ALL")
	v.do("run", chromedp.Evaluate(`document.querySelector("#run").click()`, nil), chromedp.WaitVisible(".problem h2"))
	if problem := valueOf[string](v, `document.querySelector(".problem").textContent`); !contains(problem, "Read-only", "--writable") {
		t.Errorf("told %q", problem)
	}
}
