package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"
)

// listed makes connections of a client and lists them.
func listed(l *connections, client string, n int, busy bool) (list []*conn, ok bool) {
	for range n {
		c := &conn{owner: l, client: neighbours(netip.MustParseAddr(client))}
		c.rested()
		c.busy.Store(busy)
		if _, ok = l.add(c); ok {
			list = append(list, c)
		}
	}
	return list, ok
}

func TestAtTheBoundTheLongestUnusedConnectionOfTheLargestClientGoes(t *testing.T) {
	t.Parallel()
	l := newConnections(nil, 10, time.Second)
	greedy, _ := listed(l, "192.0.2.1", 7, false)
	modest, _ := listed(l, "192.0.2.2", 3, false)
	newcomer := &conn{owner: l, client: neighbours(netip.MustParseAddr("192.0.2.3"))}
	if evicted, ok := l.add(newcomer); !ok || evicted != greedy[0] || newcomer.refused {
		t.Errorf("%v, evicted one of the modest client: %v", ok, evicted == modest[0])
	}
	if l.len() != 10 {
		t.Errorf("%d connections", l.len())
	}
}

func TestAGreedyClientDoesNotTakeTheConnectionsOfOthers(t *testing.T) {
	t.Parallel()
	l := newConnections(nil, 10, time.Second)
	listed(l, "192.0.2.1", 7, true)
	listed(l, "192.0.2.2", 3, false)
	more, ok := listed(l, "192.0.2.1", refusals+1, true)
	if ok || len(more) != refusals || l.len() != 10+refusals {
		t.Errorf("%d more", len(more))
	}
	for _, c := range more[:1] {
		if !c.refused {
			t.Error("it is served beyond the bound")
		}
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	s, engine, address, _ := serve(t, Options{MaxConnections: 4})
	for range 20 {
		dial(t, address) // these say nothing
	}
	// The kernel takes connections before Serve has begun to count them.
	waitFor(t, 5*time.Second, func() bool {
		l := s.connections.Load()
		return l != nil && l.evicted.Load() >= 16 && l.len() == 4
	})
	for range 4 {
		fmt.Fprint(dial(t, address), "GET /sparql?query=FOREVER HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	waitFor(t, 5*time.Second, func() bool { return engine.running.Load() == 4 })
	response, err := http.Get(address + "/sparql?query=ASK")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 503 || response.Header.Get("Retry-After") == "" || !response.Close {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
	if code := status(t, address+"/healthz"); code != 200 {
		t.Errorf("not alive: %d", code)
	}
	metrics := do(s, "GET", "/metrics", "").Body.String()
	if !strings.Contains(metrics, "rdfgpu_connections_refused_total 2") || strings.Contains(metrics, "rdfgpu_connections_evicted_total 0") {
		t.Error("the metrics do not tell")
	}
}

func TestTheClientIsTheTokenOrTheAddress(t *testing.T) {
	t.Parallel()
	request := func(peer, forwarded string) *http.Request {
		r := httptest.NewRequest("GET", "/sparql", nil)
		r.RemoteAddr = peer
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		return r
	}
	s, _ := newTestServer(t, Options{TrustedProxies: []string{"10.0.0.0/8", "127.0.0.1"}})
	cases := []struct{ name, peer, forwarded, client string }{
		{"an address", "192.0.2.1:55", "", "192.0.2.1/32"},
		{"an address of IPv6 is its network", "[2001:db8::1:2:3:4]:55", "", "2001:db8::/64"},
		{"a stranger's header is not believed", "192.0.2.1:55", "198.51.100.1", "192.0.2.1/32"},
		{"a proxy's header is", "10.1.2.3:55", "198.51.100.1", "198.51.100.1/32"},
		{"what the client wrote into it is not", "127.0.0.1:55", "203.0.113.9, 198.51.100.1, 10.0.0.7", "198.51.100.1/32"},
		{"a proxy without the header", "127.0.0.1:55", "", "127.0.0.1/32"},
		{"nonsense in the header", "127.0.0.1:55", "<script>", "127.0.0.1/32"},
	}
	for _, c := range cases {
		if id := s.client(request(c.peer, c.forwarded)); id.address.String() != c.client {
			t.Errorf("%s: %v, want %s", c.name, id.address, c.client)
		}
	}
	if _, err := New(&fakeEngine{}, Options{TrustedProxies: []string{"proxy.example"}}); err == nil {
		t.Error("a name is no address")
	}
	guarded, _ := newTestServer(t, Options{Tokens: []string{"first", "second"}})
	var id clientID
	h := guarded.authenticate(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { id = guarded.client(r) }))
	do(h, "GET", "/", "", "Authorization: Bearer second")
	if id != (clientID{token: 2}) {
		t.Errorf("%+v", id)
	}
}

func TestUnusualRequestsOnAConnection(t *testing.T) {
	t.Parallel()
	s, engine, address, _ := serve(t, Options{})
	exchange := func(request string, halfClose bool) string {
		t.Helper()
		c := dial(t, address)
		fmt.Fprint(c, request)
		if halfClose {
			c.CloseWrite()
		}
		answer, _ := io.ReadAll(c)
		return string(answer)
	}
	head := exchange("HEAD /sparql?query=SELECT+100000000&format=csv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", false)
	if !strings.HasPrefix(head, "HTTP/1.1 200 ") || !strings.HasSuffix(head, "\r\n\r\n") || strings.Contains(head, "x,y") {
		t.Errorf("HEAD: %.300q", head)
	}
	if answer := exchange("POST /sparql HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: rot13\r\n\r\n", false); !strings.HasPrefix(answer, "HTTP/1.1 501 ") {
		t.Errorf("unknown coding: %.100q", answer)
	}
	if answer := exchange("POST /sparql HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\nContent-Type: application/sparql-query\r\nConnection: close\r\n\r\n3\r\nASK\r\n0\r\n\r\n", false); !strings.HasPrefix(answer, "HTTP/1.1 200 ") && !strings.HasPrefix(answer, "HTTP/1.1 400 ") || strings.Count(answer, "HTTP/1.1 ") != 1 {
		t.Errorf("two ways to say how long: %.300q", answer)
	}
	if answer := exchange("GET /sparql?query=ASK HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"+strings.Repeat("A: b\r\n", 20_000)+"\r\n", false); !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
		t.Errorf("many headers: %.100q", answer)
	}
	exchange("GET /sparql?query=FOREVER HTTP/1.1\r\nHost: localhost\r\n\r\n", true)
	waitFor(t, 5*time.Second, func() bool { return engine.running.Load() == 0 && s.queries.len() == 0 })
}

func TestRequestsSentTogetherAreAnsweredInTheirOrder(t *testing.T) {
	t.Parallel()
	_, _, address, _ := serve(t, Options{MaxConcurrent: 1})
	c := dial(t, address)
	var requests bytes.Buffer
	for i := range 50 {
		fmt.Fprintf(&requests, "GET /sparql?format=csv&query=SELECT+%d HTTP/1.1\r\nHost: localhost\r\n\r\n", i*100)
	}
	go c.Write(requests.Bytes())
	reader := bufio.NewReader(c)
	for i := range 50 {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if n := bytes.Count(body, []byte("\n")); err != nil || response.StatusCode != 200 || n != i*100+1 {
			t.Errorf("answer %d: %d, %v, %d lines", i, response.StatusCode, err, n)
		}
	}
}

// TestALateWriteIsTriedOnce: where a busy processor comes to a write after its deadline, what the socket takes at once goes through,
// and a client that takes nothing is not waited for.
func TestALateWriteIsTriedOnce(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	c, err := newConnections(listener, 1, time.Minute).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetWriteDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Write([]byte("answer")); n != 6 || err != nil {
		t.Errorf("%d bytes written, error %v", n, err)
	}
	begun := time.Now()
	n, err := c.Write(make([]byte, 256<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun) > 10*time.Second {
		t.Errorf("%d bytes written in %v, error %v", n, time.Since(begun), err)
	}
}
