package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"github.com/rdfgpu/rdfgpu/internal/hostile"
)

// connection is a kept-alive connection, used by one goroutine. It reads answers as cheaply as it can: the client takes
// processor time from the server that it measures.
type connection struct {
	server     *server
	from       string // local address; "" is any
	conn       net.Conn
	reader     *bufio.Reader
	generation int
	patience   time.Duration // how long after its limit it still waits for a query
	buffer     []byte
	// asking is what is under way, for those who watch.
	asking atomic.Pointer[task]
}

// task is one query of a campaign.
type task struct {
	Index int
	Text  string
	query *hostile.Query
	known *known // the answer, where it is known
}

// answer is what came of a request.
type answer struct {
	Status  int
	Elapsed time.Duration
	Bytes   int64
	// Broken says that the response was broken off behind its head, which is how a limit ends an answer on its way.
	Broken bool
	// Err is why there is no answer, or no end to it.
	Err string
	// Endless says that the client gave up long after every limit, Left that it hung up on purpose, Cut that the server
	// was replaced meanwhile.
	Endless, Left, Cut bool
	// problem is the beginning of an answer that is no 200.
	problem []byte
}

// How long a client waits for a query that is beyond its limit: long enough to tell a late end from none, and no longer
// than needed where a query is made smaller.
const (
	patience   = 4 * time.Second
	impatience = time.Second
)

func newConnection(s *server, from string) *connection {
	return &connection{server: s, from: from, patience: patience, buffer: make([]byte, 1<<16)}
}

// plain is a query without anything hostile about how it is sent.
func plain(query string) *hostile.Query {
	return &hostile.Query{Tree: &hostile.Node{Open: query}, Request: hostile.Request{
		Method: http.MethodPost, Parameters: url.Values{}, Header: http.Header{"Accept": {"text/tab-separated-values"}},
	}}
}

func (c *connection) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// open connects to the server that runs now.
func (c *connection) open() error {
	address, generation := c.server.at()
	if c.conn != nil && c.generation == generation {
		return nil
	}
	c.close()
	dialer := net.Dialer{Timeout: 5 * time.Second}
	if c.from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(c.from)}
	}
	conn, err := dialer.Dial("tcp", address)
	c.generation = generation
	if err != nil {
		return err
	}
	c.conn, c.reader = conn, bufio.NewReaderSize(conn, 1<<16)
	return nil
}

// ask sends the query of a task, which others see meanwhile.
func (c *connection) ask(ctx context.Context, q *task, body io.Writer) answer {
	c.asking.Store(q)
	defer c.asking.Store(nil)
	return c.send(ctx, q.query, body)
}

// send sends a query and reads the answer; body, when not nil, gets that of a 200. A connection that the server has
// closed since its last answer is replaced, once.
func (c *connection) send(ctx context.Context, q *hostile.Query, body io.Writer) answer {
	kept := c.conn != nil
	a, gone := c.try(ctx, q, body)
	if gone && kept {
		a, _ = c.try(ctx, q, body)
	}
	a.Cut = a.Err != "" && !a.Endless && c.server.dead(c.generation)
	return a
}

// try sends a query once. gone says that the connection ended before the first byte of an answer.
func (c *connection) try(ctx context.Context, q *hostile.Query, body io.Writer) (a answer, gone bool) {
	if err := c.open(); err != nil {
		return answer{Err: err.Error()}, false
	}
	request, err := q.HTTP("http://" + c.conn.RemoteAddr().String() + "/sparql")
	if err != nil {
		return answer{Err: err.Error()}, false
	}
	var head bytes.Buffer
	if err := request.Write(&head); err != nil {
		return answer{Err: err.Error()}, false
	}
	conn := c.conn
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	start := time.Now()
	defer func() { a.Elapsed = time.Since(start) }()
	c.conn.SetDeadline(start.Add(c.wait(q)))
	_, writeErr := c.conn.Write(head.Bytes())
	if _, err := c.reader.Peek(1); err != nil {
		return c.fail(q, errors.Join(err, writeErr)), !errors.Is(err, os.ErrDeadlineExceeded)
	}
	response, err := http.ReadResponse(c.reader, request)
	if err != nil {
		return c.fail(q, err), false
	}
	a.Status = response.StatusCode
	err = c.drain(&a, q, response.Body, body)
	if err != nil {
		failed := c.fail(q, err)
		failed.Status, failed.Bytes, failed.problem, failed.Broken = a.Status, a.Bytes, a.problem, !failed.Endless && !failed.Left
		return failed, false
	}
	if response.Close || writeErr != nil {
		c.close()
	}
	return a, false
}

// wait is how long to wait for a query's answer.
func (c *connection) wait(q *hostile.Query) time.Duration {
	if q.Leave > 0 {
		return q.Leave
	}
	return c.server.settings.Timeout + q.Stall + c.patience
}

// fail says why a request has no whole answer, and closes the connection.
func (c *connection) fail(q *hostile.Query, err error) answer {
	c.close()
	late := errors.Is(err, os.ErrDeadlineExceeded)
	return answer{Err: err.Error(), Left: late && q.Leave > 0, Endless: late && q.Leave == 0}
}

// maxProblem bounds what is kept of the answers that say what is wrong.
const maxProblem = 1000

// drain reads the body, and rests after its beginning where the query says so.
func (c *connection) drain(a *answer, q *hostile.Query, from io.ReadCloser, body io.Writer) error {
	defer from.Close()
	for stalled := false; ; {
		n, err := from.Read(c.buffer)
		a.Bytes += int64(n)
		switch room := maxProblem - len(a.problem); {
		case a.Status != http.StatusOK && room > 0:
			a.problem = append(a.problem, c.buffer[:min(n, room)]...)
		case a.Status == http.StatusOK && body != nil:
			body.Write(c.buffer[:n])
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if q.Stall > 0 && !stalled {
			stalled = true
			time.Sleep(q.Stall)
		}
	}
}
