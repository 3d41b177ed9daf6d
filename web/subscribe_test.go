package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/events"
	"github.com/rdfgpu/rdfgpu/internal/results"
)

// followers asks who follows whom; mutually, who does so in both directions.
const (
	followers = "PREFIX : <http://e/> SELECT ?a ?b { ?a :follows ?b }"
	mutually  = "PREFIX : <http://e/> SELECT ?a ?b { ?a :follows ?b . ?b :follows ?a }"
)

// standingServer runs a server of a small store that takes updates.
func standingServer(t *testing.T, options Options) (s *Server, address string) {
	t.Helper()
	s = smallServer(t, options)
	return s, runUntilEnd(t, s)
}

// smallServer is a server of a small store that takes updates.
func smallServer(t *testing.T, options Options) *Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.ttl")
	if err := os.WriteFile(path, []byte("@prefix : <http://e/> . :a :follows :b . :b :follows :c ."), 0o600); err != nil {
		t.Fatal(err)
	}
	options.Addr = "127.0.0.1:0"
	return newRealServer(t, path, options)
}

// runUntilEnd runs a server for the time of the test.
func runUntilEnd(t *testing.T, s *Server) (address string) {
	t.Helper()
	address, stop, done := run(t, s)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return address
}

func updateOf(t *testing.T, s *Server, text string) {
	t.Helper()
	if w := do(s, "POST", "/update", "PREFIX : <http://e/> "+text, asUpdate); w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
}

// heard are the events of a subscription; a minute is the most that all of them may take.
type heard struct {
	t testing.TB
	*events.Reader
	response *http.Response
	hangUp   context.CancelFunc
	lastID   string
}

// subscribe asks for events; the parameters are name=value.
func subscribe(t testing.TB, address, query string, header http.Header, parameters ...string) *heard {
	t.Helper()
	values := url.Values{"query": {query}}
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		values.Add(name, value)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/subscribe?"+values.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return &heard{t, events.NewReader(response.Body, 64<<20), response, cancel, ""}
}

// told is the data of an event.
type told struct {
	Sequence       uint64
	Way            string
	Memory         int64 `json:"memoryBytes"`
	Added, Removed json.RawMessage
	Problem
}

func (h *heard) next() (name string, data told) {
	h.t.Helper()
	e, err := h.Next()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(e.Data), &data); err != nil {
		h.t.Fatalf("%v: %s", err, e.Data)
	}
	if data.Status == 0 && e.ID != "" && !strings.HasPrefix(e.ID, fmt.Sprint(data.Sequence, "-")) {
		h.t.Errorf("the id %s is of commit %d", e.ID, data.Sequence)
	}
	h.lastID = e.ID
	return e.Name, data
}

// expect reads an event: "name sequence: +row, -row", the rows sorted.
func (h *heard) expect(want string) {
	h.t.Helper()
	name, data := h.next()
	if got := fmt.Sprintf("%s %d: %s", name, data.Sequence, signed(h.t, data.Added, data.Removed)); got != want {
		h.t.Fatalf("%s where %s should be", got, want)
	}
}

// signed are rows as "+row, -row", sorted.
func signed(t testing.TB, added, removed json.RawMessage) string {
	t.Helper()
	var rows []string
	for sign, part := range map[string]json.RawMessage{"+": added, "-": removed} {
		for _, row := range rowsIn(t, part) {
			var terms []string
			for _, term := range row {
				terms = append(terms, strings.TrimPrefix(term.Value, "http://e/"))
			}
			rows = append(rows, sign+strings.Join(terms, " "))
		}
	}
	slices.Sort(rows)
	return strings.Join(rows, ", ")
}

// rowsIn are the rows of SPARQL JSON; none where there is nothing.
func rowsIn(t testing.TB, text json.RawMessage) [][]rdfgpu.Term {
	t.Helper()
	if text == nil {
		return nil
	}
	table, err := results.Read(strings.NewReader(string(text)), results.JSON)
	if err != nil {
		t.Fatal(err)
	}
	return table.Rows
}

