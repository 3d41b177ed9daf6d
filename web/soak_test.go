package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// soakTime is how long the ill-behaved clients go on; RDFGPU_SOAK makes it longer.
func soakTime(t *testing.T) time.Duration {
	if text := os.Getenv("RDFGPU_SOAK"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if testing.Short() {
		return time.Second
	}
	return 3 * time.Second
}

func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// TestNothingLeaksUnderIllBehavedClients is serial: it counts the descriptors of the process.
func TestNothingLeaksUnderIllBehavedClients(t *testing.T) {
	s, engine := newTestServer(t, Options{MaxConcurrent: 8, MaxQueued: 8, QueueWait: 50 * time.Millisecond})
	files := openFiles()
	server := listen(t, s)
	address := strings.TrimPrefix(server.URL, "http://")
	ctx, cancel := context.WithTimeout(t.Context(), soakTime(t))
	defer cancel()
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	clients := []func(*rand.Rand){
		func(r *rand.Rand) { behave(client, server.URL) },
		func(r *rand.Rand) { hangUp(client, server.URL, r) },
		func(r *rand.Rand) { sendGarbage(address, r) },
		func(r *rand.Rand) { readSlowly(address, r) },
		func(r *rand.Rand) { sendHalf(address) },
	}
	var wait sync.WaitGroup
	for i := range 15 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for ctx.Err() == nil {
				clients[i%len(clients)](r)
			}
		}()
	}
	wait.Wait()
	transport.CloseIdleConnections()
	waitFor(t, 10*time.Second, func() bool {
		return engine.running.Load() == 0 && s.queries.len() == 0 && s.admit.now() == (counts{})
	})
	if w := get(s, "ASK"); w.Code != 200 {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
	server.Close()
	waitFor(t, 10*time.Second, func() bool { runtime.GC(); return openFiles() <= files+2 })
}

// behave reads a whole answer and checks it.
func behave(client *http.Client, url string) {
	response, err := client.Get(url + "/sparql?format=csv&query=SELECT+5000")
	if err != nil {
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.StatusCode == 200 && (err != nil || strings.Count(string(body), "\n") != 5001) {
		panic(fmt.Sprintf("a part was sent as the whole: %d lines, %v", strings.Count(string(body), "\n"), err))
	}
}

// hangUp leaves in the middle of an answer.
func hangUp(client *http.Client, url string, r *rand.Rand) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(30))*time.Millisecond)
	defer cancel()
	query := []string{"FOREVER", "SELECT+1000000+1ms", "BREAK"}[r.IntN(3)]
	request, _ := http.NewRequestWithContext(ctx, "GET", url+"/sparql?query="+query, nil)
	if response, err := client.Do(request); err == nil {
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}

// sendGarbage writes bytes that are no request, or a request with a broken head.
func sendGarbage(address string, r *rand.Rand) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer connection.Close()
	garbage := make([]byte, r.IntN(4000))
	for i := range garbage {
		garbage[i] = byte(r.Uint32())
	}
	fmt.Fprintf(connection, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\nContent-Length: %d\r\n\r\n", r.IntN(5000))
	connection.Write(garbage)
	connection.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	io.Copy(io.Discard, connection)
}

// readSlowly asks for much and reads little of it.
func readSlowly(address string, r *rand.Rand) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer connection.Close()
	connection.SetReadDeadline(time.Now().Add(5 * time.Second)) // a short 503 leaves the connection open and silent
	fmt.Fprint(connection, "GET /sparql?query=SELECT+3000000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	reader := bufio.NewReaderSize(connection, 16)
	for range 5 + r.IntN(10) {
		if _, err := reader.Discard(512); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// sendHalf promises a body and never sends the rest.
func sendHalf(address string) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer connection.Close()
	fmt.Fprint(connection, "POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\nContent-Length: 1000\r\n\r\nSELECT")
	time.Sleep(20 * time.Millisecond)
}
