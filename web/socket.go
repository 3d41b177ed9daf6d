package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/rdfgpu/rdfgpu"
)

// socketSubscriptions is how many queries may stand on one WebSocket.
const socketSubscriptions = 64

var (
	// errUnsubscribed: the client wants to be told no more. errClosed: its connection has ended. errSilent: it does not answer.
	errUnsubscribed = errors.New("the client has unsubscribed")
	errClosed       = errors.New("the connection has ended")
	errSilent       = fmt.Errorf("the client does not answer: %w", os.ErrDeadlineExceeded)
)

// socket is a WebSocket on which a client makes queries stand, and is told of them in the JSON of SEPA. One goroutine reads messages, one
// looks after the connection, and each query that stands has one.
type socket struct {
	server *Server
	r      *http.Request // that asked for it
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelCauseFunc
	// active is when the client was heard, or took a message, last, in nanoseconds after the epoch.
	active atomic.Int64
	epoch  time.Time

	// writing guards out, which a message is put together in.
	writing sync.Mutex
	out     *bufio.Writer

	// mu guards the subscriptions, by their spuid. leaving: there will be no more. idle ticks where there was none for long.
	mu      sync.Mutex
	stands  map[string]*subscription
	serving sync.WaitGroup
	leaving bool
	idle    *time.Timer
}

// openSockets counts WebSockets.
type openSockets struct {
	sync.WaitGroup
	now atomic.Int64
}

func (o *openSockets) add(n int) {
	o.WaitGroup.Add(n)
	o.now.Add(int64(n))
}

// asksSocket reports a request for a WebSocket.
func asksSocket(r *http.Request) bool {
	for _, list := range r.Header["Upgrade"] {
		for protocol := range strings.SplitSeq(list, ",") {
			if strings.EqualFold(strings.TrimSpace(protocol), "websocket") {
				return true
			}
		}
	}
	return false
}

// subscribing serves those who subscribe. Who wants a WebSocket may show its token later, with what it asks for: scripts in browsers cannot
// send it before.
func (s *Server) subscribing() http.HandlerFunc {
	events := s.authenticate(s.limited(s.serveSubscribe))
	sockets := s.wantToken(nil, slices.Concat(s.options.Tokens, s.options.WriteTokens), s.limited(s.serveSocket))
	return func(w http.ResponseWriter, r *http.Request) {
		if asksSocket(r) {
			sockets.ServeHTTP(w, r)
			return
		}
		events.ServeHTTP(w, r)
	}
}

// serveSocket opens a WebSocket, and serves it to its end.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	if problem := s.mayOpen(r); problem != nil {
		s.metrics.standing.finished("refused")
		s.fail(w, r, "", problem)
		return
	}
	s.sockets.add(1)
	defer s.sockets.add(-1)
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the origin was looked at
	if err != nil {
		return // it was answered
	}
	defer conn.CloseNow()
	newSocket(s, r, conn).serve()
}

// mayOpen is nil for a request that may have a WebSocket. Browsers let pages of all origins ask for one, and the server has to look.
func (s *Server) mayOpen(r *http.Request) *Problem {
	if s.stopping.Err() != nil {
		return problemOf(s.stopping, errStopping)
	}
	origin := r.Header.Get("Origin")
	_, host, _ := strings.Cut(origin, "://")
	if origin == "" || strings.EqualFold(host, r.Host) {
		return nil
	}
	for _, pattern := range s.options.Origins {
		if matches, err := path.Match(strings.ToLower(pattern), strings.ToLower(origin)); pattern == "*" || err == nil && matches {
			return nil
		}
	}
	return &Problem{Status: http.StatusForbidden, Title: "forbidden", Detail: "pages of another origin may not subscribe here", Hint: "name the origin with --cors"}
}

func newSocket(s *Server, r *http.Request, conn *websocket.Conn) *socket {
	k := &socket{server: s, r: r, conn: conn, epoch: time.Now(), out: bufio.NewWriterSize(nil, writeSocket), stands: map[string]*subscription{},
		idle: time.NewTimer(s.idle)}
	k.ctx, k.cancel = context.WithCancelCause(r.Context())
	k.r = r.WithContext(k.ctx)
	conn.SetReadLimit(s.options.MaxBody)
	k.rest()
	return k
}

