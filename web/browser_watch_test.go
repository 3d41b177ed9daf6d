//go:build browser

package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	watchState  = `(document.querySelector(".watch-state")?.textContent ?? "")`
	watchNote   = `(document.querySelector(".watch-note")?.textContent ?? "")`
	problemSeen = `(document.querySelector(".problem")?.textContent ?? "")`
	// watchRows are the rows of the table with their signs; those that fade come last.
	watchRows = `[...document.querySelectorAll(".watch-rows:not([hidden]) tbody tr")].map((r) => [...r.cells].map((c) => c.textContent).join(" ").trim()).sort().join(", ").replaceAll("ns:", ":")`
)

// watch makes a query stand.
func (v *visit) watch(query string) {
	v.t.Helper()
	v.write(query)
	v.await(`!document.querySelector("#watch").disabled`)
	v.click("#watch")
}

// awaitText waits until a text in the page has a part.
func (v *visit) awaitText(expression, part string) {
	v.t.Helper()
	v.await(expression + `.includes(` + quoted(part) + `)`)
}

// settled waits until nothing flashes and nothing fades, and returns the rows.
func (v *visit) settled() string {
	v.t.Helper()
	v.await(`!document.querySelector(".watch-rows .came, .watch-rows .gone")`)
	return valueOf[string](v, watchRows)
}

// changesListed are the commits of the list with what came and went, the last one first.
func (v *visit) changesListed() string {
	v.t.Helper()
	return valueOf[string](v, `[...document.querySelectorAll(".watch-changes li")].map((i) => i.querySelector("b").textContent + " " + [...i.querySelectorAll("span span")].concat([...i.querySelectorAll("button span")]).map((s) => s.textContent).join(" ")).join(", ")`)
}

func TestWorkbenchWatchesAQuery(t *testing.T) {
	s, address := standingServer(t, Options{})
	for i, size := range screens {
		t.Run(size.name, func(t *testing.T) {
			v := begin(t, address, size)
			v.open("")
			v.watch(followers)
			v.awaitText(watchState, "2 rows")
			if rows := v.settled(); rows != ":a :b, :b :c" {
				t.Errorf("at first %q", rows)
			}
			before := valueOf[int](v, `document.querySelectorAll(".watch-changes li").length`)
			updateOf(t, s, "INSERT DATA { :c :follows :d }")
			v.await(`document.querySelector(".watch-rows .came")?.textContent === "+ns:cns:d"`)
			v.do("see a row come", shot(size.name+"-watch-came"))
			v.awaitText(watchState, "3 rows")
			if rows := v.settled(); rows != ":a :b, :b :c, :c :d" {
				t.Errorf("after an insertion %q", rows)
			}
			updateOf(t, s, "DELETE DATA { :a :follows :b }; INSERT DATA { :d :follows :e }")
			v.await(`document.querySelector(".watch-rows .gone")?.textContent === "−ns:ans:b"`)
			v.do("see a row go", shot(size.name+"-watch-gone"))
			if rows := v.settled(); rows != ":b :c, :c :d, :d :e" {
				t.Errorf("after a removal %q", rows)
			}
			if listed, want := v.changesListed(), fmt.Sprintf("%d +1 −1, %d +1, ", 3*i+2, 3*i+1); before != 1 || !strings.HasPrefix(listed, want) {
				t.Errorf("%q is listed, beginning with %q is right", listed, want)
			}
			v.awaitText(`document.querySelector(".watch > .unseen").textContent`, "rows now")
			if rate := valueOf[string](v, `document.querySelector(".watch-rate").textContent`); rate == "0.0 changes/s" {
				t.Errorf("the rate is %s", rate)
			}
			v.await(`document.querySelectorAll(".watch-spark rect").length > 0`)
			v.fits("a query that stands")
			v.do("press the button by keyboard", chromedp.Focus("#watch"), chromedp.KeyEvent(kb.Enter))
			v.awaitText(watchState, "Stopped")
			waitFor(t, 10*time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 0 })
			updateOf(t, s, "DELETE { ?a :follows ?b } INSERT { :a :follows :b . :b :follows :c } WHERE { ?a :follows ?b }")
			if rows := valueOf[string](v, watchRows); rows != ":b :c, :c :d, :d :e" {
				t.Errorf("after the end %q", rows)
			}
		})
	}
}

