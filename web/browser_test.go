//go:build browser

package web

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rdfgpu/rdfgpu"
)

// The workbench in a real browser. Set RDFGPU_SHOTS to a folder to get pictures of what it looked like.

const mintQuery = `PREFIX nmo: <http://nomisma.org/ontology#>
PREFIX geo: <http://www.w3.org/2003/01/geo/wgs84_pos#>
SELECT ?mint ?place ?lat WHERE {
  ?mint a nmo:Mint ;
    geo:location ?place .
  ?place geo:lat ?lat .
}`

const endlessQuery = "SELECT * WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }"

// openBrowser starts a headless browser, or skips the test where there is none.
func openBrowser(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium is installed")
	}
	profile, err := os.MkdirTemp("", "workbench")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(profile))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	tab, closeTab := chromedp.NewContext(allocator)
	ctx, cancel := context.WithTimeout(tab, 120*time.Second)
	t.Cleanup(func() {
		chromedp.Cancel(tab) // waits until the browser is gone
		cancel()
		closeTab()
		stop()
		os.RemoveAll(profile)
	})
	return ctx
}

// complaints collects what the page writes to its console as an error.
type complaints struct {
	mu   sync.Mutex
	list []string
}

func (c *complaints) listen(ctx context.Context) {
	add := func(text string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.list = append(c.list, text)
	}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			add(e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				text, _ := json.Marshal(e.Args)
				add(string(text))
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				add(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	})
}

// loadStore loads the data set in testdata.
func loadStore(t *testing.T) *rdfgpu.Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if _, err := rdfgpu.Load(t.Context(), dir, []string{"../testdata/nomisma/nomisma.nt.zst"}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	store, err := rdfgpu.Open(dir, rdfgpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func shot(name string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		folder := os.Getenv("RDFGPU_SHOTS")
		if folder == "" {
			return nil
		}
		var picture []byte
		if err := chromedp.CaptureScreenshot(&picture).Do(ctx); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	})
}

// typeQuery replaces the editor's text by typing.
func typeQuery(text string) chromedp.Action {
	return chromedp.Tasks{
		chromedp.Click(".CodeMirror-lines", chromedp.NodeVisible),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(input.ModifierCtrl)),
		chromedp.KeyEvent(kb.Backspace),
		chromedp.ActionFunc(func(ctx context.Context) error { return input.InsertText(text).Do(ctx) }),
	}
}