// writeSocket is how much of a message is put together before it is passed on.
const writeSocket = 16 << 10

// serve reads messages until the connection ends, and waits for all that it has begun.
func (k *socket) serve() {
	var caring sync.WaitGroup
	caring.Go(k.care)
	err := k.listen()
	k.cancel(errClosed)
	k.leave()
	caring.Wait()
	k.idle.Stop()
	k.server.options.Log.Debug("socket", "request", requestOf(k.r), "client", k.r.RemoteAddr, "elapsed", time.Since(k.epoch), "end", err, "cause", context.Cause(k.ctx))
}

// listen reads messages, and does what they say.
func (k *socket) listen() error {
	for {
		kind, in, err := k.conn.Reader(k.ctx)
		if err != nil {
			return err
		}
		hold := &hold{budget: k.server.options.Budget}
		text, problem, err := k.receive(in, hold)
		if err != nil {
			hold.release()
			return err
		}
		k.touch()
		if kind != websocket.MessageText && problem == nil {
			problem = badRequest("expected a message of text")
		}
		if err := k.take(text, hold, problem); err != nil {
			return err
		}
	}
}

// receive reads one message, which may not stand still for long. The error is of the connection.
func (k *socket) receive(in io.Reader, hold *hold) (text []byte, problem *Problem, err error) {
	still := k.server.options.ReadTimeout
	late := time.AfterFunc(still, func() { k.cancel(errSilent) })
	defer late.Stop()
	text, err = io.ReadAll(&measured{body: moving{in, func() { late.Reset(still) }}, hold: hold})
	if errors.Is(err, rdfgpu.ErrMemoryLimit) {
		problem = problemOf(k.ctx, err)
		_, err = io.Copy(io.Discard, in) // what is left of it
	}
	return text, problem, err
}

// moving tells of every piece that is read.
type moving struct {
	in   io.Reader
	tell func()
}

// Read reads on.
func (m moving) Read(b []byte) (int, error) {
	n, err := m.in.Read(b)
	if n > 0 {
		m.tell()
	}
	return n, err
}

// take does what a message says. The hold is that of its text. The error is of the connection.
func (k *socket) take(text []byte, hold *hold, problem *Problem) error {
	m := &message{}
	if problem == nil {
		m, problem = readMessage(text)
	}
	if problem == nil && m.Subscribe != nil {
		problem = k.subscribe(m.Subscribe, hold)
		if problem == nil {
			return nil
		}
		k.server.metrics.standing.finished("refused")
	}
	hold.release()
	if problem == nil {
		problem = k.unsubscribe(m.Unsubscribe)
	}
	if problem == nil {
		return nil
	}
	_, err := k.send(errorMessageOf(problem, m.alias(), ""))
	return err
}

// subscribe makes a query stand.
func (k *socket) subscribe(m *subscribeMessage, hold *hold) *Problem {
	r, problem := k.authorize(m.Authorization)
	if problem == nil {
		problem = k.server.overRate(r)
	}
	if problem != nil {
		return problem
	}
	request, problem := m.request(k.server, r)
	if problem != nil {
		return problem
	}
	x := k.server.subscription(r, request, time.Now())
	to := &notified{subscription: x, socket: k, alias: m.Alias}
	x.to = to
	if problem = k.add(x); problem != nil {
		x.cancel(nil)
		return problem
	}
	go func() {
		defer k.remove(x)
		defer hold.release()
		defer k.recover()
		x.serve()
	}()
	return nil
}

// authorize is the request as if it had come with a token, where the server asks for one.
func (k *socket) authorize(authorization string) (*http.Request, *Problem) {
	s, r := k.server, k.r
	if given, ok := bearerOf(authorization); ok {
		r = withToken(r, tokenAmong(given, s.tokens))
	}
	if tokenOf(r) == 0 && len(s.options.Tokens) > 0 {
		p := wantsToken("this server wants a token")
		p.Hint = `send "authorization":"Bearer TOKEN" beside "sparql"`
		return nil, p
	}
	return r, nil
}

