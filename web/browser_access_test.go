//go:build browser

package web

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axeFile is the accessibility checker, which npm ci installs with the other tools of the workbench.
const axeFile = "workbench/node_modules/axe-core/axe.min.js"

// places are the parts of the workbench that must be right for everybody: what to do to get there.
var places = []struct {
	name  string
	reach func(v *visit)
}{
	{"overview", func(v *visit) { v.open("") }},
	{"table", func(v *visit) {
		v.answer(mintQuery)
		v.do("see the table", chromedp.WaitReady(".answer td[data-place]"))
	}},
	{"watch", func(v *visit) {
		v.watch(mintQuery)
		v.awaitText(watchNote, "takes no updates")
	}},
	{"query with slips", func(v *visit) {
		v.write("SELECT ?s WHERE { ?s a foaf:Person FILTER(?s == 3) }")
		v.do("see the hints", chromedp.WaitReady(".slip .quiet"))
	}},
	{"map", func(v *visit) { v.answer(placesQuery); v.do("see the map", chromedp.WaitReady(".map .mark")) }},
	{"chart", func(v *visit) { v.click("#tab-chart"); v.do("see a chart", chromedp.WaitReady(".plot .series")) }},
	{"pivot", func(v *visit) { v.click("#tab-pivot"); v.do("see a pivot", chromedp.WaitReady(".pivot td")) }},
	{"timeline", func(v *visit) {
		v.answer(reignsQuery)
		v.click("#tab-timeline")
		v.do("see a timeline", chromedp.WaitReady(".plot .span"))
	}},
	{"plan", func(v *visit) { v.click("#tab-plan"); v.do("see the plan", chromedp.WaitReady(".steps tr")) }},
	{"settings", func(v *visit) { v.click("#settings"); v.do("see the settings", chromedp.WaitReady("dialog[open]")) }},
	{"resource", func(v *visit) {
		v.open("#resource=http%3A%2F%2Fnomisma.org%2Fid%2Frome")
		v.do("see a resource", chromedp.WaitReady(".facts-list dd"))
	}},
	{"exploration", func(v *visit) {
		v.open("#explore=http%3A%2F%2Fnomisma.org%2Fid%2Frome")
		v.do("see a graph", chromedp.WaitReady(".explore-graph .node"))
	}},
	{"schema", func(v *visit) { v.open("#schema"); v.do("see the schema", chromedp.WaitReady(".explore-graph .node")) }},
	{"mining", func(v *visit) {
		v.open("#mine")
		v.do("mine", chromedp.WaitReady(".mine-form"), chromedp.Evaluate(`document.querySelector(".mine-form .run").click()`, nil), chromedp.WaitReady(".mine-list tbody tr"))
	}},
	{"server", func(v *visit) { v.open("#server"); v.do("see the server", chromedp.WaitReady(".hour .plot")) }},
}

func TestWorkbenchIsForEverybody(t *testing.T) {
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		t.Skip("no axe-core: run npm ci in web/workbench")
	}
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			sizes := screens
			if theme == "dark" {
				sizes = screens[:1] // other colours, of the same elements
			}
			at(t, sizes, func(v *visit, s *Server) {
				v.open("")
				v.do("choose the theme", chromedp.Evaluate(`localStorage.setItem("rdfgpu-theme", "`+theme+`")`, nil))
				for _, place := range places {
					place.reach(v)
					v.do("come to rest", chromedp.Sleep(250*time.Millisecond), shot(strings.ReplaceAll("axe-"+v.screen.name+"-"+theme+"-"+place.name, " ", "-")))
					v.fits(place.name)
					for _, found := range violations(v, string(axe)) {
						v.t.Errorf("%s: %s", place.name, found)
					}
				}
			})
		})
	}
}

// violations are what axe finds, each with the elements that it finds it in.
func violations(v *visit, axe string) []string {
	v.t.Helper()
	type violation struct {
		ID    string
		Nodes []struct {
			HTML           string
			FailureSummary string
		}
	}
	v.do("load axe", chromedp.Evaluate(axe+"; undefined", nil))
	v.do("start axe", chromedp.Evaluate(`window.axeReport = undefined; axe.run(document, {resultTypes: ["violations"]}).then((r) => (window.axeReport = JSON.stringify(r.violations.map((v) => ({id: v.id, nodes: v.nodes.map((n) => ({html: n.html.slice(0, 200), failureSummary: n.failureSummary}))}))))); undefined`, nil))
	v.await(`window.axeReport !== undefined`)
	report := valueOf[string](v, `window.axeReport`)
	var list []violation
	if err := json.Unmarshal([]byte(report), &list); err != nil {
		v.t.Fatal(err)
	}
	var found []string
	for _, violation := range list {
		for _, node := range violation.Nodes {
			found = append(found, violation.ID+": "+node.HTML+" "+node.FailureSummary)
		}
	}
	return found
}

