package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Endpoint is a SPARQL endpoint, for queries or for updates. Query parameters in URL are sent with every request.
type Endpoint struct {
	Name string
	URL  string
}

// client is one kept-alive connection, used by one goroutine: no background reader, so that what is measured is the
// server and the loopback.
type client struct {
	url     *url.URL
	timeout time.Duration
	conn    net.Conn
	reader  *bufio.Reader
	buffer  []byte
}

// answer is one response, its body counted but not kept, except for short ones.
type answer struct {
	elapsed time.Duration
	bytes   int64
	lines   int64
	kept    []byte
}

const (
	keepBytes = 4096
	readBytes = 1 << 16
)

func newClient(e Endpoint, timeout time.Duration) (*client, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("bench: endpoint %s: %q is no http URL", e.Name, e.URL)
	}
	return &client{url: u, timeout: timeout, buffer: make([]byte, readBytes)}, nil
}

func (c *client) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

func (c *client) connect() error {
	if c.conn != nil {
		return nil
	}
	conn, err := net.DialTimeout("tcp", c.url.Host, 5*time.Second)
	if err != nil {
		return err
	}
	c.conn, c.reader = conn, bufio.NewReaderSize(conn, 1<<16)
	return nil
}

// statusError is an answer whose status is not of the 200s.
type statusError struct {
	code   int
	detail string
}

func (e *statusError) Error() string { return fmt.Sprintf("%d: %s", e.code, e.detail) }

// request is a query posted as a form, byte by byte as it is sent.
func (c *client) request(text, accept string) []byte {
	form := c.url.Query()
	form.Set("query", text)
	return c.post(path(c.url), accept, "application/x-www-form-urlencoded", form.Encode())
}

// updateRequest is an update posted directly, byte by byte as it is sent.
func (c *client) updateRequest(text string) []byte {
	target := path(c.url)
	if c.url.RawQuery != "" {
		target += "?" + c.url.RawQuery
	}
	return c.post(target, "*/*", "application/sparql-update", text)
}

func (c *client) post(target, accept, contentType, body string) []byte {
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAccept: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		target, c.url.Host, accept, contentType, len(body))
	return append([]byte(head), body...)
}

// query posts a query and reads the whole answer.
func (c *client) query(text, accept string) (answer, error) {
	return c.send(c.request(text, accept), time.Now().Add(c.timeout))
}

// send sends a request and reads the whole answer. A kept-alive connection that the server has closed in the meantime
// is replaced, once.
func (c *client) send(request []byte, deadline time.Time) (answer, error) {
	kept := c.conn != nil
	a, err := c.roundTrip(request, deadline)
	var status *statusError
	if err == nil || errors.As(err, &status) {
		return a, err
	}
	c.close()
	if !kept || !errors.Is(err, errGone) {
		return a, err
	}
	if a, err = c.roundTrip(request, deadline); err != nil && !errors.As(err, &status) {
		c.close()
	}
	return a, err
}

// errGone is a connection that ended before the first byte of an answer.
var errGone = errors.New("the server closed the connection")

func (c *client) roundTrip(request []byte, deadline time.Time) (answer, error) {
	if err := c.connect(); err != nil {
		return answer{}, err
	}
	c.conn.SetDeadline(deadline)
	quickAck(c.conn)
	start := time.Now()
	if _, err := c.conn.Write(request); err != nil {
		return answer{}, gone(err)
	}
	if _, err := c.reader.Peek(1); err != nil {
		return answer{}, gone(err)
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return answer{}, err
	}
	quickAck(c.conn)
	a, err := c.drain(response.Body)
	a.elapsed = time.Since(start)
	if err != nil {
		return a, err
	}
	if response.Close {
		c.close()
	}
	if response.StatusCode/100 != 2 {
		return a, &statusError{response.StatusCode, firstLine(a.kept)}
	}
	return a, nil
}

func gone(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", errGone, err)
}

func (c *client) drain(body io.ReadCloser) (answer, error) {
	defer body.Close()
	var a answer
	for {
		n, err := body.Read(c.buffer)
		a.bytes += int64(n)
		a.lines += int64(bytes.Count(c.buffer[:n], []byte{'\n'}))
		if room := keepBytes - len(a.kept); room > 0 {
			a.kept = append(a.kept, c.buffer[:min(n, room)]...)
		}
		if err == io.EOF {
			return a, nil
		}
		if err != nil {
			return a, err
		}
	}
}

func path(u *url.URL) string {
	if u.Path == "" {
		return "/"
	}
	return u.EscapedPath()
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(string(b), "\n")
	return line[:min(len(line), 160)]
}