// expectEnd reads the event that says why there are no more.
func (h *heard) expectEnd(status int, title string) {
	h.t.Helper()
	name, data := h.next()
	if name != eventEnd || data.Status != status || data.Title != title {
		h.t.Fatalf("%s %d %q %q", name, data.Status, data.Title, data.Detail)
	}
	if _, err := h.Next(); err != io.EOF {
		h.t.Errorf("%v behind the end", err)
	}
}

func TestSubscribersAreToldWhatChanges(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	mutual := subscribe(t, address, mutually, nil)
	mutual.expect("snapshot 0: ")
	if h := mutual.response.Header; h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-store" || h.Get(headerQueryID) == "" {
		t.Error(h)
	}
	all := subscribe(t, address, followers, nil)
	all.expect("snapshot 0: +a b, +b c")
	count := subscribe(t, address, "SELECT (COUNT(*) AS ?n) { ?a <http://e/follows> ?b }", nil, "snapshot=false")
	count.expect("snapshot 0: ")
	updateOf(t, s, "INSERT DATA { :b :follows :a }")
	mutual.expect("change 1: +a b, +b a")
	all.expect("change 1: +b a")
	count.expect("change 1: +3, -2")
	updateOf(t, s, "INSERT DATA { :c :likes :a }") // nobody asks
	updateOf(t, s, "DELETE DATA { :a :follows :b }")
	mutual.expect("change 3: -a b, -b a")
	all.expect("change 3: -a b")
}

func TestSolutionsComeAsOftenAsTheyCount(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	h := subscribe(t, address, "PREFIX : <http://e/> SELECT ?l { ?a :follows ?b . ?b ?l ?c }", nil)
	h.expect("snapshot 0: +follows")
	updateOf(t, s, "INSERT DATA { :b :follows :d . :b :likes :d }")
	h.expect("change 1: +follows, +likes")
	updateOf(t, s, "DELETE DATA { :a :follows :b }")
	h.expect("change 2: -follows, -follows, -likes")
}

func TestASubscriptionComesInEveryWayOfTheProtocol(t *testing.T) {
	t.Parallel()
	_, address := standingServer(t, Options{})
	for _, c := range []struct{ name, target, media, body string }{
		{"by a form", "/subscribe", mediaForm, url.Values{"query": {followers}, "after": {"0"}}.Encode()},
		{"by itself", "/subscribe/?after=0", mediaQuery, followers},
	} {
		response, err := http.Post(address+c.target, c.media, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		h := &heard{t: t, Reader: events.NewReader(response.Body, 1<<20)}
		h.expect("progress 0: ")
		response.Body.Close()
	}
	loops := "PREFIX : <http://e/> SELECT ?a { ?a :follows ?b . ?c :follows ?d } "
	subscribe(t, address, loops, nil, "semantics=edge-isomorphism").expect("snapshot 0: +a, +b")
	subscribe(t, address, loops, http.Header{headerSemantics: {"isomorphism"}}).expect("snapshot 0: ")
	subscribe(t, address, followers, nil, "default-graph-uri=http://e/none").expect("snapshot 0: ")
}

func TestASubscriptionGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	h := subscribe(t, address, followers, nil)
	h.expect("snapshot 0: +a b, +b c")
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	h.expect("change 1: +c d")
	first := h.lastID
	h.hangUp()
	updateOf(t, s, "INSERT DATA { :d :follows :e }")
	updateOf(t, s, "DELETE DATA { :d :follows :e . :a :follows :b }")
	again := subscribe(t, address, followers, http.Header{headerLastEvent: {first}}, "after=0")
	again.expect("change 3: -a b")
	subscribe(t, address, followers, http.Header{headerLastEvent: {again.lastID}}).expect("progress 3: ")
	subscribe(t, address, followers, nil, "after=1").expect("change 3: -a b")
	updateOf(t, s, "INSERT DATA { :c :likes :d }")
	subscribe(t, address, followers, http.Header{headerLastEvent: {again.lastID}}).expect("progress 4: ")
}