func TestWorkbench(t *testing.T) {
	store := loadStore(t)
	s, err := New(StoreEngine(store), Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	sizes := map[string][2]int64{"laptop": {1280, 800}, "phone": {390, 844}, "wide": {1920, 1080}}
	for name, size := range sizes {
		t.Run(name, func(t *testing.T) { useWorkbench(t, s, server.URL, name, size[0], size[1]) })
	}
}

func useWorkbench(t *testing.T, s *Server, address, name string, width, height int64) {
	ctx := openBrowser(t)
	var console complaints
	console.listen(ctx)
	var status, firstCell, overflow string
	run := func(what string, actions ...chromedp.Action) {
		t.Helper()
		if err := chromedp.Run(ctx, actions...); err != nil {
			chromedp.Run(ctx, shot(name+"-failed"))
			t.Fatalf("%s: %v; console: %v", what, err, console.list)
		}
	}
	run("open the page",
		log.Enable(), emulation.SetDeviceMetricsOverride(width, height, 1, width < 600),
		chromedp.Navigate(address), chromedp.WaitReady("html[data-ready]"),
		chromedp.WaitVisible(".overview"), shot(name+"-1-overview"),
		chromedp.Evaluate(`String(document.documentElement.scrollWidth > innerWidth)`, &overflow))
	if overflow != "false" {
		t.Error("the page is wider than the window")
	}
	run("type a query and run it by keyboard",
		typeQuery(mintQuery), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl)),
		chromedp.WaitVisible(".answer tbody tr"), chromedp.WaitNotPresent(".spinner"),
		chromedp.Text(".status", &status), chromedp.Text(".answer tbody tr td:nth-child(2)", &firstCell),
		chromedp.Sleep(600*time.Millisecond), shot(name+"-2-table"))
	if !strings.Contains(status, "rows") || !strings.Contains(firstCell, ":") {
		t.Errorf("status %q, first cell %q", status, firstCell)
	}
	var drawn int
	run("see the query graph", chromedp.Evaluate(`document.querySelectorAll("#query-graph .node").length`, &drawn))
	if drawn != 3 {
		t.Errorf("the query graph has %d nodes, want 3", drawn)
	}
	run("see the plan, measured",
		chromedp.Click("#tab-plan"), chromedp.WaitVisible(".steps tr"), chromedp.Click(".plan-bar button"),
		chromedp.WaitVisible(".phases"), chromedp.WaitVisible(".steps thead"), shot(name+"-3-plan"))
	run("see the answer as a graph", chromedp.Click("#tab-graph"), chromedp.WaitVisible(".graph-box .node"), shot(name+"-4-graph"))
	run("cancel a query that has no end",
		chromedp.Click("#tab-table"), typeQuery(endlessQuery), chromedp.Click("#run"),
		chromedp.WaitVisible("body.running"), chromedp.WaitVisible(".spinner"), chromedp.Sleep(300*time.Millisecond), shot(name+"-5-running"),
		chromedp.KeyEvent(kb.Escape), chromedp.WaitVisible(".problem h2"), chromedp.Text(".problem h2", &status))
	if status != "Cancelled" {
		t.Errorf("after Escape: %q", status)
	}
	waitFor(t, 100*time.Millisecond, func() bool { return s.queries.len() == 0 })
	link := "#" + url.Values{"query": {"ASK { ?s a ?class }"}, "semantics": {"isomorphism"}}.Encode()
	var semantics string
	run("follow a shared link",
		chromedp.Navigate("about:blank"), chromedp.Navigate(address+"/"+link), chromedp.WaitVisible(".boolean b"),
		chromedp.Text(".boolean b", &status), chromedp.Value("#semantics", &semantics), shot(name+"-6-link"))
	if status != "Yes" || semantics != "isomorphism" {
		t.Errorf("the link shows %q with semantics %q", status, semantics)
	}
	run("complete a class", typeQuery("SELECT * WHERE { ?s a Min"), chromedp.KeyEvent(" ", chromedp.KeyModifiers(input.ModifierCtrl)),
		chromedp.WaitVisible(".CodeMirror-hints"), chromedp.Text(".CodeMirror-hint", &firstCell), shot(name+"-7-completion"),
		chromedp.KeyEvent(kb.Enter), chromedp.Evaluate(`document.querySelector(".CodeMirror").CodeMirror.getValue()`, &status))
	if !strings.Contains(firstCell, "Mint") || !strings.Contains(status, "?s a nmo:Mint") || !strings.Contains(status, "PREFIX nmo: <http://nomisma.org/ontology#>") {
		t.Errorf("completion offers %q and writes %q", firstCell, status)
	}
	run("an error is shown where it is",
		typeQuery("SELECT * WHERE { ?s ?p }"), chromedp.WaitVisible("#complaint"), chromedp.WaitVisible(".fault"), shot(name+"-8-error"))
	run("dark", chromedp.Evaluate(`document.querySelector("#theme").click()`, nil), typeQuery(mintQuery), chromedp.Click("#run"),
		chromedp.WaitVisible(".answer tbody tr"), chromedp.Sleep(600*time.Millisecond), shot(name+"-9-dark"))
	if width < 640 {
		run("open the data set from the drawer",
			chromedp.Click("#open-dataset"), chromedp.WaitVisible(".dataset-open .entries .entry"), chromedp.Sleep(300*time.Millisecond), shot(name+"-10-drawer"),
			chromedp.Click(".entries li:nth-child(2) .entry"), chromedp.WaitNotPresent(".dataset-open"))
	}
	if len(console.list) > 0 {
		t.Errorf("console: %v", console.list)
	}
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
	s, err := New(pretendGPU{StoreEngine(loadStore(t))}, Options{Log: quiet})
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
