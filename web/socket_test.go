package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// socketClient is a client of a WebSocket; a minute is the most that all it does may take.
type socketClient struct {
	t    testing.TB
	ctx  context.Context
	conn *websocket.Conn
}

// openSocket connects; response is that to the request for it.
func openSocket(t testing.TB, address string, header http.Header) *socketClient {
	t.Helper()
	c, response, err := trySocket(t, address, header, nil)
	if err != nil {
		t.Fatal(err, response)
	}
	return c
}

func trySocket(t testing.TB, address string, header http.Header, client *http.Client) (*socketClient, *http.Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	conn, response, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(address, "http")+"/subscribe", &websocket.DialOptions{HTTPHeader: header, HTTPClient: client})
	if err != nil {
		return nil, response, err
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return &socketClient{t, ctx, conn}, response, nil
}

// say sends a message.
func (c *socketClient) say(text string) {
	c.t.Helper()
	if err := c.conn.Write(c.ctx, websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// subscribe asks for a query under an alias; more are further members.
func (c *socketClient) subscribe(alias, query, more string) {
	c.t.Helper()
	text, _ := json.Marshal(query)
	c.say(fmt.Sprintf(`{"subscribe":{"sparql":%s,"alias":%q%s}}`, text, alias, more))
}

// heardMessage is one that a server has sent.
type heardMessage struct {
	Notification *struct {
		notification
		Added   json.RawMessage `json:"addedResults"`
		Removed json.RawMessage `json:"removedResults"`
	}
	Unsubscribed *struct{ SPUID string }
	errorMessage
}

func (c *socketClient) next() (m heardMessage) {
	c.t.Helper()
	kind, text, err := c.conn.Read(c.ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil || kind != websocket.MessageText {
		c.t.Fatalf("%v: %s", err, text)
	}
	return m
}

// expect reads a notification: "alias sequence: +row, -row" and returns its spuid and its id.
func (c *socketClient) expect(want string) (spuid, id string) {
	c.t.Helper()
	m := c.next()
	if m.Notification == nil {
		c.t.Fatalf("%+v where %s should be", m, want)
	}
	n := m.Notification
	if got := fmt.Sprintf("%s %d: %s", n.Alias, n.Sequence, signed(c.t, n.Added, n.Removed)); got != want {
		c.t.Fatalf("%s where %s should be", got, want)
	}
	if n.ID != "" && !strings.HasPrefix(n.ID, fmt.Sprint(n.Commit, "-")) {
		c.t.Errorf("the id %s is of commit %d", n.ID, n.Commit)
	}
	return n.SPUID, n.ID
}

// expectError reads an error.
func (c *socketClient) expectError(status int, name, alias string) heardMessage {
	c.t.Helper()
	m := c.next()
	if m.Status != status || m.Error != name || m.errorMessage.Alias != alias {
		c.t.Fatalf("%+v where %d %s of %q should be", m, status, name, alias)
	}
	return m
}

// expectClose reads the end of the connection.
func (c *socketClient) expectClose(code websocket.StatusCode) {
	c.t.Helper()
	if _, text, err := c.conn.Read(c.ctx); websocket.CloseStatus(err) != code {
		c.t.Fatalf("%q, %v where close code %d should be", text, err, code)
	}
}

func TestASocketTellsOfSeveralQueries(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	c := openSocket(t, address, nil)
	c.subscribe("mutual", mutually, "")
	first, _ := c.expect("mutual 0: ")
	c.subscribe("all", followers, `,"unheard-of":[1,{"a":null}]`)
	second, _ := c.expect("all 0: +a b, +b c")
	if first == second || first == "" {
		t.Errorf("spuids %q and %q", first, second)
	}
	if list := do(s, "GET", "/api/queries", "").Body.String(); !strings.Contains(list, first) || !strings.Contains(list, second) {
		t.Error(list)
	}
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	c.expect("all 1: +c d")
	c.say(fmt.Sprintf(`{"unsubscribe":{"spuid":%q}}`, second))
	if m := c.next(); m.Unsubscribed == nil || m.Unsubscribed.SPUID != second {
		t.Fatalf("%+v", m)
	}
	updateOf(t, s, "INSERT DATA { :b :follows :a }")
	if again, _ := c.expect("mutual 1: +a b, +b a"); again != first {
		t.Errorf("spuid %q was %q", again, first)
	}
	updateOf(t, s, "DELETE DATA { :a :follows :b }")
	c.expect("mutual 2: -a b, -b a")
	if w := do(s, "DELETE", "/api/queries/"+first, ""); w.Code != 204 {
		t.Error(w.Code, w.Body)
	}
	if m := c.expectError(409, "cancelled", "mutual"); m.errorMessage.SPUID != first {
		t.Errorf("%+v", m)
	}
	expectMetrics(t, s, "rdfgpu_subscription_sockets 1", "rdfgpu_subscriptions 0", `rdfgpu_subscriptions_total{outcome="ended"} 1`, `rdfgpu_subscriptions_total{outcome="cancelled"} 1`)
	c.conn.Close(websocket.StatusNormalClosure, "")
	waitFor(t, time.Second, func() bool { return s.sockets.now.Load() == 0 })
}

// TestASocketIsAskedAsEventsAre: data sets, semantics, and going on.
func TestASocketIsAskedAsEventsAre(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	c := openSocket(t, address, nil)
	c.subscribe("none", followers, `,"default-graph-uri":"http://e/none"`)
	c.expect("none 0: ")
	c.subscribe("none", followers, `,"default-graph-uri":["http://e/none"],"named-graph-uri":["http://e/g","http://e/h"]`)
	c.expect("none 0: ")
	c.subscribe("loops", "PREFIX : <http://e/> SELECT ?a { ?a :follows ?b . ?c :follows ?d }", `,"semantics":"isomorphism","timeout":5`)
	c.expect("loops 0: ")
	c.subscribe("quiet", followers, `,"snapshot":false`)
	_, id := c.expect("quiet 0: ")
	c.conn.CloseNow()
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	updateOf(t, s, "DELETE DATA { :a :follows :b . :x :follows :y }")
	c = openSocket(t, address, nil)
	c.subscribe("on", followers, fmt.Sprintf(`,"after":%q`, id))
	_, id = c.expect("on 0: +c d, -a b")
	c.subscribe("at once", followers, fmt.Sprintf(`,"after":%q`, id))
	c.expect("at once 0: ")
	c.subscribe("number", followers, `,"after":1`)
	c.expect("number 0: -a b")
	c.subscribe("gone", followers, `,"after":"99-0123456789abcdef"`)
	c.expectError(410, "log_gone", "gone")
	c.subscribe("anew", followers, `,"after":99,"gone":"snapshot"`)
	c.expect("anew 0: +b c, +c d")
}

func TestMessagesThatAreWrongAreToldSo(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	c := openSocket(t, address, nil)
	for _, m := range []struct {
		name, text string
		status     int
		says       string
	}{
		{"nothing", "", 400, "SEPA"},
		{"no JSON", "subscribe", 400, "SEPA"},
		{"JSON cut short", `{"subscribe":{"sparql":"SELECT`, 400, "SEPA"},
		{"another type", `{"subscribe":{"sparql":7}}`, 400, "sparql"},
		{"a list", `[]`, 400, "SEPA"},
		{"neither", `{"update":{}}`, 400, "one member"},
		{"both", `{"subscribe":{"sparql":"ASK {}"},"unsubscribe":{"spuid":"x"}}`, 400, "one member"},
		{"no query", `{"subscribe":{"alias":"a"}}`, 400, "sparql"},
		{"no UTF-8", "{\"subscribe\":{\"sparql\":\"\xff\"}}", 400, "UTF-8"},
		{"a syntax error", `{"subscribe":{"sparql":"SELECT *\n{ ?s ?p }","alias":"a"}}`, 400, ""},
		{"an ASK", `{"subscribe":{"sparql":"ASK {}"}}`, 400, "only SELECT"},
		{"a relative graph", `{"subscribe":{"sparql":"SELECT * {}","named-graph-uri":["g"]}}`, 400, "absolute"},
		{"no list of graphs", `{"subscribe":{"sparql":"SELECT * {}","named-graph-uri":{"g":1}}}`, 400, "SEPA"},
		{"semantics that are none", `{"subscribe":{"sparql":"SELECT * {}","semantics":"x"}}`, 400, "semantics"},
		{"an object as parameter", `{"subscribe":{"sparql":"SELECT * {}","after":{}}}`, 400, "SEPA"},
		{"no such subscription", `{"unsubscribe":{"spuid":"x"}}`, 404, "x"},
		{"brackets without end", strings.Repeat("[", 100_000), 400, "SEPA"},
	} {
		c.say(m.text)
		got := c.next()
		if got.Status != m.status || !strings.Contains(got.Description, m.says) || got.Error == "" || len(got.Description) > 1000 {
			t.Errorf("%s: %+v", m.name, got)
		}
		if strings.Contains(m.name, "syntax") && (got.Line != 2 || got.Column != 9 || got.errorMessage.Alias != "a") {
			t.Errorf("%s: %+v", m.name, got)
		}
	}
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte(`{"subscribe":{"sparql":"SELECT * {}"}}`)); err != nil {
		t.Fatal(err)
	}
	c.expectError(400, "bad_request", "")
	c.subscribe("all", followers, "")
	c.expect("all 0: +a b, +b c")
	if panics(t, s) > 0 {
		t.Error("something panicked")
	}
}

func TestASocketWantsItsToken(t *testing.T) {
	t.Parallel()
	_, address := standingServer(t, Options{Tokens: []string{"reader"}, WriteTokens: []string{"writer"}})
	c := openSocket(t, address, nil)
	c.subscribe("a", mutually, "")
	if m := c.expectError(401, "unauthorized", "a"); !strings.Contains(m.Hint, "authorization") {
		t.Errorf("%+v", m)
	}
	c.subscribe("a", mutually, `,"authorization":"Bearer nobody"`)
	c.expectError(401, "unauthorized", "a")
	for _, token := range []string{"reader", "writer"} {
		c.subscribe(token, mutually, fmt.Sprintf(`,"authorization":"Bearer %s"`, token))
		c.expect(token + " 0: ")
	}
	c.subscribe("a", mutually, "")
	c.expectError(401, "unauthorized", "a")
	shown := openSocket(t, address, http.Header{"Authorization": {"Bearer reader"}})
	shown.subscribe("b", mutually, "")
	shown.expect("b 0: ")
	r, _ := http.NewRequest("GET", address+"/metrics", nil)
	r.Header = http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}
	if response, err := http.DefaultClient.Do(r); err != nil || response.StatusCode != 401 {
		t.Error(response, err)
	} else {
		response.Body.Close()
	}
}

func TestPagesOfOtherOriginsGetNoSocket(t *testing.T) {
	t.Parallel()
	_, address := standingServer(t, Options{Origins: []string{"https://good.example", "https://*.fine.example"}})
	for origin, want := range map[string]bool{
		"": true, address: true, "https://good.example": true, "https://a.fine.example": true,
		"http://good.example": false, "https://good.example.evil.example": false, "https://evil.example": false, "null": false, "https://fine.example": false,
	} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		_, response, err := trySocket(t, address, header, nil)
		if (err == nil) != want || !want && response.StatusCode != 403 {
			t.Errorf("%q: %v", origin, err)
		}
	}
	_, any := standingServer(t, Options{Origins: []string{"*"}})
	openSocket(t, any, http.Header{"Origin": {"https://evil.example"}})
	plain, _ := newTestServer(t, Options{})
	if w := do(plain, "GET", "/subscribe", "", "Connection: Upgrade", "Upgrade: websocket"); w.Code != 400 {
		t.Error(w.Code, w.Body)
	}
}

