//go:build browser

package web

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestWorkbenchShowsResources(t *testing.T) {
	atEachSize(t, func(v *visit, s *Server) {
		v.open("")
		v.answer("SELECT DISTINCT ?thing WHERE { VALUES ?thing { <http://nomisma.org/id/rome> } ?thing ?p ?o }")
		v.do("a link in the table leads to the page of a thing", chromedp.WaitReady(".answer a.iri"), chromedp.Evaluate(`document.querySelector('.answer a[href*="rome"]').click()`, nil), chromedp.WaitReady(".resource h1"))
		v.await(`document.querySelector(".resource h1").textContent === "Rome"`)
		v.await(`document.querySelectorAll(".facts-list dt").length > 4 && document.querySelectorAll(".types a").length > 0`)
		v.fits("a resource")
		v.open("#resource=http%3A%2F%2Fnomisma.org%2Fid%2Froman_empire")
		v.await(`document.querySelectorAll(".sides section:nth-child(2) dt").length > 1`)
		v.do("see what says it", shot(v.screen.name+"-resource"))
		v.do("more of it", chromedp.Evaluate(`(() => { const g = document.querySelector(".sides section:nth-child(2)"); window.before = g.querySelectorAll("li").length; })()`, nil))
		v.await(`(() => { // the page may still be drawn anew when it is clicked first
			const g = document.querySelector(".sides section:nth-child(2)");
			if (g.querySelectorAll("li").length <= window.before) g.querySelector(".more-values")?.click();
			return g.querySelectorAll("li").length > window.before;
		})()`)
		v.do("find a thing", chromedp.SetValue(".thing-search input", "alexandria troas"), chromedp.Evaluate(`document.querySelector(".thing-search input").dispatchEvent(new Event("input"))`, nil), chromedp.WaitReady(".found-list a"))
		if first := valueOf[string](v, `document.querySelector(".found-list a b").textContent`); !strings.EqualFold(first, "Alexandria Troas") {
			v.t.Errorf("found %q first", first)
		}
	})
}

// overlaps counts pairs of labels in sight that cover each other by more than a sliver.
const overlaps = `(() => {
  const boxes = [...document.querySelectorAll(".explore-graph .node > text, .explore-graph .edge-label")].filter((e) => !e.classList.contains("hid") && e.textContent).map((e) => e.getBoundingClientRect());
  let n = 0;
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => (n += Math.min(a.right, b.right) - Math.max(a.left, b.left) > 4 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4)));
  return n;
})()`

func TestWorkbenchExploresByClicks(t *testing.T) {
	atEachSize(t, func(v *visit, s *Server) {
		v.open("#explore=http%3A%2F%2Fnomisma.org%2Fid%2Fhispania")
		nodes := `document.querySelectorAll(".explore-graph .node").length`
		v.await(nodes + " > 5")
		const grow = `(() => {
  const ways = [...document.querySelectorAll(".explore-panel .entry")];
  const more = ways.find((w) => w.textContent.startsWith("←") && Number(w.querySelector(".many").textContent) > 30);
  if (more) more.click();
  else document.querySelector(".explore-graph .node.unopened").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
})()`
		for range 60 {
			if valueOf[int](v, nodes) >= 200 {
				break
			}
			v.do("add some", chromedp.Evaluate(grow, nil), chromedp.Sleep(150*time.Millisecond))
		}
		v.await(nodes + " >= 200")
		v.do("come to rest", chromedp.Sleep(900*time.Millisecond), shot(v.screen.name+"-explore-200"))
		v.fits("the exploration graph")
		if n := valueOf[int](v, overlaps); n > 3 {
			v.t.Errorf("%d pairs of labels cover each other", n)
		}
		shown := valueOf[[]int](v, `[[...document.querySelectorAll(".explore-graph .node > text")].filter((e) => !e.classList.contains("hid")).length, [...document.querySelectorAll(".explore-graph .edge-label")].filter((e) => !e.classList.contains("hid")).length]`)
		if shown[0] < 15 || shown[1] < 1 {
			v.t.Errorf("of 200 nodes only %d names and %d edge labels are shown", shown[0], shown[1])
		}
		if size := valueOf[float64](v, `Math.min(...[...document.querySelectorAll(".explore-graph .node > text")].filter((e) => !e.classList.contains("hid") && e.closest(".iri")).map((e) => e.getBoundingClientRect().height))`); size < 9 {
			v.t.Errorf("names are %.1f pixels high", size)
		}
	})
}

