package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestTheServerListensOnLoopbackUnlessTold(t *testing.T) {
	t.Parallel()
	o, err := Options{}.complete()
	if err != nil {
		t.Fatal(err)
	}
	address, err := net.ResolveTCPAddr("tcp", o.Addr)
	if err != nil || !address.IP.IsLoopback() {
		t.Errorf("%s, %v", o.Addr, err)
	}
	s, _ := newTestServer(t, Options{})
	limits := s.httpServer()
	if limits.ReadHeaderTimeout <= 0 || limits.ReadTimeout <= 0 || limits.IdleTimeout <= 0 || limits.MaxHeaderBytes <= 0 || o.MaxBody <= 0 || o.Timeout <= 0 || o.MaxConcurrent <= 0 {
		t.Errorf("a limit is missing: %+v %+v", limits, o)
	}
}

func TestOnLoopbackOnlyItsOwnNamesAreAnswered(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{Addr: "127.0.0.1:0", Hosts: []string{"Data.Example.org"}})
	address, stop, done := run(t, s)
	port := address[strings.LastIndex(address, ":"):]
	cases := []struct {
		host   string
		status int
	}{
		{"localhost" + port, 200}, {"LOCALHOST", 200}, {"127.0.0.1" + port, 200}, {"127.0.0.1", 200}, {"[::1]" + port, 200}, {"[::1]", 200},
		{"data.example.org", 200}, {"data.example.org:443", 200}, {"data.example.org.", 200},
		{"evil.example" + port, 421}, {"localhost.evil.example", 421}, {"127.0.0.1.evil.example" + port, 421}, {"192.0.2.1" + port, 421}, {"evil.example:x:y", 400},
	}
	for _, c := range cases {
		for _, path := range []string{"/sparql?query=ASK", "/api/queries", "/"} {
			request, err := http.NewRequest("GET", address+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = c.host
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				if c.status != 400 {
					t.Error(err)
				}
				continue
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.StatusCode != c.status && c.status != 400 || response.StatusCode == 200 && c.status == 400 {
				t.Errorf("%s of %q: %d, want %d", path, c.host, response.StatusCode, c.status)
			}
		}
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestNamesAreCheckedWhereTheyShouldBe(t *testing.T) {
	t.Parallel()
	loopback, open := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, &net.TCPAddr{IP: net.IPv4zero, Port: 1}
	cases := []struct {
		name    string
		bound   net.Addr
		hosts   []string
		checked bool
	}{
		{"on loopback", loopback, nil, true},
		{"on loopback with any name", loopback, []string{"*"}, false},
		{"on every address", open, nil, false},
		{"on every address with a name", open, []string{"example.org"}, true},
	}
	for _, c := range cases {
		s, _ := newTestServer(t, Options{Addr: c.bound.String(), Hosts: c.hosts})
		if names := s.hostNames(c.bound); (names != nil) != c.checked {
			t.Errorf("%s: %v", c.name, names)
		}
	}
}

// raw sends bytes to a server and reads the first line of its answer.
func raw(t *testing.T, address string, send func(io.Writer)) string {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(10 * time.Second))
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		send(connection)
	}()
	line, _ := bufio.NewReader(connection).ReadString('\n')
	connection.Close()
	<-sent
	return line
}