func TestSocketsAreBounded(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{MaxSubscriptions: socketSubscriptions + 1, MaxBody: 1000})
	events := subscribe(t, address, mutually, nil)
	events.expect("snapshot 0: ")
	c, other := openSocket(t, address, nil), openSocket(t, address, nil)
	for range socketSubscriptions {
		c.subscribe("", mutually, "")
		c.expect(" 0: ")
	}
	c.subscribe("one more", mutually, "")
	c.expectError(503, "too_many_subscriptions", "one more")
	other.subscribe("one more", mutually, "")
	other.expectError(503, "too_many_subscriptions", "one more")
	events.hangUp()
	waitFor(t, time.Second, func() bool { n, _ := s.queries.standingNow(); return n == socketSubscriptions })
	other.subscribe("one more", mutually, "")
	other.expect("one more 0: ")
	c.subscribe(strings.Repeat("x", 1000), mutually, "")
	c.expectClose(websocket.StatusMessageTooBig)
	waitFor(t, time.Second, func() bool { n, _ := s.queries.standingNow(); return n == 1 && s.sockets.now.Load() == 1 })
}

func TestMessagesCountAsRequests(t *testing.T) {
	t.Parallel()
	_, address := standingServer(t, Options{Rate: 0.001, Burst: 3})
	c := openSocket(t, address, nil)
	for range 2 {
		c.subscribe("a", mutually, "")
		c.expect("a 0: ")
	}
	c.subscribe("b", mutually, "")
	c.expectError(429, "too_many_requests", "b")
}