// TestWorkbenchTakesLongWords writes words of German length into every label and button: nothing may be cut off or make
// the page wider than the window.
func TestWorkbenchTakesLongWords(t *testing.T) {
	const lengthen = `(() => {
  const visible = [...document.querySelectorAll("button, label span, [role=tab], th, h1, h2, dt, figcaption")].filter((e) => e.offsetParent && e.children.length === 0 && e.textContent.trim().length > 2 && !e.closest(".CodeMirror, svg, .answer tbody"));
  for (const e of visible) e.textContent += "sbeschränkungseinstellungen";
  return visible.length;
})()`
	const cut = `[...document.querySelectorAll("button, label span, [role=tab]")].filter((e) => e.offsetParent && !e.closest(".CodeMirror, .tabs, .answer, .entries, .examples, .types, svg") && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" && getComputedStyle(e).textOverflow !== "ellipsis").map((e) => e.outerHTML.slice(0, 160))`
	atEachSize(t, func(v *visit, s *Server) {
		for _, place := range places {
			if place.name == "settings" {
				continue
			}
			place.reach(v)
			if n := valueOf[int](v, lengthen); n == 0 {
				v.t.Errorf("%s: no label found", place.name)
			}
			v.do("look", shot("long-"+v.screen.name+"-"+place.name))
			v.fits(place.name + " with long words")
			for _, found := range valueOf[[]string](v, cut) {
				v.t.Errorf("%s: cut off: %s", place.name, found)
			}
			v.open("")
			if place.name == "map" || place.name == "chart" {
				v.answer(placesQuery)
			}
			if place.name == "timeline" {
				v.answer(reignsQuery)
			}
		}
	})
}

// unreachable are what a mouse can use in the page and a keyboard cannot: what looks as if it could be clicked and takes no focus, nor is in a group
// of which one element takes it (where arrows lead on). What folds a part of the query has a key: Shift Ctrl [.
const unreachable = `(() => {
  const takes = "a[href], button, input, select, textarea, summary, label, [tabindex]";
  const grouped = (e) => [...(e.closest("[role=tablist], [role=radiogroup], [role=menu], [role=toolbar], [role=group], table.answer")?.querySelectorAll(takes) ?? []), e.closest("table.answer")].some((o) => o?.tabIndex === 0);
  return [...document.querySelectorAll("body *")].filter((e) => {
    if (!e.getClientRects().length || getComputedStyle(e).cursor !== "pointer" || e.closest(".CodeMirror-gutter-wrapper") || getComputedStyle(e).visibility === "hidden" || e.closest(":disabled")) return false;
    const holder = e.closest(takes);
    return !holder || (holder.tabIndex < 0 && !grouped(holder));
  }).map((e) => e.outerHTML.slice(0, 160));
})()`

// tabbed are elements that take the focus and were not met by tab, and those that had it without looking otherwise.
type tabbed struct{ WithoutTab, Unseen []string }

// tab goes through the page by the tabulator key.
func (v *visit) tab() (found tabbed) {
	v.t.Helper()
	ends := 0
	v.do("begin at the top", chromedp.Evaluate(`(() => {
  document.activeElement?.blur();
  getSelection().removeAllRanges();
  scrollTo(0, 0);
  const radios = (e) => e.type !== "radio" || e.checked;
  window.toMeet = new Set([...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true}) && !e.closest("[inert], .CodeMirror, details:not([open]) > :not(summary)") && radios(e)));
  window.unseen = [];
  window.met = (e) => {
    window.toMeet.delete(e);
    const style = getComputedStyle(e), drawn = e.matches(".node") && getComputedStyle(e.querySelector("circle, rect")).strokeWidth === "3px";
    if (!drawn && !e.matches("table.answer") && e !== document.body && !e.closest(".CodeMirror") && (style.outlineStyle === "none" || style.outlineWidth === "0px") && style.boxShadow === "none") window.unseen.push(e.outerHTML.slice(0, 160));
  };
})()`, nil))
	for range 900 {
		v.do("tab", chromedp.KeyEvent(kb.Tab))
		switch valueOf[string](v, `(() => { const e = document.activeElement; window.met(e); return e.closest(".CodeMirror") ? "editor" : e.matches("table.answer") ? "answer" : e === document.body ? "end" : window.toMeet.size ? "" : "all"; })()`) {
		case "editor":
			v.do("leave the editor", chromedp.KeyEvent(kb.Escape), chromedp.Evaluate(`window.met(document.activeElement)`, nil))
		case "answer":
			v.await(`getComputedStyle(document.querySelector(".answer .active")).outlineStyle === "solid"`)
		case "end":
			if ends++; ends == 1 {
				break // it began where something was clicked before
			}
			fallthrough
		case "all":
			return valueOf[tabbed](v, `({WithoutTab: [...window.toMeet].filter((e) => e.isConnected && e.checkVisibility()).map((e) => e.outerHTML.slice(0, 160)), Unseen: window.unseen})`)
		}
	}
	v.t.Error("the tabulator key never reached the end")
	return found
}

