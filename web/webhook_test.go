package web

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rdfgpu/rdfgpu"
	"github.com/rdfgpu/rdfgpu/internal/webhook"
)

// mailbox receives what webhooks post.
type mailbox struct {
	t       testing.TB
	address string
	posts   chan post

	mu      sync.Mutex
	secrets map[string]webhook.Secret // by the id of the webhook
	status  int
	tried   int
	taken   map[string]string // bodies, by the id of the message
}

// post is one message, as a mailbox takes it.
type post struct {
	hook, id, event string
	told
}

func newMailbox(t testing.TB) *mailbox {
	b := &mailbox{t: t, posts: make(chan post, 1000), secrets: map[string]webhook.Secret{}, status: 204, taken: map[string]string{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	b.address = server.URL
	return b
}

// ServeHTTP takes a message, once, where it is signed.
func (b *mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tried++
	if b.status != 204 || err != nil {
		w.WriteHeader(b.status)
		return
	}
	id := r.Header.Get("webhook-id")
	hook := id[:strings.LastIndex(id, "-")]
	seconds, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	if secret := b.secrets[hook]; secret != nil && secret.Sign(id, time.Unix(seconds, 0), body) != r.Header.Get("webhook-signature") {
		b.t.Errorf("message %s is not signed", id)
	}
	before, again := b.taken[id]
	if again && before != string(body) {
		b.t.Errorf("message %s was %s and is %s", id, before, body)
	}
	if !again {
		p := post{hook: hook, id: id, event: r.Header.Get("X-Rdfgpu-Event")}
		if err := json.Unmarshal(body, &p.told); err != nil {
			b.t.Error(err, string(body))
		}
		b.taken[id] = string(body)
		b.posts <- p
	}
	w.WriteHeader(204)
}

// answer makes the mailbox answer with a status from now on.
func (b *mailbox) answer(status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status, b.tried = status, 0
}

func (b *mailbox) tries() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tried
}

// expect takes a message: "event sequence: +row, -row".
func (b *mailbox) expect(want string) post {
	b.t.Helper()
	select {
	case p := <-b.posts:
		if got := fmt.Sprintf("%s %d: %s", p.event, p.Sequence, signed(b.t, p.Added, p.Removed)); got != want {
			b.t.Fatalf("%s where %s should be", got, want)
		}
		return p
	case <-time.After(time.Minute):
		b.t.Fatalf("no message where %s should be", want)
	}
	return post{}
}

// register asks for a webhook; the parameters are name=value.
func (b *mailbox) register(s *Server, query string, parameters ...string) hookItem {
	b.t.Helper()
	w := registering(s, b.address+"/hook", query, parameters...)
	if w.Code != 201 {
		b.t.Fatal(w.Code, w.Body)
	}
	var item hookItem
	if err := json.Unmarshal(w.Body.Bytes(), &item); err != nil || w.Header().Get("Location") != "api/subscriptions/"+item.ID {
		b.t.Fatal(err, w.Header(), w.Body)
	}
	secret, err := webhook.ParseSecret(item.Secret)
	if err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	b.secrets[item.ID] = secret
	b.mu.Unlock()
	return item
}

func registering(s *Server, address, query string, parameters ...string) *httptest.ResponseRecorder {
	values := url.Values{"query": {query}, "callback": {address}}
	var headers []string
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		if header, is := strings.CutPrefix(name, "header "); is {
			headers = append(headers, header+": "+value)
			continue
		}
		values.Add(name, value)
	}
	return do(s, "POST", "/subscribe", values.Encode(), append(headers, asForm)...)
}

// hookedStore is a store whose server is started again and again.
type hookedStore struct {
	t       *testing.T
	folder  string
	store   *rdfgpu.Store
	options Options
	log     *lines
	stop    func()
}

func newHookedStore(t *testing.T, options Options) *hookedStore {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.ttl")
	if err := os.WriteFile(path, []byte("@prefix : <http://e/> . :a :follows :b . :b :follows :c ."), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &hookedStore{t: t, folder: filepath.Join(t.TempDir(), "store"), options: options, log: &lines{}}
	if _, err := rdfgpu.Load(t.Context(), h.folder, []string{path}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.end() })
	return h
}