// smallBuffers is a client whose connections take little that it does not read.
func smallBuffers(t *testing.T) *http.Client {
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		return c, err
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestWhoDoesNotReadASocketIsCutOff: nothing piles up, and the connection is closed in the end.
func TestWhoDoesNotReadASocketIsCutOff(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{WriteTimeout: 300 * time.Millisecond, SubscriptionMemory: 64 << 20})
	c, _, err := trySocket(t, address, nil, smallBuffers(t))
	if err != nil {
		t.Fatal(err)
	}
	c.subscribe("", "SELECT * { ?s <http://e/p> ?o }", "")
	expectCutOff(t, s)
	waitFor(t, 10*time.Second, func() bool { return s.sockets.now.Load() == 0 })
}

// TestSocketsAreAskedWhetherTheyAreThere: a client that answers stays, one that does not is cut off.
func TestSocketsAreAskedWhetherTheyAreThere(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{Heartbeat: 10 * time.Millisecond, WriteTimeout: 2 * time.Second, ReadTimeout: 20 * time.Millisecond})
	there, gone := openSocket(t, address, nil), openSocket(t, address, nil)
	for _, c := range []*socketClient{there, gone} {
		c.subscribe("a", followers, `,"progress":true`)
		c.expect("a 0: +a b, +b c")
	}
	heard := make(chan heardMessage)
	go func() { heard <- there.next() }()
	waitFor(t, 3*time.Second, func() bool { return s.sockets.now.Load() == 1 })
	updateOf(t, s, "INSERT DATA { :c :likes :d }")
	if m := <-heard; m.Notification == nil || m.Notification.Commit != 1 || m.Notification.Way != "progress" {
		t.Errorf("%+v", m)
	}
	expectMetrics(t, s, `rdfgpu_subscriptions_total{outcome="stalled"} 1`)
}