func TestWhatTheLogDoesNotHaveIsGone(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	updateOf(t, s, "INSERT DATA { :x :follows :y }")
	updateOf(t, s, "DELETE DATA { :x :follows :y }")
	engine, done := s.use()
	if err := engine.Engine.(storeEngine).Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	done()
	for name, id := range map[string]string{"dropped": "0", "not there yet": "99", "of another store": "2-0123456789abcdef"} {
		header := http.Header{headerLastEvent: {id}, "Accept": {"application/json"}}
		h := subscribe(t, address, followers, header)
		var p Problem
		if err := json.NewDecoder(h.response.Body).Decode(&p); err != nil || h.response.StatusCode != 410 || p.Title != "log gone" || p.Hint == "" {
			t.Errorf("%s: %d %+v, %v", name, h.response.StatusCode, p, err)
		}
		subscribe(t, address, followers, header, "gone=snapshot").expect("snapshot 2: +a b, +b c")
	}
	subscribe(t, address, followers, http.Header{headerLastEvent: {"2"}}).expect("progress 2: ")
}

func TestSubscriptionsThatAreWrongAreToldSo(t *testing.T) {
	t.Parallel()
	s, _ := standingServer(t, Options{MaxBody: 1000})
	query := url.QueryEscape(followers)
	for _, c := range []struct {
		name, method, target, body string
		headers                    []string
		status                     int
		says                       string
	}{
		{"no query", "GET", "/subscribe", "", nil, 400, "query"},
		{"no query in a form", "POST", "/subscribe", "a=b", []string{asForm}, 400, "query"},
		{"a syntax error", "GET", "/subscribe?query=" + url.QueryEscape("SELECT *\n{ ?s ?p }"), "", nil, 400, "line 2, column 9"},
		{"an ASK", "GET", "/subscribe?query=ASK+%7B%7D", "", nil, 400, "only SELECT"},
		{"a CONSTRUCT", "POST", "/subscribe", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }", []string{"Content-Type: " + mediaQuery}, 400, "only SELECT"},
		{"the time of day", "POST", "/subscribe", "SELECT (NOW() AS ?t) {}", []string{"Content-Type: " + mediaQuery}, 400, "NOW"},
		{"an update", "POST", "/subscribe", "CLEAR ALL", []string{asUpdate}, 400, "/update"},
		{"another method", "PUT", "/subscribe", followers, nil, 405, ""},
		{"HEAD", "HEAD", "/subscribe?query=" + query, "", nil, 405, ""},
		{"too long a query", "POST", "/subscribe", strings.Repeat(" ", 1001), []string{"Content-Type: " + mediaQuery}, 413, ""},
		{"an id that is none", "GET", "/subscribe?query=" + query, "", []string{"Last-Event-ID: yesterday"}, 400, "yesterday"},
		{"a sequence that is none", "GET", "/subscribe?after=-1&query=" + query, "", nil, 400, "after"},
		{"semantics that are none", "GET", "/subscribe?semantics=x&query=" + query, "", nil, 400, "semantics"},
		{"no boolean", "GET", "/subscribe?snapshot=x&query=" + query, "", nil, 400, "true or false"},
		{"another answer to what is gone", "GET", "/subscribe?gone=x&query=" + query, "", nil, 400, "snapshot or error"},
		{"a relative graph", "GET", "/subscribe?default-graph-uri=g&query=" + query, "", nil, 400, "absolute"},
	} {
		w := do(s, c.method, c.target, c.body, c.headers...)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
	if n, _ := s.queries.standingNow(); n+s.queries.len() != 0 {
		t.Error(n, "queries stand")
	}
}

func TestSubscriptionsAreBoundedListedAndCancelled(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{MaxSubscriptions: 1})
	h := subscribe(t, address, followers, nil)
	h.expect("snapshot 0: +a b, +b c")
	if second := subscribe(t, address, mutually, nil); second.response.StatusCode != 503 || second.response.Header.Get("Retry-After") == "" {
		t.Error(second.response.StatusCode, second.response.Header)
	}
	if list := do(s, "GET", "/api/queries", "").Body.String(); !strings.Contains(list, `"state":"standing"`) || !strings.Contains(list, `"memoryBytes":`) {
		t.Error(list)
	}
	expectMetrics(t, s, "rdfgpu_subscriptions 1", `rdfgpu_subscriptions_total{outcome="busy"} 1`, `rdfgpu_subscription_events_total{event="snapshot"} 1`, "rdfgpu_queries_underway 0")
	if shown := do(s, "GET", "/metrics", "").Body.String(); strings.Contains(shown, "rdfgpu_subscription_memory_bytes 0\n") {
		t.Error("nothing is held for a query that stands")
	}
	if w := do(s, "DELETE", "/api/queries/"+h.response.Header.Get(headerQueryID), ""); w.Code != 204 {
		t.Error(w.Code, w.Body)
	}
	h.expectEnd(409, "cancelled")
	waitFor(t, time.Second, func() bool { n, held := s.queries.standingNow(); return n == 0 && held == 0 })
	subscribe(t, address, mutually, nil).expect("snapshot 0: ")
	none, _ := newTestServer(t, Options{MaxSubscriptions: -1})
	if w := do(none, "GET", "/subscribe?query=x", ""); w.Code != 503 {
		t.Error(w.Code, w.Body)
	}
}

