//go:build browser

package web

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// column is the cells in sight of a column, from 0.
func column(v *visit, c string) []string {
	v.t.Helper()
	return valueOf[[]string](v, `[...document.querySelectorAll('.answer td[data-column="`+c+`"]')].map((e) => e.textContent)`)
}

func TestWorkbenchTable(t *testing.T) {
	atEachSize(t, func(v *visit, s *Server) {
		v.open("")
		v.answer(placesQuery)
		v.click("#tab-table")
		v.do("see rows", chromedp.WaitReady(`.answer td[data-place="0"]`))
		v.fits("the table")

		v.click(`th[data-column="lat"] .sort`)
		v.await(`document.querySelector('th[data-column="lat"]').getAttribute("aria-sort") === "ascending" && document.querySelector('.answer td[data-place="0"][data-column="1"]')?.textContent < 16`)
		v.click(`th[data-column="lat"] .sort`)
		v.await(`document.querySelector('th[data-column="lat"]').getAttribute("aria-sort") === "descending" && document.querySelector('.answer td[data-place="0"][data-column="1"]')?.textContent > 50`)

		v.do("filter", chromedp.SetValue(".grid-tools input[type=search]", "alexandria"), chromedp.Evaluate(`document.querySelector(".grid-tools input[type=search]").dispatchEvent(new Event("input"))`, nil))
		v.await(`/ of [1-9]\d?$/.test(document.querySelector(".place").textContent)`)
		for _, name := range column(v, "0") {
			if !strings.Contains(strings.ToLower(name), "alexandria") {
				v.t.Errorf("the filter leaves %q", name)
			}
		}
		v.do("see it", shot(v.screen.name+"-filtered"))
		v.do("no longer filter", chromedp.SetValue(".grid-tools input[type=search]", "x"), chromedp.Evaluate(`(() => { const f = document.querySelector(".grid-tools input[type=search]"); f.value = ""; f.dispatchEvent(new Event("input")); })()`, nil))
		v.await(`document.querySelector(".place").textContent.endsWith("1,436")`)

		v.do("go by keyboard to the end and back", chromedp.Focus("table.answer"), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(input.ModifierCtrl)))
		v.await(`document.querySelector(".active")?.id === "cell-1435-3"`)
		v.do("up", chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowRight))
		v.await(`document.querySelector("table.answer").getAttribute("aria-activedescendant") === "cell-1-1" && document.querySelector(".active").id === "cell-1-1"`)

		v.do("allow the clipboard", browser.GrantPermissions([]browser.PermissionType{browser.PermissionTypeClipboardReadWrite, browser.PermissionTypeClipboardSanitizedWrite}).WithOrigin(v.address))
		v.do("copy four cells", chromedp.KeyEvent(kb.ArrowDown, chromedp.KeyModifiers(input.ModifierShift)), chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(input.ModifierShift)),
			chromedp.KeyEvent("c", chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.WaitReady(".toast:not([hidden])"))
		if said := valueOf[string](v, `document.querySelector(".toast").textContent`); said != "4 cells copied" {
			v.t.Errorf("said %q", said)
		}
		v.click(`th[data-column="region"] .column-menu`)
		v.choose("Copy column")
		v.await(`document.querySelector(".toast").textContent === "1,436 values copied"`)
		v.click(`th[data-column="region"] .column-menu`)
		v.choose("Hide column")
		v.await(`!document.querySelector('th[data-column="region"]')`)
		wide := valueOf[float64](v, `document.querySelector('th[data-column="name"]').offsetWidth`)
		v.click(`th[data-column="name"] .column-menu`)
		v.choose("Wider")
		v.await(`document.querySelector('th[data-column="name"]').offsetWidth > ` + strconv.FormatFloat(1.2*wide, 'f', 0, 64))

		v.do("see what can be done with a cell", chromedp.Focus("table.answer"), chromedp.KeyEvent(kb.Home, chromedp.KeyModifiers(input.ModifierCtrl)),
			chromedp.Evaluate(`document.querySelector("table.answer").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}))`, nil), chromedp.WaitReady(".menu button"))
		v.choose("Keep rows with this value")
		v.do("rows of one value", chromedp.WaitReady(".chip"))
	})
}