// TestASocketThatNobodyUsesIsClosed: the time it may have no query is so long that a subscription comes within it on a busy machine.
func TestASocketThatNobodyUsesIsClosed(t *testing.T) {
	t.Parallel()
	s := smallServer(t, Options{})
	s.idle = 3 * time.Second
	address := runUntilEnd(t, s)
	used := openSocket(t, address, nil)
	used.subscribe("a", mutually, "")
	spuid, _ := used.expect("a 0: ")
	unused := openSocket(t, address, nil)
	opened := time.Now()
	unused.expectClose(websocket.StatusNormalClosure)
	if spent := time.Since(opened); spent < s.idle/2 {
		t.Errorf("closed after %s", spent)
	}
	used.say(fmt.Sprintf(`{"unsubscribe":{"spuid":%q}}`, spuid)) // it has been open for longer than the other one
	if m := used.next(); m.Unsubscribed == nil {
		t.Fatalf("%+v", m)
	}
	used.expectClose(websocket.StatusNormalClosure)
}

func TestSocketsEndWithTheServer(t *testing.T) {
	t.Parallel()
	s := patientServer(t)
	address, stop, done := run(t, s)
	c, mute := openSocket(t, address, nil), dial(t, address)
	c.subscribe("a", followers, "")
	c.expect("a 0: +a b")
	io.WriteString(mute, handshake)
	waitFor(t, time.Second, func() bool { return s.sockets.now.Load() == 2 })
	stop()
	c.expectError(503, "stopped", "a")
	c.expectClose(websocket.StatusGoingAway)
	endsSoon(t, done)
}

