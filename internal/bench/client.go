package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Endpoint is a SPARQL query endpoint. Query parameters in URL are sent with every request.
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
}

// answer is one response, its body counted but not kept, except for short ones.
type answer struct {
	elapsed time.Duration
	bytes   int64
	lines   int64
	kept    []byte
}

const keepBytes = 4096

func newClient(e Endpoint, timeout time.Duration) (*client, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("bench: endpoint %s: %q is no http URL", e.Name, e.URL)
	}
	return &client{url: u, timeout: timeout}, nil
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

// query posts a query as a form and reads the whole answer.
func (c *client) query(text, accept string) (answer, error) {
	a, err := c.roundTrip(text, accept)
	if err != nil {
		c.close()
	}
	return a, err
}

func (c *client) roundTrip(text, accept string) (answer, error) {
	if err := c.connect(); err != nil {
		return answer{}, err
	}
	form := c.url.Query()
	form.Set("query", text)
	body := form.Encode()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAccept: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n",
		path(c.url), c.url.Host, accept, len(body))
	request := append([]byte(head), body...)

	c.conn.SetDeadline(time.Now().Add(c.timeout))
	quickAck(c.conn)
	start := time.Now()
	if _, err := c.conn.Write(request); err != nil {
		return answer{}, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return answer{}, err
	}
	quickAck(c.conn)
	a, err := drain(response.Body)
	a.elapsed = time.Since(start)
	if err != nil {
		return a, err
	}
	if response.StatusCode != http.StatusOK {
		return a, fmt.Errorf("%s: %s", response.Status, firstLine(a.kept))
	}
	if response.Close {
		c.close()
	}
	return a, nil
}

func drain(body io.ReadCloser) (answer, error) {
	defer body.Close()
	var a answer
	buffer := make([]byte, 1<<18)
	for {
		n, err := body.Read(buffer)
		a.bytes += int64(n)
		a.lines += int64(bytes.Count(buffer[:n], []byte{'\n'}))
		if room := keepBytes - len(a.kept); room > 0 {
			a.kept = append(a.kept, buffer[:min(n, room)]...)
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
