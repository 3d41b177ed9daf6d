//go:build browser

package web

import (
	"encoding/xml"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

const placesQuery = `PREFIX geo: <http://www.w3.org/2003/01/geo/wgs84_pos#>
PREFIX nmo: <http://nomisma.org/ontology#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?name ?lat ?long ?region WHERE {
  ?mint a nmo:Mint ; skos:prefLabel ?name ; geo:location ?place ; skos:broader ?region .
  ?place geo:lat ?lat ; geo:long ?long .
  FILTER (lang(?name) = "en")
}`

const reignsQuery = `PREFIX nmo: <http://nomisma.org/ontology#>
PREFIX org: <http://www.w3.org/ns/org#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?name ?office ?start ?end WHERE {
  ?person org:hasMembership ?m ; skos:prefLabel ?name .
  ?m nmo:hasStartDate ?start ; nmo:hasEndDate ?end ; org:role ?role .
  ?role skos:prefLabel ?office .
  FILTER (lang(?name) = "en" && lang(?office) = "en")
}`

func TestWorkbenchDrawsAnswers(t *testing.T) {
	atEachSize(t, func(v *visit, s *Server) {
		name := v.screen.name
		v.open("")
		v.answer(placesQuery)
		v.do("coordinates make a map", chromedp.WaitReady(".map .mark"), chromedp.WaitReady(".map-box[data-land] .land path"), chromedp.Sleep(200*time.Millisecond), shot(name+"-map"))
		v.fits("the map")
		if asked := valueOf[int](v, `performance.getEntriesByType("resource").filter((e) => !e.name.startsWith(location.origin)).length`); asked != 0 {
			v.t.Errorf("the map asked other servers %d times", asked)
		}
		marks := valueOf[int](v, `document.querySelectorAll(".mark").length`)
		v.click(`.view-bar [aria-label="Zoom in"]`)
		v.await(`document.querySelectorAll(".mark").length !== ` + strconv.Itoa(marks))
		v.click("#tab-chart")
		v.do("bars by category", chromedp.WaitReady(".plot rect.series"), shot(name+"-bars"))
		v.choosePlot("Chart", "scatter")
		v.do("points of two numbers", chromedp.WaitReady(".plot circle.dot"), shot(name+"-points"))
		v.click("#tab-pivot")
		v.do("a pivot", chromedp.WaitReady(".pivot td"), shot(name+"-pivot"))
		if top := valueOf[string](v, `document.querySelector(".pivot tbody tr").textContent`); !strings.Contains(top, "hispania") || !strings.Contains(top, "171") {
			v.t.Errorf("the pivot begins with %q", top)
		}
		v.answer(reignsQuery)
		v.click("#tab-timeline")
		v.do("a timeline", chromedp.WaitReady(".plot .span"), shot(name+"-timeline"))
		if ticks := valueOf[string](v, `document.querySelector(".plot").textContent`); !strings.Contains(ticks, "1000") {
			v.t.Errorf("the timeline goes over %q", ticks)
		}
		v.click("#tab-chart")
		v.choosePlot("Chart", "line")
		v.choosePlot("across", "start")
		v.do("a line over time", chromedp.WaitReady(".plot path.line"), shot(name+"-line"))
		v.fits("a chart")
	})
}

// choosePlot sets one of the choices above a picture.
func (v *visit) choosePlot(label, value string) {
	v.t.Helper()
	v.await(`[...document.querySelectorAll(".view-bar label")].some((l) => l.querySelector("span").textContent === ` + quoted(label) + `)`)
	v.do("choose "+value, chromedp.Evaluate(`(() => { const s = [...document.querySelectorAll(".view-bar label")].find((l) => l.querySelector("span").textContent === `+quoted(label)+`).querySelector("select"); s.value = `+quoted(value)+`; s.dispatchEvent(new Event("change")); })()`, nil))
}

func TestWorkbenchDrawsWKT(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("")
	v.answer(`PREFIX geo: <http://www.opengis.net/ont/geosparql#>
SELECT ?name ?shape WHERE { VALUES (?name ?shape) {
  ("a point" "POINT(12.5 41.9)"^^geo:wktLiteral)
  ("latitude first" "<http://www.opengis.net/def/crs/EPSG/0/4326> POINT(48.2 16.4)"^^geo:wktLiteral)
  ("a way" "LINESTRING(12.5 41.9, 16.4 48.2)"^^geo:wktLiteral)
  ("a land with a lake" "POLYGON((5 45, 15 45, 15 50, 5 50, 5 45), (8 46, 9 46, 9 47, 8 46))"^^geo:wktLiteral)
  ("islands" "MULTIPOLYGON(((20 35, 21 35, 21 36, 20 35)), ((22 36, 23 36, 23 37, 22 36)))"^^geo:wktLiteral)
  ("all" "GEOMETRYCOLLECTION(POINT(2 48), LINESTRING(2 48, 3 49))"^^geo:wktLiteral)
} }`)
	v.do("see the shapes", chromedp.WaitReady(".map .mark"), chromedp.WaitReady(".map-box[data-land]"), shot("wkt"))
	if got := valueOf[string](v, `[document.querySelectorAll(".mark").length, document.querySelectorAll(".shapes .area").length, document.querySelectorAll(".shapes .line").length].join()`); got != "3,2,2" {
		t.Errorf("points, areas and lines: %s, want 3,2,2", got)
	}
	// Rome and Vienna: the one east of zero by 12.5, the other by 16.4 degrees, though its latitude stands first.
	if got := valueOf[bool](v, `(() => { const at = (label) => [...document.querySelectorAll(".mark")].find((m) => m.textContent.includes(label)).getBoundingClientRect(); const [rome, vienna] = [at("a point"), at("latitude first")]; return rome.x < vienna.x && rome.y > vienna.y; })()`); !got {
		t.Error("Vienna does not lie north-east of Rome")
	}
}

func TestWorkbenchSavesPictures(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	folder := t.TempDir()
	v.do("allow downloads", browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(folder))
	v.open("")
	v.answer(placesQuery)
	v.do("see the map", chromedp.WaitReady(".map .mark"))
	v.saves(folder, ".view-bar", "map", "mint", "")
	v.await(`document.querySelector("#query-graph").textContent.includes("?mint")`)
	v.saves(folder, "#query-graph", "query", "?mint", "")
	v.click("#tab-chart")
	for _, kind := range []string{"bar", "line", "scatter"} {
		v.choosePlot("Chart", kind)
		v.do("see a chart", chromedp.WaitReady(".plot .series, .plot .dot"))
		v.saves(folder, ".view-bar", "chart", "", kind)
	}
	v.click("#tab-graph")
	v.do("see the answer as a graph", chromedp.WaitReady(".graph-box .node"))
	v.saves(folder, ".picture-bar", "graph", "", "")
	v.click("#tab-pivot")
	v.do("see a pivot", chromedp.WaitReady(".pivot td"), chromedp.Evaluate(`[...document.querySelectorAll(".view-bar button")].find((b) => b.textContent === "Save TSV").click()`, nil))
	if pivot := arrives(t, filepath.Join(folder, "pivot.tsv")); !strings.Contains(pivot, "hispania\t") {
		t.Errorf("the pivot is saved as %.200q", pivot)
	}
	v.answer(reignsQuery)
	v.click("#tab-timeline")
	v.do("see a timeline", chromedp.WaitReady(".plot .span"))
	v.saves(folder, ".view-bar", "timeline", "", "")
	v.open("#explore=http%3A%2F%2Fnomisma.org%2Fid%2Frome")
	v.await(`document.querySelectorAll(".explore-graph .node").length > 5`)
	v.saves(folder, ".view-bar", "exploration", "Rome", "")
	v.open("#schema")
	v.do("see the schema", chromedp.WaitReady(".explore-graph .node"))
	v.saves(folder, ".view-bar", "schema", "Concept", "")
	v.open("#mine")
	v.do("mine", chromedp.WaitReady(".mine-form"), chromedp.Evaluate(`document.querySelector(".mine-form .run").click()`, nil), chromedp.WaitReady(".mine-picture .node"))
	v.saves(folder, ".mine-picture", "pattern", "?a", "")
}

// arrives waits for a file and takes it away.
func arrives(t *testing.T, file string) string {
	t.Helper()
	waitFor(t, 30*time.Second, func() bool { i, err := os.Stat(file); return err == nil && i.Size() > 0 })
	body, err := os.ReadFile(file)
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// saves saves the picture of a bar as SVG, which must be well-formed, have a text in it and be drawn without the page's style, and as PNG, which must
// have something on it.
func (v *visit) saves(folder, bar, name, text, kind string) {
	v.t.Helper()
	save := func(entry, file string) string {
		v.do("open the menu of "+name, chromedp.Evaluate(`[...document.querySelectorAll(`+quoted(bar+" button")+`)].find((b) => b.textContent === "Save picture").click()`, nil))
		v.choose(entry)
		return arrives(v.t, filepath.Join(folder, file))
	}
	drawing := save("As SVG", name+".svg")
	var whole struct {
		XMLName xml.Name
		Inner   string `xml:",innerxml"`
	}
	if err := xml.Unmarshal([]byte(drawing), &whole); err != nil || whole.XMLName.Space != "http://www.w3.org/2000/svg" || !strings.Contains(whole.Inner, text) {
		v.t.Errorf("%s %s: %v, %.300q", name, kind, err, drawing)
	}
	picture, err := png.Decode(strings.NewReader(save("As PNG", name+".png")))
	if err != nil {
		v.t.Fatalf("%s %s: %v", name, kind, err)
	}
	colours := map[color.Color]bool{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			colours[picture.At(x, y)] = true
		}
	}
	if len(colours) < 10 {
		v.t.Errorf("%s %s: the picture has %d colours", name, kind, len(colours))
	}
}