func TestWorkbenchIsForKeyboards(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	for _, place := range places {
		if place.name == "watch" {
			continue // its rows change meanwhile
		}
		place.reach(v)
		v.do("come to rest", chromedp.Sleep(400*time.Millisecond))
		for _, element := range valueOf[[]string](v, unreachable) {
			t.Errorf("%s: only a mouse can use %s", place.name, element)
		}
		if place.name == "settings" {
			continue // a dialog keeps the focus
		}
		found := v.tab()
		for _, element := range found.WithoutTab {
			t.Errorf("%s: the tabulator key does not lead to %s", place.name, element)
		}
		for _, element := range found.Unseen {
			t.Errorf("%s: it cannot be seen that the focus is on %s", place.name, element)
		}
	}
}

// contrasts are the lowest contrasts of text in the editor with what is behind it, by what is behind it.
const contrasts = `(() => {
  const pixel = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const over = (...colours) => {
    pixel.clearRect(0, 0, 1, 1);
    for (const c of colours) { pixel.fillStyle = c; pixel.fillRect(0, 0, 1, 1); }
    return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => rgb.map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => (e ? [...behind(e.parentElement), getComputedStyle(e).backgroundColor] : []);
  const contrast = (text, back) => { const [a, b] = [light(text), light(back)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
  const lowest = {plain: 99, highlighted: 99, selected: 99};
  const selected = getComputedStyle(document.querySelector(".CodeMirror-selected")).backgroundColor;
  for (const e of document.querySelectorAll(".CodeMirror-line span span")) {
    const layers = behind(e), colour = getComputedStyle(e).color;
    const kind = e.matches(".cm-matchhighlight") || e.closest(".cm-matchhighlight") ? "highlighted" : "plain";
    lowest[kind] = Math.min(lowest[kind], contrast(over(...layers, colour), over(...layers)));
    lowest.selected = Math.min(lowest.selected, contrast(over(...layers, selected, colour), over(...layers, selected)));
  }
  return lowest;
})()`

func TestWorkbenchWordsUnderTheCursorAreReadable(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	for _, theme := range []string{"light", "dark"} {
		v.open("")
		v.do("choose the theme", chromedp.Evaluate(`localStorage.setItem("rdfgpu-theme", "`+theme+`")`, nil))
		v.open("")
		v.write("# why\nPREFIX e: <http://e/>\nSELECT ?name (COUNT(*) AS ?n) WHERE { ?name a e:Mint ; e:p \"text\"@en, 3, true . FILTER (?name != <http://e/x>) }")
		for _, word := range []string{"?name", "SELECT", "e:Mint", "text", "true", "http://e/x"} {
			v.do("put the cursor on "+word, chromedp.Evaluate(`(() => { const cm = document.querySelector(".CodeMirror").CodeMirror; cm.focus(); const at = cm.getValue().indexOf(`+quoted(word)+`); cm.setSelection(cm.posFromIndex(at + `+quoted(word)+`.length), cm.posFromIndex(at + 1)); })()`, nil), chromedp.WaitReady(".CodeMirror-selected"), chromedp.Sleep(250*time.Millisecond))
			for where, contrast := range valueOf[map[string]float64](v, contrasts) {
				if contrast < 4.5 {
					t.Errorf("%s, cursor on %s: the contrast of %s text is %.1f", theme, word, where, contrast)
				}
			}
		}
		v.do("look", shot("cursor-"+theme))
	}
}