// add lists a subscription.
func (k *socket) add(x *subscription) *Problem {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.leaving {
		return problemOf(k.ctx, errStopping)
	}
	if len(k.stands) >= socketSubscriptions {
		return &Problem{Status: http.StatusServiceUnavailable, Title: "too many subscriptions",
			Detail: fmt.Sprintf("%d queries stand on this connection, which is as many as may", len(k.stands)), Hint: "unsubscribe, or open another connection"}
	}
	if c := connection(k.r); c != nil {
		c.busy.Store(true)
	}
	k.idle.Stop()
	k.stands[x.query.ID] = x
	k.serving.Add(1)
	return nil
}

// remove takes a subscription off the list.
func (k *socket) remove(x *subscription) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.stands, x.query.ID)
	k.rest()
	k.serving.Done()
}

// rest lets the connection count as unused where nothing stands on it.
func (k *socket) rest() {
	if len(k.stands) > 0 {
		return
	}
	if c := connection(k.r); c != nil {
		c.rested()
	}
	k.idle.Reset(k.server.idle)
}

// resting reports whether nothing stands.
func (k *socket) resting() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.stands) == 0
}

// unsubscribe ends a subscription, which answers.
func (k *socket) unsubscribe(m *unsubscribeMessage) *Problem {
	k.mu.Lock()
	x := k.stands[m.SPUID]
	k.mu.Unlock()
	if x == nil {
		return &Problem{Status: http.StatusNotFound, Title: "not found", Detail: fmt.Sprintf("no query %q stands on this connection", cutQuery(m.SPUID, 80))}
	}
	x.cancel(errUnsubscribed)
	return nil
}

// leave waits for all that stands; there will be no more.
func (k *socket) leave() {
	k.mu.Lock()
	k.leaving = true
	k.mu.Unlock()
	k.serving.Wait()
}

// recover notes that serving a query panicked, and ends the connection.
func (k *socket) recover() {
	if v := recover(); v != nil {
		k.server.panicked(k.r, v)
		k.cancel(errClosed)
	}
}

// touch notes that the client is there.
func (k *socket) touch() { k.active.Store(int64(time.Since(k.epoch))) }

// care looks after the connection until it ends: whether the client is there, whether it wants anything, and that it goes where the server
// stops.
func (k *socket) care() {
	beat := time.NewTicker(k.server.options.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-k.ctx.Done():
			return
		case <-k.server.stopping.Done():
			k.leave()
			k.conn.Close(websocket.StatusGoingAway, "the server is stopping")
			return
		case <-k.idle.C:
			if k.resting() {
				k.conn.Close(websocket.StatusNormalClosure, "no query stands here")
				return
			}
		case <-beat.C:
			k.ping()
		}
	}
}

// ping asks a client of which nothing was heard for a heartbeat whether it is there.
func (k *socket) ping() {
	if time.Since(k.epoch)-time.Duration(k.active.Load()) < k.server.options.Heartbeat {
		return
	}
	ctx, done := context.WithTimeout(k.ctx, k.server.options.WriteTimeout)
	defer done()
	defer context.AfterFunc(k.server.stopping, done)()
	if err := k.conn.Ping(ctx); err != nil && k.ctx.Err() == nil && k.server.stopping.Err() == nil {
		k.cancel(errSilent)
		return
	}
	k.touch()
}

// send sends a message.
func (k *socket) send(v any) (n int64, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	return k.write(func(out io.Writer) { out.Write(text) })
}

// write sends a message that fill writes; errors are left to the writer. An error ends the connection.
func (k *socket) write(fill func(io.Writer)) (n int64, err error) {
	k.writing.Lock()
	defer k.writing.Unlock()
	w, err := k.conn.Writer(k.ctx, websocket.MessageText)
	if err != nil {
		return 0, err
	}
	counted := &counter{out: w}
	k.out.Reset(counted)
	fill(k.out)
	if err = k.out.Flush(); err == nil {
		err = w.Close()
	}
	if err != nil {
		k.cancel(err)
	} else {
		k.touch()
	}
	return counted.n, err
}

// counter counts bytes.
type counter struct {
	out io.Writer
	n   int64
}

// Write passes bytes on.
func (c *counter) Write(b []byte) (int, error) {
	n, err := c.out.Write(b)
	c.n += int64(n)
	return n, err
}
