package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// countedListener counts the writes to its connections.
type countedListener struct {
	net.Listener
	writes atomic.Int64
}

type countedConn struct {
	net.Conn
	writes *atomic.Int64
}

func (l *countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &countedConn{c, &l.writes}, err
}

func (c *countedConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

// TestAnswersLeaveInOneWrite: answers of all lengths arrive as they are, several requests at once and HEAD among them, those of up to mostGathered bytes in one write each.
func TestAnswersLeaveInOneWrite(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	counted := &countedListener{Listener: inner}
	bounded := newConnections(counted, 10, time.Minute)
	server := &http.Server{ConnState: bounded.watch, ConnContext: bounded.mark, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Path[1:])
		body := strings.Repeat("a\r\n\r", n/4+1)[:n]
		w.Header().Set("Content-Length", strconv.Itoa(n))
		if c := gathering(r); c != nil {
			c.expect(n)
		}
		if r.URL.RawQuery == "breaks" {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, body)
	})}
	go server.Serve(bounded)
	defer server.Close()
	client, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	in := bufio.NewReader(client)
	lengths := []int{0, 1, 100, 2047, 2048, 2049, 3900, 3960, 4000, 4096, 5000, 8192, mostGathered - 1, mostGathered, mostGathered + 1, 50000, 7}
	for i, n := range lengths {
		method, before := http.MethodGet, counted.writes.Load()
		if i%5 == 4 {
			method = http.MethodHead
		}
		fmt.Fprintf(client, "%s /%d HTTP/1.1\r\nHost: a\r\n\r\nGET /%d HTTP/1.1\r\nHost: a\r\n\r\n", method, n, n)
		for _, m := range []string{method, http.MethodGet} {
			r, err := http.ReadResponse(in, &http.Request{Method: m})
			if err != nil {
				t.Fatal(n, err)
			}
			body, err := io.ReadAll(r.Body)
			if want := strings.Repeat("a\r\n\r", n/4+1)[:n]; err != nil || m == http.MethodGet && string(body) != want {
				t.Fatalf("%s of %d bytes: %d bytes, %v", m, n, len(body), err)
			}
		}
		if writes := counted.writes.Load() - before; n <= mostGathered && writes > 2 {
			t.Errorf("two answers of %d bytes leave in %d writes", n, writes)
		}
	}
	fmt.Fprintf(client, "GET /100?breaks HTTP/1.1\r\nHost: a\r\n\r\n")
	if _, err := http.ReadResponse(in, nil); err == nil {
		t.Error("an answer that breaks off arrives")
	}
}
