//go:build browser

package web

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
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
			atEachSize(t, func(v *visit, s *Server) {
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