// TestClientsShareSubscriptions: at the bound, a client that has fewer takes the place of the newest of the client with most.
func TestClientsShareSubscriptions(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{MaxSubscriptions: 2, TrustedProxies: []string{"127.0.0.1"}})
	from := func(client string) http.Header { return http.Header{"X-Forwarded-For": {client}} }
	subscribe(t, address, mutually, from("192.0.2.1")).expect("snapshot 0: ")
	newest := subscribe(t, address, followers, from("192.0.2.1"))
	newest.expect("snapshot 0: +a b, +b c")
	if third := subscribe(t, address, mutually, from("192.0.2.1")); third.response.StatusCode != 503 {
		t.Error(third.response.StatusCode)
	}
	subscribe(t, address, mutually, from("192.0.2.2")).expect("snapshot 0: ")
	newest.expectEnd(503, "too many subscriptions")
	for _, client := range []string{"192.0.2.2", "192.0.2.3"} {
		if other := subscribe(t, address, mutually, from(client)); other.response.StatusCode != 503 {
			t.Error(client, other.response.StatusCode)
		}
	}
	waitFor(t, time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 2 && s.queries.len() == 0 })
}

func TestHeartbeatsTellHowFarItIs(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{Heartbeat: 20 * time.Millisecond, ReadTimeout: 50 * time.Millisecond})
	h := subscribe(t, address, followers, nil)
	h.expect("snapshot 0: +a b, +b c")
	time.Sleep(150 * time.Millisecond) // longer than a request may stand still
	updateOf(t, s, "INSERT DATA { :c :likes :d }")
	h.expect("progress 1: ")
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	h.expect("change 2: +c d")
	c := dial(t, address)
	fmt.Fprintf(c, "GET /subscribe?query=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", url.QueryEscape(mutually))
	var text []byte
	for !strings.Contains(string(text), "\n: nothing new\n\n") {
		b := make([]byte, 1000)
		n, err := c.Read(b)
		if err != nil {
			t.Fatalf("%v behind %s", err, text)
		}
		text = append(text, b[:n]...)
	}
}

func TestWhatIsTooLargeEndsASubscription(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{SubscriptionMemory: 1 << 20, MaxRows: 20_000})
	var many strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&many, ":s%d :p %d . ", i, i)
	}
	counted := subscribe(t, address, "SELECT ?s { ?s <http://e/follows> ?o . ?x <http://e/p> ?y }", nil)
	counted.expect("snapshot 0: ")
	h := subscribe(t, address, "SELECT * { ?s <http://e/p> ?o }", nil)
	h.expect("snapshot 0: ")
	updateOf(t, s, "INSERT DATA { "+many.String()+"}")
	h.expectEnd(507, "not enough memory")
	counted.expectEnd(422, "too many solutions")
	for target, status := range map[string]int{"SELECT * { ?s <http://e/p> ?o }": 507, "SELECT ?s { ?s <http://e/follows> ?o . ?x <http://e/p> ?y }": 422} {
		if w := do(s, "GET", "/subscribe?query="+url.QueryEscape(target), ""); w.Code != status {
			t.Error(w.Code, w.Body)
		}
	}
}