func TestASocketOutlivesItsStore(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	c := openSocket(t, address, nil)
	c.subscribe("a", followers, "")
	_, id := c.expect("a 0: +a b, +b c")
	old, done := s.use()
	rested := s.Turn(old.Engine)
	done()
	c.expectError(503, "another_store", "a")
	<-rested
	c.subscribe("b", followers, fmt.Sprintf(`,"after":%q`, id))
	c.expect("b 0: ")
}

// handshake asks for a WebSocket.
const handshake = "GET /subscribe HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

// TestSocketsSurviveWhatIsNoFrame: bytes that are no frames, and clients that vanish in the middle of one.
func TestSocketsSurviveWhatIsNoFrame(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{ReadTimeout: 100 * time.Millisecond})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		c := dial(t, address)
		garbage := make([]byte, random.IntN(200))
		for j := range garbage {
			garbage[j] = byte(random.Uint32())
		}
		if i%2 == 0 { // a frame of text, masked by nothing, of a length that does not come
			garbage = append([]byte{0x81, 0xFE, 0x10, 0, 0, 0, 0, 0}, garbage...)
		}
		io.WriteString(c, handshake)
		c.Write(garbage)
		if i%3 == 0 {
			c.Close()
		} else if i%3 == 1 {
			c.CloseWrite()
		}
	}
	waitFor(t, 5*time.Second, func() bool { return s.sockets.now.Load() <= 34 })
	c := openSocket(t, address, nil)
	c.subscribe("a", followers, "")
	c.expect("a 0: +a b, +b c")
	if n, _ := s.queries.standingNow(); n != 1 || panics(t, s) > 0 {
		t.Error(n, "queries stand")
	}
}

// TestWhatASocketTellsAddsUp: what was told of random updates, over one connection and several, is the difference of what the queries
// answer before and after.
func TestWhatASocketTellsAddsUp(t *testing.T) {
	t.Parallel()
	s, address := standingServer(t, Options{})
	queries := []string{
		mutually, followers,
		"PREFIX : <http://e/> SELECT ?a { ?a :follows ?b . ?b :follows ?c FILTER (?a != ?c) }",
		"PREFIX : <http://e/> SELECT DISTINCT ?b { ?a :follows ?b . ?b :follows ?c }",
		"PREFIX : <http://e/> SELECT ?b (COUNT(*) AS ?n) { ?a :follows ?b } GROUP BY ?b",
		"PREFIX : <http://e/> SELECT ?a ?c { ?a :follows ?b OPTIONAL { ?b :follows ?c . ?c :follows ?a } }",
	}
	clients := []*socketClient{openSocket(t, address, nil), openSocket(t, address, nil)}
	var listening sync.WaitGroup
	sums := make([][]map[string]int, len(clients))
	for i, c := range clients {
		for j, q := range queries {
			sums[i] = append(sums[i], map[string]int{})
			c.subscribe(fmt.Sprint(j), q, "")
		}
		listening.Go(func() { c.sum(sums[i], "http://e/last") })
	}
	for range 200 {
		edge := func() string { return fmt.Sprintf(":n%d :follows :n%d", rand.IntN(6), rand.IntN(6)) }
		updateOf(t, s, fmt.Sprintf("DELETE DATA { %s . %s } ; INSERT DATA { %s . %s }", edge(), edge(), edge(), edge()))
	}
	updateOf(t, s, "INSERT DATA { :a :follows :last . :last :follows :a }")
	listening.Wait()
	for j, q := range queries {
		want := map[string]int{}
		for _, row := range rowsIn(t, get(s, q, "Accept: application/sparql-results+json").Body.Bytes()) {
			want[fmt.Sprint(row)]++
		}
		for i := range clients {
			if !maps.Equal(sums[i][j], want) {
				t.Errorf("%s: %v was told, %v is there", q, sums[i][j], want)
			}
		}
	}
}

