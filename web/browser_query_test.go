//go:build browser

package web

import (
	"context"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rdfgpu/rdfgpu"
)

const mintQuery = `PREFIX nmo: <http://nomisma.org/ontology#>
PREFIX geo: <http://www.w3.org/2003/01/geo/wgs84_pos#>
SELECT ?mint ?place ?lat WHERE {
  ?mint a nmo:Mint ;
    geo:location ?place .
  ?place geo:lat ?lat .
}`

const endlessQuery = "SELECT * WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }"

func TestWorkbenchAnswersQueries(t *testing.T) {
	atEachSize(t, func(v *visit, s *Server) {
		name := v.screen.name
		var status, firstCell string
		v.open("")
		v.do("see the data set", chromedp.WaitVisible(".overview"), shot(name+"-1-overview"))
		v.fits("the overview")
		v.do("type a query and run it by keyboard",
			typeQuery(mintQuery), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl)),
			chromedp.WaitVisible(".answer tbody tr td"), chromedp.WaitNotPresent(".status .spinner"),
			chromedp.Text(".status", &status), chromedp.Text(".answer td[data-place]", &firstCell), shot(name+"-2-table"))
		if !strings.Contains(status, "rows") || !strings.Contains(firstCell, ":") {
			v.t.Errorf("status %q, first cell %q", status, firstCell)
		}
		v.fits("the table")
		v.await(`document.querySelectorAll("#query-graph .node").length === 3`)
		v.click("#tab-plan")
		v.do("see the plan, measured", chromedp.WaitReady(".steps tr"))
		v.click(".plan-bar button")
		v.do("see the plan, measured", chromedp.WaitReady(".phases"), chromedp.WaitReady(".steps thead"), shot(name+"-3-plan"))
		v.fits("the plan")
		v.click("#tab-graph")
		v.do("see the answer as a graph", chromedp.WaitReady(".graph-box .node"), shot(name+"-4-graph"))
		v.click("#tab-table")
		v.do("a query that has no end", typeQuery(endlessQuery), chromedp.Evaluate(`document.querySelector("#run").click()`, nil))
		v.await(`document.body.matches(".running") && document.querySelector(".status .spinner") !== null`)
		v.do("cancel it", chromedp.Sleep(300*time.Millisecond), shot(name+"-5-running"), chromedp.KeyEvent(kb.Escape))
		v.await(`document.querySelector(".problem h2")?.textContent === "Cancelled"`)
		waitFor(v.t, 10*time.Second, func() bool { return s.queries.len() == 0 })
		v.do("an error is shown where it is",
			typeQuery("SELECT * WHERE { ?s ?p }"), chromedp.WaitReady("#complaint:not([hidden])"), chromedp.WaitReady(".fault"), shot(name+"-6-error"))
		v.fits("a query with an error")
		if v.screen.width < 640 {
			v.do("open the data set from the drawer",
				chromedp.Evaluate(`scrollTo(0, 0)`, nil), chromedp.Click("#open-dataset"), chromedp.WaitVisible(".dataset-open .entries .entry"), chromedp.Sleep(300*time.Millisecond), shot(name+"-7-drawer"))
			v.click(".entries li:nth-child(2) .entry")
			v.do("the drawer closes", chromedp.WaitNotPresent(".dataset-open"))
		}
	})
}

func TestWorkbenchRunsLinksOnlyWhenAsked(t *testing.T) {
	s, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	link := "#" + url.Values{"query": {"ASK { ?s a ?class }"}, "semantics": {"isomorphism"}, "name": {"Somebody's query"}}.Encode()
	before := s.metrics.read().queries
	v.open(link)
	v.do("see the query", chromedp.WaitVisible(".by-link .run"))
	time.Sleep(500 * time.Millisecond)
	if ran := s.metrics.read().queries - before; ran != 0 {
		t.Errorf("%v queries ran before anybody asked", ran)
	}
	if got := v.text(); got != "ASK { ?s a ?class }" {
		t.Errorf("the link shows %q", got)
	}
	if got := valueOf[string](v, `document.querySelector("#semantics").value + "|" + document.querySelector(".draft-tabs [aria-selected=true]").textContent`); got != "isomorphism|Somebody's query" {
		t.Errorf("the link's settings are %q", got)
	}
	v.click(".by-link .run")
	v.do("see the answer", chromedp.WaitVisible(".boolean .yes"))
}

// pretendGPU is a store on a machine with a GPU, as far as the workbench can tell.
type pretendGPU struct{ Engine }

func (p pretendGPU) Device() rdfgpu.DeviceInfo {
	return rdfgpu.DeviceInfo{Available: true, Name: "Pretended GPU", Memory: 1 << 37, Free: 1 << 36}
}

func (p pretendGPU) Explain(ctx context.Context, text string, options rdfgpu.QueryOptions) (any, error) {
	options.Device = rdfgpu.CPU
	return p.Engine.Explain(ctx, text, options)
}

func TestWorkbenchComparesDevices(t *testing.T) {
	store, err := nomisma()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(pretendGPU{StoreEngine(store)}, Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	ctx := openBrowser(t)
	var console complaints
	console.listen(ctx)
	var pill, race string
	err = chromedp.Run(ctx, log.Enable(), emulation.SetDeviceMetricsOverride(1280, 800, 1, false),
		chromedp.Navigate(server.URL+"/#"+url.Values{"query": {mintQuery}, "tab": {"plan"}}.Encode()), chromedp.WaitVisible(".steps tr"),
		chromedp.Text("#device-pill", &pill),
		chromedp.Click(".plan-bar button:nth-child(2)"), chromedp.WaitVisible(".comparison .sides .steps"),
		chromedp.Text(".race", &race), shot("laptop-compare"),
		chromedp.Click(`#device [data-value="gpu"]`), chromedp.WaitVisible(`#device [data-value="gpu"][aria-checked="true"]`))
	if err != nil || len(console.list) > 0 {
		t.Fatal(err, console.list)
	}
	if pill != "Pretended GPU" || !strings.Contains(race, "CPU") || !strings.Contains(race, "GPU") {
		t.Errorf("the device is %q, the comparison says %q", pill, race)
	}
}