// cutNames are the names of nodes that the edge of the drawing cuts.
const cutNames = `(() => {
	const box = document.querySelector(".explore-graph svg").getBoundingClientRect();
	const cut = (b) => b.left < box.left || b.right > box.right;
	return [...document.querySelectorAll(".explore-graph .node text:not(.hid)")].filter((t) => cut(t.getBoundingClientRect())).map((t) => t.textContent);
})()`

func TestWorkbenchShowsTheSchema(t *testing.T) {
	atEachSize(t, func(v *visit, s *Server) {
		v.open("#schema")
		v.do("see classes", chromedp.WaitReady(".explore-graph .node"), chromedp.Sleep(400*time.Millisecond), shot(v.screen.name+"-schema"))
		v.fits("the schema")
		if n := valueOf[int](v, overlaps); n > 3 {
			v.t.Errorf("%d pairs of labels cover each other", n)
		}
		if names := valueOf[[]string](v, cutNames); len(names) > 0 {
			v.t.Errorf("the edge of the drawing cuts %q", names)
		}
		v.do("choose a class", chromedp.Evaluate(`[...document.querySelectorAll(".explore-panel .entry")].find((e) => e.textContent.startsWith("nmo:Mint")).click()`, nil))
		v.await(`document.querySelector(".explore-panel h2").textContent === "nmo:Mint" && document.querySelector(".explore-panel").textContent.includes("members")`)
		v.await(`[...document.querySelectorAll(".explore-panel .entry")].some((e) => e.textContent.includes("geo:location") && e.textContent.includes("geo:SpatialThing"))`)
	})
}

func TestWorkbenchShowsTheServer(t *testing.T) {
	atEachSize(t, func(v *visit, s *Server) {
		v.open("#server")
		v.do("see the hour", chromedp.WaitReady(".hour .plot"))
		v.await(`document.querySelector(".server").textContent.includes("757,143")`)
		if page := valueOf[string](v, `document.querySelector(".server").innerText`); !contains(page, "Segment", "gen-", "default.pcsr", "on disk", "bytes a triple", "Memory of the server", "Queries a second", "GPU", "A query may take") {
			v.t.Errorf("the page of the server says %q", page)
		}
		done := make(chan int, 1)
		go func() {
			response, err := http.PostForm(v.address+"/sparql", url.Values{"query": {endlessQuery}, "format": {"tsv"}, "send": {"1"}})
			if err != nil {
				done <- 0
				return
			}
			io.Copy(io.Discard, response.Body) // hanging up would cancel it
			response.Body.Close()
			done <- response.StatusCode
		}()
		v.do("see it run", chromedp.WaitReady(".server progress"), chromedp.Sleep(300*time.Millisecond), shot(v.screen.name+"-server"))
		v.fits("the server")
		v.click(`[aria-label^="Cancel query"]`)
		v.await(`document.querySelector(".server .none")`)
		waitFor(v.t, 20*time.Second, func() bool { return s.queries.len() == 0 })
		<-done
	})
}

