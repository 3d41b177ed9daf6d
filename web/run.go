package web

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"
)

// Run listens until ctx is done, then drains: it takes no more connections, lets running queries finish for a while,
// cancels those that are left, and returns nil.
func (s *Server) Run(ctx context.Context) error {
	return listening{front: s, servers: map[string]*Server{"": s}, handler: s}.run(ctx)
}

// listening is one listener for some servers, by the paths that they are at. The settings of the listener are those of front.
type listening struct {
	front   *Server
	servers map[string]*Server
	handler http.Handler
}

func (l listening) run(ctx context.Context) error {
	s := l.front
	listener, err := net.Listen("tcp", s.options.Addr)
	if err != nil {
		return fmt.Errorf("web: %w (--addr, or Options.Addr, says where to listen)", err)
	}
	base, cancel := context.WithCancel(context.Background())
	bounded := newConnections(listener, s.options.MaxConnections, s.options.WriteTimeout)
	for _, path := range slices.Sorted(maps.Keys(l.servers)) {
		defer l.servers[path].begin(base, listener.Addr(), path, bounded)()
	}
	if s.ready != nil {
		s.ready <- listener.Addr()
	}
	defer cancel()
	server := s.httpServer()
	server.ConnState, server.ConnContext = bounded.watch, bounded.mark
	server.Handler = s.guardHost(s.guardConnections(l.handler), listener.Addr())
	server.BaseContext = func(net.Listener) context.Context { return base }
	failed := make(chan error, 1)
	go func() {
		if s.options.CertFile != "" {
			failed <- server.ServeTLS(bounded, s.options.CertFile, s.options.KeyFile)
		} else {
			failed <- server.Serve(bounded)
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("web: %w", err)
	case <-ctx.Done():
	}
	l.drain(server, cancel)
	<-failed
	return nil
}

// begin says what is served and starts what a server does beside its requests; the caller ends that.
func (s *Server) begin(base context.Context, bound net.Addr, path string, connections *connections) (end func()) {
	scheme := "http"
	if s.options.CertFile != "" {
		scheme = "https"
	}
	s.greet(fmt.Sprintf("%s://%s%s/", scheme, bound, path))
	s.warn(bound)
	s.connections.Store(connections)
	checked, history, hooks := s.checkEditions(base), s.keepHistory(base), s.hooks.start(base)
	return func() {
		s.sockets.Wait()
		hooks()
		history()
		checked()
	}
}

// greet logs what is served.
func (s *Server) greet(url string) {
	engine, done := s.use()
	defer done()
	info, err := engine.Info()
	if err != nil {
		s.options.Log.Error("the store is damaged: queries that meet the damage fail", "error", err)
	}
	s.options.Log.Info("serving", append([]any{"url", url, "triples", info.Triples, "gpu", engine.Device().Available, "writable", s.options.Writable},
		budgetGreeting(s.options.Budget)...)...)
}

// warn logs that everybody who reaches the server may change the store.
func (s *Server) warn(bound net.Addr) {
	if tcp, ok := bound.(*net.TCPAddr); s.options.Writable && !s.options.asksTokens() && (!ok || !tcp.IP.IsLoopback()) {
		s.options.Log.Warn("everybody who reaches this address may change the store", "address", bound.String(), "hint", "--write-tokens FILE")
	}
}

// rest waits until the WebSockets of all servers have ended, which net/http knows nothing of; false where ctx ends before.
func (l listening) rest(ctx context.Context) bool {
	gone := make(chan struct{})
	go func() {
		for _, s := range l.servers {
			s.sockets.Wait()
		}
		close(gone)
	}()
	select {
	case <-gone:
		return true
	case <-ctx.Done():
		return false
	}
}

// drain stops the servers: gently for the time allowed, then by cancelling what still runs.
func (l listening) drain(server *http.Server, cancel context.CancelFunc) {
	running := 0
	for _, s := range l.servers {
		s.draining.Store(true)
		s.stop()
		running += s.queries.len()
	}
	l.front.options.Log.Info("draining", "running", running)
	gentle, done := context.WithTimeout(context.Background(), l.front.options.Drain)
	defer done()
	if server.Shutdown(gentle) == nil && l.rest(gentle) {
		return
	}
	cancel()
	last, done := context.WithTimeout(context.Background(), 2*time.Second)
	defer done()
	if server.Shutdown(last) != nil {
		server.Close()
	}
}
