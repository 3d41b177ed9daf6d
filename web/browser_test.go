//go:build browser

package web

import (
	"context"
	"encoding/json"
	"net/http/httptest"
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

// The workbench in a real browser, by topic in the files browser_*_test.go. Set RDFGPU_SHOTS to a folder to get pictures
// of what it looked like.

// screen is a size that the workbench is tried at.
type screen struct {
	name          string
	width, height int64
}

var screens = []screen{{"laptop", 1280, 800}, {"phone", 390, 844}, {"wide", 1920, 1080}}

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
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "en-US"), chromedp.UserDataDir(profile), chromedp.WSURLReadTimeout(2*time.Minute))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	tab, closeTab := chromedp.NewContext(allocator)
	ctx, cancel := context.WithTimeout(tab, 5*time.Minute)
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
	mu       sync.Mutex
	list     []string
	expected string // what is no complaint, where it is not ""
}

func (c *complaints) listen(ctx context.Context) {
	add := func(text string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.expected != "" && strings.Contains(text, c.expected) {
			return
		}
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

// visit is somebody in front of the workbench.
type visit struct {
	t       *testing.T
	ctx     context.Context
	address string
	screen  screen
	console *complaints
}

// begin opens a browser at a size; the page is not opened yet.
func begin(t *testing.T, address string, size screen) *visit {
	t.Helper()
	v := &visit{t: t, ctx: openBrowser(t), address: address, screen: size, console: &complaints{}}
	v.console.listen(v.ctx)
	// The first step starts the browser, which ends with the context of that step.
	if err := chromedp.Run(v.ctx, log.Enable(), emulation.SetDeviceMetricsOverride(size.width, size.height, 1, size.width < 600)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.console.mu.Lock()
		defer v.console.mu.Unlock()
		if len(v.console.list) > 0 {
			t.Errorf("console: %v", v.console.list)
		}
	})
	return v
}

// do is one step, which must succeed within a minute.
func (v *visit) do(what string, actions ...chromedp.Action) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		chromedp.Run(v.ctx, shot(v.screen.name+"-failed"))
		v.console.mu.Lock()
		defer v.console.mu.Unlock()
		v.t.Fatalf("%s: %v; console: %v", what, err, v.console.list)
	}
}

// open goes to an address of the workbench and waits until it knows the store. The page is loaded anew.
func (v *visit) open(hash string) {
	v.t.Helper()
	v.do("open "+hash, chromedp.Navigate("about:blank"), chromedp.Navigate(v.address+"/"+hash), chromedp.WaitReady("html[data-ready]"))
}

// valueOf is the value of an expression in the page.
func valueOf[T any](v *visit, expression string) T {
	v.t.Helper()
	var value T
	v.do(expression, chromedp.Evaluate(expression, &value))
	return value
}

// await waits until an expression is true.
func (v *visit) await(expression string) {
	v.t.Helper()
	v.do("wait until "+expression, chromedp.Poll(expression, nil, chromedp.WithPollingInterval(40*time.Millisecond), chromedp.WithPollingTimeout(50*time.Second)))
}

// click clicks what stands first in the page, as a script does: also where a finger would have to scroll.
func (v *visit) click(selector string) {
	v.t.Helper()
	v.do("click "+selector, chromedp.WaitReady(selector), chromedp.Evaluate(`document.querySelector(`+quoted(selector)+`).click()`, nil))
}

// choose clicks an entry of the open menu.
func (v *visit) choose(entry string) {
	v.t.Helper()
	v.await(`[...document.querySelectorAll(".menu button")].some((b) => b.textContent.startsWith(` + quoted(entry) + `))`)
	v.do("choose "+entry, chromedp.Evaluate(`[...document.querySelectorAll(".menu button")].find((b) => b.textContent.startsWith(`+quoted(entry)+`)).click()`, nil))
}

// write puts a text into the editor, without the keyboard.
func (v *visit) write(text string) {
	v.t.Helper()
	v.do("write a query", chromedp.Evaluate(`document.querySelector(".CodeMirror").CodeMirror.setValue(`+quoted(text)+`)`, nil))
}

// text is what stands in the editor.
func (v *visit) text() string {
	v.t.Helper()
	return valueOf[string](v, `document.querySelector(".CodeMirror").CodeMirror.getValue()`)
}

// answer runs a query and waits for the end of its answer.
func (v *visit) answer(query string) {
	v.t.Helper()
	v.write(query)
	v.do("run", chromedp.Evaluate(`document.querySelector("#run").click()`, nil), chromedp.WaitReady("body.running, .status b, .problem, .boolean"))
	v.await(`!document.body.classList.contains("running")`)
}

// fits fails where the page is wider than the window: what is cut off cannot be reached on a phone.
func (v *visit) fits(what string) {
	v.t.Helper()
	if valueOf[bool](v, `document.documentElement.scrollWidth > innerWidth`) {
		v.t.Errorf("%s, %s: the page is wider than the window", v.screen.name, what)
	}
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// nomisma is the store that all browser tests look at; it is opened once.
var nomisma = sync.OnceValues(func() (*rdfgpu.Store, error) {
	folder, err := os.MkdirTemp("", "nomisma")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(folder, "store")
	if _, err := rdfgpu.Load(context.Background(), dir, []string{"../testdata/nomisma/nomisma.nt.zst"}, rdfgpu.LoadOptions{}); err != nil {
		return nil, err
	}
	return rdfgpu.Open(dir, rdfgpu.Options{})
})

// serveNomisma serves the data set in testdata.
func serveNomisma(t *testing.T) (*Server, string) {
	t.Helper()
	store, err := nomisma()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(StoreEngine(store), Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

// atEachSize runs a test at the three sizes, side by side.
func atEachSize(t *testing.T, test func(v *visit, s *Server)) {
	t.Helper()
	at(t, screens, test)
}

// at runs a test at some sizes, side by side, each with a browser and a server of its own: a browser waits as long as it works.
func at(t *testing.T, sizes []screen, test func(v *visit, s *Server)) {
	t.Helper()
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			t.Parallel()
			s, address := serveNomisma(t)
			test(begin(t, address, size), s)
		})
	}
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

// contains reports whether a text holds all parts.
func contains(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