func TestWorkbenchShowsWhatAChangeWas(t *testing.T) {
	s, address := standingServer(t, Options{})
	v := begin(t, address, screens[0])
	v.open("")
	v.watch("PREFIX : <http://e/> SELECT ?a { ?a :follows ?b }")
	v.awaitText(watchState, "2 rows")
	updateOf(t, s, "INSERT DATA { :a :follows :c . :x :follows :y }")
	v.awaitText(watchState, "commit 1")
	updateOf(t, s, "DELETE DATA { :b :follows :c }")
	v.awaitText(watchState, "commit 2")
	if rows := v.settled(); rows != ":x, ×2 :a" {
		t.Errorf("with a row that is there twice %q", rows)
	}
	v.do("choose a change by keyboard", chromedp.Focus(".watch-changes li:nth-child(2) button"), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(".watch-head"))
	if rows := valueOf[string](v, watchRows); rows != "+ :a, + :x" {
		t.Errorf("the change is %q", rows)
	}
	if head := valueOf[string](v, `document.querySelector(".watch-head").textContent`); !contains(head, "Commit 1: 2 rows came, 0 went", "changed triples alone") {
		t.Errorf("the change is headed %q", head)
	}
	v.do("see it", shot("laptop-watch-change"))
	updateOf(t, s, "INSERT DATA { :z :follows :y }") // the table goes on behind it
	v.click(".watch-head .quiet")
	v.awaitText(watchState, "4 rows")
	if rows := v.settled(); rows != ":x, :z, ×2 :a" {
		t.Errorf("back at all rows %q", rows)
	}
	if focus := valueOf[string](v, `document.activeElement.textContent`); !strings.HasPrefix(focus, "1") {
		t.Errorf("the focus is at %q", focus)
	}
}

func TestWorkbenchPausesAWatch(t *testing.T) {
	s, address := standingServer(t, Options{})
	v := begin(t, address, screens[0])
	v.open("")
	v.watch(followers)
	v.awaitText(watchState, "2 rows")
	v.click(".watch-bar .quiet")
	v.awaitText(watchState, "Paused, 0 changes to come")
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	v.awaitText(watchState, "Paused, 1 change to come")
	updateOf(t, s, "DELETE DATA { :a :follows :b }")
	v.awaitText(watchState, "Paused, 2 changes to come · 2 rows · commit 2")
	if rows := valueOf[string](v, watchRows); rows != ":a :b, :b :c" {
		t.Errorf("while it is paused %q", rows)
	}
	v.click(".watch-bar .quiet")
	v.await(`document.querySelector(".watch-rows .gone") && document.querySelector(".watch-rows .came")`)
	if rows := v.settled(); rows != ":b :c, :c :d" {
		t.Errorf("after the pause %q", rows)
	}
	v.click(".watch-bar .quiet:nth-child(2)")
	v.awaitText(watchState, "Stopped")
	v.click(".watch-bar .quiet:nth-child(2)") // Watch again
	v.awaitText(watchState, "Watching")
	v.answer(followers) // a run takes the place of the watch
	waitFor(t, 10*time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 0 })
}

// frail is a server behind a proxy that can be taken away, and the ids that clients go on after.
type frail struct {
	*httptest.Server
	down atomic.Bool
	anew atomic.Bool // the ids of clients are made those of another log
	mu   sync.Mutex
	ids  []string
}

func newFrail(t *testing.T, s *Server) *frail {
	f := &frail{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		if r.URL.Path == "/subscribe" {
			f.mu.Lock()
			f.ids = append(f.ids, r.Header.Get(headerLastEvent))
			f.mu.Unlock()
			if f.anew.Load() {
				r.Header.Set(headerLastEvent, "2-0123456789abcdef")
			}
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// breakOff cuts all connections and lets none come until down is false again.
func (f *frail) breakOff() {
	f.down.Store(true)
	f.CloseClientConnections()
}

// lastID is what the last subscription went on after.
func (f *frail) lastID() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ids[len(f.ids)-1]
}

func TestWorkbenchGoesOnWatchingOverBrokenConnections(t *testing.T) {
	s, _ := standingServer(t, Options{})
	f := newFrail(t, s)
	v := begin(t, f.URL, screens[0])
	v.console.expected = "Failed to load resource"
	v.open("")
	v.watch(followers)
	v.awaitText(watchState, "2 rows")
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	v.awaitText(watchState, "commit 1")
	f.breakOff()
	v.awaitText(watchNote, "The connection is lost. Asking again, to go on after commit 1")
	v.awaitText(watchState, "Connection lost")
	v.do("see that the connection is lost", shot("laptop-watch-lost"))
	updateOf(t, s, "INSERT DATA { :d :follows :e }; DELETE DATA { :a :follows :b }")
	f.down.Store(false)
	v.awaitText(watchNote, "went on after commit 1, nothing was left out")
	if id := f.lastID(); !strings.HasPrefix(id, "1-") {
		t.Errorf("it went on after %q", id)
	}
	v.awaitText(watchState, "Watching · 3 rows · commit 2")
	if rows := v.settled(); rows != ":b :c, :c :d, :d :e" {
		t.Errorf("after the connection was back %q", rows)
	}
	f.breakOff()
	v.awaitText(watchState, "Connection lost")
	updateOf(t, s, "INSERT DATA { :e :follows :f }")
	f.anew.Store(true)
	f.down.Store(false)
	v.awaitText(watchNote, "log does not go back to commit 2: began anew with all rows of commit 3")
	v.awaitText(watchState, "4 rows · commit 3")
	if rows := v.settled(); rows != ":b :c, :c :d, :d :e, :e :f" {
		t.Errorf("begun anew %q", rows)
	}
}

func TestWorkbenchSaysWhyNothingIsWatchedAnyMore(t *testing.T) {
	s, address := standingServer(t, Options{MaxSubscriptions: 1})
	v := begin(t, address, screens[0])
	v.console.expected = "Failed to load resource"
	v.open("")
	v.watch(followers)
	v.awaitText(watchState, "2 rows")
	id := strings.Split(strings.SplitAfter(do(s, "GET", "/api/queries", "").Body.String(), `"id":"`)[1], `"`)[0]
	if w := do(s, "DELETE", "/api/queries/"+id, ""); w.Code != 204 {
		t.Fatal(w.Code, w.Body)
	}
	v.awaitText(watchNote, "Cancelled: somebody cancelled it")
	v.awaitText(watchState, "Ended")
	v.do("see why it ended", shot("laptop-watch-ended"))
	waitFor(t, 10*time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 0 })
	other := subscribe(t, address, mutually, nil)
	other.expect("snapshot 0: ")
	v.click("#watch")
	v.awaitText(problemSeen, "Too many subscriptions1 may stand at once, and as many do")
	other.hangUp()
	waitFor(t, 10*time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 0 })
	v.watch("PREFIX : <http://e/> SELECT (NOW() AS ?now) { ?a :follows ?b }")
	v.awaitText(problemSeen, "No query that can stand")
}