func TestWorkbenchTableChoosesLanguagesImagesAndNames(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.console.expected = "404" // the images are not there
	v.open("")
	v.answer(`PREFIX skos: <http://www.w3.org/2004/02/skos/core#> SELECT ?thing ?name WHERE { VALUES ?thing { <http://nomisma.org/id/rome> } ?thing skos:prefLabel ?name }`)
	v.do("choose a language", chromedp.WaitReady(`select[aria-label="Language of literals"]`), chromedp.Evaluate(`(() => { const s = document.querySelector('select[aria-label="Language of literals"]'); s.value = "de"; s.dispatchEvent(new Event("change")); })()`, nil))
	v.await(`document.querySelector(".place").textContent.endsWith("of 1")`)
	if got := column(v, "1"); !slices.Equal(got, []string{"Romde"}) {
		t.Errorf("in German: %q", got)
	}
	v.do("names", chromedp.Evaluate(`[...document.querySelectorAll(".grid-tools button")].find((b) => b.textContent === "Names").click()`, nil))
	v.await(`document.querySelector('.answer td[data-column="0"]').textContent === "Rome"`)
	v.answer(`SELECT ?picture WHERE { VALUES ?picture { <` + address + `/nowhere.png> "` + address + `/assets/none.svg" } }`)
	if images := valueOf[int](v, `document.querySelectorAll(".answer img").length`); images != 0 {
		t.Errorf("%d images were fetched though nobody asked", images)
	}
	v.do("images", chromedp.Evaluate(`[...document.querySelectorAll(".grid-tools button")].find((b) => b.textContent === "Images").click()`, nil), chromedp.WaitReady(".answer img.picture"))
	v.await(`document.querySelectorAll(".answer img").length === 2`)
}

// longestTask bounds what keeps the page from answering, far above what it is on a quiet machine: see docs/WORKBENCH.md.
const longestTask = 2500 * time.Millisecond

func TestWorkbenchScrollsAMillionRows(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("")
	v.do("watch for long tasks", chromedp.Evaluate(`window.longest = 0; new PerformanceObserver((list) => list.getEntries().forEach((e) => (window.longest = Math.max(window.longest, e.duration)))).observe({type: "longtask"}); undefined`, nil))
	v.answer("SELECT * WHERE { { ?s ?p ?o } UNION { ?s ?p ?o } }")
	v.await(`document.querySelector(".status").textContent.includes("first 100,000 here")`)
	v.click(".more-rows")
	v.await(`document.querySelector(".status").textContent.includes("first 1,000,000 here")`)
	loading := valueOf[float64](v, `window.longest`)
	v.do("scroll", chromedp.Evaluate(`(async () => { const g = document.querySelector(".grid-scroll"); for (let i = 0; i <= 40; i++) { g.scrollTop = (g.scrollHeight * i) / 40; await new Promise((r) => setTimeout(r, 25)); } window.scrolled = true; })(); undefined`, nil))
	v.await(`window.scrolled`)
	v.await(`(() => { const g = document.querySelector(".grid-scroll"); g.scrollTop = g.scrollHeight; return document.querySelector('[aria-rowindex="1000001"]'); })()`)
	v.do("see the end", shot("million"))
	v.click(`th[data-column="o"] .sort`)
	v.await(`document.querySelector('th[data-column="o"]').getAttribute("aria-sort") === "ascending"`)
	v.do("filter", chromedp.SetValue(".grid-tools input[type=search]", "rome"), chromedp.Evaluate(`document.querySelector(".grid-tools input[type=search]").dispatchEvent(new Event("input"))`, nil))
	v.await(`!document.querySelector(".place").textContent.endsWith("1,000,000") && !document.querySelector("[aria-busy]")`)
	longest := valueOf[float64](v, `window.longest`)
	heap := valueOf[float64](v, `performance.memory.usedJSHeapSize`)
	t.Logf("longest task while loading %.0f ms, in all %.0f ms; the page itself holds %.1f MB", loading, longest, heap/1e6)
	if longest > float64(longestTask.Milliseconds()) {
		t.Errorf("the page was busy for %.0f ms at once", longest)
	}
	if heap > 300e6 {
		t.Errorf("the page holds %.0f MB: rows belong in the worker", heap/1e6)
	}
}