func TestRequestsBeyondTheLimitsAreRefused(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{Addr: "127.0.0.1:0"})
	address, stop, done := run(t, s)
	megabyte := strings.Repeat("x", 1<<20)
	cases := []struct {
		name, want string
		send       func(io.Writer)
	}{
		{"a long address", "431", func(w io.Writer) {
			fmt.Fprintf(w, "GET /sparql?query=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", megabyte)
		}},
		{"a long header", "431", func(w io.Writer) {
			fmt.Fprintf(w, "GET /sparql?query=ASK HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n", megabyte)
		}},
		{"many headers", "431", func(w io.Writer) {
			fmt.Fprintf(w, "GET /sparql?query=ASK HTTP/1.1\r\nHost: localhost\r\n%s\r\n", strings.Repeat("A: b\r\n", 200_000))
		}},
		{"a long body", "413", func(w io.Writer) {
			fmt.Fprintf(w, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\nContent-Length: %d\r\n\r\n", 10<<20)
			for range 10 {
				if _, err := io.WriteString(w, megabyte); err != nil {
					return
				}
			}
		}},
		{"a long body in chunks", "413", func(w io.Writer) {
			fmt.Fprint(w, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n")
			for range 10 {
				if _, err := fmt.Fprintf(w, "%x\r\n%s\r\n", len(megabyte), megabyte); err != nil {
					return
				}
			}
		}},
		{"two lengths", "400", func(w io.Writer) {
			fmt.Fprint(w, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx")
		}},
		{"no host", "400", func(w io.Writer) { fmt.Fprint(w, "GET /sparql?query=ASK HTTP/1.1\r\n\r\n") }},
		{"a path upwards", "404", func(w io.Writer) {
			fmt.Fprint(w, "GET /assets/../../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}},
		{"an escaped path upwards", "404", func(w io.Writer) {
			fmt.Fprint(w, "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if line := raw(t, address, c.send); !strings.Contains(line, " "+c.want+" ") {
				t.Errorf("%q, want %s", line, c.want)
			}
		})
	}
	if w := do(s, "GET", "/sparql?query=ASK", ""); w.Code != 200 {
		t.Errorf("afterwards: %d", w.Code)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestParametersThatNobodyKnowsAreIgnored(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, Options{})
	if w := do(s, "GET", "/sparql?query=ASK&output=json&results=json&should-sponge=&timeuot=1&%00=%00", ""); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, wrong := range []string{"timeout=-1", "timeout=NaN", "timeout=x", "send=-1", "send=1e3", "device=tpu", "semantics=x", "explain=x", "default-graph-uri=g"} {
		if w := do(s, "GET", "/sparql?query=ASK&"+wrong, ""); w.Code != 400 {
			t.Errorf("%s: %d %s", wrong, w.Code, w.Body)
		}
	}
	if w := do(s, "GET", "/sparql?query=ASK&timeout=1e300", ""); w.Code != 200 {
		t.Errorf("a long time: %d", w.Code)
	}
}

// anyLimit is what a query may end with that meets the limit of rows, of time or of memory first, as the machine is fast.
const anyLimit = 0

// TestLimitsOfRealQueriesHold is serial: some of its queries must be answered within their limit.
func TestLimitsOfRealQueriesHold(t *testing.T) {
	s := newStoreServer(t)
	s.options.MaxRows, s.options.MaxMemory, s.options.MaxBody = 300, 1<<20, 16<<20
	brackets := 10 << 20
	cases := []struct {
		name, query string
		status      int
	}{
		{"too many rows", "SELECT * WHERE { ?a ?p ?b . ?c ?q ?d }", 422},
		{"a sort of nine million rows", "SELECT * WHERE { ?a <http://e/name> ?b . ?c <http://e/name> ?d } ORDER BY ?b ?d", anyLimit},
		{"nine million groups", "SELECT ?a ?c (COUNT(*) AS ?n) WHERE { ?a <http://e/name> ?b . ?c <http://e/name> ?d } GROUP BY ?a ?c", anyLimit},
		{"ten megabytes of brackets", "SELECT * WHERE " + strings.Repeat("(", brackets), 400},
		{"ten megabytes of groups", "SELECT * WHERE " + strings.Repeat("{", brackets), 400},
		{"ten megabytes of blank nodes", "SELECT * WHERE { " + strings.Repeat("[", brackets), 400},
		{"ten megabytes of negations", "SELECT (" + strings.Repeat("!", brackets) + "1 AS ?x) {}", 400},
		{"ten megabytes of an open string", `SELECT * WHERE { ?s ?p "` + strings.Repeat("x", brackets), 400},
		{"a repeated expression that backtracks elsewhere", `SELECT * WHERE { ?s ?p ?o FILTER REGEX(STR(?o), "^(([a-z])+.)+[A-Z]([a-z])+$") } LIMIT 1`, 200},
		{"a pattern that would be huge", `SELECT * WHERE { ?s ?p ?o FILTER REGEX(STR(?o), "(((x{1000}){1000}){1000}){1000}") } LIMIT 1`, 400},
		{"a pattern that is none", `SELECT * WHERE { ?s ?p ?o FILTER REGEX(STR(?o), "(") } LIMIT 1`, 400},
		{"a function that nobody knows", "SELECT (<http://e/exec>(\"rm\") AS ?x) {}", 200},
		{"a string that grows 26 times, nine times", "SELECT (STRLEN(?j) AS ?n) WHERE { BIND(\"xxxxxxxxxxxxxxxx\" AS ?a)" + doubled(26) + "}", anyLimit},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			w := do(s, "POST", "/sparql?timeout=2s&format=csv", c.query, "Content-Type: application/sparql-query")
			limit := w.Code == 422 || w.Code == 504 || w.Code == 507
			if w.Code != c.status && !(c.status == anyLimit && limit) {
				t.Errorf("%d %.300s, want %d", w.Code, w.Body, c.status)
			}
			if spent := time.Since(start); spent > 10*time.Second {
				t.Errorf("it took %s", spent)
			}
		})
	}
	if w := do(s, "GET", "/sparql?query="+url.QueryEscape("ASK { ?s ?p ?o }"), ""); w.Code != 200 {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
}

// doubled is a chain of BINDs from ?a to ?j, each so many times the one before.
func doubled(times int) string {
	var b strings.Builder
	names := "abcdefghij"
	for i := range names[1:] {
		fmt.Fprintf(&b, " BIND(CONCAT(%s) AS ?%c)", strings.TrimSuffix(strings.Repeat(fmt.Sprintf("?%c,", names[i]), times), ","), names[i+1])
	}
	return b.String()
}
