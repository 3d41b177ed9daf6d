//go:build browser

package web

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// slowestPaint is five times what the first paint may take on a quiet machine: it took 108 ms where fifty programs wanted two cores.
const slowestPaint = 500 * time.Millisecond

func TestWorkbenchPaintsSoon(t *testing.T) {
	_, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("") // starts the browser's processes and fills its cache of compiled code
	best := 1e9
	for range 5 {
		v.do("open it anew", chromedp.Navigate("about:blank"), chromedp.Navigate(v.address+"/"), chromedp.WaitReady("html[data-ready]"))
		best = min(best, valueOf[float64](v, `performance.getEntriesByType("paint")[0].startTime`))
	}
	t.Logf("first paint after %.0f ms", best)
	if best > float64(slowestPaint.Milliseconds()) {
		t.Errorf("the first paint took %.0f ms", best)
	}
	if files := valueOf[[]string](v, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith(location.origin))`); len(files) > 0 {
		t.Errorf("the page asks other servers for %q", files)
	}
}