// start opens the store and runs a server, with pauses of milliseconds.
func (h *hookedStore) start() *Server {
	h.t.Helper()
	var err error
	if h.store, err = rdfgpu.Open(h.folder, rdfgpu.Options{Writable: true, Durability: rdfgpu.Unsynced}); err != nil {
		h.t.Fatal(err)
	}
	o := h.options
	o.Addr, o.Writable, o.WebhookFolder, o.Drain = "127.0.0.1:0", true, filepath.Join(h.folder, "webhooks"), 10*time.Second
	o.Log = slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := New(StoreEngine(h.store), o)
	if err != nil {
		h.t.Fatal(err)
	}
	s.hooks.sender.Least, s.hooks.sender.Most = time.Millisecond, 10*time.Millisecond
	_, stop, done := run(h.t, s)
	h.stop = func() {
		stop()
		if err := <-done; err != nil {
			h.t.Error(err)
		}
		if err := h.store.Close(); err != nil {
			h.t.Error(err)
		}
	}
	return s
}

// end stops the server, if it runs.
func (h *hookedStore) end() {
	if h.stop != nil {
		h.stop()
		h.stop = nil
	}
}

func hookOf(t *testing.T, s *Server, id string) (item hookItem) {
	t.Helper()
	w := do(s, "GET", "/api/subscriptions/"+id, "")
	if err := json.Unmarshal(w.Body.Bytes(), &item); err != nil || w.Code != 200 {
		t.Fatal(w.Code, w.Body)
	}
	return item
}

func TestAWebhookIsToldOverRestarts(t *testing.T) {
	t.Parallel()
	b := newMailbox(t)
	h := newHookedStore(t, Options{WebhookAllow: []string{b.address}})
	s := h.start()
	item := b.register(s, followers)
	if item.State != "standing" || item.Query != followers || item.Callback != b.address+"/hook" {
		t.Errorf("%+v", item)
	}
	b.expect("snapshot 0: +a b, +b c")
	quiet := b.register(s, mutually, "snapshot=false", "semantics=isomorphism")
	b.expect("snapshot 0: ")
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	if p := b.expect("change 1: +c d"); p.hook != item.ID {
		t.Errorf("%+v", p)
	}
	waitFor(t, time.Second, func() bool { return hookOf(t, s, item.ID).Delivered == 2 })
	h.end()
	s = h.start()
	updateOf(t, s, "DELETE DATA { :a :follows :b } ; INSERT DATA { :d :follows :c }")
	for range 2 {
		p := <-b.posts
		if want := map[string]string{item.ID: "-a b, +d c", quiet.ID: "+c d, +d c"}[p.hook]; signed(t, p.Added, p.Removed) != sortedRows(want) || p.event != eventChange || p.Sequence != 2 {
			t.Errorf("%+v", p)
		}
	}
	if w := do(s, "DELETE", "/api/subscriptions/"+item.ID, ""); w.Code != 204 {
		t.Error(w.Code, w.Body)
	}
	if w := do(s, "GET", "/api/subscriptions/"+item.ID, ""); w.Code != 404 {
		t.Error(w.Code, w.Body)
	}
	updateOf(t, s, "DELETE DATA { :c :follows :d }")
	b.expect("change 3: -c d, -d c")
	h.end()
	s = h.start()
	if list := do(s, "GET", "/api/subscriptions", "").Body.String(); strings.Contains(list, item.ID) || !strings.Contains(list, quiet.ID) || strings.Contains(list, "whsec") {
		t.Error(list)
	}
	text := h.log.String()
	for _, secret := range []string{item.Secret, quiet.Secret} {
		if strings.Contains(text, strings.TrimPrefix(secret, "whsec_")) {
			t.Error("the log has a secret")
		}
	}
}

