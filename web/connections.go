package web

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// refusals is how many connections beyond the bound are answered with 503; more are closed without a word.
const refusals = 32

// connections is a listener that bounds how many connections are open and how long they may stand still.
//
// At the bound, a new connection takes the place of one on which nothing is asked at that moment: of the client that has
// most connections, the one that is unused for longest. Where there is none, or none of a client with as many connections as
// the new one's, the new one is refused.
type connections struct {
	net.Listener
	bound int
	// stall is the longest that a write waits for the client to take a byte.
	stall            time.Duration
	epoch            time.Time // from which the connections count
	evicted, refused atomic.Int64

	mu       sync.Mutex
	open     map[*conn]struct{}
	byClient map[netip.Prefix]int
}

func newConnections(l net.Listener, bound int, stall time.Duration) *connections {
	return &connections{Listener: l, bound: bound, stall: stall, epoch: time.Now(), open: map[*conn]struct{}{}, byClient: map[netip.Prefix]int{}}
}

// Accept waits for a connection that may stay.
func (l *connections) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: inner, owner: l, client: neighbours(addressOf(inner.RemoteAddr().String()))}
		c.rested()
		evicted, ok := l.add(c)
		if evicted != nil {
			l.evicted.Add(1)
			evicted.Close()
		}
		if ok {
			return c, nil
		}
		inner.Close()
	}
}

// add makes room for a connection. It is not ok where there is none, not even for a refusal.
func (l *connections) add(c *conn) (evicted *conn, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.bound {
		if evicted = l.dispensable(c.client); evicted != nil {
			l.forget(evicted)
		} else {
			l.refused.Add(1)
			if len(l.open) >= l.bound+refusals {
				return nil, false
			}
			c.refused = true
		}
	}
	l.open[c] = struct{}{}
	l.byClient[c.client]++
	return evicted, true
}

// dispensable is the unused connection that goes first when a client opens one more: of this client, or of one with as many.
func (l *connections) dispensable(newcomer netip.Prefix) (first *conn) {
	most := l.byClient[newcomer] + 1
	for c := range l.open {
		n := l.byClient[c.client]
		if c.client == newcomer {
			n++
		}
		if c.busy.Load() || n < most {
			continue
		}
		if first == nil || n > most || c.since.Load() < first.since.Load() {
			first, most = c, n
		}
	}
	return first
}

// forget takes a connection off the lists.
func (l *connections) forget(c *conn) {
	if _, listed := l.open[c]; !listed {
		return
	}
	delete(l.open, c)
	if l.byClient[c.client]--; l.byClient[c.client] == 0 {
		delete(l.byClient, c.client)
	}
}

// len is how many connections are open.
func (l *connections) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

// watch is what http.Server tells of its connections (http.Server.ConnState).
func (l *connections) watch(nc net.Conn, state http.ConnState) {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	c, ok := nc.(*conn)
	if !ok {
		return
	}
	switch state {
	case http.StateActive:
		c.busy.Store(true)
	case http.StateIdle:
		c.rested()
	}
}

// conn is one connection.
type conn struct {
	net.Conn
	owner  *connections
	client netip.Prefix
	// refused tells to answer with 503, because there are too many.
	refused bool
	// busy while a request has been read and not been answered; since is when that ended, after the epoch.
	busy  atomic.Bool
	since atomic.Int64
	// began is when the first byte of the request came that is read or answered now, after the epoch; 0 where none came.
	began atomic.Int64

	// gathered is of who writes.
	gathered gathered

	mu      sync.Mutex
	limit   time.Time // by which writes must end
	writing int       // writes that go on
	armed   time.Time // the deadline that is set of writes
	reading time.Time // by which reads must end
}

// rested begins the time in which nothing is asked.
func (c *conn) rested() {
	if c.gathers() { // an answer that broke off
		c.flush()
	}
	c.busy.Store(false)
	c.since.Store(int64(time.Since(c.owner.epoch)))
	c.began.Store(0)
}