func TestWorkbenchMines(t *testing.T) {
	atEachSize(t, func(v *visit, s *Server) {
		v.open("#mine")
		v.do("frequent patterns", chromedp.WaitReady(".mine-form"), chromedp.SetValue(`.mine-form [name="support"]`, "2000"), chromedp.Evaluate(`document.querySelector(".mine-form .run").click()`, nil), chromedp.WaitReady(".mine-list tbody tr"))
		v.await(`document.querySelectorAll(".mine-list tbody tr").length === 125`)
		v.await(`document.querySelectorAll(".mine-picture .node").length === 2`)
		v.do("choose one", chromedp.Evaluate(`[...document.querySelectorAll(".mine-list .code-link")].find((e) => e.textContent.includes("nmo:Mint") && e.textContent.includes("geo:location") && e.textContent.includes(",")).click()`, nil))
		v.await(`document.querySelectorAll(".mine-picture .node").length === 3 && document.querySelector(".mine-picture .drawing").textContent.includes("nmo:Mint")`)
		v.do("see it", chromedp.Sleep(300*time.Millisecond), shot(v.screen.name+"-mine"))
		v.fits("frequent patterns")
		v.do("with literals", chromedp.SetValue(`.mine-form [name="bins"]`, "4"), chromedp.SetValue(`.mine-form [name="bounds"]`, " :atTime=2014-01-01T00:00:00Z,2016-01-01T00:00:00Z ; http://www.w3.org/2003/01/geo/wgs84_pos#lat=0"),
			chromedp.Evaluate(`document.querySelector(".mine-form .run").click()`, nil))
		v.await(`document.querySelector(".mine-list")?.textContent.includes("→ ≥ 2014-01-01T00:00:00Z, < 2016-01-01T00:00:00Z") && document.querySelector(".mine-list").textContent.includes("geo:lat → ≥ 0") && document.querySelector(".mine-list").textContent.includes("@en")`)
		v.do("choose a range", chromedp.Evaluate(`[...document.querySelectorAll(".mine-list .code-link")].find((e) => e.textContent.includes("geo:lat → ≥ 0")).click()`, nil))
		v.await(`document.querySelector(".mine-picture .node.literal")?.textContent.includes("≥ 0")`)
		v.do("see it", chromedp.Sleep(300*time.Millisecond), shot(v.screen.name+"-mine-literals"))
		v.fits("patterns with literals")
		v.do("no bounds of what is no edge", chromedp.SetValue(`.mine-form [name="bounds"]`, ":nowhere=3"), chromedp.Evaluate(`document.querySelector(".mine-form .run").click()`, nil))
		v.await(`document.querySelector(".mine-says .problem")?.textContent.includes("nowhere")`)
		v.do("motifs along one predicate", chromedp.SetValue(`.mine-form [name="what"]`, "motifs"), chromedp.Evaluate(`(() => {
  document.querySelector('.mine-form [name="what"]').dispatchEvent(new Event("change"));
  document.querySelector('.mine-choice input[value="http://www.w3.org/2004/02/skos/core#broader"]').click();
  document.querySelector(".mine-form .run").click();
})()`, nil))
		v.await(`document.querySelector(".mine-list")?.textContent.includes("star of 3 edges")`)
		v.do("open it as a query", chromedp.Evaluate(`document.querySelector(".mine-picture .run").click()`, nil))
		v.await(`!document.getElementById("query-page").hidden && document.querySelector("#editor").textContent.includes("SELECT DISTINCT ?a ?b ?c ?d")`)
		v.open("#mine")
		v.do("cores", chromedp.WaitReady(".mine-form"), chromedp.SetValue(`.mine-form [name="what"]`, "cores"), chromedp.Evaluate(`(() => {
  document.querySelector('.mine-form [name="what"]').dispatchEvent(new Event("change"));
  document.querySelector(".mine-form .run").click();
})()`, nil))
		v.await(`document.querySelectorAll(".mine .plain tbody tr").length > 5`)
		v.do("a search that takes too long", chromedp.SetValue(`.mine-form [name="what"]`, "motifs"), chromedp.Evaluate(`(() => {
  document.querySelector('.mine-form [name="what"]').dispatchEvent(new Event("change"));
  document.querySelector('.mine-form [data-field="vertices-motif"] input').value = 5;
  document.querySelector(".mine-form .run").click();
})()`, nil))
		v.await(`document.querySelector(".mine-says").textContent.includes("vertices")`)
		v.do("stop it", chromedp.Evaluate(`document.querySelector(".mine-form .quiet").click()`, nil))
		v.await(`document.querySelector(".mine-says").textContent === "Stopped" && !document.querySelector(".mine-form .run").disabled`)
		waitFor(v.t, 5*time.Second, func() bool { return s.queries.len() == 0 })
	})
}