// sortedRows are rows in the order of signed.
func sortedRows(rows string) string {
	list := strings.Split(rows, ", ")
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestWhileAReceiverFailsChangesBecomeOne: what was on its way stays as it was, over restarts too, and what follows is one difference.
func TestWhileAReceiverFailsChangesBecomeOne(t *testing.T) {
	t.Parallel()
	b := newMailbox(t)
	h := newHookedStore(t, Options{WebhookAllow: []string{b.address}, Heartbeat: 10 * time.Millisecond})
	s := h.start()
	item := b.register(s, followers)
	b.expect("snapshot 0: +a b, +b c")
	b.answer(503)
	updateOf(t, s, "INSERT DATA { :x :follows :y }")
	waitFor(t, time.Second, func() bool { return b.tries() > 2 })
	for i := range 20 {
		updateOf(t, s, fmt.Sprintf("INSERT DATA { :n%d :follows :m } ; DELETE DATA { :n%d :follows :m }", i, i-1))
	}
	if got := hookOf(t, s, item.ID); got.State != "failing" || got.Failed == 0 || got.Since.IsZero() || !strings.Contains(got.Problem, "503") || !got.Pending {
		t.Errorf("%+v", got)
	}
	h.end()
	s = h.start()
	updateOf(t, s, "DELETE DATA { :a :follows :b }")
	waitFor(t, time.Second, func() bool { return b.tries() > 4 })
	b.answer(204)
	first := b.expect("change 1: +x y")
	second := b.expect("change 22: +n19 m, -a b")
	if first.id != item.ID+"-2" || second.id != item.ID+"-3" {
		t.Errorf("ids %s and %s", first.id, second.id)
	}
	waitFor(t, time.Second, func() bool { got := hookOf(t, s, item.ID); return got.State == "standing" && got.Delivered == 3 })
	updateOf(t, s, "INSERT DATA { :c :likes :d }") // nobody asks, and the position goes on
	waitFor(t, time.Second, func() bool { return strings.HasPrefix(hookOf(t, s, item.ID).Position, "23-") })
	expectMetrics(t, s, "rdfgpu_webhooks 1", `rdfgpu_webhook_posts_total{outcome="taken"} 2`)
	late := b.register(s, mutually, "after="+hookOf(t, s, item.ID).Position) // which has nothing to be told
	h.end()
	s = h.start()
	if got := hookOf(t, s, late.ID); got.Delivered != 0 || !strings.HasPrefix(got.Position, "23-") {
		t.Errorf("%+v", got)
	}
	if len(b.posts) > 0 {
		t.Errorf("%+v", <-b.posts)
	}
}

func TestAWebhookEnds(t *testing.T) {
	t.Parallel()
	b := newMailbox(t)
	h := newHookedStore(t, Options{WebhookAllow: []string{b.address}, WebhookGiveUp: 50 * time.Millisecond})
	s := h.start()
	item, cancelled := b.register(s, followers), b.register(s, followers)
	b.expect("snapshot 0: +a b, +b c")
	b.expect("snapshot 0: +a b, +b c")
	for _, q := range s.queries.list() {
		if q.Text == followers && q.stands {
			do(s, "DELETE", "/api/queries/"+q.ID, "")
			break
		}
	}
	ended := func() (n int) {
		for _, id := range []string{item.ID, cancelled.ID} {
			if hookOf(t, s, id).State == "ended" {
				n++
			}
		}
		return n
	}
	waitFor(t, time.Second, func() bool { return ended() == 1 })
	b.answer(500)
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	waitFor(t, time.Second, func() bool { return ended() == 2 })
	h.end()
	b.answer(204)
	s = h.start()
	if ended() != 2 || !strings.Contains(do(s, "GET", "/api/subscriptions", "").Body.String(), "500") {
		t.Error(do(s, "GET", "/api/subscriptions", "").Body)
	}
	updateOf(t, s, "INSERT DATA { :d :follows :e }")
	time.Sleep(20 * time.Millisecond)
	if len(b.posts) > 0 {
		t.Errorf("%+v", <-b.posts)
	}
	gone := newMailbox(t)
	gone.answer(410)
	h.end()
	h.options.WebhookAllow = []string{gone.address}
	s = h.start()
	if got := hookOf(t, s, item.ID); got.State != "ended" {
		t.Errorf("%+v", got)
	}
	third := gone.register(s, mutually)
	waitFor(t, time.Second, func() bool {
		got := hookOf(t, s, third.ID)
		return got.State == "ended" && strings.Contains(got.Problem, "410")
	})
}

// TestAWebhookBeginsAnewWithAnotherStore: and one whose address may not be posted to any more waits until it may.
func TestAWebhookBeginsAnewWithAnotherStore(t *testing.T) {
	t.Parallel()
	b := newMailbox(t)
	h := newHookedStore(t, Options{WebhookAllow: []string{b.address}})
	s := h.start()
	item := b.register(s, followers)
	b.expect("snapshot 0: +a b, +b c")
	waitFor(t, time.Second, func() bool { return hookOf(t, s, item.ID).Delivered == 1 })
	h.end()
	h.options.WebhookAllow = []string{"https://elsewhere.example/"}
	s = h.start()
	if got := hookOf(t, s, item.ID); got.State != "not allowed" {
		t.Errorf("%+v", got)
	}
	updateOf(t, s, "INSERT DATA { :c :follows :d }")
	h.end()
	h.options.WebhookAllow = []string{b.address}
	s = h.start()
	b.expect("change 1: +c d")
	waitFor(t, time.Second, func() bool { return hookOf(t, s, item.ID).Delivered == 2 })
	h.end()
	path := filepath.Join(t.TempDir(), "data.ttl")
	if err := os.WriteFile(path, []byte("@prefix : <http://e/> . :x :follows :y ."), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rdfgpu.Load(t.Context(), h.folder, []string{path}, rdfgpu.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	h.start()
	b.expect("snapshot 0: +x y")
}

func TestCallbacksThatMayNotBeAreRefused(t *testing.T) {
	t.Parallel()
	off, _ := newMemoryServer(t, Options{})
	if w := registering(off, "http://e/", "SELECT * {}"); w.Code != 403 || !strings.Contains(w.Body.String(), "--webhook-allow") {
		t.Error(w.Code, w.Body)
	}
	if w := do(off, "GET", "/api/subscriptions", ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"subscriptions":[]`) {
		t.Error(w.Code, w.Body)
	}
	for _, o := range []Options{{WebhookAllow: []string{"http://e/"}, WebhookFolder: t.TempDir()}, {WebhookAllow: []string{"http://e/"}, Writable: true}} {
		if _, err := New(newMemoryEngine(), o); err == nil {
			t.Error("webhooks without a folder, or of a store that nobody writes")
		}
	}
	b := newMailbox(t)
	h := newHookedStore(t, Options{WebhookAllow: []string{b.address}, MaxSubscriptions: 1, Tokens: []string{"reader", "other"}, WriteTokens: []string{"writer"}})
	s := h.start()
	reader := "header Authorization=Bearer reader"
	for _, c := range []struct {
		name, callback, query string
		parameters            []string
		status                int
	}{
		{"no token", b.address, followers, nil, 401},
		{"another host", "http://e/", followers, []string{reader}, 403},
		{"the same, and a name", strings.Replace(b.address, "//", "//x@", 1), followers, []string{reader}, 403},
		{"no address", "x", followers, []string{reader}, 403},
		{"a page of another origin", b.address, followers, []string{reader, "header Sec-Fetch-Site=cross-site"}, 403},
		{"a syntax error", b.address, "SELECT", []string{reader}, 400},
		{"an ASK", b.address, "ASK {}", []string{reader}, 400},
		{"a secret that is none", b.address, followers, []string{reader, "secret=hunter2"}, 400},
		{"a relative graph", b.address, followers, []string{reader, "default-graph-uri=g"}, 400},
	} {
		w := registering(s, c.callback, c.query, c.parameters...)
		if w.Code != c.status || strings.Contains(w.Body.String(), "hunter2") {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
	}
	if w := do(s, "GET", "/subscribe?callback="+url.QueryEscape(b.address)+"&query="+url.QueryEscape(followers), "", "Authorization: Bearer reader"); w.Code != 405 {
		t.Error(w.Code, w.Body)
	}
	if files, _ := os.ReadDir(filepath.Join(h.folder, "webhooks")); len(files) != 0 {
		t.Error(files)
	}
	secret := webhook.NewSecret()
	item := b.register(s, followers, reader, "secret="+secret.Text())
	if item.Secret != secret.Text() {
		t.Error("another secret")
	}
	b.expect("snapshot 0: +a b, +b c")
	if w := registering(s, b.address, mutually, "header Authorization=Bearer other"); w.Code != 503 {
		t.Error(w.Code, w.Body)
	}
	for token, status := range map[string]int{"reader": 200, "writer": 200, "other": 404} {
		if w := do(s, "GET", "/api/subscriptions/"+item.ID, "", "Authorization: Bearer "+token); w.Code != status {
			t.Error(token, w.Code)
		}
	}
	if w := do(s, "DELETE", "/api/subscriptions/"+item.ID, "", "Authorization: Bearer other"); w.Code != 404 {
		t.Error(w.Code, w.Body)
	}
	if w := do(s, "DELETE", "/api/subscriptions/"+item.ID, "", "Authorization: Bearer reader", "Sec-Fetch-Site: cross-site"); w.Code != 403 {
		t.Error(w.Code, w.Body)
	}
	if w := do(s, "DELETE", "/api/subscriptions/"+item.ID, "", "Authorization: Bearer reader"); w.Code != 204 {
		t.Error(w.Code, w.Body)
	}
}