func TestWorkbenchOffersToWatchWhatCanBe(t *testing.T) {
	s, address := serveNomisma(t)
	v := begin(t, address, screens[0])
	v.open("")
	for text, can := range map[string]bool{
		"BASE <http://e/> PREFIX e: <http://e/> # ASK\nselect * { ?s ?p ?o }": true, "ASK { ?s ?p ?o }": false, "CONSTRUCT WHERE { ?s ?p ?o }": false,
		"DELETE WHERE { ?s ?p ?o }": false, "": false,
	} {
		v.write(text)
		if disabled := valueOf[bool](v, `document.querySelector("#watch").disabled`); disabled == can {
			t.Errorf("%q: disabled: %v, %s", text, disabled, valueOf[string](v, `document.querySelector("#watch").title`))
		}
	}
	_, none := standingServer(t, Options{MaxSubscriptions: -1})
	v = begin(t, none, screens[0])
	v.open("")
	v.write(followers)
	v.await(`document.querySelector("#watch").disabled && document.querySelector("#watch").title.includes("lets no query stand")`)
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/subscribe" {
			http.NotFound(w, r)
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(bare.Close)
	v = begin(t, bare.URL, screens[0])
	v.console.expected = "404"
	v.open("")
	v.watch(mintQuery)
	v.awaitText(problemSeen, "No subscriptionsThis server has no address /subscribe")
}

func TestWorkbenchWatchesAFewQueriesAtOnce(t *testing.T) {
	s, address := standingServer(t, Options{})
	v := begin(t, address, screens[0])
	v.open("")
	for range 3 {
		v.watch(followers)
		v.awaitText(watchState, "2 rows")
		v.click(`[aria-label="New query"]`)
	}
	v.watch(followers)
	v.awaitText(`document.querySelector("#toast").textContent`, "3 queries are watched")
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	v.click(".draft-tabs button")
	v.awaitText(watchState, "3 rows")
	if n := valueOf[int](v, `document.querySelectorAll(".draft-tabs .live").length`); n != 3 {
		t.Errorf("%d tabs say that they are watched", n)
	}
	v.write("SELECT * {}") // what is watched goes on
	v.click("#watch")
	v.awaitText(watchState, "Stopped")
	waitFor(t, 10*time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 2 })
	v.do("close the page", chromedp.Navigate("about:blank"))
	waitFor(t, 10*time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 0 })
}

func TestWorkbenchBoundsTheRowsThatItShows(t *testing.T) {
	s, address := standingServer(t, Options{})
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, ":a :follows :n%d . ", i)
	}
	updateOf(t, s, "INSERT DATA { "+many.String()+"}")
	v := begin(t, address, screens[0])
	v.open("")
	v.do("move as little as may be", emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}))
	v.watch(followers)
	v.awaitText(watchState, "1,002 rows")
	shown := `document.querySelectorAll(".watch-rows tbody tr").length`
	if n := valueOf[int](v, shown); n != 200 {
		t.Errorf("%d rows are shown", n)
	}
	v.awaitText(`document.querySelector(".watch-rows .more").textContent`, "The newest 200 of 1,002")
	updateOf(t, s, "INSERT DATA { :z :follows :new }")
	v.await(`document.querySelector(".watch-rows tbody tr.came td")?.textContent === "+"`)
	if name := valueOf[string](v, `getComputedStyle(document.querySelector(".watch-rows tbody tr")).animationName`); name != "none" {
		t.Errorf("who wants no motion sees the animation %s", name)
	}
	updateOf(t, s, "DELETE WHERE { :a :follows ?b }")
	v.awaitText(watchState, " 2 rows")
	if rows := v.settled(); rows != ":b :c, :z :new" {
		t.Errorf("in the end %q", rows)
	}
}