// Read notes when a request begins.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && c.began.Load() == 0 {
		c.began.Store(int64(max(1, time.Since(c.owner.epoch))))
	}
	return n, err
}

// leastTime is how long a read or write may take whose deadline has passed before it was tried: what lies ready, or fits the
// socket's buffer, goes through also where a busy processor came to it late.
const leastTime = 20 * time.Millisecond

// Write fails where the client takes no byte for as long as may be. What is gathered is said to be written as long as the rest is to come.
func (c *conn) Write(b []byte) (int, error) {
	if !c.gathers() {
		return c.writeAll(b)
	}
	all := c.gather(b)
	if all == nil {
		return len(b), nil
	}
	n, err := c.writeAll(all)
	if c.scatter(); err != nil {
		return max(0, n-(len(all)-len(b))), err
	}
	return len(b), nil
}

func (c *conn) writeAll(b []byte) (written int, err error) {
	c.count(1)
	defer c.count(-1)
	for least := leastTime; ; least = 0 {
		if err := c.arm(least); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(b[written:])
		written += n
		if err == nil || n == 0 || !errors.Is(err, os.ErrDeadlineExceeded) || c.late() {
			return written, err
		}
	}
}

// count counts the writes that go on.
func (c *conn) count(more int) {
	c.mu.Lock()
	c.writing += more
	c.mu.Unlock()
}

// arm sets the deadline of one write, which has at least so much time.
func (c *conn) arm(least time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	deadline := now.Add(c.owner.stall)
	if !c.limit.IsZero() && c.limit.Before(deadline) {
		deadline = later(c.limit, now.Add(least))
	} else if more := deadline.Sub(c.armed); least > 0 && more >= 0 && more <= c.owner.stall/64 {
		return nil // not worth setting
	}
	c.armed = deadline
	return c.Conn.SetWriteDeadline(deadline)
}

// late reports whether the limit has passed.
func (c *conn) late() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.limit.IsZero() && !time.Now().Before(c.limit)
}

// SetWriteDeadline bounds all writes together; each is bounded beside that, as it begins.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	c.limit = t
	idle := c.writing == 0
	c.mu.Unlock()
	if idle {
		return nil
	}
	return c.arm(0)
}

// SetReadDeadline bounds all reads together.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.reading = t
	c.mu.Unlock()
	return c.Conn.SetReadDeadline(t)
}

// readLimit is when reads must end; zero where they need not.
func (c *conn) readLimit() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reading
}

// SetDeadline bounds reads and writes.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// Close closes the connection.
func (c *conn) Close() error {
	c.owner.mu.Lock()
	c.owner.forget(c)
	c.owner.mu.Unlock()
	return c.Conn.Close()
}

// connKey is where a request's context has its connection.
type connKey struct{}

// mark lets requests know their connection (http.Server.ConnContext).
func (l *connections) mark(ctx context.Context, nc net.Conn) context.Context {
	if secure, ok := nc.(*tls.Conn); ok {
		nc = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, nc)
}

// connection is the connection of a request that came through connections; else nil.
func connection(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}

// arrival is when the first byte of a request came, as far as that is known: requests that share a connection at the same
// time (HTTP/2), or were sent before the one before was answered, arrive when the server turns to them.
func arrival(r *http.Request) time.Time {
	if c := connection(r); c != nil && r.ProtoMajor == 1 {
		if began := c.began.Load(); began != 0 {
			return c.owner.epoch.Add(time.Duration(began))
		}
	}
	return time.Now()
}

// guardConnections answers requests on connections beyond the bound with 503, and closes those. Whether the server lives and
// is ready, everybody may know.
func (s *Server) guardConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := connection(r); c == nil || !c.refused || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		s.metrics.finished("busy", 0)
		s.fail(w, r, "", &Problem{Status: http.StatusServiceUnavailable, Title: "too many connections",
			Detail: "the server has as many connections as it takes, and all are in use", Hint: "try again in a moment", retryAfter: time.Second})
	})
}