// sum adds up what is told of queries, whose aliases number them, until all were told of what comes last.
func (c *socketClient) sum(sums []map[string]int, last string) {
	reached, sequence := map[string]bool{}, map[string]uint64{}
	for len(reached) < len(sums) {
		_, text, err := c.conn.Read(c.ctx)
		var m heardMessage
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		if err == nil && m.Notification == nil {
			err = errors.New(string(text))
		}
		if err != nil {
			c.t.Error(err)
			return
		}
		n := m.Notification
		if n.Sequence != sequence[n.Alias] {
			c.t.Errorf("notification %d of query %s comes where %d should", n.Sequence, n.Alias, sequence[n.Alias])
		}
		sequence[n.Alias]++
		var number int
		fmt.Sscan(n.Alias, &number)
		for times, part := range map[int]json.RawMessage{1: n.Added, -1: n.Removed} {
			for _, row := range rowsIn(c.t, part) {
				key := fmt.Sprint(row)
				if sums[number][key] += times; sums[number][key] == 0 {
					delete(sums[number], key)
				}
			}
		}
		if strings.Contains(string(n.Added), last) {
			reached[n.Alias] = true
		}
	}
}

// FuzzMessages: whatever a client sends is a query to make stand, or refused in few words.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"subscribe":{"sparql":"SELECT * { ?s ?p ?o }","alias":"a","default-graph-uri":"http://g/","authorization":"Bearer x"}}`))
	f.Add([]byte(`{"subscribe":{"sparql":"SELECT","named-graph-uri":["http://g/"],"after":4711,"gone":"snapshot","snapshot":false,"progress":true,"timeout":1.5}}`))
	f.Add([]byte(`{"unsubscribe":{"spuid":"x"}}`))
	f.Add([]byte("{\"subscribe\":{\"sparql\":\"\\ud800\xff\"}}"))
	s, _ := newTestServer(f, Options{})
	r := httptest.NewRequest("GET", "/subscribe", nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, problem := readMessage(text)
		var request *request
		if problem == nil && m.Subscribe != nil {
			request, problem = m.Subscribe.request(s, r)
		}
		if problem != nil && (problem.Status != 400 || len(problem.Detail) > 2000+4*len(text)) {
			t.Errorf("%+v", problem)
		}
		if problem == nil && m.Subscribe != nil && (request.text != m.Subscribe.SPARQL || request.text == "") {
			t.Errorf("%q is asked where %q should be", request.text, m.Subscribe.SPARQL)
		}
		if answer, err := json.Marshal(errorMessageOf(&Problem{Title: "x"}, m.alias(), "")); err != nil || !json.Valid(answer) {
			t.Error(err)
		}
		if m.Subscribe != nil {
			n := notification{Alias: m.Subscribe.Alias}
			if whole := append(n.begin(), "}}"...); !json.Valid(whole) {
				t.Errorf("%s", whole)
			}
		}
	})
}