// TestWhoDoesNotReadIsCutOff: nothing piles up for a client that takes nothing, and it is cut off in the end.
func TestWhoDoesNotReadIsCutOff(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{WriteTimeout: 300 * time.Millisecond, SubscriptionMemory: 64 << 20})
	c := dial(t, address)
	c.SetReadBuffer(4 << 10)
	fmt.Fprintf(c, "GET /subscribe?query=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", url.QueryEscape("SELECT * { ?s <http://e/p> ?o }"))
	expectCutOff(t, s)
}

// expectCutOff changes the values of :p, each of a mebibyte, until the one query that stands and is told of them is cut off. Nothing piles up meanwhile.
func expectCutOff(t *testing.T, s *Server) {
	t.Helper()
	waitFor(t, 10*time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 1 })
	long := strings.Repeat("x", 1<<20)
	for i := range 300 {
		if n, held := s.queries.standingNow(); n == 0 {
			break
		} else if held > 16<<20 {
			t.Fatalf("%d bytes are held", held)
		}
		updateOf(t, s, fmt.Sprintf("DELETE WHERE { :s :p ?o } ; INSERT DATA { :s :p \"%s%d\" }", long, i))
	}
	waitFor(t, 10*time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 0 })
	expectMetrics(t, s, `rdfgpu_subscriptions_total{outcome="stalled"} 1`)
}

// patientServer drains for long, and has one triple.
func patientServer(t *testing.T) *Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.ttl")
	if err := os.WriteFile(path, []byte("<http://e/a> <http://e/follows> <http://e/b> ."), 0o600); err != nil {
		t.Fatal(err)
	}
	return newRealServer(t, path, Options{Addr: "127.0.0.1:0", Drain: 10 * time.Minute})
}

// endsSoon waits for a server that has been stopped: for no subscriber.
func endsSoon(t *testing.T, done <-chan error) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the server waits for subscribers")
	}
}

func TestSubscriptionsEndWithTheServer(t *testing.T) {
	t.Parallel()
	s := patientServer(t)
	address, stop, done := run(t, s)
	h := subscribe(t, address, followers, nil)
	h.expect("snapshot 0: +a b")
	stop()
	h.expectEnd(503, "stopped")
	endsSoon(t, done)
}

func TestSubscriptionsEndWhereTheServerTurnsToAnotherStore(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	h := subscribe(t, address, followers, nil)
	h.expect("snapshot 0: +a b, +b c")
	old, done := s.use()
	rested := s.Turn(old.Engine)
	done()
	h.expectEnd(503, "another store")
	select {
	case <-rested:
	case <-time.After(time.Minute):
		t.Error("the store is still in use")
	}
}

func TestAStoreThatNobodyWritesHasASnapshot(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data.ttl")
	if err := os.WriteFile(path, []byte("<http://e/a> <http://e/follows> <http://e/b> ."), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveFile(t, path).(*Server)
	s.options.Heartbeat = 10 * time.Millisecond
	h := subscribe(t, listen(t, s).URL, followers, nil)
	h.expect("snapshot 0: +a b")
	if h.lastID != "" {
		t.Errorf("%s is an id of a store without a log", h.lastID)
	}
	h.hangUp()
	waitFor(t, time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 0 })
}

// FuzzEventID: an id is read as it was written, or refused.
func FuzzEventID(f *testing.F) {
	f.Add("4711-0123456789abcdef")
	f.Add("4711")
	f.Add("-")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := readEventID(text)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Error(len(err.Error()))
			}
			return
		}
		if again, err := readEventID(id.String()); id.history != "" && (again != id || err != nil) {
			t.Errorf("%q is %v and then %v, %v", text, id, again, err)
		}
	})
}
