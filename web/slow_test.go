package web

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// dial opens a connection for the time of the test.
func dial(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	tcp := c.(*net.TCPConn)
	tcp.SetDeadline(time.Now().Add(2 * time.Minute))
	return tcp
}

// everything is a request for far more than buffers hold.
const everything = "GET /sparql?format=csv&query=SELECT+100000000 HTTP/1.1\r\nHost: localhost\r\n\r\n"

// lines is a log that several goroutines write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve runs a server until the test ends.
func serve(t *testing.T, options Options) (s *Server, engine *fakeEngine, address string, log *lines) {
	t.Helper()
	log = &lines{}
	options.Addr, options.Drain, options.Log = "127.0.0.1:0", time.Millisecond, slog.New(slog.NewTextHandler(log, nil))
	s, engine = newTestServer(t, options)
	address, stop, done := run(t, s)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s, engine, address, log
}

func status(t *testing.T, url string) int {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer response.Body.Close()
	io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// TestClientsThatDoNotReadHoldNoSlot is serial: filling the buffers of several clients takes all of a slow machine.
func TestClientsThatDoNotReadHoldNoSlot(t *testing.T) {
	s, engine, address, _ := serve(t, Options{MaxConcurrent: 2, MaxQueued: 16, MaxParked: 16})
	for range 8 {
		fmt.Fprint(dial(t, address), everything)
	}
	waitFor(t, time.Minute, func() bool { return s.admit.now().parked == 8 && engine.running.Load() == 8 })
	for range 20 {
		if code := status(t, address+"/sparql?query=ASK"); code != 200 {
			t.Errorf("beside clients that do not read: %d", code)
		}
	}
	// A buffer of the system may grow meanwhile: then its query runs for a moment, until that is full too.
	waitFor(t, time.Second, func() bool {
		return strings.Count(do(s, "GET", "/api/queries", "").Body.String(), `"state":"sending"`) == 8
	})
}

func TestASlowReaderGetsItsWholeAnswer(t *testing.T) {
	t.Parallel()
	s, _, address, _ := serve(t, Options{MaxConcurrent: 1})
	const rows = 600_000
	c := dial(t, address)
	fmt.Fprintf(c, "GET /sparql?format=csv&query=SELECT+%d HTTP/1.1\r\nHost: localhost\r\n\r\n", rows)
	waitFor(t, time.Minute, func() bool { return s.admit.now().parked == 1 })
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	buffer := make([]byte, 1<<20)
	for {
		n, err := response.Body.Read(buffer)
		found += bytes.Count(buffer[:n], []byte("\n"))
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if found != rows+1 {
		t.Errorf("%d lines", found)
	}
	waitFor(t, time.Second, func() bool { return s.admit.now() == (counts{}) })
}

// TestQueriesThatWaitForTheirClientsAreBounded is serial: filling the buffers of several clients takes all of a slow machine.
func TestQueriesThatWaitForTheirClientsAreBounded(t *testing.T) {
	s, engine, address, log := serve(t, Options{MaxConcurrent: 2, MaxParked: 3})
	for range 5 {
		fmt.Fprint(dial(t, address), everything)
	}
	waitFor(t, time.Minute, func() bool { return s.admit.now() == counts{parked: 3} && engine.running.Load() == 3 })
	waitFor(t, time.Second, func() bool { return strings.Count(log.String(), "outcome=slow") == 2 })
	expectMetrics(t, s, `rdfgpu_queries_total{outcome="slow"} 2`)
}

func TestTheTimeLimitHoldsWhileAClientDoesNotRead(t *testing.T) {
	t.Parallel()
	s, engine, address, log := serve(t, Options{Timeout: 300 * time.Millisecond})
	start := time.Now()
	fmt.Fprint(dial(t, address), everything)
	waitFor(t, time.Minute, func() bool { return engine.running.Load() == 1 || strings.Contains(log.String(), "outcome=") })
	waitFor(t, time.Second, func() bool { return engine.running.Load() == 0 && s.queries.len() == 0 })
	if spent := time.Since(start); spent < 300*time.Millisecond || spent > 5*time.Second || !strings.Contains(log.String(), "outcome=timeout") {
		t.Errorf("ended after %s: %s", spent, log)
	}
}

func TestAConnectionWithoutProgressIsCut(t *testing.T) {
	t.Parallel()
	_, engine, address, log := serve(t, Options{WriteTimeout: 200 * time.Millisecond})
	fmt.Fprint(dial(t, address), everything)
	waitFor(t, time.Minute, func() bool { return strings.Contains(log.String(), "outcome=stalled") })
	waitFor(t, time.Second, func() bool { return engine.running.Load() == 0 })
}

func TestALongWriteIsNotCutWhileTheClientTakesSomeOfIt(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	const stall = time.Second
	connections := newConnections(listener, 1, stall)
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := connections.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	body := make([]byte, 40<<20)
	start := time.Now()
	read := make(chan int)
	go func() {
		buffer, n := make([]byte, len(body)/40), 0
		for n < len(body) {
			time.Sleep(stall / 20)
			m, err := io.ReadFull(client, buffer)
			if n += m; err != nil {
				break
			}
		}
		read <- n
	}()
	if n, err := server.Write(body); n != len(body) || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n := <-read; n != len(body) || time.Since(start) < stall {
		t.Errorf("%d bytes in %s", n, time.Since(start))
	}
	if n, err := server.Write(make([]byte, 64<<20)); n == 64<<20 || err == nil {
		t.Error("nobody reads, and the write ends well")
	}
}

func TestABodyThatStandsStillIsCut(t *testing.T) {
	t.Parallel()
	s, _, address, _ := serve(t, Options{ReadTimeout: 200 * time.Millisecond, MaxConcurrent: 1})
	c := dial(t, address)
	fmt.Fprint(c, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\nContent-Length: 100\r\n\r\nSELECT")
	line, _ := bufio.NewReader(c).ReadString('\n')
	if !strings.Contains(line, " 408 ") {
		t.Errorf("%q", line)
	}
	if s.queries.len() != 0 {
		t.Error("a query was begun")
	}
}

func TestABodyThatCreepsHasTheTimeOfAQuery(t *testing.T) {
	t.Parallel()
	_, _, address, _ := serve(t, Options{ReadTimeout: 20 * time.Second, Timeout: 500 * time.Millisecond})
	c := dial(t, address)
	fmt.Fprint(c, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\nContent-Length: 100000\r\n\r\n")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 1000 {
			if _, err := c.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	start := time.Now()
	line, _ := bufio.NewReader(c).ReadString('\n')
	if !strings.Contains(line, " 408 ") || time.Since(start) > 8*time.Second {
		t.Errorf("%q after %s", line, time.Since(start))
	}
	c.Close()
	<-done
}

// TestTheTimeLimitBeginsWithTheFirstByteOfTheRequest is serial: it measures some milliseconds.
func TestTheTimeLimitBeginsWithTheFirstByteOfTheRequest(t *testing.T) {
	_, engine, address, _ := serve(t, Options{Timeout: 10 * time.Second})
	c := dial(t, address)
	fmt.Fprint(c, "GET /sparql?query=ASK HTTP/1.1\r\n")
	began := time.Now()
	time.Sleep(300 * time.Millisecond)
	fmt.Fprint(c, "Host: localhost\r\n\r\n")
	if line, _ := bufio.NewReader(c).ReadString('\n'); !strings.Contains(line, " 200 ") {
		t.Errorf("%q", line)
	}
	if deadline, ok := engine.deadline(); !ok || deadline.After(began.Add(10*time.Second+150*time.Millisecond)) {
		t.Errorf("the engine may take until %s after the first byte", deadline.Sub(began))
	}
}

func TestTheTimeInTheQueueCounts(t *testing.T) {
	t.Parallel()
	s, engine, address, _ := serve(t, Options{MaxConcurrent: 1, Timeout: time.Minute})
	first := dial(t, address)
	fmt.Fprint(first, "GET /sparql?query=FOREVER HTTP/1.1\r\nHost: localhost\r\n\r\n")
	waitFor(t, 5*time.Second, func() bool { return engine.running.Load() == 1 })
	start := time.Now()
	response, err := http.Get(address + "/sparql?timeout=200ms&query=ASK")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != 503 || response.Header.Get("Retry-After") == "" || !strings.Contains(string(body), "time limit") || time.Since(start) > 5*time.Second {
		t.Errorf("%d %s after %s", response.StatusCode, body, time.Since(start))
	}
	first.Close()
	waitFor(t, time.Second, func() bool { return s.admit.now() == (counts{}) })
}
